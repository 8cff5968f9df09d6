"""Finds every mistake of a config before anything heavy starts, and says what was probably meant."""

import difflib
import inspect
from collections.abc import Iterable, Iterator
from pkgutil import resolve_name
from typing import Any

from omegaconf import DictConfig, OmegaConf

from elmo_bench.errors import ConfigError


def check(config: DictConfig) -> None:
    """Raises one error that lists all that is wrong: missing values, and what no ``_target_`` takes."""
    mistakes = [
        *(f"{key} has no value; give it one with {key}=…" for key in sorted(OmegaConf.missing_keys(config))),
        *_target_mistakes(OmegaConf.to_container(config), ""),
    ]
    if mistakes:
        raise ConfigError(listed(mistakes))


def listed(mistakes: list[str]) -> str:
    if len(mistakes) == 1:
        return mistakes[0]
    return "\n".join(
        [f"{len(mistakes)} mistakes in the config:", *(f"  - {mistake}" for mistake in mistakes)]
    )


def near_miss(wrong: str, choices: Iterable[str]) -> str:
    """Names the likeliest choice, or all of them."""
    names = sorted(map(str, choices))
    close = difflib.get_close_matches(wrong, names, n=1)
    return f"did you mean {close[0]}?" if close else f"there are: {', '.join(names)}."


def _target_mistakes(part: Any, where: str) -> Iterator[str]:
    if isinstance(part, list):
        part = dict(enumerate(part))
    if not isinstance(part, dict):
        return
    for name, inner in part.items():
        yield from _target_mistakes(inner, f"{where}.{name}" if where else str(name))
    if "_target_" in part:
        yield from _call_mistakes(part, where)


def _call_mistakes(part: dict[str, Any], where: str) -> Iterator[str]:
    """What a call of the target with these arguments would refuse."""
    try:
        parameters = inspect.signature(resolve_name(part["_target_"])).parameters
    except (ImportError, ValueError, AttributeError, TypeError) as error:
        reason = str(error).splitlines()[0]
        yield f"{where}._target_ is {part['_target_']}, which cannot be found ({reason})."
        return
    given = {name for name in part if not name.startswith("_")}
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        for name in sorted(given - set(parameters)):
            yield f"{where}.{name} is not an argument of {part['_target_']}; {near_miss(name, parameters)}"
    if not part.get("_partial_"):
        for name, parameter in parameters.items():
            named = parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
            if named and parameter.default is parameter.empty and name not in given:
                yield f"{where}.{name} is missing: {part['_target_']} needs it."
