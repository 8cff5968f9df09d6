"""Span F1 as shared tasks report it: a span counts if its type and both of its ends are right."""

from collections.abc import Sequence
from itertools import chain

from elmo_bench.data.tags import check
from elmo_bench.errors import TextError


def span_scores(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> dict[str, float]:
    """Scores tags in IOB2; all figures are percentages.

    Two readings of a prediction that is not IOB2 are in use. *Strict*: a span opens with B, and an I that
    continues nothing is no span. *conlleval*, the shared tasks' script: it opens one. They are the same
    for a tagger that cannot predict such sequences.

    Args:
        gold: the tags of each sentence, which must be correct IOB2.
        predicted: tags of the same sentences.

    Returns:
        ``precision``, ``recall``, ``f1`` over all spans and ``f1/<type>`` for each type there is (strict),
        ``f1_conlleval``, and ``accuracy`` of the tags. What is not defined, as without any span, is 0.
    """
    from seqeval.metrics import f1_score
    from seqeval.metrics.v1 import precision_recall_fscore_support, unique_labels
    from seqeval.scheme import IOB2

    _check(gold, predicted)
    tokens = sum(map(len, gold))
    if not tokens:
        return dict.fromkeys(("f1", "precision", "recall", "f1_conlleval", "accuracy"), 0.0)
    tags = [list(sentence) for sentence in gold], [list(sentence) for sentence in predicted]
    strict = {"scheme": IOB2, "zero_division": 0}
    precision, recall, f1, _ = precision_recall_fscore_support(*tags, average="micro", **strict)
    _, _, f1_by_type, _ = precision_recall_fscore_support(*tags, average=None, **strict)
    right = sum(map(str.__eq__, chain(*gold), chain(*predicted)))
    figures = {
        "f1": f1,
        "precision": precision,
        "recall": recall,
        "f1_conlleval": f1_score(*tags, zero_division=0),
        "accuracy": right / tokens,
    }
    types = [f"f1/{span_type}" for span_type in unique_labels(*tags, IOB2)]
    figures |= zip(types, f1_by_type, strict=True)
    return {name: 100 * float(figure) for name, figure in figures.items()}


def _check(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> None:
    if len(gold) != len(predicted):
        raise TextError(f"{len(predicted)} sentences were predicted, expected {len(gold)} as in the gold.")
    for number, (right, guessed) in enumerate(zip(gold, predicted, strict=True), start=1):
        if len(right) != len(guessed):
            raise TextError(f"Sentence {number}: {len(guessed)} tags were predicted, expected {len(right)}.")
        problem = check(right, "IOB2")
        if problem:
            raise TextError(f"Sentence {number}: its gold tags are not IOB2 ({problem.reason}).")
