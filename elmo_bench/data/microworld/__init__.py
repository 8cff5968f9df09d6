"""The microworld: generated English with gold labels for every task, the same on every machine.

A derivation (`tree.Derivation`) carries all labels at once; a view reads those of one task. A new view is
a new module in `views`.
"""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from elmo_bench.data.microworld import views
from elmo_bench.data.microworld.derivation import Author
from elmo_bench.data.microworld.names import SPLITS
from elmo_bench.errors import ConfigError

VIEWS: tuple[str, ...] = tuple(sorted(module.name for module in iter_modules(views.__path__)))


def examples(view: str, split: str, count: int, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Generates `count` examples.

    Example i depends on the split and the seed, not on `count`, and views that read one sentence read the
    same one. No text is in two splits, whatever the seeds.
    """
    if view not in VIEWS:
        raise ConfigError(f"The microworld has no view {view!r}; expected one of {', '.join(VIEWS)}.")
    if split not in SPLITS:
        raise ConfigError(f"The microworld has no split {split!r}; expected one of {', '.join(SPLITS)}.")
    module = import_module(f"{views.__name__}.{view}")
    return (module.example(Author(split, seed, index)) for index in range(count))
