"""One pretraining run, from a config to a model's folder."""

import errno
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import filelock
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from elmo_bench.bilm.locate import locate
from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.options import Options
from elmo_bench.bilm.pretrain.card import Run, write_card
from elmo_bench.bilm.pretrain.choices import BITS, check_choices
from elmo_bench.bilm.pretrain.corpus import Corpus, bytes_to_read, prepare
from elmo_bench.bilm.pretrain.curve import draw_curve
from elmo_bench.bilm.pretrain.heldout import Heldout
from elmo_bench.bilm.pretrain.language_model import LanguageModel, has_softmax, make_softmax
from elmo_bench.bilm.pretrain.module import Pretraining
from elmo_bench.bilm.pretrain.perplexity import total
from elmo_bench.bilm.pretrain.trainer import make_trainer
from elmo_bench.bilm.pretrain.windows import Streams
from elmo_bench.bilm.weights import read_model
from elmo_bench.checkpoint import checkpoint_of
from elmo_bench.errors import OutputError, TextError, TrainingError
from elmo_bench.progress import byte_progress

_log = logging.getLogger(__name__)

_UNWRITABLE = {
    getattr(errno, name)
    for name in ("EACCES", "EDQUOT", "EEXIST", "EFBIG", "EIO", "ENOSPC", "ENOTDIR", "EPERM", "EROFS")
}


def pretrain(config: DictConfig) -> Path:
    """Trains a new biLM, or an old one further, and returns the folder with the result."""
    out = Path(config.out)
    check_choices(config)
    text = files(config.text)
    sources = Path(config.heldout_sources) if config.heldout_sources else None
    heldout = Heldout.read(files(config.heldout), sources) if config.heldout else None
    if config.devices > 1 and not torch.cuda.is_available():
        torch.set_num_threads(1)
    with _writing_into(out):
        _check_folder(out, config.resume)
        out.mkdir(parents=True, exist_ok=True)
        model, corpus = _model_and_corpus(config, text, out)
        fitting = None
        if config.start_from and not has_softmax(config.start_from):
            fitting = _fit_softmax(config, model, corpus, out)
        before = heldout.perplexity(model) if heldout and config.start_from and _is_first_process() else None
        training = _fit(config, model, corpus, out, config.passes, heldout)
        if training.trainer.is_global_zero:
            after = heldout.surprise(model) if heldout else None
            _finish(Run(config, model, corpus, training, fitting, before, after), out)
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


def _model_and_corpus(config: DictConfig, text: list[Path], out: Path) -> tuple[LanguageModel, Corpus]:
    """A model that starts from another keeps its vocabulary; a published one has none and gets the text's."""
    origin = config.start_from
    old = LanguageModel.read(origin) if origin and has_softmax(origin) else None
    wanted = _is_first_process()
    with (
        filelock.FileLock(out / "corpus.lock"),
        byte_progress("numbering the words", bytes_to_read(text), wanted) as report,
    ):
        vocabulary = old.vocabulary if old else None
        corpus = prepare(
            text, out / "corpus", floor=config.vocabulary_floor, vocabulary=vocabulary, report=report
        )
    if old:
        return old, corpus
    if origin:
        bilm = read_model(*locate(origin))
    else:
        bilm = BiLM.random(Options.parse(OmegaConf.to_container(config.size)), config.seed)
    options: dict[str, Any] = OmegaConf.to_container(config.softmax)  # type: ignore[assignment]
    torch.manual_seed(config.seed)
    softmax = make_softmax(options, bilm.options.projection, corpus.vocabulary)
    return LanguageModel(bilm, corpus.vocabulary, softmax, options), corpus


def _fit_softmax(config: DictConfig, model: LanguageModel, corpus: Corpus, out: Path) -> Pretraining:
    """Fits a softmax on a biLM that came without one and stays as it is."""
    _log.info("Fitting a softmax on the frozen model first.")
    model.bilm.requires_grad_(False)
    fitting = _fit(config, model, corpus, _softmax_folder(out), config.softmax_passes)
    model.bilm.requires_grad_(True)
    return fitting


def _fit(
    config: DictConfig,
    model: LanguageModel,
    corpus: Corpus,
    folder: Path,
    passes: float,
    heldout: Heldout | None = None,
) -> Pretraining:
    """Trains whatever of the model is not frozen, or goes on with that."""
    rank = int(os.environ.get("LOCAL_RANK", 0))
    sizes = {"streams": config.streams, "steps": config.steps}
    streams = Streams(corpus, **sizes, seed=config.seed, rank=rank, world=config.devices)
    module = Pretraining(
        model,
        streams,
        corpus.characters(model.bilm.options.characters_per_token),
        instantiate(config.optimizer),
        total_steps=max(1, round(passes * streams.windows_per_epoch)),
        dropout=config.dropout,
        bits=BITS[config.precision],
        seed=config.seed,
    )
    checkpoint = checkpoint_of(folder)
    before = str(checkpoint) if config.resume and checkpoint.exists() else None
    trainer = make_trainer(config, folder, module.total_steps, heldout)
    trainer.fit(module, ckpt_path=before, weights_only=True)
    return module


def _finish(run: Run, out: Path) -> None:
    """Writes the model with its card, and draws the loss."""
    folder = out / "model"
    run.model.write(folder)
    draw_curve(out / "logs", folder / "curve.png")
    write_card(run, folder)
    if run.before is not None and run.after:
        after = total(run.after).average
        _log.warning("Perplexity on the held-out text: %.1f before, %.1f after.", run.before, after)


def _softmax_folder(out: Path) -> Path:
    return out / "softmax"


def _begun(out: Path) -> bool:
    return any(checkpoint_of(folder).exists() for folder in (out, _softmax_folder(out)))


def _check_folder(out: Path, resume: bool) -> None:
    if resume and not _begun(out):
        raise TrainingError(f"{checkpoint_of(out)}: no such checkpoint; start without resume=true.")
    if not resume and _begun(out) and _is_first_process():
        raise TrainingError(
            f"{out} already holds a run. Go on with it (resume=true), or choose another folder (out=…)."
        )


@contextmanager
def _writing_into(out: Path) -> Iterator[None]:
    """Says what a full or unwritable disk means for a run."""
    try:
        yield
    except (OSError, OutputError) as error:
        if isinstance(error, OSError) and error.errno not in _UNWRITABLE:
            raise
        found = (
            f"{error.filename or out}: cannot be written ({error.strerror})."
            if isinstance(error, OSError)
            else str(error)
        )
        further = " The last checkpoint is whole: resume=true goes on from it." if _begun(out) else ""
        raise OutputError(found + further) from error


def _is_first_process() -> bool:
    return int(os.environ.get("LOCAL_RANK", 0)) == 0
