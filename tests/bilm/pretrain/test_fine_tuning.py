"""Models that come without a softmax: one is fitted first, then everything is trained."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_runs import WINDOWS, assert_same_weights, config, interrupt_at, write_text

from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.options import Options
from elmo_bench.bilm.pretrain.language_model import LanguageModel, make_softmax
from elmo_bench.bilm.pretrain.perplexity import measure, total
from elmo_bench.bilm.pretrain.run import pretrain
from elmo_bench.bilm.weights import published_arrays, read_model, write_model
from elmo_bench.checkpoint import checkpoint_of

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("one_thread")]

SIZE = {
    "lstm": {"dim": 128, "projection_dim": 64, "n_layers": 2, "use_skip_connections": True}
    | {"cell_clip": 3, "proj_clip": 3},
    "char_cnn": {"activation": "relu", "filters": [[1, 4], [2, 8]], "n_highway": 1, "embedding": {"dim": 16}},
}
CHOICES = ("start_from=published", "softmax_passes=0.5", "passes=1")


@pytest.fixture(autouse=True)
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a model as it is published: without a softmax, without a vocabulary."""
    monkeypatch.chdir(tmp_path)
    write_model(BiLM.random(Options.parse(SIZE), 7), tmp_path / "published")
    return tmp_path / "published"


def perplexity(model: LanguageModel, text: Path) -> float:
    return total(measure(model, [line.split() for line in text.read_text().splitlines()], "warm")).average


def test_softmax_is_fitted_on_a_frozen_model_and_then_both_are_trained(
    tmp_path: Path, published: Path
) -> None:
    text = write_text(tmp_path)
    tuned = LanguageModel.read(pretrain(config(tmp_path, "out", *CHOICES, f"heldout={text}")))
    fitted = torch.load(checkpoint_of(tmp_path / "out" / "softmax"), weights_only=True)
    assert fitted["global_step"] == WINDOWS / 2

    original = read_model(published / "options.json", published / "weights.hdf5")
    for name, tensor in original.state_dict().items():
        assert torch.equal(fitted["state_dict"][f"bilm.{name}"], tensor), name
    torch.manual_seed(1)
    untrained = make_softmax(tuned.softmax_options, 64, tuned.vocabulary)
    between = make_softmax(tuned.softmax_options, 64, tuned.vocabulary)
    between.load_state_dict({name: fitted["state_dict"][f"softmax.{name}"] for name in between.state_dict()})
    for name, tensor in between.state_dict().items():
        assert not torch.equal(tensor, untrained.state_dict()[name]), name
        assert not torch.equal(tensor, tuned.softmax.state_dict()[name]), name
    theirs = published_arrays(original)
    for key, array in published_arrays(tuned.bilm).items():
        assert not np.array_equal(array, theirs[key]), key

    card = (tmp_path / "out" / "model" / "README.md").read_text("utf-8")
    before = perplexity(LanguageModel(original, tuned.vocabulary, between, {}), text)
    assert f"| held-out perplexity before | {before:.1f} (" in card
    assert f"| held-out perplexity | {perplexity(tuned, text):.1f} (" in card
    assert f"| to fit a softmax first | {WINDOWS // 2 * 4 * 5} tokens" in card
    assert f"| tokens and markers read | {WINDOWS * 4 * 5} |" in card


@pytest.mark.parametrize(("phase", "step"), [("fitting", 5), ("training", 12)])
def test_fine_tuning_resumes_in_either_phase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, phase: str, step: int
) -> None:
    choices = [*CHOICES, f"heldout={write_text(tmp_path)}"]
    whole = LanguageModel.read(pretrain(config(tmp_path, "whole", *choices)))
    with monkeypatch.context() as patch:
        interrupt_at(patch, step)
        with pytest.raises(RuntimeError, match="the power fails"):
            pretrain(config(tmp_path, "broken", *choices))
    out = tmp_path / "broken"
    assert checkpoint_of(out / "softmax").exists()
    assert checkpoint_of(out).exists() == (phase == "training")
    resumed = LanguageModel.read(pretrain(config(tmp_path, "broken", *choices, "resume=true")))
    assert_same_weights(whole, resumed)
    reported = [line for line in caplog.messages if line.startswith("Perplexity on the held-out text")]
    assert len(reported) == 2
    assert reported[0] == reported[1]
