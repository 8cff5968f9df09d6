"""The microworld's interface: the same examples everywhere, splits that share nothing but some names."""

import hashlib
import json
import os
import subprocess
import sys
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from elmo_bench.data.microworld import VIEWS, examples
from elmo_bench.errors import ConfigError

SPLITS = ("train", "validation", "test")
# Of the first 300 examples of every split, with seed 0. A change of the grammar or the lexicon changes
# them: figures from before such a change cannot be compared with those after it.
DIGESTS = {
    "ner": "9ba3533c56b24bf96bab4fac877808d35a20041657c7b2410867628756e18dd6",
    "pos": "e515ebc6eb2b2998c16f374978a9d66676195075c46474c0c3e4a8b4bd5b38f0",
}


@cache
def drawn(view: str, split: str, count: int, seed: int = 0) -> list[dict[str, Any]]:
    return list(examples(view, split, count, seed))


def texts(split: str, count: int, seed: int = 0) -> list[str]:
    return [" ".join(example["tokens"]) for example in drawn("ner", split, count, seed)]


def digest(view: str) -> str:
    content = [drawn(view, split, 300) for split in SPLITS]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


@pytest.mark.parametrize("view", ["ner", "pos"])
def test_examples_are_the_same_on_every_machine(view: str) -> None:
    assert digest(view) == DIGESTS[view]


def test_examples_do_not_depend_on_the_order_of_sets() -> None:
    code = (
        "import json, sys\n"
        "from elmo_bench.data.microworld import examples\n"
        "json.dump(list(examples('ner', 'test', 100, 3)), sys.stdout)\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert json.loads(done.stdout) == drawn("ner", "test", 100, 3)


@pytest.mark.parametrize("view", VIEWS)
def test_an_example_does_not_depend_on_how_many_are_asked_for(view: str) -> None:
    assert drawn(view, "validation", 50) == drawn(view, "validation", 120)[:50]


def test_seeds_give_different_examples() -> None:
    assert len({*texts("train", 300, seed=1)} & {*texts("train", 300, seed=2)}) < 5


def test_views_are_about_the_same_sentences() -> None:
    named, tagged = drawn("ner", "test", 200), drawn("pos", "test", 200)
    assert [example["tokens"] for example in named] == [example["tokens"] for example in tagged]


def test_splits_share_no_sentence_whatever_their_seeds() -> None:
    sentences = {split: {*texts(split, 1000, seed=1), *texts(split, 1000, seed=2)} for split in SPLITS}
    assert not sentences["train"] & sentences["validation"]
    assert not sentences["train"] & sentences["test"]
    assert not sentences["validation"] & sentences["test"]


def test_sentences_hardly_ever_repeat() -> None:
    assert len({*texts("train", 2000)}) >= 0.99 * 2000


def test_text_is_varied_and_of_ordinary_length() -> None:
    tokens = [text.split() for text in texts("train", 2000)]
    lengths = [len(sentence) for sentence in tokens]
    assert 9 <= sum(lengths) / len(lengths) <= 14
    assert min(lengths) >= 3
    assert max(lengths) <= 50
    vocabulary = {token for sentence in tokens for token in sentence}
    assert len(vocabulary) / sum(lengths) > 0.09
    assert len({tuple(sentence[:2]) for sentence in tokens}) > 1000


@pytest.mark.parametrize("split", SPLITS)
def test_articles_agree_with_the_sound_that_follows(split: str) -> None:
    seen = 0
    for text in texts(split, 1000):
        tokens = text.split()
        for article, following in pairwise(tokens):
            if article.lower() in ("a", "an"):
                seen += 1
                word = following.lower()
                vowel = word[0] in "aeiou" or word in ("honest", "hour", "heir")
                if word.startswith(("uni", "euro", "ukr", "ugan", "used", "useful", "one-")):
                    vowel = word.startswith("unimp")
                assert article.lower() == ("an" if vowel else "a"), text
    assert seen > 200


@pytest.mark.parametrize("split", SPLITS)
def test_sentences_look_like_tokenised_english(split: str) -> None:
    for text in texts(split, 1000):
        tokens = text.split()
        assert tokens[-1] in (".", "?"), text
        first = tokens[1] if tokens[0] == "``" else tokens[0]
        assert first[0].isupper(), text
        assert tokens.count("``") == tokens.count("''"), text
        for token, following in pairwise(tokens):
            assert not (token == "," and following in (",", ".", "?")), text
            assert token != following or token in ("had", "that", "her"), text
        assert not any("n't" in token and token != "n't" for token in tokens), text


@pytest.mark.parametrize(("view", "split"), [("parsing", "train"), ("ner", "dev")])
def test_unknown_choices_are_answered_with_the_known_ones(view: str, split: str) -> None:
    with pytest.raises(ConfigError) as raised:
        examples(view, split, 1)
    message = str(raised.value)
    assert repr(view if view == "parsing" else split) in message
    assert ("ner, pos" if view == "parsing" else "train, validation, test") in message
