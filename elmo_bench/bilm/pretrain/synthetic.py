"""A made-up corpus that costs as much to train on as real text does."""

from pathlib import Path

import numpy as np

from elmo_bench.bilm.pretrain.corpus import SPECIAL, Corpus, prepare

_SENTENCES = 8000


def synthetic_corpus(folder: Path, vocabulary: int, seed: int = 0) -> Corpus:
    """Sentences of 24 words on average, as frequent and as long as those of English news and stories.

    Frequencies fall with a word's rank, from rank 10,000 on with its square: that gives windows as many
    distinct words, and each cluster of the softmax as many targets, as they have in real text.
    """
    random = np.random.default_rng(seed)
    words = _words(random, vocabulary - len(SPECIAL))
    ranks = np.arange(1, len(words) + 1)
    frequency = 1 / ((ranks + 3) * (1 + ranks / 10_000))
    lengths = 1 + random.gamma(3.0, 7.7, _SENTENCES).astype(int)
    numbers = random.choice(len(words), lengths.sum(), p=frequency / frequency.sum())
    text = folder / "synthetic.txt"
    with text.open("w", encoding="utf-8") as file:
        for sentence in np.split(numbers, np.cumsum(lengths)[:-1]):
            file.write(" ".join(words[number] for number in sentence) + "\n")
    return prepare([text], folder, floor=1, vocabulary=[*SPECIAL, *words])


def _words(random: np.random.Generator, count: int) -> list[str]:
    """Distinct strings of letters; rarer ones are longer."""
    letters = "".join(random.choice(list("etaoinshrdlucmfwypvbgkjqxz"), 20 * count + 100))
    found: dict[str, None] = {}
    place = 0
    while len(found) < count:
        length = 1 + int(random.poisson(2 + 0.9 * np.log10(len(found) + 1)))
        found[letters[place : place + length]] = None
        place = (place + length) % (len(letters) - 99)
    return list(found)
