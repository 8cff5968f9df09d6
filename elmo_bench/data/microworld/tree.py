"""What a derivation is: trees whose leaves are tokens, with everything that is known about them.

A view reads its labels from here and generates nothing, so the labels of all tasks agree with each other.
"""

from dataclasses import dataclass, field
from typing import TypeAlias

from elmo_bench.data.microworld.entity import Entity, Event
from elmo_bench.data.microworld.lexicon.modifiers import DISLIKED, LIKED

UNIVERSAL = {
    **dict.fromkeys(["CC"], "CCONJ"),
    **dict.fromkeys(["CD"], "NUM"),
    **dict.fromkeys(["UH"], "INTJ"),
    **dict.fromkeys(["DT", "PDT"], "DET"),
    **dict.fromkeys(["EX", "PRP", "PRP$", "WP", "WDT"], "PRON"),
    **dict.fromkeys(["IN", "RP"], "ADP"),
    **dict.fromkeys(["JJ", "JJR", "JJS"], "ADJ"),
    **dict.fromkeys(["MD"], "AUX"),
    **dict.fromkeys(["NN", "NNS"], "NOUN"),
    **dict.fromkeys(["NNP", "NNPS"], "PROPN"),
    **dict.fromkeys(["POS", "TO"], "PART"),
    **dict.fromkeys(["RB", "RBR", "WRB"], "ADV"),
    **dict.fromkeys(["VB", "VBD", "VBG", "VBN", "VBP", "VBZ"], "VERB"),
    **dict.fromkeys([".", ",", "``", "''", ":"], "PUNCT"),
}
LIKING = {**dict.fromkeys(LIKED.split(), 1), **dict.fromkeys(DISLIKED.split(), -1)}


@dataclass(slots=True, eq=False)
class Leaf:
    """A token.

    Attributes:
        penn: Its tag in the Penn Treebank.
        upos: Its Universal part of speech.
        sense: `lemma.sense` for a noun or verb of several senses, else empty.
        name: Its IOB2 tag as a part of a name; `O` outside names.
        liking: 1 if the word says something good, -1 if it says something bad.
    """

    text: str
    penn: str
    upos: str
    lemma: str
    sense: str = ""
    name: str = "O"
    liking: int = 0


@dataclass(slots=True, eq=False)
class Phrase:
    """An inner node; `entity` is set on a noun phrase that mentions somebody or something.

    Two phrases of a derivation corefer if and only if their entities are the same object.
    """

    label: str
    children: list["Node"]
    entity: Entity | None = None


Node: TypeAlias = Leaf | Phrase
Arguments: TypeAlias = list[tuple[str, Node]]


@dataclass(slots=True, eq=False)
class Predication:
    """A verb in its place, and the nodes that fill its roles (`ARG0`, `ARGM-TMP`, `R-ARG0`, …)."""

    predicate: Leaf
    event: Event
    arguments: Arguments = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Sentence:
    tree: Phrase
    predications: list[Predication]

    def leaves(self) -> list[Leaf]:
        return leaves(self.tree)

    def spans(self) -> dict[Node, tuple[int, int]]:
        """For each node the index of its first token and the index after its last."""
        found: dict[Node, tuple[int, int]] = {}
        _measure(self.tree, 0, found)
        return found


@dataclass(slots=True, eq=False)
class Derivation:
    """One or several sentences about the same things."""

    sentences: list[Sentence]

    def text(self) -> str:
        return " ".join(leaf.text for sentence in self.sentences for leaf in leaves(sentence.tree))


def word(text: str, penn: str, lemma: str = "", sense: str = "", upos: str = "") -> Leaf:
    """A token outside names; unless given, the lemma is the text and the Universal tag follows Penn's."""
    lemma = lemma or text
    return Leaf(text, penn, upos or UNIVERSAL[penn], lemma, sense, liking=LIKING.get(lemma, 0))


def leaves(node: Node) -> list[Leaf]:
    """The tokens below a node, from left to right."""
    found: list[Leaf] = []
    stack: list[Node] = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, Leaf):
            found.append(node)
        else:
            stack.extend(reversed(node.children))
    return found


def first_leaf(node: Node) -> Leaf:
    while isinstance(node, Phrase):
        node = node.children[0]
    return node


def _measure(node: Node, start: int, found: dict[Node, tuple[int, int]]) -> int:
    end = start + 1
    if isinstance(node, Phrase):
        end = start
        for child in node.children:
            end = _measure(child, end, found)
    found[node] = (start, end)
    return end
