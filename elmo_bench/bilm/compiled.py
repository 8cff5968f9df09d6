"""The C kernel (recurrence.c): built with the machine's own compiler when a process first needs it.

The build takes a fraction of a second and is tuned to this very CPU, so nothing is kept between processes: a cluster
whose nodes differ cannot pick up a library that was made for another one.
"""

import ctypes
import functools
import logging
import os
import platform
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import torch
from torch import Tensor

from elmo_bench.bilm.lstm import ProjectedLSTM

_log = logging.getLogger(__name__)


@functools.cache
def library() -> ctypes.CDLL | None:
    """The compiled kernel, or None where it cannot be built; the reason is logged once."""
    compiler = os.environ.get("CC") or next(filter(shutil.which, ("cc", "gcc", "clang")), None)
    if compiler is None:
        _log.info("No C compiler found: the biLM runs on torch's own kernels, which are slower on a CPU.")
        return None
    tune = "-mcpu=native" if platform.machine() in ("arm64", "aarch64") else "-march=native"
    source = resources.files("elmo_bench.bilm").joinpath("recurrence.c")
    with tempfile.TemporaryDirectory(prefix="elmo_bench-") as folder, resources.as_file(source) as path:
        target = Path(folder) / "recurrence.so"
        command = [*compiler.split(), "-O3", tune, "-shared", "-fPIC", "-o", str(target), str(path)]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
            return ctypes.CDLL(str(target))
        except (OSError, subprocess.SubprocessError) as error:
            detail = (getattr(error, "stderr", None) or str(error)).strip()
            _log.warning("The C kernel could not be built, torch's own kernels serve (slower): %s", detail)
            return None


class _Scratch(threading.local):
    """Buffers that a thread uses again and again: fresh memory would have to be zeroed by the system each time."""

    def __init__(self) -> None:
        self.buffers: dict[str, Tensor] = {}

    def take(self, name: str, rows: int, columns: int) -> Tensor:
        buffer = self.buffers.get(name)
        if buffer is None or buffer.numel() < rows * columns:
            buffer = self.buffers[name] = torch.empty(rows * columns)
        return buffer[: rows * columns].view(rows, columns)


_scratch = _Scratch()


def _pointer(tensor: Tensor | None) -> ctypes.c_void_p:
    return ctypes.c_void_p(tensor.data_ptr() if tensor is not None else None)


def _rounded_up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple


class PackedMatrix:
    """A weight matrix in the order in which the kernel reads it: see ``multiply`` in recurrence.c."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None, clip: float | None = None) -> None:
        """Packs ``weight`` (input, output); the output is padded with zeros to whole panels."""
        kernel = _kernel()
        width, depth = kernel.columns(), kernel.depth()
        self.rows, self.columns = weight.shape
        self.padded = _rounded_up(self.columns, width)
        padded = torch.nn.functional.pad(weight.float(), (0, self.padded - self.columns))
        panels = [block.view(len(block), -1, width).transpose(0, 1).reshape(-1) for block in padded.split(depth)]
        self.data = torch.cat(panels)
        self.bias = None if bias is None else torch.nn.functional.pad(bias.float(), (0, self.padded - self.columns))
        self.clip = clip or 0.0

    def __call__(self, x: Tensor, out: Tensor | None = None) -> Tensor:
        """Returns clip(x @ weight + bias); ``out`` (rows, padded columns) is filled where it is given."""
        if x.stride(-1) != 1:
            x = x.contiguous()
        if out is None:
            out = torch.empty(x.shape[0], self.padded)
        integers = map(ctypes.c_long, (x.shape[0], self.rows, self.padded))
        _kernel().multiply(
            *integers, _pointer(x), ctypes.c_long(x.stride(0)), _pointer(self.data), _pointer(self.bias),
            ctypes.c_float(self.clip), _pointer(out), ctypes.c_long(out.stride(0)),
        )  # fmt: skip
        return out[:, : self.columns]


class CompiledLayer:
    """A frozen LSTM layer for the C kernel."""

    def __init__(self, lstm: ProjectedLSTM) -> None:
        gates = lstm.gates()
        self.dim, self.projection = lstm.dim, lstm.projection
        self.lanes = _kernel().lanes()
        self.padded_dim = _rounded_up(self.dim, self.lanes)
        self.of_input = PackedMatrix(self._interleave(gates.of_input), self._interleave(gates.bias[None])[0])
        self.of_hidden = PackedMatrix(self._interleave(gates.of_hidden))
        self.project: PackedMatrix | None = None
        self.stride = self.padded_dim
        if lstm.W_P_0 is not None:
            weight = torch.nn.functional.pad(lstm.W_P_0, (0, 0, 0, self.padded_dim - self.dim))
            self.project = PackedMatrix(weight)
            self.stride = self.project.padded
        self.cell_clip, self.projection_clip = lstm.cell_clip or 0.0, lstm.projection_clip or 0.0

    def _interleave(self, weight: Tensor) -> Tensor:
        """(rows, 4, dim) → (rows, 4 · padded dim), the four gates of as many units as a vector holds side by side.

        Units of the padding have zero weights: their cells stay 0 and reach nothing.
        """
        weight = torch.nn.functional.pad(weight, (0, self.padded_dim - self.dim))
        return weight.unflatten(2, (-1, self.lanes)).transpose(1, 2).flatten(1)

    def gates(self, x: Tensor) -> Tensor:
        """What the inputs ``x`` (rows, input) add to the gates; valid until this thread's next call."""
        return self.of_input(x, out=_scratch.take("gates", x.shape[0], self.of_input.padded))

    def steps(self, gates: Tensor, index: Tensor, counts: Sequence[int], hidden: Tensor, cell: Tensor) -> Tensor:
        """Runs the recurrence over packed tokens; see ``Layer`` in kernels.py."""
        rows = hidden.shape[0]
        padded_hidden = torch.zeros(rows, self.stride)
        padded_hidden[:, : self.projection] = hidden
        padded_cell = torch.zeros(rows, self.padded_dim)
        padded_cell[:, : self.dim] = cell
        index = index.to(torch.int32).contiguous()
        alive = torch.tensor(counts, dtype=torch.int32)
        out = torch.empty(index.numel(), self.stride)
        long, single = ctypes.c_long, ctypes.c_float
        _kernel().lstm_steps(
            long(len(counts)), _pointer(alive), long(self.projection), long(self.stride), long(self.padded_dim),
            _pointer(gates), _pointer(index), _pointer(self.of_hidden.data),
            _pointer(self.project.data if self.project else None),
            single(self.cell_clip), single(self.projection_clip),
            _pointer(padded_hidden), _pointer(padded_cell),
            _pointer(_scratch.take("cell output", rows, self.padded_dim)), _pointer(out),
        )  # fmt: skip
        hidden.copy_(padded_hidden[:, : self.projection])
        cell.copy_(padded_cell[:, : self.dim])
        return out[:, : self.projection]


def cell_step(gates: Tensor, cell: Tensor, clip: float | None) -> Tensor:
    """The LSTM cell alone, for other matrix kernels: ``gates`` (rows, 4 · dim); updates ``cell`` (rows, dim)."""
    rows, dim = cell.shape
    out = torch.empty(rows, dim)
    _kernel().cell_step(
        ctypes.c_long(rows), ctypes.c_long(dim), _pointer(gates), _pointer(cell), ctypes.c_float(clip or 0.0), _pointer(out)
    )
    return out


def can_step(dim: int) -> bool:
    """Whether ``cell_step`` can serve cells of this size here."""
    kernel = library()
    return kernel is not None and dim % kernel.lanes() == 0


def _kernel() -> ctypes.CDLL:
    kernel = library()
    assert kernel is not None, "only to be used where library() gave a kernel"
    return kernel
