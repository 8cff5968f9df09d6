"""Column files whose tags are spans: named entities, chunks, mentions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elmo_bench.data.formats.columns import LINE, read_columns
from elmo_bench.data.tags import Scheme, as_scheme, check, convert, detect
from elmo_bench.errors import TextError


def read_tagged(
    path: Path,
    tokens: int = 0,
    tags: int = -1,
    scheme: str = "IOB2",
    separator: str | None = None,
    comment: str | None = None,
) -> Iterator[dict[str, Any]]:
    """Yields for each sentence ``tokens`` and ``tags``, the latter always in IOB2.

    Args:
        path: a file, or a file compressed with gzip (``.gz``).
        tokens: the column of the tokens, from 0, or from -1 for the last.
        tags: the column of the tags.
        scheme: what the file is written in; a sequence that is impossible in it is an error, not repaired.
        separator: see ``read_columns``.
        comment: see ``read_columns``.
    """
    written_in = as_scheme(scheme)
    columns = {"tokens": tokens, "tags": tags}
    for sentence in read_columns(path, columns, separator=separator, comment=comment):
        if check(sentence["tags"], written_in):
            raise TextError(_complaint(path, sentence, written_in))
        yield {"tokens": sentence["tokens"], "tags": convert(sentence["tags"], written_in, "IOB2")}


def _complaint(path: Path, sentence: dict[str, Any], scheme: Scheme) -> str:
    problem = check(sentence["tags"], scheme)
    assert problem is not None
    token = sentence["tokens"][problem.position]
    follows = detect([sentence["tags"]])
    advice = f"the sentence is correct {follows}: is the file?" if follows else "correct the file."
    return (
        f"{path}: not {scheme}: {problem.reason}, at token {problem.position + 1} ({token!r}) of the "
        f"sentence that begins on line {sentence[LINE]}; {advice}"
    )
