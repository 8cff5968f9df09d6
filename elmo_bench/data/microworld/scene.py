"""What happens: a verb's frame is filled with participants and gets a tense, a time and a manner."""

from elmo_bench.data.microworld.chance import weighted
from elmo_bench.data.microworld.context import Context
from elmo_bench.data.microworld.entity import Entity, Event
from elmo_bench.data.microworld.lexicon.modifiers import ATTRIBUTIVE, PREDICATES, TIMES
from elmo_bench.data.microworld.participants import create
from elmo_bench.data.microworld.vocabulary import BY_SUBJECT, TYPES, Frame, Noun, parse_frame

BE = parse_frame("be.state*!: 1=@person")
_TENSES = weighted(
    {
        "past": 40, "present": 28, "future": 8, "perfect": 9, "was going": 5, "is going": 3,
        "can": 2, "could": 2, "must": 2, "should": 2, "might": 2, "may": 2,
    }
)  # fmt: skip
_STATIVE_TENSES = ("past", "past", "present")
_ATTRIBUTIVE = frozenset(ATTRIBUTIVE.split())

# What the same subject can do next; a class with few verbs would only repeat itself.
ACTIONS = {
    choice: actions
    for choice, frames in BY_SUBJECT.items()
    if len({*(actions := tuple(frame for frame in frames if not frame.stative))}) > 4
}


def _times() -> dict[str, tuple[str, ...]]:
    """For each tense the time phrases that go with it, as `preposition|tokens`."""
    times: dict[str, tuple[str, ...]] = {}
    for line in TIMES.strip().split("\n"):
        tenses, preposition, phrases = (part.strip() for part in line.split("|"))
        found = tuple(f"{preposition}|{phrase.strip()}" for phrase in phrases.split(";"))
        for tense in tenses.split():
            times[tense] = times.get(tense, ()) + found
    return times


def _deciding() -> dict[str, tuple[Frame, ...]]:
    """For each kind of name the verbs that show its type when `it`, `which` or `who` is their subject.

    All verbs do for a person; for the other kinds those whose subject is of one type and never a person.
    """
    return {
        kind: tuple(
            frame
            for frame in frames
            if kind == "@person"
            or all(TYPES.get(choice, TYPES[kind]) == TYPES[kind] for choice in frame.slots[0].choices)
        )
        for kind, frames in BY_SUBJECT.items()
        if kind in TYPES
    }


_TIMES, _DECIDING = _times(), _deciding()


def compose(
    context: Context, frames: tuple[Frame, ...], subject: Entity | None = None, tense: str = ""
) -> Event:
    """An event of one of the frames; `subject` is somebody who is already known."""
    chance = context.chance
    frame = context.names.known(chance, frames)
    event = Event(frame, [(frame.slots[0], subject or create(context, frame.slots[0], None))])
    for slot in frame.slots[1:]:
        if not slot.optional or chance.flip(0.35):
            event.fillers.append((slot, create(context, slot, event.subject)))
    _avoid_other_antecedents(context, event)
    event.tense = tense or chance.pick(_STATIVE_TENSES if frame.stative else _TENSES)
    if frame.once and event.tense == "present":
        event.tense = "past"
    event.negated = chance.flip(0.09)
    if frame.manners and chance.flip(0.3):
        event.manner = chance.pick(frame.manners)
    if not frame.stative:
        _set_time(context, event, 0.45 if event.tense == "present" else 0.28)
    return event


def nested(
    context: Context, frames: tuple[Frame, ...], subject: Entity | None = None, tense: str = ""
) -> Event:
    """An event inside a longer sentence: its names have no long cues."""
    context.depth += 1
    event = compose(context, frames, subject, tense)
    context.depth -= 1
    return event


def state(context: Context, entity: Entity, quality: str) -> Event:
    """`entity is quality`."""
    tense = "past" if context.chance.flip(0.6) else "present"
    event = Event(BE, [(BE.slots[0], entity)], tense, context.chance.flip(0.12), quality=quality)
    if entity.type == "PER":
        _set_time(context, event, 0.12)
    return event


def deciding_event(context: Context, entity: Entity) -> Event:
    """Something that only an entity of this type does or is."""
    chance = context.chance
    qualities = PREDICATES.get(entity.choice[1:], "").split()
    frames = _DECIDING.get(entity.choice, ())
    if qualities and (not frames or chance.flip(0.25)):
        return state(context, entity, chance.pick(qualities))
    return compose(context, frames, entity, "past" if chance.flip(0.6) else "present")


def predicative(noun: Noun | None) -> tuple[str, ...]:
    """The noun's adjectives that can stand after `is`."""
    adjectives = noun.adjectives if noun else ()
    return tuple(text for text in adjectives if text not in _ATTRIBUTIVE) or ("important",)


def _avoid_other_antecedents(context: Context, event: Event) -> None:
    """A pronoun at the end of the sentence is no cue if it could mean somebody else."""
    name = context.pending
    if name is None or name.mentioned:
        return
    for _, entity in event.fillers:
        person = entity.pronoun in ("he", "she", "they")
        group = entity.type in ("LOC", "ORG") or (entity.noun and entity.noun.sort in ("group", "unique"))
        if entity is not name and (person if name.type == "PER" else group):
            name.cue, context.pending = "apposition", None
            return


def _set_time(context: Context, event: Event, probability: float) -> None:
    fitting = _TIMES.get("past" if event.tense == "was going" else event.tense)
    if fitting is not None and context.chance.flip(probability):
        event.time = context.chance.pick(fitting)
