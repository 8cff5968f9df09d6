"""The speed of training as a table on the screen and as JSON."""

import json
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from elmo_bench.bilm.frozen import cores
from elmo_bench.bilm.pretrain.speed import Report, measure
from elmo_bench.bilm.pretrain.versions import Setting
from elmo_bench.files import require_folder, writing
from elmo_bench.progress import step_progress

_ROUNDS = 5
_MOST_PROCESSES = 8
"""Each has its own copies of the model and of Adam's averages, which take a few hundred megabytes."""


def show(target: Path | None) -> None:
    """Measures and prints; writes ``target`` as well where there is one."""
    if target is not None:
        require_folder(target)
    setting = Setting.of_mini()
    processes = sorted({1, min(cores(), _MOST_PROCESSES)})
    with step_progress("training", len(processes) * _ROUNDS) as step:
        found = measure(setting, processes, _ROUNDS, step)
    machine = found.machine
    console = Console()
    console.print(
        f"{machine.cpu}, {machine.cores} cores, {machine.device}; torch {machine.torch}\n"
        f"training mini: random weights, synthetic text; windows of {setting.streams} × {setting.steps} "
        "tokens, read both ways\n"
        "a step: loss, gradient and its exchange, clipping, Adam; one thread a process; medians of turns\n"
        "ours: C kernels, bfloat16 products, fused Adam\n"
        "plain: the same model in torch, fp32, conv1d once for each distinct word, autograd through all"
    )
    console.print(_table(found))
    if target is not None:
        with writing(target) as path:
            path.write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf-8")


def _table(found: Report) -> Table:
    table = Table()
    for heading in ("processes", "ours, tokens/s", "plain, tokens/s", "ratio"):
        table.add_column(heading, justify="right")
    for row in found.rows:
        table.add_row(str(row.processes), f"{row.ours:,.0f}", f"{row.plain:,.0f}", f"{row.ratio:.1f}")
    return table
