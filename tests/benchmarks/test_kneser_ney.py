"""The n-gram model against its definition, spelled out with dictionaries."""

import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from benchmarks.kneser_ney import KneserNey, Text, discounts, main

from elmo_bench.bilm.pretrain.corpus import END_ID, START_ID, UNKNOWN_ID, prepare

VOCABULARY = 9
"""The three markers and six words."""

Gram = tuple[int, ...]


def sentences(count: int, seed: int = 1) -> list[list[int]]:
    random = np.random.default_rng(seed)
    chance = 1 / np.arange(1, VOCABULARY - 1)
    return [
        [int(word) for word in random.choice(np.arange(2, VOCABULARY), length, p=chance / chance.sum())]
        for length in random.integers(1, 9, count)
    ]


def as_text(lines: list[list[int]]) -> Text:
    tokens = np.array([word for line in lines for word in line], np.int32)
    return Text.of(tokens, np.array([len(line) for line in lines]), VOCABULARY)


class Reference:
    """Modified Kneser-Ney, word for word as it is defined."""

    def __init__(self, lines: list[list[int]], order: int, vocabulary: int = VOCABULARY) -> None:
        occurrences: Counter[Gram] = Counter()
        words_before: defaultdict[Gram, set[int]] = defaultdict(set)
        for line in lines:
            marked = [START_ID, *line, END_ID]
            for end in range(2, len(marked) + 1):
                for begin in range(max(0, end - order), end):
                    gram = tuple(marked[begin:end])
                    occurrences[gram] += 1
                    if begin:
                        words_before[gram].add(marked[begin - 1])
        self.order, self.vocabulary = order, vocabulary
        self.counts = {
            gram: count if len(gram) == order or gram[0] == START_ID else len(words_before[gram])
            for gram, count in occurrences.items()
        }
        self.discounts = {size: self._discounts(size) for size in range(1, order + 1)}

    def _discounts(self, size: int) -> list[float]:
        n = Counter(count for gram, count in self.counts.items() if len(gram) == size)
        if not (n[1] and n[2] and n[3]):
            return [0.0, 0.5, 1.0, 1.5]
        y = n[1] / (n[1] + 2 * n[2])
        found = [0.0, 1 - 2 * y * n[2] / n[1], 2 - 3 * y * n[3] / n[2], 3 - 4 * y * n[4] / n[3]]
        return found if min(found) >= 0 else [0.0, 0.5, 1.0, 1.5]

    def probability(self, context: Gram, word: int) -> float:
        context = context[max(0, len(context) - self.order + 1) :]
        shorter = self.probability(context[1:], word) if context else 1 / (self.vocabulary - 1)
        following = [self.counts.get((*context, other), 0) for other in range(self.vocabulary)]
        if not sum(following):
            return shorter
        taken = self.discounts[len(context) + 1]
        kept = following[word] - taken[min(3, following[word])]
        lost = sum(taken[min(3, count)] for count in following)
        return (kept + lost * shorter) / sum(following)


def contexts() -> list[list[int]]:
    """Of every length up to a few, seen and unseen."""
    random = np.random.default_rng(2)
    return [[], *([int(word) for word in random.integers(2, VOCABULARY, n % 6 + 1)] for n in range(60))]


def continued(model: KneserNey, context: list[int]) -> list[float]:
    """The probability of each word that can follow a sentence's beginning."""
    lines = [[*context, word] for word in range(1, VOCABULARY)]
    found = model.probabilities(as_text(lines)).reshape(len(lines), -1)
    return [float(chance) for chance in found[:, len(context)]]


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("count", [3, 400], ids=["discounts fall back", "discounts are computed"])
def test_probabilities_are_the_definitions_and_sum_to_one(order: int, count: int) -> None:
    lines = sentences(count)
    model, reference = KneserNey(as_text(lines), order, VOCABULARY), Reference(lines, order)
    assert order < 3 or (reference.discounts[order] == [0.0, 0.5, 1.0, 1.5]) == (count == 3)
    unseen = 0
    for context in contexts():
        found = continued(model, context)
        marked = (START_ID, *context)
        assert sum(found) == pytest.approx(1, abs=1e-6)
        assert found == pytest.approx(
            [reference.probability(marked, word) for word in range(1, VOCABULARY)], rel=1e-5
        )
        unseen += not any((*marked[-order + 1 :], word) in reference.counts for word in range(VOCABULARY))
    assert order < 4 or 0 < unseen < len(contexts())


def test_word_that_never_occurs_is_still_possible() -> None:
    model = KneserNey(as_text([[3, 4], [3, 3]]), 2, VOCABULARY)
    assert min(continued(model, [8])) > 0
    assert sum(continued(model, [8])) == pytest.approx(1, abs=1e-6)


def test_discounts_of_known_counts_of_counts() -> None:
    counts = np.repeat([1, 2, 3, 4, 7], [8, 4, 2, 1, 5])
    assert discounts(counts) == pytest.approx([0, 0.5, 1.25, 2])  # Y = 8 / (8 + 2 · 4) = 0.5


def test_start_marker_in_the_text_is_an_unknown_word() -> None:
    text = as_text([[START_ID, 5, VOCABULARY]])
    assert text.words.tolist() == [START_ID, UNKNOWN_ID, 5, UNKNOWN_ID, END_ID]
    assert text.places.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("prepared", [False, True])
def test_command_counts_words_and_ends_of_sentences(
    prepared: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With floor 2 the words are a and b; c and d are unknown."""
    train, heldout, corpus = (tmp_path / name for name in ("train.txt", "heldout.txt", "corpus"))
    train.write_text("a b a\nb a c\n\na a b\n")
    heldout.write_text("a c\nd b a\n")
    if prepared:
        prepare([train], corpus, floor=2)
        main(["--corpus", str(corpus), "--heldout", str(heldout), "--order", "3"])
    else:
        main([str(train), "--floor", "2", "--heldout", str(heldout), "--order", "3"])
    reference = Reference([[3, 4, 3], [4, 3, 2], [3, 3, 4]], 3, vocabulary=5)
    predicted = [((0,), 3), ((0, 3), 2), ((3, 2), 1), ((0,), 2), ((0, 2), 4), ((2, 4), 3), ((4, 3), 1)]
    loss = -sum(math.log(reference.probability(*pair)) for pair in predicted)
    shown = capsys.readouterr().out
    assert f"perplexity {math.exp(loss / 7):.2f} over 7 predictions" in shown
