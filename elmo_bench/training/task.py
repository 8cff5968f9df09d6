"""What a task is to the engine. A folder in ``tasks/`` gives one class of this kind and its head."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import torch
from datasets import Dataset
from torch import Tensor, nn

from elmo_bench.data.batching import Batch
from elmo_bench.data.formats.text import read_sentences
from elmo_bench.data.vocabulary import Labels
from elmo_bench.features.inject import Injection
from elmo_bench.nn.words import Words

Example = dict[str, Any]
Prediction = Any
"""What a head says about one example: plain Python values, so that it can be kept as JSON."""


class Head(nn.Module, ABC):
    """The part that is a task's own: from words and injected features to a loss and to predictions."""

    @abstractmethod
    def loss(self, batch: Batch) -> Tensor:
        """The mean loss of a batch."""

    @abstractmethod
    def predict(self, batch: Batch) -> list[Prediction]:
        """One prediction for each example."""

    def penalty(self) -> Tensor:
        """What is added to every batch's loss and does not depend on the batch."""
        return torch.zeros(())


class Task(ABC):
    """Reads examples, builds a head for them, and scores what it says."""

    name: ClassVar[str]
    headline: ClassVar[str]  # the figure that decides which epoch was the best, from `score`
    view: ClassVar[str]  # what it asks a source for
    columns: ClassVar[tuple[str, ...]]  # what an example must have
    texts: ClassVar[tuple[str, ...]]  # which of the columns are token sequences

    @abstractmethod
    def fit(self, train: Iterable[Example]) -> None:
        """Learns what only the training data tells, such as the inventory of labels."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """What ``fit`` learnt, as JSON keeps it."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Takes up what ``state`` gave."""

    @abstractmethod
    def head(self, words: Words, injection: Injection) -> Head:
        """An untrained head."""

    @abstractmethod
    def targets(self, examples: Sequence[Example], batch_tokens: int) -> dict[str, Tensor]:
        """What the loss needs to know about examples padded to ``batch_tokens``."""

    @abstractmethod
    def score(self, examples: Sequence[Example], predictions: Sequence[Prediction]) -> dict[str, float]:
        """The official figures, in percent, over a whole split."""

    @abstractmethod
    def lines(self, example: Example, prediction: Prediction) -> Iterator[str]:
        """An example with its prediction, and its gold where it has some, for people to read."""

    def read_input(self, path: Path) -> Iterator[Example]:
        """New examples without gold from a user's file; by default one tokenised sentence a line."""
        for tokens in read_sentences(path):
            if tokens:
                yield {"tokens": tokens}

    def gold(self, example: Example) -> Prediction:
        """The prediction that would be right."""
        raise NotImplementedError

    def sentences(self, dataset: Dataset) -> Iterator[list[str]]:
        """Every token sequence of a split, for the vocabulary and for the biLM."""
        for column in self.texts:
            yield from dataset[column]


class LabelledTask(Task):
    """A task whose head chooses among the labels that the training data have; ``fit`` sets ``_labels``."""

    _labels: Labels

    def __init__(self, head: Callable[..., Head]) -> None:
        self._head = head

    def state(self) -> dict[str, Any]:
        return self._labels.as_dict()

    def restore(self, state: dict[str, Any]) -> None:
        self._labels = Labels.from_dict(state)

    def head(self, words: Words, injection: Injection) -> Head:
        return self._head(words, injection, self._labels.labels)
