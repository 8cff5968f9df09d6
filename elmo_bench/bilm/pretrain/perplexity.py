"""How surprised a language model is by a text: perplexity under the full softmax, the honest kind.

Counted are a sentence's words and the marker that ends it, in each direction; a word outside the vocabulary
counts as the unknown word. The average of both directions is exp of their mean loss, as published.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from elmo_bench.bilm import kernels
from elmo_bench.bilm.frozen import FrozenBiLM, Running, Tokens
from elmo_bench.bilm.model import BACKWARD, FORWARD
from elmo_bench.bilm.pretrain.corpus import END_ID, START_ID, UNKNOWN_ID
from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.start import CarriedState, warm_state
from elmo_bench.progress import TokenReport

_BATCH = 64
_AT_ONCE = 1024
"""Tokens whose probabilities are computed together: the full softmax of more would not fit the memory."""


@dataclass
class Surprise:
    """The loss of a text so far, summed over tokens, for each direction."""

    tokens: int = 0
    loss: list[float] = field(default_factory=lambda: [0.0, 0.0])

    def perplexity(self, direction: int) -> float:
        return math.exp(self.loss[direction] / self.tokens)

    @property
    def average(self) -> float:
        return math.exp(sum(self.loss) / 2 / self.tokens)


def measure(
    model: LanguageModel,
    sentences: Sequence[Tokens],
    start: str,
    sources: Sequence[str] | None = None,
    report: TokenReport = lambda sentences, tokens: None,
) -> dict[str, Surprise]:
    """Returns the surprise of each source; without ``sources`` the one source is called ``all``."""
    device = model.bilm.encoder.char_embed.device
    bilm = FrozenBiLM(model.bilm, kernels.choose("fp32", device))
    found: dict[str, Surprise] = defaultdict(Surprise)
    run = _carrying if start == "carry" else _independent
    for numbers, running in run(bilm, sentences, start):
        for direction in (FORWARD, BACKWARD):
            losses = _losses(model, [sentences[number] for number in numbers], running, direction)
            for number, loss in zip(numbers, losses, strict=True):
                surprise = found[sources[number] if sources else "all"]
                surprise.loss[direction] += loss
                surprise.tokens += (len(sentences[number]) + 1) * (direction == FORWARD)
        report(len(numbers), sum(len(sentences[number]) for number in numbers))
    return dict(found)


def total(by_source: dict[str, Surprise]) -> Surprise:
    everything = Surprise()
    for surprise in by_source.values():
        everything.tokens += surprise.tokens
        everything.loss = [mine + more for mine, more in zip(everything.loss, surprise.loss, strict=True)]
    return everything


def _independent(
    bilm: FrozenBiLM, sentences: Sequence[Tokens], start: str
) -> Iterator[tuple[list[int], Running]]:
    state = warm_state(bilm) if start == "warm" else bilm.zero_state(1)
    order = sorted(range(len(sentences)), key=lambda number: len(sentences[number]))
    for first in range(0, len(order), _BATCH):
        numbers = order[first : first + _BATCH]
        rows = state.map(_repeat(len(numbers)))
        yield numbers, bilm.submit([sentences[number] for number in numbers], rows)


def _carrying(
    bilm: FrozenBiLM, sentences: Sequence[Tokens], start: str
) -> Iterator[tuple[list[int], Running]]:
    """Reads the text as a few texts side by side, each from its beginning to its end."""
    parts = np.array_split(np.arange(len(sentences)), min(_BATCH, len(sentences)))
    carried = CarriedState(bilm)
    for place in range(max(map(len, parts))):
        numbers = [int(part[place]) for part in parts if place < len(part)]
        batch = [sentences[number] for number in numbers]
        running = bilm.submit(batch, carried.rows(len(batch)), keep_state=True)
        carried.keep(running.state())
        yield numbers, running


def _repeat(rows: int) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda tensor: tensor.expand(rows, -1)


def _losses(model: LanguageModel, batch: Sequence[Tokens], running: Running, direction: int) -> list[float]:
    """−log p of each sentence in one direction, in the caller's order."""
    packing = running.packing
    marked = [
        [START_ID, *(model.numbers.get(word, UNKNOWN_ID) for word in batch[row]), END_ID]
        for row in packing.order
    ]
    numbers = np.array([number for sentence in marked for number in sentence])
    following = packing.words[direction] + (1 if direction == FORWARD else -1)
    ends = np.cumsum(packing.lengths + 2)
    inside = (following < ends[packing.rows]) & (following >= (ends - packing.lengths - 2)[packing.rows])
    kept = np.flatnonzero(inside)
    top, targets = running.top(direction), torch.from_numpy(numbers[following[kept]])
    losses = np.zeros(len(batch))
    with torch.inference_mode():
        for first in range(0, len(kept), _AT_ONCE):
            part = kept[first : first + _AT_ONCE]
            hidden = top[torch.from_numpy(part).to(top.device)]
            surprise = model.softmax.surprise(hidden, targets[first : first + _AT_ONCE].to(top.device))
            np.add.at(losses, packing.order[packing.rows[part]], surprise.double().cpu().numpy())
    return [float(loss) for loss in losses]
