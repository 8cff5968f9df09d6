"""Published hdf5 weights, in and out, and the fingerprint of a model."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_bench.bilm.characters import CHARACTER_ROWS
from elmo_bench.bilm.model import BACKWARD, FORWARD, BiLM
from elmo_bench.bilm.options import Options
from elmo_bench.errors import ModelError
from elmo_bench.files import writing
from elmo_bench.hdf5 import writing_hdf5

Array = NDArray[Any]

# Arrays whose names begin like this belong to the biLM; a file may hold others (a softmax), which are left
# alone.
_FAMILIES = ("char_embed", "CNN/", "CNN_high_", "CNN_proj/", "RNN_")


class _Slot(NamedTuple):
    """One array of a weight file, and the parameter that it fills."""

    key: str
    parameter: Tensor
    to_file: Callable[[Tensor], Tensor]
    from_file: Callable[[Tensor], Tensor]


def read_model(options_file: Path, weights_file: Path) -> BiLM:
    """Reads a published model and checks everything that can be checked: keys, shapes, finite values."""
    options = Options.read(options_file)
    with torch.device("meta"):
        shapes = BiLM(options)
    with _readable(weights_file), h5py.File(weights_file, "r") as file:
        arrays = _datasets(file)
        nested = _is_nested(arrays, options)
        slots = list(_slots(shapes, nested))
        _check_keys(arrays, slots, options_file, weights_file)
        for slot in slots:
            _check_shape(arrays[slot.key], slot, options_file, weights_file)
        model = shapes.to_empty(device="cpu")
        with torch.no_grad():
            for slot in _slots(model, nested):
                slot.parameter.copy_(slot.from_file(_finite(arrays[slot.key][()], slot.key, weights_file)))
    return model.eval()


def write_model(model: BiLM, folder: Path, *, half: bool = False) -> None:
    """Writes ``options.json`` and ``weights.hdf5`` in the published layout."""
    folder.mkdir(parents=True, exist_ok=True)
    with writing_hdf5(folder / "weights.hdf5") as (file, check):
        for key, array in published_arrays(model).items():
            file.create_dataset(key, data=array.astype(np.float16) if half else array)
            check()
    with writing(folder / "options.json") as path:
        path.write_text(json.dumps(model.options.raw, indent=2) + "\n", encoding="utf-8")


def published_arrays(model: BiLM) -> dict[str, NDArray[np.float32]]:
    """The model's arrays by their key in a weight file, in the file's shapes."""
    return {
        slot.key: slot.to_file(slot.parameter.detach()).contiguous().float().cpu().numpy()
        for slot in _slots(model, nested=model.options.layers > 1)
    }


def fingerprint(model: BiLM) -> str:
    """A content hash: another weight or another option is another model, another precision on disk is not."""
    digest = hashlib.sha256(json.dumps(model.options.raw, sort_keys=True).encode())
    for key, array in sorted(published_arrays(model).items()):
        digest.update(f"{key} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array, dtype="<f4").data)
    return digest.hexdigest()


def _slots(model: BiLM, nested: bool) -> Iterator[_Slot]:
    """Walks through every array. ``nested``: whether LSTM groups lie in ``MultiRNNCell/Cell{k}``."""

    def same(tensor: Tensor) -> Tensor:
        return tensor

    encoder = model.encoder
    yield _Slot("char_embed", encoder.char_embed, lambda table: table[1:], _with_zero_row)
    for k, (weight, bias) in enumerate(zip(encoder.W_cnn, encoder.b_cnn, strict=True)):
        yield _Slot(
            f"CNN/W_cnn_{k}",
            weight,
            lambda filters: filters.permute(2, 1, 0)[
                None
            ],  # (filters, dim, width) → (1, width, dim, filters)
            lambda filters: filters[0].permute(2, 1, 0),
        )
        yield _Slot(f"CNN/b_cnn_{k}", bias, same, same)
    for k, highway in enumerate(encoder.highway_layers()):
        for name in ("W_carry", "b_carry", "W_transform", "b_transform"):
            yield _Slot(f"CNN_high_{k}/{name}", getattr(highway, name), same, same)
    for name in ("W_proj", "b_proj"):
        if (parameter := getattr(encoder, name)) is not None:
            yield _Slot(f"CNN_proj/{name}", parameter, same, same)
    for direction in (FORWARD, BACKWARD):
        for k, layer in enumerate(model.lstm_layers(direction)):
            group = f"RNN_{direction}/RNN/{f'MultiRNNCell/Cell{k}/' if nested else ''}LSTMCell"
            for name in ("W_0", "B", "W_P_0"):
                if (parameter := getattr(layer, name)) is not None:
                    yield _Slot(f"{group}/{name}", parameter, same, same)


def _with_zero_row(table: Tensor) -> Tensor:
    """Puts the row for "no token here" in front of a character table, whatever the options say.

    262 rows are either a table with that zero row already in place, or one trained with a row too many, whose
    last row no character ever uses.
    """
    if table.shape[0] == CHARACTER_ROWS + 1 and not table[0].any():
        return table
    return torch.cat([torch.zeros_like(table[:1]), table[:CHARACTER_ROWS]])


def _datasets(file: h5py.File) -> dict[str, h5py.Dataset]:
    found: dict[str, h5py.Dataset] = {}
    file.visititems(lambda key, item: found.update({key: item}) if isinstance(item, h5py.Dataset) else None)
    return found


def _is_nested(arrays: dict[str, h5py.Dataset], options: Options) -> bool:
    """Only a one-layer file may leave the ``MultiRNNCell`` level out."""
    return options.layers > 1 or any("MultiRNNCell" in key for key in arrays)


def _check_keys(
    arrays: dict[str, h5py.Dataset], slots: list[_Slot], options_file: Path, weights_file: Path
) -> None:
    expected = {slot.key for slot in slots}
    missing = sorted(expected - arrays.keys())
    surplus = sorted(key for key in arrays.keys() - expected if key.startswith(_FAMILIES))
    if missing or surplus:
        complaints = [f"{len(keys)} {what} ({_some(keys)})" for what, keys in
                      (("missing", missing), ("not expected", surplus)) if keys]  # fmt: skip
        raise ModelError(
            f"{weights_file}: its arrays do not fit {options_file}: {' and '.join(complaints)}. "
            "Check that the two files belong together (n_layers, n_highway, filters, dim, projection_dim), "
            "or fetch the weights again."
        )


def _some(keys: list[str]) -> str:
    return ", ".join(keys[:3]) + (", …" if len(keys) > 3 else "")


def _check_shape(array: h5py.Dataset, slot: _Slot, options_file: Path, weights_file: Path) -> None:
    wanted = tuple(slot.to_file(slot.parameter).shape)
    longer = (CHARACTER_ROWS + 1, *wanted[1:]) if slot.key == "char_embed" else wanted
    if array.shape not in (wanted, longer) or array.dtype.kind != "f":
        raise ModelError(
            f"{weights_file}: {slot.key} is {array.dtype} of shape {array.shape}, but {options_file} calls "
            f"for floating point of shape {wanted}. Check that the two files belong together."
        )


def _finite(array: Array, key: str, weights_file: Path) -> Tensor:
    values = array.astype(np.float32)
    if not np.isfinite(values).all():
        bad = int(values.size - np.isfinite(values).sum())
        raise ModelError(
            f"{weights_file}: {key} holds {bad} of {values.size} values that are not finite, expected none. "
            "The file is damaged or comes from a training run that diverged: fetch it again or use an "
            "earlier checkpoint."
        )
    return torch.from_numpy(values)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turns what the hdf5 library says of a damaged file into one paragraph."""
    try:
        yield
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        if not path.exists():
            raise ModelError(f"{path}: no such file; expected the hdf5 weights of a biLM.") from error
        reason = " ".join(str(error).split())
        raise ModelError(
            f"{path}: not a readable hdf5 file ({path.stat().st_size:,} bytes; {reason}). "
            "It is damaged, cut short or of another kind: fetch it again."
        ) from error
