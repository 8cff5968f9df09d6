"""CoNLL-U: words and their tags, against the conllu package."""

import io
from pathlib import Path

import conllu
import pytest

from elmo_bench.data.formats.conllu import read_conllu
from elmo_bench.errors import TextError


def row(number: str, form: str, upos: str = "_", xpos: str = "_") -> str:
    return f"{number}\t{form}\t_\t{upos}\t{xpos}\t_\t_\t_\t_\t_\n"


TREEBANK = (
    "# newdoc\n# text = They don't # 10 000\n"
    + row("1", "They", "PRON", "PRP")
    + row("2-3", "don't")
    + row("2", "do", "AUX", "VBP")
    + row("3", "n't", "PART", "RB")
    + row("3.1", "know", "VERB", "VB")
    + row("4", "#", "SYM", "NFP")
    + row("5", "10 000", "NUM", "CD")
    + "\n# text = Stop\n"
    + row("1", "Stop", "VERB", "VB")
    + "\n"
)


def test_words_are_those_that_the_conllu_package_finds(tmp_path: Path) -> None:
    path = tmp_path / "small.conllu"
    path.write_text(TREEBANK, "utf-8")
    expected = [
        [
            (word["form"], word["upos"], word["xpos"])
            for word in sentence.filter(id=lambda id: type(id) is int)
        ]
        for sentence in conllu.parse_incr(io.StringIO(TREEBANK))
    ]
    found = list(read_conllu(path))
    assert [list(zip(s["tokens"], s["tags"], s["xpos"], strict=True)) for s in found] == expected
    assert found[0]["tokens"] == ["They", "do", "n't", "#", "10 000"]


def test_sentences_know_the_line_of_their_first_word(tmp_path: Path) -> None:
    path = tmp_path / "small.conllu"
    path.write_text(TREEBANK, "utf-8")
    lines = TREEBANK.splitlines()
    assert [lines[s["line"] - 1].split("\t")[1] for s in read_conllu(path)] == ["They", "Stop"]


@pytest.mark.parametrize("number", ["x", "1-", "1.2.3", "#1", "²"])
def test_row_without_a_number_is_refused(tmp_path: Path, number: str) -> None:
    path = tmp_path / "broken.conllu"
    path.write_text("# text = a b\n" + row("1", "a", "X") + row(number, "b", "X"), "utf-8")
    with pytest.raises(TextError) as raised:
        list(read_conllu(path))
    assert str(raised.value).startswith(f"{path}: {number!r} stands for the number of a word in the sentence")
    assert "begins on line 2" in str(raised.value)


def test_file_of_two_columns_is_no_treebank(tmp_path: Path) -> None:
    path = tmp_path / "other.conllu"
    path.write_text("a\tO\n", "utf-8")
    with pytest.raises(TextError, match=r"line 1: 2 in .*, expected 5 or more columns separated by tabs"):
        list(read_conllu(path))
