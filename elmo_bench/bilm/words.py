"""Words → context-free vectors (layer 0), with a bounded cache: a word seen lately is not computed again."""

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch
from torch import Tensor

from elmo_bench.bilm.characters import character_ids
from elmo_bench.bilm.kernels import Product, ProductMaker
from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.packing import take

CACHE_BYTES = 64 << 20

_WORDS_AT_ONCE = 128
"""Few enough that words of one length share a chunk, and that every core gets some."""


class WordVectors:
    """The character encoder of a frozen biLM."""

    def __init__(self, model: BiLM, product: ProductMaker, cache_bytes: int = CACHE_BYTES) -> None:
        self._encoder = model.encoder
        self._characters = model.options.characters_per_token
        # Ready-made products by the identity of the weight that the encoder will hand to _affine.
        self._products: dict[int, Product] = {
            id(weight): product(weight, bias) for weight, bias in model.encoder.affine_weights()
        }
        self.capacity = max(1, cache_bytes // (4 * model.options.projection))
        device = model.encoder.char_embed.device
        self._table = torch.empty(self.capacity, model.options.projection, device=device)
        self._rows: OrderedDict[str, int] = (
            OrderedDict()
        )  # word → row of the table, least recently used first

    def __len__(self) -> int:
        return len(self._rows)

    def __call__(self, words: Sequence[str], pool: Executor) -> Tensor:
        """Returns the vectors of distinct words (words, projection)."""
        rows = np.array([self._rows.get(word, -1) for word in words])
        vectors = take(
            self._table, rows
        )  # (words, projection); a word that is not in the table gets its vector below
        for word in words:
            if word in self._rows:
                self._rows.move_to_end(word)
        new = np.flatnonzero(rows < 0).tolist()
        if new:
            unknown = [words[number] for number in new]
            fresh = self._encode(unknown, pool)  # (new, projection)
            vectors[new] = fresh
            self._remember(unknown, fresh)
        return vectors

    def _remember(self, words: Sequence[str], vectors: Tensor) -> None:
        kept = words[: self.capacity]
        rows = []
        for word in kept:
            full = len(self._rows) == self.capacity
            row = self._rows.popitem(last=False)[1] if full else len(self._rows)
            self._rows[word] = row
            rows.append(row)
        self._table[rows] = vectors[: len(kept)]

    def _encode(self, words: Sequence[str], pool: Executor) -> Tensor:
        order = sorted(range(len(words)), key=lambda number: len(words[number]))
        chunks = [order[first : first + _WORDS_AT_ONCE] for first in range(0, len(order), _WORDS_AT_ONCE)]
        encoded = pool.map(self._encode_chunk, ([words[number] for number in chunk] for chunk in chunks))
        vectors = self._table.new_empty(len(words), self._table.shape[1])
        for chunk, part in zip(chunks, encoded, strict=True):
            vectors[chunk] = part
        return vectors

    def _encode_chunk(self, words: list[str]) -> Tensor:
        with torch.inference_mode(), _exact_convolutions(self._table.device):
            ids = torch.from_numpy(character_ids(words, self._characters)).to(self._table.device)
            vectors: Tensor = self._encoder(ids, self._affine)
            return vectors

    def _affine(self, bias: Tensor, x: Tensor, weight: Tensor) -> Tensor:
        return self._products[id(weight)](x)


def _exact_convolutions(device: torch.device) -> AbstractContextManager[None]:
    """On a GPU, torch rounds the operands of a convolution unless it is told not to."""
    return (
        torch.backends.cudnn.flags(enabled=True, allow_tf32=False) if device.type == "cuda" else nullcontext()
    )
