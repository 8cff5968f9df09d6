"""What LMDB's errors mean to a user."""

import errno
import os
import shutil
from pathlib import Path

import lmdb

from elmo_bench.errors import OutputError


class DamagedSetError(OutputError):
    """The pages by which LMDB finds its records are damaged, and not only a record."""


def why_not_opened(data_file: Path, error: lmdb.Error) -> OutputError:
    if isinstance(error, lmdb.InvalidError | lmdb.CorruptedError | lmdb.VersionMismatchError):
        return _damaged(data_file, error)
    if isinstance(error, lmdb.MemoryError):
        return OutputError(
            f"{data_file}: cannot be mapped into memory. Either the address space of this process is limited "
            "(ulimit -v), or the file is damaged beyond repair (remove it with elmo-bench store prune)."
        )
    if _names_a_full_disk(error):
        return _full(data_file)
    return OutputError(f"{data_file}: cannot be opened ({error}).")


def why_not_written(data_file: Path, error: lmdb.Error, size: int) -> OutputError:
    if isinstance(error, lmdb.CorruptedError | lmdb.PageNotFoundError | lmdb.BadTxnError):
        return _damaged(data_file, error)
    # To LMDB a write that ends early for want of space is an error of input and output like any other.
    if _names_a_full_disk(error) or shutil.disk_usage(data_file.parent).free < size:
        return _full(data_file)
    return OutputError(
        f"{data_file}: cannot be written ({error}; is there a quota, or a limit to the size of files?). What "
        "was stored before is intact."
    )


def _names_a_full_disk(error: lmdb.Error) -> bool:
    return any(os.strerror(code) in str(error) for code in (errno.ENOSPC, errno.EDQUOT))


def _full(data_file: Path) -> OutputError:
    return OutputError(
        f"{data_file}: the disk is full ({shutil.disk_usage(data_file.parent).free:,} bytes free). What was "
        "stored before is intact. Make room (elmo-bench store prune) or move the store (ELMO_BENCH_CACHE), "
        "and run it again: it goes on from there."
    )


def _damaged(data_file: Path, error: lmdb.Error) -> DamagedSetError:
    return DamagedSetError(
        f"{data_file}: is damaged ({error}). Run elmo-bench store verify --repair, which keeps what is "
        "sound; the rest is computed again when it is needed."
    )
