"""Result rows: one JSON object a line, one line a finished run."""

import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import filelock

from elmo_bench.errors import OutputError, TextError

Row = dict[str, Any]

_log = logging.getLogger(__name__)


def append(path: Path, row: Row) -> None:
    """Adds a row; several processes may do so at once, and a kill leaves at most one line unfinished."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with filelock.FileLock(path.with_name(f".{path.name}.lock")), path.open("ab+") as file:
            if _ends_in_the_middle_of_a_line(path):
                file.write(b"\n")
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise OutputError(f"{path}: the result could not be added ({error.strerror or error}).") from error


def read(path: Path) -> Iterator[Row]:
    """Yields the rows; a line that a kill left unfinished is skipped with a warning."""
    if not path.exists():
        return
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            _log.warning("%s, line %d: not a whole row; skipped.", path, number)
            continue
        if not isinstance(row, dict) or "config_hash" not in row:
            raise TextError(f"{path}, line {number}: expected a result row, found {line[:60]!r}.")
        yield row


def find(path: Path, config_hash: str) -> Row | None:
    """The newest row of a config."""
    found = None
    for row in read(path):
        if row["config_hash"] == config_hash:
            found = row
    return found


def _ends_in_the_middle_of_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        if not file.tell():
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
