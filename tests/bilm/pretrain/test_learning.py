"""A model learns what there is to learn of a text, and no more."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tiny_runs import config

from elmo_bench.bilm.model import BACKWARD, FORWARD
from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.pretrain.perplexity import measure
from elmo_bench.bilm.pretrain.run import pretrain

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("one_thread")]

RARELY = ["checkpoint_minutes=9"]


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_memorised_text_has_perplexity_1(tmp_path: Path, precision: str) -> None:
    sentence = ["the", "old", "cat", "and", "the", "dog", "and", "the", "old", "dog", "."]
    (tmp_path / "text.txt").write_text(f"{' '.join(sentence)}\n" * 40)
    choices = config(tmp_path, "out", "passes=7", "dropout=0", f"precision={precision}", *RARELY)
    found = measure(LanguageModel.read(pretrain(choices)), [sentence], "warm")["all"]
    assert found.tokens == 12
    for direction in (FORWARD, BACKWARD):
        assert 1 <= found.perplexity(direction) < 1.05


WORDS = ("ba", "de", "gi", "ko", "mu")
START, END = -1, len(WORDS)
Context = tuple[int, int]


@dataclass
class Chain:
    """Sentences in which a word depends on the two words before it; the sentence's end is such a word."""

    chances: dict[Context, NDArray[np.float64]]

    @classmethod
    def random(cls, seed: int) -> "Chain":
        random = np.random.default_rng(seed)
        words = range(len(WORDS))
        contexts = [(START, START), *((START, b) for b in words), *((a, b) for a in words for b in words)]
        ends = {(START, START): 0.0}
        return cls(
            {
                context: np.append((1 - end) * random.dirichlet([0.35] * len(WORDS)), end)
                for context in contexts
                for end in [ends.get(context, 0.12)]
            }
        )

    def sentences(self, count: int, seed: int) -> Iterator[list[str]]:
        random = np.random.default_rng(seed)
        for _ in range(count):
            context, sentence = (START, START), []
            while (word := int(random.choice(END + 1, p=self.chances[context]))) != END:
                sentence.append(WORDS[word])
                context = (context[1], word)
            yield sentence

    def visits(self) -> dict[Context, float]:
        """How often a sentence comes through each context on average: n = first + n · moves."""
        contexts = list(self.chances)
        moves = np.zeros((len(contexts), len(contexts)))
        for row, (_, b) in enumerate(contexts):
            for word in range(len(WORDS)):
                moves[row, contexts.index((b, word))] = self.chances[contexts[row]][word]
        first = np.eye(len(contexts))[contexts.index((START, START))]
        return dict(zip(contexts, np.linalg.solve((np.eye(len(contexts)) - moves).T, first), strict=True))

    def entropy(self) -> float:
        """Of a prediction, in nats: a sentence's, divided by its n + 1 predictions, n words and its end.

        It is the same for both directions: the chance of a sentence does not depend on where one begins to
        read it, and read backward it has n words and a marker to predict as well.
        """
        visits = self.visits()
        return sum(visits[c] * _entropy(p) for c, p in self.chances.items()) / sum(visits.values())

    def entropy_of_pairs(self) -> float:
        """What a model would be left with that sees only one word before."""
        visits = self.visits()
        merged: dict[int, NDArray[np.float64]] = {}
        for context, chances in self.chances.items():
            merged[context[1]] = merged.get(context[1], np.zeros(END + 1)) + visits[context] * chances
        return sum(float(p.sum()) * _entropy(p / p.sum()) for p in merged.values()) / sum(visits.values())


def _entropy(chances: NDArray[np.float64]) -> float:
    return float(-sum(p * math.log(p) for p in chances if p))


def test_model_of_a_known_language_reaches_its_entropy(tmp_path: Path) -> None:
    chain = Chain.random(3)
    (tmp_path / "text.txt").write_text("".join(f"{' '.join(s)}\n" for s in chain.sentences(12_000, 1)))
    heldout = list(chain.sentences(2000, 2))
    choices = ["passes=1", "dropout=0", "streams=32", "steps=10", "optimizer.warmup_steps=20", *RARELY]
    model = LanguageModel.read(pretrain(config(tmp_path, "out", *choices)))
    found = measure(model, heldout, "warm")["all"]
    best = math.exp(chain.entropy())
    assert math.exp(chain.entropy_of_pairs()) > 1.2 * best
    for direction in (FORWARD, BACKWARD):
        assert found.perplexity(direction) == pytest.approx(best, rel=0.03)
