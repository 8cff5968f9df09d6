"""CoNLL-U: Universal Dependencies treebanks, read for their parts of speech.

A reader of columns is all it takes: it streams, opens gzip and knows the line of a mistake. The ``conllu``
package parses features and trees that no tagger needs, and its errors do not say where they are.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elmo_bench.data.formats.columns import LINE, read_columns
from elmo_bench.errors import TextError

_COLUMNS = {"id": 0, "tokens": 1, "tags": 3, "xpos": 4}
_WORD = re.compile(r"[0-9]+")
_NOT_A_WORD = re.compile(r"[0-9]+-[0-9]+|[0-9]+\.[0-9]+")


def read_conllu(path: Path) -> Iterator[dict[str, Any]]:
    """Yields for each sentence ``tokens``, ``tags`` (universal), ``xpos`` (the treebank's) and ``line``.

    Tokens are syntactic words: a multi-word token (``1-2``) repeats the words that follow it, and an empty
    node (``8.1``) is not in the text; both are left out.
    """
    for sentence in read_columns(path, _COLUMNS, separator="\t", comment="#", document_mark=None):
        ids = sentence.pop("id")
        for word in ids:
            if not _WORD.fullmatch(word) and not _NOT_A_WORD.fullmatch(word):
                raise TextError(
                    f"{path}: {word!r} stands for the number of a word in the sentence that begins on "
                    f"line {sentence[LINE]}, expected CoNLL-U (1, 1-2 or 8.1, then nine more columns)."
                )
        kept = [number for number, word in enumerate(ids) if _WORD.fullmatch(word)]
        yield {
            name: [values[number] for number in kept] if name != LINE else values
            for name, values in sentence.items()
        }
