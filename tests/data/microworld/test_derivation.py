"""Derivations: trees, roles, senses and mentions agree with the tokens and with each other."""

from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise

import pytest

from elmo_bench.data.microworld.derivation import Author, owner
from elmo_bench.data.microworld.entity import Entity
from elmo_bench.data.microworld.lexicon.senses import SENSES
from elmo_bench.data.microworld.names import SPLITS
from elmo_bench.data.microworld.tree import Derivation, Leaf, Phrase, Sentence

PRONOUNS = {"he", "him", "his", "she", "her", "it", "its", "they", "them", "their"}
LABELS = "S SBAR SBARQ SQ NP VP PP ADJP ADVP PRT INTJ WHNP WHADVP"


@cache
def derivations(length: int) -> list[Derivation]:
    return [Author("train", 0, index).derive(length) for index in range(1000 if length == 1 else 400)]


@cache
def sentences() -> list[Sentence]:
    return [sentence for length in (1, 3) for text in derivations(length) for sentence in text.sentences]


def phrases(node: Phrase) -> list[Phrase]:
    """All phrases of a tree, each before its parts and from left to right."""
    below = [phrase for child in node.children if isinstance(child, Phrase) for phrase in phrases(child)]
    return [node, *below]


def words(sentence: Sentence, start: int, end: int) -> str:
    return " ".join(leaf.text for leaf in sentence.leaves()[start:end])


def test_text_is_what_the_leaves_say() -> None:
    for derivation in derivations(3):
        assert len(derivation.sentences) == 3
        said = " ".join(words(sentence, 0, 1000) for sentence in derivation.sentences)
        assert derivation.text() == said


def test_phrases_have_known_labels_and_are_not_empty() -> None:
    for sentence in sentences():
        for phrase in phrases(sentence.tree):
            assert phrase.label in LABELS.split()
            assert phrase.children, words(sentence, 0, 1000)


def test_spans_of_a_phrase_are_those_of_its_parts() -> None:
    for sentence in sentences()[:300]:
        spans = sentence.spans()
        assert spans[sentence.tree] == (0, len(sentence.leaves()))
        for phrase in phrases(sentence.tree):
            inner = [spans[child] for child in phrase.children]
            assert spans[phrase] == (inner[0][0], inner[-1][1])
            assert all(left[1] == right[0] for left, right in pairwise(inner))


def test_arguments_are_in_the_sentence_and_do_not_overlap() -> None:
    for sentence in sentences():
        spans = sentence.spans()
        for predication in sentence.predications:
            places = sorted(
                [spans[predication.predicate], *(spans[node] for _, node in predication.arguments)]
            )
            overlaps = any(left[1] > right[0] for left, right in pairwise(places))
            assert not overlaps, (words(sentence, 0, 1000), predication.predicate.text)


def test_core_roles_are_filled_once() -> None:
    for sentence in sentences():
        for predication in sentence.predications:
            roles = [role for role, _ in predication.arguments if "-" not in role]
            assert len(roles) == len({*roles}), (words(sentence, 0, 1000), roles)


def test_predicates_are_verbs_with_the_sense_of_their_frame() -> None:
    for sentence in sentences():
        for predication in sentence.predications:
            leaf = predication.predicate
            assert leaf.penn.startswith("VB")
            if leaf.lemma != "be":
                assert leaf.sense == predication.event.frame.sense


def test_negated_events_and_no_others_have_a_negation() -> None:
    for sentence in sentences():
        for predication in sentence.predications:
            roles = [role for role, _ in predication.arguments]
            assert ("ARGM-NEG" in roles) == predication.event.negated, words(sentence, 0, 1000)


def test_who_acts_stands_before_an_active_verb_and_after_by() -> None:
    agents = 0
    for sentence in sentences():
        spans, tokens = sentence.spans(), sentence.leaves()
        for predication in sentence.predications:
            place, _ = spans[predication.predicate]
            passive = predication.predicate.penn == "VBN" and any(
                leaf.lemma == "be" for leaf in tokens[max(0, place - 3) : place]
            )
            for role, node in predication.arguments:
                if role == "ARG0" and predication.predicate.lemma != "say":
                    start, end = spans[node]
                    agents += passive
                    said_by = start > place and words(sentence, start, end).startswith("by ")
                    assert said_by if passive else start < place, words(sentence, 0, 1000)
    assert agents > 20


def test_names_have_the_type_of_the_entity_they_mention() -> None:
    checked = 0
    for sentence in sentences():
        for phrase in phrases(sentence.tree):
            named = [child for child in phrase.children if isinstance(child, Leaf) and child.penn == "NNP"]
            tagged = [leaf.name[2:] for leaf in named if leaf.name != "O"]
            if phrase.entity is not None and phrase.entity.name and tagged:
                checked += 1
                assert {*tagged} == {phrase.entity.type}
    assert checked > 1000


def test_pronouns_come_after_somebody_they_can_mean() -> None:
    checked = 0
    for derivation in derivations(3):
        known: set[Entity] = set()
        for sentence in derivation.sentences:
            for phrase in phrases(sentence.tree):
                if phrase.entity is None:
                    continue
                (first, *_) = phrase.children
                if (
                    isinstance(first, Leaf)
                    and first.penn.startswith("PRP")
                    and first.text.lower() in PRONOUNS
                ):
                    checked += 1
                    assert phrase.entity in known, derivation.text()
                known.add(phrase.entity)
    assert checked > 200


def test_entities_are_mentioned_in_several_sentences() -> None:
    chains = 0
    for derivation in derivations(3):
        seen = defaultdict(set)
        for number, sentence in enumerate(derivation.sentences):
            for phrase in phrases(sentence.tree):
                if phrase.entity is not None:
                    seen[phrase.entity].add(number)
        chains += any(len(numbers) > 1 for numbers in seen.values())
    assert chains > 0.7 * len(derivations(3))


@pytest.mark.parametrize("line", SENSES.strip().split("\n"), ids=lambda line: line.split(":")[0])
def test_ambiguous_words_occur_in_several_senses(line: str) -> None:
    lemma = line.split(":")[0]
    senses = {leaf.sense for leaf in all_leaves() if leaf.lemma == lemma and leaf.sense}
    others = {leaf.upos for leaf in all_leaves() if leaf.lemma == lemma and not leaf.sense}
    assert len(senses) + len(others - {"PROPN"}) >= 2


@cache
def all_leaves() -> list[Leaf]:
    return [
        leaf
        for split in ("train", "test")
        for index in range(2000)
        for leaf in Author(split, 1, index).derive().sentences[0].leaves()
        if leaf.upos in ("NOUN", "VERB", "ADJ")
    ]


def test_liked_and_disliked_things_occur_with_negation_and_contrast() -> None:
    scores: Counter[str] = Counter()
    for sentence in sentences():
        tokens = sentence.leaves()
        likings = [leaf.liking for leaf in tokens if leaf.liking]
        scores["negated"] += bool(likings) and any(leaf.lemma == "not" for leaf in tokens)
        scores["contrast"] += {1, -1} <= {*likings} and any(leaf.text == "but" for leaf in tokens)
    assert scores["negated"] > 20
    assert scores["contrast"] > 10


def test_every_text_has_one_owner() -> None:
    for split in SPLITS:
        for index in range(200):
            assert owner(Author(split, 5, index).derive(2).text()) == split
