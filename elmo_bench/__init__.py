"""The benchmark suite for ELMo: a frozen biLM, its layers, and what they are worth to a task."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from elmo_bench.elmo import Elmo

__all__ = ["Elmo", "__version__"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Loads torch only when somebody asks for what needs it: ``elmo-bench --help`` should answer at once."""
    if name == "Elmo":
        from elmo_bench.elmo import Elmo

        return Elmo
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
