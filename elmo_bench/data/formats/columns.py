"""CoNLL column files: one token a line, its properties in columns, an empty line after each sentence."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from elmo_bench.data.formats.lines import numbered_lines
from elmo_bench.errors import ConfigError, TextError

LINE = "line"
"""The key that says where a sentence begins in its file."""

_BLANKS = re.compile(r"[ \t]+")
_BYTE_ORDER_MARK = "\ufeff"


def read_columns(
    path: Path,
    columns: Mapping[str, int],
    *,
    separator: str | None = None,
    comment: str | None = None,
    document_mark: str | None = "-DOCSTART-",
) -> Iterator[dict[str, Any]]:
    """Yields for each sentence the values of the named columns, and its first line's number as ``line``.

    Where a separator is named, a line that opens with ``comment`` but has every wanted column is a token:
    hashtags are tokens even in files with comments, and to take them for comments would lose them silently.
    Between mere blanks the two cannot be told apart and ``comment`` decides alone; say ``"# "`` if tokens may
    open with ``#``.

    Args:
        path: a file, or a file compressed with gzip (``.gz``).
        columns: name → number of the column, from 0, or from -1 for the last; in each line, those counted
            from the end must come after those counted from the start, lest one value be read as two.
        separator: what is between columns; None is any run of spaces and tabs (no other white space: a
            no-break space may be part of a token).
        comment: how a comment opens; None if there are none.
        document_mark: how a line opens that stands between documents; it is not a sentence.
    """
    if LINE in columns:
        raise ConfigError(f"A column cannot be called {LINE!r}: the number of the line has that name.")
    from_start = max((number + 1 for number in columns.values() if number >= 0), default=0)
    from_end = max((-number for number in columns.values() if number < 0), default=0)
    wanted = from_start + from_end
    expected = f"{wanted} or more columns separated by {_spoken(separator)}"
    sentence: dict[str, Any] = {}
    number, empty = 0, True
    for number, line in numbered_lines(path, expected):
        text = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
        if not text.strip() or (document_mark and text.startswith(document_mark)):
            if sentence:
                yield sentence
            sentence = {}
            continue
        values = _BLANKS.split(text.strip(" \t")) if separator is None else text.split(separator)
        if comment and text.startswith(comment) and (separator is None or len(values) < wanted):
            continue
        if len(values) < wanted:
            raise TextError(
                f"{path}, line {number}: {len(values)} in {text!r}, expected {expected} "
                "(an empty line ends a sentence)."
            )
        sentence = sentence or {name: [] for name in columns} | {LINE: number}
        empty = False
        for name, column in columns.items():
            if not values[column]:
                raise TextError(f"{path}, line {number}: {name} (column {column}) is empty in {text!r}.")
            sentence[name].append(values[column])
    if sentence:
        yield sentence
    if empty:
        found = f"{number} lines without a token" if number else "nothing"
        raise TextError(f"{path}: holds {found}, expected one token a line, {expected}.")


def _spoken(separator: str | None) -> str:
    if separator is None:
        return "spaces or tabs"
    return {"\t": "tabs", " ": "single spaces"}.get(separator, repr(separator))
