"""What the grammar remembers while it builds a derivation."""

from dataclasses import dataclass, field

from elmo_bench.data.microworld.chance import Chance
from elmo_bench.data.microworld.entity import Entity
from elmo_bench.data.microworld.names import Names
from elmo_bench.data.microworld.tree import Leaf, Phrase, Predication


@dataclass(slots=True, eq=False)
class Context:
    """The derivation in progress.

    Attributes:
        predications: Those of the sentence that is being built.
        number: The number of that sentence, counted from 1.
        depth: How many clauses are around the one that is being built; names inside them get short cues.
        far: Whether a clause at the end of the sentence may show the type of a name.
        pending: A name whose type is still open, to be shown by a clause at the end of the sentence.
        quoting: Whether somebody else's words are being built; there is no `I` in them.
        speakers: The entities behind `I` and `we`.
        known: Everybody and everything that has been mentioned.
        used: Words of names that are taken: two entities should not share one.
        closing: Commas that end an insertion, with their parents; one before another mark is dropped.
    """

    chance: Chance
    names: Names
    predications: list[Predication] = field(default_factory=list)
    number: int = 1
    depth: int = 0
    far: bool = True
    pending: Entity | None = None
    quoting: bool = False
    speakers: dict[str, Entity] = field(default_factory=dict)
    known: dict[Entity, None] = field(default_factory=dict)
    used: dict[str, None] = field(default_factory=dict)
    closing: list[tuple[Phrase, Leaf]] = field(default_factory=list)
