"""Word vectors of a run: which words have a row, and what the rows start as."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_bench.data.vectors import read_vectors
from elmo_bench.data.vocabulary import FIRST_WORD, PADDING, Vocabulary

_log = logging.getLogger(__name__)

_LEARNABLE = 2
"""A word without a vector gets a row if training sees it so often; rarer ones share the unknown word's row,
which so learns what rare words have in common.
"""

Sentences = Iterable[Sequence[str]]


@dataclass(frozen=True)
class Embedded:
    """A vocabulary with the rows that its words start from."""

    vocabulary: Vocabulary
    rows: torch.Tensor  # (vocabulary, dim)
    coverage: float | None  # share of the training tokens that have a vector in the file


@dataclass(frozen=True)
class RandomVectors:
    """Rows drawn at random, with variance 1/dim."""

    dim: int
    trained: bool

    def embed(self, train: Sentences, others: Sentences, seed: int) -> Embedded:
        counts = _counts(train)
        vocabulary = Vocabulary(word for word in _ranked(counts) if counts[word] >= _LEARNABLE)
        rows = _drawn(len(vocabulary), self.dim, self.dim**-0.5, seed)
        return Embedded(vocabulary, torch.from_numpy(rows), None)


@dataclass(frozen=True)
class VectorFile:
    """Rows from a file in GloVe's or word2vec's text format; words that it lacks are drawn like its own."""

    folder: str
    file: str
    trained: bool

    def embed(self, train: Sentences, others: Sentences, seed: int) -> Embedded:
        """Words of ``others`` get a row where the file has one: vectors know more words than training."""
        counts = _counts(train)
        unseen = sorted(set(_counts(others)) - set(counts))
        vectors = read_vectors(Path(self.folder) / self.file, [*counts, *unseen])
        words = [
            *(
                word
                for word in _ranked(counts)
                if counts[word] >= _LEARNABLE or vectors.row(word) is not None
            ),
            *(word for word in unseen if vectors.row(word) is not None),
        ]
        table, found = vectors.table(words)  # (words, dim), (words,)
        rows = _drawn(FIRST_WORD + len(words), vectors.dimensions, float(table[found].std() or 1.0), seed)
        rows[FIRST_WORD:][found] = table[found]
        coverage = vectors.coverage(counts.elements()).tokens
        _log.info("%s: %.1f %% of the training tokens have a vector.", self.file, 100 * coverage)
        return Embedded(Vocabulary(words), torch.from_numpy(rows), coverage)


def _counts(sentences: Sentences) -> Counter[str]:
    return Counter(token for sentence in sentences for token in sentence)


def _ranked(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda word: (-counts[word], word))


def _drawn(count: int, dim: int, deviation: float, seed: int) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).normal(0.0, deviation, (count, dim)).astype(np.float32)
    rows[PADDING] = 0.0
    return rows
