"""Sentence patterns for events: the ways in which one or two of them become a sentence."""

from elmo_bench.data.microworld import clauses, phrases
from elmo_bench.data.microworld.chance import weighted
from elmo_bench.data.microworld.context import Context
from elmo_bench.data.microworld.entity import Entity, Event
from elmo_bench.data.microworld.lexicon import constructions
from elmo_bench.data.microworld.lexicon.modifiers import OPENINGS
from elmo_bench.data.microworld.participants import create, named, speaker
from elmo_bench.data.microworld.scene import ACTIONS, compose, nested
from elmo_bench.data.microworld.tree import Node, Phrase, word
from elmo_bench.data.microworld.vocabulary import FRAMES, parse_frame, parse_frames

_OPENINGS = tuple(OPENINGS.split())
_REPORTS = parse_frames(constructions.REPORTS)
_CONTROL = tuple(parse_frame(f"{head}: 0=ACTOR") for head in constructions.CONTROL.split())
_INTENDED = frozenset(constructions.INTENDED.split())
_COMMANDED = frozenset(constructions.IMPERATIVES.split())
_ACTED = tuple(frame for frame in FRAMES if frame.sense in _INTENDED)
_COMMANDS = tuple(frame for frame in FRAMES if frame.sense in _COMMANDED)
_SEQUENCES = weighted({"when": 3, "after": 3, "before": 3, "but": 2, "and": 2, "because": 1})


def statement(context: Context) -> Phrase:
    event = compose(context, FRAMES)
    if event.frame.passive and event.tense in ("past", "future", "perfect") and context.chance.flip(0.22):
        return clauses.clause(context, event, passive=event.fillers[1][1].possessor is not event.subject)
    return fronted(context, event) if context.chance.flip(0.4) else clauses.clause(context, event)


def fronted(context: Context, event: Event) -> Phrase:
    """`On Monday , Anna left`, if the event has a time."""
    if not event.time:
        return clauses.clause(context, event)
    phrase = clauses.time_phrase(event.time)
    main = clauses.clause(context, event, elsewhere=(("ARGM-TMP", phrase),))
    comma: list[Node] = [word(",", ",")] if context.chance.flip(0.8) else []
    return Phrase("S", [phrase, *comma, *main.children])


def opened(context: Context) -> Phrase:
    """`Fortunately , Anna left`."""
    opening = Phrase("ADVP", [word(context.chance.pick(_OPENINGS), "RB")])
    main = clauses.clause(context, compose(context, FRAMES))
    return Phrase("S", [opening, word(",", ","), *main.children])


def two_actions(context: Context) -> Phrase:
    """`Anna sold the house and left Riga`."""
    event = _plain(compose(context, FRAMES, tense="past"))
    slot, entity = event.fillers[0]
    subject = phrases.mention(context, entity)
    first = clauses.verb_phrase(context, event, entity.agreement, [(slot.role, subject)])
    if context.pending is not None or entity.choice not in ACTIONS:
        return Phrase("S", [subject, first])
    other = nested(context, ACTIONS[entity.choice], entity, "past")
    other.negated = False
    second = clauses.verb_phrase(context, other, entity.agreement, [(other.fillers[0][0].role, subject)])
    return Phrase("S", [subject, Phrase("VP", [first, word("and", "CC"), second])])


def two_clauses(context: Context) -> Phrase:
    """`Jordan left Riga before he sold the house`, `Jordan left Riga , but the dog barked`."""
    event = compose(context, FRAMES, tense="past")
    main = clauses.clause(context, event)
    if context.pending is not None:
        return main
    if context.chance.flip(0.55) and event.subject.choice in ACTIONS:
        other = nested(context, ACTIONS[event.subject.choice], event.subject, "past")
        return clauses.linked(main, context.chance.pick(_SEQUENCES), clauses.clause(context, other))
    second = _nested_statement(context, tense="past")
    return clauses.linked(main, context.chance.pick(("and", "but", "while")), second)


def subordinate_first(context: Context) -> Phrase:
    """`When Jordan left Riga , he sold the house`."""
    event = nested(context, FRAMES, tense="past")
    first = clauses.clause(context, event)
    if event.subject.choice not in ACTIONS:
        return first
    link = clauses.conjunction(context.chance.pick(("when", "after", "before", "while")))
    other = nested(context, ACTIONS[event.subject.choice], event.subject, "past")
    second = clauses.clause(context, other)
    return Phrase("S", [Phrase("SBAR", [link, first]), word(",", ","), *second.children])


def report(context: Context) -> Phrase:
    """`Jordan , a firm from Riga , said that the bank was closed`."""
    context.far = False
    event = _plain(compose(context, _REPORTS, tense="past" if context.chance.flip(0.7) else "present"))
    slot, entity = event.fillers[0]
    subject = phrases.mention(context, entity)
    that: list[Node] = [word("that", "IN", upos="SCONJ")] if context.chance.flip(0.7) else []
    content = Phrase("SBAR", [*that, _nested_statement(context)])
    verb = clauses.verb_phrase(context, event, entity.agreement, [(slot.role, subject), ("ARG1", content)])
    verb.children.append(content)
    return Phrase("S", [subject, verb])


def quotation(context: Context) -> Phrase:
    """```` The bank was closed , '' said Jordan , a baker``."""
    context.far, context.quoting = False, True
    content = _nested_statement(context)
    context.quoting = False
    event = _plain(compose(context, _REPORTS[:1], tense="past"))
    slot, entity = event.fillers[0]
    subject = phrases.mention(context, entity)
    verb = clauses.verb_phrase(context, event, entity.agreement, [(slot.role, subject), ("ARG1", content)])
    said: list[Node] = [subject, verb] if context.chance.flip(0.5) else [verb, subject]
    return Phrase("S", [word("``", "``"), content, word(",", ","), word("''", "''"), *said])


def according(context: Context) -> Phrase:
    """`According to Jordan , a baker , the bank was closed`."""
    context.far = False
    source = create(context, _REPORTS[0].slots[0], None)
    phrase = Phrase("PP", [word("to", "IN"), phrases.mention(context, source, 1)])
    opening = Phrase("PP", [word("according", "VBG", "accord"), phrase])
    return Phrase("S", [opening, word(",", ","), *_nested_statement(context).children])


def intention(context: Context) -> Phrase:
    """`Jordan plans to sell the factory`."""
    event = _plain(compose(context, _CONTROL, tense=context.chance.pick(("past", "present", "present"))))
    slot, entity = event.fillers[0]
    action = nested(context, _ACTED, entity, "base")
    action.negated = False
    subject = phrases.mention(context, entity)
    inner = clauses.verb_phrase(context, action, entity.agreement, [(action.fillers[0][0].role, subject)])
    content = Phrase("S", [Phrase("VP", [word("to", "TO"), inner])])
    verb = clauses.verb_phrase(context, event, entity.agreement, [(slot.role, subject), ("ARG1", content)])
    verb.children.append(content)
    return Phrase("S", [subject, verb])


def question(context: Context) -> Phrase:
    """`Did Jordan sell the house`, `Who sold the house`, `Where did Jordan live`."""
    event = nested(context, FRAMES, tense="future" if context.chance.flip(0.2) else "")
    event.negated = event.negated and context.chance.flip(0.3)
    asked = context.chance.pick(("whether", "whether", "who", "where"))
    place = next((slot for slot, _ in event.fillers if slot.role == "ARGM-LOC"), None)
    someone = "@person" in event.frame.slots[0].choices
    if asked == "who" and someone and all(filler.possessor is None for _, filler in event.fillers):
        who = Phrase("WHNP", [word("who", "WP")])
        verb = clauses.verb_phrase(context, event, "singular", [(event.fillers[0][0].role, who)])
        return Phrase("SBARQ", [who, Phrase("SQ", [verb])])
    if asked == "where" and place is not None:
        where = Phrase("WHADVP", [word("where", "WRB")])
        event.fillers = [(slot, filler) for slot, filler in event.fillers if slot is not place]
        return Phrase("SBARQ", [where, clauses.question(context, event, (("ARGM-LOC", where),))])
    return clauses.question(context, event)


def command(context: Context) -> Phrase:
    """`Park the car near the bank`, sometimes with the name of who is asked."""
    chance = context.chance
    event = nested(context, _COMMANDS, Entity("@speaker", pronoun="you", mentioned=1), "base")
    event.negated = False
    parts: list[Node] = [clauses.verb_phrase(context, event, "plural", [])]
    if chance.flip(0.2):
        called = phrases.mention(context, named(context, "@person", decided=True))
        parts = [called, word(",", ","), *parts] if chance.flip(0.5) else [*parts, word(",", ","), called]
    elif chance.flip(0.25):
        parts = [Phrase("INTJ", [word("please", "UH")]), *parts]
    return Phrase("S", parts)


def warning(context: Context) -> Phrase:
    """`Mark my words , Jordan will leave Riga`."""
    words = Phrase("NP", [phrases.possessive(speaker(context, "I")), word("words", "NNS", "word")])
    opening = Phrase("S", [Phrase("VP", [word("mark", "VB", "mark", "mark.note"), words])])
    return Phrase("S", [opening, word(",", ","), *_nested_statement(context, tense="future").children])


def _nested_statement(context: Context, tense: str = "") -> Phrase:
    return clauses.clause(context, nested(context, FRAMES, tense=tense))


def _plain(event: Event) -> Event:
    """Without negation and time, which would part the verb from what follows it."""
    event.negated, event.time = False, ""
    return event
