"""An encoder without a model: layers are random numbers that depend on the sentence alone."""

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


class FakeEncoder:
    """Counts the sentences that it has computed; may take its time for each."""

    def __init__(
        self, fingerprint: str = "fake", *, depth: int = 3, width: int = 16, pause: float = 0.0
    ) -> None:
        self.fingerprint, self.depth, self.width = fingerprint, depth, width
        self._pause = pause
        self.computed: list[tuple[str, ...]] = []

    def stream(
        self, sentences: Iterable[Sequence[str]], *, report: object = None
    ) -> Iterator[NDArray[np.float32]]:
        for sentence in sentences:
            time.sleep(self._pause)
            self.computed.append(tuple(sentence))
            yield self.layers(sentence)

    def layers(self, sentence: Sequence[str]) -> NDArray[np.float32]:
        """(depth, tokens, width)"""
        name = repr((self.fingerprint, tuple(sentence))).encode("utf-8", "surrogatepass")
        random = np.random.default_rng(np.frombuffer(hashlib.sha256(name).digest(), np.uint32))
        values = random.normal(size=(self.depth, len(sentence), self.width))
        return values.astype(np.float32)

    def expected(self, sentences: Iterable[Sequence[str]], dtype: type = np.float16) -> NDArray[np.floating]:
        """(tokens, depth, width): what a store should return."""
        arrays = [self.layers(sentence).transpose(1, 0, 2) for sentence in sentences]
        return np.concatenate(arrays).astype(dtype)


def numbered(count: int, longest: int = 6) -> list[list[str]]:
    """Distinct sentences of one to so many tokens."""
    return [[f"w{number}", *["word"] * (number % longest)] for number in range(count)]
