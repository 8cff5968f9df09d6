"""What shows a reader of which type a name is: a title, a description, a relative clause."""

from elmo_bench.data.microworld import clauses, phrases
from elmo_bench.data.microworld.context import Context
from elmo_bench.data.microworld.entity import Entity
from elmo_bench.data.microworld.lexicon.constructions import DESCRIPTIONS, ORIGINS
from elmo_bench.data.microworld.lexicon.people import TITLES
from elmo_bench.data.microworld.participants import described, named
from elmo_bench.data.microworld.tree import Node, Phrase, word
from elmo_bench.data.microworld.vocabulary import expand

_TITLES = {pronoun: tuple((TITLES[""] + " " + TITLES[pronoun]).split()) for pronoun in ("he", "she")}
_DESCRIPTIONS = {kind: expand(classes) for kind, classes in DESCRIPTIONS.items()}
_ORIGINS = {kind: tuple(origins.split(", ")) for kind, origins in ORIGINS.items()}
_AGES = range(19, 79)


def with_cue(context: Context, entity: Entity) -> Phrase:
    """The first mention of a name, with its cue if it has one."""
    plain = phrases.by_name(entity, entity.name)
    if entity.cue == "title":
        plain.children.insert(0, word(context.chance.pick(_TITLES[entity.pronoun]), "NNP"))
    elif entity.cue == "quoted":
        plain.children = [word("``", "``"), *plain.children, word("''", "''")]
    elif entity.cue == "descriptor":
        return _descriptor(context, entity, plain)
    elif entity.cue == "apposition":
        return _inserted(context, plain, apposition(context, entity))
    elif entity.cue == "age":
        return _inserted(context, plain, Phrase("NP", [word(str(context.chance.pick(_AGES)), "CD")]))
    elif entity.cue == "relative":
        return _inserted(context, plain, clauses.relative(context, entity, plain))
    return plain


def apposition(context: Context, entity: Entity) -> Phrase:
    """`a Norwegian violinist from Riga`."""
    chance = context.chance
    from_somewhere = chance.flip(0.45)
    definite = from_somewhere and chance.flip(0.3)
    phrase = phrases.with_article(phrases.noun_leaves(_description(context, entity)), definite)
    if not from_somewhere:
        return phrase
    link, _, kind = chance.pick(_ORIGINS[entity.choice]).rpartition(" ")
    participle, _, preposition = link.rpartition(" ")
    context.depth += 1
    origin = named(context, kind, decided=kind != "@person")
    place = Phrase("PP", [word(preposition, "IN"), phrases.mention(context, origin, 1)])
    context.depth -= 1
    modifier = Phrase("VP", [word(participle, "VBN", "base"), place]) if participle else place
    return Phrase("NP", [phrase, modifier])


def _descriptor(context: Context, entity: Entity, plain: Phrase) -> Phrase:
    """`the violinist Jordan`, `the town of Florence`."""
    head = phrases.with_article(phrases.noun_leaves(_description(context, entity)), definite=True)
    if entity.type == "LOC":
        return Phrase("NP", [head, Phrase("PP", [word("of", "IN"), plain])], entity)
    return Phrase("NP", [*head.children, *plain.children], entity)


def _description(context: Context, entity: Entity) -> Entity:
    description = described(context, context.chance.pick(_DESCRIPTIONS[entity.choice]), None)
    description.plural, description.possessor, description.whole = False, None, None
    if entity.type != "LOC" and context.chance.flip(0.3):
        description.nation = context.names.nationality(context.chance, 1)
    return description


def _inserted(context: Context, head: Phrase, insertion: Node) -> Phrase:
    """`head , insertion ,`: the closing comma goes where another mark follows it."""
    closing = word(",", ",")
    phrase = Phrase("NP", [head, word(",", ","), insertion, closing], head.entity)
    context.closing.append((phrase, closing))
    return phrase
