"""The lexicon is consistent with itself and as large as it should be."""

import re

import pytest

from elmo_bench.data.microworld.lexicon.nouns import NOUNS
from elmo_bench.data.microworld.lexicon.senses import SENSES
from elmo_bench.data.microworld.vocabulary import (
    FRAMES,
    HELD_OUT,
    NOUN_CHOICES,
    TYPES,
    expand,
    parse_frame,
)


def test_a_line_of_the_lexicon_becomes_a_frame() -> None:
    frame = parse_frame(
        "close+down.shut: 0~=@company*2,bank#company 1=facility ?in:LOC=@city ?MNR=slowly,again"
    )
    assert (frame.lemma, frame.particle, frame.sense) == ("close", "down", "close.shut")
    assert [slot.role for slot in frame.slots] == ["ARG0", "ARG1", "ARGM-LOC"]
    assert [slot.optional for slot in frame.slots] == [False, False, True]
    assert [slot.preposition for slot in frame.slots] == ["", "", "in"]
    assert [slot.decides for slot in frame.slots] == [False, True, True]
    assert frame.slots[0].choices == ("@company", "@company", "bank#company")
    assert frame.manners == ("slowly", "again")
    assert (frame.passive, frame.stative, frame.once) == (True, False, False)


def test_a_place_for_several_types_leaves_the_type_open() -> None:
    frame = parse_frame("visit.see: 0=@person,doctor 1=@person,@city")
    assert [slot.decides for slot in frame.slots] == [True, False]


def test_weights_of_shorthands_multiply() -> None:
    assert expand("PLACE*2,shore").count("@city") == 6
    assert expand("PLACE*2,shore").count("shore") == 1


@pytest.mark.parametrize("line", ["walk: 0=@person", "walk.move: 0:@person", "walk.move: zero=@person"])
def test_a_mistake_in_the_lexicon_is_found(line: str) -> None:
    with pytest.raises(ValueError, match="not "):
        parse_frame(line)


def test_every_place_asks_for_something_that_exists() -> None:
    special = {"@speaker", "@everyone"}
    asked = {choice for frame in FRAMES for slot in frame.slots for choice in slot.choices}
    assert asked - {*NOUN_CHOICES} - {*TYPES} - special == set()


def test_every_sense_belongs_to_a_noun_of_that_class() -> None:
    members: dict[str, set[str]] = {}
    for line in NOUNS.strip().split("\n"):
        name, _, _, nouns = (part.strip() for part in line.split("|"))
        members.setdefault(name, set()).update(re.sub(r"/\S+", "", nouns).split())
    for line in SENSES.strip().split("\n"):
        word, senses = line.split(": ")
        for classes in re.findall(r"=(\S+)", senses):
            for name in classes.split(","):
                assert word in members[name], (word, name)


def test_there_are_several_hundred_words() -> None:
    assert len({frame.lemma for frame in FRAMES}) > 200
    assert len({noun.singular for nouns in NOUN_CHOICES.values() for noun in nouns}) > 500


def test_words_of_several_senses_are_in_every_split() -> None:
    assert 50 < len(HELD_OUT) < 200
    assert not HELD_OUT & {line.split(":")[0] for line in SENSES.strip().split("\n")}
