"""One pretraining run, from a config to a model's folder."""

import logging
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import filelock
import pytorch_lightning as lightning
import torch
from hydra.utils import instantiate
from lightning_fabric.plugins.io.torch_io import TorchCheckpointIO
from omegaconf import DictConfig, OmegaConf
from pytorch_lightning.callbacks import ModelCheckpoint, RichProgressBar
from pytorch_lightning.loggers import CSVLogger, TensorBoardLogger
from pytorch_lightning.strategies import DDPStrategy

from elmo_bench.bilm.locate import locate
from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.options import Options
from elmo_bench.bilm.pretrain.card import write_card
from elmo_bench.bilm.pretrain.corpus import Corpus, prepare
from elmo_bench.bilm.pretrain.curve import draw_curve
from elmo_bench.bilm.pretrain.heldout import Heldout, HeldoutPerplexity
from elmo_bench.bilm.pretrain.language_model import LanguageModel, has_softmax, make_softmax
from elmo_bench.bilm.pretrain.module import Pretraining
from elmo_bench.bilm.pretrain.windows import Streams
from elmo_bench.bilm.weights import read_model
from elmo_bench.errors import TextError, TrainingError
from elmo_bench.files import writing

_log = logging.getLogger(__name__)

_BITS = {"fp32": 32, "bf16": 16}


def pretrain(config: DictConfig) -> Path:
    """Trains a new biLM, or an old one further, and returns the folder with the result."""
    out = Path(config.out)
    last = _last_checkpoint(out, config.resume)
    out.mkdir(parents=True, exist_ok=True)
    if config.devices > 1 and not torch.cuda.is_available():
        torch.set_num_threads(1)
    model, corpus = _model_and_corpus(config, out)
    heldout = Heldout.read(files(config.heldout)) if config.heldout else None
    before = heldout.perplexity(model) if heldout and config.start_from and _is_first_process() else None
    module = _module(config, model, corpus)
    trainer = _trainer(config, out, module.total_steps, heldout)
    trainer.fit(module, ckpt_path=last, weights_only=True)
    if trainer.is_global_zero:
        _finish(config, out, model, corpus, module, heldout, before)
    return out / "model"


def files(patterns: Any) -> list[Path]:
    """Expands a pattern or a list of them; one that matches nothing is a mistake."""
    found: list[Path] = []
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        path = Path(pattern)
        matches = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
        if not matches:
            raise TextError(f"{pattern}: no such file; expected text, one tokenised sentence a line.")
        found += matches
    return found


def _model_and_corpus(config: DictConfig, out: Path) -> tuple[LanguageModel, Corpus]:
    """A model that starts from another keeps its vocabulary; a published one has none and gets the text's."""
    origin = config.start_from
    old = LanguageModel.read(origin) if origin and has_softmax(origin) else None
    with filelock.FileLock(out / "corpus.lock"):
        corpus = prepare(
            files(config.text),
            out / "corpus",
            floor=config.vocabulary_floor,
            vocabulary=old.vocabulary if old else None,
        )
    if old:
        return old, corpus
    if origin:
        bilm = read_model(*locate(origin))
        bilm.requires_grad_(False)
    else:
        bilm = BiLM.random(Options.parse(OmegaConf.to_container(config.size)), config.seed)
    options: dict[str, Any] = OmegaConf.to_container(config.softmax)  # type: ignore[assignment]
    torch.manual_seed(config.seed)
    softmax = make_softmax(options, bilm.options.projection, corpus.vocabulary)
    model = LanguageModel(bilm, corpus.vocabulary, softmax, options)
    if origin:
        _fit_softmax(config, model, corpus, out / "softmax")
        bilm.requires_grad_(True)
    return model, corpus


def _fit_softmax(config: DictConfig, model: LanguageModel, corpus: Corpus, out: Path) -> None:
    """Fits a softmax on a biLM that came without one and stays as it is."""
    _log.info("Fitting a softmax on the frozen model first.")
    module = _module(config, model, corpus)
    _trainer(config, out, module.total_steps, None).fit(module)


def _module(config: DictConfig, model: LanguageModel, corpus: Corpus) -> Pretraining:
    rank = int(os.environ.get("LOCAL_RANK", 0))
    sizes = {"streams": config.streams, "steps": config.steps}
    streams = Streams(corpus, **sizes, seed=config.seed, rank=rank, world=config.devices)
    return Pretraining(
        model,
        streams,
        corpus.characters(model.bilm.options.characters_per_token),
        instantiate(config.optimizer),
        total_steps=max(1, round(config.passes * streams.windows_per_epoch)),
        dropout=config.dropout,
        bits=_BITS[config.precision],
        seed=config.seed,
    )


def _trainer(config: DictConfig, out: Path, steps: int, heldout: Heldout | None) -> lightning.Trainer:
    every = timedelta(minutes=config.checkpoint_minutes)
    callbacks: list[lightning.Callback] = [
        ModelCheckpoint(out / "checkpoints", "{step}", train_time_interval=every, save_last="link"),
        RichProgressBar(),
    ]
    if heldout:
        callbacks.append(HeldoutPerplexity(heldout, config.validate_steps))
    # A step in which no target falls into a cluster of the softmax leaves that cluster without a gradient.
    several = DDPStrategy(find_unused_parameters=True) if config.devices > 1 else "auto"
    return lightning.Trainer(
        max_steps=steps,
        accelerator=config.accelerator,
        devices=config.devices,
        strategy=several,
        plugins=[AtomicCheckpoints()],
        gradient_clip_val=config.gradient_clip,
        callbacks=callbacks,
        logger=[CSVLogger(out, "logs"), TensorBoardLogger(str(out), "tensorboard")],
        log_every_n_steps=50,
        use_distributed_sampler=False,
        enable_model_summary=False,
    )


def _finish(
    config: DictConfig,
    out: Path,
    model: LanguageModel,
    corpus: Corpus,
    module: Pretraining,
    heldout: Heldout | None,
    before: float | None,
) -> None:
    """Writes the model with its card, and draws the loss."""
    folder = out / "model"
    model.write(folder)
    draw_curve(out / "logs", folder / "curve.png")
    write_card(config, folder, model, corpus, module, heldout)
    if heldout and before is not None:
        after = heldout.perplexity(model)
        _log.warning("Perplexity on the held-out text: %.1f before, %.1f after.", before, after)


class AtomicCheckpoints(TorchCheckpointIO):
    """A checkpoint takes its name when it is whole: a kill in the middle leaves the one before."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Any, storage_options: Any = None) -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with writing(Path(path)) as temporary:
            super().save_checkpoint(checkpoint, temporary, storage_options)


def _last_checkpoint(out: Path, resume: bool) -> str | None:
    last = out / "checkpoints" / "last.ckpt"
    if resume and not last.exists():
        raise TrainingError(f"{last}: no such checkpoint; start without resume=true.")
    if last.exists() and not resume and _is_first_process():
        raise TrainingError(
            f"{out} already holds a run. Go on with it (resume=true), or choose another folder (out=…)."
        )
    return str(last) if resume else None


def _is_first_process() -> bool:
    return int(os.environ.get("LOCAL_RANK", 0)) == 0
