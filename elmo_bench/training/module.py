"""The one LightningModule of every task: frozen features in, a mix and a head in training."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytorch_lightning as lightning
import torch
from torch import Tensor
from torch.optim import Optimizer

from elmo_bench.data.batching import Batch
from elmo_bench.errors import TrainingError
from elmo_bench.features.inject import Injection
from elmo_bench.training.data import TaskData
from elmo_bench.training.task import Example, Head, Prediction

OptimizerFactory = Callable[[Iterator[torch.nn.Parameter]], Optimizer]
ScheduleFactory = Callable[[Optimizer], Any]


class TaskModule(lightning.LightningModule):
    """Trains what needs training, and scores each split as a whole, whatever the number of processes."""

    def __init__(
        self,
        head: Head,
        injection: Injection,
        data: TaskData,
        optimizer: OptimizerFactory,
        schedule: ScheduleFactory | None = None,
        *,
        seed: int,
    ) -> None:
        super().__init__()
        self.head, self.injection = head, injection
        self._data, self._optimizer, self._schedule, self._seed = data, optimizer, schedule, seed
        self._found: dict[int, Prediction] = {}
        self.examples: list[Example] = []  # of the split that was scored last, with what was predicted
        self.predictions: list[Prediction] = []
        self.scores: dict[str, float] = {}

    def training_step(self, batch: Batch, number: int) -> Tensor:
        # The randomness of a step depends on its number alone, so that a resumed run repeats it.
        torch.manual_seed(hash((self._seed, self.global_step, self.global_rank)) & 0x7FFF_FFFF)
        loss = self.head.loss(batch)
        if not torch.isfinite(loss):
            rate = self.trainer.optimizers[0].param_groups[0]["lr"]
            raise TrainingError(
                f"The loss is {loss.item()} at step {self.global_step} (learning rate {rate:.2e}). The last "
                "checkpoint is untouched: try a lower optimizer.lr or a smaller trainer.gradient_clip."
            )
        self.log("loss", loss.detach(), prog_bar=True, batch_size=len(batch.numbers))
        return loss + self.injection.penalty() + self.head.penalty()

    def validation_step(self, batch: Batch, number: int) -> None:
        self._predict(batch)

    def test_step(self, batch: Batch, number: int) -> None:
        self._predict(batch)

    def on_validation_epoch_end(self) -> None:
        self._score("validation")
        self.log_dict(
            {f"validation/{name}": value for name, value in self.scores.items() if "/" not in name},
            sync_dist=False,
        )
        self.log("score", self.scores[self._data.task.headline], prog_bar=True, sync_dist=False)
        self.log_dict(self._mix_figures(), sync_dist=False)

    def on_test_epoch_end(self) -> None:
        self._score("test")

    def _predict(self, batch: Batch) -> None:
        self._found.update(zip(batch.numbers.tolist(), self.head.predict(batch), strict=True))

    def _score(self, split: str) -> None:
        """Scores every example once: processes exchange predictions, not averages."""
        for part in self._from_all_processes(self._found):
            self._found.update(part)
        numbers = sorted(self._found)
        self.examples = [self._data.examples(split)[number] for number in numbers]
        self.predictions = [self._found[number] for number in numbers]
        self._found = {}
        self.scores = self._data.task.score(self.examples, self.predictions)

    def _from_all_processes(self, mine: dict[int, Prediction]) -> Sequence[dict[int, Prediction]]:
        if self.trainer.world_size == 1:
            return [mine]
        parts: list[Any] = [None] * self.trainer.world_size
        torch.distributed.all_gather_object(parts, mine)
        return parts

    def _mix_figures(self) -> dict[str, float]:
        figures: dict[str, float] = {}
        for place, mix in self.injection.mixes().items():
            figures[f"mix/{place}/gamma"] = mix.scale.item()
            for layer, weight in zip(mix.layers, mix.normalised.tolist(), strict=True):
                figures[f"mix/{place}/layer{layer}"] = weight
        return figures

    def configure_optimizers(self) -> Any:
        optimizer = self._optimizer(parameter for parameter in self.parameters() if parameter.requires_grad)
        if self._schedule is None:
            return optimizer
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": self._schedule(optimizer), "monitor": "score"},
        }

    def train_dataloader(self) -> Any:
        return self._data.training_batches(self.current_epoch, self.global_step, *self._share())

    def val_dataloader(self) -> Any:
        return self._data.evaluation_batches("validation", *self._share())

    def test_dataloader(self) -> Any:
        return self._data.evaluation_batches("test", *self._share())

    def _share(self) -> tuple[int, int]:
        return self.global_rank, self.trainer.world_size
