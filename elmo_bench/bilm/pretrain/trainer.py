"""The Lightning trainer of a pretraining run: its processes, its bar, its checkpoint and its logs."""

from pathlib import Path
from typing import Any

import pytorch_lightning as lightning
import torch
from omegaconf import DictConfig
from pytorch_lightning.callbacks import RichProgressBar
from pytorch_lightning.loggers import CSVLogger, TensorBoardLogger
from pytorch_lightning.strategies import DDPStrategy
from torch import Tensor
from torch.distributed import GradBucket  # type: ignore[attr-defined]
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import bf16_compress_hook
from torch.futures import Future
from torch.nn.parallel import DistributedDataParallel

from elmo_bench.bilm.pretrain.heldout import Heldout, HeldoutPerplexity
from elmo_bench.checkpoint import AtomicCheckpoints, NewestCheckpoint, checkpoint_of


def make_trainer(config: DictConfig, out: Path, steps: int, heldout: Heldout | None) -> lightning.Trainer:
    """A trainer that takes ``steps`` steps in all, with those before it was resumed."""
    callbacks: list[lightning.Callback] = [
        NewestCheckpoint(checkpoint_of(out), config.checkpoint_minutes, at_end=True),
        _StepsBar(),
    ]
    if heldout:
        callbacks.append(HeldoutPerplexity(heldout, config.validate_steps))
    return lightning.Trainer(
        max_steps=steps,
        accelerator=config.accelerator,
        devices=config.devices,
        strategy=_Processes(config.precision == "bf16") if config.devices > 1 else "auto",
        precision=_autocast(config),
        plugins=[AtomicCheckpoints()],
        gradient_clip_val=config.gradient_clip,
        callbacks=callbacks,
        logger=[CSVLogger(out, "logs"), TensorBoardLogger(str(out), "tensorboard")],
        log_every_n_steps=max(1, min(50, steps // 20)),
        use_distributed_sampler=False,
        enable_model_summary=False,
    )


def _autocast(config: DictConfig) -> Any:
    """On a GPU torch rounds the products; on a CPU our own kernels do, where that is worth it."""
    on_gpu = torch.cuda.is_available() and config.accelerator != "cpu"
    return "bf16-mixed" if on_gpu and config.precision == "bf16" else "32-true"


class _Processes(DDPStrategy):
    """Several processes that share their gradients, rounded where the products are rounded as well."""

    def __init__(self, rounded: bool) -> None:
        super().__init__()
        self._rounded = rounded

    def configure_ddp(self) -> None:
        super().configure_ddp()
        if self._rounded:
            # Not by Lightning's argument for hooks, which has no effect on a CPU.
            assert isinstance(self.model, DistributedDataParallel)
            self.model.register_comm_hook(None, _in_bfloat16)


def _in_bfloat16(group: Any, bucket: GradBucket) -> Future[Tensor]:
    """Averages gradients over all processes in half the bytes.

    It has a name of its own because torch takes its own hook, by name, for one that needs a GPU.
    """
    return bf16_compress_hook(group, bucket)


class _StepsBar(RichProgressBar):
    """Knows how many steps there are, and so the time left, although the windows have no end."""

    @property
    def total_train_batches(self) -> Any:
        begun: int = self.trainer.fit_loop.epoch_loop.batch_progress.current.ready
        return begun + self.trainer.max_steps - self.trainer.global_step

    def _get_train_description(self, current_epoch: int) -> str:
        return "training"  # as windows have no end, there are no epochs to count
