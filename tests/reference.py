"""The whole biLM once more, in plain NumPy and float64: the oracle the fast implementation is tested against.

It shares no code with `elmo_bench` and does one sentence, one token and one time step at a time, so that a
reader can check every line against the description of the published format. Speed is no aim here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import h5py  # type: ignore[import-untyped, unused-ignore]
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LayerState = tuple[Array, Array]  # hidden (projection,), cell (dim,)
State = list[list[LayerState]]  # over [forward, backward], then over layers

SENTENCE_START, SENTENCE_END, WORD_START, WORD_END, WORD_PADDING = 256, 257, 258, 259, 260
MARKERS = {"<S>": SENTENCE_START, "</S>": SENTENCE_END}


def character_ids(token: str, width: int = 50) -> list[int]:
    """The ids of a token's UTF-8 bytes; all are shifted by one because 0 is kept for "no token here"."""
    # Both published implementations drop what cannot be encoded (lone surrogates) instead of failing.
    content = [MARKERS[token]] if token in MARKERS else list(token.encode("utf-8", "ignore")[: width - 2])
    ids = [WORD_START, *content, WORD_END]
    ids += [WORD_PADDING] * (width - len(ids))
    return [character + 1 for character in ids]


def sigmoid(x: Array) -> Array:
    """The logistic function, written with tanh because that cannot overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def relu(x: Array) -> Array:
    return np.maximum(x, 0.0)


def clip(x: Array, limit: float | None) -> Array:
    """Clip to ±limit; no limit and a limit of 0 both mean that nothing is clipped."""
    return np.clip(x, -limit, limit) if limit else x


@dataclass
class Highway:
    """One highway layer. What the weight file calls "carry" is the gate of the *transformed* part."""

    carry_weight: Array  # (filters, filters)
    carry_bias: Array  # (filters,)
    transform_weight: Array  # (filters, filters)
    transform_bias: Array  # (filters,)

    def __call__(self, x: Array) -> Array:
        gate = sigmoid(x @ self.carry_weight + self.carry_bias)  # (filters,)
        transformed = relu(x @ self.transform_weight + self.transform_bias)  # (filters,)
        return gate * transformed + (1.0 - gate) * x


@dataclass
class Cell:
    """One LSTM layer of one direction, with the weights as they are in the file."""

    weight: Array  # (input + hidden, 4 * dim), columns in TensorFlow's gate order i, j, f, o
    bias: Array  # (4 * dim,), without the 1 that TensorFlow adds to f at run time
    projection: Array | None  # (dim, projection); None when projection_dim == dim
    cell_clip: float | None
    projection_clip: float | None

    def zero_state(self) -> LayerState:
        dim = len(self.bias) // 4
        hidden = dim if self.projection is None else self.projection.shape[1]
        return np.zeros(hidden), np.zeros(dim)

    def step(self, x: Array, state: LayerState) -> LayerState:
        hidden, memory = state  # (projection,), (dim,)
        gates = np.concatenate([x, hidden]) @ self.weight + self.bias  # (4 * dim,)
        write, candidate, forget, output = np.split(gates, 4)  # (dim,) each
        memory = sigmoid(write) * np.tanh(candidate) + sigmoid(forget + 1.0) * memory  # (dim,)
        memory = clip(memory, self.cell_clip)
        hidden = sigmoid(output) * np.tanh(memory)  # (dim,)
        if self.projection is not None:
            # As in TensorFlow, the second clip belongs to the projection and goes away with it.
            hidden = clip(hidden @ self.projection, self.projection_clip)  # (projection,)
        return hidden, memory


class ReferenceBiLM:
    """A biLM read from `options.json` and `weights.hdf5` in a folder, in the published layout."""

    def __init__(self, folder: Path) -> None:
        options = json.loads((folder / "options.json").read_text(encoding="utf-8"))
        lstm, cnn = options["lstm"], options["char_cnn"]
        activations: dict[str, Callable[[Array], Array]] = {"relu": relu, "tanh": np.tanh}
        self.activation = activations[cnn["activation"]]
        self.width: int = cnn.get("max_characters_per_token", 50)
        self.skip: bool = lstm.get("use_skip_connections", False)

        with h5py.File(folder / "weights.hdf5", "r") as file:

            def read(name: str) -> Array:
                return np.asarray(file[name], dtype=np.float64)

            characters = read("char_embed")  # (261 or 262, char_dim)
            if len(characters) == 261:
                characters = np.concatenate([np.zeros((1, characters.shape[1])), characters])
            self.characters = characters  # (262, char_dim)
            self.filters = [
                (read(f"CNN/W_cnn_{index}")[0], read(f"CNN/b_cnn_{index}"))  # (width, char_dim, n), (n,)
                for index in range(len(cnn["filters"]))
            ]
            names = ("W_carry", "b_carry", "W_transform", "b_transform")
            self.highways = [
                Highway(*(read(f"CNN_high_{index}/{name}") for name in names))
                for index in range(cnn.get("n_highway") or 0)
            ]
            self.projection_weight = read("CNN_proj/W_proj")  # (filters, projection)
            self.projection_bias = read("CNN_proj/b_proj")  # (projection,)

            def read_cell(direction: int, layer: int) -> Cell:
                root = f"RNN_{direction}/RNN"
                # TensorFlow wraps only two cells or more, so a one-layer file lacks the two middle levels.
                wrapped = f"{root}/MultiRNNCell" in file
                cell = f"{root}/MultiRNNCell/Cell{layer}/LSTMCell" if wrapped else f"{root}/LSTMCell"
                projection = None if lstm["projection_dim"] == lstm["dim"] else read(f"{cell}/W_P_0")
                clips = lstm.get("cell_clip"), lstm.get("proj_clip")
                return Cell(read(f"{cell}/W_0"), read(f"{cell}/B"), projection, *clips)

            self.directions = [[read_cell(d, layer) for layer in range(lstm["n_layers"])] for d in (0, 1)]

    def token_vector(self, token: str) -> Array:
        """Layer 0 of one token; the padding inside the word takes part in the convolution like any byte."""
        embedded = self.characters[character_ids(token, self.width)]  # (width, char_dim)
        pooled = []
        for kernel, bias in self.filters:
            size, _, count = kernel.shape
            matrix = kernel.reshape(-1, count)  # (size * char_dim, n)
            starts = range(self.width - size + 1)
            responses = [embedded[start : start + size].reshape(-1) @ matrix + bias for start in starts]
            pooled.append(self.activation(np.max(responses, axis=0)))  # (n,)
        vector = np.concatenate(pooled)  # (filters,)
        for highway in self.highways:
            vector = highway(vector)
        return vector @ self.projection_weight + self.projection_bias  # (projection,)

    def zero_state(self) -> State:
        return [[cell.zero_state() for cell in cells] for cells in self.directions]

    def _read(self, direction: int, inputs: Array, start: State) -> tuple[Array, list[LayerState]]:
        """One direction over inputs (tokens, projection) already in its reading order."""
        layers, final = [], []
        for index, cell in enumerate(self.directions[direction]):
            layer_state = start[direction][index]
            outputs = []
            for x in inputs:
                layer_state = cell.step(x, layer_state)
                # The residual is added to what the next layer sees, never to the recurrent state.
                outputs.append(layer_state[0] + x if self.skip and index > 0 else layer_state[0])
            inputs = np.stack(outputs)  # (tokens, projection)
            layers.append(inputs)
            final.append(layer_state)
        return np.stack(layers), final  # (n_layers, tokens, projection)

    def run(self, sentence: list[str], state: State | None = None) -> tuple[Array, State]:
        """Layers (n_layers + 1, tokens, 2 * projection) of a sentence, and the state after the last marker.

        The backward direction reads from the end marker to the start marker: its final state is there.
        """
        start = self.zero_state() if state is None else state
        vectors = np.stack([self.token_vector(token) for token in ["<S>", *sentence, "</S>"]])
        forward, forward_state = self._read(0, vectors, start)
        backward, backward_state = self._read(1, vectors[::-1], start)
        # vectors (tokens + 2, projection), forward and backward (n_layers, tokens + 2, projection)
        contextual = np.concatenate([forward, backward[:, ::-1]], axis=2)
        bottom = np.concatenate([vectors, vectors], axis=1)  # (tokens + 2, 2 * projection)
        layers = np.concatenate([bottom[None], contextual])  # (n_layers + 1, tokens + 2, 2 * projection)
        return layers[:, 1:-1], [forward_state, backward_state]

    def run_batches(self, batches: list[list[list[str]]]) -> list[list[Array]]:
        """The published, stateful behaviour: row r of a batch goes on from the last state of row r.

        Rows that a smaller batch does not use keep their state; a row used for the first time starts at zero.
        """
        states: dict[int, State] = {}
        results = []
        for batch in batches:
            rows = []
            for row, sentence in enumerate(batch):
                layers, states[row] = self.run(sentence, states.get(row))
                rows.append(layers)
            results.append(rows)
        return results
