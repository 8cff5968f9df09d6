"""Sentence patterns for states: what something is, is like, or is compared with."""

from elmo_bench.data.microworld import clauses, cues, phrases
from elmo_bench.data.microworld.context import Context
from elmo_bench.data.microworld.entity import Entity, Event
from elmo_bench.data.microworld.lexicon import constructions
from elmo_bench.data.microworld.lexicon.modifiers import OPINIONS, PREDICATES, STORY_OPINIONS
from elmo_bench.data.microworld.participants import create, described, named
from elmo_bench.data.microworld.scene import BE, compose, predicative, state
from elmo_bench.data.microworld.tree import LIKING, Leaf, Node, Phrase, word
from elmo_bench.data.microworld.vocabulary import BY_SUBJECT, Slot, expand, parse_frame, parse_frames

_COMPARATIVES = tuple(constructions.COMPARATIVES.split())
_RIVALS = {kind: expand(classes) for kind, classes in constructions.RIVALS.items()}
_EXISTENCE = parse_frames(constructions.EXISTENCE)
_IDENTITY = parse_frame("be.identity*!: 1=@person")
_IDENTIFIED = ("@person", "@person", "@city", "@company", "@club", "@work")
_NAMED = ("@person", "@person", "@city", "@country", "@company", "@club", "@work")
_BARE = expand(constructions.BARE)


def _subjects(choices: str, decides: bool) -> Slot:
    return Slot("ARG1", "", expand(choices), optional=False, decides=decides)


_STATED = _subjects(constructions.STATED, decides=True)
# What is reviewed, and the adjectives for it.
_REVIEWS = (
    (_subjects(constructions.REVIEWED, decides=False), tuple(OPINIONS.split())),
    (_subjects(constructions.STORIES, decides=False), tuple(STORY_OPINIONS.split())),
)


def condition(context: Context) -> Phrase:
    """`Jordan was tired`, `Jordan is crowded`, `The train to Jordan was late`."""
    chance = context.chance
    if chance.flip(0.4):
        entity = named(context, chance.pick(_NAMED), decided=True)
        qualities = tuple(PREDICATES[entity.choice[1:]].split())
    else:
        entity = _definite(create(context, _STATED, None))
        qualities = predicative(entity.noun)
    return clauses.clause(context, state(context, entity, chance.pick(qualities)))


def bare(context: Context) -> Phrase:
    """`Rose petals covered the floor`: an ordinary word with a capital, where a name could stand."""
    subject = described(context, context.chance.pick(_BARE), None)
    subject.determiner, subject.whole, subject.nation = "", None, ""
    subject.plural = subject.noun is not None and subject.noun.sort in ("thing", "animal")
    subject.pronoun = "they" if subject.plural else "it"
    return clauses.clause(context, compose(context, BY_SUBJECT[subject.choice], subject))


def identity(context: Context) -> Phrase:
    """`Jordan is a baker from Riga`."""
    entity = named(context, context.chance.pick(_IDENTIFIED), decided=True)
    entity.cue = ""
    subject = phrases.mention(context, entity)
    event = Event(_IDENTITY, [(_IDENTITY.slots[0], entity)], context.chance.pick(("past", "present")))
    return _with_complement(context, event, subject, cues.apposition(context, entity))


def comparison(context: Context) -> Phrase:
    """`Jordan is richer than any other port`: what it is compared with shows its type."""
    chance = context.chance
    entity = named(context, chance.pick(tuple(_RIVALS)), decided=True)
    rival = described(context, chance.pick(_RIVALS[entity.choice]), None)
    rival.plural, rival.adjectives, rival.nation = False, (), ""
    *more, text = chance.pick(_COMPARATIVES).split("_")
    comparative: list[Node] = [*(word(part, "RBR") for part in more), word(text, "JJ" if more else "JJR")]
    other = Phrase("NP", [word("any", "DT"), word("other", "JJ"), *phrases.noun_leaves(rival)])
    quality = Phrase("ADJP", [*comparative, Phrase("PP", [word("than", "IN"), other])])
    event = Event(BE, [(BE.slots[0], entity)], chance.pick(("past", "present")))
    return _with_complement(context, event, phrases.mention(context, entity), quality)


def existence(context: Context) -> Phrase:
    """`There was a crane on the bank of the river`."""
    event = compose(context, _EXISTENCE, tense=context.chance.pick(("past", "past", "present")))
    slot, entity = event.fillers[0]
    if entity.determiner in ("the", "this", "that", "these", "another"):
        entity.determiner = "some" if entity.plural else "a"
    thing = phrases.mention(context, entity, 1)
    verb = clauses.verb_phrase(context, event, entity.agreement, [(slot.role, thing)])
    after_verb = next(place for place, child in enumerate(verb.children) if not isinstance(child, Leaf))
    verb.children.insert(after_verb, thing)
    return Phrase("S", [Phrase("NP", [word("there", "EX")]), verb])


def opinion(context: Context) -> Phrase:
    """`The plot was weak , but the cast was brilliant`."""
    chance = context.chance
    slot, opinions = chance.pick(_REVIEWS)
    first = state(context, _definite(create(context, slot, None)), chance.pick(opinions))
    main = clauses.clause(context, first)
    if chance.flip(0.45):
        return main
    link = chance.pick(("but", "but", "and", "although"))
    context.depth += 1
    other = create(context, slot, None)
    while other.noun is not None and other.noun is first.subject.noun:
        other = create(context, slot, None)
    second = state(context, _definite(other), "")
    wanted = (first.negated == second.negated) == (link == "and")
    fitting = [text for text in opinions if (LIKING[text] == LIKING[first.quality]) == wanted]
    second.quality = chance.pick([text for text in fitting if text != first.quality])
    found = clauses.linked(main, link, clauses.clause(context, second))
    context.depth -= 1
    return found


def _definite(entity: Entity) -> Entity:
    entity.adjectives = ()
    if entity.noun is not None and entity.noun.sort not in ("mass", "bare"):
        entity.determiner = "the"
    return entity


def _with_complement(context: Context, event: Event, subject: Phrase, complement: Phrase) -> Phrase:
    verb = clauses.verb_phrase(context, event, "singular", [("ARG1", subject), ("ARG2", complement)])
    verb.children.append(complement)
    return Phrase("S", [subject, verb])
