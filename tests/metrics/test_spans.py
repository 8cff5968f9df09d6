"""Span scores, against sets of spans that are found by trying every stretch of a sentence."""

import warnings
from collections.abc import Callable, Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_bench.data.tags import Span, to_scheme
from elmo_bench.errors import TextError
from elmo_bench.metrics.spans import span_scores

Reading = Callable[[Sequence[str]], set[tuple[str, int, int]]]


def stretches(tags: Sequence[str], opens: Callable[[int], bool]) -> set[tuple[str, int, int]]:
    """Every stretch of one type that opens with an opening tag, goes on with I and cannot be longer."""
    found = set()
    for start in range(len(tags)):
        for end in range(start + 1, len(tags) + 1):
            name = tags[start][2:]
            goes_on = [position for position in range(start + 1, len(tags)) if tags[position] == f"I-{name}"]
            whole = all(position in goes_on for position in range(start + 1, end))
            if tags[start] != "O" and opens(start) and whole and end not in goes_on:
                found.add((name, start, end))
    return found


def strict(tags: Sequence[str]) -> set[tuple[str, int, int]]:
    return stretches(tags, lambda start: tags[start].startswith("B-"))


def conlleval(tags: Sequence[str]) -> set[tuple[str, int, int]]:
    """An I opens a span, too, unless what is before it is of the same type."""
    return stretches(tags, lambda n: tags[n].startswith("B-") or n == 0 or tags[n - 1][2:] != tags[n][2:])


def counted(
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    reading: Reading,
    only: str | None = None,
) -> tuple[float, float, float]:
    def spans(sentences: Sequence[Sequence[str]]) -> set[tuple[int, tuple[str, int, int]]]:
        every = {(number, span) for number, tags in enumerate(sentences) for span in reading(tags)}
        return {span for span in every if only in (None, span[1][0])}

    right, found, there = len(spans(gold) & spans(predicted)), len(spans(predicted)), len(spans(gold))
    precision, recall = right / max(found, 1), right / max(there, 1)
    return precision, recall, 2 * right / max(found + there, 1)


def check_against_sets(gold: list[list[str]], predicted: list[list[str]]) -> None:
    precision, recall, f1 = counted(gold, predicted, strict)
    types = {span[0] for tags in gold + predicted for span in strict(tags)}
    pairs = [pair for tags in zip(gold, predicted, strict=True) for pair in zip(*tags, strict=True)]
    expected = {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "f1_conlleval": counted(gold, predicted, conlleval)[2],
        "accuracy": sum(one == two for one, two in pairs) / max(len(pairs), 1),
        **{f"f1/{name}": counted(gold, predicted, strict, name)[2] for name in types},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = span_scores(gold, predicted)
    assert scores == pytest.approx({name: 100 * figure for name, figure in expected.items()})
    assert {type(figure) for figure in scores.values()} == {float}


TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


@pytest.mark.parametrize("gold", [["B-PER", "I-PER", "B-LOC"], ["O", "B-PER", "B-PER"], ["O", "O", "O"]])
def test_every_short_prediction_is_scored_as_sets_of_spans_are(gold: list[str]) -> None:
    for predicted in product(TAGS, repeat=3):
        check_against_sets([gold], [list(predicted)])


MARKS = st.lists(
    st.tuples(st.sampled_from(["O", "PER", "LOC", "creative-work"]), st.integers(1, 3)), max_size=6
)


@settings(deadline=None)
@given(st.data())
def test_corpora_are_scored_as_sets_of_spans_are(data: st.DataObject) -> None:
    gold, predicted = [], []
    for marks in data.draw(st.lists(MARKS, max_size=5)):
        spans, length = [], 0
        for name, tokens in marks:
            if name != "O":
                spans.append(Span(name, length, length + tokens))
            length += tokens
        tags = to_scheme(spans, length, "IOB2")
        gold.append(tags)
        predicted.append([data.draw(st.sampled_from([tag, *TAGS])) for tag in tags])
    check_against_sets(gold, predicted)


@pytest.mark.parametrize(
    ("gold", "predicted", "f1", "f1_conlleval"),
    [
        ("B-PER I-PER O", "B-PER I-PER O", 100.0, 100.0),
        ("B-PER I-PER O", "I-PER I-PER O", 0.0, 100.0),
        ("B-PER I-PER O B-LOC", "I-PER I-PER O B-LOC", 200 / 3, 100.0),
        ("B-PER B-LOC", "B-PER I-LOC", 200 / 3, 100.0),
        ("B-PER I-PER", "B-PER I-LOC", 0.0, 0.0),
        ("B-PER I-PER", "B-PER O", 0.0, 0.0),
        ("B-PER I-PER", "B-PER B-PER", 0.0, 0.0),
        ("B-PER I-PER", "B-LOC I-LOC", 0.0, 0.0),
        ("O B-PER", "O I-PER", 0.0, 100.0),
        ("O O", "O O", 0.0, 0.0),
    ],
    ids=[
        "perfect",
        "I opens a span for conlleval",
        "only the stray span is lost",
        "change of type opens a span for conlleval",
        "change of type ends a span",
        "too short",
        "two for one",
        "wrong type",
        "stray I after O",
        "nothing to find",
    ],
)
def test_both_readings_of_a_prediction(gold: str, predicted: str, f1: float, f1_conlleval: float) -> None:
    scores = span_scores([gold.split()], [predicted.split()])
    assert (scores["f1"], scores["f1_conlleval"]) == pytest.approx((f1, f1_conlleval))


def test_spans_do_not_reach_into_the_next_sentence() -> None:
    scores = span_scores([["B-PER"], ["O"]], [["B-PER"], ["I-PER"]])
    assert (scores["f1"], scores["recall"], scores["accuracy"]) == (100.0, 100.0, 50.0)


@pytest.mark.parametrize("nothing", [[], [[]], [[], []]])
def test_nothing_scores_zero_quietly(nothing: list[list[str]]) -> None:
    check_against_sets(nothing, nothing)


def test_number_of_sentences_must_agree() -> None:
    with pytest.raises(TextError, match="1 sentences were predicted, expected 2"):
        span_scores([["O"], ["O"]], [["O"]])


def test_number_of_tags_must_agree() -> None:
    with pytest.raises(TextError, match="Sentence 2: 3 tags were predicted, expected 1"):
        span_scores([["O"], ["O"]], [["O"], ["O", "O", "O"]])


def test_gold_must_be_iob2() -> None:
    with pytest.raises(TextError, match=r"Sentence 1: its gold tags are not IOB2 \(I-PER after O\)"):
        span_scores([["O", "I-PER"]], [["O", "O"]])
