"""Words and labels → numbers. Words may be unknown and are padded; a label is one of those in training."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from elmo_bench.errors import TextError

PADDING = 0
UNKNOWN = 1
FIRST_WORD = 2
"""Numbers below belong to no word."""

_SHOWN = 20


class Vocabulary:
    """Words by their number: the most frequent first, so that a table of vectors can be cut short."""

    def __init__(self, words: Iterable[str], *, lowercase: bool = False) -> None:
        self.words = tuple(words)
        self.lowercase = lowercase
        self._ids = {word: number for number, word in enumerate(self.words, start=FIRST_WORD)}
        if len(self._ids) != len(self.words):
            twice = Counter(self.words).most_common(1)[0][0]
            raise TextError(f"The word {twice!r} is twice in a vocabulary, expected once.")

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], floor: int = 1, lowercase: bool = False) -> "Vocabulary":
        """Collects the words of sentences.

        Args:
            sentences: their tokens.
            floor: a word seen less often is unknown.
            lowercase: whether words that differ by case alone are one.
        """
        counts = Counter(
            token.lower() if lowercase else token for sentence in sentences for token in sentence
        )
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return cls((word for word in ranked if counts[word] >= floor), lowercase=lowercase)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Vocabulary":
        return cls(record["words"], lowercase=record["lowercase"])

    def as_dict(self) -> dict[str, Any]:
        """Returns what ``from_dict`` reads, ready for JSON."""
        return {"words": list(self.words), "lowercase": self.lowercase}

    def ids(self, tokens: Iterable[str]) -> list[int]:
        return [self._ids.get(token.lower() if self.lowercase else token, UNKNOWN) for token in tokens]

    def __contains__(self, token: str) -> bool:
        return (token.lower() if self.lowercase else token) in self._ids

    def __len__(self) -> int:
        """Numbers in use, padding and unknown included: the rows of a table of vectors."""
        return FIRST_WORD + len(self.words)


class Labels:
    """Labels by their number, in the order of the alphabet: the same data give the same numbers."""

    def __init__(self, labels: Iterable[str]) -> None:
        self.labels = tuple(sorted(set(labels)))
        self._ids = {label: number for number, label in enumerate(self.labels)}

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> "Labels":
        """Collects the labels of sentences that have one for each token."""
        return cls(label for sentence in sentences for label in sentence)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Labels":
        return cls(record["labels"])

    def as_dict(self) -> dict[str, Any]:
        """Returns what ``from_dict`` reads, ready for JSON."""
        return {"labels": list(self.labels)}

    def index(self, label: str) -> int:
        try:
            return self._ids[label]
        except KeyError:
            shown = ", ".join(self.labels[:_SHOWN]) + (", …" if len(self) > _SHOWN else "")
            raise TextError(
                f"The label {label!r} is not one of the {len(self)} that are known ({shown}); "
                "are all files of the same corpus, in the same scheme?"
            ) from None

    def ids(self, labels: Iterable[str]) -> list[int]:
        return [self.index(label) for label in labels]

    def __getitem__(self, number: int) -> str:
        return self.labels[number]

    def __iter__(self) -> Iterator[str]:
        return iter(self.labels)

    def __contains__(self, label: str) -> bool:
        return label in self._ids

    def __len__(self) -> int:
        return len(self.labels)
