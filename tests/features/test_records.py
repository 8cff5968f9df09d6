"""Damaged files: what is read is right, a warning tells, and what can be mended is."""

import logging
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fake_encoder import FakeEncoder, numbered

from elmo_bench.features.sets import find_sets
from elmo_bench.features.store import StoredFeatures
from elmo_bench.features.upkeep import Verdict, measure, repair, verify

SENTENCES = numbered(60)
WIDE = 400
"""So wide that a record has pages of its own; at 16, several share a page with what LMDB finds them by."""

PAGE = 4096
LEAF = 2


def filled(folder: Path, width: int) -> bytearray:
    """Fills a store in several transactions and returns the bytes of its file."""
    features = StoredFeatures(FakeEncoder(width=width), folder)
    for end in (20, 40, 60):
        features.prepare(SENTENCES[:end])
    return bytearray(data_file(folder).read_bytes())


def data_file(folder: Path) -> Path:
    return folder / "fake-half" / "data.mdb"


def verdict(folder: Path) -> Verdict:
    (records,) = find_sets(folder)
    return verify(records, lambda sentences, tokens: None)


def mend(folder: Path) -> Verdict:
    (records,) = find_sets(folder)
    return repair(records, lambda sentences, tokens: None)


def places(content: bytearray, sentence: list[str], width: int) -> list[int]:
    """Where the layers of a sentence begin in the file; a page's earlier versions are there, too."""
    layers = FakeEncoder(width=width).expected([sentence]).tobytes()
    found = [match.start() for match in re.finditer(re.escape(layers), content)]
    assert len(found) == 1 or (found and width < WIDE)
    return found


@pytest.mark.parametrize("width", [16, WIDE])
@pytest.mark.parametrize("byte", ["first", "middle", "last", "checksum"])
def test_damaged_byte_is_noticed_computed_again_and_rewritten(
    tmp_path: Path, width: int, byte: str, caplog: pytest.LogCaptureFixture
) -> None:
    content = filled(tmp_path, width)
    size = FakeEncoder(width=width).expected([SENTENCES[7]]).nbytes
    offset = {"first": 0, "middle": size // 2, "last": size - 1, "checksum": -2}[byte]
    for place in places(content, SENTENCES[7], width):
        content[place + offset] ^= 4
    encoder = FakeEncoder(width=width)
    features = StoredFeatures(encoder, tmp_path)
    with caplog.at_level(logging.WARNING):
        np.testing.assert_array_equal(features.read(SENTENCES), encoder.expected(SENTENCES))
        assert (encoder.computed, caplog.text) == ([], "")
        data_file(tmp_path).write_bytes(content)  # under the eyes of a reader
        np.testing.assert_array_equal(features.read(SENTENCES), encoder.expected(SENTENCES), strict=True)
    assert encoder.computed == [tuple(SENTENCES[7])]
    assert "1 records are damaged; they are computed again" in caplog.text
    caplog.clear()
    fresh = FakeEncoder(width=width)
    found = StoredFeatures(fresh, tmp_path).read(SENTENCES)
    np.testing.assert_array_equal(found, encoder.expected(SENTENCES), strict=True)
    assert (fresh.computed, caplog.text) == ([], "")
    assert verdict(tmp_path) == Verdict(60, 0)


def test_record_that_is_damaged_again_and_again_is_mended_again_and_again(tmp_path: Path) -> None:
    filled(tmp_path, WIDE)
    for times in range(1, 5):
        content = data_file(tmp_path).read_bytes()
        layers = FakeEncoder(width=WIDE).expected([SENTENCES[7]]).tobytes()
        assert content.count(layers) == 1
        data_file(tmp_path).write_bytes(content.replace(layers, bytes(len(layers))))
        assert verdict(tmp_path) == Verdict(60, 1)
        encoder = FakeEncoder(width=WIDE)
        found = StoredFeatures(encoder, tmp_path).read(SENTENCES)
        np.testing.assert_array_equal(found, encoder.expected(SENTENCES), strict=True)
        assert len(encoder.computed) == 1, times
    assert verdict(tmp_path) == Verdict(60, 0)
    assert measure(find_sets(tmp_path)[0]).sentences == 60


def test_record_under_the_key_of_another_is_not_taken_for_it(tmp_path: Path) -> None:
    content = filled(tmp_path, WIDE)
    one, other = (places(content, SENTENCES[number], WIDE)[0] - 4 for number in (0, 6))  # of a token each
    size = 4 + FakeEncoder(width=WIDE).expected([SENTENCES[0]]).nbytes
    content[one : one + size], content[other : other + size] = (
        content[other : other + size],
        content[one : one + size],
    )
    data_file(tmp_path).write_bytes(content)
    encoder = FakeEncoder(width=WIDE)
    found = StoredFeatures(encoder, tmp_path).read(SENTENCES)
    np.testing.assert_array_equal(found, encoder.expected(SENTENCES), strict=True)
    assert sorted(encoder.computed) == [("w0",), ("w6",)]


def zeroed(content: bytearray, page: int, random: np.random.Generator) -> bytearray:
    content[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)
    return content


def scrambled(content: bytearray, page: int, random: np.random.Generator) -> bytearray:
    content[page * PAGE : (page + 1) * PAGE] = random.bytes(PAGE)
    return content


def cut(content: bytearray, page: int, random: np.random.Generator) -> bytearray:
    return content[: page * PAGE]


@pytest.mark.parametrize("damage", [zeroed, scrambled, cut])
@pytest.mark.parametrize("width", [16, WIDE])
def test_damage_to_any_page_neither_ends_the_process_nor_changes_a_value(
    tmp_path: Path, width: int, damage: Callable[[bytearray, int, np.random.Generator], bytearray]
) -> None:
    original = filled(tmp_path, width)
    random = np.random.default_rng(0)
    pages = range(2, len(original) // PAGE)
    expected = FakeEncoder(width=width).expected(SENTENCES)
    for page in random.choice(pages, min(10, len(pages)), replace=False):
        folder = tmp_path / str(page)
        StoredFeatures(FakeEncoder(width=width), folder)
        data_file(folder).write_bytes(damage(bytearray(original), int(page), random))
        (folder / "fake-half" / "lock.mdb").unlink()
        for _ in range(2):
            found = StoredFeatures(FakeEncoder(width=width), folder).read(SENTENCES)
            np.testing.assert_array_equal(found, expected, strict=True)
        if verdict(folder).damaged:
            mend(folder)
        features = StoredFeatures(FakeEncoder(width=width), folder)
        features.prepare(SENTENCES)
        np.testing.assert_array_equal(features.read(SENTENCES), expected, strict=True)
        assert verdict(folder) == Verdict(60, 0)


def leaves(content: bytearray) -> list[int]:
    """Pages where LMDB has keys, by the flags and the number in their headers."""
    headers = ((page, content[page * PAGE : page * PAGE + 12]) for page in range(2, len(content) // PAGE))
    return [
        page
        for page, header in headers
        if int.from_bytes(header[:8], "little") == page and int.from_bytes(header[10:], "little") == LEAF
    ]


def test_set_without_its_index_still_reads_right_and_says_what_to_do(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    content = filled(tmp_path, WIDE)
    for page in leaves(content):
        zeroed(content, page, np.random.default_rng(0))
    data_file(tmp_path).write_bytes(content)
    encoder = FakeEncoder(width=WIDE)
    with caplog.at_level(logging.WARNING):
        found = StoredFeatures(encoder, tmp_path).read(SENTENCES)
    np.testing.assert_array_equal(found, encoder.expected(SENTENCES), strict=True)
    assert "is damaged (" in caplog.text
    assert "Run elmo-bench store verify --repair" in caplog.text
    assert verdict(tmp_path).damaged > 0
    mend(tmp_path)
    StoredFeatures(encoder, tmp_path).prepare(SENTENCES)
    assert verdict(tmp_path) == Verdict(60, 0)


def test_repair_keeps_what_is_sound(tmp_path: Path) -> None:
    content = filled(tmp_path, WIDE)
    for number in (3, 30):
        content[places(content, SENTENCES[number], WIDE)[0]] ^= 1
    data_file(tmp_path).write_bytes(content)
    assert mend(tmp_path) == Verdict(60, 2)
    assert verdict(tmp_path) == Verdict(58, 0)
    encoder = FakeEncoder(width=WIDE)
    StoredFeatures(encoder, tmp_path).prepare(SENTENCES)
    assert sorted(encoder.computed) == sorted(tuple(SENTENCES[number]) for number in (3, 30))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".fake-half.lock", "fake-half"]


def test_file_that_is_no_data_file_can_be_repaired(tmp_path: Path) -> None:
    filled(tmp_path, WIDE)
    data_file(tmp_path).write_bytes(b"nothing of the kind" * 1000)
    (records,) = find_sets(tmp_path)
    records.environment.close()
    assert verdict(tmp_path) == Verdict(0, 1)
    mend(tmp_path)
    encoder = FakeEncoder(width=WIDE)
    features = StoredFeatures(encoder, tmp_path)
    features.prepare(SENTENCES)
    assert len(encoder.computed) == 60
    np.testing.assert_array_equal(features.read(SENTENCES), encoder.expected(SENTENCES))
