"""Examples in memory: a Hugging Face ``Dataset`` for each split, its fingerprint and its parts.

``datasets`` takes a second to import, so nothing here does until it is needed.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elmo_bench.errors import ConfigError, TextError

if TYPE_CHECKING:
    from datasets import Dataset

_ROWS_AT_ONCE = 1000


@dataclass(frozen=True)
class Splits:
    """What a run trains on, chooses its best epoch with and is scored on.

    ``test`` is None where nobody has its answers, as with SQuAD: such runs are scored on ``validation``.
    """

    train: "Dataset"
    validation: "Dataset"
    test: "Dataset | None"

    def named(self) -> Iterator[tuple[str, "Dataset"]]:
        """Yields (name, examples) of the splits there are."""
        yield "train", self.train
        yield "validation", self.validation
        if self.test is not None:
            yield "test", self.test

    def with_train(self, train: "Dataset") -> "Splits":
        """Returns the same with other training data, such as a part of them."""
        return replace(self, train=train)


def dataset_of(examples: Iterable[Mapping[str, Any]], name: str) -> "Dataset":
    """Keeps examples in memory; writes no file.

    Args:
        examples: one mapping each, all with the same keys.
        name: where they are from, for errors.
    """
    from datasets import Dataset

    rows = [dict(example) for example in examples]
    if not rows:
        raise TextError(f"{name}: holds no example, expected one or more.")
    for number, row in enumerate(rows, start=1):
        if row.keys() != rows[0].keys():  # datasets would fill or drop them without a word
            raise TextError(
                f"{name}: example {number} has {_listed(row)}, expected {_listed(rows[0])} as the first."
            )
    return Dataset.from_list(rows)


def require_columns(dataset: "Dataset", columns: Collection[str], name: str) -> None:
    """Refuses a dataset that lacks a column.

    Raises:
        ConfigError: Says what ``name`` has and what it lacks.
    """
    missing = [column for column in columns if column not in dataset.column_names]
    if missing:
        raise ConfigError(
            f"{name}: no column {missing[0]!r}, found {_listed(dataset.column_names)}; choose a dataset "
            "for this task, or name the column in the dataset's config."
        )


def fingerprint(dataset: "Dataset") -> str:
    """Returns a SHA-256 of the examples in their order: the same data, from whatever file, give the same.

    (The library's own fingerprint is of how a dataset came to be, and differs from run to run.)
    """
    digest = hashlib.sha256()
    for first in range(0, len(dataset), _ROWS_AT_ONCE):
        for row in dataset.select(range(first, min(first + _ROWS_AT_ONCE, len(dataset)))).to_list():
            digest.update(json.dumps(row, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    return digest.hexdigest()


def subset(dataset: "Dataset", fraction: float, seed: int) -> "Dataset":
    """Returns a random part, in the order of the whole; with one seed, a smaller part is within a larger.

    Args:
        dataset: what to take from; at least one example is taken.
        fraction: more than 0, at most 1.
        seed: of the one permutation whose beginnings are the parts.
    """
    if not 0 < fraction <= 1:
        raise ConfigError(f"A training fraction of {fraction}, expected more than 0 and at most 1.")
    if fraction == 1:
        return dataset
    # RandomState, because NumPy promises that its stream never changes.
    order = np.random.RandomState(seed).permutation(len(dataset))
    return dataset.select(np.sort(order[: max(1, round(fraction * len(dataset)))]).tolist())


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "nothing"
