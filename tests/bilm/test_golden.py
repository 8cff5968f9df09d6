"""The public interface against what the published implementations computed, and their parameter counts."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch

from elmo_bench.bilm import kernels
from elmo_bench.bilm.kernels import Kernel
from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.shapes import SHAPES
from elmo_bench.elmo import Elmo

FIXTURE = Path(__file__).resolve().parents[2].parent / "shared" / "fixtures" / "elmo"
LISTS, BATCHES = 3, 10

needs_fixture = pytest.mark.skipif(not FIXTURE.exists(), reason="the golden fixture is not on this machine")
every_exact_kernel = pytest.mark.parametrize(
    "kernel", kernels.available_exact(), ids=lambda kernel: str(kernel.name)
)


def golden_sentences() -> list[list[str]]:
    """Batch after batch: the k-th batch holds the k-th sentence of each list."""
    lists = json.loads((FIXTURE / "sentences.json").read_text(encoding="utf-8"))
    assert [len(sentences) for sentences in lists] == [BATCHES] * LISTS
    return [sentence.split() for batch in zip(*lists, strict=True) for sentence in batch]


@needs_fixture
@every_exact_kernel
def test_carried_batches_of_three_match_the_golden_outputs(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "choose", lambda precision, device: kernel)
    elmo = Elmo.load(FIXTURE, state="carry")
    assert elmo.kernel == kernel.name

    found = elmo.embed(golden_sentences(), batch_sentences=LISTS)

    assert len(found) == LISTS * BATCHES
    for row in range(LISTS):
        with h5py.File(FIXTURE / f"lm_embeddings_{row}.hdf5", "r") as file:
            for batch in range(BATCHES):
                golden = np.concatenate(list(file[str(batch)]), axis=1)  # (tokens, 2 · projection)
                top = found[batch * LISTS + row][-1]  # (tokens, 2 · projection)
                np.testing.assert_allclose(top, golden, rtol=0, atol=2e-6)


@needs_fixture
def test_reset_makes_carried_vectors_golden_again() -> None:
    sentences = golden_sentences()
    elmo = Elmo.load(FIXTURE, state="carry")
    first = elmo.embed(sentences, batch_sentences=LISTS)
    going_on = elmo.embed(sentences, batch_sentences=LISTS)
    elmo.reset()
    again = elmo.embed(sentences, batch_sentences=LISTS)

    assert np.abs(going_on[0] - first[0]).max() > 1e-3
    for before, after in zip(first, again, strict=True):
        np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize(
    ("name", "parameters"), [("small", 13_593_312), ("medium", 28_027_744), ("original", 93_600_864)]
)
def test_published_shapes_have_the_published_number_of_parameters(name: str, parameters: int) -> None:
    with torch.device("meta"):
        assert BiLM(SHAPES[name]).parameters_count == parameters
