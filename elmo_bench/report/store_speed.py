"""What the feature store saves, as a table."""

import json
from dataclasses import asdict
from pathlib import Path

from omegaconf import DictConfig
from rich.console import Console
from rich.table import Table

from elmo_bench.files import require_folder, writing
from elmo_bench.training.speed import StoreSpeed, measure

_RUNS, _EPOCHS = 12, 20


def show(config: DictConfig, target: Path | None) -> None:
    """Measures, prints, and keeps the figures in ``target`` if there is one."""
    if target is not None:
        require_folder(target)
    found = measure(config)
    Console().print(_table(found))
    if target is not None:
        sweep = dict(zip(("stored", "live"), found.sweep(_RUNS, _EPOCHS), strict=True))
        figures = asdict(found) | {"ratio": found.ratio, "reading_share": found.reading_share, "sweep": sweep}
        with writing(target) as path:
            path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _table(found: StoreSpeed) -> Table:
    stored, live = found.sweep(_RUNS, _EPOCHS)
    table = Table(title=f"{found.tokens:,} training tokens in {found.batches} batches", title_justify="left")
    for name in ("", "from the store", "live", "ratio"):
        table.add_column(name, justify="left" if not name else "right")
    table.add_row("the biLM, before training", f"{found.fill:.1f} s", "–", "")
    table.add_row("features of an epoch", f"{found.read:.1f} s", f"{found.live:.1f} s", "")
    table.add_row("the head's own steps", f"{found.stored_step:.1f} s", f"{found.live_step:.1f} s", "")
    table.add_row(
        "an epoch", f"{found.stored_epoch:.1f} s", f"{found.live_epoch:.1f} s", f"{found.ratio:.1f} ×"
    )
    table.add_row(
        f"{_RUNS} runs of {_EPOCHS} epochs (computed)",
        f"{stored / 60:.1f} min",
        f"{live / 60:.1f} min",
        f"{live / stored:.1f} ×",
    )
    table.caption = f"reading takes {found.reading_share:.1%} of a step from the store"
    return table
