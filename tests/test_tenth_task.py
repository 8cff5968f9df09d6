"""A task of one's own is one folder and one config file, with no other edit."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from random_models import write_random_model

from elmo_bench.report import rows

ROOT = Path(__file__).resolve().parents[1]


def test_a_task_from_elsewhere_trains_and_predicts(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tasks" / "ner", tmp_path / "tenth", ignore=shutil.ignore_patterns("__pycache__"))
    config = tmp_path / "conf" / "task" / "tenth.yaml"
    config.parent.mkdir(parents=True)
    text = (ROOT / "conf" / "task" / "ner.yaml").read_text()
    config.write_text(text.replace("elmo_bench.tasks.ner", "tenth"))
    task = tmp_path / "tenth" / "task.py"
    task.write_text(task.read_text().replace('name = "ner"', 'name = "tenth"'))
    model = write_random_model(tmp_path / "model")
    choices = ["task=tenth", "dataset.train=24", "dataset.validation=8", "dataset.test=8"]
    choices += ["elmo=folder", f"elmo.model={model}", "trainer.max_epochs=1", "machine.accelerator=cpu"]
    environment = os.environ | {
        "PYTHONPATH": str(tmp_path),
        "ELMO_BENCH_CACHE": str(tmp_path / "cache"),
        "COLUMNS": "160",
    }

    def run(*arguments: str, text: str = "") -> str:
        command = [sys.executable, "-m", "elmo_bench", *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, input=text, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    shown = run("train", "--config-folder", "conf", *choices)
    (row,) = rows.read(tmp_path / "runs" / "rows.jsonl")
    assert row["task"] == "tenth"
    assert f"{row['score']:.2f}" in shown
    folder = next((tmp_path / "runs" / "tenth" / "microworld").iterdir())
    predicted = run("predict", str(folder), "-", text="Florence moved to Jordan .\n\nRose smiled .\n")
    tokens = [line.split("\t")[0] for line in predicted.splitlines()]
    assert tokens == ["Florence", "moved", "to", "Jordan", ".", "", "Rose", "smiled", ".", ""]
    assert "tenth" in run("report")
