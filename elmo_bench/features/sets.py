"""The folder of a store: one folder in it for each encoder and precision.

Sets appear and disappear as a whole: they are made, replaced and removed under another name, by the one
process that holds the lock beside them. LMDB is made for one machine: on a network file system, processes of
several machines may read a set at the same time, but only one machine may write.
"""

import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import filelock

from elmo_bench.bilm.published import cache_folder
from elmo_bench.errors import OutputError
from elmo_bench.features.environment import environment
from elmo_bench.features.identity import INFO_FILE, Info, read_info, write_info
from elmo_bench.features.records import Records

_log = logging.getLogger(__name__)


def default_store() -> Path:
    return cache_folder() / "features"


def open_set(store: Path, info: Info) -> Records:
    """Makes the set if it is not there; looks anew at one that this process has open already."""
    info.check()
    folder = store / info.name
    if not folder.is_dir():
        with locked(folder):
            if not folder.is_dir():
                make_empty(folder, info).rename(folder)
    found = read_info(folder)
    if found != info:
        raise OutputError(
            f"{folder / INFO_FILE}: describes {found}, expected {info}. Remove {folder}; it is made again."
        )
    records = Records(folder, info)
    records.environment.follow()
    return records


def find_sets(store: Path) -> list[Records]:
    """The sets of a store; what is no set of this version is left alone, with a warning."""
    found = []
    for folder in sorted(store.iterdir()) if store.is_dir() else []:
        if folder.name.startswith(".") or not folder.is_dir():
            continue
        try:
            found.append(Records(folder, read_info(folder)))
        except OutputError as error:
            _log.warning("%s", error)
    return found


def last_used(records: Records) -> float:
    """Seconds since the epoch."""
    return (records.folder / INFO_FILE).stat().st_mtime


def note_use(records: Records) -> None:
    with suppress(OSError):  # a folder that may not be written is as good
        os.utime(records.folder / INFO_FILE)


@contextmanager
def locked(folder: Path, wait: bool = True) -> Iterator[None]:
    """Held by the one process that makes, fills, repairs or removes a set.

    Raises:
        filelock.Timeout: Another process holds it, and ``wait`` is false.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(_beside(folder, "lock"))
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            if not wait:
                raise
            _log.info("waiting for another process that fills %s", folder)
            lock.acquire()
    except filelock.Timeout:
        raise
    except OSError as error:
        raise OutputError(
            f"{folder.parent}: cannot be written ({error.strerror or error}). Choose another folder for the "
            "store, for example with ELMO_BENCH_CACHE."
        ) from error
    try:
        yield
    finally:
        lock.release()


def make_empty(folder: Path, info: Info) -> Path:
    """Makes a set without records under a name that nobody looks for; for who holds the lock."""
    new = _beside(folder, "new")
    shutil.rmtree(new, ignore_errors=True)
    try:
        new.mkdir()
    except OSError as error:
        raise OutputError(f"{new}: cannot be made ({error.strerror or error}).") from error
    write_info(new, info)
    fresh = environment(new)
    fresh.write(lambda transaction: None, 0)
    fresh.close()
    return new


def set_aside(folder: Path) -> Path:
    """Takes a set out of everybody's sight; for who holds the lock. Who has it open goes on with it."""
    environment(folder).close()
    old = _beside(folder, "old")
    shutil.rmtree(old, ignore_errors=True)
    return folder.rename(old)


def _beside(folder: Path, what: str) -> Path:
    return folder.with_name(f".{folder.name}.{what}")
