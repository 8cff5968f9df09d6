"""Layers in files, read back with the readers that other programs use; and disks that are full."""

import json
import logging
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import safetensors.numpy
from numpy.typing import NDArray

from elmo_bench.errors import OutputError
from elmo_bench.features import export as export_module
from elmo_bench.features.export import checked_suffix, export

SUFFIXES = [".hdf5", ".h5", ".npz", ".safetensors"]
TOKENS = [["The", "river", "'s", "bank"], [], ["naïve", "川"], ["The", "river", "'s", "bank"]]

Arrays = dict[str, NDArray[Any]]
Pair = tuple[list[str], NDArray[np.float32]]


def pairs() -> list[Pair]:
    """Tokens and layers (3, tokens, 6); two dimensions (as for one layer) where the sentence is short."""
    random = np.random.default_rng(0)
    layers = [random.normal(size=(3, len(tokens), 6)).astype(np.float32) for tokens in TOKENS]
    layers[2] = layers[2][1]
    layers[3] = np.asfortranarray(layers[3])
    return list(zip(TOKENS, layers, strict=True))


def load(path: Path) -> Arrays:
    if path.suffix == ".npz":
        with np.load(path) as archive:
            return dict(archive)
    if path.suffix == ".safetensors":
        return safetensors.numpy.load_file(path)
    with h5py.File(path, "r") as file:
        return {key: file[key][()] for key in file if key != "sentence_to_index"}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("half", [False, True], ids=["single", "half"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_independent_reader_finds_every_array_under_its_line_number(
    tmp_path: Path, suffix: str, half: bool
) -> None:
    path = tmp_path / f"layers{suffix}"
    export(path, pairs(), half=half)
    found = load(path)
    assert found.keys() == {"0", "1", "2", "3"}
    for key, (_, layers) in enumerate(pairs()):
        expected = layers.astype(np.float16 if half else np.float32)
        assert found[str(key)].dtype == expected.dtype
        np.testing.assert_array_equal(found[str(key)], expected, strict=True)
    assert names(tmp_path) == {path.name}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_text_without_sentences_gives_a_file_without_arrays(tmp_path: Path, suffix: str) -> None:
    export(tmp_path / f"layers{suffix}", [])
    assert load(tmp_path / f"layers{suffix}") == {}


def test_keys_are_the_numbers_of_the_lines_above_nine_too(tmp_path: Path) -> None:
    many = [(["word"], np.full((1, 1), number, np.float32)) for number in range(12)]
    for suffix in (".npz", ".safetensors", ".hdf5"):
        export(tmp_path / f"layers{suffix}", many)
        found = load(tmp_path / f"layers{suffix}")
        assert {key: float(array[0, 0]) for key, array in found.items()} == {
            str(number): float(number) for number in range(12)
        }


@pytest.mark.parametrize("suffix", [".hdf5", ".h5"])
def test_classic_layout_has_the_sentences_in_one_json_string(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"layers{suffix}"
    export(path, pairs())
    with h5py.File(path, "r") as file:
        assert set(file) == {"0", "1", "2", "3", "sentence_to_index"}
        dataset = file["sentence_to_index"]
        assert dataset.shape == (1,)
        assert h5py.check_string_dtype(dataset.dtype) is not None
        index = json.loads(dataset[0])
    # As in the published command, the last of equal sentences has its number there.
    assert index == {"The river 's bank": "3", "": "1", "naïve 川": "2"}


def test_index_of_a_long_text_is_left_out_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    text = "The river 's banknaïve 川"
    path = tmp_path / "layers.hdf5"
    monkeypatch.setattr(export_module, "INDEX_BYTES", len(text.encode()))
    with caplog.at_level(logging.WARNING):
        export(path, pairs()[:3])
    assert caplog.text == ""
    with h5py.File(path, "r") as file:
        assert len(json.loads(file["sentence_to_index"][0])) == 3
    monkeypatch.setattr(export_module, "INDEX_BYTES", len(text.encode()) - 1)
    with caplog.at_level(logging.WARNING):
        export(path, pairs())
    with h5py.File(path, "r") as file:
        assert set(file) == {"0", "1", "2", "3"}
    assert caplog.text.count("sentence_to_index is left out") == 1


@pytest.mark.parametrize("check", [checked_suffix, lambda path: export(path, pairs())])
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("layers.txt", ".txt does not name a format; expected one of .hdf5, .h5, .npz, .safetensors."),
        ("layers", "no suffix does not name a format; expected one of .hdf5, .h5, .npz, .safetensors."),
        ("layers.NPZ", ".NPZ does not name a format; expected one of .hdf5, .h5, .npz, .safetensors."),
    ],
)
def test_unknown_suffix_is_refused(
    tmp_path: Path, name: str, found: str, check: Callable[[Path], object]
) -> None:
    with pytest.raises(OutputError) as raised:
        check(tmp_path / name)
    assert str(raised.value) == f"{tmp_path / name}: {found}"
    assert names(tmp_path) == set()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_missing_folder_is_refused_before_anything_is_computed(tmp_path: Path, suffix: str) -> None:
    def computed() -> Iterator[Pair]:
        pytest.fail("a sentence was asked for")
        yield from pairs()

    path = tmp_path / "new" / f"layers{suffix}"
    with pytest.raises(OutputError) as raised:
        export(path, computed())
    assert str(raised.value) == f"{path}: the folder {tmp_path / 'new'} does not exist; make it first."
    assert names(tmp_path) == set()


@pytest.mark.parametrize("error", [ValueError("no more"), KeyboardInterrupt()], ids=["error", "Ctrl-C"])
@pytest.mark.parametrize("older", [None, b"older"], ids=["new", "older file there"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_error_in_the_middle_leaves_the_folder_as_it_was(
    tmp_path: Path, suffix: str, older: bytes | None, error: BaseException
) -> None:
    path = tmp_path / f"layers{suffix}"
    if older:
        path.write_bytes(older)

    def broken() -> Iterator[Pair]:
        yield from pairs()
        assert names(tmp_path) - {path.name} or suffix == ".safetensors"  # something was under way
        raise error

    with pytest.raises(type(error)) as raised:
        export(path, broken())
    assert raised.value is error
    assert names(tmp_path) == ({path.name} if older else set())
    assert not older or path.read_bytes() == older


FILL = """
import json, resource, sys
from pathlib import Path
import numpy as np
from elmo_bench.errors import OutputError
from elmo_bench.features.export import export

path, tokens, limit = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "limit"
path.write_bytes(b"older")
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
layers = np.ones((1, tokens, 256), np.float32)
given = 0

def three_megabytes():
    global given
    for given in range(1, 3072 // tokens + 1):
        yield ["word"] * tokens, layers

try:
    export(path, three_megabytes())
except OutputError as error:
    left = sorted(each.name for each in path.parent.iterdir())
    print(json.dumps([str(error), left, path.read_bytes().decode(), given]))
"""


def fill(command: list[str], path: Path, tokens: int, mode: str) -> tuple[str, int]:
    """Writes 3 MB where 1 MB fits; gives the message and how many sentences were asked for."""
    done = subprocess.run(
        [*command, sys.executable, "-c", FILL, str(path), str(tokens), mode],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, f"exit {done.returncode}: …{done.stderr[-500:]}"
    assert done.stderr == ""
    message, left, content, given = json.loads(done.stdout)
    assert left == [path.name]
    assert content == "older"
    assert "\n" not in message
    assert message.startswith(f"{path}: ")
    assert "Nothing was written under that name" in message
    return message, given


def mounting(folder: Path) -> list[str]:
    """Begins a command that sees a disk of 1 MB at the folder; nobody else does, and it goes with it."""
    if not shutil.which("unshare"):
        pytest.skip("needs unshare")
    script = f"mount -t tmpfs -o size=1m tmpfs '{folder}' && exec \"$@\""
    command = ["unshare", "-rm", "sh", "-c", script, "sh"]
    if subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip("may not mount a disk here")
    return command


# Small arrays wait in a library's buffers and fail late, large ones fail at once.
@pytest.mark.parametrize("tokens", [2, 64, 3072])
@pytest.mark.parametrize("suffix", [".hdf5", ".npz", ".safetensors"])
def test_full_disk_is_an_error_and_keeps_the_older_file(tmp_path: Path, suffix: str, tokens: int) -> None:
    command = mounting(tmp_path)
    message, given = fill(command, tmp_path / f"layers{suffix}", tokens, "disk")
    assert "the disk is full (" in message
    assert "make room" in message
    assert given <= max(1, 0.7 * 3072 / tokens)


@pytest.mark.parametrize("tokens", [2, 64, 3072])
@pytest.mark.parametrize("suffix", [".hdf5", ".npz", ".safetensors"])
def test_refused_write_is_an_error_and_keeps_the_older_file(tmp_path: Path, suffix: str, tokens: int) -> None:
    message, given = fill([], tmp_path / f"layers{suffix}", tokens, "limit")
    assert "cannot be written (File too large)." in message
    assert given <= max(1, 0.7 * 3072 / tokens)
