"""How fast the biLM runs here, and how near that is to what its matrix products alone would allow."""

import multiprocessing
import platform
import resource
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import torch

from elmo_bench import __version__
from elmo_bench.bilm.frozen import Tokens, cores
from elmo_bench.bilm.kernels import Product, available_exact, fastest_exact
from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.shapes import SHAPES, lstm_operations
from elmo_bench.elmo import Elmo

_SENTENCES = 768
_SECONDS = 1.0
"""How long a measurement goes on; the fastest of its passes counts."""

_LIMIT_SHAPES = ((64, 512, 16384), (64, 4096, 512), (384, 512, 4096))
"""Products (rows, input, output) of the biLM's own kind."""


@dataclass(frozen=True)
class Row:
    """One measurement.

    Attributes:
        fraction: of the tokens/s at which single-precision products alone would run.
        memory_bytes: what running took beyond the loaded model, at its peak; None if it was not asked for.
        error: against fp32, relative, root mean square, of the worst layer.
    """

    model: str
    batch: int
    precision: str
    tokens_per_second: float
    fraction: float
    memory_bytes: int | None
    error: float


@dataclass(frozen=True)
class Machine:
    cpu: str
    cores: int
    device: str
    kernel: str
    torch: str
    elmo_bench: str


@dataclass(frozen=True)
class Report:
    """Everything that one run measured."""

    machine: Machine
    limit_operations_per_second: float
    rows: list[Row]


def synthetic_text(seed: int = 0) -> list[list[str]]:
    """Sentences shaped like news: 5 to 60 tokens, 21 on average, words as frequent as Zipf's law has them."""
    random = np.random.default_rng(seed)
    lengths = np.clip(random.gamma(3.5, 6.0, _SENTENCES).astype(int), 5, 60)
    frequency = 1 / np.arange(1, 40_001)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    word_lengths = 1 + random.poisson(3.5 + np.log10(np.arange(1, 40_001)))
    words = ["".join(random.choice(letters, length)) for length in word_lengths]
    numbers = random.choice(len(words), lengths.sum(), p=frequency / frequency.sum())
    ends = np.cumsum(lengths)
    return [
        [words[number] for number in numbers[end - n : end]] for end, n in zip(ends, lengths, strict=True)
    ]


def matrix_limit(workers: int, seconds: float = 0.4) -> float:
    """The best single-precision rate that all cores together reach in matrix products, in operations/s."""
    best = 0.0
    with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        for kernel in available_exact():
            for rows, deep, columns in _LIMIT_SHAPES:
                product, x = kernel.product(torch.randn(deep, columns), None), torch.randn(rows, deep)
                together = threading.Barrier(workers)
                jobs = [pool.submit(_rate, product, x, together, seconds) for _ in range(workers)]
                best = max(best, 2.0 * rows * deep * columns * sum(job.result() for job in jobs))
    return best


def _rate(product: Product, x: torch.Tensor, together: threading.Barrier, seconds: float) -> float:
    with torch.inference_mode():
        product(x)
        together.wait()
        begin, done = time.perf_counter(), 0
        while time.perf_counter() - begin < seconds:
            product(x)
            done += 1
        return done / (time.perf_counter() - begin)


def measure(
    models: Sequence[str],
    batches: Sequence[int],
    precisions: Sequence[str],
    memory: bool,
    step: Callable[[], None],
) -> Report:
    """Measures every combination, and the limit anew beside each: other work on the machine slows both.

    ``step`` is called after each of them.
    """
    text = synthetic_text()
    limit = 0.0
    found: list[tuple[str, int, str, float, int | None, float]] = []
    for name in models:
        model = BiLM.random(SHAPES[name])
        for precision in precisions:
            limit = max(limit, matrix_limit(cores()))
            elmo = Elmo(model, precision=precision)
            error = max(elmo.precision_error()) if precision != "fp32" else 0.0
            for batch in batches:
                speed = _tokens_per_second(elmo, text, batch)
                needed = _alone(_memory_bytes, name, precision, batch) if memory else None
                found.append((name, batch, precision, speed, needed, error))
                step()
    rows = [
        Row(name, batch, precision, speed, speed * lstm_operations(SHAPES[name]) / limit, needed, error)
        for name, batch, precision, speed, needed, error in found
    ]
    return Report(this_machine(str(elmo.model.encoder.char_embed.device)), limit, rows)


def _one_pass(elmo: Elmo, text: Sequence[Tokens], batch: int) -> None:
    for _ in elmo.stream(text, batch_sentences=batch):
        pass


def _tokens_per_second(elmo: Elmo, text: Sequence[Tokens], batch: int) -> float:
    """The fastest of a few passes, all words being in the cache."""
    sample = text[:: max(1, 16 // batch)]  # small batches are slow and need fewer sentences
    _one_pass(elmo, sample, batch)
    seconds: list[float] = []
    begin = time.perf_counter()
    while time.perf_counter() - begin < _SECONDS or len(seconds) < 2:
        pass_begin = time.perf_counter()
        _one_pass(elmo, sample, batch)
        seconds.append(time.perf_counter() - pass_begin)
    return sum(map(len, sample)) / min(seconds)


def _alone(function: Callable[..., int], *arguments: object) -> int:
    """Runs a function in a process of its own: memory that a process once had it keeps."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def _memory_bytes(name: str, precision: str, batch: int) -> int:
    """What running takes at its peak, beyond the loaded model."""
    elmo = Elmo(BiLM.random(SHAPES[name]), precision=precision)
    loaded = _resident_bytes()
    with _PeakMemory() as peak:
        _one_pass(elmo, synthetic_text(), batch)
    return peak.bytes - loaded


class _PeakMemory:
    """Watches the memory of this process."""

    def __enter__(self) -> Self:
        self.bytes, self._done = 0, threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._watcher.join()

    def _watch(self) -> None:
        while not self._done.wait(0.005):
            self.bytes = max(self.bytes, _resident_bytes())


def _resident_bytes() -> int:
    """Memory in use now; where the system does not tell, the most there ever was."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def this_machine(device: str) -> Machine:
    kernel = fastest_exact().name
    return Machine(_cpu_name(), cores(), device, kernel, torch.__version__, __version__)


def _cpu_name() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
