"""What makes two runs the same."""

import pytest

from elmo_bench.training.compose import compose
from elmo_bench.training.identity import digest, identity


def hash_of(*overrides: str) -> str:
    return digest(identity(compose(["task=ner", *overrides])))


@pytest.mark.parametrize(
    "override",
    [
        "machine.devices=2",
        "machine.checkpoint_minutes=9",
        "runs=elsewhere",
        "rows=elsewhere.jsonl",
        "rerun=true",
        "features.folder=elsewhere",
    ],
)
def test_where_and_how_a_run_runs_changes_nothing(override: str) -> None:
    assert hash_of(override) == hash_of()


@pytest.mark.parametrize(
    "override",
    ["seed=2", "mix=top", "mix.penalty=1", "inject=none", "elmo=random", "fraction=0.5", "optimizer.lr=1"],
)
def test_what_can_change_a_result_makes_another_run(override: str) -> None:
    assert hash_of(override) != hash_of()


def test_the_folder_of_files_changes_nothing_but_their_names_do() -> None:
    files = "dataset=wnut17"
    assert hash_of(files, "dataset.folder=a") == hash_of(files, "dataset.folder=b")
    assert hash_of(files, "dataset.train=a") != hash_of(files, "dataset.train=b")


def test_a_baseline_is_one_run_whatever_elmo_would_have_been() -> None:
    assert hash_of("inject=none", "elmo=random", "mix=top") == hash_of("inject=none")
