"""Word vectors: both formats, their oddities, and damaged files."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elmo_bench.data import vectors as module
from elmo_bench.data.vectors import Coverage, read_vectors
from elmo_bench.errors import TextError
from elmo_bench.progress import DownloadReport

GLOVE = "the 0.5 -1 2e-1\nbank 1 2 3\n. . . 4 5 6\nBank 7 8 9\nbank 0 0 0\n. 1 1 1\n"


def written(folder: Path, content: str | bytes, name: str = "vectors.txt") -> Path:
    path = folder / name
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def complaint(path: Path, *wanted: str) -> str:
    with pytest.raises(TextError) as raised:
        read_vectors(path, wanted)
    message = str(raised.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.txt.gz"])
@pytest.mark.parametrize("header", ["", "6 3\n"], ids=["GloVe", "word2vec"])
def test_wanted_words_are_read_and_no_other(tmp_path: Path, header: str, name: str) -> None:
    vectors = read_vectors(written(tmp_path, header + GLOVE, name), ["Bank", "river"])
    assert vectors.rows.keys() == {"bank", "Bank"}
    table, found = vectors.table(["Bank", "bank", "BANK", "river"])
    assert table.tolist() == [[7, 8, 9], [1, 2, 3], [1, 2, 3], [0, 0, 0]]
    assert found.tolist() == [True, True, True, False]
    assert (table.dtype.name, vectors.matrix.dtype.name, vectors.dimensions) == ("float32", "float32", 3)


def test_exact_spelling_is_preferred_to_lower_case(tmp_path: Path) -> None:
    vectors = read_vectors(written(tmp_path, GLOVE), {"The", "Bank"})
    assert vectors.row("The") == vectors.row("the") is not None
    assert vectors.row("Bank") != vectors.row("bank")
    assert vectors.row("river") is None


def test_words_may_hold_blanks(tmp_path: Path) -> None:
    path = written(tmp_path, GLOVE)
    assert read_vectors(path, ["."]).table(["."])[0].tolist() == [[1, 1, 1]]
    assert read_vectors(path, [". . ."]).table([". . ."])[0].tolist() == [[4, 5, 6]]


def test_first_word_may_hold_blanks_without_a_header(tmp_path: Path) -> None:
    vectors = read_vectors(written(tmp_path, "at name 1 2\n5 3 4\n"), ["at name", "5"])
    assert vectors.table(["at name", "5"])[0].tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "content", ["a 1 2 \nb 3 4 \n", "a 1 2\r\nb 3 4\r\n", "a\t1\t2\nb\t3\t4\n", "a\t1 2\nb\t3 4\n"]
)
def test_blanks_around_values_make_no_difference(tmp_path: Path, content: str) -> None:
    vectors = read_vectors(written(tmp_path, content), ["a", "b"])
    assert vectors.table(["a", "b"])[0].tolist() == [[1, 2], [3, 4]]


def test_words_that_are_not_utf8_are_only_not_found(tmp_path: Path) -> None:
    vectors = read_vectors(
        written(tmp_path, b"\xff\xfe 1 2\n" + "naïve 3 4\n川 5 6\n".encode()), ["naïve", "川"]
    )
    assert vectors.table(["naïve", "川"])[0].tolist() == [[3, 4], [5, 6]]


def test_nothing_wanted_gives_an_empty_matrix(tmp_path: Path) -> None:
    vectors = read_vectors(written(tmp_path, GLOVE), [])
    assert vectors.matrix.shape == (0, 3)
    assert vectors.table(["the"])[0].tolist() == [[0, 0, 0]]


def test_coverage_counts_types_and_tokens(tmp_path: Path) -> None:
    tokens = ["The", "bank", "of", "the", "river", "the"]
    vectors = read_vectors(written(tmp_path, GLOVE), set(tokens))
    assert vectors.coverage(tokens) == Coverage(types=3 / 5, tokens=4 / 6)
    assert vectors.coverage([]) == Coverage(0.0, 0.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1 2\nbank 1\n", "line 2: 1 values in 'bank 1\\n', expected 2"),
        ("a 1 2\nother 1\n", "line 2: 1 values in 'other 1\\n', expected 2"),
        ("a 1 2\nbank  1 \n", "line 2: 1 values in 'bank  1 \\n', expected 2"),
        ("a 1 2\nbank 1 2 3\n", "line 2: 3 values after 'bank', expected 2"),
        ("a 1 2\nbank 1 two\n", "line 2: 'two' among the values, expected numbers"),
        ("a 1 2\nbank nan 2\n", "line 2: 'nan' among the values, expected numbers"),
        ("a 1 2\nbank 2 1e39\n", "line 2: '1e39' among the values, expected numbers"),
        ("a b c\n", "line 1: 'a b c\\n', expected a word and its vector (GloVe), or"),
        ("a\n", "line 1: 'a\\n', expected a word and its vector (GloVe), or"),
        ("3 2\na 1 2\nb 1 2\n", "ends after 2 words, expected 3 as its first line says"),
        ("", "holds nothing, expected a word and its vector"),
    ],
)
def test_damaged_file_is_located(tmp_path: Path, content: str, message: str) -> None:
    assert message in complaint(written(tmp_path, content), "bank")


def test_empty_lines_are_no_words(tmp_path: Path) -> None:
    vectors = read_vectors(written(tmp_path, "a 1 2\n\n \nb 3 4\n\n"), ["a", "b", ""])
    assert vectors.rows == {"a": 0, "b": 1}


def test_truncated_gzip_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, "".join(f"{number} 1 2\n" for number in range(5000)), "vectors.gz")
    path.write_bytes(path.read_bytes()[:-100])
    assert "the compressed file is cut short" in complaint(path, "bank")


def test_missing_file_is_named(tmp_path: Path) -> None:
    assert complaint(tmp_path / "none") == f"{tmp_path / 'none'}: cannot be read (No such file or directory)."


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.txt.gz"])
def test_long_reading_reports_where_it_is_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    reports: list[tuple[str, int, int | None]] = []

    @contextmanager
    def recorded(wanted: bool) -> Iterator[DownloadReport]:
        yield lambda *report: reports.append(report)

    monkeypatch.setattr(module, "download_progress", recorded)
    generator = np.random.default_rng(0)
    rows = "".join(f"{number} {generator.random()} 1\n" for number in range(20_000))
    path = written(tmp_path, rows, name)
    read_vectors(path, ["1"])
    assert reports == []
    monkeypatch.setattr(module, "PATIENCE_SECONDS", -1.0)
    read_vectors(path, ["1"])
    size = path.stat().st_size
    done = [report[1] for report in reports]
    assert {(report[0], report[2]) for report in reports} == {(name, size)}
    assert done == sorted(done)
    assert size / 2 < done[-1] <= size


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.tuples(
            WORDS,
            st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=4, max_size=4),
        ),
        min_size=1,
    ),
    st.booleans(),
    st.data(),
)
def test_values_are_those_of_a_reader_that_parses_everything(
    tmp_path: Path, entries: list[tuple[str, list[float]]], header: bool, data: st.DataObject
) -> None:
    lines = [f"{word} {' '.join(map(repr, values))}\n" for word, values in entries]
    path = written(tmp_path, (f"{len(entries)} 4\n" if header else "") + "".join(lines))
    wanted = data.draw(st.lists(st.sampled_from([word for word, _ in entries])))
    vectors = read_vectors(path, wanted)
    first = dict(reversed(entries))
    for word, row in vectors.rows.items():
        assert vectors.matrix[row].tolist() == first[word]
    assert vectors.rows.keys() == {word for word in first if word in wanted or word in map(str.lower, wanted)}
