"""One file over HTTP: resumed where an earlier attempt ended, tried again if the connection breaks."""

import errno
import http.client
import json
import logging
import os
import re
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.message import Message
from pathlib import Path

from elmo_bench.errors import DownloadError, OutputError
from elmo_bench.files import writing
from elmo_bench.progress import DownloadReport

TIMEOUT_SECONDS = 30.0
RETRIES = 3
PAUSE_SECONDS = 1.0  # before the first retry; doubles with each further one
BLOCK_BYTES = 1 << 18

LOGGER = logging.getLogger(__name__)


class BrokenConnectionError(Exception):
    """The connection ended before the file did: worth another try."""


class UnreachableError(BrokenConnectionError):
    """There was no connection at all: at the first try there is most likely no network."""


def download(url: str, target: Path, report: DownloadReport) -> None:
    """Fetches one file; until it is complete, its bytes are in `<target>.part`, where a later call goes on.

    Raises:
        BrokenConnectionError: The connection broke at every try, or there was none.
        DownloadError: The server answered with an error.
        OutputError: The disk is full; some other errors of the disk arrive as the OSError they are.
    """
    LOGGER.info("fetching %s into %s", url, target.parent)
    part = target.with_name(f"{target.name}.part")
    for attempt in range(RETRIES + 1):
        try:
            _transfer(url, part, report)
            break
        except BrokenConnectionError as error:
            if attempt == RETRIES or (attempt == 0 and isinstance(error, UnreachableError)):
                raise
            LOGGER.info("%s; trying again", error)
            time.sleep(PAUSE_SECONDS * 2**attempt)
    part.replace(target)
    _origin_file(part).unlink(missing_ok=True)


def _transfer(url: str, part: Path, report: DownloadReport) -> None:
    """One attempt, which goes on where an earlier one ended if the remote file is provably the same."""
    validator = _part_validator(url, part)
    offset = part.stat().st_size if validator else 0
    response = _open(url, offset, validator)
    if response is None:
        part.unlink()
        raise BrokenConnectionError(f"{url} has nothing after the {offset} bytes fetched earlier")
    with response:
        if response.status != http.client.PARTIAL_CONTENT:
            _store(url, response, part, 0, response.length, report)
            return
        extent = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", ""))
        # A server may ignore If-Range; one that honours it need not repeat the validator.
        same = _validator(response.headers) in (None, validator)
        if not extent or int(extent[1]) != offset or not same:
            part.unlink(missing_ok=True)
            raise BrokenConnectionError(
                f"{url} is not the file whose first {offset} bytes were fetched earlier"
            )
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
        raise UnreachableError(f"{url} cannot be reached ({getattr(error, 'reason', error)})") from error
    except (OSError, http.client.HTTPException) as error:
        raise BrokenConnectionError(f"{url} broke the connection ({error})") from error
    return response


def _store(
    url: str,
    response: http.client.HTTPResponse,
    part: Path,
    offset: int,
    total: int | None,
    report: DownloadReport,
) -> None:
    done = offset
    try:
        with part.open("ab" if offset else "wb") as stream:
            if not offset:  # only after the old bytes are gone, or they would pass for those of this answer
                origin = {"url": url, "validator": _validator(response.headers)}
                with writing(_origin_file(part)) as temporary:
                    temporary.write_text(json.dumps(origin, indent=2) + "\n", "utf-8")
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
        raise BrokenConnectionError(f"{url} ended after {done} of {total} bytes")


def _blocks(url: str, response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The body; errors of the network are converted here, so that every OSError around it is the disk's."""
    try:
        while block := response.read(BLOCK_BYTES):
            yield block
    except (OSError, http.client.HTTPException) as error:
        raise BrokenConnectionError(f"{url} broke the connection ({error})") from error


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
