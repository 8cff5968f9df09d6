"""Lines of text files, plain or packed; those that cannot be used are told from those that can."""

import gzip
import io
import lzma
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from elmo_bench.errors import TextError

LONGEST_SENTENCE = 2000
"""A line of more tokens is not a sentence; it is left out and counted."""

NOT_UTF8, TOO_LONG = "not UTF-8", "too long"
"""Why a line is left out."""

_AT_ONCE = 1 << 20
"""Bytes that are read from a file together."""

Report = Callable[[int], None]
"""Told how many bytes of the files, as they are on the disk, have been read since the last call."""


def existing(files: Sequence[Path]) -> Sequence[Path]:
    missing = [path for path in files if not path.is_file()]
    if missing or not files:
        found = f"{missing[0]}: no such file" if missing else "no text file was given"
        raise TextError(f"{found}; expected text files (plain, .gz or .xz), one tokenised sentence a line.")
    return files


def read_lines(
    files: Sequence[Path], report: Report = lambda count: None, *, empty: bool = False
) -> Iterator[list[str] | str]:
    """Yields the tokens of each line that has any, or the reason why a line cannot be used.

    Args:
        empty: yield lines without tokens as well.
    """
    for path in files:
        try:
            with _opened(path, report) as file:
                for line in file:
                    try:
                        tokens = line.decode("utf-8").split()
                    except UnicodeDecodeError:
                        yield NOT_UTF8
                        continue
                    if len(tokens) > LONGEST_SENTENCE:
                        yield TOO_LONG
                    elif tokens or empty:
                        yield tokens
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            raise TextError(
                f"{path}: cannot be read to its end ({error}); fetch or make it again."
            ) from error


def no_sentence(files: Sequence[Path], skipped: Counter[str]) -> TextError:
    """What to say of a text that has nothing but empty lines and those that were ``skipped``."""
    why = f" ({skipped[NOT_UTF8]:,} lines are not UTF-8, {skipped[TOO_LONG]:,} are longer than any sentence)"
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return TextError(
        f"{files[0]}{more}: no usable sentence{why if skipped else ''}; expected one tokenised sentence a "
        "line, in UTF-8."
    )


@contextmanager
def _opened(path: Path, report: Report) -> Iterator[BinaryIO]:
    with io.BufferedReader(_Watched(path, report), _AT_ONCE) as file:
        if path.suffix == ".gz":
            with gzip.open(file) as unpacked:
                yield cast(BinaryIO, unpacked)
        elif path.suffix == ".xz":
            with lzma.open(file) as unpacked:
                yield cast(BinaryIO, unpacked)
        else:
            yield cast(BinaryIO, file)


class _Watched(io.FileIO):
    """Reports how much is read from a file, packed or not."""

    def __init__(self, path: Path, report: Report) -> None:
        super().__init__(path)
        self._report = report

    def readinto(self, buffer: Any) -> int:
        count: int = super().readinto(buffer)
        self._report(count)
        return count
