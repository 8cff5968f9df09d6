"""Column files: which lines are tokens, and what is said about those that cannot be read."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elmo_bench.data.formats.columns import read_columns
from elmo_bench.errors import ConfigError, TextError

COLUMNS = {"tokens": 0, "tags": -1}


def written(folder: Path, content: str | bytes, name: str = "file.conll") -> Path:
    path = folder / name
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def complaint(path: Path, columns: dict[str, int] = COLUMNS, **options: Any) -> str:
    with pytest.raises(TextError) as raised:
        list(read_columns(path, columns, **options))
    message = str(raised.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", ["file.conll", "file.conll.gz"])
def test_sentences_have_their_columns_and_their_first_line(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, "\nOne CD B-X\ntwo CD I-X\n\n\nThree NN O\n", name)
    assert list(read_columns(path, {"tags": 2, "tokens": 0})) == [
        {"tags": ["B-X", "I-X"], "tokens": ["One", "two"], "line": 2},
        {"tags": ["O"], "tokens": ["Three"], "line": 6},
    ]


@pytest.mark.parametrize(
    "content",
    [
        "a O\nb O\n\nc O\n\n",
        "a O\nb O\n\nc O",
        "a O\r\nb O\r\n\r\nc O\r\n",
        "a O\nb O\n\t\nc O\n \n",
        "\ufeffa O\nb O\n\nc O\n",
        "a\tO\nb  \t O\n\n c O \n",
        "-DOCSTART- -X- O\n\na O\nb O\n\n-DOCSTART- (2)\nc O\n",
        "a O\nb O\n-DOCSTART- O\nc O\n",
    ],
    ids=["plain", "no last newline", "CRLF", "blanks", "byte order mark", "mixed", "documents", "mark alone"],
)
def test_layout_makes_no_difference(tmp_path: Path, content: str) -> None:
    sentences = list(read_columns(written(tmp_path, content), COLUMNS))
    assert [sentence["tokens"] for sentence in sentences] == [["a", "b"], ["c"]]


def test_rows_may_be_of_different_length_if_columns_count_from_the_end(tmp_path: Path) -> None:
    path = written(tmp_path, "a x y O\nb O\n")
    (sentence,) = read_columns(path, {"tags": -1, "before": -2})
    assert (sentence["tags"], sentence["before"]) == (["O", "O"], ["y", "b"])


def test_one_value_is_not_taken_for_two_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "a O\nb\n")
    assert "line 2: 1 in 'b', expected 2 or more columns" in complaint(path, {"tokens": 0, "tags": -1})


def test_white_space_other_than_blanks_is_part_of_a_token(tmp_path: Path) -> None:
    path = written(tmp_path, "10\u00a0000 O\n\u3000 O\nx\u2028y O\n\u0085 O\n")
    assert next(read_columns(path, COLUMNS))["tokens"] == ["10\u00a0000", "\u3000", "x\u2028y", "\u0085"]


def test_tokens_may_hold_blanks_between_tabs(tmp_path: Path) -> None:
    (sentence,) = read_columns(written(tmp_path, "New York\tO\n"), COLUMNS, separator="\t")
    assert sentence["tokens"] == ["New York"]


def test_hashtags_are_tokens_if_there_are_no_comments(tmp_path: Path) -> None:
    (sentence,) = read_columns(written(tmp_path, "#tag\tO\n#\tO\n"), COLUMNS, separator="\t")
    assert sentence["tokens"] == ["#tag", "#"]


def test_comments_and_hashtags_are_told_apart_by_their_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "# text = #tag it\n#tag\tO\n# a comment inside\nit\tO\n")
    (sentence,) = read_columns(path, COLUMNS, separator="\t", comment="#")
    assert sentence == {"tokens": ["#tag", "it"], "tags": ["O", "O"], "line": 2}


def test_comments_may_hold_tabs(tmp_path: Path) -> None:
    path = written(tmp_path, "# text = a\tb\n1\ta\tO\n")
    (sentence,) = read_columns(path, {"tokens": 1, "tags": 2}, separator="\t", comment="#")
    assert sentence["tokens"] == ["a"]


def test_between_blanks_the_mark_alone_makes_a_comment(tmp_path: Path) -> None:
    path = written(tmp_path, "#begin document (x); part 000\nx 0 0 a O\n\n#end document\n")
    (sentence,) = read_columns(path, {"tokens": 3}, comment="#")
    assert sentence["tokens"] == ["a"]
    path = written(tmp_path, "# id 1\n#tag O\n")
    assert next(read_columns(path, COLUMNS, comment="# "))["tokens"] == ["#tag"]


@pytest.mark.parametrize("name", ["file.conll", "file.conll.gz"])
def test_too_few_columns_are_located(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, "a NN O\n\nb O\n", name)
    message = complaint(path, {"tokens": 0, "tags": 2})
    assert message.startswith(
        f"{path}, line 3: 2 in 'b O', expected 3 or more columns separated by spaces or"
    )


def test_too_few_columns_from_the_end_are_located(tmp_path: Path) -> None:
    path = written(tmp_path, "a b\tO\n")
    assert "line 1: 2 in 'a b\\tO', expected 3 or more columns separated by tabs" in complaint(
        path, {"x": -3}, separator="\t"
    )


def test_token_without_text_is_located(tmp_path: Path) -> None:
    message = complaint(written(tmp_path, "a\tO\n\tO\n"), separator="\t")
    assert "line 2: tokens (column 0) is empty" in message


def test_bytes_that_are_not_utf8_are_located(tmp_path: Path) -> None:
    path = written(tmp_path, b"a O\n" + "café O\n".encode("latin-1"))
    assert complaint(path).startswith(
        f"{path}, line 2: not UTF-8 (byte 0xe9 at column 4); expected 2 or more"
    )


@pytest.mark.parametrize(
    ("content", "found"), [("", "nothing"), ("\n# x\n-DOCSTART- -X- O\n\n", "4 lines without a token")]
)
def test_file_without_a_token_is_refused(tmp_path: Path, content: str, found: str) -> None:
    assert f": holds {found}, expected one token a line" in complaint(written(tmp_path, content), comment="#")


def test_truncated_gzip_says_so_after_the_sentences_before(tmp_path: Path) -> None:
    path = written(tmp_path, "".join(f"{number} O\n\n" for number in range(9000)), "file.gz")
    path.write_bytes(path.read_bytes()[:-2000])
    reading = read_columns(path, COLUMNS)
    assert next(reading)["tokens"] == ["0"]
    assert "the compressed file is cut short" in complaint(path)


def test_missing_file_is_named(tmp_path: Path) -> None:
    assert (
        complaint(tmp_path / "no.conll")
        == f"{tmp_path / 'no.conll'}: cannot be read (No such file or directory)."
    )


def test_name_of_the_line_number_is_taken(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be called 'line'"):
        next(read_columns(written(tmp_path, "a O\n"), {"line": 0}))


VALUES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1).filter(
    lambda text: not text.startswith(("-DOCSTART-", "\ufeff"))
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    sentences=st.lists(st.lists(st.tuples(VALUES, VALUES), min_size=1), min_size=1),
    separator=st.sampled_from([None, "\t", " "]),
)
def test_what_was_written_is_read(
    tmp_path: Path, sentences: list[list[tuple[str, str]]], separator: str | None
) -> None:
    rows = ("\n".join((separator or "  ").join(row) for row in sentence) for sentence in sentences)
    path = written(tmp_path, "\n\n".join(rows))
    read = read_columns(path, COLUMNS, separator=separator)
    assert [list(zip(s["tokens"], s["tags"], strict=True)) for s in read] == sentences
