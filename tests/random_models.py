"""Small random biLMs in the published file layout, so that tests can vary every option of the format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import h5py  # type: ignore[import-untyped, unused-ignore]
import numpy as np
from numpy.typing import NDArray


def write_random_model(
    folder: Path,
    *,
    seed: int = 0,
    dim: int = 24,
    projection: int = 8,
    layers: int = 2,
    filters: Sequence[tuple[int, int]] = ((1, 4), (2, 8), (3, 12)),
    char_dim: int = 4,
    highways: int = 1,
    activation: str = "relu",
    skip: bool = True,
    cell_clip: float | None = 3.0,
    proj_clip: float | None = 3.0,
    n_characters: int = 262,
    character_rows: int = 261,
    scale: float = 1.0,
    dtype: str = "float32",
) -> Path:
    """Write `options.json` and `weights.hdf5` of a random biLM into a folder, and return the folder.

    `scale` multiplies the projections of the LSTMs and what their gates make of the input. At 1 the gates
    are not saturated and the default clips leave everything alone; at 4 both clips fire in sentences of ten
    tokens or more (a cell needs a few steps to reach 3; without a projection `proj_clip` has nothing to do).
    What the gates make of the hidden state is not scaled: the model would become chaotic, and the rounding
    of float32 would grow until no comparison with float64 is possible.

    `n_characters` is only what the options file claims; `character_rows` is what the array has. Equal seeds
    and sizes give equal weights whatever the activation, the clips, the skip connections and the two numbers
    of characters are: with 262 rows the usual 261 come after a row of zeros.
    """
    options = {
        "lstm": {
            "use_skip_connections": skip,
            "projection_dim": projection,
            "cell_clip": cell_clip,
            "proj_clip": proj_clip,
            "dim": dim,
            "n_layers": layers,
        },
        "char_cnn": {
            "activation": activation,
            "filters": [list(pair) for pair in filters],
            "n_highway": highways,
            "embedding": {"dim": char_dim},
            "n_characters": n_characters,
            "max_characters_per_token": 50,
        },
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "options.json").write_text(json.dumps(options, indent=2), encoding="utf-8")

    generator = np.random.default_rng(seed)
    n_filters = sum(count for _, count in filters)

    with h5py.File(folder / "weights.hdf5", "w") as file:

        def write(name: str, values: NDArray[np.float64]) -> None:
            file.create_dataset(name, data=values.astype(dtype))

        def matrix(rows: int, columns: int) -> NDArray[np.float64]:
            """Keeps the size of a vector multiplied with it."""
            return generator.normal(scale=rows**-0.5, size=(rows, columns))

        def bias(size: int) -> NDArray[np.float64]:
            return generator.normal(scale=0.3, size=size)

        zero_rows = 1 if character_rows == 262 else 0
        characters = np.zeros((character_rows, char_dim))
        characters[zero_rows:] = generator.normal(size=(character_rows - zero_rows, char_dim))
        write("char_embed", characters)
        for index, (width, count) in enumerate(filters):
            write(f"CNN/W_cnn_{index}", matrix(width * char_dim, count).reshape(1, width, char_dim, count))
            write(f"CNN/b_cnn_{index}", bias(count))
        for index in range(highways):
            for name in ("carry", "transform"):
                write(f"CNN_high_{index}/W_{name}", matrix(n_filters, n_filters))
                write(f"CNN_high_{index}/b_{name}", bias(n_filters))
        write("CNN_proj/W_proj", matrix(n_filters, projection))
        write("CNN_proj/b_proj", bias(projection))
        for direction in (0, 1):
            for layer in range(layers):
                wrapper = f"MultiRNNCell/Cell{layer}/" if layers > 1 else ""
                cell = f"RNN_{direction}/RNN/{wrapper}LSTMCell"
                weight = 0.5 * matrix(2 * projection, 4 * dim)
                weight[:projection] *= scale
                write(f"{cell}/W_0", weight)
                write(f"{cell}/B", bias(4 * dim))
                if projection != dim:
                    write(f"{cell}/W_P_0", scale * matrix(dim, projection))
    return folder
