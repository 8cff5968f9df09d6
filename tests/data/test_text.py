"""Text files: what is read, and what is said about those that cannot be."""

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from elmo_bench.data.formats.text import STANDARD_INPUT, measure, read_sentences
from elmo_bench.errors import TextError

LINES = "The bank lends\n\nThe river 's bank naïve 川\n".encode()
SENTENCES = [["The", "bank", "lends"], [], ["The", "river", "'s", "bank", "naïve", "川"]]

Place = Callable[[bytes], Path]


@pytest.fixture(params=["plain", "gzip", "standard input"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Puts the same content where it can be read from: a file, a compressed file, standard input."""

    def put(content: bytes) -> Path:
        if request.param == "standard input":
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="ascii"))
            return STANDARD_INPUT
        if request.param == "gzip":
            path = tmp_path / "text.gz"
            path.write_bytes(gzip.compress(content))
            return path
        path = tmp_path / "text"
        path.write_bytes(content)
        return path

    return put


def complaint(path: Path) -> str:
    with pytest.raises(TextError) as raised:
        measure(path)
    message = str(raised.value)
    assert "\n" not in message
    assert message.startswith(str(path))
    return message


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (LINES, SENTENCES),
        (LINES.rstrip(b"\n"), SENTENCES),
        (LINES.replace(b"\n", b"\r\n"), SENTENCES),
        (LINES + b"\n\n", [*SENTENCES, [], []]),
        (b"\n" + LINES, [[], *SENTENCES]),
        (b"  two \t spaces  \n", [["two", "spaces"]]),
        (b" \t \nword\n", [[], ["word"]]),
    ],
    ids=["plain", "no last newline", "CRLF", "empty at the end", "empty first", "spaces", "blank"],
)
def test_each_line_is_a_sentence_and_none_is_dropped(
    place: Place, content: bytes, expected: list[list[str]]
) -> None:
    assert list(read_sentences(place(content))) == expected


def test_sizes_count_empty_lines_and_tokens(place: Place) -> None:
    assert measure(place(LINES)) == (3, 9)


def test_bytes_that_are_not_utf8_are_located(place: Place) -> None:
    path = place("good line\nnaïve\n".encode() + "voilà un café\n".encode("latin-1") + b"more\n")
    message = complaint(path)
    assert message.startswith(f"{path}, line 3: not UTF-8 (byte 0xe0 at column 5); expected ")
    assert "iconv" in message


def test_lines_before_a_mistake_are_still_given(place: Place) -> None:
    reading = read_sentences(place(b"one\ntwo\n\xff\n"))
    assert [next(reading), next(reading)] == [["one"], ["two"]]
    with pytest.raises(TextError, match="line 3: not UTF-8"):
        next(reading)


@pytest.mark.parametrize(
    ("content", "found"),
    [(b"", "holds nothing"), (b"\n\r\n  \n", "holds 3 empty lines")],
    ids=["empty", "only blank lines"],
)
def test_text_without_a_token_is_refused(place: Place, content: bytes, found: str) -> None:
    assert f": {found}, expected one tokenised sentence a line." in complaint(place(content))


@pytest.mark.parametrize("kept", [0.5, 0.99])
def test_truncated_gzip_says_that_it_is_cut_short(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "text.gz"
    content = gzip.compress(b"".join(b"%d word\n" % number for number in range(5000)))
    path.write_bytes(content[: int(kept * len(content))])
    assert "the compressed file is cut short" in complaint(path)


@pytest.mark.parametrize("place_of_damage", ["header", "data", "checksum"])
def test_damaged_gzip_cannot_be_read(tmp_path: Path, place_of_damage: str) -> None:
    path = tmp_path / "text.gz"
    content = bytearray(gzip.compress(b"".join(b"%d word\n" % number for number in range(5000))))
    start = {"header": 0, "data": 20, "checksum": len(content) - 8}[place_of_damage]
    content[start : start + 4] = bytes(255 - byte for byte in content[start : start + 4])
    path.write_bytes(content)
    assert complaint(path).startswith(f"{path}: cannot be read (")


def test_plain_text_called_gz_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.gz").write_bytes(LINES)
    assert "cannot be read (Not a gzipped file" in complaint(tmp_path / "text.gz")


@pytest.mark.parametrize("name", ["missing.txt", "missing.gz"])
def test_missing_file_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert complaint(path) == f"{path}: cannot be read (No such file or directory)."


@pytest.mark.parametrize("name", ["folder", "folder.gz"])
def test_folder_is_not_a_text(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    assert complaint(tmp_path / name) == f"{tmp_path / name}: cannot be read (Is a directory)."
