"""Result rows: kept whole whatever happens."""

import json
import logging
import multiprocessing
from pathlib import Path

import pytest

from elmo_bench.errors import TextError
from elmo_bench.report import rows


def test_rows_come_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "rows.jsonl"
    for number in range(3):
        rows.append(path, {"config_hash": str(number), "note": "γ"})
    assert [row["config_hash"] for row in rows.read(path)] == ["0", "1", "2"]
    assert rows.find(path, "1") == {"config_hash": "1", "note": "γ"}
    assert rows.find(path, "9") is None


def test_no_file_is_no_rows(tmp_path: Path) -> None:
    assert list(rows.read(tmp_path / "none.jsonl")) == []


def test_the_newest_row_of_a_config_counts(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    for score in (1.0, 2.0):
        rows.append(path, {"config_hash": "a", "score": score})
    found = rows.find(path, "a")
    assert found is not None
    assert found["score"] == 2.0


def test_a_line_cut_short_by_a_kill_is_skipped_and_the_next_row_is_whole(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "rows.jsonl"
    rows.append(path, {"config_hash": "a"})
    with path.open("a") as file:
        file.write('{"config_hash": "b", "sco')
    rows.append(path, {"config_hash": "c"})
    with caplog.at_level(logging.WARNING):
        assert [row["config_hash"] for row in rows.read(path)] == ["a", "c"]
    assert "line 2" in caplog.text


def test_a_file_of_something_else_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"config_hash": "a"}\n{"loss": 3}\n')
    with pytest.raises(TextError, match="line 2"):
        list(rows.read(path))


def _append_many(path: Path, process: int) -> None:
    for number in range(50):
        rows.append(path, {"config_hash": f"{process}-{number}", "padding": "x" * 3000})


def test_processes_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_append_many, args=(path, number)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    found = {json.loads(line)["config_hash"] for line in path.read_text().splitlines()}
    assert found == {f"{process}-{number}" for process in range(3) for number in range(50)}
