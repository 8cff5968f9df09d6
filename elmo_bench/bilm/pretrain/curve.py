"""The picture of a training run."""

import csv
from pathlib import Path

from elmo_bench.files import writing


def draw_curve(logs: Path, target: Path) -> None:
    """Draws the perplexity over the steps, from the CSV files of a run and its resumptions."""
    from matplotlib.figure import Figure

    training, heldout = _points(logs, "perplexity"), _points(logs, "heldout perplexity")
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="steps", ylabel="perplexity", yscale="log")
    for points, style, label in ((training, "-", "training, with dropout"), (heldout, ".-", "held out")):
        if points:
            axes.plot(*zip(*points, strict=True), style, linewidth=0.8, label=label)
    axes.grid(alpha=0.3, which="both")
    if training or heldout:
        axes.legend()
    with writing(target) as path:
        figure.savefig(path, dpi=120)


def _points(logs: Path, column: str) -> list[tuple[int, float]]:
    """By step; where a resumed run repeats one, as it was the last time."""
    points: dict[int, float] = {}
    for path in sorted(logs.rglob("metrics.csv"), key=_resumption):
        with path.open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row.get(column)]
        points |= {int(row["step"]): float(row[column]) for row in rows}
    return sorted(points.items())


def _resumption(metrics: Path) -> int:
    return int(metrics.parent.name.removeprefix("version_"))
