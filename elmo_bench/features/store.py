"""Layers of sentences for training: from the disk, where each sentence is computed once, or from the biLM.

The store is shared by runs, by the processes of a run and by the jobs of a sweep, all at the same time. It
stands a kill at any moment, a full disk and damaged files. It should be on a local disk: on a network file
system, several machines may read it, but only one may write (see ``sets``).
"""

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from elmo_bench.errors import ConfigError, ModelError, OutputError
from elmo_bench.features.disk_errors import DamagedSetError
from elmo_bench.features.identity import Info, Tokens, sentence_key
from elmo_bench.features.sets import default_store, locked, note_use, open_set
from elmo_bench.progress import TokenReport, token_progress

CHUNK_BYTES = 16 << 20
CHUNK_SECONDS = 2.0
"""Filling writes to the disk when there is so much to write, or when the last time is so long ago."""

_log = logging.getLogger(__name__)


class Encoder(Protocol):
    """What stands before the store: a biLM, or anything else that gives each token some layers."""

    @property
    def fingerprint(self) -> str:
        """Names everything that the layers depend on."""
        ...

    @property
    def depth(self) -> int: ...

    @property
    def width(self) -> int: ...

    def stream(
        self, sentences: Iterable[Tokens], *, report: TokenReport | None = None
    ) -> Iterator[NDArray[np.float32]]:
        """Yields (depth, tokens, width) for each sentence, in order."""
        ...


class StoredFeatures:
    """Layers that are kept on disk.

    A pickled copy, such as a spawned process gets, has no encoder: it reads what was prepared.

    Example:
        >>> features = StoredFeatures(Elmo.load("original"))
        >>> features.prepare(sentences)  # computes what no run before this one has
        >>> features.read(sentences[:32]).shape  # (tokens, layers, width)
        (731, 3, 1024)
    """

    def __init__(self, encoder: Encoder, folder: Path | str | None = None, precision: str = "half") -> None:
        """Opens the encoder's set, or makes an empty one.

        Args:
            encoder: computes what is not in the store.
            folder: of the store; default: ``features`` in the cache folder, which ELMO_BENCH_CACHE moves.
            precision: ``half``, whose values end at 65504 (a larger one is an error), or ``single``.
        """
        if getattr(encoder, "state", None) == "carry":
            raise ConfigError(
                "With state=carry a sentence's layers depend on the sentences before it, so they cannot be "
                "stored; choose state=warm or state=zero, or features=live."
            )
        self._encoder: Encoder | None = encoder
        self._store = default_store() if folder is None else Path(folder).expanduser()
        info = Info(encoder.fingerprint, encoder.depth, encoder.width, precision)
        self._records = open_set(self._store, info)
        note_use(self._records)
        self._warned = False

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_encoder": None}

    def prepare(self, sentences: Iterable[Tokens]) -> None:
        """Computes and stores what is missing; if another process is at it, waits and takes what it made."""
        self._records = open_set(self._store, self._records.info)  # it may have been removed meanwhile
        wanted = {sentence_key(sentence): sentence for sentence in sentences if len(sentence)}
        missing = self._records.missing(wanted)
        if not missing:
            return
        self._require_writable(len(missing))
        with locked(self._records.folder):
            self._records = open_set(self._store, self._records.info)
            self._fill({key: wanted[key] for key in self._records.missing(missing)})

    def read(self, sentences: Sequence[Tokens]) -> NDArray[Any]:
        """Returns (all tokens, depth, width), sentence after sentence; computes what is missing."""
        info = self._records.info
        layers = np.empty((sum(map(len, sentences)), info.depth, info.width), info.dtype)
        firsts: dict[bytes, tuple[Tokens, slice]] = {}
        repeated: list[tuple[slice, slice]] = []
        end = 0
        for sentence in sentences:
            begin, end = end, end + len(sentence)
            first = firsts.setdefault(sentence_key(sentence), (sentence, slice(begin, end)))[1]
            if first.start != begin:
                repeated.append((slice(begin, end), first))
        flat = layers.reshape(-1).view(np.uint8)
        size = info.token_bytes
        unsound = self._records.load(
            {
                key: flat[place.start * size : place.stop * size]
                for key, (_, place) in firsts.items()
                if place.start < place.stop
            }
        )
        if unsound:
            self._recompute(unsound, {key: firsts[key] for key in unsound}, layers)
        for place, first in repeated:
            layers[place] = layers[first]
        return layers

    def _fill(self, missing: dict[bytes, Tokens]) -> None:
        tokens = sum(map(len, missing.values()))
        chunk: list[tuple[bytes, int, NDArray[Any]]] = []
        size, written = 0, time.monotonic()
        with token_progress((len(missing), tokens)) as report:
            for key, layers in zip(missing, self._compute(list(missing.values()), report), strict=True):
                chunk.append((key, 0, layers))
                size += layers.nbytes
                if size >= CHUNK_BYTES or time.monotonic() - written >= CHUNK_SECONDS:
                    self._records.add(chunk)
                    chunk, size, written = [], 0, time.monotonic()
            self._records.add(chunk)

    def _recompute(
        self, unsound: dict[bytes, int], wanted: dict[bytes, tuple[Tokens, slice]], layers: NDArray[Any]
    ) -> None:
        """Fills places of ``layers`` that the disk could not, and writes them there if it can be written."""
        damaged = sum(map(bool, unsound.values()))
        if damaged:
            _log.warning(
                "%s: %d records are damaged; they are computed again.", self._records.folder, damaged
            )
        records = []
        computed = self._compute([sentence for sentence, _ in wanted.values()])
        for (key, (_, place)), array in zip(wanted.items(), computed, strict=True):
            layers[place] = array
            records.append((key, unsound[key], array))
        try:
            self._require_writable(len(records))
        except OutputError as error:
            if not self._warned:
                _log.warning("%s They are computed whenever they are read.", error)
            self._warned = True
            return
        try:
            self._records.add(records)
        except DamagedSetError as error:
            _log.warning("%s", error)

    def _compute(
        self, sentences: Sequence[Tokens], report: TokenReport | None = None
    ) -> Iterator[NDArray[Any]]:
        if self._encoder is None:
            raise ModelError(
                f"{self._records.folder}: {len(sentences)} sentences are not there or damaged, and there is "
                f"no model in this process to compute them, such as {list(sentences[0])!r:.60}. Prepare "
                "every sentence before another process is started, or start it by fork."
            )
        return computed(self._encoder, sentences, self._records.info.dtype, report)

    def _require_writable(self, count: int) -> None:
        if not self._records.environment.writable:
            raise OutputError(
                f"{self._records.folder}: may not be written, and {count} sentences are missing or damaged. "
                "Choose another folder for the store, for example with ELMO_BENCH_CACHE."
            )


class LiveFeatures:
    """Layers that are computed whenever they are read; nothing is kept."""

    def __init__(self, encoder: Encoder, precision: str = "single") -> None:
        self._encoder = encoder
        self._info = Info(encoder.fingerprint, encoder.depth, encoder.width, precision)
        self._info.check()

    def prepare(self, sentences: Iterable[Tokens]) -> None:
        """There is nothing to prepare."""

    def read(self, sentences: Sequence[Tokens]) -> NDArray[Any]:
        """Returns (all tokens, depth, width), sentence after sentence."""
        info = self._info
        layers = np.empty((sum(map(len, sentences)), info.depth, info.width), info.dtype)
        end = 0
        for array in computed(self._encoder, sentences, info.dtype):
            begin, end = end, end + len(array)
            layers[begin:end] = array
        return layers


def computed(
    encoder: Encoder,
    sentences: Sequence[Tokens],
    dtype: np.dtype[Any],
    report: TokenReport | None = None,
) -> Iterator[NDArray[Any]]:
    """Yields (tokens, depth, width) for each sentence, rounded; refuses what the type cannot hold."""
    for sentence, layers in zip(sentences, encoder.stream(sentences, report=report), strict=True):
        expected = (encoder.depth, len(sentence), encoder.width)
        if layers.shape != expected:
            raise ModelError(f"The encoder gave an array of shape {layers.shape}, expected {expected}.")
        with np.errstate(over="ignore"):
            array = np.ascontiguousarray(layers.transpose(1, 0, 2), dtype)
        if not np.isfinite(array).all():
            largest = np.abs(layers).max()
            raise ModelError(
                f"The layers of {list(sentence)!r:.60} reach {largest:,.0f}, beyond what {dtype} can hold "
                f"({np.finfo(dtype).max:,.0f}); store them with precision=single."
                if np.isfinite(largest)
                else f"The layers of {list(sentence)!r:.60} hold a value that is not a number: {largest}."
            )
        yield array
