"""Sources: what they read becomes splits of the same kind."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import hydra
import pytest
from omegaconf import OmegaConf

from elmo_bench.data.sources import LocalFiles, Microworld, Source
from elmo_bench.errors import TextError


def test_local_files_are_read_as_a_config_says(tmp_path: Path) -> None:
    (tmp_path / "train").write_text("a\tI-X\nb\tB-X\n\nc\tO\n")
    (tmp_path / "validation").write_text("d\tI-X\n")
    config = f"""
        _target_: elmo_bench.data.sources.LocalFiles
        name: mine
        folder: {tmp_path}
        train: train
        validation: validation
        test: null
        read:
          _target_: elmo_bench.data.formats.tagged.read_tagged
          _partial_: true
          scheme: IOB1
          separator: "\\t"
    """
    source: Source = hydra.utils.instantiate(OmegaConf.create(config))
    splits = source.load("ner")
    assert source.name == "mine"
    assert splits.train.to_list() == [
        {"tokens": ["a", "b"], "tags": ["B-X", "B-X"]},
        {"tokens": ["c"], "tags": ["O"]},
    ]
    assert splits.validation.to_list() == [{"tokens": ["d"], "tags": ["B-X"]}]
    assert splits.test is None


def test_files_are_in_the_folder_unless_they_say_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    read: list[Path] = []

    def reader(path: Path) -> Iterator[dict[str, str]]:
        read.append(path)
        yield {"text": path.name}

    splits = LocalFiles("mine", "~", "one", "two", str(tmp_path / "elsewhere" / "three"), reader).load("any")
    assert read == [tmp_path / "elsewhere" / "three", tmp_path / "one", tmp_path / "two"]
    assert [dataset.to_list() for _, dataset in splits.named()] == [
        [{"text": "one"}],
        [{"text": "two"}],
        [{"text": "three"}],
    ]


def test_reader_that_finds_nothing_is_an_error_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=f"^{tmp_path / 'train'}: holds no example"):
        LocalFiles("mine", str(tmp_path), "train", "x", None, lambda path: []).load("any")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in that says what it was asked for."""

    def examples(view: str, split: str, count: int, seed: int) -> Iterator[dict[str, Any]]:
        return ({"tokens": [view, split, str(seed), str(number)]} for number in range(count))

    module = ModuleType("elmo_bench.data.microworld")
    module.examples = examples  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "elmo_bench.data.microworld", module)


@pytest.mark.usefixtures("world")
def test_microworld_is_asked_for_each_split_in_its_size() -> None:
    splits = Microworld(train=3, validation=1, test=2, seed=5).load("pos")
    assert {name: dataset["tokens"][-1] for name, dataset in splits.named()} == {
        "train": ["pos", "train", "5", "2"],
        "validation": ["pos", "validation", "5", "0"],
        "test": ["pos", "test", "5", "1"],
    }


def test_importing_sources_does_not_import_the_datasets_library() -> None:
    script = (
        "import sys, elmo_bench, elmo_bench.data.sources, elmo_bench.metrics.spans, elmo_bench.data.vectors\n"
        "print(sorted({'datasets', 'seqeval', 'sklearn', 'pyarrow'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
