"""Stored layers are those of the encoder, computed once, whatever happens to processes, disks and files."""

import logging
import math
import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_encoder import FakeEncoder, numbered
from numpy.typing import NDArray
from random_models import write_random_model
from torch.utils.data import DataLoader

from elmo_bench.elmo import Elmo
from elmo_bench.errors import ConfigError, ModelError, OutputError, TextError
from elmo_bench.features import store
from elmo_bench.features.sets import find_sets
from elmo_bench.features.store import LiveFeatures, StoredFeatures
from elmo_bench.features.upkeep import measure, remove

SENTENCES = [["The", "bank", "lends"], [], ["The bank", "lends"], ["naïve", "川"], ["The", "bank", "lends"]]


@pytest.fixture(scope="module")
def elmo(tmp_path_factory: pytest.TempPathFactory) -> Elmo:
    return Elmo.load(write_random_model(tmp_path_factory.mktemp("model")), workers=1)


@pytest.mark.parametrize(("precision", "dtype"), [("half", np.float16), ("single", np.float32)])
@pytest.mark.parametrize("prepared", [True, False], ids=["prepared", "not prepared"])
def test_read_gives_the_rounded_layers_of_the_bilm_token_after_token(
    tmp_path: Path, elmo: Elmo, precision: str, dtype: type, prepared: bool
) -> None:
    features = StoredFeatures(elmo, tmp_path, precision)
    if prepared:
        features.prepare(SENTENCES)
    direct = np.concatenate([layers.transpose(1, 0, 2) for layers in elmo.embed(SENTENCES)])
    expected: NDArray[Any] = direct.astype(dtype)
    for _ in range(2):  # computed, then read from the disk
        np.testing.assert_array_equal(features.read(SENTENCES), expected, strict=True)
    np.testing.assert_array_equal(LiveFeatures(elmo, precision).read(SENTENCES), expected, strict=True)


def test_every_distinct_sentence_is_computed_and_stored_once(tmp_path: Path) -> None:
    encoder = FakeEncoder()
    features = StoredFeatures(encoder, tmp_path)
    features.prepare(iter(SENTENCES))
    features.read(SENTENCES)
    features.prepare(SENTENCES)
    StoredFeatures(encoder, tmp_path).prepare(SENTENCES)
    assert sorted(encoder.computed) == sorted({tuple(sentence) for sentence in SENTENCES if sentence})
    (records,) = find_sets(tmp_path)
    size = measure(records)
    assert (size.sentences, size.tokens) == (3, 3 + 2 + 2)


def test_read_returns_memory_of_its_own(tmp_path: Path) -> None:
    features = StoredFeatures(FakeEncoder(), tmp_path)
    first = features.read(SENTENCES)
    second = features.read(SENTENCES)
    first += 1
    np.testing.assert_array_equal(features.read(SENTENCES), second)
    assert first.flags.c_contiguous
    assert first.flags.writeable


@pytest.mark.parametrize("sentences", [[], [[]], [[], []]])
def test_no_tokens_are_an_array_without_rows(tmp_path: Path, sentences: list[list[str]]) -> None:
    encoder = FakeEncoder()
    features = StoredFeatures(encoder, tmp_path)
    features.prepare(sentences)
    assert features.read(sentences).shape == (0, encoder.depth, encoder.width)
    assert LiveFeatures(encoder).read(sentences).shape == (0, encoder.depth, encoder.width)
    assert encoder.computed == [] or sentences


def test_live_features_compute_at_every_read_and_keep_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path))
    encoder = FakeEncoder()
    features = LiveFeatures(encoder)
    features.prepare(SENTENCES)
    assert encoder.computed == []
    for _ in range(2):
        expected = encoder.expected(SENTENCES, np.float32)
        np.testing.assert_array_equal(features.read(SENTENCES), expected, strict=True)
    assert len(encoder.computed) == 2 * len(SENTENCES)
    assert list(tmp_path.iterdir()) == []


def test_encoders_and_precisions_never_mix(tmp_path: Path) -> None:
    for _ in range(2):
        for name in ("one", "other"):
            for precision, dtype in (("half", np.float16), ("single", np.float32)):
                encoder = FakeEncoder(name)
                found = StoredFeatures(encoder, tmp_path, precision).read(SENTENCES)
                np.testing.assert_array_equal(found, encoder.expected(SENTENCES, dtype), strict=True)
    assert len(find_sets(tmp_path)) == 4


def test_default_folder_is_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path / "cache"))
    StoredFeatures(FakeEncoder("abc")).prepare(SENTENCES)
    assert (tmp_path / "cache" / "features" / "abc-half" / "info.json").is_file()


def test_filling_writes_often_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was computed before an error is there, but for the last chunk."""

    class Failing(FakeEncoder):
        def layers(self, sentence: Sequence[str]) -> NDArray[np.float32]:
            if sentence[0] == "w9":
                raise KeyboardInterrupt
            return super().layers(sentence)

    monkeypatch.setattr(store, "CHUNK_BYTES", 3 * 3 * 16 * 2)  # three tokens
    with pytest.raises(KeyboardInterrupt):
        StoredFeatures(Failing(), tmp_path).prepare(numbered(20, longest=1))
    encoder = FakeEncoder()
    StoredFeatures(encoder, tmp_path).prepare(numbered(20, longest=1))
    assert encoder.computed == [(f"w{number}",) for number in range(9, 20)]


def test_removed_set_is_made_again(tmp_path: Path) -> None:
    encoder = FakeEncoder()
    features = StoredFeatures(encoder, tmp_path)
    features.prepare(SENTENCES)
    remove(find_sets(tmp_path)[0])
    features.prepare(SENTENCES)
    assert len(encoder.computed) == 6
    assert measure(find_sets(tmp_path)[0]).sentences == 3


@pytest.mark.parametrize(
    ("scale", "precision", "message"),
    [
        (
            1e5,
            "half",
            r"The layers of \['w0'\] reach [\d,]+, beyond what float16 can hold \(65,504\)",
        ),
        (math.inf, "half", r"The layers of \['w0'\] hold a value that is not a number: "),
        (math.nan, "single", r"The layers of \['w0'\] hold a value that is not a number: nan"),
    ],
)
def test_values_that_the_precision_cannot_hold_are_refused(
    tmp_path: Path, scale: float, precision: str, message: str
) -> None:
    class Large(FakeEncoder):
        def layers(self, sentence: Sequence[str]) -> NDArray[np.float32]:
            return np.float32(scale) * (1 + np.abs(super().layers(sentence)))

    features = StoredFeatures(Large(), tmp_path, precision)
    for act in (features.prepare, features.read, LiveFeatures(Large(), precision).read):
        with pytest.raises(ModelError, match=message):
            act(numbered(1))
    assert measure(find_sets(tmp_path)[0]).sentences == 0


def test_half_precision_holds_values_up_to_its_largest(tmp_path: Path) -> None:
    class Large(FakeEncoder):
        def layers(self, sentence: Sequence[str]) -> NDArray[np.float32]:
            return np.full((3, len(sentence), 16), 65519.0, np.float32)  # rounds to 65504

    assert np.all(StoredFeatures(Large(), tmp_path).read(SENTENCES) == np.float16(65504.0))


def test_encoder_that_gives_another_shape_is_refused(tmp_path: Path) -> None:
    class Short(FakeEncoder):
        def layers(self, sentence: Sequence[str]) -> NDArray[np.float32]:
            return super().layers(sentence)[:, 1:]

    with pytest.raises(ModelError, match=r"shape \(3, 2, 16\), expected \(3, 3, 16\)"):
        StoredFeatures(Short(), tmp_path).read(SENTENCES)


@pytest.mark.parametrize("sentence", ["a string", ["a", 1], [b"bytes"]])
def test_what_is_no_list_of_tokens_is_refused(tmp_path: Path, sentence: list[str]) -> None:
    features = StoredFeatures(FakeEncoder(), tmp_path)
    for act in (features.prepare, features.read):
        with pytest.raises(TextError, match="expected a list of tokens"):
            act([sentence])


def test_wrong_choices_are_refused(tmp_path: Path, elmo: Elmo) -> None:
    with pytest.raises(ConfigError, match=r"no precision 'double' .* choose half or single"):
        StoredFeatures(FakeEncoder(), tmp_path, "double")
    with pytest.raises(ConfigError, match=r"no precision 'double' .* choose half or single"):
        LiveFeatures(FakeEncoder(), "double")
    with pytest.raises(ConfigError, match="fingerprint 'a/b' cannot name a folder"):
        StoredFeatures(FakeEncoder("a/b"), tmp_path)
    with pytest.raises(ConfigError, match=r"state=carry .* cannot be stored"):
        StoredFeatures(Elmo(elmo.model, state="carry"), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"format": 2}', r"info\.json: the set has format 2, but this version .* format 1\. Choose another"),
        ("{", r"info\.json: does not describe a set of layers"),
        (
            '{"fingerprint": "fake", "depth": 2, "width": 16, "precision": "half", "format": 1}',
            r"info\.json: describes Info\(.*depth=2.*, expected Info\(.*depth=3",
        ),
    ],
)
def test_set_of_another_kind_is_refused(tmp_path: Path, content: str, message: str) -> None:
    StoredFeatures(FakeEncoder(), tmp_path)
    (tmp_path / "fake-half" / "info.json").write_text(content)
    with pytest.raises(OutputError, match=message):
        StoredFeatures(FakeEncoder(), tmp_path)


def test_spawned_process_reads_without_the_model(tmp_path: Path) -> None:
    encoder = FakeEncoder()
    features = StoredFeatures(encoder, tmp_path)
    features.prepare(SENTENCES)
    assert b"FakeEncoder" not in pickle.dumps(features)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        found = pool.submit(features.read, SENTENCES).result(timeout=60)
        np.testing.assert_array_equal(found, encoder.expected(SENTENCES), strict=True)
        with pytest.raises(ModelError, match=r"1 sentences are not there .* such as \['new'\]\. Prepare"):
            pool.submit(features.read, [["new"]]).result(timeout=60)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_workers_of_a_data_loader_read_and_compute(tmp_path: Path) -> None:
    encoder = FakeEncoder()
    features = StoredFeatures(encoder, tmp_path)
    sentences = numbered(40)
    features.prepare(sentences[:20])
    features.read(sentences[:20])  # the parent has the file open when it forks
    loader: DataLoader[Any] = DataLoader(
        sentences,  # type: ignore[arg-type]
        batch_size=4,
        num_workers=2,
        collate_fn=features.read,
        multiprocessing_context="fork",
        timeout=60,
    )
    for _ in range(2):
        found = np.concatenate(list(loader))
        np.testing.assert_array_equal(found, encoder.expected(sentences), strict=True)
    assert len(encoder.computed) == 20
    features.prepare(sentences)
    assert len(encoder.computed) == 20  # what the workers computed was stored


def test_second_reader_of_equal_sentences_finds_what_the_first_stored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = FakeEncoder(), FakeEncoder()
    readers = StoredFeatures(first, tmp_path), StoredFeatures(second, tmp_path)
    with caplog.at_level(logging.WARNING):
        for sentence in numbered(10):
            for reader in readers:
                reader.read([sentence])
    assert (len(first.computed), second.computed, caplog.text) == (10, [], "")
