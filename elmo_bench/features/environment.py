"""LMDB environments: opened once a process, closed around a fork, with maps that grow.

LMDB's locks belong to a process and a file, so a process must not open a file twice, and a forked child must
not touch what its parent has open. Every user of a folder therefore shares one ``Environment``, which closes
before a fork and opens again at the next use, in the parent as in the child.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

import lmdb

from elmo_bench.features.disk_errors import DamagedSetError, why_not_opened, why_not_written

MAP_BYTES = 16 << 30
"""Address space for a map; it takes no disk, and doubles when it is full."""

READERS = 4096
"""Processes that may read at the same time; each takes 64 bytes of the lock file."""

_log = logging.getLogger(__name__)

Look = Callable[[bytes], memoryview | None]


class Environment:
    """The data file of one folder in this process. Threads take turns: a map must not grow under a reader."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mutex = threading.RLock()
        self._data_file = folder / "data.mdb"
        self._opened: lmdb.Environment | None = None
        self._descriptor = -1  # of the data file: its name may come to mean another file

    def __del__(self) -> None:
        self.close()

    @property
    def writable(self) -> bool:
        files = (self.folder, self._data_file, self.folder / "lock.mdb")
        return all(os.access(file, os.W_OK) for file in files if file.exists())

    @contextmanager
    def looking(self) -> Iterator[Look]:
        """Gives a look-up in one snapshot; a record that LMDB knows to be damaged is found empty."""
        with self.mutex:
            transaction = self._begin(write=False)

            def look(key: bytes) -> memoryview | None:
                nonlocal transaction
                try:
                    return transaction.get(key)
                except lmdb.Error:  # which spoils the transaction, too
                    transaction.abort()
                    transaction = self._begin(write=False)
                    return memoryview(b"")

            try:
                yield look
            finally:
                transaction.abort()

    def write(self, act: Callable[["lmdb.Transaction[memoryview]"], None], size: int) -> None:
        """Does all of an act that adds so many bytes, or nothing; it is on the disk when this returns.

        The act is done again from its start if the map was full.
        """
        with self.mutex:
            while True:
                try:
                    with self._begin(write=True) as transaction:
                        act(transaction)
                    return
                except lmdb.MapFullError:
                    self._map(2 * self._open().info()["map_size"])
                except lmdb.Error as error:
                    self.close()  # after some errors LMDB writes no more until it is opened anew
                    raise why_not_written(self._data_file, error, size) from error

    @property
    def transactions(self) -> int:
        """How many have written so far."""
        with self.mutex:
            return self._open().info()["last_txnid"]

    def follow(self) -> None:
        """Lets go of a file that is no longer the one in the folder."""
        with self.mutex:
            if self._opened is None:
                return
            try:
                same = os.path.samestat(self._data_file.stat(), os.fstat(self._descriptor))
            except FileNotFoundError:
                same = False
            if not same:
                self.close()

    def close(self) -> None:
        with self.mutex:
            if self._opened is not None:
                self._opened.close()
                os.close(self._descriptor)
            self._opened = None

    def _begin(self, write: bool) -> "lmdb.Transaction[memoryview]":
        environment = self._open()
        while True:
            try:
                return environment.begin(write=write, buffers=True)
            except lmdb.MapResizedError:  # another process needed a larger map
                self._map(0)
            except lmdb.ReadersFullError as error:
                if not environment.reader_check():
                    raise why_not_opened(self._data_file, error) from error

    def _open(self) -> lmdb.Environment:
        if self._opened is None:
            writable = self.writable
            lock_file = self.folder / "lock.mdb"
            try:
                opened = lmdb.open(
                    str(self.folder),
                    map_size=MAP_BYTES,
                    readonly=not writable,
                    lock=writable or (lock_file.exists() and os.access(lock_file, os.W_OK)),
                    create=False,
                    max_readers=READERS,
                    mode=0o666,  # less what the umask takes away
                )
            except lmdb.Error as error:
                raise why_not_opened(self._data_file, error) from error
            self._descriptor = os.open(self._data_file, os.O_RDWR if writable else os.O_RDONLY)
            self._opened = opened
            if writable:
                opened.reader_check()  # the killed keep their places until somebody looks
        self._lengthen(self._opened)
        return self._opened

    def _lengthen(self, environment: lmdb.Environment) -> None:
        """Reading behind the end of a file that was cut short would kill the process.

        Zeros in place of what is lost have wrong checksums. No writer is at work while they are added.
        """

        def missing() -> tuple[int, int]:
            size = (environment.info()["last_pgno"] + 1) * environment.stat()["psize"]
            return size, size - os.fstat(self._descriptor).st_size

        size, short = missing()
        if short <= 0:
            return
        if environment.flags()["readonly"]:
            self.close()
            raise DamagedSetError(
                f"{self._data_file}: has {size - short:,} bytes, expected {size:,}; it was cut short. Copy "
                "it again, or choose another folder."
            )
        with environment.begin(write=True):
            size, short = missing()
            if short > 0:
                _log.warning("%s: was cut short; what is lost is computed again.", self._data_file)
                os.truncate(self._descriptor, size)

    def _map(self, size: int) -> None:
        """Makes the map as large as that, or, for 0, as large as another process has made it."""
        try:
            self._open().set_mapsize(size)
        except lmdb.Error as error:
            raise why_not_opened(self._data_file, error) from error


_environments: WeakValueDictionary[Path, Environment] = WeakValueDictionary()
_registering = threading.Lock()
_closed_to_fork: list[Environment] = []


def environment(folder: Path) -> Environment:
    """The one of this process for that folder."""
    folder = folder.resolve()
    with _registering:
        found = _environments.get(folder)
        if found is None:
            found = _environments[folder] = Environment(folder)
        return found


def _before_fork() -> None:
    _registering.acquire()
    _closed_to_fork.extend(_environments.values())
    for each in _closed_to_fork:
        each.mutex.acquire()
        each.close()


def _after_fork() -> None:
    while _closed_to_fork:
        _closed_to_fork.pop().mutex.release()
    _registering.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
