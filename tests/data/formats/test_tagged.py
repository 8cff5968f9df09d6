"""Tagged files: always IOB2 afterwards, and never a sequence that cannot be."""

from pathlib import Path

import pytest

from elmo_bench.data.formats.tagged import read_tagged
from elmo_bench.errors import ConfigError, TextError

WRITTEN = {
    "IOB1": "a I-X\nb B-X\nc I-X\nd I-Y\n\ne O\n",
    "IOB2": "a B-X\nb B-X\nc I-X\nd B-Y\n\ne O\n",
    "BIOUL": "a U-X\nb B-X\nc L-X\nd U-Y\n\ne O\n",
}


def written(folder: Path, content: str) -> Path:
    path = folder / "file"
    path.write_text(content, "utf-8")
    return path


@pytest.mark.parametrize("scheme", WRITTEN)
def test_tags_come_in_iob2_from_every_scheme(tmp_path: Path, scheme: str) -> None:
    assert list(read_tagged(written(tmp_path, WRITTEN[scheme]), scheme=scheme)) == [
        {"tokens": ["a", "b", "c", "d"], "tags": ["B-X", "B-X", "I-X", "B-Y"]},
        {"tokens": ["e"], "tags": ["O"]},
    ]


def test_columns_separator_and_comments_are_the_file_s(tmp_path: Path) -> None:
    path = written(tmp_path, "# text = New York\n1\tNew\tB-X\t-\n2\tYork\tI-X\t-\n")
    assert list(read_tagged(path, tokens=1, tags=2, separator="\t", comment="#")) == [
        {"tokens": ["New", "York"], "tags": ["B-X", "I-X"]}
    ]


def test_impossible_sequence_is_located(tmp_path: Path) -> None:
    path = written(tmp_path, "a O\n\nb B-X\nc O\nd I-X\ne B-Y\n")
    with pytest.raises(TextError) as raised:
        list(read_tagged(path))
    assert str(raised.value) == (
        f"{path}: not IOB2: I-X after O, at token 3 ('d') of the sentence that begins on line 3; "
        "correct the file."
    )


@pytest.mark.parametrize("scheme", WRITTEN)
@pytest.mark.parametrize("said", WRITTEN)
def test_wrong_scheme_is_named_with_the_right_one(tmp_path: Path, scheme: str, said: str) -> None:
    path = written(tmp_path, WRITTEN[scheme])
    if said == scheme:
        assert len(list(read_tagged(path, scheme=said))) == 2
        return
    with pytest.raises(TextError, match=f"not {said}: .* begins on line 1; .* correct {scheme}: is the file"):
        list(read_tagged(path, scheme=said))


def test_unknown_scheme_is_refused_before_the_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no tag scheme 'BIO'; expected one of IOB1, IOB2, BIOUL"):
        next(read_tagged(tmp_path / "none", scheme="BIO"))
