"""The options of the published models: for models of their shape without their weights."""

from typing import Any

from elmo_bench.bilm.options import Options

_FILTERS = [[1, 32], [2, 32], [3, 64], [4, 128], [5, 256], [6, 512], [7, 1024]]


def _options(dim: int, projection: int, highways: int) -> dict[str, Any]:
    return {
        "lstm": {
            "use_skip_connections": True,
            "projection_dim": projection,
            "cell_clip": 3,
            "proj_clip": 3,
            "dim": dim,
            "n_layers": 2,
        },
        "char_cnn": {
            "activation": "relu",
            "filters": _FILTERS,
            "n_highway": highways,
            "embedding": {"dim": 16},
            "n_characters": 262,
            "max_characters_per_token": 50,
        },
    }


SHAPES = {
    "small": Options.parse(_options(1024, 128, 1)),
    "medium": Options.parse(_options(2048, 256, 1)),
    "original": Options.parse(_options(4096, 512, 2)),
}


def lstm_operations(options: Options) -> int:
    """Floating-point operations of the LSTMs for one token; a multiplication with an addition is two."""
    gates = 2 * options.projection * 4 * options.dim
    project = options.dim * options.projection if options.has_projection else 0
    directions = 2
    return 2 * directions * options.layers * (gates + project)
