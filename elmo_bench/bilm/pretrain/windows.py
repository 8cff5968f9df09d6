"""A corpus as streams of sentences, cut into windows for truncated back-propagation.

Every stream is an endless text. The forward direction reads it as it is; the backward direction reads the
same sentences in the same order, each reversed within itself, so that both can carry their state on.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_bench.bilm.pretrain.corpus import END_ID, START_ID, UNKNOWN_ID, Corpus
from elmo_bench.errors import TextError

_SHARD_SENTENCES = 1_000_000
"""Sentences are shuffled within shards of this size, which fit the memory that files are cached in."""

NO_TARGET = -1
"""After a sentence's last marker comes another sentence's first: nothing to predict."""


class Window(NamedTuple):
    """A step's worth of every stream: ``words`` and ``targets`` (2 directions, steps, streams)."""

    words: Tensor
    targets: Tensor


class Streams:
    """The windows of one process: any of them can be had at any time, so a run can go on where it stopped."""

    def __init__(
        self, corpus: Corpus, *, streams: int, steps: int, seed: int, rank: int = 0, world: int = 1
    ) -> None:
        self._corpus, self._count, self._steps, self._seed = corpus, streams, steps, seed
        self._first, self._all = rank * streams, world * streams
        self._lengths = corpus.lengths()
        if len(self._lengths) < self._all:
            raise TextError(
                f"{corpus.folder}: {len(self._lengths)} sentences are too few for {self._all} streams; "
                "use fewer streams or more text."
            )
        self._epoch = -1
        # A stream that gets a little less than its share starts again; all processes count alike.
        self.windows_per_epoch = max(1, int((self._lengths + 2).sum()) // self._all // steps)

    @property
    def layout(self) -> dict[str, int]:
        """What decides which words a window holds."""
        sizes = self._corpus.sizes
        return {
            "streams": self._count,
            "steps": self._steps,
            "devices": self._all // self._count,
            "seed": self._seed,
            "sentences": sizes.sentences,
            "tokens": sizes.tokens,
            "vocabulary": sizes.vocabulary,
        }

    @property
    def tokens_per_window(self) -> int:
        """Tokens and markers that a window holds; each is read in both directions."""
        return self._count * self._steps

    def window(self, number: int) -> Window:
        """The window ``number``, counted from the start of training."""
        epoch, within = divmod(number, self.windows_per_epoch)
        self._open(epoch)
        words = np.empty((2, self._count, self._steps), np.int32)
        targets = np.empty((2, self._count, self._steps), np.int64)
        for stream in range(self._count):
            words[:, stream], targets[:, stream] = self._read(stream, within * self._steps)
        known = self._corpus.sizes.vocabulary
        targets[targets >= known] = UNKNOWN_ID
        return Window(
            *(torch.from_numpy(part).long().transpose(1, 2).contiguous() for part in (words, targets))
        )

    def _open(self, epoch: int) -> None:
        """Deals the sentences, shuffled anew for each epoch, to the streams."""
        if epoch == self._epoch:
            return
        random = np.random.default_rng([self._seed, epoch])
        shards = np.array_split(np.arange(len(self._lengths)), -(-len(self._lengths) // _SHARD_SENTENCES))
        order = np.concatenate(
            [random.permutation(shards[shard]) for shard in random.permutation(len(shards))]
        )
        self._sentences = [
            order[number :: self._all] for number in range(self._first, self._first + self._count)
        ]
        self._ends = [np.cumsum(self._lengths[sentences] + 2) for sentences in self._sentences]
        self._epoch = epoch

    def _read(self, stream: int, position: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Words and targets (2, steps) of a stream from a position on; a stream that ends starts again."""
        sentences, ends = self._sentences[stream], self._ends[stream]
        position %= int(ends[-1])
        number = int(np.searchsorted(ends, position, side="right"))
        skip = position - (int(ends[number - 1]) if number else 0)
        parts: list[NDArray[np.int32]] = []
        have = -skip
        while have < self._steps + 1:
            sentence = sentences[number % len(sentences)]
            end = self._corpus.ends[sentence]
            tokens = self._corpus.tokens[end - self._lengths[sentence] : end]
            forward = np.concatenate([[START_ID], tokens, [END_ID]]).astype(np.int32)
            parts.append(np.stack([forward, forward[::-1]]))
            have += len(forward)
            number += 1
        text = np.concatenate(parts, axis=1)[:, skip : skip + self._steps + 1]  # (2, steps + 1)
        words, targets = text[:, :-1], text[:, 1:].astype(np.int64)
        last_marker = np.array([[END_ID], [START_ID]])
        targets[words == last_marker] = NO_TARGET
        return words, targets
