"""Named entities of the microworld: well-formed, ambiguous, mostly unseen, and not to be told by words."""

import re
from collections import Counter, defaultdict
from functools import cache

from elmo_bench.data.microworld import examples
from elmo_bench.data.microworld.lexicon.ambiguous import AMBIGUOUS, COMMON

Sentence = tuple[list[str], list[str]]
TAG = re.compile(r"O|[BI]-(PER|LOC|ORG|MISC)")


@cache
def sentences(split: str, count: int) -> tuple[Sentence, ...]:
    return tuple((example["tokens"], example["tags"]) for example in examples("ner", split, count))


def spans(tags: list[str]) -> set[tuple[int, int, str]]:
    """Entities as (start, end, type), by matching each B- with the I- tags after it."""
    found = set()
    for start, tag in enumerate(tags):
        if tag.startswith("B-"):
            end = start + 1
            while end < len(tags) and tags[end].startswith("I-"):
                end += 1
            found.add((start, end, tag[2:]))
    return found


def entity_f1(gold: list[list[str]], guessed: list[list[str]]) -> float:
    pairs = [(spans(right), spans(guess)) for right, guess in zip(gold, guessed, strict=True)]
    correct = sum(len(right & guess) for right, guess in pairs)
    return 200 * correct / sum(len(right) + len(guess) for right, guess in pairs)


def test_tags_are_valid_iob2() -> None:
    for split in ("train", "validation", "test"):
        for tokens, tags in sentences(split, 1000):
            assert len(tokens) == len(tags)
            for before, tag in zip(["O", *tags], tags, strict=False):
                assert TAG.fullmatch(tag)
                assert tag[0] != "I" or before[2:] == tag[2:], (tokens, tags)


def test_every_type_is_frequent_and_some_sentences_have_no_name() -> None:
    counts = Counter(tag for _, tags in sentences("train", 2000) for tag in tags if tag[0] == "B")
    assert {*counts} == {"B-PER", "B-LOC", "B-ORG", "B-MISC"}
    assert min(counts.values()) > 300
    nameless = sum({*tags} == {"O"} for _, tags in sentences("train", 2000))
    assert 100 < nameless < 500


def test_most_names_in_test_are_unseen_and_some_are_seen() -> None:
    seen = {token for tokens, _ in sentences("train", 2000) for token in tokens}
    names = [
        token
        for tokens, tags in sentences("test", 2000)
        for token, tag in zip(tokens, tags, strict=True)
        if tag != "O"
    ]
    unseen = sum(token not in seen for token in names) / len(names)
    assert 0.6 <= unseen <= 0.8


def test_many_names_are_of_several_types() -> None:
    types = defaultdict(set)
    for split in ("train", "test"):
        for tokens, tags in sentences(split, 2000):
            for start, end, kind in spans(tags):
                if end == start + 1:
                    types[tokens[start]].add(kind)
    ambiguous = {entry.split()[0] for entry in AMBIGUOUS.replace("\n", "|").split("|") if entry}
    assert sum(len(types[name] & {"PER", "LOC", "ORG"}) > 1 for name in ambiguous) >= 60


def test_words_that_are_also_names_begin_sentences_as_both() -> None:
    at_start = defaultdict(set)
    for tokens, tags in sentences("train", 2000) + sentences("validation", 2000) + sentences("test", 2000):
        at_start[tokens[0]].add(tags[0])
    both = {
        entry.split()[0]
        for entry in COMMON.replace("\n", "|").split("|")
        if entry and {"O", "B-PER"} <= at_start[entry.split()[0]]
    }
    assert {"Rose", "Mark", "Will"} <= both
    assert len(both) >= 12


def test_a_word_does_not_tell_its_type() -> None:
    """The tag that a word has most often in training, and PER for unseen capitals, is a poor tagger."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for tokens, tags in sentences("train", 2000):
        for token, tag in zip(tokens, tags, strict=True):
            counts[token][tag] += 1
    guessed = []
    for tokens, _ in sentences("test", 2000):
        tags = []
        for token in tokens:
            if token in counts:
                tag = counts[token].most_common(1)[0][0]
            else:
                continues = bool(tags) and tags[-1][2:] == "PER"
                tag = ("I-PER" if continues else "B-PER") if token[0].isupper() else "O"
            tags.append(tag)
        guessed.append(tags)
    assert entity_f1([tags for _, tags in sentences("test", 2000)], guessed) < 60


def test_neighbouring_words_do_not_tell_the_type_either() -> None:
    """One-word names between the same two words are often of different types."""
    between: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for tokens, tags in sentences("train", 2000):
        for start, end, kind in spans(tags):
            if end == start + 1:
                left = tokens[start - 1].lower() if start else "^"
                between[left, tokens[end]][kind] += 1
    best = sum(counts.most_common(1)[0][1] for counts in between.values() if sum(counts.values()) > 1)
    total = sum(sum(counts.values()) for counts in between.values() if sum(counts.values()) > 1)
    assert best / total < 0.9
