"""Ways to compute a frozen layer: which matrix products, which cell. Chosen by measuring them, never by a
CPU's name.
"""

import functools
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
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

    def steps(
        self, gates: Tensor, index: Tensor, counts: Sequence[int], hidden: Tensor, cell: Tensor
    ) -> Tensor:
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
        single = lstm.W_0.device.type == "cpu" and lstm.W_0.dtype == torch.float32
        self.compiled_cell = single and compiled.can_step(lstm.dim)

    def steps(
        self, gates: Tensor, index: Tensor, counts: Sequence[int], hidden: Tensor, cell: Tensor
    ) -> Tensor:
        outputs = []
        for alive, rows in zip(counts, torch.split(index, list(counts)), strict=True):
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
    """oneDNN's single-precision product, which torch itself prefers MKL to; several times faster on some
    CPUs.
    """
    packed = torch.ops.mkldnn._reorder_linear_weight(weight.t().contiguous(), 64)
    return lambda x: torch.ops.mkldnn._linear_pointwise(x, packed, bias, "none", [], "")


def _bfloat16(weight: Tensor, bias: Tensor | None) -> Product:
    transposed = weight.t().contiguous().bfloat16()
    rounded_bias = None if bias is None else bias.bfloat16()
    return lambda x: functional.linear(x.bfloat16(), transposed, rounded_bias).float()


TORCH = _torch_kernel("torch", _plain)
ONEDNN = _torch_kernel("onednn", _onednn)
COMPILED = Kernel("compiled", compiled.PackedMatrix, compiled.CompiledLayer)

PRECISIONS = ("fp32", "bf16", "int8")

_TOLERANCE = 1e-5
"""How far from double precision an exact kernel's trial may end; rounding alone makes about 1e-6."""


def choose(precision: str, device: torch.device) -> Kernel:
    """The fastest kernel that this machine has for a precision."""
    if precision not in PRECISIONS:
        raise ModelError(f"There is no precision {precision!r}; choose one of {', '.join(PRECISIONS)}.")
    exact = fastest_exact() if device.type == "cpu" else TORCH
    if precision == "fp32":
        return exact
    if precision == "bf16":
        if device.type == "cpu" and compiled.library(16, compiled.KERNEL) is not None:
            return Kernel("compiled bf16", exact.product, functools.partial(compiled.CompiledLayer, bits=16))
        return Kernel("torch bf16", exact.product, functools.partial(TorchLayer, product=_bfloat16))
    if device.type == "cpu" and compiled.library(8, compiled.KERNEL) is not None:
        return Kernel("compiled int8", exact.product, functools.partial(compiled.CompiledLayer, bits=8))
    raise ModelError(
        "precision=int8 needs a CPU with 8-bit dot products (AVX-512 VNNI, AVX-VNNI, ARM dotprod) and a C "
        f"compiler; on {device} here it is not to be had. Use fp32 or bf16."
    )


def available_exact() -> list[Kernel]:
    """Every single-precision kernel that runs on this CPU; torch's own is always there."""
    kernels = [TORCH]
    private = ("_linear_pointwise", "_reorder_linear_weight")
    if torch.backends.mkldnn.is_available() and all(hasattr(torch.ops.mkldnn, name) for name in private):
        kernels.append(ONEDNN)
    if compiled.library(32, compiled.KERNEL) is not None:
        kernels.append(COMPILED)
    return kernels


@functools.cache
def fastest_exact() -> Kernel:
    """Tries every single-precision kernel on a small layer: the fastest whose result is right serves."""
    with ThreadPoolExecutor(1, initializer=torch.set_num_threads, initargs=(1,)) as alone:
        trials = {
            kernel.name: (kernel, *alone.submit(_trial, kernel).result()) for kernel in available_exact()
        }
    for name, (_, error, seconds) in trials.items():
        _log.info("kernel %s: %.2f ms, error %.1e", name, seconds * 1e3, error)
    right = [trial for trial in trials.values() if trial[1] <= _TOLERANCE]
    return min(right, key=lambda trial: trial[2])[0] if right else TORCH


def _trial(kernel: Kernel) -> tuple[float, float]:
    """Returns (largest error, seconds) of a kernel on a layer of ordinary proportions."""
    rows, steps = 48, 3
    options = Options.parse(_TRIAL_OPTIONS)
    with torch.inference_mode():
        generator = torch.Generator().manual_seed(1)
        lstm = ProjectedLSTM(options)
        for parameter in lstm.parameters():
            parameter.normal_(std=parameter.shape[0] ** -0.5, generator=generator)
        x = torch.randn(rows * steps, options.projection, generator=generator)

        def run(layer: Layer, dtype: torch.dtype) -> Tensor:
            hidden = torch.zeros(rows, options.projection, dtype=dtype)
            cell = torch.zeros(rows, options.dim, dtype=dtype)
            return layer.steps(
                layer.gates(x.to(dtype)), torch.arange(rows * steps), [rows] * steps, hidden, cell
            )

        try:
            layer = kernel.layer(lstm)
            found = run(layer, torch.float32)
        except RuntimeError as error:
            _log.info("kernel %s does not work here: %s", kernel.name, error)
            return float("inf"), float("inf")
        seconds = []
        for _ in range(10):
            begin = time.perf_counter()
            run(layer, torch.float32)
            seconds.append(time.perf_counter() - begin)
        true = run(TorchLayer(lstm.double(), _plain), torch.float64)
        return float((found.double() - true).abs().max()), min(seconds)


_TRIAL_OPTIONS = {
    "lstm": {"n_layers": 1, "dim": 1024, "projection_dim": 128, "cell_clip": 3, "proj_clip": 3},
    "char_cnn": {"activation": "relu", "filters": [[1, 1]], "embedding": {"dim": 1}},
}
