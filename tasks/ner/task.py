"""Named entities: a span of tokens and its type."""

from collections.abc import Iterable, Iterator, Sequence

import torch
from torch import Tensor

from elmo_bench.data.tags import convert
from elmo_bench.data.vocabulary import Labels
from elmo_bench.metrics.spans import span_scores
from elmo_bench.training.task import Example, LabelledTask


class Ner(LabelledTask):
    """Reads IOB2 tags, trains on BIOUL, and is scored on exact spans."""

    name = "ner"
    headline = "f1"
    view = "ner"
    columns = ("tokens", "tags")
    texts = ("tokens",)

    def fit(self, train: Iterable[Example]) -> None:
        types = sorted({tag[2:] for example in train for tag in example["tags"] if tag != "O"})
        self._labels = Labels(["O", *(f"{prefix}-{kind}" for kind in types for prefix in "BIUL")])

    def targets(self, examples: Sequence[Example], batch_tokens: int) -> dict[str, Tensor]:
        tags = torch.zeros(len(examples), batch_tokens, dtype=torch.long)  # (batch, tokens)
        for row, example in zip(tags, examples, strict=True):
            bioul = convert(example["tags"], "IOB2", "BIOUL")
            row[: len(bioul)] = torch.tensor(self._labels.ids(bioul))
        return {"tags": tags}

    def score(self, examples: Sequence[Example], predictions: Sequence[list[str]]) -> dict[str, float]:
        predicted = [convert(tags, "BIOUL", "IOB2") for tags in predictions]
        return span_scores([example["tags"] for example in examples], predicted)

    def lines(self, example: Example, prediction: list[str]) -> Iterator[str]:
        """CoNLL columns: token, gold where there is some, predicted."""
        predicted = convert(prediction, "BIOUL", "IOB2")
        columns = [example["tokens"], *([example["tags"]] if "tags" in example else []), predicted]
        yield from ("\t".join(row) for row in zip(*columns, strict=True))
        yield ""

    def gold(self, example: Example) -> list[str]:
        return convert(example["tags"], "IOB2", "BIOUL")
