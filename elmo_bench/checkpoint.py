"""The checkpoint of a run: one file, whole at every moment, that holds the newest state."""

import pickle
import time
from pathlib import Path
from typing import Any

import pytorch_lightning as lightning
import torch
from lightning_fabric.plugins.io.torch_io import TorchCheckpointIO
from pytorch_lightning.callbacks import Checkpoint

from elmo_bench.errors import TrainingError
from elmo_bench.files import writing


def checkpoint_of(folder: Path) -> Path:
    """Where a run that has ``folder`` keeps its checkpoint."""
    return folder / "checkpoints" / "last.ckpt"


class NewestCheckpoint(Checkpoint):
    """Replaces a run's checkpoint every so many minutes.

    Never after the last step of an epoch: Lightning would go on from there with the next epoch, and leave out
    the validation that was still to come, with what it decides: the best epoch, and when to stop.

    Lightning's own callback keeps a file for each step and a link to the newest. A kill between removing the
    older file and moving the link would leave a link to nothing, and in a folder that was moved the link
    would get another name.
    """

    def __init__(self, path: Path, minutes: float, *, at_end: bool) -> None:
        """``at_end``: also when training ends, so that it can be made longer."""
        self._path, self._seconds, self._at_end = path, 60 * minutes, at_end
        self._saved = 0.0

    def on_train_start(self, trainer: lightning.Trainer, module: lightning.LightningModule) -> None:
        self._saved = time.monotonic()

    def on_train_batch_end(self, trainer: lightning.Trainer, *_: object) -> None:
        due = time.monotonic() - self._saved >= self._seconds and not trainer.is_last_batch
        if trainer.strategy.broadcast(due):  # clocks differ; every process must take part
            self._save(trainer)

    def on_train_end(self, trainer: lightning.Trainer, module: lightning.LightningModule) -> None:
        if self._at_end:
            self._save(trainer)

    def _save(self, trainer: lightning.Trainer) -> None:
        trainer.save_checkpoint(self._path, weights_only=False)
        self._saved = time.monotonic()


class AtomicCheckpoints(TorchCheckpointIO):
    """A checkpoint takes its name when it is whole: a kill in the middle leaves the one before."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Any, storage_options: Any = None) -> None:
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        for unfinished in target.parent.glob(f".{target.stem}.*{target.suffix}"):
            unfinished.unlink()  # of a process that was killed
        with writing(target) as temporary, temporary.open("wb") as file:
            try:
                torch.save(checkpoint, file)
            except RuntimeError as error:
                # On a full disk, torch fails again when it closes its archive, and hides why.
                raise error.__context__ if isinstance(error.__context__, OSError) else error from None

    def load_checkpoint(self, path: Any, *arguments: Any, **options: Any) -> dict[str, Any]:
        try:
            return super().load_checkpoint(path, *arguments, **options)
        except (OSError, EOFError, RuntimeError, pickle.UnpicklingError) as error:
            reason = str(error).split("\n")[0]
            raise TrainingError(
                f"{path}: not a checkpoint, or a damaged one ({reason}). Remove it and start anew."
            ) from error
