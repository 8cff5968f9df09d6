"""Recurrent layers over padded batches, blind to the padding."""

import torch
from torch import Tensor, nn


class BiLSTM(nn.Module):
    """One bidirectional LSTM layer; its backward direction starts at each sentence's own last token.

    Sentences are turned round by their own length instead of being packed: torch's gradient of a packed
    LSTM on a CPU fills a whole batch with zeros at every step, which took two thirds of a training step.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(width, hidden, batch_first=True)
        self.backwards = nn.LSTM(width, hidden, batch_first=True)
        self.width = 2 * hidden

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(batch, tokens, width), (batch, tokens) → (batch, tokens, 2 · hidden), zero where no token is."""
        turned = turning(mask)
        ahead = self.forwards(x)[0]
        back = turn(self.backwards(turn(x, turned))[0], turned)
        return torch.cat([ahead, back], dim=-1) * mask.unsqueeze(-1)


def turning(mask: Tensor) -> Tensor:
    """(batch, tokens): for each place, where its token stands when every sentence is read from its end."""
    places = torch.arange(mask.shape[1], device=mask.device).expand_as(mask)
    return torch.where(mask, mask.sum(1, keepdim=True) - 1 - places, places)


def turn(x: Tensor, turned: Tensor) -> Tensor:
    """Turns sentences round, or back: (batch, tokens, width) → the same shape."""
    return x.gather(1, turned.unsqueeze(-1).expand_as(x))
