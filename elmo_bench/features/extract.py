"""Sentences → layers: equal sentences computed once, long ones beside long ones, every core busy, memory
bounded.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from elmo_bench.bilm.frozen import FrozenBiLM, Layers, Running, State, Tokens
from elmo_bench.bilm.start import CarriedState
from elmo_bench.errors import TextError
from elmo_bench.progress import TokenReport

BATCH_TOKENS = 2048
"""How many tokens share a batch unless the caller says how many sentences do."""

WINDOW_BYTES = 64 << 20
"""How much of the result is held while sentences wait to be put back in order."""


def extract(
    bilm: FrozenBiLM,
    sentences: Iterable[Tokens],
    start: State,
    batch_sentences: int | None,
    report: TokenReport,
) -> Iterator[Layers]:
    """Yields the layers of each sentence, in order, each starting from the one row of ``start``."""
    windows: deque[_Window] = deque()

    def tasks() -> Iterator[tuple[_Window, list[int]]]:
        for window_sentences in _windows(sentences, _window_tokens(bilm)):
            window = _Window(bilm, window_sentences)
            windows.append(window)
            for batch in window.batches(batch_sentences):
                yield window, batch
            # A window without a batch (only empty sentences) still has to be given out in its turn.
            yield window, []

    # While the caller works on one window, the next one's first batches are already under way.
    running: deque[tuple[_Window, list[int], Running | None]] = deque()
    pending = tasks()
    while True:
        for window, batch in islice(pending, _batches_ahead(bilm) - len(running)):
            running.append((window, batch, window.submit(batch, start) if batch else None))
        if not running:
            return
        window, batch, under_way = running.popleft()
        if under_way is None:
            report(window.empty, 0)
            yield from windows.popleft().in_order()
            continue
        report(*window.finish(batch, under_way.layers()))


def extract_carrying(
    bilm: FrozenBiLM,
    sentences: Iterable[Tokens],
    carried: CarriedState,
    batch_sentences: int,
    report: TokenReport,
) -> Iterator[Layers]:
    """Yields layers as published: batches in order, each row starting where it last ended."""
    for batch in _chunks(sentences, batch_sentences):
        running = bilm.submit(batch, carried.rows(len(batch)), keep_state=True)
        carried.keep(running.state())
        report(len(batch), sum(map(len, batch)))
        yield from running.layers()


class _Window:
    """Consecutive sentences whose results are put back in order together."""

    def __init__(self, bilm: FrozenBiLM, sentences: list[Tokens]) -> None:
        self._bilm, self._sentences = bilm, sentences
        first_seen: dict[tuple[str, ...], int] = {}
        self._first = [first_seen.setdefault(tuple(words), number) for number, words in enumerate(sentences)]
        self._copies = np.bincount(self._first, minlength=len(sentences))
        self._found: dict[int, Layers] = {}
        self.empty = sum(not words for words in sentences)

    def batches(self, batch_sentences: int | None) -> Iterator[list[int]]:
        """Numbers of distinct sentences that run together, from the longest to the shortest."""
        distinct = [number for number in dict.fromkeys(self._first) if self._sentences[number]]
        distinct.sort(key=lambda number: -len(self._sentences[number]))
        batch: list[int] = []
        tokens = 0
        for number in distinct:
            length = len(self._sentences[number])
            full = len(batch) == batch_sentences if batch_sentences else tokens + length > BATCH_TOKENS
            if batch and full:
                yield batch
                batch, tokens = [], 0
            batch.append(number)
            tokens += length
        if batch:
            yield batch

    def submit(self, batch: list[int], start: State) -> Running:
        rows = start.map(lambda tensor: tensor.expand(len(batch), -1))
        return self._bilm.submit([self._sentences[number] for number in batch], rows)

    def finish(self, batch: list[int], layers: list[Layers]) -> tuple[int, int]:
        self._found.update(zip(batch, layers, strict=True))
        copies = self._copies[batch]
        return int(copies.sum()), int(copies @ [len(self._sentences[number]) for number in batch])

    def in_order(self) -> Iterator[Layers]:
        empty = np.empty((self._bilm.depth, 0, 2 * self._bilm.options.projection), dtype=np.float32)
        last = {first: number for number, first in enumerate(self._first)}
        for number, first in enumerate(self._first):
            if not self._sentences[number]:
                yield empty.copy()
            elif last[first] == number:
                yield self._found.pop(first)
            else:
                yield self._found[first].copy()


def _batches_ahead(bilm: FrozenBiLM) -> int:
    """Enough for every worker to have a direction to run while the next batch is being prepared."""
    return bilm.workers // 2 + 1


def _window_tokens(bilm: FrozenBiLM) -> int:
    return max(1, WINDOW_BYTES // (bilm.depth * 2 * bilm.options.projection * 4))


def _windows(sentences: Iterable[Tokens], tokens: int) -> Iterator[list[Tokens]]:
    window: list[Tokens] = []
    count = 0
    for sentence in _checked(sentences):
        window.append(sentence)
        count += len(sentence) + 1  # so that a file of empty lines ends a window, too
        if count >= tokens:
            yield window
            window, count = [], 0
    if window:
        yield window


def _chunks(sentences: Iterable[Tokens], size: int) -> Iterator[list[Tokens]]:
    rest = _checked(sentences)
    while chunk := list(islice(rest, size)):
        yield chunk


def _checked(sentences: Iterable[Tokens]) -> Iterator[Tokens]:
    for number, sentence in enumerate(sentences):
        if isinstance(sentence, str) or not hasattr(sentence, "__len__"):
            raise TextError(
                f"Sentence {number} is {_shown(sentence)}, expected a list of tokens: "
                "split a string first, for example with .split()."
            )
        if not all(isinstance(token, str) for token in sentence):
            raise TextError(f"Sentence {number} ({_shown(sentence)}) holds a token that is not a string.")
        yield sentence


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
