"""A run as a whole: what it keeps, what it skips, and what it survives."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import filelock
import pytest
import torch
from omegaconf import DictConfig
from random_models import write_random_model

from elmo_bench.errors import ConfigError, TrainingError
from elmo_bench.report import rows
from elmo_bench.training.build import read_splits
from elmo_bench.training.compose import compose
from elmo_bench.training.module import TaskModule
from elmo_bench.training.predict import Predictor
from elmo_bench.training.run import train

SMALL = [
    "task=ner",
    "dataset.train=40",
    "dataset.validation=12",
    "dataset.test=12",
    "trainer.batch_examples=8",
    "trainer.max_epochs=2",
    "task.head.hidden=[8]",
    "machine.accelerator=cpu",
    "machine.loggers=[csv]",
    "elmo=folder",
]


@pytest.fixture
def overrides(tmp_path: Path) -> list[str]:
    model = write_random_model(tmp_path / "model")
    places = {"elmo.model": model, "features.folder": tmp_path / "features", "runs": tmp_path / "runs"}
    return [*SMALL, f"rows={tmp_path / 'rows.jsonl'}", *(f"{name}={path}" for name, path in places.items())]


def only_run(config: DictConfig) -> Path:
    (folder,) = Path(config.runs, "ner", "microworld").iterdir()
    return folder


def test_a_run_with_a_row_is_not_run_again(overrides: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    first = train(compose(overrides))
    steps: list[int] = []
    step = TaskModule.training_step

    def counted(self: TaskModule, batch: Any, number: int) -> Any:
        steps.append(number)
        return step(self, batch, number)

    monkeypatch.setattr(TaskModule, "training_step", counted)
    assert train(compose(overrides)) == first
    assert not steps
    again = train(compose([*overrides, "rerun=true"]))
    assert steps
    assert again["test"] == first["test"]


def test_the_row_says_what_was_run_and_on_what(overrides: list[str]) -> None:
    config = compose([*overrides, "inject=both", "seed=3", "fraction=0.5"])
    row = train(config)
    assert row["examples"] == {"train": 20, "validation": 12, "test": 12}
    assert row["inject"] == ["input", "output"]
    assert {place: len(mix["weights"]) for place, mix in row["mix"].items()} == {"input": 3, "output": 3}
    assert row["seed"] == row["config"]["seed"] == 3
    assert str(config.runs) not in json.dumps(row)
    assert set(row["data"]) == {"train", "validation", "test"}
    assert row["model"]


def test_predictions_are_kept_as_columns_with_gold_and_predicted(overrides: list[str]) -> None:
    config = compose(overrides)
    train(config)
    lines = (only_run(config) / "test.txt").read_text().splitlines()
    sentences = "\n".join(lines).strip().split("\n\n")
    assert len(sentences) == 12
    assert all(len(line.split("\t")) == 3 for sentence in sentences for line in sentence.splitlines())


def test_a_quick_look_reads_two_batches_of_each_split(overrides: list[str]) -> None:
    config = compose([*overrides, "trainer=debug", "trainer.batch_examples=3"])
    row = train(config)
    assert row["steps"] == 2 * 2
    assert len((only_run(config) / "test.jsonl").read_text().splitlines()) == 6


def test_mix_weights_are_logged_every_epoch(overrides: list[str]) -> None:
    config = compose(overrides)
    train(config)
    (log,) = only_run(config).glob("logs/*/metrics.csv")
    header, *lines = [line.split(",") for line in log.read_text().splitlines()]
    column = header.index("mix/input/gamma")
    assert len([line for line in lines if line[column]]) == 3  # after each epoch, and of the best one


def test_live_features_train_like_stored_ones_of_the_same_precision(overrides: list[str]) -> None:
    stored = train(compose([*overrides, "features.precision=single"]))
    live = train(compose([o for o in overrides if not o.startswith("features.")] + ["features=live"]))
    assert live["test"] == stored["test"]
    assert live["mix"] == stored["mix"]


def test_a_loss_that_is_not_a_number_stops_and_keeps_the_last_checkpoint(
    overrides: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = compose([*overrides, "machine.checkpoint_minutes=0.0001"])
    with monkeypatch.context() as patched:
        patched.setattr(TaskModule, "training_step", broken_at(7))
        with pytest.raises(TrainingError, match=r"nan at step 7 \(learning rate 1\.00e-03\)"):
            train(config)
    kept = torch.load(only_run(config) / "checkpoints" / "last.ckpt", weights_only=True)
    assert 0 < kept["global_step"] <= 7
    assert train(config)["steps"] == 10


def broken_at(stop: int) -> Any:
    step = TaskModule.training_step

    def wrapped(self: TaskModule, batch: Any, number: int) -> Any:
        if self.global_step == stop:
            with torch.no_grad():
                for parameter in self.head.parameters():
                    parameter.fill_(torch.nan)
        return step(self, batch, number)

    return wrapped


def test_a_run_that_is_under_way_elsewhere_is_left_alone(overrides: list[str]) -> None:
    config = compose(overrides)
    train(config)
    with filelock.FileLock(only_run(config) / ".lock"), pytest.raises(TrainingError, match="another process"):
        train(compose([*overrides, "rerun=true"]))


def test_a_dataset_without_a_column_is_refused_by_name(overrides: list[str], tmp_path: Path) -> None:
    for split in ("train", "dev", "test"):
        (tmp_path / f"{split}.conll").write_text("a\tO\n\n")
    config = compose([*overrides[:1], *overrides[5:], "dataset=wnut17", f"dataset.folder={tmp_path}"])
    config.dataset.read._target_ = "elmo_bench.data.formats.columns.read_columns"
    config.dataset.read = {
        "_target_": config.dataset.read._target_,
        "_partial_": True,
        "columns": {"tokens": 0},
    }
    with pytest.raises(ConfigError, match="no column 'tags'"):
        train(config)


@pytest.mark.slow
def test_two_processes_train_one_head_and_score_every_example_once(
    overrides: list[str], tmp_path: Path
) -> None:
    several = [*overrides, "machine.devices=2", "trainer.batch_examples=5"]
    command = [sys.executable, "-m", "elmo_bench", "train", *several]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (row,) = rows.read(tmp_path / "rows.jsonl")
    assert row["steps"] == 2 * 4  # two epochs of eight batches, four for each process
    config = compose(several)
    predictor = Predictor(only_run(config))
    test = read_splits(config, predictor.task).test
    assert test is not None
    predictions = [prediction for _, prediction in predictor.predict(test.to_list())]
    assert predictor.task.score(test.to_list(), predictions) == row["test"]


@pytest.mark.slow
def test_a_run_killed_at_any_moment_ends_as_one_that_was_not(overrides: list[str], tmp_path: Path) -> None:
    longer = [*overrides, "trainer.max_epochs=12", "machine.checkpoint_minutes=0.0001"]
    expected = train(compose([*longer, f"runs={tmp_path / 'whole'}", f"rows={tmp_path / 'whole.jsonl'}"]))
    command = [sys.executable, "-m", "elmo_bench", "train", *longer]
    generator = random.Random(5)
    config = compose(longer)
    last = Path(config.runs, "ner", "microworld", expected["config_hash"][:12], "checkpoints", "last.ckpt")
    for _ in range(2):
        running = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        before = last.stat().st_mtime_ns if last.exists() else 0
        wait_for_another(last, before, running)
        time.sleep(generator.uniform(0.0, 0.3))
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
    found = train(config)
    assert list(rows.read(tmp_path / "rows.jsonl")) == [found]
    for name in ("test", "validation", "mix", "steps", "best_epoch"):
        assert found[name] == expected[name], name


def wait_for_another(path: Path, before: int, running: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 120
    while running.poll() is None and not (path.exists() and path.stat().st_mtime_ns > before):
        assert time.monotonic() < end
        time.sleep(0.02)
