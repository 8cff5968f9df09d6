"""A biLM at work: words → vectors, computed as few times as possible; sentences → layers, on every core."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_bench.bilm.characters import SENTENCE_END, SENTENCE_START
from elmo_bench.bilm.kernels import Kernel, Layer
from elmo_bench.bilm.model import BACKWARD, FORWARD, BiLM
from elmo_bench.bilm.packing import Indices, Packing, pack, take
from elmo_bench.bilm.words import WordVectors

Layers = NDArray[np.float32]
"""(layers, tokens, 2 · projection): the layers of one sentence."""

Tokens = Sequence[str]

_ROWS_AT_ONCE = 512
"""Input gates of a layer are computed for so many packed tokens at a time, to bound memory."""

_WORDS_HELD = 4096
"""More distinct words than these in a batch are treated like the inputs of the layers above."""


@dataclass
class State:
    """LSTM states of some rows: ``hidden[direction][layer]`` (rows, projection), ``cell`` (rows, dim)
    likewise.
    """

    hidden: list[list[Tensor]]
    cell: list[list[Tensor]]

    @property
    def rows(self) -> int:
        return self.hidden[0][0].shape[0]

    def map(self, change: Callable[[Tensor], Tensor]) -> "State":
        def changed(tensors: list[list[Tensor]]) -> list[list[Tensor]]:
            return [[change(tensor) for tensor in stack] for stack in tensors]

        return State(changed(self.hidden), changed(self.cell))


class FrozenBiLM:
    """Runs a biLM that no longer changes. For one caller at a time; spreads its own work over the cores."""

    def __init__(self, model: BiLM, kernel: Kernel, workers: int | None = None) -> None:
        self.options = model.options
        self.device = model.encoder.char_embed.device
        self.kernel = kernel
        with torch.inference_mode():
            self._layers: list[list[Layer]] = [
                [kernel.layer(lstm) for lstm in model.lstm_layers(direction)]
                for direction in (FORWARD, BACKWARD)
            ]
            self._words = WordVectors(model, kernel.product)
        self.workers = workers or (cores() if self.device.type == "cpu" else 1)
        self._pools: dict[int, ThreadPoolExecutor] = {}

    def zero_state(self, rows: int) -> State:
        def zeros(size: int) -> list[list[Tensor]]:
            return [[torch.zeros(rows, size, device=self.device) for _ in stack] for stack in self._layers]

        return State(zeros(self.options.projection), zeros(self.options.dim))

    def submit(self, sentences: Sequence[Tokens], start: State, keep_state: bool = False) -> "Running":
        """Starts a batch from ``start``, a row for each sentence; ``keep_state`` for its last state."""
        packing = pack([len(sentence) for sentence in sentences], final_marker=keep_state)
        marked = [word for row in packing.order for word in (SENTENCE_START, *sentences[row], SENTENCE_END)]
        distinct = {word: number for number, word in enumerate(dict.fromkeys(marked))}
        words = np.fromiter(map(distinct.__getitem__, marked), np.int64, len(marked))
        with torch.inference_mode():
            vectors = self._words(list(distinct), self._pool())  # (distinct, projection)
            state = start.map(lambda tensor: take(tensor, packing.order))
        batch = Batch(packing, words, vectors, state)
        layers = np.empty((packing.tokens * self.depth, 2, self.options.projection), dtype=np.float32)
        jobs = [
            self._pool().submit(self._run_direction, direction, batch, layers)
            for direction in (FORWARD, BACKWARD)
        ]
        return Running(batch, layers, self.depth, jobs)

    def _run_direction(self, direction: int, batch: "Batch", layers: Layers) -> Tensor:
        """Runs a direction, writes its half of every vector, and returns its packed top layer."""
        packing, counts = batch.packing, batch.packing.counts.tolist()
        places = packing.places[direction]
        words = batch.words[packing.words[direction]]  # (packed,)
        stack = zip(
            self._layers[direction], batch.state.hidden[direction], batch.state.cell[direction], strict=True
        )
        with torch.inference_mode():
            layers[packing.layer_rows(0, self.depth), direction] = _rows(batch.vectors, words[places])
            below: Tensor | None = None
            for number, (layer, hidden, cell) in enumerate(stack, start=1):
                if below is None:
                    output = _from_words(layer, batch.vectors, words, counts, hidden, cell)
                else:
                    output = _in_parts(layer, below, counts, hidden, cell)
                    if self.options.skip_connections:
                        output.add_(below)
                layers[packing.layer_rows(number, self.depth), direction] = _rows(output, places)
                below = output
            return output

    def _pool(self) -> ThreadPoolExecutor:
        """The workers of this process: a forked child, such as a data loader's, has none of its parent's."""
        process = os.getpid()
        if process not in self._pools:
            initializer = _use_one_thread if self.device.type == "cpu" else None
            self._pools[process] = ThreadPoolExecutor(self.workers, "elmo_bench", initializer=initializer)
        return self._pools[process]

    @property
    def depth(self) -> int:
        """Layers of a vector: the words' own and one for each LSTM."""
        return self.options.layers + 1


@dataclass(frozen=True)
class Batch:
    """What both directions of a batch read."""

    packing: Packing
    words: Indices  # (tokens and markers,) number of the distinct word, sentence after sentence in row order
    vectors: Tensor  # (distinct words, projection)
    state: State  # in row order


class Running:
    """A batch under way."""

    def __init__(self, batch: Batch, layers: Layers, depth: int, jobs: list[Future[Tensor]]) -> None:
        self._batch, self._layers, self._depth, self._jobs = batch, layers, depth, jobs

    def layers(self) -> list[Layers]:
        """Waits, and returns the layers of each sentence in the caller's order."""
        self._finish()
        packing, depth = self._batch.packing, self._depth
        ends = np.cumsum(packing.lengths) * depth
        width = 2 * self._layers.shape[2]
        flat = self._layers.reshape(len(self._layers), width)  # (tokens · depth, 2 · projection)
        blocks = [
            flat[end - length * depth : end].reshape(depth, length, width)
            for end, length in zip(ends, packing.lengths, strict=True)
        ]
        return [blocks[row] for row in np.argsort(packing.order)]

    def top(self, direction: int) -> Tensor:
        """Waits, and returns the top layer at every packed token, markers included (packed, projection)."""
        return self._jobs[direction].result()

    @property
    def packing(self) -> Packing:
        return self._batch.packing

    def state(self) -> State:
        """Waits, and returns the state after each sentence, in the caller's order."""
        self._finish()
        return self._batch.state.map(lambda tensor: take(tensor, np.argsort(self._batch.packing.order)))

    def _finish(self) -> None:
        for job in self._jobs:
            job.result()


def _rows(tensor: Tensor, rows: Indices) -> Layers:
    return take(tensor, rows).cpu().numpy()


def _from_words(
    layer: Layer, vectors: Tensor, words: Indices, counts: list[int], hidden: Tensor, cell: Tensor
) -> Tensor:
    """Runs the bottom layer; its input gates are computed once for each distinct word if they can be held."""
    if len(vectors) > _WORDS_HELD:
        return _in_parts(layer, take(vectors, words), counts, hidden, cell)
    return layer.steps(layer.gates(vectors), torch.from_numpy(words).to(vectors.device), counts, hidden, cell)


def _in_parts(layer: Layer, x: Tensor, counts: list[int], hidden: Tensor, cell: Tensor) -> Tensor:
    """Runs a layer over packed inputs ``x`` (packed, projection), a few steps at a time."""
    outputs = []
    step, first = 0, 0
    while step < len(counts):
        last, rows = step + 1, counts[step]
        while last < len(counts) and rows + counts[last] <= _ROWS_AT_ONCE:
            rows += counts[last]
            last += 1
        gates = layer.gates(x[first : first + rows])  # (rows, gates)
        index = torch.arange(rows, device=x.device)
        outputs.append(layer.steps(gates, index, counts[step:last], hidden, cell))
        step, first = last, first + rows
    return torch.cat(outputs)


def cores() -> int:
    """Cores that this process may use: a cluster's scheduler often gives it fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _use_one_thread() -> None:
    """A thread for each direction beats threads inside each product, and stands a busy machine."""
    torch.set_num_threads(1)
