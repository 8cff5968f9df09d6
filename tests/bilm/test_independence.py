"""With a fixed start state, a sentence's vectors are the sentence's own, whatever it is computed with.

Word vectors come from torch's convolution, which may sum in another order when a chunk holds other words:
they are equal to a few units in the last place, and all layers inherit that. One ``Elmo`` remembers the words
it has seen, so that only a model that has to forget them shows it. Given the same word vectors, the compiled
kernel sums each row in the same order wherever it stands, and every bit must be equal.
"""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_models import write_random_model

from elmo_bench.bilm import frozen, kernels
from elmo_bench.bilm.frozen import Layers
from elmo_bench.bilm.kernels import COMPILED, Kernel
from elmo_bench.bilm.words import WordVectors
from elmo_bench.elmo import Elmo
from elmo_bench.features import extract

PROJECTION = 13
FEW_ULP = 1e-6

Sentence = list[str]

# Text with surrogates, which no bytes stand for, and words that mean something to the encoder.
token = st.text(st.characters(), max_size=12) | st.sampled_from(["", "<S>", "</S>", "a", "é" * 30, "x" * 60])
long = st.lists(st.sampled_from(["many", "words", "of", "a", "long", "text"]), min_size=13, max_size=40)
short = st.lists(st.sampled_from("abc"), max_size=3)  # often equal to another
sentences = st.lists(st.lists(token, max_size=40) | long | short, max_size=8)
batch_sizes = st.none() | st.integers(1, 9)


def quickly(examples: int) -> settings:
    return settings(deadline=None, max_examples=examples, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_random_model(tmp_path_factory.mktemp("model"), dim=22, projection=PROJECTION)


def load(folder: Path, kernel: Kernel, state: str, remembered_words: int | None = None) -> Elmo:
    """A model on a kernel; with room for only so many word vectors, if that is given."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "choose", lambda precision, device: kernel)
        if remembered_words is not None:
            cache_bytes = remembered_words * 4 * PROJECTION
            patch.setattr(frozen, "WordVectors", functools.partial(WordVectors, cache_bytes=cache_bytes))
        return Elmo.load(folder, state=state, workers=4)  # several batches under way, on any machine


@pytest.fixture(scope="module", params=["zero", "warm"])
def state(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module", params=kernels.available_exact(), ids=lambda kernel: str(kernel.name))
def kernel(request: pytest.FixtureRequest) -> Kernel:
    found: Kernel = request.param
    return found


@pytest.fixture(scope="module")
def elmo(folder: Path, kernel: Kernel, state: str) -> Elmo:
    return load(folder, kernel, state)


@pytest.fixture(scope="module")
def forgetful(folder: Path, kernel: Kernel, state: str) -> Elmo:
    return load(folder, kernel, state, remembered_words=2)


@contextmanager
def small_windows() -> Iterator[None]:
    """Results are put in order every 30 tokens or so, and batches hold 12 tokens, not thousands of either."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extract, "WINDOW_BYTES", 30 * 3 * 2 * PROJECTION * 4)
        patch.setattr(extract, "BATCH_TOKENS", 12)
        yield


def assert_same(elmo: Elmo, found: Sequence[Layers], expected: Sequence[Layers]) -> None:
    """The same layers in the same order: to the bit on the compiled kernel, which is to be relied on."""
    assert len(found) == len(expected)
    for layers, true in zip(found, expected, strict=True):
        if elmo.kernel == COMPILED.name:
            assert np.array_equal(layers, true)
        np.testing.assert_allclose(layers, true, rtol=0, atol=FEW_ULP)


@given(sentences, batch_sizes)
@quickly(30)
def test_a_sentence_has_the_vectors_it_has_alone(
    elmo: Elmo, texts: list[Sentence], batch_sentences: int | None
) -> None:
    together = elmo.embed(texts, batch_sentences)
    assert [layers.shape for layers in together] == [(3, len(text), 2 * PROJECTION) for text in texts]
    assert_same(elmo, together, [elmo.embed([text])[0] for text in texts])


@given(st.data(), sentences, batch_sizes, batch_sizes)
@quickly(30)
def test_results_follow_the_order_of_the_caller(
    elmo: Elmo, data: st.DataObject, texts: list[Sentence], one_size: int | None, other_size: int | None
) -> None:
    order = data.draw(st.permutations(range(len(texts))))
    found = elmo.embed([texts[number] for number in order], one_size)
    in_first_order = elmo.embed(texts, other_size)
    assert_same(elmo, found, [in_first_order[number] for number in order])


@given(sentences, sentences, batch_sizes)
@quickly(25)
def test_repeated_sentences_have_equal_vectors_of_their_own(
    elmo: Elmo, texts: list[Sentence], others: list[Sentence], batch_sentences: int | None
) -> None:
    expected = elmo.embed(texts)
    found = elmo.embed([*texts, *others, *texts, *texts], batch_sentences)
    del found[len(texts) : len(texts) + len(others)]
    copies = [found[number * len(texts) : (number + 1) * len(texts)] for number in range(3)]
    for copy in copies:
        assert_same(elmo, copy, expected)
        for layers in copy:
            layers.fill(np.nan)  # if another copy lies in the same memory, it is lost


@given(sentences, batch_sizes)
@quickly(25)
def test_a_stream_over_many_windows_equals_one_call(
    elmo: Elmo, texts: list[Sentence], batch_sentences: int | None
) -> None:
    expected = elmo.embed(texts)
    with small_windows():
        assert_same(elmo, list(elmo.stream((text for text in texts), batch_sentences)), expected)
        assert_same(elmo, elmo.embed(texts, batch_sentences), expected)


@given(sentences, batch_sizes)
@quickly(25)
def test_forgetting_words_changes_nothing(
    elmo: Elmo, forgetful: Elmo, texts: list[Sentence], batch_sentences: int | None
) -> None:
    expected = elmo.embed(texts)
    for found in (forgetful.embed(texts, batch_sentences), forgetful.embed(texts[::-1])[::-1]):
        for layers, true in zip(found, expected, strict=True):
            np.testing.assert_allclose(layers, true, rtol=0, atol=FEW_ULP)
