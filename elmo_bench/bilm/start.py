"""Where a sentence's LSTM states start from.

The published code starts each batch from the state that the batch before left behind, so a sentence's vectors
depend on what happened to come before it. Here that is one of three choices:

* ``zero``: from nothing. Deterministic, but the model was never trained to read a sentence that way.
* ``warm``: from one fixed state, the mean of the states after sentence ends on a short text that ships with
  the package. Deterministic, and like what the model was trained with.
* ``carry``: as published, for comparison with published numbers.
"""

import functools
import hashlib
from importlib import resources

import torch
from torch import Tensor

from elmo_bench.bilm.frozen import FrozenBiLM, State
from elmo_bench.errors import ModelError

STARTS = ("zero", "warm", "carry")

_STREAMS = 8
"""The warm-up text is read as so many texts side by side."""

_UNCOUNTED = 2
"""The first sentences of each text still feel the zero state before them."""


@functools.cache
def warmup_text() -> tuple[tuple[str, ...], ...]:
    text = resources.files("elmo_bench.bilm").joinpath("warmup.txt").read_text(encoding="utf-8")
    return tuple(tuple(line.split()) for line in text.splitlines())


def identity(start: str) -> str:
    """Names a start state in a fingerprint: a warm state depends on the text it was measured on."""
    if start not in STARTS:
        raise ModelError(f"There is no start state {start!r}; choose one of {', '.join(STARTS)}.")
    if start != "warm":
        return start
    return f"warm {hashlib.sha256(repr(warmup_text()).encode()).hexdigest()[:12]}"


def warm_state(bilm: FrozenBiLM) -> State:
    """Measures the mean state after a sentence's end, one row."""
    text = warmup_text()
    rounds = len(text) // _STREAMS
    state = bilm.zero_state(_STREAMS)
    after: list[State] = []
    for number in range(rounds):
        batch = text[number::rounds]  # the number-th sentence of each stream
        state = bilm.submit(batch, state, keep_state=True).state()
        after.append(state)
    return _mean(after[_UNCOUNTED:])


def _mean(states: list[State]) -> State:
    def mean(tensors: list[list[list[Tensor]]]) -> list[list[Tensor]]:
        by_place = [list(zip(*stacks, strict=True)) for stacks in zip(*tensors, strict=True)]
        return [[torch.cat(layer).mean(0, keepdim=True) for layer in stack] for stack in by_place]

    return State(mean([state.hidden for state in states]), mean([state.cell for state in states]))


class CarriedState:
    """The published behaviour: a state for each row of a batch, handed on from batch to batch."""

    def __init__(self, bilm: FrozenBiLM) -> None:
        self._state = bilm.zero_state(0)

    def rows(self, count: int) -> State:
        """The first ``count`` rows; rows that no batch has had yet start from zero."""
        missing = count - self._state.rows
        if missing > 0:
            self._state = self._state.map(lambda old: torch.cat([old, old.new_zeros(missing, old.shape[1])]))
        return self._state.map(lambda rows: rows[:count])

    def keep(self, state: State) -> None:
        """Takes a batch's last states; rows beyond the batch keep theirs."""
        count = state.rows
        old = self._state

        def joined(new: list[list[Tensor]], before: list[list[Tensor]]) -> list[list[Tensor]]:
            return [
                [torch.cat([layer, earlier[count:]]) for layer, earlier in zip(*stacks, strict=True)]
                for stacks in zip(new, before, strict=True)
            ]

        self._state = State(joined(state.hidden, old.hidden), joined(state.cell, old.cell))
