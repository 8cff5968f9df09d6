"""Looking after the sets of a store: how large they are, whether they are sound, which ones to remove."""

import logging
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import filelock
import numpy as np
from numpy.typing import NDArray

from elmo_bench.errors import OutputError, TextError
from elmo_bench.features.disk_errors import DamagedSetError
from elmo_bench.features.identity import sentence_key
from elmo_bench.features.records import Records
from elmo_bench.features.sets import last_used, locked, make_empty, set_aside
from elmo_bench.progress import TokenReport

CHUNK_BYTES = 16 << 20

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Size:
    sentences: int
    tokens: int
    bytes: int  # on disk


@dataclass(frozen=True)
class Verdict:
    """What a look at every record of a set has found."""

    records: int
    damaged: int


def measure(records: Records) -> Size:
    """Counts; a file that cannot be opened holds nothing but bytes."""
    sentences = tokens = 0
    try:
        for some in records.catalogue():
            sentences, tokens = sentences + len(some or {}), tokens + sum((some or {}).values())
    except OutputError as error:
        _log.warning("%s", error)
    return Size(sentences, tokens, disk_bytes(records.folder))


def disk_bytes(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def verify(records: Records, report: TokenReport) -> Verdict:
    """Holds every record against its checksum."""

    def take(key: bytes, record: memoryview) -> None:
        report(1, records.tokens(record))

    return _examine(records, take)


def repair(records: Records, report: TokenReport) -> Verdict:
    """Puts a new set with the sound records in the place of a damaged one; tells what was found in the old.

    Whoever has the old one open goes on with it. The disk must have room for both.
    """
    with locked(records.folder):
        new = make_empty(records.folder, records.info)
        fresh = Records(new, records.info)
        chunk: list[tuple[bytes, int, bytes]] = []
        size = 0

        def take(key: bytes, record: memoryview) -> None:
            nonlocal size
            chunk.append((key, 0, bytes(record)))
            size += len(record)
            if size >= CHUNK_BYTES:
                fresh.add_sealed(chunk)
                chunk.clear()
                size = 0
            report(1, records.tokens(record))

        try:
            verdict = _examine(records, take)
            fresh.add_sealed(chunk)
        except OutputError:
            shutil.rmtree(new)
            raise
        finally:
            fresh.environment.close()
        old = set_aside(records.folder)
        new.rename(records.folder)
        shutil.rmtree(old)
    return verdict


def choose(
    sets: Sequence[Records],
    days: float | None = None,
    fingerprint: str | None = None,
    size: int | None = None,
) -> list[Records]:
    """The sets that go: unused for so many days, or of that model, or the longest unused beyond that size."""
    chosen: list[Records] = []
    rest: list[Records] = []
    for records in sets:
        old = days is not None and time.time() - last_used(records) > days * 86400
        named = fingerprint is not None and records.info.fingerprint.startswith(fingerprint)
        (chosen if old or named else rest).append(records)
    kept = 0
    for records in sorted(rest, key=last_used, reverse=True):
        kept += disk_bytes(records.folder)
        if size is not None and kept > size:
            chosen.append(records)
    return chosen


def remove(records: Records) -> int:
    """Removes a set and returns how many bytes that has freed; whoever has it open goes on with it."""
    try:
        with locked(records.folder, wait=False):
            size = disk_bytes(records.folder)
            shutil.rmtree(set_aside(records.folder))
    except filelock.Timeout as error:
        raise OutputError(f"{records.folder}: is being filled by another process; it stays.") from error
    except OSError as error:
        raise OutputError(f"{records.folder}: cannot be removed ({error.strerror or error}).") from error
    return size


def remove_leftovers(store: Path) -> int:
    """Removes what a killed process did not finish to make or to remove; returns the bytes freed."""
    freed = 0
    for left in store.glob(".*"):
        if left.suffix in (".new", ".old"):
            with suppress(filelock.Timeout), locked(left.with_name(left.stem[1:]), wait=False):
                freed += disk_bytes(left)
                shutil.rmtree(left)
    return freed


def stored_layers(
    records: Records, sentences: Iterable[list[str]], source: Path
) -> Iterator[tuple[list[str], NDArray[Any]]]:
    """Yields (tokens, layers (depth, tokens, width)) for the lines of ``source``, from the set alone."""
    info = records.info
    for line, tokens in enumerate(sentences, start=1):
        layers = np.empty((len(tokens), info.depth, info.width), info.dtype)
        if tokens and records.load({sentence_key(tokens): layers.reshape(-1).view(np.uint8)}):
            raise TextError(
                f"{source}, line {line}: {' '.join(tokens)!r:.60} is not in {records.folder}, or is damaged "
                "there. The verb embed computes layers."
            )
        yield tokens, layers.transpose(1, 0, 2)


def _examine(records: Records, take: Callable[[bytes, memoryview], None]) -> Verdict:
    """Gives out every sound record under its key; where there are versions, the one that readers get."""
    count = damaged = 0
    try:
        for some in records.catalogue():
            if some is None:
                damaged += 1
                continue
            count += len(some)
            with records.environment.looking() as look:
                for key in some:
                    record = records.sound(look, key)
                    if record is None:
                        damaged += 1
                    else:
                        take(key, record)
    except DamagedSetError as error:
        _log.warning("%s", error)
        damaged += 1
    return Verdict(count, damaged)
