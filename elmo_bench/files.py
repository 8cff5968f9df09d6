"""Writing files so that a reader never sees half of one."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from elmo_bench.errors import OutputError


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Gives a temporary path; it becomes ``path`` when the block ends well, and is removed when not.

    The temporary name ends like the final one, for writers that go by the suffix.
    """
    temporary = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise OutputError(_why_not_written(path, error)) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def require_folder(path: Path) -> None:
    """Refuses an output that could not be written, before any work is done for it."""
    if not path.parent.is_dir():
        raise OutputError(f"{path}: the folder {path.parent} does not exist; make it first.")


def _why_not_written(path: Path, error: OSError) -> str:
    if error.errno == errno.ENOSPC or "No space left" in str(error):
        free = shutil.disk_usage(path.parent).free
        return (
            f"{path}: the disk is full ({free:,} bytes free). Nothing was written under that name; "
            "make room or choose another place, and run it again."
        )
    return f"{path}: cannot be written ({error.strerror or error}). Nothing was written under that name."
