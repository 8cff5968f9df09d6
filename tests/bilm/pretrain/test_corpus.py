"""Text → numbered words → windows."""

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from elmo_bench.bilm.pretrain.corpus import END_ID, START_ID, UNKNOWN_ID, Corpus, bytes_to_read, prepare
from elmo_bench.bilm.pretrain.windows import NO_TARGET, Streams
from elmo_bench.errors import TextError

PACKED: list[tuple[str, Callable[[bytes], bytes]]] = [(".gz", gzip.compress), (".xz", lzma.compress)]
TEXT = "a b a c .\nb a .\n\na a d e f .\n"


def corpus(folder: Path, text: str = TEXT, floor: int = 2) -> Corpus:
    path = folder / "text.txt"
    path.write_text(text, "utf-8")
    return prepare([path], folder / "corpus", floor=floor)


def test_words_are_numbered_by_frequency_and_rare_ones_come_last(tmp_path: Path) -> None:
    found = corpus(tmp_path)
    assert found.words == ["<S>", "</S>", "<UNK>", "a", ".", "b", "c", "d", "e", "f"]
    assert found.vocabulary == ["<S>", "</S>", "<UNK>", "a", ".", "b"]
    assert (found.sizes.sentences, found.sizes.tokens) == (3, 14)
    assert [found.words[number] for number in found.tokens] == TEXT.split()


def test_compressed_files_read_alike_and_bad_lines_are_counted(tmp_path: Path) -> None:
    bad = b"a \xff b\n" + b"x " * 2001 + b"\n"
    (tmp_path / "a.gz").write_bytes(gzip.compress(TEXT.encode()))
    (tmp_path / "b.xz").write_bytes(lzma.compress(bad))
    found = prepare([tmp_path / "a.gz", tmp_path / "b.xz"], tmp_path / "corpus", floor=1)
    assert (found.sizes.sentences, found.sizes.not_utf8, found.sizes.too_long) == (3, 1, 1)


@pytest.mark.parametrize(("suffix", "pack"), [("", bytes), *PACKED])
def test_reading_is_reported_in_bytes_of_the_packed_files(
    tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    numbers = np.random.default_rng(1).integers(0, 1_000_000, 200_000)
    text = "\n".join(map(str, numbers)).encode()
    packed = pack(text)
    path = tmp_path / f"text{suffix}"
    path.write_bytes(packed)
    told: list[int] = []
    found = prepare([path], tmp_path / "corpus", floor=1, report=told.append)
    assert found.sizes.tokens == len(numbers)
    assert sum(told) == bytes_to_read([path]) == 2 * len(packed)
    assert max(told) <= 1 << 20
    told.clear()
    prepare([path], tmp_path / "corpus", floor=1, report=told.append)
    assert told == []


@pytest.mark.parametrize(("suffix", "pack"), PACKED)
@pytest.mark.parametrize("damage", ["cut short", "overwritten"])
def test_damaged_files_are_named(
    tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes], damage: str
) -> None:
    content = pack(b"".join(b"%d\n" % number for number in range(20_000)))
    middle = len(content) // 2
    broken = (
        content[:middle] if damage == "cut short" else content[:middle] + b"?" * 99 + content[middle + 99 :]
    )
    path = tmp_path / f"text{suffix}"
    path.write_bytes(broken)
    with pytest.raises(
        TextError, match=rf"text{suffix}: cannot be read to its end \(.+\); fetch or make it again"
    ):
        prepare([path], tmp_path / "corpus", floor=1)


def test_vocabulary_is_kept_where_one_is_given(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("new a new\n")
    words = ["<S>", "</S>", "<UNK>", "z", "a"]
    found = prepare([tmp_path / "text.txt"], tmp_path / "corpus", floor=1, vocabulary=words)
    assert found.vocabulary == words
    assert found.words == [*words, "new"]
    others = ["<S>", "</S>", "<UNK>", "y", "a"]
    again = prepare([tmp_path / "text.txt"], tmp_path / "corpus", floor=1, vocabulary=others)
    assert again.vocabulary == others


def test_text_without_sentences_and_missing_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    for name, complaint in (("empty", "no usable sentence"), ("none", "no such file")):
        with pytest.raises(TextError, match=complaint):
            prepare([tmp_path / name], tmp_path / "corpus", floor=1)


def streams(found: Corpus, rank: int = 0, world: int = 1) -> Streams:
    return Streams(found, streams=2, steps=3, seed=5, rank=rank, world=world)


def test_windows_read_every_sentence_once_in_both_directions(tmp_path: Path) -> None:
    text = "".join(f"w{number} x{number} .\n" for number in range(12))
    found = corpus(tmp_path, text, floor=1)
    source = streams(found)
    assert source.windows_per_epoch == 10
    windows = [source.window(number) for number in range(10)]
    for direction in (0, 1):
        seen = []
        for stream in (0, 1):
            words = np.concatenate([window.words[direction, :, stream] for window in windows])
            targets = np.concatenate([window.targets[direction, :, stream] for window in windows])
            last, first = (END_ID, START_ID) if direction == 0 else (START_ID, END_ID)
            assert words[0] == first
            assert (targets[words == last] == NO_TARGET).all()
            inside = words[:-1] != last
            assert (targets[:-1][inside] == words[1:][inside]).all()
            seen += [word for word in words if word > UNKNOWN_ID]
        assert sorted(seen) == sorted(found.tokens)


def test_window_depends_on_its_number_alone(tmp_path: Path) -> None:
    text = "".join(f"w{number} x y z .\n" for number in range(40))
    found = corpus(tmp_path, text, floor=1)
    straight, jumping = streams(found), streams(found)
    expected = [straight.window(number) for number in range(60)]
    for number in (59, 0, 31, 30):
        assert all(map(np.array_equal, jumping.window(number), expected[number]))
    other = Streams(found, streams=2, steps=3, seed=6).window(0)
    assert not np.array_equal(other.words, expected[0].words)


def test_processes_share_the_sentences_out(tmp_path: Path) -> None:
    text = "".join(f"w{number}\n" for number in range(12))
    found = corpus(tmp_path, text, floor=1)
    seen = [
        word
        for rank in (0, 1)
        for number in range(3)
        for word in streams(found, rank, world=2).window(number).words[0].flatten().tolist()
        if word > UNKNOWN_ID
    ]
    assert sorted(seen) == sorted(found.tokens)


def test_too_few_sentences_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="3 sentences are too few for 4 streams"):
        streams(corpus(tmp_path), world=2)
