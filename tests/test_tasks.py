"""One contract for every folder in ``tasks/``."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig
from random_models import write_random_model

from elmo_bench.data.batching import TextBatcher
from elmo_bench.report import rows
from elmo_bench.training.build import make_frozen, make_head, read_splits
from elmo_bench.training.compose import compose
from elmo_bench.training.data import make_batch
from elmo_bench.training.identity import digest, identity
from elmo_bench.training.module import TaskModule
from elmo_bench.training.predict import Predictor
from elmo_bench.training.run import train
from elmo_bench.training.task import Task
from elmo_bench.training.vectors import RandomVectors

TASKS = sorted(path.parent.name for path in Path(__file__).resolve().parents[1].glob("tasks/*/task.py"))

SMALL = [
    "dataset=microworld",
    "dataset.train=40",
    "dataset.validation=12",
    "dataset.test=12",
    "trainer.batch_examples=8",
    "machine.accelerator=cpu",
    "machine.loggers=[csv]",
    "elmo=folder",
    "inject=both",
]


def test_there_are_tasks() -> None:
    assert "ner" in TASKS


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_random_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(params=TASKS)
def overrides(request: pytest.FixtureRequest, model: Path, tmp_path: Path) -> list[str]:
    return [
        f"task={request.param}",
        *SMALL,
        f"elmo.model={model}",
        f"features.folder={tmp_path / 'features'}",
        f"runs={tmp_path / 'runs'}",
        f"rows={tmp_path / 'rows.jsonl'}",
    ]


class Parts:
    """A task, its examples and an untrained head, without a trainer."""

    def __init__(self, config: DictConfig) -> None:
        self.task: Task = instantiate(config.task)
        splits = read_splits(config, self.task)
        self.task.fit(splits.train)
        self.frozen = make_frozen(config)
        embedded = RandomVectors(8, True).embed(self.task.sentences(splits.train), [], 1)
        self.batcher = TextBatcher(embedded.vocabulary, self.frozen.features)
        self.head, self.injection = make_head(config, self.task, self.frozen.encoder, embedded.rows)
        self.examples: list[dict[str, Any]] = splits.train.to_list()

    def batch(self, numbers: list[int]) -> Any:
        return make_batch(self.task, self.batcher, [self.examples[n] for n in numbers], numbers)


def test_only_mix_and_head_train_and_all_of_them_do(overrides: list[str]) -> None:
    parts = Parts(compose(overrides))
    assert parts.frozen.encoder is not None
    bilm = parts.frozen.encoder.model
    before = {name: value.clone() for name, value in bilm.state_dict().items()}
    parts.head.train()
    loss = parts.head.loss(parts.batch(list(range(16)))) + parts.injection.penalty()
    loss.backward()
    gradients = {name: p.grad for name, p in parts.head.named_parameters() if p.requires_grad}
    places = [f"injection.{place}.mix" for place in ("input", "output")]
    assert {f"{place}.{part}" for place in places for part in ("logits", "scale")} <= set(gradients)
    assert not [name for name, gradient in gradients.items() if gradient is None or not gradient.any()]
    assert all(parameter.grad is None for parameter in bilm.parameters())
    assert all(torch.equal(value, before[name]) for name, value in bilm.state_dict().items())


def test_a_batch_predicts_what_each_example_alone_does(overrides: list[str]) -> None:
    parts = Parts(compose(overrides))
    parts.head.double().eval()
    numbers = list(range(10))
    with torch.inference_mode():
        together = parts.head.predict(parts.batch(numbers))
        alone = [parts.head.predict(parts.batch([number]))[0] for number in numbers]
    assert together == alone


def test_gold_against_gold_is_100(overrides: list[str]) -> None:
    parts = Parts(compose(overrides))
    gold = [parts.task.gold(example) for example in parts.examples]
    assert parts.task.score(parts.examples, gold)[parts.task.headline] == pytest.approx(100.0)


def test_a_run_saves_loads_and_predicts_the_same(overrides: list[str], tmp_path: Path) -> None:
    config = compose([*overrides, "trainer.max_epochs=2"])
    row = train(config)
    folder = run_folder(config, row)
    kept = [json.loads(line) for line in (folder / "test.jsonl").read_text().splitlines()]
    predictor = Predictor(folder)
    examples = read_splits(config, instantiate(config.task)).test
    assert examples is not None
    again = [prediction for _, prediction in predictor.predict(examples.to_list())]
    assert json.loads(json.dumps(again)) == kept
    score = predictor.task.score(examples.to_list(), again)[predictor.task.headline]
    assert score == row["score"] == row["test"][row["metric"]]
    assert list(rows.read(tmp_path / "rows.jsonl")) == [row]


def test_an_interrupted_run_ends_as_an_uninterrupted_one(
    overrides: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = compose([*overrides, "trainer.max_epochs=3", "machine.checkpoint_minutes=0.0001"])
    whole = train(config)
    folder = run_folder(config, whole)
    shutil.move(folder, tmp_path / "whole")
    (tmp_path / "rows.jsonl").unlink()
    for number, stop in enumerate((3, 7, 10)):  # in the middle of epochs, and at the beginning of one
        with monkeypatch.context() as patched:
            patched.setattr(TaskModule, "training_step", interrupted_at(stop))
            with pytest.raises(InterruptedError):
                train(config)
        assert not (tmp_path / "rows.jsonl").exists(), number
    resumed = train(config)
    for name in ("test", "validation", "mix", "steps", "epochs", "best_epoch"):
        assert resumed[name] == whole[name], name
    expected, found = (
        torch.load(path / "checkpoints" / "best.ckpt", weights_only=True)["state_dict"]
        for path in (tmp_path / "whole", folder)
    )
    assert all(torch.equal(value, found[name]) for name, value in expected.items())


def interrupted_at(stop: int) -> Any:
    step = TaskModule.training_step

    def wrapped(self: TaskModule, batch: Any, number: int) -> Any:
        if self.global_step == stop:
            raise InterruptedError
        return step(self, batch, number)

    return wrapped


def run_folder(config: DictConfig, row: rows.Row) -> Path:
    assert row["config_hash"] == digest(identity(config))
    return Path(config.runs, row["task"], row["dataset"], row["config_hash"][:12])
