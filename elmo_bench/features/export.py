"""Layers in a file of their own, for other programs to read."""

import json
import logging
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Protocol

import h5py
import numpy as np
from numpy.typing import NDArray

from elmo_bench.errors import OutputError
from elmo_bench.files import require_folder, writing
from elmo_bench.hdf5 import writing_hdf5

_log = logging.getLogger(__name__)

INDEX_BYTES = 128 << 20
"""The classic layout keeps every sentence in one string; a text longer than this goes without it."""


class Writer(Protocol):
    """Takes one array after the other; keys are line numbers, from 0."""

    def add(self, key: int, tokens: list[str], layers: NDArray[Any]) -> None: ...

    def finish(self) -> None: ...


def export(
    path: Path, sentences: Iterable[tuple[list[str], NDArray[np.float32]]], *, half: bool = False
) -> None:
    """Writes (tokens, layers) pairs in the format of the suffix; the name appears when all is written."""
    with WRITERS[checked_suffix(path)](path) as writer:
        for key, (tokens, layers) in enumerate(sentences):
            writer.add(key, tokens, layers.astype(np.float16) if half else layers)
        writer.finish()


def checked_suffix(path: Path) -> str:
    """Refuses an output that could not be written, before any work is done for it."""
    if path.suffix not in WRITERS:
        raise OutputError(
            f"{path}: {path.suffix or 'no suffix'} does not name a format; "
            f"expected one of {', '.join(WRITERS)}."
        )
    require_folder(path)
    return path.suffix


class _Hdf5:
    """The classic layout: a dataset for each line number, and all sentences in ``sentence_to_index``."""

    def __init__(self, file: h5py.File, check: Callable[[], None]) -> None:
        self._file, self._check = file, check
        self._index: dict[str, str] | None = {}
        self._index_bytes = 0

    def add(self, key: int, tokens: list[str], layers: NDArray[Any]) -> None:
        self._file.create_dataset(str(key), data=layers)
        self._check()
        if self._index is not None:
            sentence = " ".join(tokens)
            self._index[sentence] = str(key)
            self._index_bytes += len(sentence.encode())
            if self._index_bytes > INDEX_BYTES:
                _log.warning("More than %d MB of text: sentence_to_index is left out.", INDEX_BYTES >> 20)
                self._index = None

    def finish(self) -> None:
        if self._index is not None:
            dataset = self._file.create_dataset("sentence_to_index", (1,), dtype=h5py.string_dtype())
            dataset[0] = json.dumps(self._index)


class _Npz:
    """NumPy's archive, an array for each line number; read with ``numpy.load``."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def add(self, key: int, tokens: list[str], layers: NDArray[Any]) -> None:
        with self._archive.open(f"{key}.npy", "w", force_zip64=True) as file:
            np.lib.format.write_array(file, np.ascontiguousarray(layers), allow_pickle=False)

    def finish(self) -> None:
        """The archive writes its directory when it is closed."""


class _Safetensors:
    """A tensor for each line number. The header comes first in the file, so the data waits in another."""

    _TYPES: ClassVar = {"float32": "F32", "float16": "F16"}

    def __init__(self, path: Path, data: Any) -> None:
        self._path, self._data = path, data
        self._header: dict[str, dict[str, Any]] = {}
        self._end = 0

    def add(self, key: int, tokens: list[str], layers: NDArray[Any]) -> None:
        begin, self._end = self._end, self._end + layers.nbytes
        kind = self._TYPES[layers.dtype.name]
        self._header[str(key)] = {"dtype": kind, "shape": layers.shape, "data_offsets": [begin, self._end]}
        self._data.write(np.ascontiguousarray(layers).data)

    def finish(self) -> None:
        header = json.dumps(self._header).encode()
        header += b" " * (-len(header) % 8)
        self._data.seek(0)
        with self._path.open("wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            shutil.copyfileobj(self._data, file, 1 << 20)


@contextmanager
def _hdf5(path: Path) -> Iterator[Writer]:
    with writing_hdf5(path) as (file, check):
        yield _Hdf5(file, check)


@contextmanager
def _npz(path: Path) -> Iterator[Writer]:
    with writing(path) as temporary, zipfile.ZipFile(temporary, "w", allowZip64=True) as archive:
        yield _Npz(archive)


@contextmanager
def _safetensors(path: Path) -> Iterator[Writer]:
    with writing(path) as temporary, tempfile.TemporaryFile(dir=path.parent) as data:
        yield _Safetensors(temporary, data)


WRITERS = {".hdf5": _hdf5, ".h5": _hdf5, ".npz": _npz, ".safetensors": _safetensors}
