"""The verbs of the store, as a user has them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from fake_encoder import FakeEncoder, numbered
from typer.testing import CliRunner, Result

from elmo_bench.cli import app
from elmo_bench.errors import ElmoBenchError
from elmo_bench.features.store import StoredFeatures

VERBS = ["info", "verify", "prune", "export"]
SENTENCES = numbered(50)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with two models, in the cache folder."""
    folder = tmp_path / "cache" / "features"
    for name in ("abcdef0123456789", "fedcba9876543210"):
        StoredFeatures(FakeEncoder(name, width=400), folder).prepare(SENTENCES)
    return folder


def environment(tmp_path: Path) -> dict[str, str]:
    coloured = ("FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "GITHUB_ACTIONS", "TTY_COMPATIBLE")
    kept = {name: value for name, value in os.environ.items() if name not in coloured}
    return {**kept, "ELMO_BENCH_CACHE": str(tmp_path / "cache"), "COLUMNS": "200"}


def start(tmp_path: Path, *arguments: str, python: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """A process of its own."""
    return subprocess.run(
        [sys.executable, *python, "-m", "elmo_bench", "store", *arguments],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def run(tmp_path: Path, *arguments: str) -> Result:
    """The same in this process, which is faster."""
    return CliRunner().invoke(app, ["store", *arguments], env=environment(tmp_path))


def damage(folder: Path, sentence: list[str]) -> None:
    path = folder / "abcdef0123456789-half" / "data.mdb"
    layers = FakeEncoder("abcdef0123456789", width=400).expected([sentence]).tobytes()
    content = path.read_bytes()
    assert content.count(layers) == 1
    path.write_bytes(content.replace(layers, layers[:-1] + bytes([layers[-1] ^ 1])))


@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_examples_that_its_options_allow_and_imports_nothing_heavy(
    tmp_path: Path, verb: str
) -> None:
    done = start(tmp_path, verb, "--help", python=("-X", "importtime"))
    assert done.returncode == 0
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert {"typer", "elmo_bench"} <= imported
    assert not imported & {"torch", "numpy", "h5py", "lmdb", "filelock"}
    shown = re.findall(r"^ *elmo-bench store (\w+)(.*?) *$", done.stdout, re.MULTILINE)
    assert {command for command, _ in shown} == {verb}
    for _, words in shown:
        for option in re.findall(r"--\w+", words):
            assert re.search(rf"[│|] *\*? *{option}\b", done.stdout)


def test_info_has_a_row_for_each_set_and_needs_no_torch(tmp_path: Path, folder: Path) -> None:
    done = start(tmp_path, "info", python=("-X", "importtime"))
    assert done.returncode == 0
    assert not re.search(r"\| +torch$", done.stderr, re.MULTILINE)
    tokens = sum(map(len, SENTENCES))
    for name in ("abcdef012345", "fedcba987654"):
        row = rf"{name} .* half .* 3 × 400 .* 50 .* {tokens} .* \d+\.\d [kM]B .* \d{{4}}-\d\d-\d\d"
        assert re.search(row, done.stdout)
    elsewhere = run(tmp_path, "info", "--folder", "elsewhere")
    assert (elsewhere.exit_code, elsewhere.stdout) == (0, "elsewhere: nothing is stored there.\n")


def test_verify_counts_damage_and_repair_removes_it(tmp_path: Path, folder: Path) -> None:
    done = run(tmp_path, "verify")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == (
        "abcdef012345 half: 50 sentences, 0 damaged\nfedcba987654 half: 50 sentences, 0 damaged\n"
    )
    damage(folder, SENTENCES[8])
    done = run(tmp_path, "verify")
    assert done.exit_code == 1
    assert "abcdef012345 half: 50 sentences, 1 damaged\n" in done.stdout
    done = run(tmp_path, "verify", "--fingerprint", "fed")
    assert (done.exit_code, done.stdout) == (0, "fedcba987654 half: 50 sentences, 0 damaged\n")
    done = run(tmp_path, "verify", "--repair", "--folder", str(folder))
    assert done.exit_code == 0
    assert "50 sentences, 1 damaged, removed; they are computed again when they are needed" in done.stdout
    done = run(tmp_path, "verify", "--fingerprint", "abc")
    assert (done.exit_code, done.stdout) == (0, "abcdef012345 half: 49 sentences, 0 damaged\n")


def test_prune_removes_what_was_chosen_and_says_what_it_freed(tmp_path: Path, folder: Path) -> None:
    assert run(tmp_path, "prune", "--days", "1", "--yes").stdout == f"{folder}: nothing to remove.\n"
    unasked = run(tmp_path, "prune", "--fingerprint", "abc")
    assert str(unasked.exception) == "Nothing was removed: nobody is there to ask. Say --yes."
    assert (folder / "abcdef0123456789-half").is_dir()
    done = run(tmp_path, "prune", "--fingerprint", "abc", "--yes")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "abcdef012345" in done.stdout
    assert "fedcba987654" not in done.stdout
    assert re.fullmatch(r"\d+\.\d [kM]B freed\.", done.stdout.splitlines()[-1])
    assert [path.name for path in folder.iterdir() if path.is_dir()] == ["fedcba9876543210-half"]
    assert run(tmp_path, "prune", "--size", "1.5GB", "--yes").stdout.endswith("nothing to remove.\n")
    assert run(tmp_path, "prune", "--size", "10 kb", "-y").stdout.endswith("freed.\n")
    assert [path for path in folder.iterdir() if path.is_dir()] == []


@pytest.mark.parametrize("suffix", [".hdf5", ".npz"])
def test_export_writes_the_layers_of_a_text(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = [SENTENCES[3], [], SENTENCES[5], SENTENCES[3]]
    (tmp_path / "text").write_text("\n".join(map(" ".join, text)) + "\n")
    done = run(tmp_path, "export", "text", f"layers{suffix}", "--fingerprint", "fed")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    path = tmp_path / f"layers{suffix}"
    with h5py.File(path) if suffix == ".hdf5" else np.load(path) as found:
        for line, sentence in enumerate(text):
            expected = FakeEncoder("fedcba9876543210", width=400).layers(sentence).astype(np.float16)
            np.testing.assert_array_equal(found[str(line)][()], expected, strict=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prune"], r"Say what to remove: --days NUMBER, --fingerprint START or --size BYTES\."),
        (
            ["prune", "--size", "much"],
            r"The size 'much' is not a number of bytes; expected for example 500MB",
        ),
        (["export", "text", "o.txt"], r"o\.txt: \.txt does not name a format"),
        (
            ["export", "text", "o.npz"],
            r".*features: expected one set, but these would do: abcdef012345 ",
        ),
        (
            ["export", "text", "o.npz", "--precision", "single"],
            r".*features: expected one set, .* none\.",
        ),
        (["export", "text", "o.npz", "--fingerprint", "fed"], r"text, line 2: 'not there' is not in "),
        (["export", "no", "o.npz", "--fingerprint", "fed"], r"no: cannot be read \(No such file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_of_the_users_are_named(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("w0\nnot there\n")
    done = run(tmp_path, *arguments)
    assert isinstance(done.exception, ElmoBenchError)
    assert re.match(message, str(done.exception))
    assert done.stdout == ""
    assert not (tmp_path / "o.npz").exists()


def test_mistake_is_one_paragraph_and_exit_code_2(tmp_path: Path) -> None:
    done = start(tmp_path, "prune", python=())
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"Error: Say what to remove: .*\n", done.stderr)
