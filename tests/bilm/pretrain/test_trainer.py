"""Two processes train one model."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hydra.utils import instantiate
from omegaconf import OmegaConf
from tiny_runs import TINY, config, write_text
from torch import Tensor

from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.options import Options
from elmo_bench.bilm.pretrain.corpus import prepare
from elmo_bench.bilm.pretrain.language_model import LanguageModel, make_softmax
from elmo_bench.bilm.pretrain.module import Pretraining
from elmo_bench.bilm.pretrain.windows import NO_TARGET, Streams
from elmo_bench.checkpoint import checkpoint_of

CHOICES = ("streams=2", "dropout=0", "optimizer.decay=0")


def trained_alone(folder: Path, steps: int) -> dict[str, Tensor]:
    """The weights after steps with the mean of two gradients, each of one half of the streams."""
    choices = config(folder, "alone", *CHOICES)
    corpus = prepare([write_text(folder)], folder / "alone", floor=1)
    bilm = BiLM.random(Options.parse(OmegaConf.to_container(choices.size)), 1)
    torch.manual_seed(1)
    softmax = make_softmax(OmegaConf.to_container(choices.softmax), 64, corpus.vocabulary)  # type: ignore[arg-type]
    model = LanguageModel(bilm, corpus.vocabulary, softmax, {})
    processes = [
        Pretraining(
            model,
            Streams(corpus, streams=2, steps=5, seed=1, rank=rank, world=2),
            corpus.characters(50),
            instantiate(choices.optimizer),
            total_steps=steps,
            dropout=0.0,
            bits=16,
            seed=1,
        )
        for rank in (0, 1)
    ]
    parameters = list(processes[0].parameters())
    built = processes[0].configure_optimizers()
    for step in range(steps):
        gradients = [torch.autograd.grad(loss(process, step), parameters) for process in processes]
        for parameter, *both in zip(parameters, *gradients, strict=True):
            halves = [gradient.bfloat16() / 2 for gradient in both]
            parameter.grad = (halves[0] + halves[1]).float()
        torch.nn.utils.clip_grad_norm_(parameters, choices.gradient_clip)
        built["optimizer"].step()
        built["lr_scheduler"]["scheduler"].step()
    return processes[0].state_dict()


def loss(process: Pretraining, step: int) -> Tensor:
    window = process.streams.window(step)
    outputs, counted = process.top_layers(window), window.targets != NO_TARGET
    return process.model.softmax.loss(outputs[counted], window.targets[counted])


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_two_processes_share_their_gradients_and_resume(tmp_path: Path) -> None:
    text = write_text(tmp_path)
    command = [sys.executable, "-m", "elmo_bench", "pretrain", f"text={text}", f"heldout={text}", "out=both"]
    for passes, more in ((0.5, []), (10, ["resume=true"])):
        done = subprocess.run(
            [*command, *TINY, *CHOICES, "devices=2", f"passes={passes}", *more],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert "find_unused_parameters" not in done.stderr
        assert "Grad strides" not in done.stderr
        if not more:
            found = torch.load(checkpoint_of(tmp_path / "both"), weights_only=True)
            assert found["global_step"] == 8
            for name, expected in trained_alone(tmp_path, 8).items():
                torch.testing.assert_close(
                    found["state_dict"][name], expected, rtol=1e-4, atol=1e-5, msg=name
                )
    card = (tmp_path / "both" / "model" / "README.md").read_text("utf-8")
    assert "2 processes" in card
    assert float(card.split("held-out perplexity | ")[1].split(" ")[0]) < 12
