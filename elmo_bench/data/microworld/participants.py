"""Who and what takes part in an event: entities that fit a slot, by name or by noun."""

from elmo_bench.data.microworld.chance import Chance, weighted
from elmo_bench.data.microworld.context import Context
from elmo_bench.data.microworld.entity import Entity
from elmo_bench.data.microworld.lexicon.modifiers import NUMBERS, QUANTITIES
from elmo_bench.data.microworld.lexicon.nouns import COMPOUNDS, GENDERS, NATIONAL, POSSESSIONS, WHOLES
from elmo_bench.data.microworld.names import Name
from elmo_bench.data.microworld.vocabulary import NOUN_CHOICES, TYPES, Noun, Slot, expand

# Ways to show a reader of which type a name is, where the verb does not. `far` is a clause at the end.
_CUES = {
    "@person": {"full": 2, "title": 3, "descriptor": 3, "age": 2, "apposition": 5, "relative": 5, "far": 6},
    "@city": {"descriptor": 2, "apposition": 4, "relative": 4, "far": 5},
    "@country": {"descriptor": 1, "apposition": 2, "relative": 3, "far": 3},
    "@region": {"descriptor": 1, "apposition": 3, "relative": 2},
    "@company": {"full": 3, "descriptor": 2, "apposition": 5, "relative": 4, "far": 5},
    "@club": {"full": 2, "descriptor": 2, "apposition": 3, "relative": 4, "far": 4},
    "@work": {"descriptor": 3, "quoted": 2, "apposition": 2},
}
_ALL_CUES = {kind: weighted(cues) for kind, cues in _CUES.items()}
_INSERTED_CUES = {
    kind: tuple(cue for cue in cues if cue not in ("far", "relative")) for kind, cues in _ALL_CUES.items()
}
_SHORT_CUES = {
    kind: tuple(cue for cue in cues if cue in ("full", "title", "descriptor", "quoted"))
    for kind, cues in _ALL_CUES.items()
}
_DETERMINERS = weighted({"the": 9, "a": 8, "this": 1, "that": 1, "another": 1})
_PLURAL_DETERMINERS = weighted({"the": 5, "": 5, "number": 3, "quantity": 3, "these": 1})
_MASS_DETERMINERS = weighted({"the": 3, "": 5, "some": 2})
_NUMBERS, _QUANTITIES = tuple(NUMBERS.split()), tuple(QUANTITIES.split())
_GENDERS = {lemma: pronoun for pronoun, lemmas in GENDERS.items() for lemma in lemmas.split()}
_NATIONAL = frozenset(NATIONAL.split())
_COUNTED = frozenset(("person", "animal", "thing"))


def create(context: Context, slot: Slot, subject: Entity | None) -> Entity:
    """Somebody or something for a slot; `subject` may be the one whose mother or knee it is."""
    choice = context.chance.pick(slot.choices)
    if choice in TYPES:
        entity = named(context, choice, slot.decides, first=subject is None)
        return _in_pair(context, entity) if slot.decides else entity
    if choice == "@speaker":
        return described(context, "worker", None) if context.quoting else _any_speaker(context)
    if choice == "@everyone":
        return Entity(choice, determiner=context.chance.pick(("everyone", "everybody", "nobody")))
    return described(context, choice, subject)


def named(context: Context, choice: str, decided: bool, first: bool = True) -> Entity:
    """Somebody or something with a name; where the slot does not decide its type, with a cue that does.

    Args:
        first: Whether it comes before all others in its clause, so that `he` can only mean him.
    """
    # The title of a work may be any word, so it always needs one.
    cue = _cue(context, choice, first) if choice == "@work" or not decided else ""
    name = _name(context, choice[1:], cue)
    for _ in range(8):
        if not any(word in context.used for word in name.words[-2:]):
            break
        name = _name(context, choice[1:], cue)
    context.used.update(dict.fromkeys(name.words))
    if len(name.words) > 1:
        cue = ""
    entity = Entity(choice, TYPES[choice], name.words, name.later, name.article, name.pronoun, cue=cue)
    if cue == "far":
        context.pending = entity
    return entity


def described(context: Context, choice: str, subject: Entity | None) -> Entity:
    """Somebody or something that is called by a noun."""
    chance = context.chance
    noun = context.names.known(chance, NOUN_CHOICES[choice])
    entity = Entity(choice, noun=noun)
    if noun.sort in ("person", "kin"):
        entity.pronoun = _GENDERS.get(noun.lemma) or ("she" if chance.flip(0.5) else "he")
    if noun.adjectives and chance.flip(0.33):
        entity.adjectives = (chance.pick(noun.adjectives),)
    if choice in COMPOUNDS and chance.flip(0.3):
        entity.compound = chance.pick(COMPOUNDS[choice].split())
    if choice in _NATIONAL and chance.flip(0.14):
        entity.nation = context.names.nationality(chance, 1)
    if noun.sort in ("kin", "body"):
        entity.possessor = _possessor(context, subject)
    else:
        entity.plural = noun.sort == "many" or (noun.sort in _COUNTED and chance.flip(0.2))
        entity.determiner = _determiner(chance, noun, entity.plural)
    if entity.plural:
        entity.pronoun = "they"
    if choice in WHOLES and context.depth < 2 and chance.flip(0.5):
        entity.whole = _whole(context, choice)
        if entity.determiner not in ("a", "the"):
            entity.determiner = "the"
    return entity


def possession(context: Context, owner: Entity) -> Entity:
    """Something that only an entity of the owner's kind has: a wife, a harbour, shareholders."""
    entity = described(context, context.chance.pick(POSSESSIONS[owner.choice[1:]].split()), owner)
    entity.possessor, entity.whole, entity.adjectives = owner, None, ()
    return entity


def speaker(context: Context, pronoun: str) -> Entity:
    """Who speaks: every `I` of a derivation is the same person."""
    return context.speakers.setdefault(pronoun, Entity("@speaker", pronoun=pronoun, mentioned=1))


def _cue(context: Context, choice: str, first: bool) -> str:
    if choice not in _CUES:
        return ""
    if context.depth:
        cue = context.chance.pick(_SHORT_CUES[choice])
        return "descriptor" if cue == "quoted" and context.quoting else cue
    if context.pending is not None or not context.far or (choice == "@person" and not first):
        return context.chance.pick(_INSERTED_CUES[choice])
    return context.chance.pick(_ALL_CUES[choice])


def _name(context: Context, kind: str, cue: str) -> Name:
    chance, names = context.chance, context.names
    if kind == "person":
        return names.person(chance, cue == "full" or (not cue and chance.flip(0.25)))
    if kind == "language":
        return Name.of(names.nationality(chance, 3))
    if kind == "people":
        return Name.of(names.nationality(chance, 2), article=chance.flip(0.4), pronoun="they")
    if kind in ("city", "country", "region"):
        return Name.of(names.simple(chance, kind))
    if kind in ("company", "club") and cue != "full" and chance.flip(0.7):
        return Name.of(names.simple(chance, kind))
    return names.composed(chance, kind)


def _in_pair(context: Context, entity: Entity) -> Entity:
    """Sometimes adds a second one of the same kind: `Anna and Jordan`, `Riga and Florence`."""
    pairable = entity.choice in ("@person", "@city", "@country", "@company")
    if pairable and not context.depth and context.chance.flip(0.08):
        entity.partner = named(context, entity.choice, decided=True)
        entity.pair = Entity("@pair", pronoun="they")
    return entity


def _whole(context: Context, choice: str) -> tuple[str, Entity]:
    preposition, _, wholes = WHOLES[choice].partition(" ")
    whole = context.chance.pick(expand(wholes))
    if whole in TYPES:
        return preposition, named(context, whole, decided=True)
    entity = described(context, whole, None)
    entity.plural, entity.determiner, entity.pronoun, entity.whole = False, "the", "it", None
    return preposition, entity


def _possessor(context: Context, subject: Entity | None) -> Entity:
    if subject is not None and subject.partner is None and subject.pronoun != "it":
        return subject
    if context.quoting or context.chance.flip(0.5):
        return named(context, "@person", decided=True)
    return _any_speaker(context)


def _any_speaker(context: Context) -> Entity:
    return speaker(context, "I" if context.chance.flip(0.6) else "we")


def _determiner(chance: Chance, noun: Noun, plural: bool) -> str:
    if noun.sort in ("bare", "unique"):
        return "the" if noun.sort == "unique" else ""
    if noun.sort == "mass":
        return chance.pick(_MASS_DETERMINERS)
    if not plural:
        return chance.pick(_DETERMINERS)
    determiner = chance.pick(_PLURAL_DETERMINERS)
    if determiner == "number":
        return chance.pick(_NUMBERS)
    return chance.pick(_QUANTITIES) if determiner == "quantity" else determiner
