"""Lines of a file with their numbers, for every reader whose errors must say where a mistake is."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from elmo_bench.errors import TextError

STANDARD_INPUT = Path("-")


def numbered_lines(path: Path, expected: str) -> Iterator[tuple[int, str]]:
    """Yields (number from 1, line without its end) of a UTF-8 file; a line ends with LF or CR LF.

    Args:
        path: a file, a file compressed with gzip (``.gz``), or ``-`` for standard input.
        expected: what a line should hold, for the error about one that is not UTF-8.
    """
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise TextError(
                    f"{path}, line {number}: not UTF-8 (byte 0x{line[error.start]:02x} at column "
                    f"{error.start + 1}); expected {expected} in UTF-8. "
                    "Convert it first, for example with iconv."
                ) from error
            yield number, text.rstrip("\r\n")


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Opens a file, a compressed file or standard input; what keeps it from being read is a TextError."""
    try:
        if path == STANDARD_INPUT:
            yield sys.stdin.buffer
        else:
            with cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb") as file:
                yield file
    except (OSError, EOFError, zlib.error) as error:
        raise TextError(f"{path}: cannot be read ({_reason(error)}).") from error


def _reason(error: OSError | EOFError | zlib.error) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"the compressed file is cut short or damaged: fetch or make it again; {error}"
