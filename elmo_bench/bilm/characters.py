"""Tokens → character ids, as the published models were trained to read them.

A token is its UTF-8 bytes between a word-start and a word-end mark, padded to a fixed width. Every id is
shifted by one, so that 0 can mean "no token here".
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SENTENCE_START, SENTENCE_END = "<S>", "</S>"

_SENTENCE_START_ID, _SENTENCE_END_ID, _WORD_START_ID, _WORD_END_ID, _PADDING_ID = 256, 257, 258, 259, 260
_SHIFT = 1

PADDING = _PADDING_ID + _SHIFT
"""What fills a word up to its width: an ordinary character to the CNN, which was trained with it and does not
mask it.
"""

CHARACTER_ROWS = 261
"""Rows of the character table in a published file; one zero row for "no token here" goes in front of them."""

_MARKERS = {SENTENCE_START: (_SENTENCE_START_ID,), SENTENCE_END: (_SENTENCE_END_ID,)}


def character_ids(tokens: Sequence[str], width: int = 50) -> NDArray[np.int64]:
    """Returns the character ids of ``tokens``, shape (tokens, width).

    A token longer than ``width - 2`` bytes is cut there, even in the middle of a multi-byte character: that
    is how the models saw it. Lone surrogates have no bytes in UTF-8 and are left out, as in the published
    code.
    """
    ids = np.full((len(tokens), width), PADDING, dtype=np.int64)
    for row, token in zip(ids, tokens, strict=True):
        content = _MARKERS.get(token) or tuple(token.encode("utf-8", "ignore")[: width - 2])
        word = (_WORD_START_ID, *content, _WORD_END_ID)
        row[: len(word)] = np.add(word, _SHIFT)
    return ids
