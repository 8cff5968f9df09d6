"""Which examples go together, and their words as tensors."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from elmo_bench.data.batching import BatchPlan, NoFeatures, TextBatcher
from elmo_bench.data.vocabulary import UNKNOWN, Vocabulary

lengths = st.lists(st.integers(1, 60), min_size=1, max_size=80)


def flat(batches: list[np.ndarray]) -> list[int]:
    return sorted(int(number) for batch in batches for number in batch)


@given(lengths, st.integers(1, 9), st.one_of(st.none(), st.integers(60, 200)), st.integers(0, 3))
def test_an_epoch_holds_every_example_once_within_the_limits(
    sizes: list[int], examples: int, tokens: int | None, epoch: int
) -> None:
    batches = BatchPlan(sizes, examples=examples, tokens=tokens, seed=5).epoch(epoch)
    assert flat(batches) == list(range(len(sizes)))
    for batch in batches:
        assert len(batch) <= examples
        assert tokens is None or len(batch) * max(sizes[number] for number in batch) <= tokens


@given(lengths, st.integers(1, 9), st.integers(1, 4))
def test_processes_share_an_epoch_in_equal_numbers_of_batches(
    sizes: list[int], examples: int, world: int
) -> None:
    plan = BatchPlan(sizes, examples=examples)
    shares = [plan.epoch(1, rank, world) for rank in range(world)]
    assert len({len(share) for share in shares}) == 1
    together = [batch for share in shares for batch in share]
    assert set(flat(together)) == set(range(len(sizes)))
    evaluated = [batch for rank in range(world) for batch in plan.in_order(rank, world)]
    assert flat(evaluated) == list(range(len(sizes)))


def test_epochs_differ_and_repeat() -> None:
    sizes = list(range(1, 60))
    first, second = BatchPlan(sizes, examples=4, seed=1), BatchPlan(sizes, examples=4, seed=1)
    other = BatchPlan(sizes, examples=4, seed=2)

    def order(plan: BatchPlan, epoch: int) -> list[int]:
        return [int(number) for batch in plan.epoch(epoch) for number in batch]

    assert order(first, 3) == order(second, 3)
    assert order(first, 3) != order(first, 4)
    assert order(first, 3) != order(other, 3)


def test_long_examples_are_batched_with_long_ones() -> None:
    sizes = [1, 50] * 40
    padded = sum(
        len(batch) * max(sizes[number] for number in batch) for batch in BatchPlan(sizes, examples=8).epoch(0)
    )
    assert padded == sum(sizes)


def test_batches_before_an_epoch_are_counted() -> None:
    plan = BatchPlan(list(range(1, 50)), examples=6, tokens=90, seed=3)
    assert plan.batches_before(3) == sum(len(plan.epoch(epoch)) for epoch in range(3))


def test_words_become_numbers_spellings_and_a_mask() -> None:
    text = TextBatcher(Vocabulary(["sat", "the", "cat"]), NoFeatures())(
        [["the", "cat"], ["Hello"], ["cat"] * 3]
    )
    assert text.words.tolist() == [[3, 4, 0], [UNKNOWN, 0, 0], [4, 4, 4]]
    assert text.mask.tolist() == [[True, True, False], [True, False, False], [True, True, True]]
    assert text.lengths.tolist() == [2, 1, 3]
    spelled = text.characters[text.spelling[1, 0]]
    letters = [int(value) - 1 for value in spelled[1:6]]  # ids are shifted by one, after the word-start mark
    assert bytes(letters).decode() == "Hello"
    assert text.characters.shape == (3, len("Hello") + 2)
    assert torch.equal(text.spelling[2], torch.full((3,), int(text.spelling[0, 1])))
