"""Parts of speech of the microworld."""

from collections import defaultdict
from functools import cache

import pytest

from elmo_bench.data.microworld import examples

SPLITS = ("train", "validation", "test")
UNIVERSAL = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"


@cache
def tags_of_words() -> dict[str, set[str]]:
    found = defaultdict(set)
    drawn = [example for split in SPLITS for example in examples("pos", split, 2500)]
    for example in drawn:
        for token, tag in zip(example["tokens"], example["tags"], strict=True):
            found[token.lower()].add(tag)
    return found


def test_every_token_has_a_universal_part_of_speech() -> None:
    for split in SPLITS:
        for example in examples("pos", split, 500):
            assert len(example["tokens"]) == len(example["tags"])
            assert {*example["tags"]} <= {*UNIVERSAL.split()}


@pytest.mark.parametrize(
    ("words", "tags"),
    [
        ("play watch park book light ring plant plans visits bill fire cook nurse dance", "NOUN VERB"),
        ("rose mark park bill chase", "VERB PROPN"),
        ("will may", "AUX PROPN"),
        ("that", "DET SCONJ"),
        ("to", "ADP PART"),
        ("'s", "PART AUX"),
        ("before after", "ADP SCONJ"),
        ("have has", "AUX VERB"),
        ("light last", "ADJ VERB"),
        ("like", "ADP VERB"),
        ("fast late", "ADJ ADV"),
    ],
)
def test_words_of_several_parts_of_speech_occur_as_each(words: str, tags: str) -> None:
    for word in words.split():
        assert {*tags.split()} <= tags_of_words()[word], word


@pytest.mark.parametrize(
    ("words", "tag"),
    [
        ("the a an this these", "DET"),
        ("he she it they we who", "PRON"),
        ("was is are were did could", "AUX"),
        (". ? `` ''", "PUNCT"),
        ("n't not", "PART"),
        ("because although", "SCONJ"),
        ("and but", "CCONJ"),
        ("sold bought slept", "VERB"),
        ("expensive hungry", "ADJ"),
    ],
)
def test_other_words_have_one_part_of_speech(words: str, tag: str) -> None:
    for word in words.split():
        found = tags_of_words()[word] - {"PROPN"} if word in ("the", "a", "an") else tags_of_words()[word]
        assert found == {tag}, word
