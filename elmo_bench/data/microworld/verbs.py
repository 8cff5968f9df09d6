"""Verb groups: tense, agreement, negation and contraction."""

from elmo_bench.data.microworld.context import Context
from elmo_bench.data.microworld.entity import Event
from elmo_bench.data.microworld.morphology import verb_forms
from elmo_bench.data.microworld.tree import Leaf, Phrase, first_leaf, leaves, word

# The finite forms for a singular subject, a plural one and `I`.
_PAST_BE = {"singular": "was", "plural": "were", "I": "was"}
_PRESENT_BE = {"singular": "is", "plural": "are", "I": "am"}
_HAVE = {"singular": "has", "plural": "have", "I": "have"}
_PRESENT_DO = {"singular": "does", "plural": "do", "I": "do"}
_AFTER_NOUNS = {"is": "'s", "has": "'s"}
_AFTER_PRONOUNS = {"is": "'s", "has": "'s", "am": "'m", "are": "'re", "have": "'ve", "will": "'ll"}
_BEFORE_NEGATION = {"will": "wo", "can": "ca"}


class VerbGroup:
    """The auxiliaries and the main verb of an event.

    Attributes:
        negation: `not` or `n't`; it stands after the first auxiliary, or after a `be` without one.
    """

    def __init__(
        self,
        context: Context,
        event: Event,
        agreement: str,
        *,
        passive: bool = False,
        inverted: bool = False,
    ) -> None:
        self.auxiliaries: list[Leaf] = []
        self.negation: Leaf | None = None
        self.copula = event.frame.lemma == "be"
        with_do = (event.negated or inverted) and not self.copula and not passive
        tag = self._start(event.tense, agreement, with_do)
        if passive:
            self.auxiliaries.append(_be(tag, agreement))
            tag = "VBN"
        self.main = _be(tag, agreement) if self.copula else _verb(event, tag)
        if event.negated:
            self._negate(contracted=context.chance.flip(0.6))

    def _start(self, tense: str, agreement: str, with_do: bool) -> str:
        """Adds the auxiliaries of the tense and gives the tag of the verb after them."""
        present = "VBZ" if agreement == "singular" else "VBP"
        finite = "VBD" if tense == "past" else present
        if tense in ("past", "present") and not with_do:
            return finite
        if tense in ("past", "present"):
            text = "did" if tense == "past" else _PRESENT_DO[agreement]
            self.auxiliaries.append(word(text, finite, "do", upos="AUX"))
        elif tense == "perfect":
            self.auxiliaries.append(word(_HAVE[agreement], present, "have", upos="AUX"))
            return "VBN"
        elif tense in ("was going", "is going"):
            self.auxiliaries.append(_be("VBD" if tense == "was going" else present, agreement))
            return "VBG"
        elif tense != "base":
            self.auxiliaries.append(word("will" if tense == "future" else tense, "MD"))
        return "VB"

    def _negate(self, contracted: bool) -> None:
        carrier = self.auxiliaries[0] if self.auxiliaries else self.main
        if carrier.text in ("am", "might", "may", "be") or not contracted:
            self.negation = word("not", "RB", upos="PART")
            return
        carrier.text = _BEFORE_NEGATION.get(carrier.text, carrier.text)
        self.negation = word("n't", "RB", "not", upos="PART")


def contract(context: Context, subject: Phrase, verb: Phrase) -> None:
    """`she 's`, `they 'll`, and after names `Jordan 's tired`, which looks like a possessive."""
    first, last = first_leaf(verb), subject.children[-1]
    if first.upos != "AUX" or not isinstance(last, Leaf) or last.penn not in ("PRP", "NNP", "NN"):
        return
    after_pronoun = last.penn == "PRP" and last.text != "it"
    short = (_AFTER_PRONOUNS if after_pronoun else _AFTER_NOUNS).get(first.text)
    if short is None or any(leaf.text == "n't" for leaf in leaves(verb)):
        return
    if context.chance.flip(0.5 if after_pronoun else 0.3):
        first.text = short


def _verb(event: Event, tag: str) -> Leaf:
    base, third, past, participle, gerund = verb_forms(event.frame.lemma)
    forms = {"VB": base, "VBP": base, "VBZ": third, "VBD": past, "VBN": participle, "VBG": gerund}
    return word(forms[tag], tag, base, event.frame.sense)


def _be(tag: str, agreement: str) -> Leaf:
    text = {"VB": "be", "VBN": "been", "VBG": "being"}.get(tag)
    return word(text or (_PAST_BE if tag == "VBD" else _PRESENT_BE)[agreement], tag, "be", upos="AUX")
