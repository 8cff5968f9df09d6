"""The examples of a run, and the batches that its epochs read."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_bench.data.batching import Batch, BatchPlan, TextBatcher
from elmo_bench.data.splits import Splits
from elmo_bench.training.task import Example, Task

_TRAIN = "train"


class TaskData:
    """Splits, seen as batches of one task."""

    def __init__(
        self,
        task: Task,
        splits: Splits,
        batcher: TextBatcher,
        *,
        batch_examples: int,
        batch_tokens: int | None,
        limit_batches: int | None,
        seed: int,
    ) -> None:
        self.task, self._batcher = task, batcher
        self._examples: dict[str, list[Example]] = {
            name: dataset.to_list() for name, dataset in splits.named()
        }
        self._plans = {
            name: BatchPlan(
                self._lengths(examples),
                examples=batch_examples,
                tokens=batch_tokens,
                most=limit_batches,
                seed=seed,
            )
            for name, examples in self._examples.items()
        }

    def examples(self, split: str) -> list[Example]:
        return self._examples[split]

    def training_batches(self, epoch: int, steps_done: int, rank: int, world: int) -> "Batches":
        """The batches of an epoch from where training stands; it may stand in the middle of it."""
        plan = self._plans[_TRAIN]
        done = steps_done - plan.batches_before(epoch, world)
        return Batches(self, _TRAIN, plan.epoch(epoch, rank, world), done)

    def evaluation_batches(self, split: str, rank: int, world: int) -> "Batches":
        return Batches(self, split, self._plans[split].in_order(rank, world))

    def batch(self, split: str, numbers: Sequence[int] | NDArray[np.int64]) -> Batch:
        return make_batch(self.task, self._batcher, [self._examples[split][n] for n in numbers], numbers)

    def _lengths(self, examples: list[Example]) -> list[int]:
        return [max(len(example[text]) for text in self.task.texts) for example in examples]


def make_batch(
    task: Task, batcher: TextBatcher, examples: Sequence[Example], numbers: Any, *, with_targets: bool = True
) -> Batch:
    """Tensors of some examples; new text has no targets."""
    texts = {name: batcher([example[name] for example in examples]) for name in task.texts}
    tokens = texts[task.texts[0]].mask.shape[1]
    targets = task.targets(examples, tokens) if with_targets else {}
    return Batch(torch.as_tensor(np.asarray(numbers)), texts, targets)


class Batches:
    """An epoch's batches, read one ahead in a thread while the step before computes."""

    def __init__(self, data: TaskData, split: str, plan: list[NDArray[np.int64]], begin: int = 0) -> None:
        self._data, self._split, self._plan, self._begin = data, split, plan, begin

    def __len__(self) -> int:
        return len(self._plan)

    def __iter__(self) -> Iterator[Batch]:
        plan = self._plan[self._begin :]
        with ThreadPoolExecutor(1) as reader:
            ahead = [reader.submit(self._data.batch, self._split, numbers) for numbers in plan[:1]]
            for number in range(len(plan)):
                batch = ahead.pop().result()
                ahead += [
                    reader.submit(self._data.batch, self._split, numbers)
                    for numbers in plan[number + 1 : number + 2]
                ]
                yield batch
