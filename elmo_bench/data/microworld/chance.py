"""Random choices that are the same everywhere.

Python promises for all versions only what `Random.random` gives after seeding; `choice` and `shuffle` may
change. So every choice here is made from `random` alone.
"""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


class Chance:
    """A source of choices that is fully determined by its seed."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed).random

    def flip(self, probability: float) -> bool:
        return self._random() < probability

    def pick(self, items: Sequence[Item]) -> Item:
        return items[int(self._random() * len(items))]


def weighted(weights: dict[Item, int]) -> tuple[Item, ...]:
    """Repeats each item by its weight, so that `Chance.pick` takes it that much more often."""
    return tuple(item for item, weight in weights.items() for _ in range(weight))
