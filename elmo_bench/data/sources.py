"""Where examples come from: the Hugging Face hub, files on this machine, the generated microworld.

A task asks for a *view*: the examples of one kind of annotation ("ner", "pos", …). The microworld has them
all; a file or a hub dataset has the one that its config was written for.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from elmo_bench.data.hub import Hub
from elmo_bench.data.splits import Splits, dataset_of, fingerprint, require_columns, subset

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = [
    "Hub",
    "LocalFiles",
    "Microworld",
    "Source",
    "Splits",
    "fingerprint",
    "require_columns",
    "subset",
]


class Source(Protocol):
    """What every dataset config makes."""

    @property
    def name(self) -> str:
        """What tables call the data."""

    def load(self, view: str) -> Splits:
        """Returns the examples of a view."""


@dataclass(frozen=True)
class Microworld:
    """A generated corpus with gold labels for every task: needs no file and no network."""

    train: int
    validation: int
    test: int
    seed: int = 0
    name: str = "microworld"

    def load(self, view: str) -> Splits:
        world = importlib.import_module("elmo_bench.data.microworld")
        train, validation, test = (
            dataset_of(world.examples(view, split, count, self.seed), f"{self.name}, {view}, {split}")
            for split, count in (("train", self.train), ("validation", self.validation), ("test", self.test))
        )
        return Splits(train, validation, test)


@dataclass(frozen=True)
class LocalFiles:
    """Files on this machine, in any format that has a reader.

    Args:
        name: what tables call the data.
        folder: where the files are; ``~`` is the home folder.
        train, validation: files in it.
        test: a file, or None if there is none.
        read: path → examples; in a config, one of ``elmo_bench.data.formats`` with ``_partial_: true``.
    """

    name: str
    folder: str
    train: str
    validation: str
    test: str | None
    read: Callable[[Path], Iterable[Mapping[str, Any]]]

    def load(self, view: str) -> Splits:
        test = self._examples(self.test) if self.test else None
        return Splits(self._examples(self.train), self._examples(self.validation), test)

    def _examples(self, file: str) -> "Dataset":
        path = Path(self.folder).expanduser() / file
        return dataset_of(self.read(path), str(path))
