"""The paper's tagger: words → BiLSTM layers → a CRF over BIOUL tags."""

from collections.abc import Sequence

from torch import Tensor, nn

from elmo_bench.data.batching import Batch
from elmo_bench.data.tags import transitions
from elmo_bench.features.inject import Injection
from elmo_bench.nn.crf import TagCRF
from elmo_bench.nn.dropout import VariationalDropout
from elmo_bench.nn.recurrent import BiLSTM
from elmo_bench.nn.words import Words
from elmo_bench.training.task import Head


class Tagger(Head):
    """A BiLSTM-CRF that gives each token a tag."""

    def __init__(
        self,
        words: Words,
        injection: Injection,
        tags: Sequence[str],
        *,
        hidden: Sequence[int],
        dropout: float,
    ) -> None:
        """``hidden``: the units of each BiLSTM layer, in each direction."""
        super().__init__()
        self.words, self.injection, self.tags = words, injection, list(tags)
        self.dropout = VariationalDropout(dropout)
        width = injection.input.width(words.width)
        self.layers = nn.ModuleList()
        for units in hidden:
            self.layers.append(BiLSTM(width, units))
            width = 2 * units
        self.project = nn.Linear(injection.output.width(width), len(tags))
        self.crf = TagCRF(*transitions(self.tags, "BIOUL"))

    def forward(self, batch: Batch) -> Tensor:
        """→ (batch, tokens, tags): a score for each tag."""
        text = batch.texts["tokens"]
        x = self.injection.input(self.words(text), text)
        for layer in self.layers:
            x = layer(self.dropout(x), text.mask)  # (batch, tokens, 2 · units)
        scores: Tensor = self.project(self.dropout(self.injection.output(x, text)))
        return scores

    def loss(self, batch: Batch) -> Tensor:
        return self.crf.loss(self(batch), batch.targets["tags"], batch.texts["tokens"].mask)

    def predict(self, batch: Batch) -> list[list[str]]:
        best = self.crf.decode(self(batch), batch.texts["tokens"].mask)
        return [[self.tags[number] for number in sentence] for sentence in best]
