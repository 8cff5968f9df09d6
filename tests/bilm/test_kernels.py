"""Matrix products and recurrences of every kind, against NumPy and against each other."""

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from random_models import write_random_model
from reference import ReferenceBiLM
from torch import Tensor

from elmo_bench.bilm import compiled, kernels
from elmo_bench.bilm.compiled import PackedMatrix
from elmo_bench.bilm.kernels import TORCH, Kernel, Layer
from elmo_bench.bilm.lstm import ProjectedLSTM
from elmo_bench.bilm.options import Options
from elmo_bench.bilm.start import warmup_text
from elmo_bench.elmo import Elmo
from elmo_bench.errors import ModelError

Floats = NDArray[np.float32]

SENTENCES = [["the", "bank", "lends", "money", "."], ["steep"], ["rivers", "have", "banks", ",", "too"]]
OTHER_KERNELS = [kernel for kernel in kernels.available_exact() if kernel is not TORCH]
every_other_kernel = pytest.mark.parametrize("kernel", OTHER_KERNELS, ids=lambda kernel: str(kernel.name))


def needs_bits(bits: int) -> pytest.MarkDecorator:
    missing = compiled.library(bits, compiled.KERNEL) is None
    return pytest.mark.skipif(missing, reason=f"products of {bits} bits cannot be compiled for this CPU")


def random_lstm(dim: int, projection: int, seed: int = 0) -> ProjectedLSTM:
    lstm = {"n_layers": 1, "dim": dim, "projection_dim": projection, "cell_clip": 0.5, "proj_clip": 0.4}
    cnn = {"activation": "relu", "filters": [[1, 1]], "embedding": {"dim": 1}}
    layer = ProjectedLSTM(Options.parse({"lstm": lstm, "char_cnn": cnn}))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(std=parameter.shape[0] ** -0.5, generator=generator)
    return layer


def run(layer: Layer, lstm: ProjectedLSTM, counts: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
    """Outputs and last states from a random start; tokens share inputs, as words of a batch do."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(40, lstm.projection, generator=generator)
    index = torch.randint(len(x), (5 * 70,), generator=generator)[: sum(counts)]
    hidden = torch.rand(counts[0], lstm.projection, generator=generator) - 0.5
    cell = torch.rand(counts[0], lstm.dim, generator=generator) - 0.5
    with torch.inference_mode():
        return layer.steps(layer.gates(x), index, counts, hidden, cell), hidden, cell


@every_other_kernel
@pytest.mark.parametrize(("dim", "projection"), [(1, 1), (13, 5), (32, 16), (37, 37), (50, 72), (17, 65)])
def test_exact_kernels_agree_for_any_number_of_rows(kernel: Kernel, dim: int, projection: int) -> None:
    lstm = random_lstm(dim, projection)
    with torch.inference_mode():
        layer, expected = kernel.layer(lstm), TORCH.layer(lstm)
    for rows in range(1, 71):
        counts = [rows, rows, rows - rows // 3, max(1, rows // 2), 1]
        for found, true in zip(run(layer, lstm, counts), run(expected, lstm, counts), strict=True):
            np.testing.assert_allclose(found, true, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kernel", kernels.available_exact(), ids=lambda kernel: str(kernel.name))
def test_rows_that_have_ended_keep_their_state(kernel: Kernel) -> None:
    lstm = random_lstm(dim=20, projection=12)
    with torch.inference_mode():
        layer = kernel.layer(lstm)
    _, hidden, cell = run(layer, lstm, [5, 5, 2, 1])
    outputs, early_hidden, early_cell = run(layer, lstm, [5, 5])
    np.testing.assert_array_equal(early_hidden, outputs[5:])
    np.testing.assert_array_equal(hidden[2:], early_hidden[2:])
    np.testing.assert_array_equal(cell[2:], early_cell[2:])
    assert (hidden[:2] != early_hidden[:2]).all()


def bfloat16(x: Floats) -> Floats:
    """Rounds to the nearest number whose lower 16 bits are zero, ties to even."""
    bits = x.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def nearly_whole_steps(generator: np.random.Generator, rows: int, columns: int) -> tuple[Floats, Floats]:
    """Values near multiples of a step that differs by column, and these multiples, -127 to 127.

    Nothing lies near the middle between two, where rounding before or after a product would matter.
    """
    multiples = generator.integers(-126, 127, (rows, columns)).astype(np.float32)
    multiples[0] = 127.0
    near = multiples + generator.uniform(-0.4, 0.4, (rows, columns)) * (multiples != 127.0)
    step = generator.uniform(0.5, 2.0, columns) / 127
    return (near * step).astype(np.float32), multiples


every_size = pytest.mark.parametrize(
    ("rows", "inputs", "outputs"), [(1, 1, 1), (7, 13, 70), (100, 30, 64), (5, 600, 9), (8, 2101, 130)]
)


@every_size
@pytest.mark.parametrize(
    "bits", [pytest.param(32, marks=needs_bits(32)), pytest.param(16, marks=needs_bits(16))]
)
def test_packed_products_of_floats_equal_numpy(rows: int, inputs: int, outputs: int, bits: int) -> None:
    generator = np.random.default_rng(0)
    x = generator.normal(size=(rows, inputs)).astype(np.float32)
    weight = generator.normal(scale=inputs**-0.5, size=(inputs, outputs)).astype(np.float32)
    bias = generator.normal(size=outputs).astype(np.float32)
    found = PackedMatrix(torch.from_numpy(weight), torch.from_numpy(bias), bits)(torch.from_numpy(x))
    if bits == 16:
        x, weight = bfloat16(x), bfloat16(weight)
    np.testing.assert_allclose(found, x.astype(np.float64) @ weight + bias, rtol=0, atol=1e-5)


@every_size
@needs_bits(8)
def test_packed_products_of_integers_equal_a_quantised_numpy(rows: int, inputs: int, outputs: int) -> None:
    generator = np.random.default_rng(0)
    weight, whole_weight = nearly_whole_steps(generator, inputs, outputs)
    x_columns, whole_x_columns = nearly_whole_steps(generator, inputs, rows)
    x, whole_x = (
        np.ascontiguousarray(x_columns.T),
        whole_x_columns.T,
    )  # each row of the input has its own step
    bias = generator.normal(size=outputs).astype(np.float32)
    worth = np.abs(x).max(axis=1, keepdims=True) / 127.0 * (np.abs(weight).max(axis=0) / 127.0)
    expected = whole_x.astype(np.float64) @ whole_weight * worth + bias  # (rows, outputs)
    found = PackedMatrix(torch.from_numpy(weight), torch.from_numpy(bias), 8)(torch.from_numpy(x))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("bits", [pytest.param(bits, marks=needs_bits(bits)) for bits in (32, 16, 8)])
def test_packed_products_read_rows_wherever_they_lie(bits: int) -> None:
    table = torch.randn(12, 40, generator=torch.Generator().manual_seed(0))
    multiply = PackedMatrix(torch.randn(9, 5, generator=torch.Generator().manual_seed(1)), bits=bits)
    for view in (table[2:, 3:12], table[::3, 3:12], table[:, 3:30:3], table.t()[:30, 3:12], table[:0, :9]):
        np.testing.assert_array_equal(
            multiply(view), multiply(view.clone(memory_format=torch.contiguous_format))
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_random_model(tmp_path_factory.mktemp("model"), dim=72, projection=30)


def relative_error(found: Sequence[Floats], true: Sequence[Floats]) -> list[float]:
    """Root mean square of the difference in units of that of the values, for each layer."""
    a, b = np.concatenate(found, axis=1), np.concatenate(true, axis=1)  # (layers, tokens, width)
    return [float(np.sqrt(np.mean((x - y) ** 2) / np.mean(y**2))) for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize(
    ("precision", "limit"), [("bf16", 0.02), pytest.param("int8", 0.10, marks=needs_bits(8))]
)
def test_rounded_precisions_are_near_and_not_the_same(folder: Path, precision: str, limit: float) -> None:
    exact = Elmo.load(folder, state="zero")
    rounded = Elmo.load(folder, state="zero", precision=precision)
    words, *contextual = relative_error(rounded.embed(SENTENCES), exact.embed(SENTENCES))
    assert words < 1e-6  # word vectors are always exact; how words share a chunk may change their last bits
    assert all(0.0 < error < limit for error in contextual)

    text = warmup_text()
    expected = relative_error(rounded.embed(text), exact.embed(text))
    assert rounded.precision_error() == pytest.approx(expected, rel=1e-3, abs=1e-6)


@pytest.fixture(params=["false", "/no/such/compiler"])
def no_compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fresh caches, so that neither what was compiled before nor what is found here outlives a test."""
    monkeypatch.setenv("CC", request.param)
    monkeypatch.setattr(compiled, "library", functools.cache(compiled.library.__wrapped__))
    monkeypatch.setattr(kernels, "fastest_exact", functools.cache(kernels.fastest_exact.__wrapped__))


@pytest.mark.usefixtures("no_compiler")
def test_without_a_compiler_results_are_the_same(folder: Path) -> None:
    reference = ReferenceBiLM(folder)
    elmo = Elmo.load(folder, state="zero")
    assert elmo.kernel in ("torch", "onednn")
    for sentence, found in zip(SENTENCES, elmo.embed(SENTENCES), strict=True):
        np.testing.assert_allclose(found, reference.run(sentence)[0], rtol=0, atol=1e-6)

    rounded = Elmo.load(folder, state="zero", precision="bf16")
    assert rounded.kernel == "torch bf16"
    assert all(0.0 < error < 0.02 for error in rounded.precision_error()[1:])


@pytest.mark.usefixtures("no_compiler")
def test_without_a_compiler_integers_are_refused_with_advice(folder: Path) -> None:
    with pytest.raises(ModelError, match=r"int8 needs a CPU .* and a C compiler.*Use fp32 or bf16"):
        Elmo.load(folder, precision="int8")


def test_an_unknown_precision_is_refused_with_the_choices(folder: Path) -> None:
    with pytest.raises(ModelError, match="'fp64'; choose one of fp32, bf16, int8"):
        Elmo.load(folder, precision="fp64")


class Memory:
    """A layer that computes once and then answers from memory: nothing can be faster."""

    def __init__(self, lstm: ProjectedLSTM, factor: float) -> None:
        self._layer = kernels.TorchLayer(lstm, lambda weight, bias: TORCH.product(weight * factor, bias))
        self._output: Tensor | None = None

    def gates(self, x: Tensor) -> Tensor:
        return x

    def steps(
        self, gates: Tensor, index: Tensor, counts: Sequence[int], hidden: Tensor, cell: Tensor
    ) -> Tensor:
        if self._output is None:
            self._output = self._layer.steps(self._layer.gates(gates), index, counts, hidden, cell)
        return self._output


@pytest.mark.parametrize(("factor", "chosen"), [(1.0, True), (1.001, False), (float("nan"), False)])
def test_the_fastest_kernel_is_chosen_unless_it_is_wrong(
    factor: float, chosen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fastest = Kernel("fastest", TORCH.product, functools.partial(Memory, factor=factor))
    monkeypatch.setattr(kernels, "available_exact", lambda: [fastest, TORCH])
    assert kernels.fastest_exact.__wrapped__() is (fastest if chosen else TORCH)


def test_where_every_kernel_is_wrong_torch_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(lstm: ProjectedLSTM) -> Layer:
        raise RuntimeError("not on this CPU")

    wrong = Kernel("wrong", TORCH.product, functools.partial(Memory, factor=1.001))
    failing = Kernel("failing", TORCH.product, fails)
    monkeypatch.setattr(kernels, "available_exact", lambda: [wrong, failing])
    assert kernels.fastest_exact.__wrapped__() is TORCH
