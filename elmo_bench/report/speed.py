"""Speed measurements as a table on the screen and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from elmo_bench import speed
from elmo_bench.bilm.shapes import SHAPES
from elmo_bench.errors import ModelError
from elmo_bench.files import require_folder, writing
from elmo_bench.progress import step_progress


def show(
    models: Sequence[str],
    batches: Sequence[int],
    precisions: Sequence[str],
    memory: bool,
    target: Path | None,
) -> None:
    """Measures and prints; writes ``target`` as well where there is one."""
    unknown = [name for name in models if name not in SHAPES]
    if unknown:
        raise ModelError(f"There is no published shape {unknown[0]!r}; choose from {', '.join(SHAPES)}.")
    if target is not None:
        require_folder(target)
    with step_progress("measuring", len(models) * len(precisions) * len(batches)) as step:
        found = speed.measure(models, batches, precisions, memory, step)
    machine, limit = found.machine, found.limit_operations_per_second
    console = Console()
    console.print(
        f"{machine.cpu}, {machine.cores} cores, {machine.device}; torch {machine.torch}, "
        f"single-precision kernel: {machine.kernel}\n"
        f"limit: matrix products alone reach {limit / 1e9:,.0f} Gflop/s in single precision"
    )
    console.print(_table(found.rows))
    if target is not None:
        with writing(target) as path:
            path.write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf-8")


def _table(rows: Sequence[speed.Row]) -> Table:
    table = Table(
        caption="words in the cache, sentences sorted by length; error against fp32, relative, worst layer"
    )
    for heading in ("model", "precision"):
        table.add_column(heading)
    for heading in ("batch", "tokens/s", "of the limit", "memory", "error"):
        table.add_column(heading, justify="right")
    before = rows[0].model
    for row in rows:
        if row.model != before:
            table.add_section()
        before = row.model
        table.add_row(
            row.model,
            row.precision,
            str(row.batch),
            f"{row.tokens_per_second:,.0f}",
            f"{row.fraction:.2f}",
            "–" if row.memory_bytes is None else f"{row.memory_bytes / 1e6:,.0f} MB",
            f"{row.error:.1%}" if row.error else "–",
        )
    return table
