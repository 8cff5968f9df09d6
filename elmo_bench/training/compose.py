"""Command line → config: every override is looked at, and all mistakes are told at once."""

from collections.abc import Sequence
from pathlib import Path

import hydra
from hydra.core.global_hydra import GlobalHydra
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from elmo_bench.errors import ConfigError
from elmo_bench.training.check import listed, near_miss

_NAME = "train"


def compose(overrides: Sequence[str], folder: Path | None = None) -> DictConfig:
    """Composes ``conf/train.yaml`` with ``overrides``; groups are looked for in ``folder``, too."""
    GlobalHydra.instance().clear()
    with hydra.initialize_config_module("elmo_bench.conf", version_base="1.3"):
        mistakes = _Overrides(folder).mistakes(overrides)
        if mistakes:
            raise ConfigError(listed(mistakes))
        try:
            return hydra.compose(_NAME, [*overrides, *_search(folder)])
        except (HydraException, OmegaConfBaseException) as error:
            raise ConfigError(f"{' '.join(str(error).split())} See conf/train.yaml.") from error


def _search(folder: Path | None) -> list[str]:
    return [f"hydra.searchpath=[file://{folder.resolve()}]"] if folder else []


class _Overrides:
    """Looks at overrides one by one, where Hydra stops at the first that is wrong."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def mistakes(self, overrides: Sequence[str]) -> list[str]:
        parsed: list[Override] = []
        mistakes: list[str] = []
        for override in overrides:
            try:
                parsed += OverridesParser.create().parse_overrides([override])
            except HydraException:
                mistakes.append(f"{override} is not a choice; expected NAME=VALUE.")
        groups = [override for override in parsed if self._options(override.key_or_group)]
        mistakes += [mistake for override in groups for mistake in self._group_mistakes(override)]
        if mistakes:
            return mistakes
        chosen = [override.input_line or "" for override in groups]
        try:
            config = hydra.compose(_NAME, [*chosen, *_search(self._folder)])
        except (HydraException, OmegaConfBaseException) as error:
            return [" ".join(str(error).split())]
        values = [override for override in parsed if override not in groups and not override.is_add()]
        return [mistake for override in values for mistake in _value_mistakes(override, config)]

    def _options(self, group: str) -> list[str]:
        own = sorted(self._folder.glob(f"{group}/*.yaml")) if self._folder else []
        loader = GlobalHydra.instance().config_loader()
        return [*loader.get_group_options(group, ObjectType.CONFIG), *(path.stem for path in own)]

    def _group_mistakes(self, override: Override) -> list[str]:
        choice, options = str(override.value()), self._options(override.key_or_group)
        if choice in options or override.is_delete():
            return []
        return [f"{override.key_or_group}={choice} does not exist; {near_miss(choice, options)}"]


def _value_mistakes(override: Override, config: DictConfig) -> list[str]:
    """Follows the dots of a key as far as the config goes."""
    node, way = config, ""
    for name in override.key_or_group.split("."):
        if not isinstance(node, DictConfig):
            return [f"{override.key_or_group} does not exist: {way} has no parts."]
        if name not in list(node):  # a value that is still missing counts as there
            place = f"{way} has no {name}" if way else f"there is no {name}"
            return [f"{override.key_or_group}: {place}; {near_miss(name, map(str, node))}"]
        node, way = node._get_node(name), f"{way}.{name}" if way else name  # type: ignore[assignment]
    return []
