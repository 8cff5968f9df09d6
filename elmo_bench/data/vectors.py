"""Word vectors in text: GloVe's format, and word2vec's, which opens with a line "count dimensions".

A file holds hundreds of thousands of words and a task needs a few thousand: every line is looked at, few
are parsed. Lines stay bytes, and a word that is not UTF-8 harms nobody who does not want it.
"""

import gzip
import re
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elmo_bench.data.formats.lines import opened
from elmo_bench.errors import TextError
from elmo_bench.progress import DownloadReport, download_progress

PATIENCE_SECONDS = 5.0
"""A file that takes longer gets a progress bar."""

_LINES_BETWEEN_REPORTS = 4096
_HEADER = re.compile(rb"\s*(\d+)\s+(\d+)\s*")
_LARGEST = float(np.finfo(np.float32).max)
_FIRST_PIECE = re.compile(rb"[^ \t]*")


class Coverage(NamedTuple):
    """Shares, from 0 to 1, for which there is a vector."""

    types: float
    tokens: float


@dataclass(frozen=True)
class Vectors:
    """The vectors that were found; a word is looked up as it is, then in lower case."""

    rows: dict[str, int]
    matrix: NDArray[np.float32]  # (rows, dimensions)

    @property
    def dimensions(self) -> int:
        return int(self.matrix.shape[1])

    def row(self, word: str) -> int | None:
        return self.rows.get(word, self.rows.get(word.lower()))

    def table(self, words: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Returns vectors (words, dimensions), zero where there is none, and who has one (words,)."""
        rows = [self.row(word) for word in words]
        found = np.array([row is not None for row in rows], bool)
        table = np.zeros((len(words), self.dimensions), np.float32)
        table[found] = self.matrix[[row for row in rows if row is not None]]
        return table, found

    def coverage(self, tokens: Iterable[str]) -> Coverage:
        """Returns the shares of distinct words and of tokens that have a vector; without a token, 0."""
        counts = Counter(tokens)
        found = [word for word in counts if self.row(word) is not None]
        types, total = max(1, len(counts)), max(1, counts.total())
        return Coverage(len(found) / types, sum(counts[word] for word in found) / total)


def read_vectors(path: Path, wanted: Collection[str]) -> Vectors:
    """Reads the vectors of wanted words and of their lower-case forms; a word's first line counts.

    Args:
        path: a file, or a file compressed with gzip (``.gz``).
        wanted: words, as in the text.
    """
    spellings = {spelling for word in wanted for spelling in (word, word.lower())}
    by_bytes = {spelling.encode("utf-8", "surrogatepass"): spelling for spelling in spellings}
    # GloVe has words with blanks (". . ."): what is before the first blank is a reason to look closer.
    first_pieces = {_first_piece(word) for word in by_bytes} - {b""}
    rows: dict[str, int] = {}
    values: list[NDArray[np.float32]] = []
    number = count = dimensions = 0
    with opened(path) as file:
        for number, line in enumerate(_watched(file, path), start=1):
            if number == 1:
                count, dimensions = _header(path, line)
                if count:
                    continue
            relevant = _first_piece(line) in first_pieces
            if relevant or line.count(b" ") < dimensions:
                _check_values(path, number, line, dimensions)
            if not relevant:
                continue
            word, *numbers = line.rsplit(None, dimensions)
            spelling = by_bytes.get(word)
            if spelling is None:
                _check_word(path, number, word, dimensions)
            elif spelling not in rows:
                rows[spelling] = len(rows)
                values.append(_parsed(path, number, numbers))
    _check_complete(path, number, count)
    matrix = np.stack(values) if values else np.zeros((0, dimensions), np.float32)
    return Vectors(rows, matrix)


def _first_piece(line: bytes) -> bytes:
    found = _FIRST_PIECE.match(line)
    return found.group() if found else b""


def _watched(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """Yields the lines; shows a bar by the bytes read from the disk once that takes long."""
    began = time.monotonic()
    report: DownloadReport | None = None
    on_disk = file.fileobj if isinstance(file, gzip.GzipFile) else file
    with ExitStack() as stack:
        for number, line in enumerate(file):
            if number % _LINES_BETWEEN_REPORTS == 0:
                if report is None and time.monotonic() - began > PATIENCE_SECONDS:
                    report = stack.enter_context(download_progress(wanted=True))
                if report is not None and on_disk is not None:
                    report(path.name, on_disk.tell(), path.stat().st_size)
            yield line


def _header(path: Path, line: bytes) -> tuple[int, int]:
    """Returns (count of words, dimensions) as the first line says or shows; a count of 0 is not known.

    Without a header, the first word may have blanks in it: its line ends with as many numbers as it has
    dimensions, if that is more than none.
    """
    header = _HEADER.fullmatch(line)
    if header:
        return int(header[1]), int(header[2])
    pieces = line.split()[1:]
    dimensions = next((n for n, piece in enumerate(reversed(pieces)) if not _is_number(piece)), len(pieces))
    if not dimensions:
        raise TextError(
            f"{path}, line 1: {_shown(line)}, expected a word and its vector (GloVe), or the number of "
            "words and of dimensions (word2vec in text form; a binary file must be converted)."
        )
    return 0, dimensions


def _check_values(path: Path, number: int, line: bytes, dimensions: int) -> None:
    values = len(line.split()) - 1
    if 0 <= values < dimensions:  # an empty line is harmless
        raise TextError(
            f"{path}, line {number}: {values} values in {_shown(line)}, expected {dimensions} as on the "
            "first line; the file is cut short or damaged: fetch or make it again."
        )


def _check_word(path: Path, number: int, word: bytes, dimensions: int) -> None:
    """Tells a word with blanks in it from one with too many values, which would pass for it."""
    pieces = word.split()[1:]
    if pieces and all(map(_is_number, pieces)):
        raise TextError(
            f"{path}, line {number}: {dimensions + len(pieces)} values after {_shown(word.split()[0])}, "
            f"expected {dimensions} as on the first line."
        )


def _parsed(path: Path, number: int, pieces: list[bytes]) -> NDArray[np.float32]:
    try:
        vector = np.array([float(piece) for piece in pieces])
        usable = bool((abs(vector) <= _LARGEST).all())
    except ValueError:
        usable = False
    if not usable:
        wrong = next(piece for piece in pieces if not _is_number(piece))
        raise TextError(f"{path}, line {number}: {_shown(wrong)} among the values, expected numbers.")
    return vector.astype(np.float32)


def _is_number(piece: bytes) -> bool:
    try:
        return abs(float(piece)) <= _LARGEST  # False for NaN, too
    except ValueError:
        return False


def _check_complete(path: Path, lines: int, count: int) -> None:
    if not lines:
        raise TextError(f"{path}: holds nothing, expected a word and its vector on each line.")
    if count and lines - 1 < count:
        raise TextError(
            f"{path}: ends after {lines - 1} words, expected {count} as its first line says; fetch it anew."
        )


def _shown(text: bytes) -> str:
    return repr(text[:40].decode("utf-8", "replace"))
