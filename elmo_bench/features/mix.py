"""Layers → one vector a token: γ · Σ softmax(w)ⱼ · layerⱼ, and the simpler choices beside it."""

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_bench.errors import ConfigError


class LayerMix(nn.Module):
    """One weighting of a biLM's layers; each place of injection has its own.

    The layer norm is over a token's own vector, so that a sentence's features never depend on what else is
    in its batch.
    """

    def __init__(
        self,
        depth: int,
        width: int,
        *,
        layers: Literal["all", "top"] | Sequence[int] = "all",
        weights: Literal["learned", "equal", "concat"] = "learned",
        learn_scale: bool = True,
        penalty: float = 0.0,
        layer_norm: bool = False,
        dropout: float = 0.0,
    ) -> None:
        """``penalty`` is the paper's λ on ‖w‖²; ``learn_scale`` false fixes γ at 1."""
        super().__init__()
        self.layers = _chosen(layers, depth)
        self.penalty_factor, self.layer_norm, self.dropout = penalty, layer_norm, dropout
        self.concat = weights == "concat"
        self.width = width * len(self.layers) if self.concat else width
        one_weight_each = weights == "learned" and len(self.layers) > 1
        self.logits = nn.Parameter(torch.zeros(len(self.layers)), requires_grad=one_weight_each)
        self.scale = nn.Parameter(torch.ones(()), requires_grad=learn_scale)

    def forward(self, layers: Tensor) -> Tensor:
        """(tokens, depth, width) of any precision → (tokens, self.width)."""
        chosen = layers[:, self.layers].to(self.scale.dtype)  # (tokens, chosen, width)
        if self.layer_norm:
            chosen = functional.layer_norm(chosen, chosen.shape[-1:])
        mixed = chosen.flatten(1) if self.concat else torch.einsum("tlw,l->tw", chosen, self.normalised)
        return functional.dropout(self.scale * mixed, self.dropout, self.training)

    @property
    def normalised(self) -> Tensor:
        """The weights as they act, one for each layer that takes part; they sum to one."""
        return self.logits.softmax(0)

    def penalty(self) -> Tensor:
        """λ‖w‖², to be added to the loss."""
        return self.penalty_factor * self.logits.square().sum()


def _chosen(layers: Literal["all", "top"] | Sequence[int], depth: int) -> list[int]:
    if layers == "all":
        return list(range(depth))
    if layers == "top":
        return [depth - 1]
    chosen = [int(number) for number in layers]
    wrong = [number for number in chosen if not 0 <= number < depth]
    if wrong or not chosen:
        raise ConfigError(f"mix.layers is {chosen}, expected numbers from 0 to {depth - 1}, at least one.")
    return chosen
