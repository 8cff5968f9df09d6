"""How words change their form: plurals, verb forms, a or an."""

from functools import cache
from typing import NamedTuple

from elmo_bench.data.microworld.lexicon.modifiers import DOUBLING, IRREGULAR_VERBS

_IRREGULAR = {
    base: (past, participle)
    for base, past, participle in (
        line.split() for line in IRREGULAR_VERBS.replace("|", "\n").strip().split("\n")
    )
}
_DOUBLING = frozenset(DOUBLING.split())
_VOWELS = "aeiou"

# Spelling and sound disagree: a university, an hour.
_CONSONANT_SOUND = ("uni", "eu", "use", "one", "once", "ukr", "uga", "ura", "uruguay", "ut")
_VOWEL_SOUND = ("hour", "honest", "heir", "honour")
_VOWEL_NEVERTHELESS = ("unin", "unim", "unid")


class VerbForms(NamedTuple):
    base: str
    third: str
    past: str
    participle: str
    gerund: str


@cache
def verb_forms(base: str) -> VerbForms:
    """`stop` → stop, stops, stopped, stopped, stopping."""
    stem = base + base[-1] if base in _DOUBLING else base
    third = "has" if base == "have" else _with_s(base)
    if base.endswith("ie"):
        gerund = f"{base[:-2]}ying"
    elif base.endswith("e") and not base.endswith(("ee", "ye")):
        gerund = f"{base[:-1]}ing"
    else:
        gerund = f"{stem}ing"
    if base in _IRREGULAR:
        return VerbForms(base, third, *_IRREGULAR[base], gerund)
    if base.endswith("e"):
        past = f"{base}d"
    elif base.endswith("y") and base[-2] not in _VOWELS:
        past = f"{base[:-1]}ied"
    else:
        past = f"{stem}ed"
    return VerbForms(base, third, past, past, gerund)


@cache
def plural(noun: str) -> str:
    return _with_s(noun)


@cache
def indefinite_article(following: str) -> str:
    """`a` or `an`, by the sound with which the following word begins."""
    lowered = following.lower()
    if lowered.startswith(_VOWEL_NEVERTHELESS):
        return "an"
    if lowered.startswith(_CONSONANT_SOUND):
        return "a"
    return "an" if lowered[0] in _VOWELS or lowered.startswith(_VOWEL_SOUND) else "a"


def _with_s(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh", "veto")):
        return f"{base}es"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return f"{base[:-1]}ies"
    return f"{base}s"
