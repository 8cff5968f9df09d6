"""Published weight files, in and out: the hdf5 files are made and read back with h5py alone."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from random_models import write_random_model

from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.options import Options
from elmo_bench.bilm.weights import fingerprint, published_arrays, read_model, write_model

Arrays = dict[str, NDArray[Any]]

ENCODER_SHAPES = {
    "char_embed": (261, 4),
    "CNN/W_cnn_0": (1, 1, 4, 4),
    "CNN/b_cnn_0": (4,),
    "CNN/W_cnn_1": (1, 2, 4, 8),
    "CNN/b_cnn_1": (8,),
    "CNN/W_cnn_2": (1, 3, 4, 12),
    "CNN/b_cnn_2": (12,),
}
HIGHWAY_SHAPES = {
    "CNN_high_0/W_carry": (24, 24),
    "CNN_high_0/b_carry": (24,),
    "CNN_high_0/W_transform": (24, 24),
    "CNN_high_0/b_transform": (24,),
}
TWO_LAYERS = {
    **ENCODER_SHAPES,
    **HIGHWAY_SHAPES,
    "CNN_proj/W_proj": (24, 8),
    "CNN_proj/b_proj": (8,),
    "RNN_0/RNN/MultiRNNCell/Cell0/LSTMCell/W_0": (16, 80),
    "RNN_0/RNN/MultiRNNCell/Cell0/LSTMCell/B": (80,),
    "RNN_0/RNN/MultiRNNCell/Cell0/LSTMCell/W_P_0": (20, 8),
    "RNN_0/RNN/MultiRNNCell/Cell1/LSTMCell/W_0": (16, 80),
    "RNN_0/RNN/MultiRNNCell/Cell1/LSTMCell/B": (80,),
    "RNN_0/RNN/MultiRNNCell/Cell1/LSTMCell/W_P_0": (20, 8),
    "RNN_1/RNN/MultiRNNCell/Cell0/LSTMCell/W_0": (16, 80),
    "RNN_1/RNN/MultiRNNCell/Cell0/LSTMCell/B": (80,),
    "RNN_1/RNN/MultiRNNCell/Cell0/LSTMCell/W_P_0": (20, 8),
    "RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell/W_0": (16, 80),
    "RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell/B": (80,),
    "RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell/W_P_0": (20, 8),
}
ONE_LAYER = {
    **ENCODER_SHAPES,
    "CNN_proj/W_proj": (24, 8),
    "CNN_proj/b_proj": (8,),
    "RNN_0/RNN/LSTMCell/W_0": (16, 80),
    "RNN_0/RNN/LSTMCell/B": (80,),
    "RNN_0/RNN/LSTMCell/W_P_0": (20, 8),
    "RNN_1/RNN/LSTMCell/W_0": (16, 80),
    "RNN_1/RNN/LSTMCell/B": (80,),
    "RNN_1/RNN/LSTMCell/W_P_0": (20, 8),
}
WITHOUT_LSTM_PROJECTION = {
    **ENCODER_SHAPES,
    "CNN_proj/W_proj": (24, 20),
    "CNN_proj/b_proj": (20,),
    "RNN_0/RNN/LSTMCell/W_0": (40, 80),
    "RNN_0/RNN/LSTMCell/B": (80,),
    "RNN_1/RNN/LSTMCell/W_0": (40, 80),
    "RNN_1/RNN/LSTMCell/B": (80,),
}
WITHOUT_TOKEN_PROJECTION = {
    **ENCODER_SHAPES,
    "RNN_0/RNN/LSTMCell/W_0": (48, 80),
    "RNN_0/RNN/LSTMCell/B": (80,),
    "RNN_0/RNN/LSTMCell/W_P_0": (20, 24),
    "RNN_1/RNN/LSTMCell/W_0": (48, 80),
    "RNN_1/RNN/LSTMCell/B": (80,),
    "RNN_1/RNN/LSTMCell/W_P_0": (20, 24),
}


def options_of(layers: int = 2, highways: int = 1, dim: int = 20, projection: int = 8) -> dict[str, Any]:
    return {
        "lstm": {
            "use_skip_connections": True,
            "projection_dim": projection,
            "cell_clip": 3,
            "proj_clip": 3,
            "dim": dim,
            "n_layers": layers,
        },
        "char_cnn": {
            "activation": "relu",
            "filters": [[1, 4], [2, 8], [3, 12]],
            "n_highway": highways,
            "embedding": {"dim": 4},
            "n_characters": 262,
            "max_characters_per_token": 50,
        },
        "n_train_tokens": 768648884,
    }


def random_model(raw: dict[str, Any]) -> BiLM:
    """Every number random, biases too: equal arrays are then no accident."""
    model = BiLM.random(Options.parse(raw))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(generator=generator)
        model.encoder.char_embed[0] = 0.0
    return model


def read(folder: Path) -> BiLM:
    return read_model(folder / "options.json", folder / "weights.hdf5")


def arrays_in(file: Path) -> Arrays:
    """Every dataset of an hdf5 file by its full name."""
    found: Arrays = {}
    with h5py.File(file, "r") as opened:
        opened.visititems(
            lambda key, item: found.update({key: item[()]}) if isinstance(item, h5py.Dataset) else None
        )
    return found


def write_arrays(file: Path, arrays: Arrays) -> None:
    with h5py.File(file, "w") as opened:
        for key, array in arrays.items():
            opened[key] = array


def assert_bits_equal(found: Arrays, expected: Arrays) -> None:
    assert found.keys() == expected.keys()
    for key, array in expected.items():
        assert (found[key].dtype, found[key].shape) == (array.dtype, array.shape), key
        assert found[key].tobytes() == array.tobytes(), key


@pytest.mark.parametrize(
    ("raw", "shapes"),
    [
        (options_of(), TWO_LAYERS),
        (options_of(layers=1, highways=0), ONE_LAYER),
        (options_of(layers=1, highways=0, projection=20), WITHOUT_LSTM_PROJECTION),
        (options_of(layers=1, highways=0, projection=24), WITHOUT_TOKEN_PROJECTION),
    ],
    ids=["two layers", "one layer", "projection is dim", "filters are projection"],
)
def test_written_file_has_the_published_keys_shapes_and_type(
    tmp_path: Path, raw: dict[str, Any], shapes: dict[str, tuple[int, ...]]
) -> None:
    write_model(random_model(raw), tmp_path)
    found = arrays_in(tmp_path / "weights.hdf5")
    assert {key: array.shape for key, array in found.items()} == shapes
    assert {array.dtype.str for array in found.values()} == {"<f4"}
    assert {path.name for path in tmp_path.iterdir()} == {"options.json", "weights.hdf5"}


@pytest.mark.parametrize("raw", [options_of(), options_of(layers=1, highways=0, projection=20)])
def test_written_model_reads_back_bit_for_bit(tmp_path: Path, raw: dict[str, Any]) -> None:
    model = random_model(raw)
    write_model(model, tmp_path)
    again = read(tmp_path)
    assert json.loads((tmp_path / "options.json").read_text("utf-8")) == raw
    assert again.options == model.options
    expected = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    assert_bits_equal({name: tensor.numpy() for name, tensor in again.state_dict().items()}, expected)


@pytest.mark.parametrize("layers", [1, 2])
def test_foreign_file_comes_out_as_it_went_in(tmp_path: Path, layers: int) -> None:
    write_random_model(tmp_path / "in", layers=layers)
    write_model(read(tmp_path / "in"), tmp_path / "out")
    found, expected = (arrays_in(tmp_path / name / "weights.hdf5") for name in ("out", "in"))
    assert_bits_equal(found, expected)


def test_character_table_with_the_zero_row_is_the_same_model(tmp_path: Path) -> None:
    plain, padded = (
        read(write_random_model(tmp_path / str(rows), character_rows=rows)) for rows in (261, 262)
    )
    assert not padded.encoder.char_embed[0].any()
    assert_bits_equal(published_arrays(padded), published_arrays(plain))


def test_half_precision_round_trip(tmp_path: Path) -> None:
    model = random_model(options_of())
    write_model(model, tmp_path, half=True)
    rounded = {key: array.astype(np.float16) for key, array in published_arrays(model).items()}
    assert_bits_equal(arrays_in(tmp_path / "weights.hdf5"), rounded)
    again = published_arrays(read(tmp_path))
    assert_bits_equal(again, {key: array.astype(np.float32) for key, array in rounded.items()})


def test_one_layer_file_may_have_the_level_of_several_layers(tmp_path: Path) -> None:
    model = random_model(options_of(layers=1))
    write_model(model, tmp_path)
    nested = {
        key.replace("RNN/LSTMCell", "RNN/MultiRNNCell/Cell0/LSTMCell"): array
        for key, array in arrays_in(tmp_path / "weights.hdf5").items()
    }
    assert "RNN_1/RNN/MultiRNNCell/Cell0/LSTMCell/W_P_0" in nested
    write_arrays(tmp_path / "weights.hdf5", nested)
    assert_bits_equal(published_arrays(read(tmp_path)), published_arrays(model))


def test_arrays_that_are_no_part_of_the_bilm_are_ignored(tmp_path: Path) -> None:
    model = random_model(options_of())
    write_model(model, tmp_path)
    with h5py.File(tmp_path / "weights.hdf5", "r+") as file:
        file["softmax/W"] = np.full((5, 8), np.nan)
        file["softmax/b"] = np.arange(5)
        file["note"] = "trained on a Tuesday"
    assert_bits_equal(published_arrays(read(tmp_path)), published_arrays(model))
    assert fingerprint(read(tmp_path)) == fingerprint(model)


@pytest.mark.parametrize("raw", [options_of(), options_of(layers=1)], ids=["two layers", "one layer"])
def test_fingerprint_changes_with_one_ulp_of_any_array(tmp_path: Path, raw: dict[str, Any]) -> None:
    write_model(random_model(raw), tmp_path)
    seen = {fingerprint(read(tmp_path))}
    arrays = arrays_in(tmp_path / "weights.hdf5")
    for key, array in arrays.items():
        changed = array.copy()
        changed.flat[array.size // 2] = np.nextafter(array.flat[array.size // 2], np.float32(np.inf))
        write_arrays(tmp_path / "weights.hdf5", {**arrays, key: changed})
        seen.add(fingerprint(read(tmp_path)))
    assert len(seen) == 1 + len(arrays)


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw["lstm"].update(use_skip_connections=False),
        lambda raw: raw["lstm"].update(cell_clip=2.5),
        lambda raw: raw["lstm"].update(proj_clip=None),
        lambda raw: raw["char_cnn"].update(activation="tanh"),
        lambda raw: raw["char_cnn"].update(max_characters_per_token=40),
        lambda raw: raw.update(n_train_tokens=1),
        lambda raw: raw.update(an_option_of_tomorrow=1),
    ],
    ids=["skip", "cell clip", "projection clip", "activation", "characters", "training", "unknown"],
)
def test_fingerprint_changes_with_any_option(change: Callable[[dict[str, Any]], None]) -> None:
    raw = options_of()
    changed = copy.deepcopy(raw)
    change(changed)
    model, other = random_model(raw), random_model(changed)
    assert_bits_equal(published_arrays(other), published_arrays(model))
    assert fingerprint(other) != fingerprint(model)


def test_fingerprint_survives_a_round_trip(tmp_path: Path) -> None:
    model = random_model(options_of())
    write_model(model, tmp_path)
    assert fingerprint(read(tmp_path)) == fingerprint(model)


def test_fingerprint_does_not_depend_on_the_precision_on_disk(tmp_path: Path) -> None:
    write_model(random_model(options_of()), tmp_path, half=True)
    arrays, seen = arrays_in(tmp_path / "weights.hdf5"), set()
    for dtype in ("<f2", "<f4", "<f8", ">f4"):
        write_arrays(tmp_path / "weights.hdf5", {key: array.astype(dtype) for key, array in arrays.items()})
        seen.add(fingerprint(read(tmp_path)))
    assert len(seen) == 1


def test_fingerprint_does_not_depend_on_the_order_of_the_options(tmp_path: Path) -> None:
    model = random_model(options_of())
    write_model(model, tmp_path)
    raw = json.loads((tmp_path / "options.json").read_text("utf-8"))
    backwards = {
        key: dict(reversed(value.items())) if isinstance(value, dict) else value
        for key, value in reversed(raw.items())
    }
    assert list(backwards["lstm"]) == list(raw["lstm"])[::-1]
    (tmp_path / "options.json").write_text(json.dumps(backwards), encoding="utf-8")
    assert fingerprint(read(tmp_path)) == fingerprint(model)
