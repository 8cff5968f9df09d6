"""Fetching one file, against a server of our own: the real network is never used."""

import errno
import json
import logging
import random
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from local_server import Server, serving

from elmo_bench.bilm import download
from elmo_bench.errors import DownloadError, OutputError

FILE = "weights.hdf5"
CONTENT = random.Random(1).randbytes(700_001)  # several blocks, and no multiple of one

Get = Callable[[], bytes]
Reports = list[tuple[str, int, int | None]]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(download, "PAUSE_SECONDS", 0.001)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving("small", {FILE: CONTENT}) as running:
        yield running


@pytest.fixture
def url(server: Server) -> str:
    return f"{server.address}/small/{FILE}"


@pytest.fixture
def reports() -> Reports:
    return []


@pytest.fixture
def get(url: str, tmp_path: Path, reports: Reports) -> Get:
    """Fetches the file and gives what arrived under its name."""

    def run() -> bytes:
        download.download(url, tmp_path / FILE, lambda *report: reports.append(report))
        return (tmp_path / FILE).read_bytes()

    return run


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def leave_part(folder: Path, content: bytes, url: str, validator: str) -> None:
    (folder / f"{FILE}.part").write_bytes(content)
    (folder / f"{FILE}.part.json").write_text(json.dumps({"url": url, "validator": validator}))


def test_broken_connection_is_resumed_where_it_ended(server: Server, tmp_path: Path, get: Get) -> None:
    server.break_after = [300_000, 100_000]
    assert get() == CONTENT
    assert server.ranges() == [None, "bytes=300000-", "bytes=400000-"]
    assert [condition for *_, condition in server.requests[-2:]] == ['"first"', '"first"']
    assert names(tmp_path) == {FILE}


def test_reports_count_the_bytes_that_are_there(server: Server, get: Get, reports: Reports) -> None:
    server.break_after = [300_000]
    get()
    counts = [done for _, done, _ in reports]
    assert counts == sorted(counts)
    assert 300_000 in counts
    assert reports[-1] == (FILE, 700_001, 700_001)
    assert {(file, total) for file, _, total in reports} == {(FILE, 700_001)}


def test_part_of_an_earlier_run_is_resumed(server: Server, url: str, tmp_path: Path, get: Get) -> None:
    leave_part(tmp_path, CONTENT[:500], url, '"first"')
    assert get() == CONTENT
    assert server.ranges() == ["bytes=500-"]
    assert names(tmp_path) == {FILE}


def test_weak_etag_is_not_used_and_the_date_is(server: Server, get: Get) -> None:
    date = "Fri, 16 Feb 2018 10:00:00 GMT"
    server.validators = {"ETag": 'W/"weak"', "Last-Modified": date}
    server.break_after = [1000]
    assert get() == CONTENT
    assert server.requests[-1] == (FILE, "bytes=1000-", date)


def test_without_a_validator_nothing_is_resumed(server: Server, get: Get) -> None:
    server.validators = {}
    server.break_after = [1000]
    assert get() == CONTENT
    assert server.ranges() == [None, None]


def test_server_that_ignores_range_sends_all_again(server: Server, get: Get) -> None:
    server.ignores_range = True
    server.break_after = [300_000]
    assert get() == CONTENT
    assert server.ranges() == [None, "bytes=300000-"]


@pytest.mark.parametrize("ignores_if_range", [False, True])
def test_changed_remote_file_is_not_glued_to_an_old_part(
    ignores_if_range: bool, server: Server, url: str, tmp_path: Path, get: Get
) -> None:
    server.ignores_if_range = ignores_if_range
    leave_part(tmp_path, b"old" * 1000, url, '"zeroth"')
    assert get() == CONTENT
    assert server.ranges() == (["bytes=3000-", None] if ignores_if_range else ["bytes=3000-"])


def test_part_of_another_address_is_not_resumed(server: Server, tmp_path: Path, get: Get) -> None:
    leave_part(tmp_path, b"old" * 1000, "http://elsewhere/weights", '"first"')
    assert get() == CONTENT
    assert server.ranges() == [None]


def test_part_that_reaches_the_end_is_fetched_again(
    server: Server, url: str, tmp_path: Path, get: Get
) -> None:
    leave_part(tmp_path, bytes(len(CONTENT)), url, '"first"')
    assert get() == CONTENT
    assert server.ranges() == [f"bytes={len(CONTENT)}-", None]


def test_connection_that_always_breaks_is_an_error_and_keeps_the_part(
    server: Server, tmp_path: Path, get: Get
) -> None:
    server.break_after = [10] * 4
    with pytest.raises(download.BrokenConnectionError, match=rf"{FILE} ended after 40 of 700001 bytes"):
        get()
    assert len(server.requests) == 4
    assert names(tmp_path) == {f"{FILE}.part", f"{FILE}.part.json"}
    assert get() == CONTENT
    assert server.ranges()[4:] == ["bytes=40-"]


def test_answer_shorter_than_its_length_leaves_no_file(server: Server, tmp_path: Path, get: Get) -> None:
    server.extra_length = 5
    with pytest.raises(download.BrokenConnectionError, match=rf"{FILE} has nothing after the 700001 bytes"):
        get()
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("status", [403, 404, 503])
def test_http_status_is_reported_with_the_address(
    status: int, server: Server, url: str, tmp_path: Path, get: Get
) -> None:
    server.status = status
    with pytest.raises(DownloadError) as raised:
        get()
    assert f"{url} answered with HTTP status {status}" in str(raised.value)
    assert len(server.requests) == 1
    assert names(tmp_path) == set()


def test_without_a_network_there_is_no_second_try(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, reports: Reports
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/{FILE}"
    with (
        caplog.at_level(logging.INFO, logger="elmo_bench"),
        pytest.raises(download.UnreachableError, match=rf"{url} cannot be reached .*refused"),
    ):
        download.download(url, tmp_path / FILE, lambda *report: reports.append(report))
    assert "trying again" not in caplog.text
    assert (names(tmp_path), reports) == (set(), [])


def test_silent_server_is_given_up(server: Server, get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    assert download.TIMEOUT_SECONDS == 30
    monkeypatch.setattr(download, "TIMEOUT_SECONDS", 0.1)
    server.open.clear()
    with pytest.raises(download.UnreachableError, match=r"cannot be reached .*timed out"):
        get()


def test_full_disk_keeps_the_part(
    server: Server, tmp_path: Path, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_open = Path.open

    def open_on_full_disk(path: Path, *arguments: Any, **keywords: Any) -> Any:
        stream: Any = real_open(path, *arguments, **keywords)
        if path.name == f"{FILE}.part":
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
    assert re.search(rf"{tmp_path / FILE}\.part needs 699001 more bytes, \d+ are free", str(raised.value))
    assert "kept and will be resumed" in str(raised.value)
    assert (tmp_path / f"{FILE}.part").read_bytes() == CONTENT[:1000]
    assert get() == CONTENT
    assert server.ranges() == [None, "bytes=1000-"]


def test_retries_are_logged(server: Server, get: Get, caplog: pytest.LogCaptureFixture) -> None:
    server.break_after = [10]
    with caplog.at_level(logging.INFO, logger="elmo_bench"):
        get()
    assert f"{FILE} ended after 10 of 700001 bytes; trying again" in caplog.text
