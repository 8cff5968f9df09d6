"""Plain text: one tokenised sentence a line, tokens separated by white space."""

from collections.abc import Iterator
from pathlib import Path

from elmo_bench.data.formats.lines import STANDARD_INPUT, numbered_lines
from elmo_bench.errors import TextError

__all__ = ["STANDARD_INPUT", "measure", "read_sentences"]

_EXPECTED = "one tokenised sentence a line"


def read_sentences(path: Path) -> Iterator[list[str]]:
    """Yields the tokens of each line; an empty line is a sentence without tokens, so no number shifts.

    Args:
        path: a file, a file compressed with gzip (``.gz``), or ``-`` for standard input.
    """
    lines, empty = 0, True
    for lines, line in numbered_lines(path, _EXPECTED):  # noqa: B007
        tokens = line.split()
        empty = empty and not tokens
        yield tokens
    if empty:
        found = f"{lines} empty lines" if lines else "nothing"
        raise TextError(f"{path}: holds {found}, expected {_EXPECTED}.")


def measure(path: Path) -> tuple[int, int]:
    """Returns (sentences, tokens); finds a mistake on the last line before hours of work, not after."""
    sentences = tokens = 0
    for sentence in read_sentences(path):
        sentences += 1
        tokens += len(sentence)
    return sentences, tokens
