"""Whole runs of a tiny model: they learn, they survive, and they say why they stop."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiny_runs import assert_same_weights, config, interrupt_at, write_text

from elmo_bench.bilm import kernels
from elmo_bench.bilm.frozen import FrozenBiLM
from elmo_bench.bilm.model import BACKWARD, FORWARD, BiLM
from elmo_bench.bilm.options import Options
from elmo_bench.bilm.pretrain import convolution, recurrence, softmax
from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.pretrain.perplexity import measure, total
from elmo_bench.bilm.pretrain.run import pretrain
from elmo_bench.bilm.pretrain.softmax import AdaptiveSoftmax, SampledSoftmax
from elmo_bench.bilm.weights import published_arrays, write_model
from elmo_bench.elmo import Elmo
from elmo_bench.errors import ModelError, TrainingError

OPTIONS = {
    "lstm": {"dim": 64, "projection_dim": 64, "n_layers": 2, "use_skip_connections": True},
    "char_cnn": {"activation": "relu", "filters": [[1, 4], [2, 8]], "n_highway": 1, "embedding": {"dim": 16}},
}
SENTENCES = [["the", "cat", "sat"], ["the", "dog", "ran", "off"], ["no"]]

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("one_thread")]


def test_interrupted_run_ends_with_the_weights_of_an_uninterrupted_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = LanguageModel.read(pretrain(config(tmp_path, "whole")))
    with monkeypatch.context() as patch:
        interrupt_at(patch, 9)
        with pytest.raises(RuntimeError, match="the power fails"):
            pretrain(config(tmp_path, "broken"))
    with pytest.raises(TrainingError, match=r"already holds a run.*resume=true"):
        pretrain(config(tmp_path, "broken"))
    resumed = LanguageModel.read(pretrain(config(tmp_path, "broken", "resume=true")))
    assert_same_weights(whole, resumed)
    start = published_arrays(BiLM.random(whole.bilm.options, 1))
    assert not np.array_equal(start["CNN_proj/W_proj"], published_arrays(whole.bilm)["CNN_proj/W_proj"])
    assert (tmp_path / "broken" / "model" / "curve.png").stat().st_size > 5000
    assert Elmo.load(tmp_path / "whole" / "model").depth == 3


def test_run_learns_and_fine_tuning_keeps_the_vocabulary(tmp_path: Path) -> None:
    text = write_text(tmp_path)
    first = config(tmp_path, "first", f"heldout={text}", "passes=10")
    model = LanguageModel.read(pretrain(first))
    before = total(measure(model, SENTENCES, "warm")).average
    card = (tmp_path / "first" / "model" / "README.md").read_text("utf-8")
    learned = float(card.split("held-out perplexity | ")[1].split(" ")[0])
    assert learned < 12 < len(model.vocabulary)
    further = config(tmp_path, "second", f"start_from={tmp_path / 'first' / 'model'}")
    tuned = LanguageModel.read(pretrain(further))
    assert tuned.vocabulary == model.vocabulary
    assert total(measure(tuned, SENTENCES, "warm")).average != before


def test_training_without_a_compiler_gives_the_same_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices = ("precision=fp32", "passes=0.5")
    with_kernels = LanguageModel.read(pretrain(config(tmp_path, "with", *choices)))
    for module in (recurrence, convolution, softmax):
        monkeypatch.setattr(module, "kernel_of", lambda bits: None)
    without = LanguageModel.read(pretrain(config(tmp_path, "without", *choices)))
    mine, theirs = (total(measure(model, SENTENCES, "warm")).average for model in (without, with_kernels))
    assert mine == pytest.approx(theirs, rel=1e-3)


def test_loss_that_is_not_a_number_stops_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: AdaptiveSoftmax, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return hidden.sum() * math.nan

    monkeypatch.setattr(AdaptiveSoftmax, "loss", broken)
    with pytest.raises(TrainingError, match=r"nan at step 0 \(learning rate .*lower learning rate"):
        pretrain(config(tmp_path, "out"))


def uniform(vocabulary: int) -> LanguageModel:
    softmax = SampledSoftmax(64, vocabulary)
    torch.nn.init.zeros_(softmax.weight)
    words = ["<S>", "</S>", "<UNK>", "the", *(f"w{number}" for number in range(vocabulary - 4))]
    return LanguageModel(BiLM.random(Options.parse(OPTIONS)), words, softmax, {"kind": "sampled"})


@pytest.mark.parametrize("state", ["zero", "warm", "carry"])
def test_uniform_model_has_the_perplexity_of_its_vocabulary(state: str) -> None:
    found = total(measure(uniform(321), SENTENCES, state))
    assert found.tokens == 8 + 3
    for value in (found.perplexity(FORWARD), found.perplexity(BACKWARD), found.average):
        assert value == pytest.approx(321, rel=1e-5)


def test_loss_of_a_word_is_read_off_the_word_before_it() -> None:
    model = uniform(50)
    torch.manual_seed(4)
    torch.nn.init.normal_(model.softmax.weight)  # type: ignore[arg-type]
    sentence, ids = ["the", "w1", "never", "the"], [3, 5, 2, 3]
    found = measure(model, [sentence], "zero")["all"]
    layers = torch.from_numpy(Elmo(model.bilm, state="zero").embed([sentence])[0][2])  # (tokens, width)
    with torch.inference_mode():
        forward = model.softmax.surprise(layers[:, :64], torch.tensor([*ids[1:], 1])).sum().item()
        backward = model.softmax.surprise(layers[:, 64:], torch.tensor([0, *ids[:-1]])).sum().item()
    first = _from_markers(model)
    assert found.loss[FORWARD] == pytest.approx(forward + first(FORWARD, ids[0]), rel=1e-4)
    assert found.loss[BACKWARD] == pytest.approx(backward + first(BACKWARD, ids[-1]), rel=1e-4)


def _from_markers(model: LanguageModel) -> Any:
    """What a direction's first marker says of the word after it."""

    def first(direction: int, target: int) -> float:
        running = FrozenBiLM(model.bilm, kernels.TORCH)
        top = running.submit([["w0"]], running.zero_state(1)).top(direction)
        with torch.inference_mode():
            return model.softmax.surprise(top[:1], torch.tensor([target])).item()

    return first


def test_model_without_a_softmax_cannot_be_measured(tmp_path: Path) -> None:
    write_model(uniform(10).bilm, tmp_path)
    with pytest.raises(ModelError, match=r"predicts no words: vocabulary.txt, .*come without a softmax"):
        LanguageModel.read(tmp_path)


def test_only_counted_positions_are_trained_on(tmp_path: Path) -> None:
    seen: list[Any] = []
    whole = AdaptiveSoftmax.loss

    def loss(self: AdaptiveSoftmax, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        seen.append(targets.min().item())
        return whole(self, hidden, targets)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AdaptiveSoftmax, "loss", loss)
        pretrain(config(tmp_path, "out", "passes=0.2"))
    assert seen
    assert min(seen) >= 0
