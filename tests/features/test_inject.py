"""Where the mix enters, and that off means identity."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
import torch

from elmo_bench.data.batching import Text, TextBatcher
from elmo_bench.data.vocabulary import Vocabulary
from elmo_bench.features.inject import Injection
from elmo_bench.features.mix import LayerMix

SENTENCES = [["a", "b", "c"], ["d"]]
MIX = partial(LayerMix, penalty=0.5)


@dataclass(frozen=True)
class FakeEncoder:
    depth: int = 2
    width: int = 3


class FakeFeatures:
    """Layer l of the token at place n of the batch is n + 10 l, in every value."""

    def prepare(self, sentences: object) -> None:
        raise AssertionError

    def read(self, sentences: object) -> np.ndarray:
        place, layer = np.arange(4)[:, None, None], np.arange(2)[:, None]
        return np.broadcast_to(place + 10 * layer, (4, 2, 3)).astype(np.float16).copy()


def text() -> Text:
    return TextBatcher(Vocabulary("abcd"), FakeFeatures())(SENTENCES)


X = torch.full((2, 3, 2), 7.0)


@pytest.mark.parametrize(("input", "output"), [(False, False), (True, False), (False, True), (True, True)])
def test_a_place_widens_or_is_identity(input: bool, output: bool) -> None:
    injection = Injection(FakeEncoder(), MIX, input=input, output=output)
    for place, on in ((injection.input, input), (injection.output, output)):
        assert place.width(2) == (5 if on else 2)
        found = place(X, text())
        assert found.shape == (2, 3, 5 if on else 2)
        torch.testing.assert_close(found[..., :2], X)


def test_each_token_gets_its_own_mix_and_padding_gets_zeros() -> None:
    found = Injection(FakeEncoder(), MIX, input=True, output=False).input(X, text())
    mixed = found[..., 2:]
    expected = torch.tensor([[5.0, 6.0, 7.0], [8.0, 0.0, 0.0]])  # the mean of n and n + 10; zeros at padding
    torch.testing.assert_close(mixed, expected[..., None].expand(2, 3, 3))


def test_places_have_weights_of_their_own() -> None:
    injection = Injection(FakeEncoder(), MIX, input=True, output=True)
    mixes = injection.mixes()
    with torch.no_grad():
        mixes["input"].logits.copy_(torch.tensor([2.0, 0.0]))
        mixes["output"].scale.fill_(3.0)
    assert injection.penalty().item() == pytest.approx(0.5 * 4.0)
    weights = injection.weights()
    assert weights["output"] == {"layers": [0, 1], "weights": [0.5, 0.5], "gamma": 3.0}
    assert weights["input"]["gamma"] == 1.0


def test_a_baseline_has_neither_weights_nor_a_penalty() -> None:
    injection = Injection(None, MIX, input=False, output=False)
    assert injection.weights() == {}
    assert injection.penalty().item() == 0.0
    assert not list(injection.parameters())
