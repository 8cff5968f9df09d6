"""The four published models, fetched once into a cache.

No checksum was ever published for these files. So the first success (the caller's `verify` has looked at the
values) writes `sha256.json` beside them, and every later use is held against that record.
"""

import contextlib
import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import filelock

from elmo_bench.bilm.download import BrokenConnectionError, download
from elmo_bench.errors import DownloadError, OutputError
from elmo_bench.files import writing
from elmo_bench.progress import download_progress

ADDRESS = "https://allennlp.s3.amazonaws.com/models/elmo"
RECORD = "sha256.json"

LOGGER = logging.getLogger(__name__)

Verify = Callable[[Path, Path], None]


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
    except BrokenConnectionError as error:
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
        # A read-only cache is only hashed again each time. OSError too: on a read-only mount Linux refuses
        # even the removal of a temporary file that was never made.
        with contextlib.suppress(OutputError, OSError):
            _write_record(record_file, checked)
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


def _write_record(path: Path, record: dict[str, _Entry]) -> None:
    content = {file: asdict(entry) for file, entry in record.items()}
    with writing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


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
    with download_progress(progress) as report:
        for path, url in zip(paths, urls, strict=True):
            if not path.exists():
                download(url, path, report)
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
    _write_record(paths[0].with_name(RECORD), {path.name: _entry(path, sources[path]) for path in paths})


def _advice(published: Published, folder: Path, error: BrokenConnectionError) -> str:
    options, weights = map(published.address, (published.options_file, published.weights_file))
    kept = " What has arrived is kept, and the next run resumes it." if any(folder.glob("*.part")) else ""
    return (
        f"The published model could not be fetched: {error}.{kept} Without a network, put the two files "
        f"{options} and {weights} into the folder {folder} (the environment variable ELMO_BENCH_CACHE moves "
        f"the cache, now {cache_folder()})."
    )
