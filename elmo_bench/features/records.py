"""The records of one set: what an encoder made of sentences, in one precision.

A record is a checksum and an array (tokens, depth, width); its key is a hash of the tokens. LMDB must not
touch a damaged record again (to free its pages, it would trust what the damaged page says about them), so
nothing is overwritten: a sound version is added beside it, under the key and one byte more.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import lmdb
import numpy as np
from numpy.typing import NDArray

from elmo_bench.features.catalogue import listed, lists
from elmo_bench.features.checksum import CHECKSUM_BYTES, is_sound, sealed
from elmo_bench.features.environment import Environment, Look, environment
from elmo_bench.features.identity import Info

_VERSIONS = 16
_LISTS_AT_ONCE = 1000
_LONGEST_GAP = 100_000


class Records:
    """May be pickled; each process opens the data file for itself."""

    def __init__(self, folder: Path, info: Info) -> None:
        self.folder, self.info = folder, info
        self._environment: Environment | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_environment": None}

    @property
    def environment(self) -> Environment:
        if self._environment is None:
            self._environment = environment(self.folder)
        return self._environment

    def missing(self, keys: Iterable[bytes]) -> list[bytes]:
        with self.environment.looking() as look:
            return [key for key in keys if look(key) is None]

    def load(self, targets: Mapping[bytes, NDArray[np.uint8]]) -> dict[bytes, int]:
        """Copies the record of each key to its target.

        Returns:
            The keys that have no sound record, each with the number of its damaged ones.
        """
        with self.environment.looking() as look:
            found = {key: _load(look, key, target) for key, target in targets.items()}
        return {key: damaged for key, (loaded, damaged) in found.items() if not loaded}

    def add(self, records: Iterable[tuple[bytes, int, NDArray[Any]]]) -> None:
        """Writes (key, number of its damaged records, array): all of them, or none and raises OutputError."""
        self.add_sealed([(key, damaged, sealed(key, array.tobytes())) for key, damaged, array in records])

    def add_sealed(self, records: Sequence[tuple[bytes, int, bytes]]) -> None:
        def act(transaction: "lmdb.Transaction[memoryview]") -> None:
            added = {
                key: self.tokens(record)
                for key, version, record in records
                if transaction.put(_versioned(key, version), record, overwrite=False) and version == 0
            }
            if added:
                transaction.put(*listed(transaction.id(), added))

        self.environment.write(act, sum(len(record) for _, _, record in records))

    def catalogue(self) -> Iterator[dict[bytes, int] | None]:
        """Yields tokens by key, some records at a time; None for a list of records that is damaged."""
        last = self.environment.transactions
        latest = 0
        for first in range(1, last + 1, _LISTS_AT_ONCE):
            with self.environment.looking() as look:
                some = list(lists(look, range(first, min(first + _LISTS_AT_ONCE, last + 1))))
            yield from some
            latest = first if some else latest
            if first - latest > _LONGEST_GAP:  # a damaged number of transactions may be astronomical
                return

    def tokens(self, record: bytes | memoryview) -> int:
        return (len(record) - CHECKSUM_BYTES) // self.info.token_bytes

    def sound(self, look: Look, key: bytes) -> memoryview | None:
        """The record that ``load`` would take."""
        for version in range(_VERSIONS):
            record = look(_versioned(key, version))
            if record is None or is_sound(key, record):
                return record
        return None


def _load(look: Look, key: bytes, target: NDArray[np.uint8]) -> tuple[bool, int]:
    """Returns whether the target was filled, and how many damaged records came first.

    The checksum is held against the copy, which nobody else can change.
    """
    for version in range(_VERSIONS):
        record = look(_versioned(key, version))
        if record is None:
            return False, version
        if len(record) == CHECKSUM_BYTES + len(target):
            target[:] = np.frombuffer(record, np.uint8, offset=CHECKSUM_BYTES)
            if is_sound(key, record, target):
                return True, version
    return False, _VERSIONS


def _versioned(key: bytes, version: int) -> bytes:
    return key + bytes([version]) if version else key
