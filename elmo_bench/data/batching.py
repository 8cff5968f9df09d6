"""Examples → batches: which examples go together, and their words as tensors."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_bench.bilm.characters import character_ids
from elmo_bench.data.vocabulary import Vocabulary

Tokens = Sequence[str]

_SHUFFLED_TOGETHER = 50
"""Batches whose examples are sorted by length among themselves: enough to fill batches with equal lengths,
few enough to keep an epoch's order random.
"""


@dataclass(frozen=True)
class Text:
    """One text of each example of a batch, as a head sees it."""

    words: Tensor  # (batch, tokens): numbers in the vocabulary
    spelling: Tensor  # (batch, tokens): which row of `characters` spells the word
    characters: Tensor  # (distinct words, characters)
    mask: Tensor  # (batch, tokens): where a token is
    layers: Tensor  # (real tokens, depth, width): features, row after row of the mask

    @property
    def lengths(self) -> Tensor:
        """(batch,): tokens of each example."""
        return self.mask.sum(1)

    def to(self, device: torch.device, non_blocking: bool = False) -> "Text":
        moved = {name: tensor.to(device, non_blocking=non_blocking) for name, tensor in vars(self).items()}
        return Text(**moved)


@dataclass(frozen=True)
class Batch:
    """Some examples: their numbers in the dataset, their texts by name, and what the loss needs."""

    numbers: Tensor  # (batch,)
    texts: dict[str, Text]
    targets: dict[str, Tensor]

    def to(self, device: torch.device, non_blocking: bool = False) -> "Batch":
        """The numbers stay where they are: nothing is computed from them."""

        def moved(parts: dict[str, Any]) -> dict[str, Any]:
            return {name: part.to(device, non_blocking=non_blocking) for name, part in parts.items()}

        return Batch(self.numbers, moved(self.texts), moved(self.targets))


class Features(Protocol):
    """Frozen layers of sentences, wherever they come from."""

    def prepare(self, sentences: Iterable[Tokens]) -> None: ...

    def read(self, sentences: Sequence[Tokens]) -> NDArray[Any]:
        """(all tokens, depth, width), sentence after sentence."""
        ...


class NoFeatures:
    """For a baseline: nothing is computed, stored or read."""

    def prepare(self, sentences: Iterable[Tokens]) -> None:
        pass

    def read(self, sentences: Sequence[Tokens]) -> NDArray[Any]:
        return np.empty((sum(map(len, sentences)), 0, 0), np.float32)


class TextBatcher:
    """Turns token sequences into a ``Text``."""

    def __init__(self, vocabulary: Vocabulary, features: Features) -> None:
        self._vocabulary, self._features = vocabulary, features
        self._spellings: dict[str, NDArray[np.int64]] = {}

    def __call__(self, sentences: Sequence[Tokens]) -> Text:
        lengths = np.array([len(sentence) for sentence in sentences])
        mask = np.arange(max(1, lengths.max())) < lengths[:, None]  # (batch, tokens)
        words, spelling = np.zeros(mask.shape, np.int64), np.zeros(mask.shape, np.int64)
        tokens = [token for sentence in sentences for token in sentence]
        distinct = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
        words[mask] = self._vocabulary.ids(tokens)
        spelling[mask] = [distinct[token] for token in tokens]
        return Text(
            words=torch.from_numpy(words),
            spelling=torch.from_numpy(spelling),
            characters=torch.from_numpy(self._characters(list(distinct))),
            mask=torch.from_numpy(mask),
            layers=torch.from_numpy(self._features.read(sentences)),
        )

    def _characters(self, words: list[str]) -> NDArray[np.int64]:
        """(words, longest of them in characters), as the biLM spells them."""
        unknown = [word for word in words if word not in self._spellings]
        self._spellings.update(zip(unknown, character_ids(unknown), strict=True))
        spelled = np.stack([self._spellings[word] for word in words])
        longest = max(len(word.encode("utf-8", "ignore")) for word in words) + 2
        return spelled[:, :longest]


class BatchPlan:
    """Which examples make up each batch of an epoch; the same for the same seed, epoch and process."""

    def __init__(
        self,
        lengths: Sequence[int],
        *,
        examples: int,
        tokens: int | None = None,
        most: int | None = None,
        seed: int = 0,
    ) -> None:
        """A batch holds at most ``examples`` and, if given, at most ``tokens`` with its padding.

        ``most``: batches for each process; the rest is left out.
        """
        self._lengths = np.asarray(lengths)
        self._examples, self._tokens, self._most, self._seed = examples, tokens, most, seed
        self._batches_of: dict[int, int] = {}

    def epoch(self, number: int, rank: int = 0, world: int = 1) -> list[NDArray[np.int64]]:
        """The batches of one epoch for one process; every process gets the same number of them."""
        random = np.random.default_rng([self._seed, number])
        order = random.permutation(len(self._lengths))
        pool = self._examples * _SHUFFLED_TOGETHER
        batches = [
            batch for begin in range(0, len(order), pool) for batch in self._cut(order[begin : begin + pool])
        ]
        shuffled = [batches[place] for place in random.permutation(len(batches))]
        shuffled += islice(cycle(shuffled), -len(shuffled) % world)
        return shuffled[rank::world][: self._most]

    def batches_before(self, epoch: int, world: int = 1) -> int:
        """How many batches a process has seen when ``epoch`` begins."""
        for number in range(len(self._batches_of), epoch):
            self._batches_of[number] = len(self.epoch(number, 0, world))
        return sum(self._batches_of[number] for number in range(epoch))

    def in_order(self, rank: int = 0, world: int = 1) -> list[NDArray[np.int64]]:
        """Every example once, long beside long, for evaluation: each process its share."""
        return list(self._cut(np.arange(len(self._lengths))))[rank::world][: self._most]

    def _cut(self, numbers: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Sorts by length and cuts into batches."""
        numbers = numbers[np.argsort(self._lengths[numbers], kind="stable")]
        begin = 0
        for end, number in enumerate(numbers):
            # The newest example is the longest so far, so it decides the padded size.
            padded = int(self._lengths[number]) * (end - begin + 1)
            full = end - begin == self._examples or (self._tokens is not None and padded > self._tokens)
            if full and end > begin:
                yield numbers[begin:end]
                begin = end
        if begin < len(numbers):
            yield numbers[begin:]
