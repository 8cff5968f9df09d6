"""Text files → numbered words on disk, read through a memory map: never all in memory, however long.

Words are numbered from the most frequent down, so that "in the vocabulary" means "below its size"; rarer
words keep a number of their own, because the model reads their characters even if it need not predict them.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_bench.bilm.characters import SENTENCE_END, SENTENCE_START, character_ids
from elmo_bench.bilm.pretrain.reading import NOT_UTF8, TOO_LONG, Report, existing, no_sentence
from elmo_bench.bilm.pretrain.reading import read_lines as read_lines
from elmo_bench.files import writing

UNKNOWN = "<UNK>"
SPECIAL = (SENTENCE_START, SENTENCE_END, UNKNOWN)
START_ID, END_ID, UNKNOWN_ID = range(3)


@dataclass(frozen=True)
class Sizes:
    """What a prepared corpus holds, and what was left out of it."""

    sentences: int
    tokens: int
    vocabulary: int
    not_utf8: int
    too_long: int


class Corpus:
    """A prepared corpus: sentences of word numbers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sizes = Sizes(**json.loads((folder / "corpus.json").read_text("utf-8"))["sizes"])
        self.words: list[str] = (folder / "words.txt").read_text("utf-8").split("\n")[:-1]
        self.tokens: NDArray[np.int32] = np.memmap(folder / "tokens.bin", np.int32, "r")
        self.ends: NDArray[np.int64] = np.load(folder / "ends.npy", mmap_mode="r")

    @property
    def vocabulary(self) -> list[str]:
        return self.words[: self.sizes.vocabulary]

    def characters(self, width: int) -> NDArray[np.int16]:
        """Character ids of every word (words, width)."""
        return character_ids(self.words, width).astype(np.int16)

    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.ends, prepend=0)


def prepare(
    files: Sequence[Path],
    folder: Path,
    *,
    floor: int,
    vocabulary: Sequence[str] | None = None,
    report: Report = lambda count: None,
) -> Corpus:
    """Numbers the words of ``files`` into ``folder``, unless that was done before in the same way.

    Args:
        floor: a word seen less often is not in the vocabulary.
        vocabulary: where given, the one to keep; ``floor`` then does not matter.
        report: is told of ``bytes_to_read(files)`` in all.
    """
    made_from = {
        "files": [
            (str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in existing(files)
        ],
        "floor": floor,
        "vocabulary": None if vocabulary is None else _digest(vocabulary),
    }
    record = folder / "corpus.json"
    if record.exists() and json.loads(record.read_text("utf-8"))["made_from"] == json.loads(
        json.dumps(made_from)
    ):
        return Corpus(folder)
    folder.mkdir(parents=True, exist_ok=True)
    words, size = _number_words(files, floor, vocabulary, report)
    sizes = _write_tokens(files, folder, words, size, report)
    with writing(folder / "words.txt") as path:
        path.write_text("".join(f"{word}\n" for word in words), "utf-8")
    with writing(record) as path:
        path.write_text(
            json.dumps({"made_from": made_from, "sizes": asdict(sizes)}, indent=1) + "\n", "utf-8"
        )
    return Corpus(folder)


def bytes_to_read(files: Sequence[Path]) -> int:
    """How much ``prepare`` reads: once to count the words, once to number them."""
    return 2 * sum(path.stat().st_size for path in existing(files))


def _digest(words: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(words).encode("utf-8", "surrogatepass")).hexdigest()


def _number_words(
    files: Sequence[Path], floor: int, vocabulary: Sequence[str] | None, report: Report
) -> tuple[list[str], int]:
    """Returns all words by their number, and how many of them are the vocabulary."""
    counts: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for sentence in read_lines(files, report):
        if isinstance(sentence, list):
            counts.update(sentence)
        else:
            skipped[sentence] += 1
    if not counts:
        raise no_sentence(files, skipped)
    for special in SPECIAL:
        counts.pop(special, None)
    ranked = [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    if vocabulary is None:
        known = [*SPECIAL, *(word for word in ranked if counts[word] >= floor)]
        return [*SPECIAL, *ranked], len(known)
    kept = set(vocabulary)
    return [*vocabulary, *(word for word in ranked if word not in kept)], len(vocabulary)


def _write_tokens(
    files: Sequence[Path], folder: Path, words: Sequence[str], vocabulary: int, report: Report
) -> Sizes:
    numbers = {word: number for number, word in enumerate(words)}
    lengths: list[int] = []
    skipped: Counter[str] = Counter()
    with writing(folder / "tokens.bin") as path, path.open("wb") as target:
        for sentence in read_lines(files, report):
            if isinstance(sentence, str):
                skipped[sentence] += 1
                continue
            target.write(np.fromiter(map(numbers.__getitem__, sentence), np.int32, len(sentence)).tobytes())
            lengths.append(len(sentence))
    with writing(folder / "ends.npy") as path:
        np.save(path, np.cumsum(lengths, dtype=np.int64))
    return Sizes(len(lengths), sum(lengths), vocabulary, skipped[NOT_UTF8], skipped[TOO_LONG])
