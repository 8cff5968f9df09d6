"""Names: how many there are, and which split may use them."""

from elmo_bench.data.microworld.chance import Chance
from elmo_bench.data.microworld.lexicon import ambiguous
from elmo_bench.data.microworld.names import LISTS, OWNERS, SPLITS, Names


def entries(text: str) -> list[str]:
    return [entry.strip() for entry in text.replace("\n", "|").split("|") if entry.strip()]


def test_there_are_as_many_names_as_promised() -> None:
    plain = {key: {name for name, _ in names} for key, names in LISTS.items() if " " not in key}
    assert len(plain["she"] | plain["he"] | plain["last"]) >= 300
    places = ("city", "country", "region", "river", "mountain", "lake")
    assert sum(len(plain[key]) for key in places) >= 150
    assert len(plain["company"]) >= 100
    several = [entry for entry in entries(ambiguous.AMBIGUOUS) if len(entry.split()) > 2]
    assert len(several) >= 60


def test_no_name_is_listed_twice() -> None:
    people_and_places = ("she", "he", "last", "city", "country", "region", "company", "brand")
    plain = [name.split()[0] for key in people_and_places for name, _ in LISTS[key]]
    listed = [entry.split()[0] for entry in entries(ambiguous.AMBIGUOUS + "|" + ambiguous.COMMON)]
    assert sorted({*plain, *listed}) == sorted(plain + listed)


def test_every_split_has_names_from_every_list() -> None:
    for key, names in LISTS.items():
        for split in SPLITS:
            assert any(owner in (split, "shared") for _, owner in names), (key, split)


def test_a_split_never_says_a_name_of_another() -> None:
    for split in SPLITS:
        names, chance = Names(split), Chance(f"names of {split}")
        for _ in range(1000):
            said = [
                *names.person(chance, full=True).words,
                names.simple(chance, "city"),
                names.simple(chance, "company"),
                names.nationality(chance, 1),
                *names.composed(chance, "work").words,
                *names.composed(chance, "agency").words,
            ]
            assert {OWNERS.get(word, split) for word in said} == {split}, said


def test_article_of_a_title_agrees() -> None:
    names, chance = Names("train"), Chance("titles")
    titles = [names.composed(chance, "work").words for _ in range(3000)]
    first = {words[:2] for words in titles if words[0] in ("A", "An")}
    assert ("An", "Orchard") in first or ("An", "Island") in first or ("An", "Emperor") in first
    assert all((words[1][0] in "AEIOU") == (words[0] == "An") for words in first)
