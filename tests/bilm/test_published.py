"""The cache of published models, against a server of our own: the real network is never used."""

import errno
import hashlib
import json
import os
import random
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest
from local_server import Server, serving

from elmo_bench.bilm import download, published
from elmo_bench.errors import DownloadError, ModelError, OutputError

UNREACHABLE = "http://127.0.0.1:1"
REPOSITORY = Path(__file__).parents[2]
FOLDER = "2x1024_128_2048cnn_1xhighway"
OPTIONS, WEIGHTS = f"elmo_{FOLDER}_options.json", f"elmo_{FOLDER}_weights.hdf5"
OPTIONS_BYTES = b'{"lstm": {"dim": 1024}}\n'
WEIGHTS_BYTES = random.Random(1).randbytes(700_001)  # several blocks, and no multiple of one

Get = Callable[[], tuple[Path, Path]]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(FOLDER, {OPTIONS: OPTIONS_BYTES, WEIGHTS: WEIGHTS_BYTES}) as running:
        yield running


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test can reach the network, the user's cache or a proxy, even if it is wrong."""
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ELMO_BENCH_MIRROR", UNREACHABLE)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(download, "PAUSE_SECONDS", 0.001)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "models" / "small"


@pytest.fixture
def get(server: Server, monkeypatch: pytest.MonkeyPatch) -> Get:
    monkeypatch.setenv("ELMO_BENCH_MIRROR", server.address + "/")
    return lambda: published.fetch("small", verify=verify, progress=False)


def verify(options: Path, weights: Path) -> None:
    """Stands for the caller's check; sees only complete files."""
    if options.read_bytes() != OPTIONS_BYTES or len(weights.read_bytes()) < 10:
        raise ModelError("expected 13593312 parameters, got 7.")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"download.lock"}


def place(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / OPTIONS).write_bytes(OPTIONS_BYTES)
    (folder / WEIGHTS).write_bytes(WEIGHTS_BYTES)


def test_published_table_has_the_golden_counts_and_names() -> None:
    assert {name: model.parameters for name, model in published.PUBLISHED.items()} == {
        "small": 13_593_312,
        "medium": 28_027_744,
        "original": 93_600_864,
        "5.5B": 93_600_864,
    }
    assert published.PUBLISHED["5.5B"].options_file == "elmo_2x4096_512_2048cnn_2xhighway_5.5B_options.json"
    assert published.PUBLISHED["medium"].weights_file == "elmo_2x2048_256_2048cnn_1xhighway_weights.hdf5"


def test_address_is_the_published_one_unless_a_mirror_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    model = published.PUBLISHED["original"]
    monkeypatch.delenv("ELMO_BENCH_MIRROR")
    assert model.address(model.options_file) == (
        "https://allennlp.s3.amazonaws.com/models/elmo/2x4096_512_2048cnn_2xhighway/"
        "elmo_2x4096_512_2048cnn_2xhighway_options.json"
    )
    monkeypatch.setenv("ELMO_BENCH_MIRROR", "file:///models")
    with pytest.raises(DownloadError, match="ELMO_BENCH_MIRROR is 'file:///models'"):
        model.address(model.options_file)


def test_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/reader")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    monkeypatch.setenv("ELMO_BENCH_CACHE", "~/chosen")
    assert published.cache_folder() == Path("/home/reader/chosen")
    monkeypatch.delenv("ELMO_BENCH_CACHE")
    assert published.cache_folder() == Path("/xdg/elmo_bench")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert published.cache_folder() == Path("/home/reader/.cache/elmo_bench")


def test_both_files_arrive_and_the_second_call_asks_for_nothing(
    server: Server, models: Path, get: Get
) -> None:
    options, weights = get()
    assert (options, weights) == (models / OPTIONS, models / WEIGHTS)
    assert options.read_bytes() == OPTIONS_BYTES
    assert weights.read_bytes() == WEIGHTS_BYTES
    assert names(models) == {OPTIONS, WEIGHTS, "sha256.json"}
    entry = json.loads((models / "sha256.json").read_text())[WEIGHTS]
    assert entry["sha256"] == hashlib.sha256(WEIGHTS_BYTES).hexdigest()
    assert entry["size"] == len(WEIGHTS_BYTES)
    assert entry["url"] == f"{server.address}/{FOLDER}/{WEIGHTS}"
    assert server.requests == [(OPTIONS, None, None), (WEIGHTS, None, None)]
    assert get() == (options, weights)
    assert len(server.requests) == 2


def test_changed_bytes_are_detected_with_both_hashes(server: Server, get: Get) -> None:
    _, weights = get()
    changed = b"X" + WEIGHTS_BYTES[1:]
    weights.write_bytes(changed)
    os.utime(weights, ns=(1, 1))
    with pytest.raises(DownloadError) as raised:
        get()
    message = str(raised.value)
    assert str(weights) in message
    assert hashlib.sha256(WEIGHTS_BYTES).hexdigest() in message
    assert hashlib.sha256(changed).hexdigest() in message
    assert "Delete the file to fetch it again" in message
    weights.unlink()
    assert get()[1].read_bytes() == WEIGHTS_BYTES
    assert [name for name, *_ in server.requests] == [OPTIONS, WEIGHTS, WEIGHTS]


def test_changed_size_is_detected_even_with_the_old_time(get: Get) -> None:
    _, weights = get()
    time = weights.stat().st_mtime_ns
    weights.write_bytes(WEIGHTS_BYTES[:-1])
    os.utime(weights, ns=(time, time))
    with pytest.raises(DownloadError, match=r"it has 700000 bytes .* says 700001 bytes"):
        get()


def test_another_file_at_the_address_is_not_taken_for_the_recorded_one(server: Server, get: Get) -> None:
    _, weights = get()
    weights.unlink()
    server.files[WEIGHTS] = b"Y" + WEIGHTS_BYTES[1:]
    for _ in range(2):
        with pytest.raises(DownloadError, match=hashlib.sha256(WEIGHTS_BYTES).hexdigest()):
            get()


def test_only_a_touched_file_is_hashed_and_only_once(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    _, weights = get()
    hashed: list[str] = []
    real = hashlib.file_digest

    def counted(stream: Any, name: str) -> Any:
        hashed.append(Path(stream.name).name)
        return real(stream, name)

    monkeypatch.setattr(hashlib, "file_digest", counted)
    get()
    assert hashed == []
    os.utime(weights, ns=(1, 1))
    get()
    get()
    assert hashed == [WEIGHTS]


def test_read_only_cache_is_only_hashed_again(
    models: Path, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = get()
    record = (models / "sha256.json").read_bytes()
    os.utime(paths[1], ns=(1, 1))

    def refuse(path: Path, *arguments: Any, **keywords: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    for change in ("write_text", "unlink"):  # a read-only mount refuses unlink even where there is no file
        monkeypatch.setattr(Path, change, refuse)
        assert get() == paths
    assert (models / "sha256.json").read_bytes() == record


def test_unreadable_record_says_to_delete_it(models: Path, get: Get) -> None:
    get()
    (models / "sha256.json").write_text("[]")
    with pytest.raises(DownloadError, match=r"sha256\.json is not a record of hashes .* Delete it"):
        get()


def test_files_placed_by_hand_are_verified_and_recorded(server: Server, models: Path, get: Get) -> None:
    place(models)
    seen: list[tuple[Path, Path]] = []
    for _ in range(2):
        published.fetch("small", verify=lambda *paths: seen.append(paths), progress=False)
    assert seen == [(models / OPTIONS, models / WEIGHTS)]
    entry = json.loads((models / "sha256.json").read_text())[WEIGHTS]
    assert (entry["sha256"], entry["url"]) == (hashlib.sha256(WEIGHTS_BYTES).hexdigest(), None)
    assert server.requests == []


def test_wrong_files_placed_by_hand_are_rejected_but_kept(models: Path, get: Get) -> None:
    place(models)
    (models / OPTIONS).write_bytes(b"{}")
    with pytest.raises(DownloadError, match=r"got 7\. Nothing is deleted"):
        get()
    assert names(models) == {OPTIONS, WEIGHTS}


def test_fetched_files_that_fail_verification_are_deleted(server: Server, models: Path, get: Get) -> None:
    server.files[OPTIONS] = b"<html>Welcome to the hotel</html>"
    with pytest.raises(DownloadError, match=r"expected 13593312 parameters, got 7\. .* deleted") as raised:
        get()
    assert isinstance(raised.value.__cause__, ModelError)
    assert names(models) == set()


def test_two_processes_make_one_download(server: Server, models: Path, tmp_path: Path) -> None:
    script = tmp_path / "fetch.py"
    script.write_text(
        "import logging\n"
        "from elmo_bench.bilm.published import fetch\n"
        "logging.basicConfig(level=logging.INFO)\n"
        "fetch('small', verify=lambda options, weights: print('verified'))\n"
    )
    environment = os.environ | {"ELMO_BENCH_MIRROR": server.address, "PYTHONPATH": str(REPOSITORY)}

    def start() -> Popen[str]:
        return Popen([sys.executable, str(script)], env=environment, stdout=PIPE, stderr=PIPE, text=True)

    server.open.clear()
    with start() as first, start() as second:
        assert first.stderr
        assert second.stderr
        lines = [first.stderr.readline(), second.stderr.readline()]  # each says whether it fetches or waits
        server.open.set()
        outputs = [first.communicate(timeout=20)[0], second.communicate(timeout=20)[0]]
    assert (first.returncode, second.returncode) == (0, 0)
    assert sorted(outputs) == ["", "verified\n"]
    assert sorted(re.findall(r"fetching|waiting", " ".join(lines))) == ["fetching", "waiting"]
    assert [name for name, *_ in server.requests] == [OPTIONS, WEIGHTS]
    assert (models / WEIGHTS).read_bytes() == WEIGHTS_BYTES


def test_unreachable_server_says_what_to_put_where(models: Path) -> None:
    with pytest.raises(DownloadError) as raised:
        published.fetch("small", verify=verify)
    message = str(raised.value)
    assert "\n" not in message
    files = f"{UNREACHABLE}/{FOLDER}/{OPTIONS} and {UNREACHABLE}/{FOLDER}/{WEIGHTS}"
    assert f"put the two files {files} into the folder {models} " in message
    assert "ELMO_BENCH_CACHE" in message
    assert "refused" in message


def test_connection_that_always_breaks_says_that_the_part_is_kept(
    server: Server, models: Path, get: Get
) -> None:
    server.break_after = [5] * 4
    with pytest.raises(
        DownloadError, match=rf"{OPTIONS} ended after 20 of 24 bytes\. What has arrived is kept"
    ):
        get()
    assert names(models) == {f"{OPTIONS}.part", f"{OPTIONS}.part.json"}
    assert get()[0].read_bytes() == OPTIONS_BYTES
    assert server.requests[4:] == [(OPTIONS, "bytes=20-", '"first"'), (WEIGHTS, None, None)]


def test_cache_that_cannot_be_made_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(OutputError, match="cache/models/small cannot be used"):
        published.fetch("small", verify=verify)


@pytest.mark.parametrize(("terminal", "wanted"), [(True, True), (True, False), (False, True)])
def test_progress_is_shown_on_a_terminal_only(
    terminal: bool,
    wanted: bool,
    get: Get,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm")
    published.fetch("small", verify=verify, progress=wanted)
    output = capsys.readouterr()
    assert output.out == ""
    assert (WEIGHTS in output.err) == (terminal and wanted)
    assert ("700.0/700.0 kB" in output.err) == (terminal and wanted)
