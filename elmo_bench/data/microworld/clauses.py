"""Clauses: an event becomes a subject and a verb phrase, with the roles of its parts.

Noun phrases contain clauses and clauses contain noun phrases: this module, `phrases` and `cues` use each
other.
"""

from collections.abc import Sequence

from elmo_bench.data.microworld import phrases
from elmo_bench.data.microworld.context import Context
from elmo_bench.data.microworld.entity import Entity, Event
from elmo_bench.data.microworld.lexicon.modifiers import BEFORE_THE_VERB, DEGREES, FREQUENCIES, UNGRADED
from elmo_bench.data.microworld.participants import possession
from elmo_bench.data.microworld.scene import compose, deciding_event, predicative, state
from elmo_bench.data.microworld.tree import Arguments, Leaf, Node, Phrase, Predication, word
from elmo_bench.data.microworld.verbs import VerbGroup, contract
from elmo_bench.data.microworld.vocabulary import FRAMES

_FREQUENCIES, _DEGREES = tuple(FREQUENCIES.split()), tuple(DEGREES.split())
_BEFORE_THE_VERB, _UNGRADED = frozenset(BEFORE_THE_VERB.split()), frozenset(UNGRADED.split())
_COORDINATING = frozenset(("and", "but"))
# What happens at a place, for `where`.
_WHERE = tuple(
    frame
    for frame in FRAMES
    if frame.lemma in ("live", "grow", "settle", "study", "meet", "run", "marry", "die", "rent")
    and any(slot.role == "ARGM-LOC" and "@city" in slot.choices for slot in frame.slots)
)


def clause(
    context: Context,
    event: Event,
    *,
    passive: bool = False,
    subject: Phrase | None = None,
    elsewhere: Sequence[tuple[str, Node]] = (),
) -> Phrase:
    """A declarative clause without its final mark; `elsewhere` are arguments outside of it."""
    slot, entity = event.fillers[1] if passive else event.fillers[0]
    subject = subject or phrases.mention(context, entity)
    verb = verb_phrase(context, event, entity.agreement, [(slot.role, subject), *elsewhere], passive)
    contract(context, subject, verb)
    return Phrase("S", [subject, verb])


def verb_phrase(
    context: Context, event: Event, agreement: str, elsewhere: Arguments, passive: bool = False
) -> Phrase:
    """Everything but the subject; `elsewhere` are arguments that stand outside of the verb phrase."""
    group = VerbGroup(context, event, agreement, passive=passive)
    inner = complete(context, event, group, elsewhere, passive)
    negation: list[Node] = [group.negation] if group.negation else []
    if not group.auxiliaries:
        inner.children[1:1] = negation
        return inner
    for auxiliary in reversed(group.auxiliaries[1:]):
        inner = Phrase("VP", [auxiliary, inner])
    return Phrase("VP", [group.auxiliaries[0], *negation, inner])


def complete(
    context: Context, event: Event, group: VerbGroup, elsewhere: Arguments, passive: bool = False
) -> Phrase:
    """The main verb with its complements and adjuncts; records the predication."""
    fronted = any(role == "ARGM-TMP" for role, _ in elsewhere)
    predication = Predication(group.main, event, elsewhere)
    context.predications.append(predication)
    before: list[Node] = []
    near: list[Node] = [Phrase("PRT", [word(event.frame.particle, "RP")])] if event.frame.particle else []
    later: list[Node] = []
    for slot, entity in event.fillers[2 if passive else 1 :]:
        phrase = phrases.mention(context, entity, 1)
        if slot.preposition:
            phrase = Phrase("PP", [word(slot.preposition, "IN"), phrase])
        (later if slot.preposition else near).append(phrase)
        predication.arguments.append((slot.role, phrase))
    if passive and (context.pending is event.subject or context.chance.flip(0.6)):
        near.append(Phrase("PP", [word("by", "IN"), phrases.mention(context, event.subject, 1)]))
        predication.arguments.append((event.fillers[0][0].role, near[-1]))
    if event.quality:
        near.append(quality_phrase(context, event.quality, graded=not event.negated))
        predication.arguments.append(("ARG2", near[-1]))
    adverb = _adverb(context, event, predication)
    if adverb is not None:
        early = event.manner in _BEFORE_THE_VERB and (passive or context.chance.flip(0.3))
        (before if early or not event.manner else near).append(adverb)
    if event.time and not fronted:
        later.append(time_phrase(event.time))
        predication.arguments.append(("ARGM-TMP", later[-1]))
    _record_function_words(predication, group)
    return Phrase("VP", [*before, group.main, *near, *later])


def question(context: Context, event: Event, elsewhere: Sequence[tuple[str, Node]] = ()) -> Phrase:
    """`Did Anna meet Jordan`: the first auxiliary stands before the subject."""
    slot, entity = event.fillers[0]
    group = VerbGroup(context, event, entity.agreement, inverted=True)
    subject = phrases.mention(context, entity)
    inner = complete(context, event, group, [(slot.role, subject), *elsewhere])
    first, *others = group.auxiliaries
    for auxiliary in reversed(others):
        inner = Phrase("VP", [auxiliary, inner])
    if group.negation is None:
        return Phrase("SQ", [first, subject, inner])
    contracted = group.negation.text == "n't"
    middle: list[Node] = [group.negation, subject] if contracted else [subject, group.negation]
    return Phrase("SQ", [first, *middle, inner])


def relative(context: Context, entity: Entity, head: Phrase) -> Phrase:
    """`who sold the house`, `which makes engines`, `where her brother lives`."""
    context.depth += 1
    if entity.type == "LOC" and context.chance.flip(0.5):
        event = compose(context, _WHERE)
        event.fillers = [(slot, filler) for slot, filler in event.fillers if slot.role != "ARGM-LOC"]
        link = Phrase("WHADVP", [word("where", "WRB")])
        inner = clause(context, event, elsewhere=(("ARGM-LOC", head), ("R-ARGM-LOC", link)))
    else:
        event = deciding_event(context, entity)
        link = Phrase("WHNP", [word("who", "WP") if entity.type == "PER" else word("which", "WDT")])
        role = event.fillers[0][0].role
        inner = Phrase("S", [verb_phrase(context, event, "singular", [(role, head), (f"R-{role}", link)])])
    context.depth -= 1
    return Phrase("SBAR", [link, inner])


def afterthought(context: Context, entity: Entity) -> Phrase:
    """A clause about an entity that shows its type: `its harbour is busy`, `he was tired`."""
    context.depth += 1
    if context.chance.flip(0.5):
        owned = possession(context, entity)
        found = clause(context, state(context, owned, context.chance.pick(predicative(owned.noun))))
    else:
        found = clause(context, deciding_event(context, entity), subject=phrases.pronoun(entity, 0))
    context.depth -= 1
    return found


def linked(main: Phrase, link: str, second: Phrase) -> Phrase:
    """`main , and second` or `main because second`."""
    if link in _COORDINATING:
        return Phrase("S", [main, word(",", ","), word(link, "CC"), second])
    comma: list[Node] = [word(",", ",")] if link in ("although", "while") else []
    return Phrase("S", [*main.children, *comma, Phrase("SBAR", [conjunction(link), second])])


def conjunction(text: str) -> Leaf:
    return word(text, "WRB") if text == "when" else word(text, "IN", upos="SCONJ")


def quality_phrase(context: Context, quality: str, graded: bool) -> Phrase:
    """`quite tired`, `densely populated`."""
    *modifiers, text = quality.split("_")
    if graded and text not in _UNGRADED and not modifiers and context.chance.flip(0.25):
        modifiers = [context.chance.pick(_DEGREES)]
    return Phrase("ADJP", [*(word(modifier, "RB") for modifier in modifiers), phrases.adjective(text)])


def time_phrase(time: str) -> Phrase:
    """`in|the/DT spring/NN/season` as a phrase."""
    preposition, _, tokens = time.partition("|")
    phrase = Phrase("NP", [])
    for token in tokens.split():
        text, penn, *sense = token.split("/")
        lemma = text.removesuffix("s") if penn in ("NNS", "NNPS") else text
        phrase.children.append(word(text, penn, lemma, f"{text}.{sense[0]}" if sense else ""))
    return Phrase("PP", [word(preposition, "IN"), phrase]) if preposition else phrase


def _adverb(context: Context, event: Event, predication: Predication) -> Phrase | None:
    """The manner, or how often a habit is; a habit that has neither a time nor a frequency sounds odd."""
    text = event.manner
    if not text:
        habit = event.tense == "present" and not (event.negated or event.time or event.frame.stative)
        if not habit or len(event.fillers) == 1:
            return None
        text = context.chance.pick(_FREQUENCIES)
    adverb = Phrase("ADVP", [word(text, "RB")])
    predication.arguments.append(("ARGM-MNR" if event.manner else "ARGM-TMP", adverb))
    return adverb


def _record_function_words(predication: Predication, group: VerbGroup) -> None:
    if group.auxiliaries and group.auxiliaries[0].penn == "MD":
        predication.arguments.append(("ARGM-MOD", group.auxiliaries[0]))
    if group.negation is not None:
        predication.arguments.append(("ARGM-NEG", group.negation))
