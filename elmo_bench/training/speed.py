"""What the feature store saves: an epoch of training from it, and with the biLM inside the step."""

import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hydra.utils import instantiate
from numpy.typing import NDArray
from omegaconf import DictConfig
from torch.optim import Optimizer

from elmo_bench.data.batching import BatchPlan, Features, TextBatcher, Tokens
from elmo_bench.features.store import LiveFeatures, StoredFeatures
from elmo_bench.progress import step_progress
from elmo_bench.training.build import make_head, read_splits
from elmo_bench.training.data import make_batch
from elmo_bench.training.task import Example, Head, Task
from elmo_bench.training.vectors import Embedded


@dataclass(frozen=True)
class StoreSpeed:
    """Seconds, all from one run in which the two ways took turns batch by batch."""

    batches: int
    tokens: int
    fill: float  # the biLM over the training sentences, once, into the store
    read: float  # features of the batches from the store
    stored_step: float  # all else of a step: words, forward, backward, optimiser
    live: float  # features of the batches from the biLM
    live_step: float

    @property
    def stored_epoch(self) -> float:
        return self.read + self.stored_step

    @property
    def live_epoch(self) -> float:
        return self.live + self.live_step

    @property
    def ratio(self) -> float:
        """How many times faster an epoch from the store is, once it is filled."""
        return self.live_epoch / self.stored_epoch

    @property
    def reading_share(self) -> float:
        return self.read / self.stored_epoch

    def sweep(self, runs: int, epochs: int) -> tuple[float, float]:
        """Seconds of so many runs of so many epochs: from the store with its filling, and live."""
        together = runs * epochs
        return self.fill + together * self.stored_epoch, together * self.live_epoch


def measure(config: DictConfig) -> StoreSpeed:
    """Trains one epoch of ``config``'s task on its training data, each batch from the store and live."""
    task: Task = instantiate(config.task)
    train = read_splits(config, task).train
    task.fit(train)
    sentences = list(task.sentences(train))
    encoder = instantiate(config.elmo)
    embedded: Embedded = instantiate(config.embeddings).embed(sentences, [], config.seed)
    head = make_head(config, task, encoder, embedded.rows)[0].train()
    optimizer = instantiate(config.optimizer)(p for p in head.parameters() if p.requires_grad)
    examples: list[Example] = train.to_list()
    lengths = [max(len(example[text]) for text in task.texts) for example in examples]
    limits = {"examples": config.trainer.batch_examples, "tokens": config.trainer.batch_tokens}
    plan = BatchPlan(lengths, **limits, seed=config.seed).epoch(0)
    with tempfile.TemporaryDirectory() as folder:
        features = StoredFeatures(encoder, folder)
        began = time.perf_counter()
        features.prepare(sentences)
        fill = time.perf_counter() - began
        stored, live = (
            _Way(task, head, optimizer, embedded, each) for each in (features, LiveFeatures(encoder))
        )
        with step_progress("batches, from the store and live", len(plan)) as report:
            for numbers in plan:
                batch = [examples[number] for number in numbers]
                stored.step(batch)
                live.step(batch)
                report()
    return StoreSpeed(
        len(plan), sum(map(len, sentences)), fill, stored.reading, stored.rest, live.reading, live.rest
    )


class _Way:
    """Training steps with one way to get features, and the time that they and the rest take."""

    def __init__(
        self, task: Task, head: Head, optimizer: Optimizer, embedded: Embedded, features: Features
    ) -> None:
        self._task, self._head, self._optimizer, self._features = task, head, optimizer, features
        self._batcher = TextBatcher(embedded.vocabulary, self)
        self.reading = self.rest = 0.0

    def step(self, examples: Sequence[Example]) -> None:
        began, read_before = time.perf_counter(), self.reading
        batch = make_batch(self._task, self._batcher, examples, range(len(examples)))
        self._optimizer.zero_grad()
        self._head.loss(batch).backward()
        self._optimizer.step()
        self.rest += time.perf_counter() - began - (self.reading - read_before)

    def prepare(self, sentences: Iterable[Tokens]) -> None:
        self._features.prepare(sentences)

    def read(self, sentences: Sequence[Tokens]) -> NDArray[Any]:
        """Stands between the batcher and the features, with a watch."""
        began = time.perf_counter()
        found: NDArray[np.float16] = self._features.read(sentences)
        self.reading += time.perf_counter() - began
        return found
