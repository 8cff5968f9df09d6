"""From a seed to a derivation: sentences with all that is known about them, for one split."""

from collections.abc import Callable
from itertools import pairwise
from zlib import crc32

from elmo_bench.data.microworld import clauses, sentences, states
from elmo_bench.data.microworld.chance import Chance, weighted
from elmo_bench.data.microworld.context import Context
from elmo_bench.data.microworld.names import OWNERS, SPLITS, names_of
from elmo_bench.data.microworld.scene import ACTIONS, nested
from elmo_bench.data.microworld.tree import Derivation, Leaf, Phrase, Sentence, leaves, word

# A sentence without a name that its split owns is kept in one of three cases, so patterns that often give
# such sentences weigh more than they are heard.
_PATTERNS: dict[Callable[[Context], Phrase], int] = {
    sentences.statement: 30,
    sentences.opened: 3,
    sentences.two_actions: 6,
    sentences.two_clauses: 9,
    sentences.subordinate_first: 5,
    sentences.report: 6,
    sentences.quotation: 4,
    sentences.according: 2,
    sentences.intention: 6,
    sentences.question: 6,
    sentences.command: 7,
    sentences.warning: 1,
    states.condition: 10,
    states.bare: 6,
    states.identity: 4,
    states.comparison: 3,
    states.existence: 5,
    states.opinion: 12,
}
_DRAWN = weighted(_PATTERNS)
_LINKS = weighted({"and": 4, "but": 2, "while": 2, "although": 2, "because": 1})
_MARKS = frozenset((".", "?", ",", "''"))


class Author:
    """Writes the texts of one example. The same split, seed and index give the same ones."""

    def __init__(self, split: str, seed: int, index: int) -> None:
        self._split = split
        self._names = names_of(split)
        self._chance = Chance(f"microworld/{split}/{seed}/{index}")

    def derive(self, length: int = 1) -> Derivation:
        """A text of `length` sentences that no other split contains."""
        while True:
            derivation = self._write(length)
            if owner(derivation.text()) == self._split:
                return derivation

    def _write(self, length: int) -> Derivation:
        context = Context(self._chance, self._names)
        written = [self._first(context)]
        while len(written) < length:
            written.append(self._next(context))
        return Derivation(written)

    def _first(self, context: Context) -> Sentence:
        pattern = self._chance.pick(_DRAWN)
        return _finished(context, pattern(context), "?" if pattern is sentences.question else ".")

    def _next(self, context: Context) -> Sentence:
        """A sentence about somebody or something that has been mentioned, if there is a verb for it."""
        known = [entity for entity in context.known if entity.choice in ACTIONS and not entity.partner]
        if not known:
            return self._first(context)
        subject = self._chance.pick(known)
        event = nested(context, ACTIONS[subject.choice], subject)
        early = self._chance.flip(0.4)
        tree = sentences.fronted(context, event) if early else clauses.clause(context, event)
        return _finished(context, tree, ".")


def owner(text: str) -> str:
    """The one split that may contain a text: that of its names, or one chosen by the text itself."""
    for token in text.split(" "):
        if token in OWNERS:
            return OWNERS[token]
    return SPLITS[crc32(text.encode()) % len(SPLITS)]


def _finished(context: Context, tree: Phrase, mark: str) -> Sentence:
    """Adds what shows the type of a name that is still open, the final mark and the capital."""
    if context.pending is not None:
        link = context.chance.pick(_LINKS)
        tree = clauses.linked(tree, link, clauses.afterthought(context, context.pending))
    tree.children.append(word(mark, "."))
    tokens = leaves(tree)
    _drop_closing_commas(context, tokens)
    first = next(leaf for leaf in tokens if leaf.text != "``")
    first.text = first.text[0].upper() + first.text[1:]
    sentence = Sentence(tree, context.predications)
    context.predications, context.pending, context.far = [], None, True
    context.number += 1
    return sentence


def _drop_closing_commas(context: Context, tokens: list[Leaf]) -> None:
    following = dict(pairwise(tokens)) if context.closing else {}
    for parent, comma in context.closing:
        if following[comma].text in _MARKS:
            parent.children.remove(comma)
    context.closing.clear()
