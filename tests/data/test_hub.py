"""The hub, without it: the same code on local files, its failures, and a cache as it leaves one."""

import json
import logging
import shutil
from pathlib import Path
from typing import Any

import datasets
import pytest
from datasets import ClassLabel, Dataset, Features, List, Value

from elmo_bench.data.hub import Hub
from elmo_bench.errors import ConfigError, DownloadError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
OTHER_COMMIT = COMMIT[::-1]

FEATURES = Features(
    {
        "id": Value("string"),
        "words": List(Value("string")),
        "ner": List(ClassLabel(names=["O", "B-X", "I-X"])),
        "label": ClassLabel(names=["entailment", "neutral"]),
    }
)
ROWS = [
    {"id": "0", "words": ["a", "b"], "ner": [1, 2], "label": 1},
    {"id": "1", "words": ["c"], "ner": [0], "label": -1},
    {"id": "2", "words": ["d"], "ner": [0], "label": None},
    {"id": "3", "words": [], "ner": [], "label": 0},
]
COLUMNS = {"tokens": "words", "tags": "ner"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The library's folders, away from the user's; and no network, whatever the machine has."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", folder)
    monkeypatch.setattr(datasets.config, "DOWNLOADED_DATASETS_PATH", folder / "downloads")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    return folder


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Files as the hub keeps them, with the features in their metadata."""
    paths = {name: tmp_path / f"{name}.parquet" for name in ("train", "dev", "test")}
    for count, path in enumerate(paths.values(), start=1):
        Dataset.from_list(ROWS[:count] if count < 3 else ROWS, features=FEATURES).to_parquet(path)
    return {name: str(path) for name, path in paths.items()}


def hub(files: dict[str, str], **changes: Any) -> Hub:
    options: dict[str, Any] = {
        "name": "mine",
        "id": "parquet",
        "revision": COMMIT,
        "columns": COLUMNS,
        "validation": "dev",
        "data_files": files,
    }
    return Hub(**options | changes)


def test_columns_are_ours_and_labels_are_words(files: dict[str, str]) -> None:
    splits = hub(files).load("ner")
    assert splits.train.to_list() == [{"tokens": ["a", "b"], "tags": ["B-X", "I-X"]}]
    assert splits.validation.to_list() == [
        {"tokens": ["a", "b"], "tags": ["B-X", "I-X"]},
        {"tokens": ["c"], "tags": ["O"]},
    ]
    assert splits.test is not None
    assert splits.test.features == Features({"tokens": List(Value("string")), "tags": List(Value("string"))})


def test_examples_without_a_gold_label_are_left_out(
    files: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        splits = hub(files, columns={"key": "id", "label": "label"}).load("nli")
    assert splits.test is not None
    assert splits.test.to_list() == [{"key": "0", "label": "neutral"}, {"key": "3", "label": "entailment"}]
    assert "mine (parquet, test): 2 examples have no gold label" in caplog.text


def test_split_without_any_gold_label_is_refused(tmp_path: Path, files: dict[str, str]) -> None:
    Dataset.from_list(ROWS[1:3], features=FEATURES).to_parquet(tmp_path / "hidden.parquet")
    files["test"] = str(tmp_path / "hidden.parquet")
    with pytest.raises(ConfigError, match=r"^mine \(parquet, test\): no example has a gold label"):
        hub(files, columns={"label": "label"}).load("nli")
    assert hub(files, columns={"label": "label"}, test=None).load("nli").test is None


def test_columns_may_change_places_and_plain_ones_stay(tmp_path: Path) -> None:
    path = tmp_path / "plain.json"
    path.write_text("".join(json.dumps({"a": n, "b": [{"start": n, "text": "x"}]}) + "\n" for n in range(3)))
    source = Hub(
        "plain",
        "json",
        COMMIT,
        {"a": "b", "b": "a"},
        data_files={"train": str(path)},
        test=None,
        validation="train[1:]",
    )
    splits = source.load("any")
    assert splits.train[2] == {"a": [{"start": 2, "text": "x"}], "b": 2}
    assert list(splits.validation["b"]) == [1, 2]


def test_missing_column_is_named_with_those_that_are_there(files: dict[str, str]) -> None:
    with pytest.raises(
        ConfigError, match=r"^mine \(parquet, train\): no column 'pos', found 'id', 'words', 'ner', 'label'"
    ):
        hub(files, columns={"tags": "pos"}).load("pos")


def test_missing_split_is_named(files: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"^mine: parquet has no such part \(.*validation.*dev"):
        hub(files, validation="validation").load("ner")


@pytest.mark.parametrize(
    ("revision", "warned"), [(COMMIT, False), ("main", True), ("refs/convert/parquet", True)]
)
def test_revision_that_may_move_is_warned_about(
    files: dict[str, str], revision: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    hub(files, revision=revision).load("ner")
    assert (f"revision {revision} is no commit" in caplog.text) == warned


def failure(source: Hub) -> str:
    with pytest.raises(DownloadError) as raised:
        source.load("ner")
    message = str(raised.value)
    assert "\n" not in message
    return message


REMOTE = Hub("mine", "owner/some_name", COMMIT, COLUMNS, files="mine_files")


def test_offline_is_one_sentence_with_a_way_out() -> None:
    assert failure(REMOTE) == (
        f"mine: owner/some_name at revision {COMMIT} cannot be loaded from the Hugging Face hub "
        "(HF_HUB_OFFLINE is set and it is not in the cache); "
        "dataset=mine_files reads the data from files of your own instead."
    )


def test_without_a_config_for_files_their_source_is_named() -> None:
    source = Hub("mine", "owner/some_name", COMMIT, COLUMNS)
    assert failure(source).endswith(
        "; a dataset config with LocalFiles reads the data from files of your own instead."
    )


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConnectionError("Couldn't reach the Hub (ConnectError)"), "(no network)"),
        (RuntimeError("Dataset scripts are no longer supported, but found x.py"), "(it is a script, which"),
        (FileNotFoundError("Revision 'x' doesn't exist.\nTry another."), "(Revision 'x' doesn't exist)"),
        (TimeoutError(), "(TimeoutError)"),
    ],
)
def test_failures_of_the_hub_are_named(
    error: Exception, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise error

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(datasets, "load_dataset", fail)
    message = failure(REMOTE)
    assert reason in message
    assert message.endswith("dataset=mine_files reads the data from files of your own instead.")


def test_script_beside_the_data_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old_task").mkdir()
    (tmp_path / "old_task" / "old_task.py").write_text("raise SystemExit('it was run')")
    monkeypatch.chdir(tmp_path)
    assert "(it is a script, which the datasets library no longer runs)" in failure(
        Hub("old", "old_task", COMMIT, COLUMNS)
    )


def keep_in_cache(cache: Path, files: dict[str, str], commit: str) -> None:
    """Leaves a hub dataset in the cache as the library does after it was fetched."""
    datasets.load_dataset("parquet", data_files=files, cache_dir=str(cache))
    (made,) = (cache / "parquet").glob("*/*/*/")
    kept = cache / "owner___some_name" / "default" / "0.0.0" / commit
    shutil.move(made, kept)
    info = json.loads((kept / "dataset_info.json").read_text())
    (kept / "dataset_info.json").write_text(
        json.dumps(info | {"config_name": "default", "dataset_name": "some_name"})
    )
    for path in kept.glob("parquet-*.arrow"):
        path.rename(path.with_name(path.name.replace("parquet", "some_name", 1)))


def test_what_was_fetched_before_loads_without_a_network(cache: Path, files: dict[str, str]) -> None:
    keep_in_cache(cache, files, COMMIT)
    splits = Hub("mine", "owner/some_name", COMMIT, COLUMNS, validation="dev").load("ner")
    assert splits.train.to_list() == [{"tokens": ["a", "b"], "tags": ["B-X", "I-X"]}]


def test_cached_copy_of_another_revision_is_not_taken_for_it(cache: Path, files: dict[str, str]) -> None:
    keep_in_cache(cache, files, OTHER_COMMIT)
    source = Hub("mine", "owner/some_name", COMMIT, COLUMNS, validation="dev")
    assert f"(only revision {OTHER_COMMIT} is in the cache and there is no network)" in failure(source)
