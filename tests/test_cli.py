"""The command line, as a user has it: a process of its own, its exit code, its two outputs and its files."""

import gzip
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import safetensors.numpy
from numpy.typing import NDArray
from random_models import write_random_model

import elmo_bench
from elmo_bench import speed
from elmo_bench.elmo import Elmo
from elmo_bench.report.speed import show

PROGRAM = [sys.executable, "-m", "elmo_bench"]
VERBS = ["embed", "speed", "demo"]
TEXT = "The bank lends\n\nThe river 's bank is steep\nnaïve 川\nThe bank lends\n"
SENTENCES = [line.split() for line in TEXT.splitlines()]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_random_model(tmp_path_factory.mktemp("cli") / "model", scale=4.0)


def environment(folder: Path) -> dict[str, str]:
    """Without a network, a cache of the user's, or what asks for colours and narrow lines."""
    coloured = ("FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "GITHUB_ACTIONS", "TTY_COMPATIBLE")
    kept = {name: value for name, value in os.environ.items() if name not in coloured}
    offline = {"ELMO_BENCH_CACHE": str(folder / "cache"), "ELMO_BENCH_MIRROR": "http://127.0.0.1:1"}
    return {**kept, **offline, "no_proxy": "127.0.0.1", "COLUMNS": "200"}


def run(
    folder: Path, *arguments: str, command: list[str] = PROGRAM, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env=environment(folder),
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def examples(help_text: str) -> list[list[str]]:
    """Words of each example in a help text after ``elmo-bench``."""
    commands = re.findall(r"^ *(?:.*\| )?elmo-bench (\w.*?) *$", help_text, re.MULTILINE)
    return [shlex.split(command) for command in commands]


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_shows_examples_that_its_options_allow(tmp_path: Path, verb: str) -> None:
    done = run(tmp_path, *filter(None, [verb]), "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^ *Examples?\b", done.stdout, re.MULTILINE)
    shown = examples(done.stdout)
    assert shown
    for command, *words in shown:
        assert command == verb or (not verb and command in VERBS)
        options = run(tmp_path, command, "--help").stdout if not verb else done.stdout
        for word in words:
            assert not word.startswith("--") or re.search(rf"{word}\b", options)


def test_help_names_the_defaults_of_speed(tmp_path: Path) -> None:
    shown = " ".join(run(tmp_path, "speed", "--help").stdout.split())
    assert shown.count("[default: all three]") == 2
    assert "[default: 1, 8, 64]" in shown


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_imports_nothing_heavy(tmp_path: Path, verb: str) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "elmo_bench", *filter(None, [verb]), "--help"]
    done = run(tmp_path, command=command)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert {"typer", "elmo_bench"} <= imported
    assert not imported & {"torch", "h5py", "numpy"}


def test_help_answers_at_once(tmp_path: Path) -> None:
    def seconds() -> float:
        begin = time.perf_counter()
        assert "Usage" in run(tmp_path, "--help").stdout
        return time.perf_counter() - begin

    assert min(seconds() for _ in range(5)) < 0.5


def test_version_is_printed_without_a_verb(tmp_path: Path) -> None:
    done = run(tmp_path, "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{elmo_bench.__version__}\n", "")


def load(path: Path) -> dict[str, NDArray[Any]]:
    if path.suffix == ".npz":
        with np.load(path) as archive:
            return dict(archive)
    if path.suffix == ".safetensors":
        return safetensors.numpy.load_file(path)
    with h5py.File(path, "r") as file:
        assert json.loads(file["sentence_to_index"][0])["naïve 川"] == "3"
        return {key: file[key][()] for key in file if key != "sentence_to_index"}


@pytest.mark.parametrize(
    ("source", "target", "options"),
    [
        ("text.txt", "layers.hdf5", []),
        ("text.gz", "layers.npz", ["--layers", "top"]),
        ("-", "layers.safetensors", ["--layers", "mean", "--half"]),
        ("text.txt", "layers.npz", ["--state", "zero", "--layers", "top"]),
        ("-", "layers.h5", ["--state", "carry", "--batch-sentences", "2"]),
    ],
)
def test_embed_writes_what_the_library_computes(
    tmp_path: Path, model: Path, source: str, target: str, options: list[str]
) -> None:
    if source != "-":
        content = TEXT.encode()
        (tmp_path / source).write_bytes(gzip.compress(content) if source.endswith(".gz") else content)
    done = run(tmp_path, "embed", source, target, "--model", str(model), *options, stdin=TEXT)
    assert (done.returncode, done.stdout) == (0, "")
    assert re.fullmatch(rf"{target}: 5 sentences, 14 tokens, [\d,]+ tokens/s\n", done.stderr)

    def chosen(option: str, default: str) -> Any:
        return options[options.index(option) + 1] if option in options else default

    elmo, layers = Elmo.load(model, state=chosen("--state", "warm")), chosen("--layers", "all")
    expected = elmo.embed(SENTENCES, 2 if "--batch-sentences" in options else None, layers)
    found = load(tmp_path / target)
    assert found.keys() == {str(line) for line in range(len(SENTENCES))}
    kind, tolerance = (np.dtype("f2"), 2e-3) if "--half" in options else (np.dtype("f4"), 1e-5)
    for line, array in enumerate(expected):
        assert (found[str(line)].dtype, found[str(line)].shape) == (kind, array.shape)
        np.testing.assert_allclose(found[str(line)], array, rtol=tolerance, atol=tolerance)
    states = {state: Elmo.load(model, state=state).embed(SENTENCES[:1])[0] for state in ("warm", "zero")}
    assert np.abs(states["warm"] - states["zero"]).max() > 0.01  # or the comparison could not tell them apart


def test_embed_in_low_precision_says_how_far_it_is_off(tmp_path: Path, model: Path) -> None:
    done = run(tmp_path, "embed", "-", "layers.npz", "-m", str(model), "--precision", "bf16", stdin=TEXT)
    assert (done.returncode, done.stdout) == (0, "")
    last = done.stderr.splitlines()[-1]
    assert re.fullmatch(r"bf16 differs from fp32 by \(.*\): (\d+\.\d\d%)(, \d+\.\d\d%){2}", last)
    for line, exact in enumerate(Elmo.load(model).embed(SENTENCES)):
        found = load(tmp_path / "layers.npz")[str(line)]
        assert np.abs(found - exact).max(initial=0.0) < 0.1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["embed", "text", "o.npz", "-m", "smal"], r"smal: no such folder, .*did you mean small\?"),
        (["embed", "text", "o.npz", "-m", "empty"], r"empty: not the folder of one biLM: no \*options\.json"),
        (["embed", "text", "o.npz", "-m", "damaged"], r"damaged/weights\.hdf5: not a readable hdf5 file"),
        (["embed", "text", "o.npz", "-m", "small"], r"The published model could not be fetched: .*refused"),
        (["embed", "missing", "o.npz", "-m", "good"], r"missing: cannot be read \(No such file"),
        (["embed", "empty", "o.npz", "-m", "good"], r"empty: cannot be read \(Is a directory\)"),
        (["embed", "latin", "o.npz", "-m", "good"], r"latin, line 2: not UTF-8 \(byte 0xe9 at column 4\)"),
        (["embed", "blank", "o.npz", "-m", "good"], r"blank: holds 2 empty lines, expected"),
        (["embed", "-", "o.npz", "-m", "good"], r"-, line 1: not UTF-8 \(byte 0xff at column 1\)"),
        (["embed", "text", "o.txt", "-m", "good"], r"o\.txt: \.txt does not name a format"),
        (["embed", "text", "no/o.npz", "-m", "good"], r"no/o\.npz: the folder no does not exist"),
        (["embed", "text", "folder.npz", "-m", "good"], r"folder\.npz: cannot be written \(Is a directory\)"),
        (["speed", "-m", "huge"], r"There is no published shape 'huge'; choose from small, medium, original"),
    ],
    ids=lambda value: " ".join(value[:3]) + " " + value[-1] if isinstance(value, list) else "",
)
def test_mistake_of_the_users_is_one_paragraph_and_exit_code_2(
    tmp_path: Path, model: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "text").write_text(TEXT, encoding="utf-8")
    (tmp_path / "latin").write_bytes(b"one\ncaf\xe9\n")
    (tmp_path / "blank").write_text("\n \n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "good").symlink_to(model)
    damaged = write_random_model(tmp_path / "damaged")
    (damaged / "weights.hdf5").write_bytes((model / "weights.hdf5").read_bytes()[:-1])
    before = set(tmp_path.iterdir())
    command = ["sh", "-c", 'printf "\\377\\n" | exec "$@"', "sh", *PROGRAM]
    done = run(tmp_path, *arguments, command=command)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.match(rf"Error: {message}", done.stderr)
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr
    assert set(tmp_path.iterdir()) - before <= {tmp_path / "cache"}


# A shell may start its children with Ctrl-C ignored, as it does behind an ampersand.
LISTENING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
RUN = "from elmo_bench.cli import main; main()"


@pytest.mark.parametrize(
    ("sent", "suffix", "code"),
    [(signal.SIGINT, ".hdf5", 130), (signal.SIGINT, ".npz", 130), (signal.SIGKILL, ".hdf5", -9)],
)
def test_interrupted_embed_leaves_nothing_under_the_final_name(
    tmp_path: Path, model: Path, sent: signal.Signals, suffix: str, code: int
) -> None:
    (tmp_path / "text").write_text(TEXT * 100_000, encoding="utf-8")
    arguments = ["embed", "text", f"out{suffix}", "-m", str(model), "--state", "carry"]
    process = subprocess.Popen(
        [sys.executable, "-c", LISTENING + RUN, *arguments],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    temporary = tmp_path / f".out.{process.pid}{suffix}"
    try:
        deadline = time.monotonic() + 30
        while not (temporary.exists() and temporary.stat().st_size > 100_000):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(sent)
        stdout, _ = process.communicate(timeout=3)  # a whole run takes ten times as long
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, stdout) == (code, "")
    left = {path.name for path in tmp_path.iterdir()} - {"text"}
    assert left == (set() if sent == signal.SIGINT else {temporary.name})


def test_interrupt_inside_a_destructor_is_not_lost(tmp_path: Path, model: Path) -> None:
    """Python drops an exception there, and h5py is there often: Ctrl-C must not be an exception alone."""
    script = LISTENING + (
        "import weakref\n"
        "from elmo_bench.data.formats import text\n"
        "class Token(str): pass\n"
        "def read(path, real=text.read_sentences):\n"
        "    for number, sentence in enumerate(real(path)):\n"
        "        if number == 300:\n"
        "            token = Token()\n"
        "            watch = weakref.ref(token, lambda _: signal.raise_signal(signal.SIGINT))\n"
        "            del token\n"
        "        yield sentence\n"
        "text.read_sentences = read\n"
    )
    command = [sys.executable, "-c", script + RUN]
    arguments = ["embed", "-", "out.hdf5", "-m", str(model), "--state", "carry"]
    done = run(tmp_path, *arguments, command=command, stdin=TEXT * 100)
    assert (done.returncode, done.stdout) == (130, "")
    assert list(tmp_path.iterdir()) == []


MEASURED = (
    "import resource, subprocess, sys\n"
    "subprocess.run([sys.executable, *sys.argv[1:]], check=True)\n"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_text(tmp_path: Path) -> None:
    """Counts what a child of a small process used at its peak: a child of this one begins with its memory."""
    wide = write_random_model(tmp_path / "wide", dim=8, projection=512)  # 12 kB a token, little to compute
    small_window = "import elmo_bench.features.extract as extract; extract.WINDOW_BYTES = 4 << 20\n"
    command = [sys.executable, "-c", MEASURED, "-c", small_window + RUN]
    peaks = []
    for sentences in (150, 600):
        lines = (" ".join(f"w{(line * token) % 300}" for token in range(20)) for line in range(sentences))
        (tmp_path / "text").write_text("\n".join(lines), encoding="utf-8")
        done = run(tmp_path, "embed", "text", "out.hdf5", "-m", str(wide), command=command)
        assert f"{sentences:,} sentences, {sentences * 20:,} tokens" in done.stderr
        assert (tmp_path / "out.hdf5").stat().st_size > sentences * 20 * 3 * 1024 * 4
        (tmp_path / "out.hdf5").unlink()
        peaks.append(int(done.stdout))
    assert peaks[1] < 1.15 * peaks[0]


def test_demo_shows_its_sentences_and_that_the_senses_part(tmp_path: Path) -> None:
    done = run(tmp_path, "demo", "--no-training")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    sentences = re.findall(r"^  [1-6]  (.* play .* \.)$", done.stdout, re.MULTILINE)
    assert len(set(sentences)) == 6
    same, other = map(float, re.findall(r"0\.\d{3}(?= on|\.\s)", done.stdout)[-2:])
    assert same > other + 0.1
    rows = re.findall(r"^ *[1-6] ((?:\d\.\d{3} ){6}) *[1-6] ((?:\d\.\d{3} ?){6})", done.stdout, re.MULTILINE)
    cosines = np.array([[part.split() for part in row] for row in rows], float)  # (6, layers, 6)
    assert cosines.shape == (6, 2, 6)
    for layer in (0, 1):
        np.testing.assert_array_equal(cosines[:, layer], cosines[:, layer].T)
        np.testing.assert_array_equal(np.diag(cosines[:, layer]), 1.0)
        assert cosines[:, layer].min() < 0.999


# Small, by hand: 2 per multiplication with addition · 2 directions · 2 layers · (gates + projection).
SMALL_OPERATIONS = 2 * 2 * 2 * ((128 + 128) * 4 * 1024 + 1024 * 128)
ROW_FIELDS = {"model", "batch", "precision", "tokens_per_second", "fraction", "memory_bytes", "error"}


@pytest.mark.slow
def test_speed_writes_complete_and_consistent_figures(tmp_path: Path) -> None:
    arguments = [
        "--model",
        "small",
        "--precision",
        "fp32",
        "--batch",
        "8",
        "--memory",
        "--json",
        "speed.json",
    ]
    done = run(tmp_path, "speed", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    figures = json.loads((tmp_path / "speed.json").read_text("utf-8"))
    assert figures.keys() == {"machine", "limit_operations_per_second", "rows"}
    assert figures["machine"].keys() == {"cpu", "cores", "device", "kernel", "torch", "elmo_bench"}
    assert all(figures["machine"].values())
    (row,) = figures["rows"]
    assert row.keys() == ROW_FIELDS
    assert (row["model"], row["batch"], row["precision"], row["error"]) == ("small", 8, "fp32", 0.0)
    assert row["memory_bytes"] > 0
    tokens, limit = row["tokens_per_second"], figures["limit_operations_per_second"]
    assert row["fraction"] == pytest.approx(tokens * SMALL_OPERATIONS / limit, rel=1e-9)
    assert 0.0 < row["fraction"] < 1.5
    for shown in (f" {tokens:,.0f} ", f" {row['fraction']:.2f} ", f" {limit / 1e9:,.0f} Gflop/s"):
        assert shown in done.stdout


def test_every_fraction_refers_to_the_limit_that_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = iter([1e11, 2e11])
    monkeypatch.setattr(speed, "matrix_limit", lambda workers: next(limits))
    monkeypatch.setattr(speed, "_tokens_per_second", lambda *_: 1000.0)
    monkeypatch.setattr(Elmo, "precision_error", lambda _: [0.01])
    show(["small"], [8], ["fp32", "bf16"], False, tmp_path / "speed.json")
    figures = json.loads((tmp_path / "speed.json").read_text("utf-8"))
    assert figures["limit_operations_per_second"] == 2e11
    expected = 1000.0 * SMALL_OPERATIONS / 2e11
    assert [row["fraction"] for row in figures["rows"]] == pytest.approx([expected, expected])
