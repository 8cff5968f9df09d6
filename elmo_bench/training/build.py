"""Config → the objects of a run: data, features, head. Training and prediction build the same ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from hydra.utils import instantiate
from omegaconf import DictConfig

from elmo_bench.data.batching import Features, NoFeatures
from elmo_bench.data.splits import Splits, require_columns, subset
from elmo_bench.features.inject import Encoder, Injection
from elmo_bench.nn.words import Words, WordTable
from elmo_bench.training.identity import uses_elmo
from elmo_bench.training.task import Head, Task


@dataclass(frozen=True)
class Frozen:
    """A biLM and where its layers come from; neither exists for a baseline."""

    encoder: Any | None
    features: Features

    @property
    def fingerprint(self) -> str | None:
        return self.encoder.fingerprint if self.encoder else None


def read_splits(config: DictConfig, task: Task) -> Splits:
    """The examples that a run reads, with the columns that its task needs."""
    splits: Splits = instantiate(config.dataset).load(task.view)
    for name, dataset in splits.named():
        require_columns(dataset, task.columns, f"{config.dataset.name}, {name}")
    return splits.with_train(subset(splits.train, config.fraction, config.seed))


def make_frozen(config: DictConfig) -> Frozen:
    if not uses_elmo(config):
        return Frozen(None, NoFeatures())
    encoder = instantiate(config.elmo)
    return Frozen(encoder, instantiate(config.features)(encoder))


def make_head(
    config: DictConfig, task: Task, encoder: Encoder | None, rows: torch.Tensor
) -> tuple[Head, Injection]:
    """An untrained head over words that start as ``rows`` (vocabulary, dim)."""
    torch.manual_seed(config.seed)
    injection: Injection = instantiate(config.inject)(encoder, instantiate(config.mix))
    words = Words(WordTable(rows, config.embeddings.trained), instantiate(config.characters))
    return task.head(words, injection), injection


def prepare_features(task: Task, splits: Splits, features: Features) -> None:
    """Computes and keeps what is missing, so that no training step has to wait for the biLM."""
    sentences: list[Sequence[str]] = []
    for _, dataset in splits.named():
        sentences += task.sentences(dataset)
    features.prepare(sentences)
