"""The two versions of training do the same, and are timed as they are."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from typer.testing import CliRunner

from elmo_bench.bilm.pretrain import speed
from elmo_bench.bilm.pretrain.corpus import Corpus
from elmo_bench.bilm.pretrain.recurrence import kernel_of
from elmo_bench.bilm.pretrain.speed import measure
from elmo_bench.bilm.pretrain.synthetic import synthetic_corpus
from elmo_bench.bilm.pretrain.versions import OURS, PLAIN, Setting, losses, trainings
from elmo_bench.bilm.pretrain.windows import Streams
from elmo_bench.cli import app
from elmo_bench.errors import ConfigError

TINY = Setting(
    size={
        "lstm": {
            "dim": 128, "projection_dim": 64, "n_layers": 2, "use_skip_connections": True,
            "cell_clip": 3, "proj_clip": 3,
        },
        "char_cnn": {
            "activation": "relu", "filters": [[1, 4], [2, 8], [3, 70]], "n_highway": 1,
            "embedding": {"dim": 16},
        },
    },
    vocabulary=300, cutoffs=(20, 100), shrink=2.0, streams=8, steps=6, dropout=0.1, gradient_clip=1.0,
    learning_rate=0.01, bits=32,
)  # fmt: skip

needs_kernel = pytest.mark.skipif(kernel_of(32) is None, reason="no C compiler here")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return synthetic_corpus(tmp_path_factory.mktemp("corpus"), TINY.vocabulary)


def named_gradients(loss: nn.Module) -> dict[str, Tensor]:
    """By the name that both versions have for a parameter."""
    found = {}
    for name, parameter in loss.named_parameters():
        assert parameter.grad is not None, name
        found[name.removeprefix("_module.").replace("softmax.clusters", "clusters")] = parameter.grad
    return found


@needs_kernel
def test_plain_version_has_the_same_loss_and_gradients(corpus: Corpus) -> None:
    streams = Streams(corpus, streams=TINY.streams, steps=TINY.steps, seed=0)
    ours, plain = losses(TINY, corpus, streams)
    for number in range(3):  # the states that windows hand on are in it, too
        values, gradients = [], []
        for loss in (ours, plain):
            torch.manual_seed(number)  # of dropout
            loss.zero_grad()
            value = loss(streams.window(number))
            value.backward()
            values.append(value.item())
            gradients.append(named_gradients(loss))
        mine, theirs = gradients
        assert values[0] == pytest.approx(values[1], rel=1e-4)
        assert mine.keys() == theirs.keys()
        for name, gradient in theirs.items():
            assert gradient.abs().max() > 0, name
            assert (mine[name] - gradient).abs().max() <= 1e-4 * gradient.abs().max(), name


@needs_kernel
@pytest.mark.parametrize(("bits", "near"), [(32, 1e-4), (16, 1e-2)])
def test_both_versions_take_the_same_steps(bits: int, near: float, corpus: Corpus) -> None:
    both = trainings(replace(TINY, bits=bits, dropout=0.0), corpus.folder)
    ours = [both[OURS].step() for _ in range(10)]
    plain = [both[PLAIN].step() for _ in range(10)]
    assert ours == pytest.approx(plain, rel=near)
    assert ours[-1] < ours[0] - 0.5


def test_mini_is_measured_as_it_is_trained() -> None:
    setting = Setting.of_mini()
    assert setting.size["lstm"]["dim"] == 1024
    assert setting.size["lstm"]["projection_dim"] == 128
    assert sum(count for _, count in setting.size["char_cnn"]["filters"]) == 512
    assert (setting.streams, setting.steps, setting.bits) == (64, 20, 16)
    assert setting.cutoffs == (2000, 20000, 80000)


def test_synthetic_words_fall_with_their_rank(corpus: Corpus) -> None:
    counts = np.bincount(corpus.tokens, minlength=TINY.vocabulary)
    ranks = np.arange(1, TINY.vocabulary - 2)
    expected = 1 / ((ranks + 3) * (1 + ranks / 10_000))
    assert len(set(corpus.words)) == len(corpus.words) == TINY.vocabulary
    assert counts[:3].sum() == 0
    for part in (slice(1), slice(100), slice(100, None)):
        share = expected[part].sum() / expected.sum()
        assert counts[3:][part].sum() / counts.sum() == pytest.approx(share, rel=0.1)


@pytest.mark.slow
def test_speed_of_two_processes_is_that_of_all_their_tokens() -> None:
    rounds: list[float] = []
    begin = time.perf_counter()
    report = measure(TINY, [2], 3, lambda: rounds.append(time.perf_counter()))
    (row,) = report.rows
    assert (row.processes, len(rounds)) == (2, 3)
    tokens = 2 * 4 * 8 * 6  # processes, windows of a turn, streams, steps
    assert min(row.ours, row.plain) > tokens / (rounds[-1] - begin)


def test_figures_are_medians_and_the_ratio_is_that_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([1.0, 2.0, 4.0, 12.0, 2.0, 5.0])

    @contextmanager
    def workers(setting: Setting, folder: Path, world: int) -> Iterator[Callable[[str], float]]:
        yield lambda name: next(seconds)

    monkeypatch.setattr(speed, "_workers", workers)
    (row,) = measure(TINY, [1], 3).rows
    tokens = 4 * 8 * 6
    assert (row.ours, row.plain, row.ratio) == (tokens / 2, tokens / 5, 2.5)


@pytest.mark.parametrize("option", ["--batch=8", "--model=small", "--precision=bf16", "--memory"])
def test_options_of_the_other_measurement_are_refused(option: str) -> None:
    refused = CliRunner().invoke(app, ["speed", "--pretrain", option]).exception
    assert isinstance(refused, ConfigError)
    assert "only --json goes with it" in str(refused)
