"""Index arithmetic against loops that anybody can follow."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_bench.bilm.packing import Packing, pack, take

FORWARD, BACKWARD = 0, 1
lengths_of_sentences = st.lists(st.integers(0, 9), max_size=8)


def rows_by_length(lengths: list[int]) -> list[int]:
    """From the longest to the shortest; equal lengths in the caller's order."""
    order: list[int] = []
    for length in range(max(lengths, default=0), -1, -1):
        for sentence, found in enumerate(lengths):
            if found == length:
                order.append(sentence)
    return order


def walk(lengths: list[int], direction: int, final_marker: bool) -> tuple[list[int], list[int], list[int]]:
    """Steps through all sentences at once, token by token.

    Returns the number of rows alive at each step, the position of every packed token in the sentences laid
    end to end with markers, and the packed position of every real token, sentence after sentence.
    """
    order = rows_by_length(lengths)
    counts: list[int] = []
    words: list[int] = []
    place_of: dict[tuple[int, int], int] = {}  # (sentence, token) → packed position
    for step in range(max(lengths, default=0) + 2):
        alive = 0
        start = 0
        for sentence in order:
            marked = lengths[sentence] + 2
            if step < (marked if final_marker else marked - 1):
                position = step if direction == FORWARD else marked - 1 - step
                place_of[sentence, position - 1] = len(words)
                words.append(start + position)
                alive += 1
            start += marked
        if alive:
            counts.append(alive)
    places = [place_of[sentence, token] for sentence in order for token in range(lengths[sentence])]
    return counts, words, places


@given(lengths_of_sentences, st.booleans())
@settings(deadline=None, max_examples=150)
def test_packing_equals_walking_through_the_sentences(lengths: list[int], final_marker: bool) -> None:
    packing = pack(lengths, final_marker=final_marker)

    order = rows_by_length(lengths)
    assert packing.order.tolist() == order
    assert packing.lengths.tolist() == [lengths[sentence] for sentence in order]
    assert packing.tokens == sum(lengths)
    for direction in (FORWARD, BACKWARD):
        counts, words, places = walk(lengths, direction, final_marker)
        assert packing.counts.tolist() == counts
        assert packing.words[direction].tolist() == words
        assert packing.places[direction].tolist() == places


def test_backward_direction_reverses_by_length() -> None:
    packing = pack([1, 2], final_marker=True)
    # Laid end to end, the longer sentence first: <S> a b </S> are 0 to 3, <S> c </S> are 4 to 6.
    assert packing.order.tolist() == [1, 0]
    assert packing.counts.tolist() == [2, 2, 2, 1]
    assert packing.words[FORWARD].tolist() == [0, 4, 1, 5, 2, 6, 3]
    assert packing.words[BACKWARD].tolist() == [3, 6, 2, 5, 1, 4, 0]
    assert packing.places[FORWARD].tolist() == [2, 4, 3]
    assert packing.places[BACKWARD].tolist() == [4, 2, 3]


@given(lengths_of_sentences, st.integers(1, 4))
@settings(deadline=None, max_examples=100)
def test_layers_of_a_sentence_lie_end_to_end(lengths: list[int], depth: int) -> None:
    packing = pack(lengths, final_marker=False)
    expected: list[list[int]] = [[] for _ in range(depth)]
    position = 0
    for sentence in rows_by_length(lengths):
        for layer in range(depth):
            for _ in range(lengths[sentence]):
                expected[layer].append(position)
                position += 1
    assert [packing.layer_rows(layer, depth).tolist() for layer in range(depth)] == expected


@pytest.mark.parametrize("rows", [[2, 0, 0], []])
def test_take_picks_rows_and_leaves_the_source_alone(rows: list[int]) -> None:
    source = torch.arange(6.0).view(3, 2)
    taken = take(source, np.array(rows, dtype=np.int64))
    assert taken.tolist() == [[2.0 * row, 2.0 * row + 1] for row in rows]
    taken.add_(1.0)
    assert source.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]


def test_a_packing_of_nothing_is_empty() -> None:
    packing: Packing = pack([], final_marker=True)
    assert (packing.tokens, len(packing.counts), len(packing.words[FORWARD])) == (0, 0, 0)
