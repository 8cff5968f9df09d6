"""The character CNN: a word's characters → its context-free vector (layer 0)."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_bench.bilm.characters import CHARACTER_ROWS, PADDING
from elmo_bench.bilm.options import Options

Affine = Callable[[Tensor, Tensor, Tensor], Tensor]
"""``(bias, x, weight) → bias + x @ weight``: ``torch.addmm``, or a faster kernel for frozen weights."""


class Highway(nn.Module):
    """One highway layer, with weights in the published orientation (input, output).

    What the files call "carry" is the gate on the transformed value, not on the value carried through.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.W_transform = nn.Parameter(torch.empty(size, size))
        self.b_transform = nn.Parameter(torch.empty(size))
        self.W_carry = nn.Parameter(torch.empty(size, size))
        self.b_carry = nn.Parameter(torch.empty(size))

    def forward(self, x: Tensor, affine: Affine = torch.addmm) -> Tensor:
        gate = affine(self.b_carry, x, self.W_carry).sigmoid()  # (words, size)
        transformed = affine(self.b_transform, x, self.W_transform).relu()  # (words, size)
        return torch.lerp(x, transformed, gate)


class CharacterEncoder(nn.Module):
    """Embedding → convolutions → max over positions → activation → highways → projection."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.widths = [width for width, _ in options.filters]
        self.activation = functional.relu if options.activation == "relu" else torch.tanh
        self.char_embed = nn.Parameter(torch.empty(CHARACTER_ROWS + 1, options.character_dim))
        self.W_cnn = nn.ParameterList(
            torch.empty(count, options.character_dim, width) for width, count in options.filters
        )
        self.b_cnn = nn.ParameterList(torch.empty(count) for _, count in options.filters)
        self.highways = nn.ModuleList(Highway(options.filter_total) for _ in range(options.highways))
        self.W_proj: nn.Parameter | None = None
        self.b_proj: nn.Parameter | None = None
        if options.has_token_projection:
            self.W_proj = nn.Parameter(torch.empty(options.filter_total, options.projection))
            self.b_proj = nn.Parameter(torch.empty(options.projection))

    def forward(self, ids: Tensor, affine: Affine = torch.addmm) -> Tensor:
        """Maps character ids (words, width) to vectors (words, projection)."""
        return self.finish(self.responses(ids), affine)

    def responses(self, ids: Tensor) -> Tensor:
        """The largest response of each filter in each word (words, filter_total)."""
        embedded = functional.embedding(self._trim(ids), self.char_embed)  # (words, characters, dim)
        pooled = [
            functional.conv1d(embedded.transpose(1, 2), weight, bias).amax(dim=2)  # (words, filters)
            for weight, bias in zip(self.W_cnn, self.b_cnn, strict=True)
        ]
        return torch.cat(pooled, dim=1)

    def finish(self, responses: Tensor, affine: Affine = torch.addmm) -> Tensor:
        """Activation, highways and projection: (words, filter_total) → (words, projection)."""
        x = self.activation(responses)
        for highway in self.highway_layers():
            x = highway(x, affine)
        return x if self.W_proj is None or self.b_proj is None else affine(self.b_proj, x, self.W_proj)

    def affine_weights(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Every (weight, bias) that ``forward`` hands to ``affine``."""
        for highway in self.highway_layers():
            yield highway.W_carry, highway.b_carry
            yield highway.W_transform, highway.b_transform
        if self.W_proj is not None and self.b_proj is not None:
            yield self.W_proj, self.b_proj

    def highway_layers(self) -> Iterator[Highway]:
        for highway in self.highways:
            assert isinstance(highway, Highway)
            yield highway

    def _trim(self, ids: Tensor) -> Tensor:
        """Drops columns that are padding in every word, keeping one full window of it.

        All windows inside the padding give the same value, so the maximum needs only one of them: exact, and
        several times less work on ordinary words.
        """
        used = int((ids != PADDING).any(dim=0).nonzero().max()) + 1
        return ids[:, : min(ids.shape[1], used + max(self.widths))]
