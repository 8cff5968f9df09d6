"""One direction of one LSTM layer: projected and clipped, with weights as the published files hold them."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from elmo_bench.bilm.options import Options


class Gates(NamedTuple):
    """The weights of an LSTM's four gates, in the order input, forget, candidate, output."""

    of_input: Tensor  # (input, 4, dim)
    of_hidden: Tensor  # (projection, 4, dim)
    bias: Tensor  # (4, dim)


class ProjectedLSTM(nn.Module):
    """Holds one ``LSTMCell`` group of a weight file: ``W_0``, ``B`` and, unless projection == dim, ``W_P_0``.

    The arrays keep their TensorFlow layout, so that loading and saving copy them as they are. What computes
    with them asks for ``gates()``.
    """

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.dim, self.projection = options.dim, options.projection
        self.cell_clip = options.cell_clip
        self.projection_clip = options.projection_clip
        self.W_0 = nn.Parameter(torch.empty(2 * options.projection, 4 * options.dim))
        self.B = nn.Parameter(torch.empty(4 * options.dim))
        self.W_P_0 = (
            nn.Parameter(torch.empty(options.dim, options.projection)) if options.has_projection else None
        )

    def gates(self) -> Gates:
        """Takes ``W_0`` and ``B`` apart, and adds the 1 that TensorFlow adds to the forget gate later."""
        order = [0, 2, 1, 3]  # TensorFlow has input, candidate, forget, output
        weight = self.W_0.view(-1, 4, self.dim)[:, order]  # (input + projection, 4, dim)
        bias = self.B.view(4, self.dim)[order]  # (4, dim)
        bias = bias + torch.tensor([0.0, 1.0, 0.0, 0.0], device=bias.device, dtype=bias.dtype)[:, None]
        return Gates(weight[: self.projection], weight[self.projection :], bias)
