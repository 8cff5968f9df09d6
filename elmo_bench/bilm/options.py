"""The shape of a biLM, as its options.json states it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elmo_bench.errors import ModelError

ACTIVATIONS = ("relu", "tanh")

_DEEPEST = 64
"""More layers than that are a mistake."""


@dataclass(frozen=True)
class Options:
    """What the code needs of an options file, checked, and the whole file as it was read (``raw``)."""

    layers: int
    dim: int
    projection: int
    skip_connections: bool
    cell_clip: float | None
    projection_clip: float | None
    character_dim: int
    filters: tuple[tuple[int, int], ...]
    highways: int
    activation: str
    characters_per_token: int
    raw: Mapping[str, Any]

    @property
    def has_projection(self) -> bool:
        """False where the LSTM's output is as wide as its cell: such files hold no projection matrix."""
        return self.projection != self.dim

    @property
    def has_token_projection(self) -> bool:
        """False where the CNN is as wide as the LSTM's input: published files then hold no matrix."""
        return self.filter_total != self.projection

    @property
    def filter_total(self) -> int:
        return sum(count for _, count in self.filters)

    @classmethod
    def read(cls, path: Path) -> "Options":
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise ModelError(f"{path}: cannot be read ({error.strerror}).") from error
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise ModelError(
                f"{path}: not valid JSON ({error}); "
                "expected the options.json of a biLM, with keys lstm and char_cnn."
            ) from error
        return cls.parse(raw, source=str(path))

    @classmethod
    def parse(cls, raw: Any, source: str = "options") -> "Options":
        """Checks every value that is used; all mistakes are reported at once."""
        reader = _Reader(source)
        lstm, cnn = reader.section(raw, "lstm"), reader.section(raw, "char_cnn")
        embedding = reader.section(cnn, "embedding", "char_cnn.")
        options = cls(
            layers=reader.integer(lstm, "n_layers", "lstm.", default=2, most=_DEEPEST),
            dim=reader.integer(lstm, "dim", "lstm."),
            projection=reader.integer(lstm, "projection_dim", "lstm."),
            skip_connections=reader.boolean(lstm, "use_skip_connections", "lstm."),
            cell_clip=reader.clip(lstm, "cell_clip", "lstm."),
            projection_clip=reader.clip(lstm, "proj_clip", "lstm."),
            character_dim=reader.integer(embedding, "dim", "char_cnn.embedding."),
            filters=reader.filters(cnn),
            highways=reader.integer(cnn, "n_highway", "char_cnn.", default=0, least=0, most=_DEEPEST),
            activation=reader.choice(cnn, "activation", "char_cnn.", ACTIVATIONS),
            characters_per_token=reader.integer(
                cnn, "max_characters_per_token", "char_cnn.", default=50, least=3
            ),
            raw=raw if isinstance(raw, dict) else {},
        )
        widest = max((width for width, _ in options.filters), default=0)
        if widest > options.characters_per_token:
            reader.complain(
                f"char_cnn.filters has a filter {widest} wide, "
                f"but words have {options.characters_per_token} characters"
            )
        reader.finish()
        return options


class _Reader:
    """Collects what is wrong with an options file, so that a user sees all of it in one message."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.mistakes: list[str] = []

    def complain(self, mistake: str) -> None:
        self.mistakes.append(mistake)

    def finish(self) -> None:
        if self.mistakes:
            raise ModelError(
                f"{self.source}: not the options of a biLM this program can run: {'; '.join(self.mistakes)}. "
                "Compare with the options.json published beside the weights."
            )

    def section(self, parent: Any, key: str, prefix: str = "") -> dict[str, Any]:
        value = parent.get(key) if isinstance(parent, dict) else None
        if isinstance(value, dict):
            return value
        self.complain(f"{prefix}{key} is missing or not an object")
        return {}

    def integer(
        self,
        parent: dict[str, Any],
        key: str,
        prefix: str,
        default: int | None = None,
        least: int = 1,
        most: int = 1_000_000,
    ) -> int:
        value = parent.get(key, default)
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self.complain(f"{prefix}{key} is {value!r}, expected a whole number from {least} to {most}")
        return least

    def boolean(self, parent: dict[str, Any], key: str, prefix: str) -> bool:
        value = parent.get(key, False)
        if not isinstance(value, bool):
            self.complain(f"{prefix}{key} is {value!r}, expected true or false")
        return bool(value)

    def clip(self, parent: dict[str, Any], key: str, prefix: str) -> float | None:
        """Zero, null and a missing key all mean that nothing is clipped."""
        value = parent.get(key)
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e30
        ):
            self.complain(f"{prefix}{key} is {value!r}, expected a positive number or null")
            return None
        return float(value) if value else None

    def choice(self, parent: dict[str, Any], key: str, prefix: str, choices: tuple[str, ...]) -> str:
        value = parent.get(key)
        if value not in choices:
            self.complain(f"{prefix}{key} is {value!r}, expected {' or '.join(choices)}")
        return str(value)

    def filters(self, cnn: dict[str, Any]) -> tuple[tuple[int, int], ...]:
        value = cnn.get("filters")
        pairs: list[Any] = value if isinstance(value, list) and value else [None]
        if all(
            isinstance(pair, list) and len(pair) == 2 and all(type(n) is int and n > 0 for n in pair)
            for pair in pairs
        ):
            return tuple((width, count) for width, count in pairs)
        self.complain(f"char_cnn.filters is {value!r}, expected a list of [width, count] pairs")
        return ()
