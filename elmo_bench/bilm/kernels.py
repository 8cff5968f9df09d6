"""Ways to compute a frozen layer: which matrix products, which cell. Chosen by measuring them, never by a CPU's name."""

import functools
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional

from elmo_bench.bilm import compiled
from elmo_bench.bilm.lstm import ProjectedLSTM
from elmo_bench.bilm.options import Options
from elmo_bench.errors import ModelError

_log = logging.getLogger(__name__)

Product = Callable[[Tensor], Tensor]
"""x (rows, input) → x @ weight + bias (rows, output), in single precision."""

ProductMaker = Callable[[Tensor, Tensor | None], Product]
"""weight (input, output), bias (output,) → the product with them."""


class Layer(Protocol):
    """A frozen LSTM layer, ready to run."""

    def gates(self, x: Tensor) -> Tensor:
        """What the inputs ``x`` (rows, input) add to the gates, bias included."""

    def steps(self, gates: Tensor, index: Tensor, counts: Sequence[int], hidden: Tensor, cell: Tensor) -> Tensor:
        """Runs the recurrence over packed tokens and returns their hidden states (tokens, projection).

        Args:
            gates: from ``gates``.
            index: the row of ``gates`` that each packed token uses.
            counts: how many rows of the state are alive at each step; never increasing.
            hidden: (rows, projection), start state; holds each row's last state afterwards.
            cell: (rows, dim), likewise.
        """


class TorchLayer:
    """A frozen LSTM layer on torch's operations, on any device, with any kind of matrix product."""

    def __init__(self, lstm: ProjectedLSTM, product: ProductMaker) -> None:
        of_input, of_hidden, bias = lstm.gates()
        self.gates = product(of_input.flatten(1), bias.flatten())
        self.of_hidden = product(of_hidden.flatten(1), None)
        self.project = None if lstm.W_P_0 is None else product(lstm.W_P_0, None)
        self.cell_clip, self.projection_clip = lstm.cell_clip, lstm.projection_clip
        self.compiled_cell = lstm.W_0.device.type == "cpu" and compiled.can_step(lstm.dim)

    def steps(self, gates: Tensor, index: Tensor, counts: Sequence[int], hidden: Tensor, cell: Tensor) -> Tensor:
        outputs = []
        for alive, rows in zip(counts, index.split(list(counts)), strict=True):
            total = self.of_hidden(hidden[:alive]).add_(gates.index_select(0, rows))  # (alive, 4 · dim)
            output = self._cell(total, cell[:alive])  # (alive, dim)
            if self.project is not None:
                output = self.project(output)  # (alive, projection)
                if self.projection_clip is not None:
                    output = output.clamp_(-self.projection_clip, self.projection_clip)
            hidden[:alive] = output
            outputs.append(output)
        return torch.cat(outputs)

    def _cell(self, gates: Tensor, cell: Tensor) -> Tensor:
        if self.compiled_cell:
            return compiled.cell_step(gates, cell, self.cell_clip)
        i, f, g, o = gates.chunk(4, dim=1)
        cell.mul_(f.sigmoid_()).addcmul_(i.sigmoid_(), g.tanh_())
        if self.cell_clip is not None:
            cell.clamp_(-self.cell_clip, self.cell_clip)
        return cell.tanh().mul_(o.sigmoid_())


@dataclass(frozen=True)
class Kernel:
    """A named way to compute: how to prepare one matrix product, and how to prepare one LSTM layer."""

    name: str
    product: ProductMaker
    layer: Callable[[ProjectedLSTM], Layer]


def _torch_kernel(name: str, product: ProductMaker) -> Kernel:
    return Kernel(name, product, functools.partial(TorchLayer, product=product))


def _plain(weight: Tensor, bias: Tensor | None) -> Product:
    transposed = weight.t().contiguous()
    return lambda x: functional.linear(x, transposed, bias)


def _onednn(weight: Tensor, bias: Tensor | None) -> Product:
    """oneDNN's single-precision product, which torch itself prefers MKL to; several times faster on some CPUs."""
    packed = torch.ops.mkldnn._reorder_linear_weight(weight.t().contiguous(), 64)
    return lambda x: torch.ops.mkldnn._linear_pointwise(x, packed, bias, "none", [], "")


def _bfloat16(weight: Tensor, bias: Tensor | None) -> Product:
    transposed = weight.t().contiguous().bfloat16()
    rounded_bias = None if bias is None else bias.bfloat16()
    return lambda x: functional.linear(x.bfloat16(), transposed, rounded_bias).float()


TORCH = _torch_kernel("torch", _plain)
ONEDNN = _torch_kernel("onednn", _onednn)
COMPILED = Kernel("compiled", compiled.PackedMatrix, compiled.CompiledLayer)
BFLOAT16 = _torch_kernel("bf16", _bfloat16)
C16 = Kernel("c16", compiled.PackedMatrix, functools.partial(compiled.CompiledLayer, bits=16))
C8 = Kernel("c8", compiled.PackedMatrix, functools.partial(compiled.CompiledLayer, bits=8))
