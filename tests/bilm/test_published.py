"""Fetching the published models, against a server of our own: the real network is never used."""

import contextlib
import errno
import hashlib
import json
import logging
import os
import random
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from elmo_bench.bilm import published
from elmo_bench.errors import DownloadError, ModelError, OutputError

REPOSITORY = Path(__file__).parents[2]
FOLDER = "2x1024_128_2048cnn_1xhighway"
OPTIONS, WEIGHTS = f"elmo_{FOLDER}_options.json", f"elmo_{FOLDER}_weights.hdf5"
OPTIONS_BYTES = b'{"lstm": {"dim": 1024}}\n'
WEIGHTS_BYTES = random.Random(1).randbytes(700_001)  # several blocks, and no multiple of one


class Server(ThreadingHTTPServer):
    """Serves the two files and notes every request; the attributes are its faults."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {OPTIONS: OPTIONS_BYTES, WEIGHTS: WEIGHTS_BYTES}
        self.validators = {"ETag": '"first"'}
        self.requests: list[tuple[str, str | None, str | None]] = []  # file, Range, If-Range
        self.break_after: list[int] = []  # per coming answer with weights: bytes until the connection breaks
        self.ignores_range = False
        self.ignores_if_range = False
        self.extra_length = 0
        self.status: int | None = None
        self.open = threading.Event()
        self.open.set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def ranges(self, file: str) -> list[str | None]:
        return [asked for name, asked, _ in self.requests if name == file]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        server = self.server
        folder, name = self.path.strip("/").split("/")
        asked, condition = self.headers["Range"], self.headers["If-Range"]
        server.requests.append((name, asked, condition))
        assert server.open.wait(20)
        if server.status or folder != FOLDER:
            return self.send_error(server.status or 404)
        body = server.files[name]
        unchanged = server.ignores_if_range or condition in server.validators.values()
        start = int(asked[6:-1]) if asked and unchanged and not server.ignores_range else 0
        if start >= len(body):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(body)}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        for header, value in server.validators.items():
            self.send_header(header, value)
        self.send_header("Content-Length", str(len(body) - start + server.extra_length))
        self.end_headers()
        stop = len(body)
        if name == WEIGHTS and server.break_after:
            stop = start + server.break_after.pop(0)
        with contextlib.suppress(ConnectionError):  # the client may have gone
            self.wfile.write(body[start:stop])  # HTTP/1.0: returning closes the connection

    def log_message(self, format: str, *arguments: Any) -> None:
        """The requests are in the server's list."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.open.set()
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test can reach the network, the user's cache or a proxy, even if it is wrong."""
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ELMO_BENCH_MIRROR", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(published, "PAUSE_SECONDS", 0.001)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "models" / "small"


@pytest.fixture
def get(server: Server, monkeypatch: pytest.MonkeyPatch) -> Callable[[], tuple[Path, Path]]:
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


def leave_part(folder: Path, content: bytes, url: str, validator: str) -> None:
    folder.mkdir(parents=True)
    (folder / f"{WEIGHTS}.part").write_bytes(content)
    (folder / f"{WEIGHTS}.part.json").write_text(json.dumps({"url": url, "validator": validator}))


Get = Callable[[], tuple[Path, Path]]


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


def test_broken_connection_is_resumed_where_it_ended(server: Server, get: Get) -> None:
    server.break_after = [300_000, 100_000]
    assert get()[1].read_bytes() == WEIGHTS_BYTES
    assert server.ranges(WEIGHTS) == [None, "bytes=300000-", "bytes=400000-"]
    assert [condition for *_, condition in server.requests[-2:]] == ['"first"', '"first"']


def test_part_of_an_earlier_run_is_resumed(server: Server, models: Path, get: Get) -> None:
    leave_part(models, WEIGHTS_BYTES[:500], f"{server.address}/{FOLDER}/{WEIGHTS}", '"first"')
    assert get()[1].read_bytes() == WEIGHTS_BYTES
    assert server.ranges(WEIGHTS) == ["bytes=500-"]
    assert names(models) == {OPTIONS, WEIGHTS, "sha256.json"}


def test_weak_etag_is_not_used_and_the_date_is(server: Server, get: Get) -> None:
    date = "Fri, 16 Feb 2018 10:00:00 GMT"
    server.validators = {"ETag": 'W/"weak"', "Last-Modified": date}
    server.break_after = [1000]
    assert get()[1].read_bytes() == WEIGHTS_BYTES
    assert server.requests[-1] == (WEIGHTS, "bytes=1000-", date)


def test_without_a_validator_nothing_is_resumed(server: Server, get: Get) -> None:
    server.validators = {}
    server.break_after = [1000]
    assert get()[1].read_bytes() == WEIGHTS_BYTES
    assert server.ranges(WEIGHTS) == [None, None]


def test_server_that_ignores_range_sends_all_again(server: Server, get: Get) -> None:
    server.ignores_range = True
    server.break_after = [300_000]
    assert get()[1].read_bytes() == WEIGHTS_BYTES
    assert server.ranges(WEIGHTS) == [None, "bytes=300000-"]


@pytest.mark.parametrize("ignores_if_range", [False, True])
def test_changed_remote_file_is_not_glued_to_an_old_part(
    ignores_if_range: bool, server: Server, models: Path, get: Get
) -> None:
    server.ignores_if_range = ignores_if_range
    leave_part(models, b"old" * 1000, f"{server.address}/{FOLDER}/{WEIGHTS}", '"zeroth"')
    assert get()[1].read_bytes() == WEIGHTS_BYTES
    assert server.ranges(WEIGHTS) == (["bytes=3000-", None] if ignores_if_range else ["bytes=3000-"])


def test_part_of_another_address_is_not_resumed(server: Server, models: Path, get: Get) -> None:
    leave_part(models, b"old" * 1000, "http://elsewhere/weights", '"first"')
    assert get()[1].read_bytes() == WEIGHTS_BYTES
    assert server.ranges(WEIGHTS) == [None]


def test_part_that_reaches_the_end_is_fetched_again(server: Server, models: Path, get: Get) -> None:
    leave_part(models, bytes(len(WEIGHTS_BYTES)), f"{server.address}/{FOLDER}/{WEIGHTS}", '"first"')
    assert get()[1].read_bytes() == WEIGHTS_BYTES
    assert server.ranges(WEIGHTS) == [f"bytes={len(WEIGHTS_BYTES)}-", None]


def test_connection_that_always_breaks_is_an_error_and_keeps_the_part(
    server: Server, models: Path, get: Get
) -> None:
    server.break_after = [10] * 4
    with pytest.raises(DownloadError, match=rf"{WEIGHTS} ended after 40 of 700001 bytes.* is kept"):
        get()
    assert len(server.ranges(WEIGHTS)) == 4
    assert names(models) == {OPTIONS, f"{WEIGHTS}.part", f"{WEIGHTS}.part.json"}
    assert get()[1].read_bytes() == WEIGHTS_BYTES
    assert server.ranges(WEIGHTS)[4:] == ["bytes=40-"]


def test_answer_shorter_than_its_length_leaves_no_file(server: Server, models: Path, get: Get) -> None:
    server.extra_length = 5
    with pytest.raises(DownloadError, match=rf"{OPTIONS} has nothing after the 24 bytes"):
        get()
    assert not (models / OPTIONS).exists()
    assert not (models / "sha256.json").exists()


@pytest.mark.parametrize("status", [403, 404, 503])
def test_http_status_is_reported_with_the_address(
    status: int, server: Server, models: Path, get: Get
) -> None:
    server.status = status
    with pytest.raises(DownloadError) as raised:
        get()
    assert f"{server.address}/{FOLDER}/{OPTIONS} answered with HTTP status {status}" in str(raised.value)
    assert len(server.requests) == 1
    assert names(models) == set()


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

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(script)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    server.open.clear()
    with start() as first, start() as second:
        assert first.stderr and second.stderr
        lines = [first.stderr.readline(), second.stderr.readline()]  # each says whether it fetches or waits
        server.open.set()
        outputs = [first.communicate(timeout=20)[0], second.communicate(timeout=20)[0]]
    assert (first.returncode, second.returncode) == (0, 0)
    assert sorted(outputs) == ["", "verified\n"]
    assert sorted(re.findall(r"fetching|waiting", " ".join(lines))) == ["fetching", "waiting"]
    assert [name for name, *_ in server.requests] == [OPTIONS, WEIGHTS]
    assert (models / WEIGHTS).read_bytes() == WEIGHTS_BYTES


def test_unreachable_server_says_what_to_put_where(
    models: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    monkeypatch.setenv("ELMO_BENCH_MIRROR", address)
    with caplog.at_level(logging.INFO, logger="elmo_bench"), pytest.raises(DownloadError) as raised:
        published.fetch("small", verify=verify)
    assert "trying again" not in caplog.text
    message = str(raised.value)
    assert "\n" not in message
    assert f"{address}/{FOLDER}/{OPTIONS} and {address}/{FOLDER}/{WEIGHTS}" in message
    assert f"the two files {OPTIONS} and {WEIGHTS} into the folder {models} " in message
    assert "ELMO_BENCH_CACHE" in message
    assert "refused" in message


def test_silent_server_is_given_up(server: Server, get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    assert published.TIMEOUT_SECONDS == 30
    monkeypatch.setattr(published, "TIMEOUT_SECONDS", 0.1)
    server.open.clear()
    with pytest.raises(DownloadError, match=r"cannot be reached .*timed out"):
        get()


def test_full_disk_keeps_the_part(
    server: Server, models: Path, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_open = Path.open

    def open_on_full_disk(path: Path, *arguments: Any, **keywords: Any) -> Any:
        stream: Any = real_open(path, *arguments, **keywords)
        if path.name == f"{WEIGHTS}.part":
            real_write = stream.write

            def write(block: bytes) -> None:
                real_write(block[:1000])
                raise OSError(errno.ENOSPC, "No space left on device")

            stream.write = write
        return stream

    with monkeypatch.context() as full:
        full.setattr(Path, "open", open_on_full_disk)
        with pytest.raises(OutputError) as raised:
            get()
    assert re.search(rf"{models / WEIGHTS}\.part needs 699001 more bytes, \d+ are free", str(raised.value))
    assert "kept and will be resumed" in str(raised.value)
    assert (models / f"{WEIGHTS}.part").read_bytes() == WEIGHTS_BYTES[:1000]
    assert get()[1].read_bytes() == WEIGHTS_BYTES
    assert server.ranges(WEIGHTS) == [None, "bytes=1000-"]


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


def test_retries_are_logged(server: Server, get: Get, caplog: pytest.LogCaptureFixture) -> None:
    server.break_after = [10]
    with caplog.at_level(logging.INFO, logger="elmo_bench"):
        get()
    assert f"{WEIGHTS} ended after 10 of 700001 bytes; trying again" in caplog.text
