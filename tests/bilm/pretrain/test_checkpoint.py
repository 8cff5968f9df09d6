"""A run goes on from its newest state: after a kill, in another folder, for longer, with other rates."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from tiny_runs import TINY, WINDOWS, assert_same_weights, config, interrupt_at, write_text

from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.pretrain.run import pretrain
from elmo_bench.bilm.pretrain.windows import Streams, Window
from elmo_bench.checkpoint import checkpoint_of
from elmo_bench.errors import TrainingError

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("one_thread")]

STEADY = "optimizer.decay=0"
"""The learning rate then depends on the step alone, not on how many there will be."""


def step_of(out: Path) -> int:
    return int(torch.load(checkpoint_of(out), weights_only=True)["global_step"])


def test_killed_process_ends_with_the_weights_of_one_that_was_not(tmp_path: Path) -> None:
    out = tmp_path / "killed"
    endless = [*TINY, STEADY, "passes=100000", f"text={write_text(tmp_path)}", f"out={out}"]
    with subprocess.Popen(
        [sys.executable, "-m", "elmo_bench", "pretrain", *endless],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not checkpoint_of(out).exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        _, said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, said[-2000:]
    passes = f"passes={(step_of(out) + 10) / WINDOWS}"
    resumed = LanguageModel.read(pretrain(config(tmp_path, "killed", STEADY, passes, "resume=true")))
    assert_same_weights(resumed, LanguageModel.read(pretrain(config(tmp_path, "whole", STEADY, passes))))
    assert [path.name for path in checkpoint_of(out).parent.iterdir()] == ["last.ckpt"]


def test_copied_run_trains_longer_and_survives_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretrain(config(tmp_path, "first", STEADY, "passes=1"))
    assert step_of(tmp_path / "first") == WINDOWS
    shutil.copytree(tmp_path / "first", tmp_path / "second", symlinks=True)
    longer = config(tmp_path, "second", STEADY, "passes=2", "resume=true")
    with monkeypatch.context() as patch:
        interrupt_at(patch, WINDOWS + 6)
        with pytest.raises(RuntimeError, match="the power fails"):
            pretrain(longer)
    newest = step_of(tmp_path / "second")
    assert newest == WINDOWS + 5
    asked: list[int] = []
    whole = Streams.window

    def window(self: Streams, number: int) -> Window:
        asked.append(number)
        return whole(self, number)

    monkeypatch.setattr(Streams, "window", window)
    resumed = LanguageModel.read(pretrain(longer))
    assert asked[0] == newest
    assert_same_weights(resumed, LanguageModel.read(pretrain(config(tmp_path, "whole", STEADY, "passes=2"))))
    assert step_of(tmp_path / "first") == WINDOWS
    assert [path.name for path in (tmp_path / "second" / "checkpoints").iterdir()] == ["last.ckpt"]


def test_what_a_killed_process_left_unfinished_goes_with_the_next_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "out" / "checkpoints"
    folder.mkdir(parents=True)
    (folder / ".last.12345.ckpt").write_bytes(b"half")
    pretrain(config(tmp_path, "out", "passes=0.1"))
    assert [path.name for path in folder.iterdir()] == ["last.ckpt"]


def test_card_of_a_resumed_run_counts_from_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        interrupt_at(patch, 9)
        with pytest.raises(RuntimeError, match="the power fails"):
            pretrain(config(tmp_path, "out"))
    path = checkpoint_of(tmp_path / "out")
    content = torch.load(path, weights_only=True)
    assert content["seconds"] < 1800
    torch.save(content | {"seconds": 7200.0}, path)
    card = (pretrain(config(tmp_path, "out", "resume=true")) / "README.md").read_text("utf-8")
    assert f"| tokens and markers read | {2 * WINDOWS * 4 * 5} |" in card
    assert "| time | 2.0 hours in all, 1 processes |" in card


def test_resumed_run_must_have_the_layout_that_it_began_with(tmp_path: Path) -> None:
    pretrain(config(tmp_path, "out", "passes=0.5"))
    for choice, found in (
        ("streams=8", r"streams=4 \(now 8\)"),
        ("steps=4", r"steps=5 \(now 4\)"),
        ("size.lstm.dim=192", r"parameters=\d+ \(now \d+\)"),
        ("vocabulary_floor=3", r"vocabulary=29 \(now 9\)"),
    ):
        with pytest.raises(TrainingError, match=rf"had {found}.*Resume it with .* that it began with"):
            pretrain(config(tmp_path, "out", choice, "resume=true"))


def test_damaged_or_missing_checkpoint_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"last.ckpt: no such checkpoint; start without resume=true\.$"):
        pretrain(config(tmp_path, "out", "resume=true"))
    path = checkpoint_of(tmp_path / "out")
    path.parent.mkdir(parents=True)
    for content in (b"", b"not a checkpoint"):
        path.write_bytes(content)
        with pytest.raises(
            TrainingError, match=r"last.ckpt: not a checkpoint, or a damaged one .* start anew"
        ):
            pretrain(config(tmp_path, "out", "resume=true"))
