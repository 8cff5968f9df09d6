"""Rows → the first table: each setting's mean over seeds, and the paper's figure beside it."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from omegaconf import OmegaConf
from rich.table import Table

from elmo_bench.report.rows import Row


@dataclass(frozen=True)
class Cell:
    """The runs that differ by their seed alone."""

    task: str
    dataset: str
    setting: str
    scores: tuple[float, ...]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.scores)

    @property
    def deviation(self) -> float | None:
        """Over seeds; one run has none."""
        return statistics.stdev(self.scores) if len(self.scores) > 1 else None

    @property
    def shown(self) -> str:
        deviation = "" if self.deviation is None else f" ± {self.deviation:.2f}"
        return f"{self.mean:.2f}{deviation}"


def cells(rows: Iterable[Row]) -> list[Cell]:
    """Groups rows by task, dataset and setting; of two rows of one config the newer counts."""
    newest = {row["config_hash"]: row for row in rows}
    groups: dict[tuple[str, str, str], list[float]] = {}
    for row in newest.values():
        groups.setdefault((row["task"], _dataset(row), setting(row)), []).append(row["score"])
    return [Cell(*key, tuple(scores)) for key, scores in sorted(groups.items(), key=_order)]


def setting(row: Row) -> str:
    """What a reader calls a row's use of ELMo."""
    if not row["elmo"]:
        return "baseline"
    mix, elmo = row["config"]["mix"], row["config"]["elmo"]
    random = "random " if elmo["_target_"].endswith(".random") else ""
    return f"{random}ELMo {row['elmo']}, {'+'.join(row['inject'])}, {_mix_name(mix)}"


def _mix_name(mix: dict[str, Any]) -> str:
    if mix["weights"] == "concat":
        return "concat"
    if mix["weights"] == "equal":
        return "mean"
    if mix["layers"] == "top":
        return "top layer"
    if mix["layers"] == "all":
        return f"all layers, λ={mix['penalty']:g}"
    return f"layer {', '.join(map(str, mix['layers']))}"


def table(rows: Iterable[Row]) -> Table:
    """Ours beside the paper's, which stands on other data unless the dataset is the paper's own."""
    found = Table(title=None, header_style="bold")
    for name, justify in (("task", "left"), ("dataset", "left"), ("setting", "left"), ("score", "right")):
        found.add_column(name, justify=justify)  # type: ignore[arg-type]
    found.add_column("runs", justify="right")
    found.add_column("paper", justify="right")
    before = None
    for cell in cells(rows):
        if before and before != (cell.task, cell.dataset):
            found.add_section()
        before = cell.task, cell.dataset
        found.add_row(
            cell.task, cell.dataset, cell.setting, cell.shown, str(len(cell.scores)), _published(cell)
        )
    return found


def _dataset(row: Row) -> str:
    part = "" if row["fraction"] == 1 else f" ({100 * row['fraction']:g} %)"
    return f"{row['dataset']}{part}"


def _order(item: tuple[tuple[str, str, str], Any]) -> tuple[str, str, bool, str]:
    task, dataset, name = item[0]
    return task, dataset, name != "baseline", name


def _published(cell: Cell) -> str:
    figures = _paper()["table1"].get(cell.task)
    if figures is None:
        return ""
    figure = figures["baseline" if cell.setting == "baseline" else "elmo"]
    return f"{figure} on {_paper()['datasets'][cell.task]}"


@cache
def _paper() -> dict[str, Any]:
    text = resources.files("elmo_bench.report").joinpath("paper.yaml").read_text(encoding="utf-8")
    paper: dict[str, Any] = OmegaConf.to_container(OmegaConf.create(text))  # type: ignore[assignment]
    return paper
