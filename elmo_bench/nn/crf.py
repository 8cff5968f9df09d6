"""A conditional random field over tags, whose best path is always a valid one."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torchcrf import CRF

_NEVER = -1e4


class TagCRF(nn.Module):
    """pytorch-crf with constraints at decoding; the likelihood is over all sequences, as in the paper."""

    never_start: Tensor
    never_end: Tensor
    never_pairs: Tensor

    def __init__(self, start: NDArray[np.bool_], end: NDArray[np.bool_], pairs: NDArray[np.bool_]) -> None:
        """Which tags may begin and end a sentence (tags,), and which may follow which (tags, tags)."""
        super().__init__()
        self.crf = CRF(len(start), batch_first=True)
        for name, allowed in (("start", start), ("end", end), ("pairs", pairs)):
            never = torch.where(torch.from_numpy(allowed), 0.0, _NEVER)
            self.register_buffer(f"never_{name}", never, persistent=False)

    def loss(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Mean negative log-likelihood of a sentence: (batch, tokens, tags), (batch, tokens) twice → ()."""
        likelihood: Tensor = self.crf(emissions, tags, mask, reduction="mean")
        return -likelihood

    @torch.no_grad()
    def decode(self, emissions: Tensor, mask: Tensor) -> list[list[int]]:
        """The best valid sequence of each sentence."""
        constrained = CRF(self.crf.num_tags, batch_first=True).to(emissions)
        constrained.start_transitions.copy_(self.crf.start_transitions + self.never_start)
        constrained.end_transitions.copy_(self.crf.end_transitions + self.never_end)
        constrained.transitions.copy_(self.crf.transitions + self.never_pairs)
        best: list[list[int]] = constrained.decode(emissions, mask)
        return best
