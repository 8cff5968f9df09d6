"""Hand-written gradients against torch's own and against finite differences."""

import pytest
import torch
from torch import Tensor

from elmo_bench.bilm.encoder import CharacterEncoder
from elmo_bench.bilm.lstm import ProjectedLSTM
from elmo_bench.bilm.options import Options
from elmo_bench.bilm.pretrain.convolution import responses
from elmo_bench.bilm.pretrain.recurrence import kernel_of, plain_layer, run_layer

needs_kernel = pytest.mark.skipif(kernel_of(32) is None, reason="no C compiler here")


def options(dim: int = 128, projection: int = 64, clip: float = 3.0) -> Options:
    return Options.parse(
        {
            "lstm": {"dim": dim, "projection_dim": projection, "cell_clip": clip, "proj_clip": clip},
            "char_cnn": {"activation": "relu", "filters": [[1, 5], [3, 70]], "embedding": {"dim": 16}},
        }
    )


def layer(chosen: Options, scale: float = 1.0) -> ProjectedLSTM:
    lstm = ProjectedLSTM(chosen)
    with torch.no_grad():
        for parameter in lstm.parameters():
            parameter.normal_(std=scale * parameter.shape[0] ** -0.5)
    return lstm


def gradients(lstm: ProjectedLSTM, x: Tensor, outputs: Tensor, weight: Tensor) -> list[Tensor]:
    return list(torch.autograd.grad((outputs * weight).sum(), [x, *lstm.parameters()]))


@needs_kernel
@pytest.mark.parametrize(("scale", "clip"), [(1.0, 3.0), (1.5, 0.4)], ids=["no clip fires", "clips fire"])
def test_kernel_agrees_with_torch(scale: float, clip: float) -> None:
    torch.manual_seed(1)
    lstm = layer(options(clip=clip), scale)
    x, weight = torch.randn(5, 7, 64).requires_grad_(), torch.randn(5, 7, 64)
    state = 0.3 * torch.randn(7, 64), 0.3 * torch.randn(7, 128)
    expected, (_, cell) = plain_layer(lstm, x, state)
    found, (hidden, last) = run_layer(lstm, x, state, bits=32)
    assert bool((expected.abs() == clip).any()) == (clip < 1)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)
    torch.testing.assert_close(last, cell, rtol=0, atol=1e-5)
    assert torch.equal(hidden, found[-1])
    for mine, theirs in zip(
        gradients(lstm, x, found, weight), gradients(lstm, x, expected, weight), strict=True
    ):
        assert (mine - theirs).abs().max() <= 1e-5 * theirs.abs().max()


def test_plain_layer_agrees_with_finite_differences() -> None:
    torch.manual_seed(2)
    lstm = layer(options(dim=6, projection=4)).double()
    x = torch.randn(3, 2, 4, dtype=torch.float64).requires_grad_()
    state = torch.randn(2, 4).double(), torch.randn(2, 6).double()
    names = [name for name, _ in lstm.named_parameters()]

    def run(x: Tensor, *parameters: Tensor) -> Tensor:
        def forward(*_: object) -> Tensor:
            return plain_layer(lstm, x, state)[0]

        saved, lstm.forward = lstm.forward, forward
        try:
            values = dict(zip(names, parameters, strict=True))
            result: Tensor = torch.func.functional_call(lstm, values, (x,))
            return result
        finally:
            lstm.forward = saved

    assert torch.autograd.gradcheck(run, (x, *lstm.parameters()))


@needs_kernel
def test_convolution_agrees_with_torch() -> None:
    torch.manual_seed(3)
    encoder = CharacterEncoder(options())
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.normal_()
    ids = torch.full((40, 50), 261)
    for word, row in enumerate(ids):
        length = 3 + word % 48
        row[:length] = torch.randint(1, 261, (length,))
    trained = [encoder.char_embed, *encoder.W_cnn, *encoder.b_cnn]
    expected, found = encoder.responses(ids), responses(encoder, ids)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-4)
    weight = torch.randn_like(expected)
    pairs = zip(
        torch.autograd.grad((found * weight).sum(), trained),
        torch.autograd.grad((expected * weight).sum(), trained),
        strict=True,
    )
    for mine, theirs in pairs:
        assert (mine - theirs).abs().max() <= 1e-5 * theirs.abs().max()
