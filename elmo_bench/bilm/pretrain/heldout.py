"""Held-out text: what a model in training is measured on."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytorch_lightning as lightning

from elmo_bench.bilm.pretrain.corpus import read_lines
from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.pretrain.module import Pretraining
from elmo_bench.bilm.pretrain.perplexity import measure, total
from elmo_bench.errors import TextError

_SAMPLE = 1000
"""Sentences, evenly spread over the text, that a measurement during training reads."""


@dataclass(frozen=True)
class Heldout:
    """Sentences, and where each comes from if that is known."""

    sentences: list[list[str]]
    sources: list[str] | None = None

    @classmethod
    def read(cls, files: Sequence[Path], sources: Path | None = None) -> "Heldout":
        """Reads text, and the file that names the source of each of its lines."""
        lines = list(read_lines(files))
        names = [" ".join(line) for line in read_lines([sources])] if sources else None
        if names and len(names) != len(lines):
            raise TextError(
                f"{sources}: {len(names)} lines, but the text has {len(lines)}; expected one for each."
            )
        usable = [number for number, line in enumerate(lines) if isinstance(line, list)]
        sentences = [line for line in lines if isinstance(line, list)]
        return cls(sentences, [names[number] for number in usable] if names else None)

    def perplexity(self, model: LanguageModel) -> float:
        """The average of both directions, from a warm start."""
        return total(measure(model, self.sentences, "warm")).average

    def sample(self) -> "Heldout":
        return Heldout(self.sentences[:: max(1, len(self.sentences) // _SAMPLE)])


class HeldoutPerplexity(lightning.Callback):
    """Measures the perplexity of a sample of held-out text now and then."""

    def __init__(self, heldout: Heldout, every_steps: int) -> None:
        self._sample, self._every = heldout.sample(), every_steps

    def on_train_batch_end(self, trainer: lightning.Trainer, module: Any, *_: object) -> None:
        if trainer.global_step % self._every or not trainer.is_global_zero:
            return
        assert isinstance(module, Pretraining)
        value = self._sample.perplexity(module.model)
        for logger in trainer.loggers:
            logger.log_metrics({"heldout perplexity": value}, trainer.global_step)
