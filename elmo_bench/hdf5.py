"""Writing hdf5 files on disks that may fill up."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import h5py

from elmo_bench.files import writing


@contextmanager
def writing_hdf5(path: Path) -> Iterator[tuple[h5py.File, Callable[[], None]]]:
    """Gives a file that takes its name when it is whole, and a check to call now and then.

    The check raises the first error of the disk. Left to itself, the hdf5 library goes on after one, and
    crashes the process when the file is closed.
    """
    with writing(path) as temporary, temporary.open("wb+") as raw:
        guarded = _Guarded(raw)
        with h5py.File(guarded, "w") as file:
            yield file, guarded.check
        guarded.check()


class _Guarded:
    """A file that tells its user that all is well, and remembers what was not."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._error: OSError | None = None
        self.seek, self.tell, self.read = raw.seek, raw.tell, raw.read
        self.readinto = raw.readinto  # type: ignore[attr-defined]

    def check(self) -> None:
        if self._error is not None:
            raise self._error

    def write(self, data: Any) -> int:
        self._remember(self._raw.write, data)
        return len(data)

    def truncate(self, size: int) -> int:
        self._remember(self._raw.truncate, size)
        return size

    def flush(self) -> None:
        self._remember(self._raw.flush)

    def _remember(self, act: Callable[..., object], *arguments: object) -> None:
        try:
            act(*arguments)
        except OSError as error:
            self._error = self._error or error
