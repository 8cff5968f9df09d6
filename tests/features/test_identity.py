"""No two sentences have one key."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from elmo_bench.features.identity import KEY_BYTES, sentence_key

# Characters that a way of writing lists might trip over, and both halves of 😀.
TRICKY = ["", " ", "a", "b", ",", "\n", "\0", "1", '"', "\\", "\ud83d", "\ude00", "😀", "a b", "1,1\na"]


def test_keys_of_tricky_sentences_differ() -> None:
    sentences = [tokens for length in range(4) for tokens in itertools.product(TRICKY, repeat=length)]
    assert len({sentence_key(tokens) for tokens in sentences}) == len(sentences)


def test_blank_inside_a_token_is_not_a_blank_between_tokens() -> None:
    assert sentence_key(["a b"]) != sentence_key(["a", "b"])
    assert sentence_key(["a", "b"]) == sentence_key(("a", "b"))


tokens = st.lists(st.text(st.characters(), max_size=3), max_size=4)


@given(tokens, tokens)
def test_keys_are_equal_exactly_if_sentences_are(first: list[str], second: list[str]) -> None:
    assert (sentence_key(first) == sentence_key(second)) == (first == second)
    assert len(sentence_key(first)) == KEY_BYTES
