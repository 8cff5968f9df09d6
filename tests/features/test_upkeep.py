"""What a store holds, and what is removed from it."""

import os
import time
from pathlib import Path

import numpy as np
import pytest
from fake_encoder import FakeEncoder, numbered

from elmo_bench.errors import TextError
from elmo_bench.features.records import Records
from elmo_bench.features.sets import find_sets
from elmo_bench.features.store import StoredFeatures
from elmo_bench.features.upkeep import (
    Verdict,
    choose,
    disk_bytes,
    measure,
    remove,
    remove_leftovers,
    repair,
    stored_layers,
    verify,
)

DAY = 86400.0


@pytest.fixture
def sets(tmp_path: Path) -> dict[str, Records]:
    """Three sets, used one, two and three days ago; each larger than the one before."""
    for days, name in enumerate(["abc", "abd", "xyz"], start=1):
        StoredFeatures(FakeEncoder(name, width=64), tmp_path).prepare(numbered(100 * days))
        then = time.time() - days * DAY
        os.utime(tmp_path / f"{name}-half" / "info.json", (then, then))
    return {records.info.fingerprint: records for records in find_sets(tmp_path)}


def names(chosen: list[Records]) -> set[str]:
    return {records.info.fingerprint for records in chosen}


def test_measure_counts_sentences_tokens_and_bytes(sets: dict[str, Records]) -> None:
    for days, records in enumerate(sets.values(), start=1):
        size = measure(records)
        tokens = sum(map(len, numbered(100 * days)))
        assert (size.sentences, size.tokens) == (100 * days, tokens)
        assert tokens * 3 * 64 * 2 < size.bytes < 2 * tokens * 3 * 64 * 2 + 500_000


def test_verify_reports_every_sentence_and_token(sets: dict[str, Records]) -> None:
    reported = []
    assert verify(sets["abd"], lambda *done: reported.append(done)) == Verdict(200, 0)
    assert np.sum(reported, axis=0).tolist() == [200, sum(map(len, numbered(200)))]


def test_choice_by_age_model_and_size(sets: dict[str, Records]) -> None:
    everything = list(sets.values())
    assert names(choose(everything)) == set()
    assert names(choose(everything, days=1.5)) == {"abd", "xyz"}
    assert names(choose(everything, days=4)) == set()
    assert names(choose(everything, fingerprint="ab")) == {"abc", "abd"}
    assert names(choose(everything, days=2.5, fingerprint="abc")) == {"abc", "xyz"}
    bytes_of = {name: disk_bytes(records.folder) for name, records in sets.items()}
    assert names(choose(everything, size=sum(bytes_of.values()))) == set()
    assert names(choose(everything, size=sum(bytes_of.values()) - 1)) == {"xyz"}
    assert names(choose(everything, size=bytes_of["abc"])) == {"abd", "xyz"}
    assert names(choose(everything, size=0)) == {"abc", "abd", "xyz"}
    # What goes for another reason makes room.
    assert names(choose(everything, fingerprint="abd", size=bytes_of["abc"] + bytes_of["xyz"])) == {"abd"}


def test_use_of_a_set_is_noted_and_looking_at_it_is_not(sets: dict[str, Records], tmp_path: Path) -> None:
    verify(sets["xyz"], lambda *done: None)
    measure(sets["xyz"])
    assert names(choose(list(sets.values()), days=2.5)) == {"xyz"}
    StoredFeatures(FakeEncoder("xyz", width=64), tmp_path)
    assert names(choose(list(sets.values()), days=2.5)) == set()


def test_removal_frees_the_bytes_of_a_set_and_leaves_the_others(
    sets: dict[str, Records], tmp_path: Path
) -> None:
    size = disk_bytes(sets["abd"].folder)
    before = disk_bytes(tmp_path)
    assert remove(sets["abd"]) == size
    assert before - disk_bytes(tmp_path) == size
    assert names(find_sets(tmp_path)) == {"abc", "xyz"}
    encoder = FakeEncoder("abc", width=64)
    StoredFeatures(encoder, tmp_path).prepare(numbered(100))
    assert encoder.computed == []


def test_what_a_killed_process_left_is_removed(sets: dict[str, Records], tmp_path: Path) -> None:
    for name in (".abc-half.old", ".gone-half.new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "data.mdb").write_bytes(bytes(100_000))
    assert remove_leftovers(tmp_path) >= 200_000
    assert names(find_sets(tmp_path)) == {"abc", "abd", "xyz"}
    assert not [path for path in tmp_path.iterdir() if path.suffix in (".old", ".new")]


def test_folders_that_are_no_sets_are_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "file.txt").write_text("mine")
    assert find_sets(tmp_path) == []
    assert "mine/info.json: does not describe a set of layers" in caplog.text
    assert find_sets(tmp_path / "missing") == []


def test_repair_of_a_sound_set_changes_nothing_that_is_read(sets: dict[str, Records], tmp_path: Path) -> None:
    encoder = FakeEncoder("xyz", width=64)
    features = StoredFeatures(encoder, tmp_path)  # has the old file open
    features.read(numbered(10))
    assert repair(sets["xyz"], lambda *done: None) == Verdict(300, 0)
    for reader in (features, StoredFeatures(encoder, tmp_path)):
        reader.prepare(numbered(300))
        np.testing.assert_array_equal(reader.read(numbered(300)), encoder.expected(numbered(300)))
    assert encoder.computed == []


def test_stored_layers_come_without_an_encoder_layer_by_layer(sets: dict[str, Records]) -> None:
    encoder = FakeEncoder("abc", width=64)
    sentences = [*numbered(3), [], *numbered(2)]
    found = list(stored_layers(sets["abc"], sentences, Path("text")))
    assert [tokens for tokens, _ in found] == sentences
    for tokens, layers in found:
        np.testing.assert_array_equal(layers, encoder.layers(tokens).astype(np.float16), strict=True)
    with pytest.raises(TextError, match=r"text, line 2: 'not there' is not in .*abc-half, or is damaged"):
        list(stored_layers(sets["abc"], [["w0"], ["not", "there"]], Path("text")))
