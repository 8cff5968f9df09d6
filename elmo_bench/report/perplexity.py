"""Perplexities as a table."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from elmo_bench.bilm.model import BACKWARD, FORWARD
from elmo_bench.bilm.pretrain.heldout import Heldout
from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.pretrain.perplexity import Surprise, measure, total
from elmo_bench.progress import token_progress


def show(model: str, text: Path, sources: Path | None, states: Sequence[str]) -> None:
    """Measures and prints; with more than one source, a row for each and one for all."""
    heldout = Heldout.read([text], sources)
    language_model = LanguageModel.read(model)
    words = sum(map(len, heldout.sentences))
    found: dict[str, dict[str, Surprise]] = {}
    with token_progress((len(heldout.sentences) * len(states), words * len(states))) as report:
        for state in states:
            found[state] = measure(language_model, heldout.sentences, state, heldout.sources, report)
    table = Table(title=f"perplexity on {text.name}")
    for heading in ("source", "start"):
        table.add_column(heading)
    for heading in ("tokens", "forward", "backward", "average"):
        table.add_column(heading, justify="right")
    names = sorted(found[states[0]], key=lambda name: -found[states[0]][name].tokens)
    for name in names if len(names) > 1 else []:
        _add(table, name, {state: found[state][name] for state in states})
    _add(table, "all", {state: total(found[state]) for state in states})
    Console().print(table)


def _add(table: Table, name: str, surprises: dict[str, Surprise]) -> None:
    """A row for each start state, those of a source together."""
    table.add_section()
    for state, surprise in surprises.items():
        values = (surprise.perplexity(FORWARD), surprise.perplexity(BACKWARD), surprise.average)
        table.add_row(name, state, f"{surprise.tokens:,}", *(f"{value:,.1f}" for value in values))
        name = ""
