"""Noun phrases: how an entity is mentioned for the first time and afterwards."""

from elmo_bench.data.microworld import cues
from elmo_bench.data.microworld.chance import weighted
from elmo_bench.data.microworld.context import Context
from elmo_bench.data.microworld.entity import Entity
from elmo_bench.data.microworld.lexicon.nouns import ADJECTIVES_IN_COMPOUNDS
from elmo_bench.data.microworld.lexicon.senses import ADJECTIVE_SENSES
from elmo_bench.data.microworld.morphology import indefinite_article
from elmo_bench.data.microworld.tree import Leaf, Node, Phrase, first_leaf, word

# The tags of words in names that are not proper nouns.
_IN_NAMES = {
    **dict.fromkeys(("of", "in", "to", "without"), "IN"),
    **dict.fromkeys(("and", "&"), "CC"),
    **dict.fromkeys(("the", "The", "A", "An"), "DT"),
    "'s": "POS",
    ",": ",",
}
# Subject, object and possessive.
_FORMS = {
    "he": ("he", "him", "his"),
    "she": ("she", "her", "her"),
    "it": ("it", "it", "its"),
    "they": ("they", "them", "their"),
    "I": ("I", "me", "my"),
    "we": ("we", "us", "our"),
    "you": ("you", "you", "your"),
}
_DETERMINER_TAGS = {
    **dict.fromkeys(("the", "this", "that", "these", "some", "another"), "DT"),
    **dict.fromkeys(("several", "many"), "JJ"),
}
_ADJECTIVES_IN_COMPOUNDS = frozenset(ADJECTIVES_IN_COMPOUNDS.split())
_LATER = weighted({"pronoun": 5, "name": 5})
_LATER_IN_SENTENCE = weighted({"pronoun": 9, "name": 1})


def mention(context: Context, entity: Entity, case: int = 0) -> Phrase:
    """A noun phrase for an entity; `case` is 0 for a subject and 1 for an object."""
    if entity.mentioned:
        found = _again(context, entity, case)
        entity.mentioned = context.number
        return found
    entity.mentioned = context.number
    context.known[entity] = None
    if entity.choice == "@everyone":
        return Phrase("NP", [word(entity.determiner, "NN", upos="PRON")], entity)
    first = cues.with_cue(context, entity) if entity.name else _by_noun(context, entity)
    if entity.partner is None:
        return first
    return Phrase("NP", [first, word("and", "CC"), mention(context, entity.partner, case)], entity.pair)


def pronoun(entity: Entity, case: int) -> Phrase:
    meant = entity.pair or entity
    return Phrase("NP", [word(_FORMS[meant.pronoun][case], "PRP", meant.pronoun)], meant)


def possessive(entity: Entity) -> Phrase:
    """`his`, `its`, `my` as a phrase that mentions its owner."""
    return Phrase("NP", [word(_FORMS[entity.pronoun][2], "PRP$", entity.pronoun)], entity)


def by_name(entity: Entity, words: tuple[str, ...]) -> Phrase:
    """The words of a name with their IOB2 tags, after an article if the name asks for one."""
    phrase = Phrase("NP", [word("the", "DT")] if entity.article else [], entity)
    proper = "NNPS" if entity.choice == "@people" else "NNP"
    for place, text in enumerate(words):
        leaf = word(text, _IN_NAMES.get(text) or ("CD" if text.isdigit() else proper))
        leaf.name = f"{'I' if place else 'B'}-{entity.type}"
        phrase.children.append(leaf)
    return phrase


def noun_leaves(entity: Entity) -> list[Node]:
    """Adjectives, nationality and noun, without a determiner."""
    found: list[Node] = [adjective(text) for text in entity.adjectives]
    if entity.nation:
        nation = word(entity.nation, "JJ")
        nation.name = "B-MISC"
        found.append(nation)
    if entity.compound:
        found.append(word(entity.compound, "NN"))
    return [*found, *_head(entity)]


def adjective(text: str) -> Leaf:
    return word(text, "JJ", sense=ADJECTIVE_SENSES.get(text, ""))


def with_article(leaves: list[Node], definite: bool = False) -> Phrase:
    """`the doctor`, `an honest doctor`."""
    text = "the" if definite else indefinite_article(first_leaf(leaves[0]).text)
    return Phrase("NP", [word(text, "DT", "the" if definite else "a"), *leaves])


def _head(entity: Entity) -> list[Node]:
    noun = entity.noun
    assert noun is not None
    *modifiers, text = noun.plural if entity.plural else noun.singular
    head = word(text, "NNS" if entity.plural else "NN", noun.lemma, noun.sense)
    return [*(word(part, "JJ" if part in _ADJECTIVES_IN_COMPOUNDS else "NN") for part in modifiers), head]


def _again(context: Context, entity: Entity, case: int) -> Phrase:
    """A pronoun where it is clear, else the name or `the` and the noun."""
    here = entity.mentioned == context.number
    clear = here or not _has_rivals(context, entity)
    wanted = context.chance.pick(_LATER_IN_SENTENCE if here else _LATER)
    if entity.choice in ("@speaker", "@everyone") or entity.partner or (clear and wanted == "pronoun"):
        return pronoun(entity, case)
    if entity.name:
        return by_name(entity, entity.later)
    if here:
        return pronoun(entity, case)
    owner: Node = possessive(entity.possessor) if entity.possessor else word("the", "DT")
    return Phrase("NP", [owner, *_head(entity)], entity)


def _has_rivals(context: Context, entity: Entity) -> bool:
    """Whether a pronoun could mean somebody else whom this sentence or the one before it mentions."""
    return any(
        other is not entity and other.pronoun == entity.pronoun and other.mentioned >= context.number - 1
        for other in context.known
    )


def _by_noun(context: Context, entity: Entity) -> Phrase:
    children = noun_leaves(entity)
    if entity.possessor is not None:
        phrase = Phrase("NP", [_owner(context, entity.possessor), *children])
    elif entity.determiner in ("a", "the"):
        phrase = with_article(children, definite=entity.determiner == "the")
    elif entity.determiner:
        tag = _DETERMINER_TAGS.get(entity.determiner, "CD")
        phrase = Phrase("NP", [word(entity.determiner, tag), *children])
    else:
        phrase = Phrase("NP", children)
    if entity.whole is not None:
        preposition, whole = entity.whole
        place = Phrase("PP", [word(preposition, "IN"), mention(context, whole, 1)])
        phrase = Phrase("NP", [phrase, place])
    phrase.entity = entity
    return phrase


def _owner(context: Context, owner: Entity) -> Phrase:
    if owner.mentioned:
        return possessive(owner)
    phrase = mention(context, owner)
    phrase.children.append(word("'s", "POS"))
    return phrase
