"""One LSTM layer over a window, with a gradient: the C kernel's where it serves, torch's own elsewhere."""

import ctypes
import functools
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from elmo_bench.bilm import compiled
from elmo_bench.bilm.compiled import Matrix, pointer, rounded_up
from elmo_bench.bilm.lstm import ProjectedLSTM

_SIGNATURES = {
    "train_forward": "ppiiiiffppppppp",
    "train_backward": "ppiiiiffpppppp",
    "pack": "piippp",
    "convolve": "ppiipipiipp",
    "convolve_back": "iiiippiippppp",
    "softmax_rows": "iippfpp",
}

State = tuple[Tensor, Tensor]
"""hidden (streams, projection) and cell (streams, dim) at a window's start or end, outside the gradient."""


def run_layer(lstm: ProjectedLSTM, x: Tensor, state: State, bits: int) -> tuple[Tensor, State]:
    """Runs a layer over ``x`` (steps, streams, projection) and returns its outputs and its last state.

    Args:
        bits: of the products' operands on a CPU: 32 or 16. Elsewhere autocast decides.
    """
    if lstm.W_P_0 is None or not _serves(lstm, bits):
        return plain_layer(lstm, x, state)
    hidden, cell = _CompiledWindow.apply(x, lstm.W_0, lstm.B, lstm.W_P_0, *state, lstm, bits)
    return hidden, (hidden[-1].detach(), cell)


def plain_layer(lstm: ProjectedLSTM, x: Tensor, state: State) -> tuple[Tensor, State]:
    """The layer in torch's operations, one step after the other."""
    (of_input, of_hidden, bias), (hidden, cell) = lstm.gates(), state
    gates = x @ of_input.flatten(1) + bias.flatten()  # (steps, streams, 4 · dim)
    outputs = []
    for step in gates:
        i, f, g, o = (step + hidden @ of_hidden.flatten(1)).chunk(4, dim=1)  # (streams, dim) each
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        if lstm.cell_clip is not None:
            cell = cell.clamp(-lstm.cell_clip, lstm.cell_clip)
        hidden = o.sigmoid() * cell.tanh()
        if lstm.W_P_0 is not None:
            hidden = hidden @ lstm.W_P_0  # (streams, projection)
            if lstm.projection_clip is not None:
                hidden = hidden.clamp(-lstm.projection_clip, lstm.projection_clip)
        outputs.append(hidden)
    return torch.stack(outputs), (hidden.detach(), cell.detach())


def _serves(lstm: ProjectedLSTM, bits: int) -> bool:
    """The kernel wants a CPU, single-precision weights and whole vectors."""
    if lstm.W_0.device.type != "cpu" or lstm.W_0.dtype != torch.float32:
        return False
    kernel = kernel_of(bits)
    return kernel is not None and lstm.dim % kernel.columns() == 0 and lstm.projection % kernel.columns() == 0


class _CompiledWindow(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, project: Tensor, hidden: Tensor, cell: Tensor,
        lstm: ProjectedLSTM, bits: int,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        kernel, packed = certain_kernel(bits), _packed(lstm.projection, lstm.dim, bits)
        steps, streams, projection = x.shape
        dim = lstm.dim
        clips = lstm.cell_clip or 0.0, lstm.projection_clip or 0.0
        gates = packed.of_input.pack(weight).multiply(x.reshape(-1, projection), bias)  # (tokens, 4 · dim)
        cells, outputs = (torch.empty(steps, streams, dim) for _ in range(2))
        hiddens, scratch = (
            torch.empty(steps, streams, projection),
            torch.empty(streams * (1 + dim + projection)),
        )
        kernel.train_forward(
            packed.of_hidden.pack(weight).struct, packed.project.pack(project).struct,
            steps, streams, projection, dim, *clips, pointer(hidden), pointer(cell),
            pointer(gates), pointer(cells), pointer(outputs), pointer(hiddens),
            pointer(scratch),
        )  # fmt: skip
        ctx.save_for_backward(x, weight, project, hidden, cell, gates, cells, outputs, hiddens)
        ctx.clips, ctx.bits = clips, bits
        last = cells[-1].clone()
        ctx.mark_non_differentiable(last)
        return hiddens, last

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, project, hidden, cell, gates, cells, outputs, hiddens = ctx.saved_tensors
        steps, streams, projection = x.shape
        dim = project.shape[0]
        kernel, packed = certain_kernel(ctx.bits), _packed(projection, dim, ctx.bits)
        gradient = gradient.contiguous().clone()
        scratch = torch.empty(streams * (1 + 6 * dim + projection))
        kernel.train_backward(
            packed.of_hidden_back.pack(weight).struct, packed.project_back.pack(project).struct,
            steps, streams, projection, dim, *ctx.clips, pointer(cell), pointer(cells), pointer(hiddens),
            pointer(gates), pointer(gradient), pointer(scratch),
        )  # fmt: skip
        # The kernel has put the gates' gradient (tokens, 4 · dim) where the gates were.
        before = torch.cat([hidden[None], hiddens[:-1]])
        inputs = torch.cat([x, before], dim=2).flatten(0, 1)  # (tokens, 2 · projection)
        return (
            packed.of_input_back.pack(weight).multiply(gates).view_as(x),
            _transposed_product(inputs, gates, ctx.bits),
            gates.sum(0),
            _transposed_product(outputs.flatten(0, 1), gradient.flatten(0, 1), ctx.bits),
            None, None, None, None,
        )  # fmt: skip


def _transposed_product(left: Tensor, right: Tensor, bits: int) -> Tensor:
    if bits == 16:
        return (left.bfloat16().t() @ right.bfloat16()).float()
    return left.t() @ right


@functools.cache
def kernel_of(bits: int) -> ctypes.CDLL | None:
    """The C kernels of training, or None where they cannot be had."""
    kernel = compiled.library(bits, "pretrain/gradient.c")
    if kernel is not None:
        compiled.declare(kernel, _SIGNATURES)
    return kernel


def certain_kernel(bits: int) -> ctypes.CDLL:
    kernel = kernel_of(bits)
    assert kernel is not None, "only to be used where there is a kernel"
    return kernel


class PackedAnew:
    """Weights in the kernel's order, packed anew whenever they have changed: see ``pack`` in gradient.c."""

    def __init__(self, rows: NDArray[np.int64], columns: NDArray[np.int64], bits: int) -> None:
        """``rows`` and ``columns``: where each begins in the parameter; an element is at their sum."""
        self._kernel = certain_kernel(bits)
        self._rows, self._columns = rows.astype(np.int32), columns.astype(np.int32)
        holds = self._kernel.word_holds()
        words = rounded_up(len(rows), holds) // holds
        self._panels = torch.empty(words * len(columns), dtype=torch.int32)
        self._matrix = Matrix(words, len(columns), pointer(self._panels), None, None)
        self.struct = ctypes.byref(self._matrix)

    def pack(self, weight: Tensor) -> "PackedAnew":
        sizes = len(self._rows), len(self._columns)
        places = self._rows.ctypes.data, self._columns.ctypes.data
        self._kernel.pack(pointer(weight), *sizes, *places, pointer(self._panels))
        return self

    def multiply(self, x: Tensor, bias: Tensor | None = None) -> Tensor:
        rows = x.shape[0]
        out = torch.empty(rows, len(self._columns))
        scratch = torch.empty(rows * (1 + self._matrix.k))
        self._kernel.multiply(
            self.struct, rows, len(self._rows), pointer(x), x.stride(0), pointer(bias), 0.0,
            pointer(out), out.stride(0), pointer(scratch),
        )  # fmt: skip
        return out


class _PackedLayer:
    """The six matrices of a layer and of its gradient."""

    def __init__(self, projection: int, dim: int, bits: int) -> None:
        lanes = certain_kernel(bits).lanes()
        input_rows = np.arange(projection) * 4 * dim
        hidden_rows = input_rows + projection * 4 * dim
        gate_columns = np.arange(4 * dim)
        # The recurrence wants the gates i, f, g, o of as many units as a vector holds side by side.
        units = np.arange(dim).reshape(-1, 1, lanes)
        side_by_side = (units + np.array([0, 2, 1, 3])[:, None] * dim).reshape(-1)
        cells, projected = np.arange(dim) * projection, np.arange(projection)
        self.of_input = PackedAnew(input_rows, gate_columns, bits)
        self.of_hidden = PackedAnew(hidden_rows, side_by_side, bits)
        self.project = PackedAnew(cells, projected, bits)
        self.of_input_back = PackedAnew(gate_columns, input_rows, bits)
        self.of_hidden_back = PackedAnew(gate_columns, hidden_rows, bits)
        self.project_back = PackedAnew(projected, cells, bits)


@functools.cache
def _packed(projection: int, dim: int, bits: int) -> _PackedLayer:
    return _PackedLayer(projection, dim, bits)
