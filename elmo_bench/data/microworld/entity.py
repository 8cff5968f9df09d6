"""What a sentence is about, before it is put into words: entities and events."""

from dataclasses import dataclass

from elmo_bench.data.microworld.vocabulary import Frame, Noun, Slot


@dataclass(slots=True, eq=False)
class Entity:
    """Somebody or something, whom phrases of one or several sentences mention.

    Attributes:
        choice: The kind of name (`@city`) or the noun class (`shore`) it was chosen as.
        type: `PER`, `LOC`, `ORG` or `MISC` for what has a name, else empty.
        name: The words of the name at its first mention; empty for what is called by a noun.
        later: The words of the name at later mentions.
        article: Whether `the` goes before the name without being a part of it.
        pronoun: `he`, `she`, `it`, `they`, `I`, `we`.
        determiner: The determiner at the first mention.
        nation: A nationality that modifies the noun.
        compound: A noun that modifies the noun.
        partner: Somebody who is mentioned together with it ("Anna and Jordan").
        pair: The two of them, whom `they` means.
        cue: What tells a reader of which type the name is, if its place in the sentence does not.
        mentioned: The number of the last sentence that mentions it so far, counted from 1; 0 for none.
    """

    choice: str
    type: str = ""
    name: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    article: bool = False
    pronoun: str = "it"
    noun: Noun | None = None
    plural: bool = False
    determiner: str = ""
    adjectives: tuple[str, ...] = ()
    nation: str = ""
    compound: str = ""
    possessor: "Entity | None" = None
    whole: "tuple[str, Entity] | None" = None
    partner: "Entity | None" = None
    pair: "Entity | None" = None
    cue: str = ""
    mentioned: int = 0

    @property
    def agreement(self) -> str:
        """`singular`, `plural` or `I`: the form of a verb with this subject."""
        if self.pronoun == "I":
            return "I"
        return "plural" if self.plural or self.partner or self.pronoun in ("we", "they") else "singular"


@dataclass(slots=True, eq=False)
class Event:
    """A frame whose slots are filled; `quality` is the adjective of a state (`be` with an adjective)."""

    frame: Frame
    fillers: list[tuple[Slot, Entity]]
    tense: str = "past"
    negated: bool = False
    manner: str = ""
    time: str = ""
    quality: str = ""

    @property
    def subject(self) -> Entity:
        return self.fillers[0][1]
