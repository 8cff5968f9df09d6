"""The gradient of a whole language model, with respect to each of its numbers."""

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from elmo_bench.bilm.encoder import CharacterEncoder
from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.options import Options
from elmo_bench.bilm.pretrain import recurrence
from elmo_bench.bilm.pretrain.corpus import prepare
from elmo_bench.bilm.pretrain.language_model import LanguageModel, make_softmax
from elmo_bench.bilm.pretrain.module import Pretraining
from elmo_bench.bilm.pretrain.optimizer import Adam
from elmo_bench.bilm.pretrain.windows import NO_TARGET, Streams

SOFTMAXES: dict[str, dict[str, Any]] = {
    "adaptive": {"kind": "adaptive", "cutoffs": [4, 7]},
    "every word sampled": {"kind": "sampled", "samples": 100},
}


def module(folder: Path, dim: int, projection: int, clip: float, softmax: str) -> Pretraining:
    """A language model with random weights, in double precision, in the middle of a text."""
    size = {
        "lstm": {"dim": dim, "projection_dim": projection, "n_layers": 2, "use_skip_connections": True}
        | {"cell_clip": clip, "proj_clip": clip},
        "char_cnn": {"activation": "relu", "filters": [[1, 3], [2, 4]], "n_highway": 1}
        | {"embedding": {"dim": 3}, "max_characters_per_token": 6},
    }
    (folder / "text").write_text("a b ab ba .\nba a c ca cab .\nb abc .\nc c ab .\n")
    corpus = prepare([folder / "text"], folder / "corpus", floor=1)
    torch.manual_seed(1)
    bilm = BiLM.random(Options.parse(size))
    with torch.no_grad():
        for parameter in bilm.parameters():
            parameter.normal_(std=0.7 * parameter.shape[0] ** -0.5 if parameter.ndim > 1 else 0.3)
        bilm.encoder.char_embed.normal_()
    words = corpus.vocabulary
    model = LanguageModel(bilm, words, make_softmax(SOFTMAXES[softmax], projection, words), {})
    streams = Streams(corpus, streams=2, steps=4, seed=1)
    made = Pretraining(
        model, streams, corpus.characters(6), Adam(1, 1, 1), total_steps=1, dropout=0.0, bits=32, seed=1
    ).double()
    made.top_layers(streams.window(0))
    return made


def loss(model: Pretraining) -> Tensor:
    """Of the second window, from the states after the first."""
    window, states = model.streams.window(1), model._states
    model._states = [list(pairs) for pairs in states]
    outputs, counted = model.top_layers(window), window.targets != NO_TARGET
    model._states = states
    return model.model.softmax.loss(outputs[counted], window.targets[counted])


def gradients(model: Pretraining) -> dict[str, Tensor]:
    names, parameters = zip(*model.named_parameters(), strict=True)
    return dict(zip(names, torch.autograd.grad(loss(model), parameters), strict=True))


def slope(model: Pretraining, values: Tensor, number: int, step: float = 1e-5) -> float:
    """How the loss changes with one number, from two more losses."""
    kept = values[number].item()
    found = []
    for moved in (kept + step, kept - step):
        values[number] = moved
        found.append(loss(model).item())
    values[number] = kept
    return (found[0] - found[1]) / (2 * step)


@pytest.mark.parametrize(("softmax", "clip"), [("adaptive", 3.0), ("every word sampled", 0.2)])
def test_every_gradient_agrees_with_finite_differences(tmp_path: Path, softmax: str, clip: float) -> None:
    model = module(tmp_path, dim=3, projection=4, clip=clip, softmax=softmax)
    assert any(
        (states.abs() == clip).any() for pairs in model._states for pair in pairs for states in pair
    ) == (clip < 1)
    for name, gradient in gradients(model).items():
        parameter = model.get_parameter(name)
        numbers = list(range(parameter.numel()))
        if name == "bilm.encoder.char_embed":
            seen = model._characters[model.streams.window(1).words.flatten()].unique()
            unseen = torch.ones(len(parameter), dtype=torch.bool).index_fill(0, seen.long(), False)
            assert (gradient[unseen] == 0).all()
            numbers = torch.arange(parameter.numel()).view_as(parameter)[~unseen].flatten().tolist()
        with torch.no_grad():
            found = [slope(model, parameter.view(-1), number) for number in numbers]
        expected = gradient.flatten()[numbers]
        assert expected.abs().max() > 1e-6, name
        torch.testing.assert_close(torch.tensor(found).double(), expected, rtol=1e-5, atol=1e-8, msg=name)


@pytest.mark.skipif(recurrence.kernel_of(32) is None, reason="no C compiler here")
@pytest.mark.parametrize("clip", [3.0, 0.2])
def test_kernels_gradients_agree_with_double_precision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clip: float
) -> None:
    exact = module(tmp_path, dim=128, projection=64, clip=clip, softmax="adaptive")
    expected = gradients(exact)
    single = copy.deepcopy(exact).float()
    single._states = [[(h.float(), c.float()) for h, c in pairs] for pairs in exact._states]
    for owner, plain in ((recurrence, "plain_layer"), (CharacterEncoder, "responses")):
        monkeypatch.setattr(owner, plain, None)  # whoever calls it instead of the kernel fails
    for name, found in gradients(single).items():
        error = (found - expected[name]).abs().max()
        assert error <= 1e-5 * expected[name].abs().max(), name
