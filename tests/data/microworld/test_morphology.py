"""Inflection, against forms that were written by hand."""

import pytest

from elmo_bench.data.microworld.morphology import indefinite_article, plural, verb_forms


@pytest.mark.parametrize(
    "forms",
    [
        "walk walks walked walked walking",
        "stop stops stopped stopped stopping",
        "visit visits visited visited visiting",
        "travel travels travelled travelled travelling",
        "forget forgets forgot forgotten forgetting",
        "begin begins began begun beginning",
        "deny denies denied denied denying",
        "play plays played played playing",
        "lie lies lay lain lying",
        "tie ties tied tied tying",
        "agree agrees agreed agreed agreeing",
        "make makes made made making",
        "watch watches watched watched watching",
        "veto vetoes vetoed vetoed vetoing",
        "fix fixes fixed fixed fixing",
        "have has had had having",
        "free frees freed freed freeing",
    ],
)
def test_verbs_inflect(forms: str) -> None:
    assert verb_forms(forms.split()[0]) == tuple(forms.split())


@pytest.mark.parametrize(
    ("noun", "expected"),
    [("match", "matches"), ("box", "boxes"), ("city", "cities"), ("play", "plays"), ("piano", "pianos")],
)
def test_nouns_have_plurals(noun: str, expected: str) -> None:
    assert plural(noun) == expected


@pytest.mark.parametrize("words", ["a doctor house university European used one-way Ukrainian Ugandan"])
def test_consonant_sounds_ask_for_a(words: str) -> None:
    article, *following = words.split()
    assert {indefinite_article(word) for word in following} == {article}


@pytest.mark.parametrize(
    "words", ["an apple hour honest heir unknown unimportant uninteresting Egyptian uncle"]
)
def test_vowel_sounds_ask_for_an(words: str) -> None:
    article, *following = words.split()
    assert {indefinite_article(word) for word in following} == {article}
