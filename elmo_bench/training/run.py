"""One run, from a config to a result row."""

import json
import logging
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import filelock
import pytorch_lightning as lightning
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

import elmo_bench
from elmo_bench.checkpoint import checkpoint_of
from elmo_bench.data.batching import TextBatcher
from elmo_bench.data.splits import Splits, fingerprint
from elmo_bench.errors import TrainingError
from elmo_bench.files import writing
from elmo_bench.report import rows
from elmo_bench.training.build import make_frozen, make_head, prepare_features, read_splits
from elmo_bench.training.check import check
from elmo_bench.training.data import TaskData
from elmo_bench.training.identity import commit, digest, identity
from elmo_bench.training.module import TaskModule
from elmo_bench.training.task import Task
from elmo_bench.training.trainer import make_trainer
from elmo_bench.training.vectors import Embedded

_log = logging.getLogger(__name__)


def train(config: DictConfig) -> rows.Row:
    """Trains and scores, or returns the row that the same config already has."""
    check(config)
    kept = identity(config)
    config_hash = digest(kept)
    known = None if config.rerun else rows.find(Path(config.rows), config_hash)
    if known:
        _log.warning("This run has a row already (%s); rerun=true runs it again.", config_hash[:12])
        return known
    task: Task = instantiate(config.task)
    folder = Path(config.runs) / task.name / config.dataset.name / config_hash[:12]
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        if config.rerun and _is_first_process():
            shutil.rmtree(folder / "checkpoints", ignore_errors=True)
        return _Run(config, task, folder).row(kept, config_hash)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Two processes must not write one run; the processes of one training count as one."""
    if not _is_first_process():
        yield
        return
    try:
        with filelock.FileLock(folder / ".lock", timeout=0):
            yield
    except filelock.Timeout as error:
        raise TrainingError(f"{folder}: this run is under way in another process; wait for it.") from error


def _is_first_process() -> bool:
    return all(int(os.environ.get(name, 0)) == 0 for name in ("LOCAL_RANK", "NODE_RANK", "SLURM_PROCID"))


class _Run:
    """The parts of a run under way."""

    def __init__(self, config: DictConfig, task: Task, folder: Path) -> None:
        self._config, self._task, self._folder = config, task, folder
        self._splits = read_splits(config, task)
        task.fit(self._splits.train)
        self._frozen = make_frozen(config)
        prepare_features(task, self._splits, self._frozen.features)
        self._embedded = _embedded(config, task, self._splits)
        self._keep_what_prediction_needs()
        data = TaskData(
            task,
            self._splits,
            TextBatcher(self._embedded.vocabulary, self._frozen.features),
            batch_examples=config.trainer.batch_examples,
            batch_tokens=config.trainer.batch_tokens,
            limit_batches=config.trainer.limit_batches,
            seed=config.seed,
        )
        head, injection = make_head(config, task, self._frozen.encoder, self._embedded.rows)
        self._module = TaskModule(
            head,
            injection,
            data,
            instantiate(config.optimizer),
            instantiate(config.schedule),
            seed=config.seed,
        )

    def row(self, kept: dict[str, Any], config_hash: str) -> rows.Row:
        """Trains, takes up the best epoch, scores it on every split, and adds the row."""
        began = time.monotonic()
        trainer = make_trainer(self._config, self._folder)
        last = checkpoint_of(self._folder)
        trainer.fit(self._module, ckpt_path=str(last) if last.exists() else None, weights_only=True)
        training_seconds = time.monotonic() - began
        best = str(self._folder / "checkpoints" / "best.ckpt")
        epochs, steps = trainer.current_epoch, trainer.global_step
        best_epoch = torch.load(best, weights_only=True)["epoch"] + 1
        scored = [name for name, _ in self._splits.named() if name != "train"]
        figures = {split: self._evaluate(trainer, split, best) for split in scored}
        row: rows.Row = {
            "task": self._task.name,
            "dataset": self._config.dataset.name,
            "metric": self._task.headline,
            "score": figures[scored[-1]][self._task.headline],
            **figures,
            "elmo": self._config.elmo.model if self._frozen.encoder else None,
            "inject": sorted(self._module.injection.mixes()),
            "mix": self._module.injection.weights(),
            "seed": self._config.seed,
            "fraction": self._config.fraction,
            "examples": {name: len(dataset) for name, dataset in self._splits.named()},
            "parameters": sum(p.numel() for p in self._module.parameters() if p.requires_grad),
            "coverage": self._embedded.coverage,
            "epochs": epochs,
            "best_epoch": best_epoch,
            "steps": steps,
            "seconds": round(training_seconds, 1),
            "config_hash": config_hash,
            "config": kept,
            "data": {name: fingerprint(dataset) for name, dataset in self._splits.named()},
            "model": self._frozen.fingerprint,
            "version": elmo_bench.__version__,
            "commit": commit(),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        if trainer.is_global_zero:
            rows.append(Path(self._config.rows), row)
        return row

    def _evaluate(self, trainer: lightning.Trainer, split: str, best: str) -> dict[str, float]:
        """Scores the best epoch on a split and keeps what it said about each example."""
        run = trainer.validate if split == "validation" else trainer.test
        run(self._module, ckpt_path=best, verbose=False, weights_only=True)
        if trainer.is_global_zero:
            self._write_predictions(split)
        return self._module.scores

    def _write_predictions(self, split: str) -> None:
        examples, predictions = self._module.examples, self._module.predictions
        with writing(self._folder / f"{split}.jsonl") as path, path.open("w", encoding="utf-8") as file:
            for prediction in predictions:
                file.write(json.dumps(prediction, ensure_ascii=False) + "\n")
        with writing(self._folder / f"{split}.txt") as path, path.open("w", encoding="utf-8") as file:
            for example, prediction in zip(examples, predictions, strict=True):
                file.writelines(line + "\n" for line in self._task.lines(example, prediction))

    def _keep_what_prediction_needs(self) -> None:
        state = {
            "config": OmegaConf.to_container(self._config, resolve=True),
            "task": self._task.state(),
            "vocabulary": self._embedded.vocabulary.as_dict(),
            "word_dim": self._embedded.rows.shape[1],
        }
        with writing(self._folder / "run.json") as path:
            path.write_text(json.dumps(state, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _embedded(config: DictConfig, task: Task, splits: Splits) -> Embedded:
    others = (s for name, dataset in splits.named() if name != "train" for s in task.sentences(dataset))
    embedded: Embedded = instantiate(config.embeddings).embed(
        task.sentences(splits.train), others, config.seed
    )
    return embedded
