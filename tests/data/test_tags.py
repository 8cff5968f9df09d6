"""Tag schemes, against slow definitions that share nothing with them.

The oracle starts from spans: it lists every way to mark spans in a sentence, and writes each by the words
of the scheme's definition. A sequence is possible if it is among what was written.
"""

from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import IOB2, Entities

from elmo_bench.data.tags import (
    SCHEMES,
    Problem,
    Scheme,
    Span,
    as_scheme,
    check,
    convert,
    detect,
    spans,
    to_scheme,
    transitions,
)
from elmo_bench.errors import ConfigError, TextError

TYPES = ("PER", "LOC")
LONGEST = 4
ALPHABET = {
    "IOB1": ["O", *(f"{prefix}-{name}" for prefix in "BI" for name in TYPES)],
    "IOB2": ["O", *(f"{prefix}-{name}" for prefix in "BI" for name in TYPES)],
    "BIOUL": ["O", *(f"{prefix}-{name}" for prefix in "BIUL" for name in TYPES)],
}


def markings(length: int, start: int = 0) -> Iterator[list[Span]]:
    """Every set of spans that do not overlap, each by the order of its tokens."""
    if start == length:
        yield []
        return
    yield from markings(length, start + 1)
    for end in range(start + 1, length + 1):
        for name in TYPES:
            for rest in markings(length, end):
                yield [Span(name, start, end), *rest]


def letter(marked: list[Span], position: int, scheme: str) -> str:
    """The tag of one token, straight from the definition."""
    span = next((span for span in marked if span.start <= position < span.end), None)
    if span is None:
        return "O"
    first, last = position == span.start, position == span.end - 1
    if scheme == "BIOUL":
        prefix = "U" if first and last else "B" if first else "L" if last else "I"
    elif scheme == "IOB2":
        prefix = "B" if first else "I"
    else:
        touched = any(other.end == span.start and other.type == span.type for other in marked)
        prefix = "B" if first and touched else "I"
    return f"{prefix}-{span.type}"


def table(scheme: str) -> dict[tuple[str, ...], list[Span]]:
    return {
        tuple(letter(marked, position, scheme) for position in range(length)): marked
        for length in range(LONGEST + 1)
        for marked in markings(length)
    }


TABLES = {scheme: table(scheme) for scheme in SCHEMES}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_short_sequence_is_possible_or_not_as_the_definition_says(scheme: Scheme) -> None:
    possible = TABLES[scheme]
    for length in range(LONGEST + 1):
        for tags in product(ALPHABET[scheme], repeat=length):
            assert (check(tags, scheme) is None) == (tags in possible), tags


@pytest.mark.parametrize("scheme", SCHEMES)
def test_spans_are_those_that_were_marked(scheme: Scheme) -> None:
    for tags, marked in TABLES[scheme].items():
        assert spans(tags, scheme) == marked
        assert to_scheme(reversed(marked), len(tags), scheme) == list(tags)


@pytest.mark.parametrize("target", SCHEMES)
@pytest.mark.parametrize("source", SCHEMES)
def test_conversion_keeps_the_spans(source: Scheme, target: Scheme) -> None:
    for tags, marked in TABLES[source].items():
        expected = [letter(marked, position, target) for position in range(len(tags))]
        assert convert(tags, source, target) == expected


@pytest.mark.parametrize("scheme", SCHEMES)
def test_transitions_allow_exactly_the_possible_sequences(scheme: Scheme) -> None:
    labels = ALPHABET[scheme][::-1]
    start, end, pairs = transitions(labels, scheme)
    assert (start.shape, end.shape, pairs.shape) == ((len(labels),), (len(labels),), (len(labels),) * 2)
    for length in range(1, LONGEST + 1):
        for path in product(range(len(labels)), repeat=length):
            allowed = start[path[0]] and end[path[-1]] and all(pairs[a, b] for a, b in pairwise(path))
            assert allowed == (tuple(labels[number] for number in path) in TABLES[scheme])


def test_transitions_over_some_of_the_labels_are_a_part_of_those_over_all() -> None:
    labels = ["B-PER", "O", "L-PER"]
    start, end, pairs = transitions(labels, "BIOUL")
    assert start.tolist() == [True, True, False]
    assert end.tolist() == [False, True, True]
    assert pairs.tolist() == [[False, False, True], [True, True, False], [True, True, False]]


def test_labels_of_another_scheme_have_no_transitions() -> None:
    with pytest.raises(TextError, match="'U-PER' is no IOB2 tag"):
        transitions(["O", "U-PER"], "IOB2")


def test_sequences_with_a_span_belong_to_one_scheme() -> None:
    for scheme in SCHEMES:
        for tags, marked in TABLES[scheme].items():
            assert detect([["O"], tags, ["O"]]) == (scheme if marked else None)


def test_no_scheme_is_detected_in_a_mixture() -> None:
    assert detect([["B-PER"], ["I-PER"]]) is None
    assert detect([["B-PER", "O"], ["U-PER"]]) is None
    assert detect([]) is None


@pytest.mark.parametrize(
    ("tags", "scheme", "position", "reason"),
    [
        (["O", "I-PER"], "IOB2", 1, "I-PER after O"),
        (["I-PER"], "IOB2", 0, "I-PER at the start"),
        (["B-PER", "I-PER", "I-LOC"], "IOB2", 2, "I-LOC after I-PER"),
        (["O", "B-PER"], "IOB1", 1, "B-PER after O"),
        (["I-LOC", "B-PER"], "IOB1", 1, "B-PER after I-LOC"),
        (["O", "B-PER", "I-PER"], "BIOUL", 2, "I-PER at the end"),
        (["B-PER", "O"], "BIOUL", 1, "O after B-PER"),
        (["U-PER", "L-PER"], "BIOUL", 1, "L-PER after U-PER"),
        (["O", "L-PER"], "IOB2", 1, "'L-PER' is no IOB2 tag (B-type, I-type or O)"),
        (["PER"], "BIOUL", 0, "'PER' is no BIOUL tag (B-type, I-type, U-type, L-type or O)"),
    ],
)
def test_first_impossible_tag_is_named(tags: list[str], scheme: Scheme, position: int, reason: str) -> None:
    assert check(tags, scheme) == Problem(position, reason)
    with pytest.raises(TextError, match=rf"\(tag {position + 1} of {len(tags)}\)"):
        spans(tags, scheme)


@pytest.mark.parametrize("tag", ["", "B", "B-", "b-PER", "BPER", "OO", "-PER", "E-PER"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_is_no_tag_is_refused(tag: str, scheme: Scheme) -> None:
    problem = check(["O", tag], scheme)
    assert problem is not None
    assert problem.position == 1
    assert problem.reason.startswith(f"{tag!r} is no {scheme} tag")


@pytest.mark.parametrize(
    "marked",
    [
        [Span("X", 0, 2), Span("Y", 1, 3)],
        [Span("X", 1, 1)],
        [Span("X", 2, 4)],
        [Span("X", -1, 1)],
        [Span("", 0, 1)],
    ],
    ids=["overlap", "empty", "past the end", "before the start", "without a type"],
)
def test_spans_that_no_tags_can_say_are_refused(marked: list[Span]) -> None:
    with pytest.raises(TextError, match="cannot be written as tags"):
        to_scheme(marked, 3, "IOB2")


def test_types_may_hold_hyphens() -> None:
    tags = ["B-creative-work", "I-creative-work", "B-creative"]
    assert spans(tags, "IOB2") == [Span("creative-work", 0, 2), Span("creative", 2, 3)]


def test_scheme_is_found_by_its_name_alone() -> None:
    assert [as_scheme(name) for name in ("IOB1", "IOB2", "BIOUL")] == list(SCHEMES)
    with pytest.raises(ConfigError, match="no tag scheme 'iob2'"):
        as_scheme("iob2")


SENTENCES = st.lists(
    st.tuples(st.sampled_from(["O", "PER", "LOC", "C-ARG1"]), st.integers(1, 4)), max_size=12
)


@settings(deadline=None)
@given(SENTENCES, st.permutations(SCHEMES))
def test_long_sentences_survive_a_tour_of_the_schemes(
    parts: list[tuple[str, int]], tour: list[Scheme]
) -> None:
    marked, length = [], 0
    for name, tokens in parts:
        if name != "O":
            marked.append(Span(name, length, length + tokens))
        length += tokens
    tags = to_scheme(marked, length, tour[0])
    there = convert(convert(tags, tour[0], tour[1]), tour[1], tour[2])
    assert spans(there, tour[2]) == marked
    assert convert(there, tour[2], tour[0]) == tags


def test_iob2_spans_are_those_of_seqeval() -> None:
    for tags in TABLES["IOB2"]:
        found = spans(tags, "IOB2")
        assert [(span.type, span.start, span.end - 1) for span in found] == get_entities(list(tags))
        (strict,) = Entities([list(tags)], IOB2).entities
        assert [(span.type, span.start, span.end) for span in found] == [
            (entity.tag, entity.start, entity.end) for entity in strict
        ]


def test_matrices_are_boolean() -> None:
    assert {matrix.dtype for matrix in transitions(["O"], "IOB2")} == {np.dtype(bool)}
