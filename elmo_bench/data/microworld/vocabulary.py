"""The lexicon's nouns and frames, parsed once: what a verb asks for, and which nouns can give it."""

from dataclasses import dataclass
from re import compile as pattern
from zlib import crc32

from elmo_bench.data.microworld.lexicon import frames_people, frames_world
from elmo_bench.data.microworld.lexicon.modifiers import TIMES
from elmo_bench.data.microworld.lexicon.nouns import NOUNS
from elmo_bench.data.microworld.lexicon.senses import SENSES
from elmo_bench.data.microworld.morphology import plural

TYPES = {
    **dict.fromkeys(["@person"], "PER"),
    **dict.fromkeys(["@city", "@country", "@region", "@river", "@mountain", "@street"], "LOC"),
    **dict.fromkeys(["@company", "@club", "@school", "@hospital", "@paper", "@agency"], "ORG"),
    **dict.fromkeys(
        ["@work", "@event", "@contest", "@prize", "@history", "@product", "@language", "@people"], "MISC"
    ),
}


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun in one of its senses; a compound has several words, of which the last one inflects."""

    singular: tuple[str, ...]
    plural: tuple[str, ...]
    sort: str
    sense: str
    adjectives: tuple[str, ...]

    @property
    def lemma(self) -> str:
        return self.singular[-1]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a participant.

    Attributes:
        choices: Noun classes, single nouns and kinds of names, repeated by weight.
        decides: Whether a name in this place can be of one entity type only.
    """

    role: str
    preposition: str
    choices: tuple[str, ...]
    optional: bool
    decides: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """A verb in one of its senses. The first slot is the subject."""

    lemma: str
    sense: str
    particle: str
    slots: tuple[Slot, ...]
    manners: tuple[str, ...]
    stative: bool
    once: bool
    passive: bool


def _senses() -> dict[tuple[str, str], str]:
    table = {}
    for line in SENSES.strip().split("\n"):
        lemma, senses = line.split(": ")
        for part in senses.split():
            sense, classes = part.split("=")
            table.update({(lemma, name): f"{lemma}.{sense}" for name in classes.split(",")})
    return table


def _nouns() -> dict[str, tuple[Noun, ...]]:
    """Nouns by class, by lemma and by `lemma#class`."""
    table: dict[str, tuple[Noun, ...]] = {}
    senses = _senses()
    single: dict[str, tuple[Noun, ...]] = {}
    for line in NOUNS.strip().split("\n"):
        name, sort, adjectives, nouns = (part.strip() for part in line.split("|"))
        for item in nouns.split():
            singular, _, irregular = item.partition("/")
            words = tuple(singular.split("_"))
            lemma = words[-1]
            many = tuple(irregular.split("_")) if irregular else (*words[:-1], plural(lemma))
            noun = Noun(words, many, sort, senses.get((singular, name), ""), tuple(adjectives.split()))
            table[name] = table.get(name, ()) + (noun,) * (_AMBIGUOUS_WEIGHT if noun.sense else 1)
            single.setdefault(singular, (noun,))
            single[f"{singular}#{name}"] = (noun,)
    return {**single, **table}


# How much more often than others a noun of several senses, or a verb that is also a noun, is taken.
_AMBIGUOUS_WEIGHT = 3
_SHORTHANDS = frames_people.SHORTHANDS
_HEAD = pattern(r"(?P<lemma>[a-z]+)(\+(?P<particle>[a-z]+))?\.(?P<sense>[a-z_]+)(?P<flags>[*!^]*)$")
_PLACE = pattern(
    r"(?P<optional>\??)((?P<preposition>[a-z]+):)?(?P<role>[0-9A-Z]+)(?P<open>~?)=(?P<choices>\S+)$"
)


def expand(choices: str) -> tuple[str, ...]:
    """`WHO,animal*2` → every choice, repeated by its weight; a shorthand multiplies those inside it."""
    expanded: list[str] = []
    for item in choices.replace(",", " ").split():
        name, _, weight = item.partition("*")
        inside = expand(_SHORTHANDS[name]) if name in _SHORTHANDS else (name,)
        expanded.extend(inside * int(weight or 1))
    return tuple(expanded)


def parse_frame(line: str) -> Frame:
    head, _, places = line.partition(": ")
    described = _HEAD.match(head)
    if described is None:
        raise ValueError(f"not the head of a frame: {head!r}")
    slots = []
    manners: tuple[str, ...] = ()
    for place in places.split():
        found = _PLACE.match(place)
        if found is None:
            raise ValueError(f"{head}: not a place for a participant: {place!r}")
        choices = expand(found["choices"])
        if found["role"] == "MNR":
            manners = choices
            continue
        types = {TYPES[choice] for choice in choices if choice in TYPES}
        role = f"ARG{found['role']}" if found["role"].isdigit() else f"ARGM-{found['role']}"
        decides = len(types) < 2 and not found["open"]
        slots.append(Slot(role, found["preposition"] or "", choices, bool(found["optional"]), decides))
    transitive = len(slots) > 1 and slots[1].role == "ARG1" and not slots[1].preposition
    return Frame(
        lemma=described["lemma"],
        sense=f"{described['lemma']}.{described['sense']}",
        particle=described["particle"] or "",
        slots=tuple(slots),
        manners=manners,
        stative="*" in described["flags"],
        once="^" in described["flags"],
        passive=transitive and not slots[1].optional and "!" not in described["flags"],
    )


def parse_frames(lines: str) -> tuple[Frame, ...]:
    """One frame a line; a line that begins with a space continues the one before it."""
    return tuple(parse_frame(line) for line in lines.replace("\n ", " ").split("\n") if line)


def _weighted_frames() -> tuple[Frame, ...]:
    lemmas = {noun.lemma for nouns in NOUN_CHOICES.values() for noun in nouns}
    weights = {True: _AMBIGUOUS_WEIGHT, False: 1}
    frames = parse_frames(frames_people.FRAMES + frames_world.FRAMES)
    return tuple(frame for frame in frames for _ in range(weights[frame.lemma in lemmas]))


NOUN_CHOICES = _nouns()
FRAMES = _weighted_frames()
BY_SUBJECT: dict[str, tuple[Frame, ...]] = {
    choice: tuple(frame for frame in FRAMES if choice in frame.slots[0].choices)
    for choice in dict.fromkeys(choice for frame in FRAMES for choice in frame.slots[0].choices)
}
_ALL_NOUNS = tuple(dict.fromkeys(noun for nouns in NOUN_CHOICES.values() for noun in nouns))


def _held_out() -> frozenset[str]:
    """Nouns and verbs that training does not use.

    Words of several senses are in all splits, and so are the verbs that show which sense a noun has.
    """
    kept = {noun.lemma for noun in _ALL_NOUNS if noun.sense}
    kept |= {frame.lemma for frame in FRAMES if _shows_sense(frame)}
    lemmas = [noun.lemma for noun in _ALL_NOUNS] + [frame.lemma for frame in FRAMES]
    return frozenset(lemma for lemma in lemmas if lemma not in kept and crc32(lemma.encode()) % 5 == 0)


def _shows_sense(frame: Frame) -> bool:
    choices = [choice for slot in frame.slots for choice in slot.choices]
    return any(noun.sense for choice in choices for noun in NOUN_CHOICES.get(choice, ()))


HELD_OUT = _held_out()
ORDINARY_WORDS = frozenset(
    [
        *(word for noun in _ALL_NOUNS for word in noun.singular + noun.plural + noun.adjectives),
        *(frame.lemma for frame in FRAMES),
        *(token.split("/")[0].lower() for token in TIMES.split()),
        "will",
    ]
)
