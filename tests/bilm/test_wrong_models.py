"""Models that cannot be used: each is one paragraph that names the file, what it holds and what it should."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from random_models import write_random_model

from elmo_bench.bilm.locate import locate
from elmo_bench.bilm.weights import read_model
from elmo_bench.errors import ModelError

CELL = "RNN_0/RNN/MultiRNNCell/Cell0/LSTMCell"

Change = Callable[[Any], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_random_model(tmp_path / "model")


def complaint(folder: Path) -> str:
    """What reading the model says, which is one paragraph."""
    with pytest.raises(ModelError) as raised:
        read_model(folder / "options.json", folder / "weights.hdf5")
    return one_paragraph(raised.value)


def one_paragraph(error: ModelError) -> str:
    message = str(error)
    assert "\n" not in message
    assert message.endswith(".")
    return message


def change_options(folder: Path, change: Change) -> None:
    path = folder / "options.json"
    options = json.loads(path.read_text("utf-8"))
    change(options)
    path.write_text(json.dumps(options), encoding="utf-8")


def replace(folder: Path, key: str, value: Any) -> None:
    with h5py.File(folder / "weights.hdf5", "r+") as file:
        del file[key]
        if value is not None:
            file[key] = value


def test_untouched_model_reads(folder: Path) -> None:
    assert read_model(*locate(folder)).parameters_count == 262 * 4 + 4 * 4 * (1 + 2 * 2 + 3 * 3) + 24 + (
        2 * (24 * 24 + 24) + (24 * 8 + 8) + 4 * (16 * 96 + 96 + 24 * 8)
    )


@pytest.mark.parametrize("part", [0, 1, 8, 40, 100, 0.01, 0.1, "inside char_embed", "inside W_P_0", 0.9, -1])
def test_truncated_weights_are_refused_with_their_size(folder: Path, part: int | float | str) -> None:
    path = folder / "weights.hdf5"
    content = path.read_bytes()
    if isinstance(part, str):
        with h5py.File(path, "r") as file:
            dataset = file["char_embed" if "char" in part else f"{CELL}/W_P_0"]
            end = dataset.id.get_offset() + dataset.nbytes // 2
    else:
        end = int(part * len(content)) if isinstance(part, float) else part % len(content)
    path.write_bytes(content[:end])
    message = complaint(folder)
    assert message.startswith(f"{path}: not a readable hdf5 file ({end:,} bytes; ")
    assert message.endswith("It is damaged, cut short or of another kind: fetch it again.")


@pytest.mark.parametrize("begin", [0, 96, 700, 1_000, 2_000, 30_000, 50_000])
def test_weights_that_end_in_zeros_are_refused(folder: Path, begin: int) -> None:
    """As a download leaves them that reserved its space and then broke."""
    path = folder / "weights.hdf5"
    content = path.read_bytes()
    path.write_bytes(content[:begin] + bytes(len(content) - begin))
    message = complaint(folder)
    assert str(path) in message
    assert "fetch" in message


@pytest.mark.parametrize("content", ["", "char_embed 1 2 3\n" * 1000])
def test_another_kind_of_file_is_not_taken_for_weights(folder: Path, content: str) -> None:
    (folder / "weights.hdf5").write_text(content)
    message = complaint(folder)
    assert f"{folder / 'weights.hdf5'}: not a readable hdf5 file ({len(content):,} bytes; " in message


def test_folder_in_the_place_of_weights_is_refused(folder: Path) -> None:
    (folder / "weights.hdf5").unlink()
    (folder / "weights.hdf5").mkdir()
    assert f"{folder / 'weights.hdf5'}: not a readable hdf5 file" in complaint(folder)


@pytest.mark.parametrize("key", ["char_embed", "CNN/b_cnn_1", "CNN_high_0/W_carry", f"{CELL}/W_P_0"])
def test_missing_array_is_named(folder: Path, key: str) -> None:
    replace(folder, key, None)
    files = f"{folder / 'weights.hdf5'}: its arrays do not fit {folder / 'options.json'}"
    assert f"{files}: 1 missing ({key}). Check that" in complaint(folder)


def test_surplus_array_is_named(folder: Path) -> None:
    with h5py.File(folder / "weights.hdf5", "r+") as file:
        file["CNN/W_cnn_3"] = np.zeros((1, 4, 4, 8), np.float32)
    assert "1 not expected (CNN/W_cnn_3). Check that" in complaint(folder)


@pytest.mark.parametrize(
    ("key", "value", "found", "expected"),
    [
        ("char_embed", np.zeros((260, 4), np.float32), "float32 of shape (260, 4)", "(261, 4)"),
        ("char_embed", np.zeros((262, 5), np.float32), "float32 of shape (262, 5)", "(261, 4)"),
        ("char_embed", np.zeros((261, 4), np.int32), "int32 of shape (261, 4)", "(261, 4)"),
        ("char_embed", "characters", "of shape ()", "(261, 4)"),
        ("CNN_high_0/b_carry", np.zeros((24,), bool), "bool of shape (24,)", "(24,)"),
        ("CNN_high_0/b_carry", np.float32(1.0), "float32 of shape ()", "(24,)"),
        ("CNN/W_cnn_1", np.zeros((2, 4, 8), np.float32), "float32 of shape (2, 4, 8)", "(1, 2, 4, 8)"),
        (f"{CELL}/W_0", np.zeros((96, 16), np.float64), "float64 of shape (96, 16)", "(16, 96)"),
        (f"{CELL}/B", np.zeros((96,), np.int64), "int64 of shape (96,)", "(96,)"),
    ],
)
def test_array_of_another_shape_or_type_is_described(
    folder: Path, key: str, value: Any, found: str, expected: str
) -> None:
    replace(folder, key, value)
    message = complaint(folder)
    assert message.startswith(f"{folder / 'weights.hdf5'}: {key} is ")
    assert f"{found}, but" in message
    assert f"{folder / 'options.json'} calls for floating point of shape {expected}." in message


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("key", ["char_embed", "CNN/W_cnn_0", "CNN_high_0/b_carry", f"{CELL}/W_0"])
def test_values_that_are_not_finite_are_counted(folder: Path, key: str, value: float) -> None:
    with h5py.File(folder / "weights.hdf5", "r+") as file:
        array = file[key][()]
        array.flat[[0, array.size - 1]] = value
        file[key][...] = array
    start = f"{folder / 'weights.hdf5'}: {key} holds 2 of {array.size} values that are not finite"
    assert complaint(folder).startswith(start)


def lstm(**values: Any) -> Change:
    return lambda options: options["lstm"].update(values)


def cnn(**values: Any) -> Change:
    return lambda options: options["char_cnn"].update(values)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lstm(n_layers=1), "6 not expected (RNN_0/RNN/MultiRNNCell/Cell1/LSTMCell/B, "),
        (lstm(n_layers=3), "6 missing (RNN_0/RNN/MultiRNNCell/Cell2/LSTMCell/B, "),
        (lstm(dim=25), f"{CELL}/W_0 is float32 of shape (16, 96), "),
        (lstm(dim=8), f"4 not expected ({CELL}/W_P_0, "),
        (lstm(dim=10**6), f"{CELL}/W_0 is float32 of shape (16, 96), "),
        (lstm(projection_dim=9), "CNN_proj/W_proj is float32 of shape (24, 8), "),
        (lstm(projection_dim=24), "6 not expected (CNN_proj/W_proj, "),
        (cnn(n_highway=0), "4 not expected (CNN_high_0/W_carry, "),
        (cnn(n_highway=2), "4 missing (CNN_high_1/W_carry, "),
        (cnn(embedding={"dim": 5}), "char_embed is float32 of shape (261, 4), "),
        (cnn(filters=[[1, 4], [2, 8]]), "2 not expected (CNN/W_cnn_2, CNN/b_cnn_2)"),
        (cnn(filters=[[1, 4], [2, 8], [3, 12], [4, 1]]), "2 missing (CNN/W_cnn_3, CNN/b_cnn_3)"),
        (cnn(filters=[[1, 4], [2, 8], [3, 13]]), "CNN/W_cnn_2 is float32 of shape (1, 3, 4, 12), "),
        (cnn(filters=[[1, 4], [2, 8], [4, 12]]), "CNN/W_cnn_2 is float32 of shape (1, 3, 4, 12), "),
    ],
)
def test_options_that_contradict_the_weights_are_found(folder: Path, change: Change, what: str) -> None:
    change_options(folder, change)
    message = complaint(folder)
    assert message.startswith(f"{folder / 'weights.hdf5'}: ")
    assert str(folder / "options.json") in message
    assert what in message
    assert "Check that the two files belong together" in message


@pytest.mark.parametrize(
    ("change", "mistake"),
    [
        (lstm(dim=0), "lstm.dim is 0, expected a whole number from 1 to"),
        (lstm(dim=-24), "lstm.dim is -24, expected a whole number from 1 to"),
        (lstm(dim="24"), "lstm.dim is '24', expected a whole number from 1 to"),
        (lstm(dim=24.0), "lstm.dim is 24.0, expected a whole number from 1 to"),
        (lstm(n_layers=True), "lstm.n_layers is True, expected a whole number from 1 to"),
        (lstm(projection_dim=None), "lstm.projection_dim is None, expected a whole number from 1 to"),
        (lstm(use_skip_connections="yes"), "lstm.use_skip_connections is 'yes', expected true or false"),
        (lstm(cell_clip=-3), "lstm.cell_clip is -3, expected a positive number or null"),
        (lstm(cell_clip=float("nan")), "lstm.cell_clip is nan, expected a positive number or null"),
        (lstm(proj_clip="3"), "lstm.proj_clip is '3', expected a positive number or null"),
        (cnn(activation="gelu"), "char_cnn.activation is 'gelu', expected relu or tanh"),
        (cnn(n_highway=-1), "char_cnn.n_highway is -1, expected a whole number from 0 to"),
        (cnn(filters=[]), "char_cnn.filters is [], expected a list of [width, count] pairs"),
        (cnn(filters=[[1, 0]]), "char_cnn.filters is [[1, 0]], expected a list of [width, count] pairs"),
        (cnn(filters=[[51, 4]]), "char_cnn.filters has a filter 51 wide, but words have 50 characters"),
        (
            cnn(max_characters_per_token=2),
            "max_characters_per_token is 2, expected a whole number",
        ),
        (cnn(embedding=16), "char_cnn.embedding is missing or not an object"),
        (lambda options: options.pop("lstm"), "lstm is missing or not an object"),
        (lambda options: options.pop("char_cnn"), "char_cnn is missing or not an object"),
    ],
)
def test_impossible_option_is_quoted_with_what_was_expected(
    folder: Path, change: Change, mistake: str
) -> None:
    change_options(folder, change)
    message = complaint(folder)
    assert message.startswith(f"{folder / 'options.json'}: not the options of a biLM")
    assert mistake in message


def test_all_mistakes_in_the_options_are_reported_at_once(folder: Path) -> None:
    for change in (lstm(dim="x", cell_clip=-1), cnn(activation="gelu", filters=3, n_highway=None)):
        change_options(folder, change)
    message = complaint(folder)
    for mistake in ("lstm.dim", "lstm.cell_clip", "char_cnn.activation", "char_cnn.filters", "n_highway"):
        assert message.count(f"{mistake} is ") == 1
    assert message.count(", expected ") == 5


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "not valid JSON (Expecting value: line 1 column 1"),
        (b"{'lstm': 1}", "not valid JSON (Expecting property name"),
        (b'{"lstm": {"dim": 24}', "not valid JSON (Expecting ',' delimiter: line 1 column 21"),
        (b'{"lstm": "\xe9"}', "not valid JSON ('utf-8' codec can't decode byte 0xe9 in position 10"),
        (b"[]", "not the options of a biLM this program can run: lstm is missing or not an object"),
    ],
    ids=["empty", "quotes", "cut short", "latin-1", "a list"],
)
def test_options_that_are_not_json_say_where(folder: Path, content: bytes, found: str) -> None:
    (folder / "options.json").write_bytes(content)
    assert complaint(folder).startswith(f"{folder / 'options.json'}: {found}")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("smal", " (did you mean small?)"), ("5B", " (did you mean 5.5B?)"), ("/no/where/at/all", "")],
)
def test_unknown_model_is_answered_with_the_nearest_name(name: str, hint: str) -> None:
    with pytest.raises(ModelError) as raised:
        locate(name)
    assert one_paragraph(raised.value) == (
        f"{name}: no such folder, and no published model of that name{hint}. There are mini, small, medium, "
        "original, 5.5B; a folder must hold options.json and weights.hdf5."
    )


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ([], "no *options.json"),
        (["options.json"], "no *weights.hdf5"),
        (
            ["a_options.json", "b_options.json"],
            "2 files match *options.json (a_options.json, b_options.json)",
        ),
        (
            ["options.json", "a_weights.hdf5", "b_weights.hdf5"],
            "2 files match *weights.hdf5 (a_weights.hdf5, b_weights.hdf5)",
        ),
    ],
)
def test_folder_without_one_model_says_what_it_holds(tmp_path: Path, files: list[str], found: str) -> None:
    for name in files:
        (tmp_path / name).touch()
    with pytest.raises(ModelError) as raised:
        locate(tmp_path)
    message = one_paragraph(raised.value)
    assert message.startswith(f"{tmp_path}: not the folder of one biLM: {found}")
    assert "; expected options.json and weights.hdf5." in message


def test_published_names_and_a_plain_name_beside_others_are_found(tmp_path: Path) -> None:
    names = ["elmo_2x1024_options.json", "elmo_2x1024_weights.hdf5"]
    for name in names:
        (tmp_path / name).touch()
    assert locate(tmp_path) == (tmp_path / names[0], tmp_path / names[1])
    (tmp_path / "options.json").touch()
    assert locate(str(tmp_path)) == (tmp_path / "options.json", tmp_path / names[1])


@pytest.mark.parametrize("missing", ["options.json", "weights.hdf5"])
def test_pair_with_a_missing_file_names_it(folder: Path, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(ModelError) as raised:
        locate((folder / "options.json", str(folder / "weights.hdf5")))
    assert one_paragraph(raised.value) == (
        f"{folder / missing}: no such file; expected the pair (options.json, weights.hdf5) of a biLM."
    )
