"""Softmaxes against torch's own."""

import math

import pytest
import torch
from torch.nn import functional

from elmo_bench.bilm.pretrain.recurrence import kernel_of
from elmo_bench.bilm.pretrain.softmax import AdaptiveSoftmax, SampledSoftmax

VOCABULARY = 500


def data() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(1)
    return torch.randn(200, 16).requires_grad_(), torch.randint(0, VOCABULARY, (200,))


def test_sampling_every_word_is_the_full_softmax() -> None:
    softmax = SampledSoftmax(16, VOCABULARY, samples=VOCABULARY)
    hidden, targets = data()
    full = functional.cross_entropy(hidden @ softmax.weight.t() + softmax.bias, targets)
    torch.testing.assert_close(softmax.loss(hidden, targets), full, rtol=1e-5, atol=0)
    torch.testing.assert_close(softmax.surprise(hidden, targets).mean(), full, rtol=1e-5, atol=0)


def test_frequent_words_are_sampled_in_proportion() -> None:
    softmax = SampledSoftmax(16, VOCABULARY, samples=20)
    counts = torch.zeros(VOCABULARY)
    expected = torch.zeros(VOCABULARY)
    torch.manual_seed(2)
    for _ in range(3000):
        words, moment = softmax._draw()
        assert len(words.unique()) == 20
        counts[words] += 1
        expected += softmax._log_chance(torch.arange(VOCABULARY), moment).exp()
    assert counts[:10].sum() / expected[:10].sum() == pytest.approx(1, abs=0.05)
    assert counts[100:].sum() / expected[100:].sum() == pytest.approx(1, abs=0.05)
    assert counts[0] > 5 * counts[20]


def test_adaptive_probabilities_sum_to_one() -> None:
    softmax = AdaptiveSoftmax(16, VOCABULARY, cutoffs=(20, 100))
    hidden, _ = data()
    every = torch.arange(VOCABULARY)
    surprise = softmax.surprise(hidden[:1].expand(VOCABULARY, -1), every)
    assert math.isclose((-surprise).exp().sum().item(), 1, rel_tol=1e-5)


def test_adaptive_loss_is_torchs() -> None:
    softmax = AdaptiveSoftmax(16, VOCABULARY, cutoffs=(20, 100))
    hidden, targets = data()
    trained = [hidden, *softmax.parameters()]
    mine, theirs = softmax.loss(hidden, targets), softmax.clusters(hidden, targets).loss
    torch.testing.assert_close(mine, theirs, rtol=1e-6, atol=0)
    pairs = zip(torch.autograd.grad(mine, trained), torch.autograd.grad(theirs, trained), strict=True)
    for gradient, expected in pairs:
        torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("bits", [32, 16])
def test_cluster_without_a_target_has_a_gradient_of_zero(bits: int) -> None:
    softmax = AdaptiveSoftmax(16, VOCABULARY, cutoffs=(20, 100))
    softmax.bits = bits
    hidden, targets = data()
    softmax.loss(hidden, targets % 100).backward()
    used, unused = (list(cluster.parameters()) for cluster in softmax.clusters.tail)
    assert all(parameter.grad is not None and parameter.grad.abs().max() > 0 for parameter in used)
    assert all(parameter.grad is not None and (parameter.grad == 0).all() for parameter in unused)


@pytest.mark.skipif(kernel_of(32) is None, reason="no C compiler here")
def test_rounded_loss_and_gradient_are_near_torchs() -> None:
    softmax = AdaptiveSoftmax(16, VOCABULARY, cutoffs=(20, 100))
    hidden, targets = data()
    trained = [hidden, *softmax.parameters()]
    exact = softmax.loss(hidden, targets)
    expected = torch.autograd.grad(exact, trained)
    softmax.bits = 16
    rounded = softmax.loss(hidden, targets)
    assert rounded != exact
    assert rounded.item() == pytest.approx(exact.item(), rel=1e-3)
    for mine, theirs in zip(torch.autograd.grad(rounded, trained), expected, strict=True):
        assert (mine - theirs).norm() < 0.01 * theirs.norm()
