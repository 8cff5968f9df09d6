"""Clauses built from hand-made events, compared with sentences written by hand."""

from collections.abc import Sequence
from typing import TypeVar

import pytest

from elmo_bench.data.microworld.chance import Chance
from elmo_bench.data.microworld.clauses import clause, question
from elmo_bench.data.microworld.context import Context
from elmo_bench.data.microworld.entity import Entity, Event
from elmo_bench.data.microworld.names import Names
from elmo_bench.data.microworld.tree import Phrase, Sentence, leaves
from elmo_bench.data.microworld.vocabulary import NOUN_CHOICES, parse_frame

Item = TypeVar("Item")
OWN = parse_frame("own.possess*: 0=@person 1=house ?in:LOC=@city")


class Fixed(Chance):
    """Always answers yes, or always no, and picks the first."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer

    def flip(self, probability: float) -> bool:
        return self.answer

    def pick(self, items: Sequence[Item]) -> Item:
        return items[0]


def context(answer: bool = False) -> Context:
    return Context(Fixed(answer), Names("train"))


def jordan(pronoun: str = "she") -> Entity:
    return Entity("@person", "PER", ("Jordan",), ("Jordan",), pronoun=pronoun)


def house(determiner: str = "a") -> Entity:
    return Entity("house", noun=NOUN_CHOICES["house"][0], determiner=determiner, adjectives=("old",))


def event(subject: Entity, tense: str, negated: bool = False) -> Event:
    return Event(OWN, [(OWN.slots[0], subject), (OWN.slots[1], house())], tense, negated)


def text(phrase: Phrase) -> str:
    return " ".join(leaf.text for leaf in leaves(phrase))


@pytest.mark.parametrize(
    ("tense", "negated", "expected"),
    [
        ("past", False, "Jordan owned an old house"),
        ("present", False, "Jordan owns an old house"),
        ("future", False, "Jordan will own an old house"),
        ("perfect", False, "Jordan has owned an old house"),
        ("was going", False, "Jordan was owning an old house"),
        ("must", False, "Jordan must own an old house"),
        ("past", True, "Jordan did not own an old house"),
        ("present", True, "Jordan does not own an old house"),
        ("perfect", True, "Jordan has not owned an old house"),
        ("future", True, "Jordan will not own an old house"),
    ],
)
def test_tenses(tense: str, negated: bool, expected: str) -> None:
    assert text(clause(context(), event(jordan(), tense, negated))) == expected


@pytest.mark.parametrize(
    ("tense", "negated", "expected"),
    [
        ("past", True, "Jordan did n't own an old house"),
        ("future", True, "Jordan wo n't own an old house"),
        ("can", True, "Jordan ca n't own an old house"),
        ("may", True, "Jordan may not own an old house"),
        ("perfect", False, "Jordan 's owned an old house"),
    ],
)
def test_contractions(tense: str, negated: bool, expected: str) -> None:
    assert text(clause(context(answer=True), event(jordan(), tense, negated))) == expected


@pytest.mark.parametrize(
    ("pronoun", "tense", "expected"),
    [
        ("I", "present", "I own an old house"),
        ("we", "present", "we own an old house"),
        ("I", "is going", "I am owning an old house"),
        ("we", "was going", "we were owning an old house"),
    ],
)
def test_verbs_agree_with_pronouns(pronoun: str, tense: str, expected: str) -> None:
    speaker = Entity("@speaker", pronoun=pronoun, mentioned=1)
    assert text(clause(context(), event(speaker, tense))) == expected


def test_two_people_take_a_plural_verb() -> None:
    pair = jordan()
    pair.partner = Entity("@person", "PER", ("Anna", "Ford"), ("Ford",), pronoun="she")
    pair.pair = Entity("@pair", pronoun="they")
    here = context()
    phrase = clause(here, event(pair, "present"))
    assert text(phrase) == "Jordan and Anna Ford own an old house"
    assert [leaf.name for leaf in leaves(phrase)][:4] == ["B-PER", "O", "B-PER", "I-PER"]
    both, they = phrase.children[0], clause(here, event(pair, "past")).children[0]
    assert isinstance(both, Phrase)
    assert isinstance(they, Phrase)
    assert text(they) == "they"
    assert they.entity is both.entity is pair.pair


@pytest.mark.parametrize(
    ("tense", "negated", "expected"),
    [
        ("past", False, "did Jordan own an old house"),
        ("future", False, "will Jordan own an old house"),
        ("perfect", True, "has Jordan not owned an old house"),
    ],
)
def test_questions_invert(tense: str, negated: bool, expected: str) -> None:
    assert text(question(context(), event(jordan(), tense, negated))) == expected


def test_passive_keeps_the_roles() -> None:
    here = context(answer=True)
    phrase = clause(here, event(jordan(), "perfect"), passive=True)
    assert text(phrase) == "an old house 's been owned by Jordan"
    spans = Sentence(phrase, here.predications).spans()
    (predication,) = here.predications
    tokens = leaves(phrase)
    assert predication.predicate is tokens[5]
    found = {
        role: " ".join(leaf.text for leaf in tokens[slice(*spans[node])])
        for role, node in predication.arguments
    }
    assert found == {"ARG1": "an old house", "ARG0": "by Jordan"}


def test_second_mention_is_a_pronoun_in_the_right_case() -> None:
    here, somebody = context(), jordan()
    clause(here, event(somebody, "past"))
    frame = parse_frame("meet.encounter: 0=@person 1=@person")
    other = Entity("@person", "PER", ("Ford",), ("Ford",), pronoun="he")
    second = Event(frame, [(frame.slots[0], other), (frame.slots[1], somebody)])
    assert text(clause(here, second)) == "Ford met her"
