"""Which words have a vector of their own, and what it starts as."""

from pathlib import Path

import numpy as np
import pytest

from elmo_bench.data.vocabulary import FIRST_WORD, UNKNOWN
from elmo_bench.training.vectors import RandomVectors, VectorFile

TRAIN = [["the", "cat", "sat"], ["the", "rare", "cat"], ["Zyx", "Zyx", "the"]]
OTHERS = [["a", "dog", "sat"], ["a", "qwerty", "dog"]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.txt"
    path.write_text("the 1 2\ncat 3 4\ndog 5 6\nunused 7 8\n")
    return path


def test_words_of_the_file_and_words_seen_twice_have_rows(file: Path) -> None:
    embedded = VectorFile(str(file.parent), file.name, True).embed(TRAIN, OTHERS, seed=1)
    assert set(embedded.vocabulary.words) == {"the", "cat", "dog", "Zyx"}
    assert embedded.vocabulary.ids(["sat", "rare", "qwerty", "unused"]) == [UNKNOWN] * 4
    for word, vector in (("the", [1, 2]), ("cat", [3, 4]), ("dog", [5, 6])):
        row = embedded.rows[embedded.vocabulary.ids([word])[0]]
        assert row.tolist() == vector
    assert embedded.rows.shape == (FIRST_WORD + 4, 2)
    assert not embedded.rows[0].any()


def test_coverage_is_the_share_of_training_tokens(file: Path) -> None:
    embedded = VectorFile(str(file.parent), file.name, True).embed(TRAIN, OTHERS, seed=1)
    assert embedded.coverage == pytest.approx(5 / 9)  # "the" three times and "cat" twice, of nine tokens


def test_random_vectors_know_the_training_words_that_occur_twice() -> None:
    embedded = RandomVectors(16, True).embed(TRAIN, OTHERS, seed=1)
    assert set(embedded.vocabulary.words) == {"the", "cat", "Zyx"}
    assert embedded.coverage is None


def test_random_vectors_depend_on_the_seed_alone() -> None:
    first, same, other = (RandomVectors(300, True).embed(TRAIN, [], seed).rows for seed in (1, 1, 2))
    assert first.equal(same)
    assert not first.equal(other)
    assert float(first[1:].square().sum(1).mean()) == pytest.approx(1.0, rel=0.2)
    assert np.isfinite(first.numpy()).all()
