"""Plain text: one tokenised sentence a line, tokens separated by white space."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO, cast

from elmo_bench.errors import TextError

STANDARD_INPUT = Path("-")


def read_sentences(path: Path) -> Iterator[list[str]]:
    """Yields the tokens of each line; an empty line is a sentence without tokens, so no number shifts.

    Args:
        path: a file, a file compressed with gzip (``.gz``), or ``-`` for standard input.
    """
    number, empty = 0, True
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, start=1):
                try:
                    tokens = line.decode("utf-8").split()
                except UnicodeDecodeError as error:
                    raise TextError(
                        f"{path}, line {number}: not UTF-8 (byte 0x{line[error.start]:02x} at column "
                        f"{error.start + 1}); expected one tokenised sentence a line in UTF-8. "
                        "Convert it first, for example with iconv."
                    ) from error
                empty = empty and not tokens
                yield tokens
    except (OSError, EOFError, zlib.error) as error:
        raise TextError(f"{path}: cannot be read ({_reason(error)}).") from error
    if empty:
        found = f"{number} empty lines" if number else "nothing"
        raise TextError(f"{path}: holds {found}, expected one tokenised sentence a line.")


def measure(path: Path) -> tuple[int, int]:
    """Returns (sentences, tokens); finds a mistake on the last line before hours of work, not after."""
    sentences = tokens = 0
    for sentence in read_sentences(path):
        sentences += 1
        tokens += len(sentence)
    return sentences, tokens


def _opened(path: Path) -> nullcontext[BinaryIO] | BinaryIO:
    if path == STANDARD_INPUT:
        return nullcontext(sys.stdin.buffer)
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    return path.open("rb")


def _reason(error: OSError | EOFError | zlib.error) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"the compressed file is cut short or damaged: fetch or make it again; {error}"
