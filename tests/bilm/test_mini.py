"""The model that comes with the package."""

from importlib import resources

import numpy as np

from elmo_bench.bilm.model import BiLM
from elmo_bench.elmo import Elmo


def test_mini_is_what_loads_by_default_and_is_small() -> None:
    elmo = Elmo.load()
    assert (elmo.parameters_count, elmo.depth, elmo.width) == (5_363_936, 3, 256)
    weights = resources.files("elmo_bench") / "models" / "mini" / "weights.hdf5"
    assert len(weights.read_bytes()) <= 12_000_000


def sense_margin(elmo: Elmo) -> float:
    """How much nearer two occurrences of one sense of "play" are than two of different senses."""
    games = ("They play cards every evening .", "We play tennis in the park .", "Boys play with old toys .")
    stage = ("The play ended at ten .", "She saw a play in London .", "His last play was a comedy .")
    sentences = [text.split() for text in (*games, *stage)]
    layers = elmo.embed(sentences, layers="top")
    vectors = np.stack([top[words.index("play")] for top, words in zip(layers, sentences, strict=True)])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = vectors @ vectors.T
    alike = np.kron(np.eye(2), np.ones((3, 3))) - np.eye(6)
    return float(cosines[alike == 1].mean() - cosines[:3, 3:].mean())


def test_mini_parts_senses_that_a_random_model_of_its_shape_does_not() -> None:
    mini = Elmo.load()
    assert sense_margin(mini) > 0.1
    assert sense_margin(Elmo(BiLM.random(mini.model.options))) < 0.02
