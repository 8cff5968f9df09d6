"""Where the mix enters a head: ``[x; mix]`` before its encoder, ``[h; mix]`` after it, or nowhere."""

from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor, nn

from elmo_bench.data.batching import Text
from elmo_bench.features.mix import LayerMix

MixFactory = Callable[[int, int], LayerMix]
"""Makes a mix for a biLM of (depth, width)."""


class Place(nn.Module):
    """One place of injection with a mix of its own."""

    def __init__(self, mix: LayerMix) -> None:
        super().__init__()
        self.mix = mix

    def width(self, before: int) -> int:
        """How wide a vector of ``before`` values becomes here."""
        return before + self.mix.width

    def forward(self, x: Tensor, text: Text) -> Tensor:
        """(batch, tokens, before) → (batch, tokens, self.width(before)); zeros stand where no token is."""
        mixed = self.mix(text.layers)  # (real tokens, mix width)
        padded = x.new_zeros(*text.mask.shape, self.mix.width)
        padded[text.mask] = mixed.to(x.dtype)
        return torch.cat([x, padded], dim=-1)


class Nowhere(nn.Module):
    """A place where nothing enters."""

    def width(self, before: int) -> int:
        return before

    def forward(self, x: Tensor, text: Text) -> Tensor:
        return x


class Encoder(Protocol):
    """What stands before the mix: a biLM, or anything else with layers."""

    @property
    def depth(self) -> int: ...

    @property
    def width(self) -> int: ...


class Injection(nn.Module):
    """Both places of a head; ``input`` and ``output`` say which of them are on."""

    def __init__(self, encoder: Encoder | None, mix: MixFactory, *, input: bool, output: bool) -> None:
        super().__init__()

        def place(on: bool) -> Place | Nowhere:
            return Place(mix(encoder.depth, encoder.width)) if on and encoder else Nowhere()

        self.input, self.output = place(input), place(output)

    def penalty(self) -> Tensor:
        """The sum of λ‖w‖² over the places."""
        return sum((mix.penalty() for mix in self.mixes().values()), start=torch.zeros(()))

    def mixes(self) -> dict[str, LayerMix]:
        return {name: place.mix for name, place in self.named_children() if isinstance(place, Place)}

    def weights(self) -> dict[str, dict[str, object]]:
        """For each place that is on: its layers, their normalised weights, and γ."""
        return {
            name: {"layers": mix.layers, "weights": mix.normalised.tolist(), "gamma": mix.scale.item()}
            for name, mix in self.mixes().items()
        }
