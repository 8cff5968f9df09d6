"""Names, and which of them a split may use.

Every name belongs to one split or is shared by all, by its place in its list. Four of five names that a
split draws are its own: what a model meets in the test split, it has mostly never seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from elmo_bench.data.microworld.chance import Chance, weighted
from elmo_bench.data.microworld.lexicon import ambiguous, organisations, people, places, works
from elmo_bench.data.microworld.morphology import indefinite_article
from elmo_bench.data.microworld.vocabulary import HELD_OUT, ORDINARY_WORDS, Frame, Noun

SPLITS = ("train", "validation", "test")
OWN_SHARE = 0.8
# Who owns the first, the second … name of a list, over and over.
_PLAIN = ("train", "test", "train", "validation", "train", "shared", "test", "train", "validation", "test")
_SEVERAL_KINDS = (
    "shared",
    "train",
    "test",
    "validation",
    "train",
    "shared",
    "test",
    "train",
    "shared",
    "test",
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it is first mentioned and as it is mentioned later; `article` asks for `the` before it."""

    words: tuple[str, ...]
    later: tuple[str, ...]
    article: bool = False
    pronoun: str = "it"

    @classmethod
    def of(cls, word: str, article: bool = False, pronoun: str = "it") -> "Name":
        return cls((word,), (word,), article, pronoun)


def _patterns(text: str) -> tuple[str, ...]:
    return tuple(text.strip().replace("\n", "|").split("|"))


def _lists() -> dict[str, tuple[tuple[str, str], ...]]:
    """Each list of names as (name, the split that owns it or `shared`)."""
    plain = {
        "she": people.WOMEN.split(),
        "he": people.MEN.split(),
        "last": people.SURNAMES.split(),
        "city": places.CITIES.split(),
        "country": [" ".join(line.split()) for line in _patterns(places.COUNTRIES)],
        "region": places.REGIONS.split(),
        "river": places.RIVERS.split(),
        "mountain": places.MOUNTAINS.split(),
        "lake": places.LAKES.split(),
        "company": organisations.COMPANIES.split(),
        "word": organisations.WORDS.split(),
        "adjective": works.TITLE_ADJECTIVES.split(),
        "noun": works.TITLE_NOUNS.split(),
        "brand": works.BRANDS.split(),
    }
    lists = {
        key: tuple((name, _PLAIN[place % len(_PLAIN)]) for place, name in enumerate(names))
        for key, names in plain.items()
    }
    for source, text in (("ambiguous", ambiguous.AMBIGUOUS), ("common", ambiguous.COMMON)):
        for place, line in enumerate(_patterns(text)):
            name, *kinds = line.split()
            owned = (name, _SEVERAL_KINDS[place % len(_SEVERAL_KINDS)])
            for kind in dict.fromkeys(kinds):
                lists[f"{source} {kind}"] = (*lists.get(f"{source} {kind}", ()), owned)
    return lists


LISTS = _lists()


def _owners() -> dict[str, str]:
    """For each word of a name the split it is kept for.

    A word that is also an ordinary word with a capital (`Rose petals`, `Polish the shoes`) is nobody's.
    """
    owners: dict[str, str] = {}
    for names in LISTS.values():
        for name, owner in names:
            for word in name.split():
                contested = word.lower() in ORDINARY_WORDS or owners.get(word, owner) != owner
                owners[word] = "shared" if contested else owner
    return {word: owner for word, owner in owners.items() if owner != "shared"}


OWNERS = _owners()

# For each kind of simple name, the lists it is drawn from, by weight.
_SOURCES = {
    "she": weighted({"she": 2, "ambiguous she": 2, "common she": 1}),
    "he": weighted({"he": 2, "ambiguous he": 2, "common he": 1}),
    "last": weighted({"last": 2, "ambiguous last": 2, "common last": 1}),
    "city": weighted({"city": 4, "ambiguous city": 3, "common city": 1}),
    "country": weighted({"country": 3, "ambiguous country": 1, "common country": 1}),
    "region": weighted({"region": 1, "ambiguous region": 1}),
    "company": weighted({"company": 3, "ambiguous company": 2, "last": 1, "common company": 1}),
    "club": weighted({"city": 2, "ambiguous club": 2, "common club": 1}),
}
_PATTERNS = {
    "company": _patterns(organisations.COMPANY_PATTERNS),
    "club": _patterns(organisations.CLUB_PATTERNS),
    "school": _patterns(organisations.SCHOOL_PATTERNS),
    "hospital": _patterns(organisations.HOSPITAL_PATTERNS),
    "paper": _patterns(organisations.PAPER_PATTERNS),
    "agency": _patterns(organisations.AGENCY_PATTERNS),
    "work": _patterns(works.WORK_PATTERNS),
    "event": _patterns(works.EVENT_PATTERNS),
    "contest": _patterns(works.CONTEST_PATTERNS),
    "prize": _patterns(works.PRIZE_PATTERNS),
    "history": _patterns(works.HISTORY_PATTERNS),
    "product": _patterns(works.PRODUCT_PATTERNS),
    "river": ("the {river}",),
    "mountain": ("Mount {mountain}", "Lake {lake}"),
    "street": tuple(f"{{{name}}} {kind}" for kind in places.STREETS.split() for name in ("last", "city")),
}
_FIXED = {
    "subject": tuple(organisations.SUBJECTS.split()),
    "office": tuple(organisations.OFFICES.split()),
    "number": ("3", "5", "7", "12", "200", "500", "900", "X", "2000"),
}

Word = TypeVar("Word", Noun, Frame)


class Names:
    """The names and words that one split may use."""

    def __init__(self, split: str) -> None:
        self._learns = split == "train"
        self._own = {
            key: tuple(name for name, owner in names if owner == split) for key, names in LISTS.items()
        }
        self._shared = {
            key: tuple(name for name, owner in names if owner == "shared") for key, names in LISTS.items()
        }

    def simple(self, chance: Chance, kind: str) -> str:
        """One word that can name something of this kind."""
        return self._from(chance, chance.pick(_SOURCES[kind]) if kind in _SOURCES else kind).split()[0]

    def known(self, chance: Chance, words: Sequence[Word]) -> Word:
        """One of these nouns or verbs; in training none that is kept from it, while others will do."""
        found = chance.pick(words)
        for _ in range(8):
            if not self._learns or found.lemma not in HELD_OUT:
                break
            found = chance.pick(words)
        return found

    def nationality(self, chance: Chance, form: int) -> str:
        """The adjective (1), the people (2) or the language (3) of a country."""
        while True:
            forms = self._from(chance, "country").split()
            if forms[form] != "-":
                return forms[form]

    def person(self, chance: Chance, full: bool) -> Name:
        pronoun = "she" if chance.flip(0.5) else "he"
        if not full:
            return Name.of(self.simple(chance, pronoun if chance.flip(0.5) else "last"), pronoun=pronoun)
        # One of the two is a plain first name or surname: `Austin Ford` could be something else.
        if chance.flip(0.5):
            first, last = self.simple(chance, pronoun), self._from(chance, "last")
        else:
            first, last = self._from(chance, pronoun), self.simple(chance, "last")
        return Name((first, last), (first,) if chance.flip(0.4) else (last,), pronoun=pronoun)

    def composed(self, chance: Chance, kind: str) -> Name:
        """A name built by one of its kind's patterns, such as `the University of Lisbon`."""
        words = chance.pick(_PATTERNS[kind]).split()
        article = words[0] == "the"
        filled = [part for word in words[article:] for part in self._fill(chance, word)]
        if filled[0] == "A":
            filled[0] = indefinite_article(filled[1]).capitalize()
        return Name(tuple(filled), tuple(filled), article)

    def _fill(self, chance: Chance, word: str) -> tuple[str, ...]:
        if not word.startswith("{"):
            return (word,)
        slot = word[1:-1]
        if slot == "full":
            return self.person(chance, full=True).words
        if slot == "first":
            return (self.simple(chance, "she" if chance.flip(0.5) else "he"),)
        if slot == "nation":
            return (self.nationality(chance, 1),)
        if slot == "nouns":
            noun = self._from(chance, "noun")
            return (noun[:-1] + "ies" if noun.endswith("y") else noun + "s",)
        if slot in _FIXED:
            return (chance.pick(_FIXED[slot]),)
        return (self.simple(chance, slot),)

    def _from(self, chance: Chance, key: str) -> str:
        own, shared = self._own[key], self._shared[key]
        return chance.pick(own if own and (chance.flip(OWN_SHARE) or not shared) else shared)


@cache
def names_of(split: str) -> Names:
    return Names(split)
