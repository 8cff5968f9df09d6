"""The first table: settings, means and spreads, the paper's figures beside them."""

import io
import statistics
from typing import Any

import pytest
from rich.console import Console

from elmo_bench.report.table import cells, setting, table

ELMO = {
    "mix": {"layers": "all", "weights": "learned", "penalty": 0.1},
    "elmo": {"_target_": "elmo_bench.Elmo.load"},
}


def row(score: float, *, elmo: str | None = None, number: int = 0, **more: Any) -> dict[str, Any]:
    whole = {
        "task": "ner",
        "dataset": "toy",
        "fraction": 1.0,
        "score": score,
        "elmo": elmo,
        "inject": ["input"] if elmo else [],
        "config": ELMO if elmo else {},
        "config_hash": f"{elmo}-{number}-{score}",
    }
    return whole | more


def test_seeds_become_a_mean_and_a_spread() -> None:
    scores = [80.0, 82.5, 81.1]
    (cell,) = cells([row(score) for score in scores])
    assert cell.mean == pytest.approx(sum(scores) / 3)
    assert cell.deviation == pytest.approx(statistics.stdev(scores))
    assert cell.shown == "81.20 ± 1.25"


def test_one_run_has_no_spread() -> None:
    (cell,) = cells([row(80.0)])
    assert cell.shown == "80.00"


def test_a_run_that_was_repeated_counts_once() -> None:
    twice = [row(80.0, config_hash="same"), row(81.0, config_hash="same")]
    (cell,) = cells(twice)
    assert cell.scores == (81.0,)


def test_the_baseline_stands_first_and_fractions_apart() -> None:
    found = cells([row(85.0, elmo="mini"), row(80.0), row(70.0, fraction=0.1)])
    assert [(cell.dataset, cell.setting) for cell in found] == [
        ("toy", "baseline"),
        ("toy", "ELMo mini, input, all layers, λ=0.1"),
        ("toy (10 %)", "baseline"),
    ]


@pytest.mark.parametrize(
    ("mix", "expected"),
    [
        ({"layers": "top", "weights": "learned", "penalty": 0.0}, "ELMo mini, input, top layer"),
        ({"layers": [1], "weights": "learned", "penalty": 0.0}, "ELMo mini, input, layer 1"),
        ({"layers": "all", "weights": "equal", "penalty": 0.0}, "ELMo mini, input, mean"),
        ({"layers": "all", "weights": "concat", "penalty": 0.0}, "ELMo mini, input, concat"),
        ({"layers": "all", "weights": "learned", "penalty": 0.001}, "ELMo mini, input, all layers, λ=0.001"),
    ],
)
def test_a_setting_is_named_as_people_would(mix: dict[str, Any], expected: str) -> None:
    assert setting(row(1.0, elmo="mini", config=ELMO | {"mix": mix})) == expected


def test_a_control_is_called_random() -> None:
    control = ELMO | {"elmo": {"_target_": "elmo_bench.Elmo.random"}}
    assert setting(row(1.0, elmo="mini", config=control)).startswith("random ELMo mini")


def test_the_papers_figure_names_its_data() -> None:
    console = Console(width=160, file=io.StringIO())
    with console.capture() as captured:
        console.print(table([row(80.0), row(85.0, elmo="mini")]))
    text = captured.get()
    assert "90.15 on CoNLL-2003" in text
    assert "92.22 on CoNLL-2003" in text
