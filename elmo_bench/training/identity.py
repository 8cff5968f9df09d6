"""What makes two runs the same: everything that can change a result, and nothing else."""

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

import elmo_bench

_WHERE_AND_HOW = ("machine", "runs", "rows", "rerun")
"""Where results go and what computes them."""

_PLACES = "folder"
"""Data may lie anywhere: a dataset is known by its name, and by its fingerprint in the row."""


def identity(config: DictConfig) -> dict[str, Any]:
    """The config without what cannot change a result."""
    whole: dict[str, Any] = OmegaConf.to_container(config, resolve=True)  # type: ignore[assignment]
    kept = {name: _without_places(part) for name, part in whole.items() if name not in _WHERE_AND_HOW}
    if not uses_elmo(config):
        for name in ("elmo", "mix", "features"):
            kept.pop(name, None)
    return kept


def uses_elmo(config: DictConfig) -> bool:
    return bool(config.inject.input or config.inject.output)


def digest(kept: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def commit() -> str | None:
    """The commit of the running code, marked if it has been changed since; none for an installed package."""
    folder = Path(elmo_bench.__file__).parent
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() or None


def _without_places(part: Any) -> Any:
    if isinstance(part, dict):
        return {name: _without_places(value) for name, value in part.items() if name != _PLACES}
    return part
