"""Lightning's Trainer as a config asks for it."""

import importlib.util
import logging
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytorch_lightning as lightning
import torch
from omegaconf import DictConfig
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint, RichProgressBar
from pytorch_lightning.loggers import CSVLogger, Logger, MLFlowLogger, TensorBoardLogger, WandbLogger

from elmo_bench.checkpoint import AtomicCheckpoints, NewestCheckpoint, checkpoint_of
from elmo_bench.errors import ConfigError

_SCORE = "score"

_LOGGERS: dict[str, Callable[[str], Logger]] = {
    "csv": lambda folder: CSVLogger(folder, "logs"),
    "tensorboard": lambda folder: TensorBoardLogger(folder, "tensorboard"),
    "wandb": lambda folder: WandbLogger(save_dir=folder, name=Path(folder).name, project="elmo_bench"),
    "mlflow": lambda folder: MLFlowLogger(
        "elmo_bench", run_name=Path(folder).name, tracking_uri=f"file:{folder}/mlflow"
    ),
}


def make_trainer(config: DictConfig, folder: Path) -> lightning.Trainer:
    """Keeps the best epoch and, every few minutes, the last step; stops when the score has stopped rising."""
    _quieten()
    options, machine = config.trainer, config.machine
    if machine.devices > 1 and not torch.cuda.is_available():
        torch.set_num_threads(max(1, (os.cpu_count() or 1) // machine.devices))
    callbacks: list[lightning.Callback] = [
        EarlyStopping(_SCORE, mode="max", patience=options.patience),
        ModelCheckpoint(
            folder / "checkpoints", "best", monitor=_SCORE, mode="max", enable_version_counter=False
        ),
        NewestCheckpoint(checkpoint_of(folder), machine.checkpoint_minutes, at_end=False),
    ]
    watched = sys.stderr.isatty()
    if watched:
        callbacks.append(RichProgressBar())
    return lightning.Trainer(
        max_epochs=options.max_epochs,
        accelerator=machine.accelerator,
        devices=machine.devices,
        num_nodes=machine.nodes,
        strategy="ddp" if machine.devices * machine.nodes > 1 else "auto",
        plugins=[AtomicCheckpoints()],
        gradient_clip_val=options.gradient_clip,
        reload_dataloaders_every_n_epochs=1,
        num_sanity_val_steps=0,
        callbacks=callbacks,
        logger=[_logger(name, folder) for name in machine.loggers],
        log_every_n_steps=10,
        use_distributed_sampler=False,
        enable_model_summary=False,
        enable_progress_bar=watched,
        default_root_dir=folder,
    )


def _logger(name: str, folder: Path) -> Logger:
    if name not in _LOGGERS:
        raise ConfigError(f"machine.loggers: there is no {name}; there are: {', '.join(_LOGGERS)}.")
    if importlib.util.find_spec(name) is None and name in ("wandb", "mlflow"):
        raise ConfigError(f"machine.loggers: {name} is not installed; pip install 'elmo_bench[{name}]'.")
    return _LOGGERS[name](str(folder))


def _quieten() -> None:
    """Leaves out what Lightning says on every run, and that our batches cannot be resumed, which they can."""
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    for message in (
        ".*LeafSpec.*",
        ".*smaller than the logging interval.*",
        ".*ended before the epoch ended.*",
        "Checkpoint directory .* exists",
    ):
        warnings.filterwarnings("ignore", message)
