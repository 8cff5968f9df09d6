"""What an n-gram model makes of a text: interpolated modified Kneser-Ney, to compare a biLM with.

python tests/benchmarks/kneser_ney.py train-*.txt.xz --heldout heldout.txt.xz

It reads, counts and predicts as ``elmo-bench perplexity`` does: each word and the end of each sentence,
words outside the vocabulary as the unknown word. After Chen and Goodman (1999): three discounts for each
order, from the counts of counts; below the highest order, an n-gram counts as often as there are different
words before it. What begins with a sentence has none before it, and counts as often as it occurs.
"""

import argparse
import math
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from elmo_bench.bilm.pretrain.corpus import (
    END_ID,
    START_ID,
    UNKNOWN_ID,
    Corpus,
    bytes_to_read,
    prepare,
    read_lines,
)
from elmo_bench.errors import ElmoBenchError, TextError
from elmo_bench.progress import byte_progress, step_progress

Integers = NDArray[np.int32]

_FALLBACK = (0.0, 0.5, 1.0, 1.5)
"""Discounts where a text is so small that its counts of counts give none."""


class Text(NamedTuple):
    """Sentences with their markers, in a row: word numbers, and how far into its sentence each is."""

    words: Integers
    places: NDArray[np.int16]

    @classmethod
    def of(cls, tokens: Integers, lengths: NDArray[np.int64], vocabulary: int) -> "Text":
        ends = np.cumsum(lengths + 2)
        starts = ends - lengths - 2
        places = np.arange(ends[-1], dtype=np.int32) - np.repeat(starts.astype(np.int32), lengths + 2)
        inside = np.ones(ends[-1], bool)
        inside[starts] = inside[ends - 1] = False
        words = np.empty(ends[-1], np.int32)
        # A text may spell the start marker out; as a word it is unknown, since it is never predicted.
        words[inside] = np.where((tokens >= vocabulary) | (tokens == START_ID), UNKNOWN_ID, tokens)
        words[starts], words[ends - 1] = START_ID, END_ID
        return cls(words, places.astype(np.int16))


@dataclass
class Grams:
    """The distinct n-grams of a text, sorted, which also numbers them.

    Attributes:
        keys: (grams,) the number of the first n - 1 words, as a shorter n-gram, times vocabulary, plus the
            last word.
        counts: (grams,) how often each occurs.
        where: (grams,) a position at which each ends.
        numbers: (positions,) of the n-gram that ends there, -1 where the sentence is too short for one.
    """

    keys: NDArray[np.int64]
    counts: Integers
    where: Integers
    numbers: Integers

    @classmethod
    def of(cls, text: Text, size: int, contexts: Integers, vocabulary: int) -> "Grams":
        """``contexts``: (positions,) numbers of the n-grams of ``size - 1`` words."""
        at = np.flatnonzero(text.places >= size - 1).astype(np.int32)
        keys = contexts[at - 1].astype(np.int64)
        keys *= vocabulary
        keys += text.words[at]
        order = np.argsort(keys)
        at = at[order]
        keys = keys[order]
        del order  # as large as the keys
        new = np.empty(len(keys), bool)
        new[0], new[1:] = True, keys[1:] != keys[:-1]
        numbers = np.full(len(text.words), -1, np.int32)
        numbers[at] = np.cumsum(new, dtype=np.int32) - 1
        first = np.flatnonzero(new)
        counts = np.diff(first, append=len(keys)).astype(np.int32)
        return cls(keys[first], counts, at[first], numbers)


@dataclass
class Order:
    """The n-grams of one size, as predictions.

    Attributes:
        keys: as those of ``Grams``.
        share: (grams,) of their context's predictions, discounted.
        rest: (shorter grams,) what each, as a context, leaves to shorter contexts.
    """

    keys: NDArray[np.int64]
    share: NDArray[np.float32]
    rest: NDArray[np.float32]

    @classmethod
    def of(cls, keys: NDArray[np.int64], counts: Integers, contexts: int, vocabulary: int) -> "Order":
        before = keys // vocabulary
        removed = discounts(counts)[np.minimum(counts, 3)]
        total = np.bincount(before, counts, contexts).astype(np.float32)
        lost = np.bincount(before, removed, contexts).astype(np.float32)
        share = counts.astype(np.float32) - removed
        share /= total[before]
        rest = np.divide(lost, total, out=np.ones_like(lost), where=total > 0)  # nothing follows an end
        return cls(keys, share, rest)


class KneserNey:
    """An n-gram language model."""

    def __init__(
        self, text: Text, order: int, vocabulary: int, step: Callable[[], None] = lambda: None
    ) -> None:
        """``vocabulary``: the number of words, with the markers. ``step`` is called after each order."""
        self._vocabulary = vocabulary
        self._orders: list[Order] = []
        grams, shorter = Grams.of(text, 1, np.zeros(len(text.words), np.int32), vocabulary), 1
        for size in range(1, order + 1):
            keys, counts = grams.keys, grams.counts
            if size < order:
                longer = Grams.of(text, size + 1, grams.numbers, vocabulary)
                kinds = np.bincount(grams.numbers[longer.where], minlength=len(keys)).astype(np.int32)
                counts = np.where(text.places[grams.where] == size - 1, counts, kinds)
                grams = longer
            if size == 1:
                counts[keys == START_ID] = 0
            self._orders.append(Order.of(keys, counts, shorter, vocabulary))
            shorter = len(keys)
            step()

    @property
    def sizes(self) -> list[int]:
        """How many distinct n-grams of each size there are."""
        return [len(order.keys) for order in self._orders]

    def probabilities(self, text: Text) -> NDArray[np.float64]:
        """Of each word and end of sentence (predictions,), in the order of the text."""
        chance = np.full(len(text.words), 1 / (self._vocabulary - 1))  # the start is never predicted
        numbers = np.zeros(len(text.words), np.int64)
        for size, order in enumerate(self._orders, 1):
            contexts = np.roll(numbers, 1)
            at = np.flatnonzero((contexts >= 0) & (text.places >= size - 1))
            chance[at] *= order.rest[contexts[at]]
            keys = contexts[at] * self._vocabulary + text.words[at]
            found = np.minimum(np.searchsorted(order.keys, keys), len(order.keys) - 1)
            seen = order.keys[found] == keys
            chance[at[seen]] += order.share[found[seen]]
            numbers = np.full(len(text.words), -1, np.int64)
            numbers[at[seen]] = found[seen]
        return chance[text.places > 0]


def discounts(counts: Integers) -> NDArray[np.float32]:
    """What is taken off a count of 0, 1, 2, and 3 or more."""
    once, twice, thrice, four = (int((counts == count).sum()) for count in range(1, 5))
    if min(once, twice, thrice) == 0:
        return np.array(_FALLBACK, np.float32)
    scale = once / (once + 2 * twice)
    found = [
        0.0,
        1 - 2 * scale * twice / once,
        2 - 3 * scale * thrice / twice,
        3 - 4 * scale * four / thrice,
    ]
    return np.array(found if min(found) >= 0 else _FALLBACK, np.float32)


def perplexity(model: KneserNey, text: Text) -> tuple[int, float]:
    """Returns the number of predictions as well."""
    probabilities = model.probabilities(text)
    return len(probabilities), math.exp(-np.log(probabilities).mean())


def read_training_text(files: Sequence[Path], folder: Path | None, floor: int) -> tuple[Text, list[str]]:
    """Opens the prepared corpus in ``folder``, or prepares one from text. Returns its vocabulary, too."""
    if folder is not None:
        return _training_text(Corpus(folder))
    with (
        tempfile.TemporaryDirectory() as temporary,
        byte_progress("numbering the words", bytes_to_read(files)) as report,
    ):
        return _training_text(prepare(files, Path(temporary), floor=floor, report=report))


def _training_text(corpus: Corpus) -> tuple[Text, list[str]]:
    return Text.of(corpus.tokens, corpus.lengths(), corpus.sizes.vocabulary), corpus.vocabulary


def read_heldout_text(file: Path, vocabulary: Sequence[str]) -> Text:
    numbers = {word: number for number, word in enumerate(vocabulary)}
    sentences = [line for line in read_lines([file]) if isinstance(line, list)]
    if not sentences:
        raise TextError(f"{file}: no usable sentence; expected one tokenised sentence a line.")
    tokens = [numbers.get(word, UNKNOWN_ID) for sentence in sentences for word in sentence]
    return Text.of(np.array(tokens, np.int32), np.array(list(map(len, sentences))), len(vocabulary))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("train", nargs="*", type=Path, help="text, one tokenised sentence a line")
    parser.add_argument("--corpus", type=Path, help="instead of text: the corpus of a pretraining run")
    parser.add_argument("--heldout", type=Path, required=True, help="the text to predict")
    parser.add_argument("--floor", type=int, help="a rarer word is unknown [default: 3, or the corpus's]")
    parser.add_argument("--order", type=int, default=5, help="the longest n-gram [default: 5]")
    chosen = parser.parse_args(arguments)
    if bool(chosen.train) == bool(chosen.corpus) or (chosen.corpus and chosen.floor) or chosen.order < 1:
        parser.error("expected text files or --corpus without --floor, and an --order of 1 or more")
    begin = time.perf_counter()
    text, vocabulary = read_training_text(chosen.train, chosen.corpus, chosen.floor or 3)
    with step_progress("counting n-grams", chosen.order) as step:
        model = KneserNey(text, chosen.order, len(vocabulary), step)
    predictions, found = perplexity(model, read_heldout_text(chosen.heldout, vocabulary))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    Console(soft_wrap=True).print(
        f"order {chosen.order}, vocabulary {len(vocabulary):,}, "
        f"n-grams: {' + '.join(f'{size:,}' for size in model.sizes)}\n"
        f"perplexity {found:.2f} over {predictions:,} predictions\n"
        f"{time.perf_counter() - begin:.0f} s, {megabytes:,.0f} MB at most"
    )


if __name__ == "__main__":
    try:
        main()
    except ElmoBenchError as error:
        sys.exit(f"Error: {error}")
