"""Word vectors and their cache. What is still in the cache shows when the encoder changes under it."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from random_models import write_random_model
from reference import ReferenceBiLM

from elmo_bench.bilm.kernels import TORCH
from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.weights import read_model
from elmo_bench.bilm.words import WordVectors

PROJECTION = 8
BYTES_OF_A_WORD = 4 * PROJECTION


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_random_model(tmp_path_factory.mktemp("model"), projection=PROJECTION)


@pytest.fixture(scope="module")
def reference(folder: Path) -> ReferenceBiLM:
    return ReferenceBiLM(folder)


@pytest.fixture
def model(folder: Path) -> BiLM:
    return read_model(folder / "options.json", folder / "weights.hdf5")


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


def with_room_for(words: int, model: BiLM) -> WordVectors:
    return WordVectors(model, TORCH.product, cache_bytes=words * BYTES_OF_A_WORD + BYTES_OF_A_WORD - 1)


def remembered(vectors: WordVectors, model: BiLM, words: Sequence[str], pool: Executor) -> set[str]:
    """The words whose vectors stay as they were although every character now has another vector."""
    true = WordVectors(model, TORCH.product)(words, pool)
    with torch.no_grad():
        model.encoder.char_embed.neg_()
    found = vectors(words, pool)
    unchanged = torch.isclose(found, true, rtol=0, atol=1e-6).all(dim=1)
    return {word for word, same in zip(words, unchanged.tolist(), strict=True) if same}


def expected_vectors(reference: ReferenceBiLM, words: Sequence[str]) -> NDArray[np.float64]:
    return np.stack([reference.token_vector(word) for word in words])  # (words, projection)


def test_the_least_recently_used_word_goes_first(model: BiLM, pool: Executor) -> None:
    vectors = with_room_for(3, model)
    for word in ("a", "b", "c"):
        vectors([word], pool)
    vectors(["a"], pool)  # now b is the one that was not used for longest
    vectors(["d"], pool)
    assert remembered(vectors, model, ["a", "b", "c", "d"], pool) == {"a", "c", "d"}


def test_words_of_one_call_count_as_used_in_their_order(model: BiLM, pool: Executor) -> None:
    vectors = with_room_for(3, model)
    vectors(["a", "b", "c"], pool)
    vectors(["b", "a"], pool)
    vectors(["d", "e"], pool)
    assert remembered(vectors, model, ["a", "b", "c", "d", "e"], pool) == {"a", "d", "e"}


def test_the_cache_never_holds_more_than_its_bytes_allow(model: BiLM, pool: Executor) -> None:
    vectors = with_room_for(4, model)
    assert vectors.capacity == 4
    sizes = []
    for number in range(9):
        vectors([f"word{number}"], pool)
        sizes.append(len(vectors))
    assert sizes == [1, 2, 3, 4, 4, 4, 4, 4, 4]


@pytest.mark.parametrize("room", [1, 2, 7])
def test_more_words_than_the_cache_holds_are_all_right(
    room: int, model: BiLM, reference: ReferenceBiLM, pool: Executor
) -> None:
    vectors = with_room_for(room, model)
    words = [f"{number}x" * (number % 5 + 1) for number in range(20)]
    for chosen in (words[:3], words, words[::-1], words[5:12], ["new", *words[::3]]):
        found = vectors(chosen, pool).numpy()
        np.testing.assert_allclose(found, expected_vectors(reference, chosen), rtol=0, atol=1e-5)
        assert len(vectors) <= room


def test_a_call_with_too_many_words_fills_the_cache_with_its_own(model: BiLM, pool: Executor) -> None:
    vectors = with_room_for(3, model)
    vectors(["a", "b"], pool)
    vectors(["c", "d", "e", "f", "g"], pool)
    kept = remembered(vectors, model, ["a", "b", "c", "d", "e", "f", "g"], pool)
    assert len(kept) == 3
    assert kept <= {"c", "d", "e", "f", "g"}


def test_words_of_many_lengths_keep_their_order_over_several_chunks(
    model: BiLM, reference: ReferenceBiLM, pool: Executor
) -> None:
    words = [chr(97 + number % 26) * (number * 7 % 53) + str(number) for number in range(300)]
    expected = expected_vectors(reference, words)
    vectors = with_room_for(300, model)
    np.testing.assert_allclose(vectors(words, pool).numpy(), expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(vectors(words[::-1], pool).numpy(), expected[::-1], rtol=0, atol=1e-5)


def test_changing_what_was_returned_does_not_change_the_cache(
    model: BiLM, reference: ReferenceBiLM, pool: Executor
) -> None:
    vectors = with_room_for(3, model)
    for _ in range(3):
        found = vectors(["a", "b"], pool)
        np.testing.assert_allclose(found.numpy(), expected_vectors(reference, ["a", "b"]), rtol=0, atol=1e-5)
        found.zero_()
