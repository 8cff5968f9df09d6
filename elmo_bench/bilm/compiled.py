"""The C kernel (recurrence.c): built with the machine's own compiler when a process first needs it.

The build takes a fraction of a second and is tuned to this very CPU, so nothing is kept between processes: a
cluster whose nodes differ cannot pick up a library that was made for another one.
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
from ctypes import c_float, c_int32, c_long, c_void_p
from importlib import resources
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import pad

from elmo_bench.bilm.lstm import ProjectedLSTM

_log = logging.getLogger(__name__)

KERNEL = "recurrence.c"


class Matrix(ctypes.Structure):
    _fields_: ClassVar = [
        ("k", c_long),
        ("n", c_long),
        ("panels", c_void_p),
        ("scale", c_void_p),
        ("offset", c_void_p),
    ]


_SIGNATURES = {
    "multiply": "piipipfpip",
    "lstm_steps": "ppipiiippffpppp",
    "cell_step": "iippfp",
}
"""What the C functions take: p a pointer, i an integer, f a number. They all return nothing."""

_TYPES = {"p": c_void_p, "i": c_long, "f": c_float}


@functools.cache
def library(bits: int, source: str) -> ctypes.CDLL | None:
    """A C file's kernels for products of so many bits; None where they cannot be had, and why is logged."""
    compiler = os.environ.get("CC") or next(filter(shutil.which, ("cc", "gcc", "clang")), None)
    if compiler is None:
        _log.info("No C compiler found: the biLM runs on torch's own kernels, which are slower on a CPU.")
        return None
    tune = "-mcpu=native" if platform.machine() in ("arm64", "aarch64") else "-march=native"
    # Rows of floats are read as 32-bit words, whatever those hold.
    flags = ["-O3", tune, "-fno-strict-aliasing", f"-DPRECISION={bits}", "-shared", "-fPIC"]
    package = resources.files("elmo_bench.bilm")
    with tempfile.TemporaryDirectory(prefix="elmo_bench-") as target, resources.as_file(package) as folder:
        command = [
            *compiler.split(),
            *flags,
            f"-I{folder}",
            f"{folder}/{source}",
            "-o",
            f"{target}/kernel.so",
        ]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
            kernel = ctypes.CDLL(f"{target}/kernel.so")
        except (OSError, subprocess.SubprocessError) as error:
            detail = (getattr(error, "stderr", None) or str(error)).strip()
            _log.info("No C kernel for %d bits, torch's own kernels serve: %s", bits, detail)
            return None
    declare(kernel, _SIGNATURES)
    return kernel


def declare(kernel: ctypes.CDLL, signatures: dict[str, str]) -> None:
    """Tells ctypes what functions take, a letter for each argument."""
    for name, letters in signatures.items():
        function = getattr(kernel, name)
        function.argtypes, function.restype = [_TYPES[letter] for letter in letters], None


class _Scratch(threading.local):
    """Buffers that a thread uses again and again: the system zeroes fresh memory, which takes time."""

    def __init__(self) -> None:
        self.buffers: dict[str, Tensor] = {}

    def take(self, name: str, size: int) -> Tensor:
        buffer = self.buffers.get(name)
        if buffer is None or buffer.numel() < size:
            buffer = self.buffers[name] = torch.empty(size)
        return buffer[:size]


_scratch = _Scratch()


def pointer(tensor: Tensor | None) -> int | None:
    return None if tensor is None else tensor.data_ptr()


def rounded_up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple


class PackedMatrix:
    """A weight matrix in the order in which the kernel reads it: see ``matrix`` in recurrence.c."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None, bits: int = 32) -> None:
        """Packs ``weight`` (input, output), padded with zeros to whole words and whole panels."""
        self._kernel = _kernel(bits)
        self.input, self.output = weight.shape
        holds, width, depth = self._kernel.word_holds(), self._kernel.columns(), self._kernel.depth()
        self.padded = rounded_up(self.output, width)
        fill = (0, self.padded - self.output, 0, rounded_up(self.input, holds) - self.input)
        padded = pad(weight.float(), fill)  # (words · holds, padded)
        self.bias = None if bias is None else pad(bias.float(), fill[:2])
        self._scale = self._offset = None
        if bits == 8:
            self._scale = padded.abs().amax(0).clamp(min=1e-30) / 127  # (padded,)
            padded = (padded / self._scale).round().to(torch.int8)
            zero_point = self._kernel.zero_point()
            sums = [
                block.sum(0, dtype=torch.int32) * zero_point for block in torch.split(padded, depth * holds)
            ]
            self._offset = torch.stack(sums)  # (blocks, padded)
        elif bits == 16:
            padded = padded.bfloat16()
        words = padded.view(-1, holds, self.padded).transpose(1, 2).contiguous().view(torch.int32)[..., 0]
        blocks = [
            block.view(len(block), -1, width).transpose(0, 1).reshape(-1)
            for block in torch.split(words, depth)
        ]
        self._panels = torch.cat(blocks)
        self.struct = Matrix(
            len(words), self.padded, pointer(self._panels), pointer(self._scale), pointer(self._offset)
        )

    def __call__(self, x: Tensor, out: Tensor | None = None) -> Tensor:
        """Returns x @ weight + bias; ``out`` (rows, padded columns) is filled where it is given."""
        if x.stride(-1) != 1:
            x = x.contiguous()
        rows = x.shape[0]
        if out is None:
            out = torch.empty(rows, self.padded)
        scratch = _scratch.take("encoded", rows * (1 + self.struct.k))
        self._kernel.multiply(
            ctypes.byref(self.struct), rows, self.input, pointer(x), x.stride(0), pointer(self.bias), 0.0,
            pointer(out), out.stride(0), pointer(scratch),
        )  # fmt: skip
        return out[:, : self.output]


class CompiledLayer:
    """A frozen LSTM layer for the C kernel."""

    def __init__(self, lstm: ProjectedLSTM, bits: int = 32) -> None:
        self._kernel = _kernel(bits)
        gates = lstm.gates()
        self.dim, self.projection = lstm.dim, lstm.projection
        self.lanes = self._kernel.lanes()
        self.padded_dim = rounded_up(self.dim, self.lanes)
        self.of_input = PackedMatrix(
            self._interleave(gates.of_input), self._interleave(gates.bias[None])[0], bits
        )
        self.of_hidden = PackedMatrix(self._interleave(gates.of_hidden), bits=bits)
        self.project: PackedMatrix | None = None
        self.stride = self.padded_dim
        if lstm.W_P_0 is not None:
            self.project = PackedMatrix(pad(lstm.W_P_0, (0, 0, 0, self.padded_dim - self.dim)), bits=bits)
            self.stride = self.project.padded
        self.cell_clip, self.projection_clip = lstm.cell_clip or 0.0, lstm.projection_clip or 0.0

    def _interleave(self, weight: Tensor) -> Tensor:
        """(rows, 4, dim) → (rows, 4 · padded dim), the four gates of as many units as a vector holds side by
        side.

        Units of the padding have zero weights: their cells stay 0 and reach nothing.
        """
        weight = pad(weight, (0, self.padded_dim - self.dim))
        return weight.view(len(weight), 4, -1, self.lanes).transpose(1, 2).flatten(1)

    def gates(self, x: Tensor) -> Tensor:
        """What the inputs ``x`` (rows, input) add to the gates; valid until this thread's next call."""
        rows, columns = x.shape[0], self.of_input.padded
        return self.of_input(x, out=_scratch.take("gates", rows * columns).view(rows, columns))

    def steps(
        self, gates: Tensor, index: Tensor, counts: Sequence[int], hidden: Tensor, cell: Tensor
    ) -> Tensor:
        """Runs the recurrence over packed tokens; see ``Layer`` in kernels.py."""
        rows = hidden.shape[0]
        padded_hidden = pad(hidden, (0, self.stride - self.projection))
        padded_cell = pad(cell, (0, self.padded_dim - self.dim))
        index = index.to(torch.int32).contiguous()
        out = torch.empty(index.numel(), self.stride)
        scratch = _scratch.take(
            "cell output", rows * (1 + self.padded_dim + max(self.padded_dim, self.projection))
        )
        self._kernel.lstm_steps(
            ctypes.byref(self.of_hidden.struct), ctypes.byref(self.project.struct) if self.project else None,
            len(counts), (c_int32 * len(counts))(*counts), self.projection, self.stride, self.padded_dim,
            pointer(gates), pointer(index), self.cell_clip, self.projection_clip,
            pointer(padded_hidden), pointer(padded_cell), pointer(out), pointer(scratch),
        )  # fmt: skip
        hidden.copy_(padded_hidden[:, : self.projection])
        cell.copy_(padded_cell[:, : self.dim])
        return out[:, : self.projection]


def cell_step(gates: Tensor, cell: Tensor, clip: float | None) -> Tensor:
    """The cell alone, for other kernels, on ``gates`` (rows, 4 · dim); updates ``cell`` (rows, dim)."""
    rows, dim = cell.shape
    out = torch.empty(rows, dim)
    _kernel(32).cell_step(rows, dim, pointer(gates), pointer(cell), clip or 0.0, pointer(out))
    return out


def can_step(dim: int) -> bool:
    """Whether ``cell_step`` can serve cells of this size here."""
    kernel = library(32, KERNEL)
    return kernel is not None and dim % kernel.lanes() == 0


def _kernel(bits: int) -> ctypes.CDLL:
    kernel = library(bits, KERNEL)
    assert kernel is not None, "only to be used where library() gave a kernel"
    return kernel
