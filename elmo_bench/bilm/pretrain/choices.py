"""What may be chosen for a run; mistakes that would show late are found before any work is done."""

import re
from collections.abc import Sequence

from omegaconf import DictConfig

from elmo_bench.errors import ConfigError

BITS = {"fp32": 32, "bf16": 16}
"""Of the operands of products, by the name of a precision."""

_NUMBERS = ("passes", "softmax_passes", "checkpoint_minutes", "gradient_clip")
_WHOLE_NUMBERS = ("vocabulary_floor", "streams", "steps", "devices", "validate_steps")

_GROUPS = ("size", "softmax", "optimizer")
"""Choices that are files of conf/pretrain/<name>/."""


def group_overrides(overrides: Sequence[str]) -> list[str]:
    """Lets ``size=small`` choose a file; Hydra by itself would take it for a text and drop all sizes."""
    named = re.compile(rf"({'|'.join(_GROUPS)})=([\w-]+)")
    return [named.sub(r"pretrain/\1@\1=\2", text) if named.fullmatch(text) else text for text in overrides]


def check_choices(config: DictConfig) -> None:
    if config.precision not in BITS:
        raise ConfigError(f"precision={config.precision}: there is {' and '.join(BITS)}.")
    for name in (*_NUMBERS, *_WHOLE_NUMBERS):
        kinds = int if name in _WHOLE_NUMBERS else (int, float)
        if not isinstance(config[name], kinds) or config[name] <= 0:
            whole = "whole " if name in _WHOLE_NUMBERS else ""
            raise ConfigError(f"{name}={config[name]}: expected a {whole}number above 0.")
    if config.heldout_sources and not config.heldout:
        raise ConfigError("heldout_sources says where the lines of heldout come from; give heldout=…, too.")
