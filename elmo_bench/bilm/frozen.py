"""A biLM at work: words → vectors, computed as few times as possible; sentences → layers, on every core."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_bench.bilm.characters import SENTENCE_END, SENTENCE_START
from elmo_bench.bilm.kernels import Kernel, Layer
from elmo_bench.bilm.model import BACKWARD, FORWARD, BiLM
from elmo_bench.bilm.packing import Packing, pack
from elmo_bench.bilm.words import WordVectors

Layers = NDArray[np.float32]
"""(layers, tokens, 2 · projection): the layers of one sentence."""

Tokens = Sequence[str]

_ROWS_AT_ONCE = 512
"""Input gates of a layer are computed for so many packed tokens at a time, to bound memory."""


@dataclass
class State:
    """LSTM states of some rows: ``hidden[direction][layer]`` (rows, projection), ``cell`` (rows, dim) likewise."""

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
    """Runs a biLM that no longer changes. Safe to use from one thread at a time; spreads its own work over cores."""

    def __init__(self, model: BiLM, kernel: Kernel, workers: int | None = None) -> None:
        self.options = model.options
        self.device = model.encoder.char_embed.device
        self.kernel = kernel
        with torch.inference_mode():
            self._layers: list[list[Layer]] = [
                [kernel.layer(lstm) for lstm in model.lstm_layers(direction)] for direction in (FORWARD, BACKWARD)
            ]
            self._words = WordVectors(model, kernel.product)
        on_cpu = self.device.type == "cpu"
        self.workers = workers or (len(os.sched_getaffinity(0)) if on_cpu else 1)
        self._pool = ThreadPoolExecutor(self.workers, "elmo_bench", initializer=_use_one_thread if on_cpu else None)

    def zero_state(self, rows: int) -> State:
        def zeros(size: int) -> list[list[Tensor]]:
            return [[torch.zeros(rows, size, device=self.device) for _ in stack] for stack in self._layers]

        return State(zeros(self.options.projection), zeros(self.options.dim))

    def submit(self, sentences: Sequence[Tokens], start: State, keep_state: bool = False) -> "Running":
        """Starts a batch. Row r of ``start`` belongs to sentence r; it is read at once and not changed."""
        packing = pack([len(sentence) for sentence in sentences], final_marker=keep_state)
        marked = [word for row in packing.order for word in (SENTENCE_START, *sentences[row], SENTENCE_END)]
        distinct = {word: number for number, word in enumerate(dict.fromkeys(marked))}
        numbers = torch.tensor([distinct[word] for word in marked])
        with torch.inference_mode():
            vectors = self._words(list(distinct), self._pool)  # (distinct, projection)
            rows = torch.from_numpy(packing.order).to(self.device)
            state = start.map(lambda tensor: tensor.index_select(0, rows))
        jobs = [
            self._pool.submit(self._run_direction, direction, vectors, numbers, packing, state)
            for direction in (FORWARD, BACKWARD)
        ]
        return Running(self, packing, vectors, numbers, state, jobs)

    def _run_direction(
        self, direction: int, vectors: Tensor, numbers: Tensor, packing: Packing, state: State
    ) -> list[Tensor]:
        """Runs all layers of a direction; returns the packed output of each (packed, projection)."""
        with torch.inference_mode():
            index = numbers[torch.from_numpy(packing.words[direction])].to(self.device)  # (packed,)
            counts = packing.counts.tolist()
            outputs: list[Tensor] = []
            for depth, layer in enumerate(self._layers[direction]):
                hidden, cell = state.hidden[direction][depth], state.cell[direction][depth]
                if depth == 0:
                    outputs.append(layer.steps(layer.gates(vectors), index, counts, hidden, cell))
                    continue
                output = _in_parts(layer, outputs[-1], counts, hidden, cell)
                outputs.append(output.add_(outputs[-1]) if self.options.skip_connections else output)
            return outputs


class Running:
    """A batch under way."""

    def __init__(
        self,
        bilm: FrozenBiLM,
        packing: Packing,
        vectors: Tensor,
        numbers: Tensor,
        state: State,
        jobs: list[Future[list[Tensor]]],
    ) -> None:
        self._bilm, self._packing, self._jobs = bilm, packing, jobs
        self._vectors, self._numbers, self._state = vectors, numbers, state

    def layers(self) -> list[Layers]:
        """Waits, and returns the layers of each sentence in the caller's order."""
        wait(self._jobs)
        packing, projection = self._packing, self._bilm.options.projection
        depth, lengths = self._bilm.options.layers + 1, packing.lengths
        flat = np.empty((depth * int(lengths.sum()), 2, projection), dtype=np.float32)
        # Row of layer 0 of each token when a sentence's layers lie one after the other.
        starts = np.cumsum(lengths) - lengths
        first = np.arange(int(lengths.sum())) + np.repeat(starts * (depth - 1), lengths)  # (tokens,)
        step = np.repeat(lengths, lengths)  # (tokens,) from a layer's row to the next layer's
        with torch.inference_mode():
            for direction, job in enumerate(self._jobs):
                forward_places = torch.from_numpy(packing.words[direction][packing.places[direction]])
                flat[first, direction] = self._vectors[self._numbers[forward_places].to(self._vectors.device)].cpu()
                for layer, output in enumerate(job.result(), start=1):
                    places = torch.from_numpy(packing.places[direction]).to(output.device)
                    flat[first + layer * step, direction] = output.index_select(0, places).cpu()
        found: list[Layers] = [flat[:0].reshape(depth, 0, 2 * projection)] * len(lengths)
        for row, start, length in zip(packing.order, starts, lengths, strict=True):
            block = flat[start * depth : (start + length) * depth]
            found[row] = block.reshape(depth, length, 2 * projection)
        return found

    def state(self) -> State:
        """Waits, and returns the state after each sentence, in the caller's order."""
        for job in self._jobs:
            job.result()
        back = torch.from_numpy(np.argsort(self._packing.order))
        return self._state.map(lambda tensor: tensor.index_select(0, back.to(tensor.device)))


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


def _use_one_thread() -> None:
    """One thread for each direction beats two threads inside each product, and does not collapse on a busy machine."""
    torch.set_num_threads(1)
