"""Character ids written out by hand from the description of the published format: bytes + 1."""

import pytest

from elmo_bench.bilm.characters import character_ids

WORD_START, WORD_END, PADDING = 259, 260, 261


def ids(token: str, width: int = 50) -> list[int]:
    found: list[int] = character_ids([token], width)[0].tolist()
    return found


@pytest.mark.parametrize(
    ("token", "content"),
    [
        ("a", [98]),
        ("Cat", [68, 98, 117]),
        ("", []),
        ("\0", [1]),
        ("é", [196, 170]),  # C3 A9
        ("e\u0301", [102, 205, 130]),  # the same letter decomposed is other bytes: 65 CC 81
        ("€", [227, 131, 173]),  # E2 82 AC
        ("😀", [241, 160, 153, 129]),  # F0 9F 98 80
        ("<S>", [257]),
        ("</S>", [258]),
        ("<s>", [61, 116, 63]),  # only the upper-case spelling is a marker
        ("<S> ", [61, 84, 63, 33]),
    ],
)
def test_a_token_is_its_bytes_between_the_word_marks(token: str, content: list[int]) -> None:
    word = [WORD_START, *content, WORD_END]
    assert ids(token) == word + [PADDING] * (50 - len(word))


def test_a_word_that_just_fits_is_whole() -> None:
    assert ids("a" * 47 + "b") == [WORD_START] + [98] * 47 + [99, WORD_END]


def test_a_longer_word_keeps_its_first_48_bytes() -> None:
    assert ids("a" * 47 + "bc") == [WORD_START] + [98] * 47 + [99, WORD_END]


def test_a_character_may_be_cut_in_half() -> None:
    assert ids("a" * 47 + "é") == [WORD_START] + [98] * 47 + [196, WORD_END]
    assert ids("a" * 46 + "€") == [WORD_START] + [98] * 46 + [227, 131, WORD_END]


def test_another_width_cuts_elsewhere() -> None:
    assert ids("abc", width=4) == [WORD_START, 98, 99, WORD_END]
    assert ids("<S>", width=4) == [WORD_START, 257, WORD_END, PADDING]


def test_lone_surrogates_have_no_bytes() -> None:
    assert ids("a\ud800b\udfff") == [WORD_START, 98, 99, WORD_END] + [PADDING] * 46
    assert ids("\ud800") == ids("")


def test_every_token_has_its_own_row() -> None:
    table = character_ids(["b", "", "ab"], 5)
    assert table.tolist() == [
        [WORD_START, 99, WORD_END, PADDING, PADDING],
        [WORD_START, WORD_END, PADDING, PADDING, PADDING],
        [WORD_START, 98, 99, WORD_END, PADDING],
    ]


def test_no_tokens_give_no_rows() -> None:
    assert character_ids([]).shape == (0, 50)
