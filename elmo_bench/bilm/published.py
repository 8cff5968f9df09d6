"""The four published models, fetched once into a cache.

No checksum was ever published for these files. So the first success (the caller's `verify` has looked at the
values) writes `sha256.json` beside them, and every later use is held against that record.
"""

import contextlib
import errno
import hashlib
import http.client
import json
import logging
import os
import re
import shutil
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from email.message import Message
from pathlib import Path

import filelock

from elmo_bench.errors import DownloadError, OutputError

ADDRESS = "https://allennlp.s3.amazonaws.com/models/elmo"
RECORD = "sha256.json"
TIMEOUT_SECONDS = 30.0
RETRIES = 3
PAUSE_SECONDS = 1.0  # before the first retry; doubles with each further one
BLOCK_BYTES = 1 << 18

LOGGER = logging.getLogger(__name__)

Verify = Callable[[Path, Path], None]
Report = Callable[[str, int, int | None], None]  # file name, bytes there, bytes in total if known


@dataclass(frozen=True)
class Published:
    """One released model: its folder at the published address and its golden parameter count."""

    folder: str
    parameters: int

    @property
    def options_file(self) -> str:
        """Published name of the options."""
        return f"elmo_{self.folder}_options.json"

    @property
    def weights_file(self) -> str:
        """Published name of the weights."""
        return f"elmo_{self.folder}_weights.hdf5"

    def address(self, file: str) -> str:
        """Where `file` is fetched from: the published address, or the mirror of ELMO_BENCH_MIRROR."""
        base = os.environ.get("ELMO_BENCH_MIRROR") or ADDRESS
        if not base.startswith(("http://", "https://")):
            raise DownloadError(f"ELMO_BENCH_MIRROR is {base!r}; expected an http:// or https:// address.")
        return f"{base.rstrip('/')}/{self.folder}/{file}"


PUBLISHED: dict[str, Published] = {
    "small": Published("2x1024_128_2048cnn_1xhighway", 13_593_312),
    "medium": Published("2x2048_256_2048cnn_1xhighway", 28_027_744),
    "original": Published("2x4096_512_2048cnn_2xhighway", 93_600_864),
    "5.5B": Published("2x4096_512_2048cnn_2xhighway_5.5B", 93_600_864),
}


@dataclass(frozen=True)
class _Entry:
    """What the record knows of a file; `url` is None for a file that somebody put there by hand."""

    sha256: str
    size: int
    mtime_ns: int
    url: str | None


class _Broken(Exception):
    """The connection ended before the file did: worth another try."""


class _Unreachable(_Broken):
    """There was no connection at all: at the first try there is most likely no network."""


def cache_folder() -> Path:
    """Root of everything fetched; ELMO_BENCH_CACHE moves it, for instance to a disk that a cluster shares."""
    if chosen := os.environ.get("ELMO_BENCH_CACHE"):
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "elmo_bench"


def fetch(name: str, *, verify: Verify, progress: bool = True) -> tuple[Path, Path]:
    """Makes sure that a published model is in the cache, and intact.

    Args:
        name: A key of PUBLISHED.
        verify: Called with the options and the weights file before they are first trusted; raises if they are
            not the model (golden parameter count, finite values).
        progress: Show a progress bar, if stderr is a terminal.

    Returns:
        The options file and the weights file.

    Raises:
        DownloadError: The files cannot be fetched, are rejected by `verify` or differ from the record.
        OutputError: The cache cannot be used.
    """
    published = PUBLISHED[name]
    folder = cache_folder() / "models" / name
    paths = folder / published.options_file, folder / published.weights_file
    try:
        if not _recorded(paths):
            folder.mkdir(parents=True, exist_ok=True)
            with _locked(folder):
                if not _recorded(paths):  # another process may have fetched it meanwhile
                    _complete(paths, [published.address(path.name) for path in paths], verify, progress)
    except _Broken as error:
        raise DownloadError(_advice(published, folder, error)) from error
    except OSError as error:
        raise OutputError(f"The model cache {folder} cannot be used: {error}.") from error
    return paths


def _recorded(paths: tuple[Path, Path]) -> bool:
    """Whether both files are there and as recorded; takes no lock, so that a cache may be read-only."""
    record_file = paths[0].with_name(RECORD)
    record = _read_record(record_file)
    if not all(path.exists() and path.name in record for path in paths):
        return False
    checked = {path.name: _checked(path, record[path.name]) for path in paths}
    if checked != record:
        with contextlib.suppress(OSError):  # a read-only cache is only hashed again each time
            _write_json(record_file, {file: asdict(entry) for file, entry in checked.items()})
    return True


def _checked(path: Path, entry: _Entry) -> _Entry:
    """The entry with the present time stamp; hashes only a touched file: 375 MB at each load is a waste."""
    status = path.stat()
    if (status.st_size, status.st_mtime_ns) == (entry.size, entry.mtime_ns):
        return entry
    found = _entry(path, entry.url)
    if found.sha256 != entry.sha256:
        raise DownloadError(
            f"{path} is damaged or was replaced: it has {found.size} bytes and sha256 {found.sha256}, but "
            f"{RECORD} beside it, written when the file was first verified, says {entry.size} bytes and "
            f"sha256 {entry.sha256}. Delete the file to fetch it again (to keep it, delete {RECORD} instead)."
        )
    return found


def _entry(path: Path, url: str | None) -> _Entry:
    status = path.stat()
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return _Entry(digest, status.st_size, status.st_mtime_ns, url)


def _read_record(path: Path) -> dict[str, _Entry]:
    try:
        return {file: _Entry(**entry) for file, entry in json.loads(path.read_text("utf-8")).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError) as error:
        raise DownloadError(
            f"{path} is not a record of hashes ({error}). Delete it: the files beside it are verified anew."
        ) from error


def _write_json(path: Path, content: object) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    os.replace(temporary, path)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    lock = filelock.FileLock(folder / "download.lock")
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        LOGGER.info("waiting for another process that fetches the model into %s", folder)
        lock.acquire(timeout=-1)
    try:
        yield
    finally:
        lock.release()


def _complete(paths: tuple[Path, Path], urls: list[str], verify: Verify, progress: bool) -> None:
    """Fetches what is missing, has the pair verified and writes the record."""
    record = _read_record(paths[0].with_name(RECORD))
    sources = {path: record[path.name].url if path.name in record else None for path in paths}
    fetched = []
    with _progress(progress) as report:
        for path, url in zip(paths, urls, strict=True):
            if not path.exists():
                _download(url, path, report)
                fetched.append(path)
                sources[path] = url
            if path.name in record:  # a file fetched again is held against the first one
                _checked(path, record[path.name])
    try:
        verify(*paths)
    except Exception as error:
        for path in fetched:  # but not those that a user put there
            path.unlink()
        done = (
            "What was fetched is deleted: run again" if fetched else "Nothing is deleted: replace the files"
        )
        raise DownloadError(f"{paths[1]} is not usable as the published model: {error} {done}.") from error
    _write_json(
        paths[0].with_name(RECORD), {path.name: asdict(_entry(path, sources[path])) for path in paths}
    )


def _advice(published: Published, folder: Path, error: _Broken) -> str:
    options, weights = published.options_file, published.weights_file
    kept = " What has arrived is kept, and the next run resumes it." if any(folder.glob("*.part")) else ""
    return (
        f"The published model could not be fetched: {error}.{kept} Without a network, fetch "
        f"{published.address(options)} and {published.address(weights)} on a machine that has one, and put "
        f"the two files {options} and {weights} into the folder {folder} (the environment variable "
        f"ELMO_BENCH_CACHE moves the cache, now {cache_folder()})."
    )


@contextlib.contextmanager
def _progress(wanted: bool) -> Iterator[Report]:
    if not (wanted and sys.stderr.isatty()):
        yield lambda file, done, total: None
        return
    from rich import console, progress

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console.Console(stderr=True)) as bar:
        tasks: dict[str, progress.TaskID] = {}

        def report(file: str, done: int, total: int | None) -> None:
            if file not in tasks:
                tasks[file] = bar.add_task(file, completed=done)
            bar.update(tasks[file], completed=done, total=total)

        yield report


def _download(url: str, target: Path, report: Report) -> None:
    LOGGER.info("fetching %s into %s", url, target.parent)
    part = target.with_name(f"{target.name}.part")
    for attempt in range(RETRIES + 1):
        try:
            _transfer(url, part, report)
            break
        except _Broken as error:
            if attempt == RETRIES or (attempt == 0 and isinstance(error, _Unreachable)):
                raise
            LOGGER.info("%s; trying again", error)
            time.sleep(PAUSE_SECONDS * 2**attempt)
    os.replace(part, target)
    _origin_file(part).unlink(missing_ok=True)


def _transfer(url: str, part: Path, report: Report) -> None:
    """One attempt, which goes on where an earlier one ended if the remote file is provably the same."""
    validator = _part_validator(url, part)
    offset = part.stat().st_size if validator else 0
    response = _open(url, offset, validator)
    if response is None:
        part.unlink()
        raise _Broken(f"{url} has nothing after the {offset} bytes fetched earlier")
    with response:
        if response.status != http.client.PARTIAL_CONTENT:
            return _store(url, response, part, 0, response.length, report)
        extent = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", ""))
        # A server may ignore If-Range; one that honours it need not repeat the validator.
        same = _validator(response.headers) in (None, validator)
        if not extent or int(extent[1]) != offset or not same:
            part.unlink(missing_ok=True)
            raise _Broken(f"{url} is not the file whose first {offset} bytes were fetched earlier")
        _store(url, response, part, offset, int(extent[2]), report)


def _open(url: str, offset: int, validator: str | None) -> http.client.HTTPResponse | None:
    """The answer to a request for everything after `offset`; None if the server has nothing there."""
    request = urllib.request.Request(url)
    if offset and validator:
        request.add_header("Range", f"bytes={offset}-")
        request.add_header("If-Range", validator)
    try:
        response: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and offset:
            return None
        raise DownloadError(f"{url} answered with HTTP status {error.code} ({error.reason}).") from error
    except (urllib.error.URLError, TimeoutError) as error:
        raise _Unreachable(f"{url} cannot be reached ({getattr(error, 'reason', error)})") from error
    except (OSError, http.client.HTTPException) as error:
        raise _Broken(f"{url} broke the connection ({error})") from error
    return response


def _store(
    url: str, response: http.client.HTTPResponse, part: Path, offset: int, total: int | None, report: Report
) -> None:
    done = offset
    try:
        with part.open("ab" if offset else "wb") as stream:
            if not offset:  # only after the old bytes are gone, or they would pass for those of this answer
                origin = {"url": url, "validator": _validator(response.headers)}
                _write_json(_origin_file(part), origin)
            for block in _blocks(url, response):
                stream.write(block)
                done += len(block)
                report(part.stem, done, total)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        needed = "an unknown number of" if total is None else total - part.stat().st_size
        free = shutil.disk_usage(part.parent).free
        raise OutputError(
            f"The disk is full: {part} needs {needed} more bytes, {free} are free. What has arrived is kept "
            "and will be resumed: make room and run again, or move the cache with ELMO_BENCH_CACHE."
        ) from error
    if total is not None and done != total:
        raise _Broken(f"{url} ended after {done} of {total} bytes")


def _blocks(url: str, response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The body; network errors become _Broken here, so that every OSError around it is the disk's."""
    try:
        while block := response.read(BLOCK_BYTES):
            yield block
    except (OSError, http.client.HTTPException) as error:
        raise _Broken(f"{url} broke the connection ({error})") from error


def _origin_file(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _part_validator(url: str, part: Path) -> str | None:
    """What If-Range needs to resume `part`; None if it must be fetched from its first byte."""
    try:
        origin: dict[str, str | None] = json.loads(_origin_file(part).read_text("utf-8"))
        return origin["validator"] if part.exists() and origin["url"] == url else None
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None


def _validator(headers: Message) -> str | None:
    """The strong ETag, else the date: HTTP does not allow a weak ETag in If-Range."""
    tag = headers.get("ETag")
    return tag if tag and not tag.startswith("W/") else headers.get("Last-Modified")
