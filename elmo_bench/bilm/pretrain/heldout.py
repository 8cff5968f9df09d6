"""Held-out text: what a model in training is measured on."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytorch_lightning as lightning

from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.pretrain.module import Pretraining
from elmo_bench.bilm.pretrain.perplexity import Surprise, measure, total
from elmo_bench.bilm.pretrain.reading import existing, no_sentence, read_lines
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
        lines = list(read_lines(existing(files), empty=True))
        usable = [(number, line) for number, line in enumerate(lines) if line and isinstance(line, list)]
        if not usable:
            raise no_sentence(files, Counter(line for line in lines if isinstance(line, str)))
        sentences = [line for _, line in usable]
        if sources is None:
            return cls(sentences)
        names = list(read_lines(existing([sources]), empty=True))
        if len(names) != len(lines):
            raise TextError(
                f"{sources}: {len(names):,} lines, but the text has {len(lines):,}; expected one for each, "
                "empty lines included."
            )
        return cls(sentences, [_source(sources, number, names[number]) for number, _ in usable])

    def surprise(self, model: LanguageModel) -> dict[str, Surprise]:
        """That of each source, from a warm start."""
        return measure(model, self.sentences, "warm", self.sources)

    def perplexity(self, model: LanguageModel) -> float:
        """The average of both directions, from a warm start."""
        return total(self.surprise(model)).average

    def sample(self) -> "Heldout":
        return Heldout(self.sentences[:: max(1, len(self.sentences) // _SAMPLE)])


def _source(path: Path, number: int, name: list[str] | str) -> str:
    if not name or isinstance(name, str):
        raise TextError(
            f"{path}, line {number + 1}: {name or 'nothing'}; expected the name of that sentence's source."
        )
    return " ".join(name)


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
