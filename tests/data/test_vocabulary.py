"""Numbers of words and of labels."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_bench.data.vocabulary import FIRST_WORD, PADDING, UNKNOWN, Labels, Vocabulary
from elmo_bench.errors import TextError

SENTENCES = [["The", "bank", "the", "bank"], ["a", "bank", "a"]]


def test_frequent_words_come_first_and_ties_go_by_the_alphabet() -> None:
    vocabulary = Vocabulary.of(SENTENCES)
    assert vocabulary.words == ("bank", "a", "The", "the")
    assert vocabulary.ids(["the", "bank", "river"]) == [5, 2, UNKNOWN]
    assert len(vocabulary) == 6
    assert (PADDING, UNKNOWN, FIRST_WORD) == (0, 1, 2)


def test_order_of_the_sentences_makes_no_difference() -> None:
    assert Vocabulary.of(SENTENCES[::-1]).as_dict() == Vocabulary.of(SENTENCES).as_dict()


def test_words_below_the_floor_are_unknown() -> None:
    vocabulary = Vocabulary.of(SENTENCES, floor=2)
    assert vocabulary.words == ("bank", "a")
    assert vocabulary.ids(["The", "a"]) == [UNKNOWN, 3]
    assert ("The" in vocabulary, "a" in vocabulary) == (False, True)


def test_lower_case_joins_spellings_before_they_are_counted() -> None:
    vocabulary = Vocabulary.of(SENTENCES, floor=2, lowercase=True)
    assert vocabulary.words == ("bank", "a", "the")
    assert vocabulary.ids(["THE", "Bank", "x"]) == [4, 2, UNKNOWN]
    assert "tHe" in vocabulary


def test_word_cannot_have_two_numbers() -> None:
    with pytest.raises(TextError, match="'a' is twice"):
        Vocabulary(["b", "a", "c", "a"])


@settings(deadline=None)
@given(st.lists(st.lists(st.text())), st.integers(1, 3), st.booleans())
def test_vocabulary_survives_json(sentences: list[list[str]], floor: int, lowercase: bool) -> None:
    vocabulary = Vocabulary.of(sentences, floor, lowercase)
    again = Vocabulary.from_dict(json.loads(json.dumps(vocabulary.as_dict())))
    for sentence in sentences:
        assert again.ids(sentence) == vocabulary.ids(sentence)
        assert all(number != PADDING for number in vocabulary.ids(sentence))
    assert len(again) == len(vocabulary)


def test_labels_are_numbered_by_the_alphabet() -> None:
    labels = Labels.of([["O", "B-PER"], ["O", "B-LOC"], []])
    assert list(labels) == ["B-LOC", "B-PER", "O"]
    assert labels.ids(["O", "B-LOC"]) == [2, 0]
    assert [labels[number] for number in range(len(labels))] == list(labels)
    assert ("O" in labels, "I-PER" in labels) == (True, False)


def test_labels_of_whole_examples_need_no_sequences() -> None:
    assert list(Labels(["neutral", "entailment", "neutral"])) == ["entailment", "neutral"]


def test_unknown_label_is_named_with_those_that_are_known() -> None:
    with pytest.raises(TextError, match=r"label 'I-PER' is not one of the 2 that are known \(B-PER, O\)"):
        Labels(["O", "B-PER"]).index("I-PER")


def test_message_about_a_label_stays_short() -> None:
    with pytest.raises(TextError) as raised:
        Labels(f"sense%{number}" for number in range(5000)).ids(["other"])
    assert "5000 that are known" in str(raised.value)
    assert len(str(raised.value)) < 500


def test_labels_survive_json() -> None:
    labels = Labels(["b", "a", "ü"])
    assert list(Labels.from_dict(json.loads(json.dumps(labels.as_dict())))) == list(labels)
