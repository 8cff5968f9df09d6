"""What predicts the next word, shared by both directions.

Each kind has ``loss``, the mean loss to train with, and ``surprise``, −log p of each target under the full
distribution, of hidden states (tokens, projection) and targets (tokens,). ``bits`` says how many the operands
of the loss's products have, where it can choose: 32 or 16.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

from elmo_bench.bilm.compiled import pointer
from elmo_bench.bilm.pretrain.recurrence import certain_kernel, kernel_of


class AdaptiveSoftmax(nn.Module):
    """Frequent words in a short list, rarer ones in clusters with smaller vectors: exact and fast."""

    def __init__(
        self,
        projection: int,
        vocabulary: int,
        cutoffs: tuple[int, ...] = (2000, 20000, 80000),
        shrink: float = 2.0,
    ) -> None:
        super().__init__()
        self.bits = 32
        fitting = [cutoff for cutoff in cutoffs if cutoff < vocabulary - 1] or [max(1, vocabulary // 2)]
        self.clusters = nn.AdaptiveLogSoftmaxWithLoss(projection, vocabulary, fitting, div_value=shrink)

    def loss(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Every cluster takes part, also without a target: processes must agree on who has a gradient."""
        rounded = self.bits == 16 and hidden.device.type == "cpu" and kernel_of(32) is not None
        cross_entropy = _RoundedCrossEntropy.apply if rounded else _cross_entropy
        first, *ends = self.clusters.cutoffs
        short = targets.clone()
        total = hidden.new_zeros(())
        for number, (start, end) in enumerate(zip([first, *ends], ends, strict=False)):
            inside = ((targets >= start) & (targets < end)).nonzero().squeeze(1)
            short[inside] = first + number
            shrink, words = self.clusters.tail[number].parameters()
            vectors = functional.linear(hidden[inside], shrink)  # (tokens inside, smaller)
            total = total + cross_entropy(vectors, words, targets[inside] - start)
        loss: Tensor = total + cross_entropy(hidden, self.clusters.head.weight, short)
        return loss / len(targets)

    def surprise(self, hidden: Tensor, targets: Tensor) -> Tensor:
        output: Tensor = self.clusters(hidden, targets).output
        return -output


def _cross_entropy(hidden: Tensor, weight: Tensor, targets: Tensor) -> Tensor:
    """Summed cross entropy of a linear layer."""
    return functional.cross_entropy(functional.linear(hidden, weight), targets, reduction="sum")


class _RoundedCrossEntropy(torch.autograd.Function):
    """The same with bfloat16 products; its gradient is computed at once, so that no logits stay."""

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, targets: Tensor) -> Tensor:
        rounded_hidden, rounded = hidden.bfloat16(), weight.bfloat16()
        logits = rounded_hidden @ rounded.t()  # (tokens, words)
        losses = torch.empty(len(targets))
        scratch = torch.empty(logits.shape[1] + 64)
        certain_kernel(32).softmax_rows(
            *logits.shape, pointer(logits), pointer(targets), 1.0, pointer(losses), pointer(scratch)
        )
        ctx.save_for_backward((logits @ rounded).float(), (logits.t() @ rounded_hidden).float())
        return losses.sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        d_hidden, d_weight = ctx.saved_tensors
        return d_hidden * gradient, d_weight * gradient, None


class SampledSoftmax(nn.Module):
    """The published one: trains against a sample of words, drawn log-uniformly by rank."""

    def __init__(self, projection: int, vocabulary: int, samples: int = 8192) -> None:
        super().__init__()
        self.bits = 32
        self.samples = min(samples, vocabulary)
        self.weight = nn.Parameter(torch.randn(vocabulary, projection) * projection**-0.5)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        ranks = torch.arange(vocabulary, dtype=torch.float64)
        chance = ((ranks + 2).log() - (ranks + 1).log()) / torch.tensor(vocabulary + 1.0).double().log()
        self.chance: Tensor
        self.register_buffer("chance", chance, persistent=False)

    def loss(self, hidden: Tensor, targets: Tensor) -> Tensor:
        drawn, time = self._draw()
        true = (hidden * self.weight[targets]).sum(1) + self.bias[targets] - self._log_chance(targets, time)
        others = functional.linear(hidden, self.weight[drawn], self.bias[drawn])  # (tokens, samples)
        others = others - self._log_chance(drawn, time)
        others = others.masked_fill(targets[:, None] == drawn, -torch.inf)  # a word is not its own rival
        logits = torch.cat([true[:, None], others], dim=1)  # (tokens, 1 + samples)
        return functional.cross_entropy(logits, torch.zeros_like(targets))

    def surprise(self, hidden: Tensor, targets: Tensor) -> Tensor:
        return functional.cross_entropy(
            functional.linear(hidden, self.weight, self.bias), targets, reduction="none"
        )

    def _draw(self) -> tuple[Tensor, Tensor]:
        """Draws distinct words: each has a clock that rings at a random time, and the first ones are taken.

        Returns them and the time of the last of them.
        """
        clocks = torch.empty_like(self.chance).exponential_() / self.chance
        first = clocks.topk(self.samples, largest=False)
        everything = self.samples == len(clocks)
        return first.indices, first.values.new_tensor(torch.inf) if everything else first.values[-1]

    def _log_chance(self, words: Tensor, time: Tensor) -> Tensor:
        """log of how likely a word's clock is to ring by a time."""
        return (-torch.expm1(-time * self.chance[words])).log().float()


KINDS: dict[str, type[AdaptiveSoftmax] | type[SampledSoftmax]] = {
    "adaptive": AdaptiveSoftmax,
    "sampled": SampledSoftmax,
}
