"""Dropout that drops the same values at every token of a sentence."""

from torch import Tensor, nn
from torch.nn import functional


class VariationalDropout(nn.Module):
    """One mask for a whole sentence (Gal & Ghahramani 2016), so that a recurrent network meets the same
    one at every step.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        """(batch, tokens, dim) → the same shape."""
        mask = functional.dropout(x.new_ones(x.shape[0], 1, x.shape[2]), self.rate, self.training)
        return x * mask
