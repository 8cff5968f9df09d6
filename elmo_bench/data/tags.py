"""Spans written as one tag a token: IOB1, IOB2, BIOUL.

| scheme | first token | inside | last | single |
|---|---|---|---|---|
| IOB1 | I, or B right after a span of the same type | I | I | as the first |
| IOB2 | B | I | I | B |
| BIOUL | B | I | L | U |

In all three, whether a sequence is possible depends on neighbouring tags alone: one predicate checks files
and constrains a CRF. No sequence with a span is possible in two of them.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from elmo_bench.errors import ConfigError, TextError

Scheme = Literal["IOB1", "IOB2", "BIOUL"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
OUTSIDE = "O"

_PREFIXES: dict[Scheme, str] = {"IOB1": "BI", "IOB2": "BI", "BIOUL": "BIUL"}


class Span(NamedTuple):
    """Tokens ``start`` to ``end``, the latter excluded."""

    type: str
    start: int
    end: int


class Problem(NamedTuple):
    """What makes a sequence impossible, at which of its tags (from 0)."""

    position: int
    reason: str


class Transitions(NamedTuple):
    """What a scheme allows over a list of labels."""

    start: NDArray[np.bool_]  # (labels,)
    end: NDArray[np.bool_]  # (labels,)
    pairs: NDArray[np.bool_]  # (labels, labels): [label, the next one]


def as_scheme(name: str) -> Scheme:
    """Returns the scheme of that name, which comes from a config."""
    for scheme in SCHEMES:
        if scheme == name:
            return scheme
    raise ConfigError(f"There is no tag scheme {name!r}; expected one of {', '.join(SCHEMES)}.")


def check(tags: Sequence[str], scheme: Scheme) -> Problem | None:
    """Returns the first thing that makes the sequence impossible in ``scheme``, or None."""
    previous: str | None = None
    for position, tag in enumerate(tags):
        if not _is_tag(tag, scheme):
            prefixes = ", ".join(f"{prefix}-type" for prefix in _PREFIXES[scheme])
            return Problem(position, f"{tag!r} is no {scheme} tag ({prefixes} or {OUTSIDE})")
        if not _allowed(previous, tag, scheme):
            return Problem(position, f"{tag} {f'after {previous}' if previous else 'at the start'}")
        previous = tag
    if not _allowed(previous, None, scheme):
        return Problem(len(tags) - 1, f"{previous} at the end")
    return None


def detect(sentences: Iterable[Sequence[str]]) -> Scheme | None:
    """Returns the scheme that all sentences follow; None if none is, or if no sentence has a span."""
    possible, without_span = list(SCHEMES), True
    for tags in sentences:
        possible = [scheme for scheme in possible if check(tags, scheme) is None]
        without_span = without_span and all(tag == OUTSIDE for tag in tags)
    return None if without_span or not possible else possible[0]


def spans(tags: Sequence[str], scheme: Scheme) -> list[Span]:
    """Returns the spans in their order.

    Raises:
        TextError: The sequence is impossible in ``scheme``.
    """
    problem = check(tags, scheme)
    if problem:
        raise TextError(f"Not {scheme}: {problem.reason} (tag {problem.position + 1} of {len(tags)}).")
    found: list[Span] = []
    previous = OUTSIDE
    for position, tag in enumerate(tags):
        if tag != OUTSIDE:
            if _begins(previous, tag, scheme):
                found.append(Span(tag[2:], position, position + 1))
            else:
                found[-1] = found[-1]._replace(end=position + 1)
        previous = tag
    return found


def to_scheme(spans: Iterable[Span], length: int, scheme: Scheme) -> list[str]:
    """Writes spans as the tags of ``length`` tokens.

    Raises:
        TextError: Spans overlap, are empty or leave the sentence: no scheme can write them.
    """
    tags = [OUTSIDE] * length
    before = Span("", 0, 0)
    for span in sorted(spans, key=lambda span: span.start):
        if not span.type or not before.end <= span.start < span.end <= length:
            raise TextError(
                f"{span} after {before} in a sentence of {length} tokens cannot be written as tags."
            )
        touches = before.end == span.start and before.type == span.type
        first, last, single = {
            "IOB1": ("B", "I", "B") if touches else ("I", "I", "I"),
            "IOB2": ("B", "I", "B"),
            "BIOUL": ("B", "L", "U"),
        }[scheme]
        inside = span.end - span.start - 2
        prefixes = single if inside < 0 else first + "I" * inside + last
        tags[span.start : span.end] = [f"{prefix}-{span.type}" for prefix in prefixes]
        before = span
    return tags


def convert(tags: Sequence[str], source: Scheme, target: Scheme) -> list[str]:
    """Writes the same spans in another scheme; TextError if ``tags`` are impossible in ``source``."""
    return to_scheme(spans(tags, source), len(tags), target)


def transitions(labels: Sequence[str], scheme: Scheme) -> Transitions:
    """Says which labels may open a sentence, close it and follow each other, for a CRF over ``labels``."""
    for label in labels:
        if not _is_tag(label, scheme):
            raise TextError(f"The label {label!r} is no {scheme} tag; say which scheme the labels are in.")
    return Transitions(
        np.array([_allowed(None, label, scheme) for label in labels], bool),
        np.array([_allowed(label, None, scheme) for label in labels], bool),
        np.array([[_allowed(one, two, scheme) for two in labels] for one in labels], bool),
    )


def _is_tag(tag: str, scheme: Scheme) -> bool:
    return tag == OUTSIDE or (len(tag) > 2 and tag[0] in _PREFIXES[scheme] and tag[1] == "-")


def _allowed(previous: str | None, tag: str | None, scheme: Scheme) -> bool:
    """Whether two tags may be neighbours; None is an edge of the sentence, which is like O."""
    one, two = previous or OUTSIDE, tag or OUTSIDE
    same_type = one[2:] == two[2:]
    continues = one[0] in "BI" and two[0] in "IL" and same_type
    if scheme == "IOB2":
        return two[0] != "I" or continues
    if scheme == "BIOUL":
        return continues if one[0] in "BI" else two[0] not in "IL"
    return two[0] != "B" or (one != OUTSIDE and same_type)


def _begins(previous: str, tag: str, scheme: Scheme) -> bool:
    """Whether ``tag`` opens a span, in a sequence that is possible."""
    return tag[0] in "BU" or (scheme == "IOB1" and (previous == OUTSIDE or previous[2:] != tag[2:]))
