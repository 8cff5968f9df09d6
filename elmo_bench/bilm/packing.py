"""Where each token of a batch stands when sentences run side by side and leave as they end.

Rows are sentences from the longest to the shortest. Step t holds the t-th token of every sentence that has
one, so the rows alive at a step are always the first few, and no step ever computes padding.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Packing:
    """The index arithmetic of one batch.

    Attributes:
        order: the caller's sentence that each row holds.
        counts: rows alive at each step, the same for both directions.
        rows: the row of every packed token, the same for both directions.
        words: for each direction, the position of every packed token in ``sentences``, laid end to end with
            markers.
        places: for each direction, the packed position of every real token, sentence after sentence in row
            order.
        lengths: real tokens of each row.
    """

    order: Indices  # (rows,)
    counts: Indices  # (steps,)
    rows: Indices  # (packed,)
    words: tuple[Indices, Indices]  # (packed,)
    places: tuple[Indices, Indices]  # (tokens,)
    lengths: Indices  # (rows,)

    @property
    def tokens(self) -> int:
        return int(self.lengths.sum())

    def layer_rows(self, layer: int, depth: int) -> Indices:
        """Where a layer of every real token goes when a sentence's ``depth`` layers lie end to end."""
        starts = np.cumsum(self.lengths) - self.lengths  # (rows,)
        return np.arange(self.tokens) + np.repeat(starts * (depth - 1) + self.lengths * layer, self.lengths)


def pack(lengths: Sequence[int], *, final_marker: bool) -> Packing:
    """Packs sentences of the given lengths, each of which has a marker added at both ends.

    Without ``final_marker``, a direction stops at its last real token: what the marker behind it does to the
    state matters only to who carries the state on.
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    real = np.asarray(lengths, dtype=np.int64)[order]  # (rows,)
    steps = real + (2 if final_marker else 1)  # (rows,)
    ends = np.cumsum(real + 2)
    starts = ends - (real + 2)  # (rows,) where a row's sentence starts, markers included
    alive = np.arange(steps.max(initial=0))[:, None] < steps[None, :]  # (steps, rows)
    step, row = alive.nonzero()  # (packed,) each
    counts = alive.sum(axis=1)

    token_row = np.repeat(np.arange(len(real)), real)  # (tokens,)
    token = np.arange(len(token_row)) - np.repeat(
        np.cumsum(real) - real, real
    )  # (tokens,) 0-based in its sentence
    first_of_step = np.cumsum(counts) - counts
    return Packing(
        order=order,
        counts=counts,
        rows=row,
        words=(starts[row] + step, ends[row] - 1 - step),
        places=(
            first_of_step[token + 1] + token_row,
            first_of_step[real[token_row] - token] + token_row,
        ),
        lengths=real,
    )


def take(tensor: Tensor, rows: Indices) -> Tensor:
    """``tensor[rows]``. On a CPU through NumPy, whose copy stays in the calling thread.

    Torch would wake its own threads for it, and they would wait for cores that are busy with the recurrence.
    """
    if tensor.device.type == "cpu":
        return torch.from_numpy(tensor.numpy()[rows])
    return tensor[torch.from_numpy(rows).to(tensor.device)]
