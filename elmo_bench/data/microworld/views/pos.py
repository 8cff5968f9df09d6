"""Parts of speech: Universal POS tags."""

from typing import Any

from elmo_bench.data.microworld.derivation import Author


def example(author: Author) -> dict[str, Any]:
    leaves = author.derive().sentences[0].leaves()
    return {"tokens": [leaf.text for leaf in leaves], "tags": [leaf.upos for leaf in leaves]}
