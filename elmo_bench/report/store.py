"""A store of layers on the screen: its sets, their health, what is removed."""

import logging
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.filesize import decimal
from rich.prompt import Confirm
from rich.table import Table
from rich.text import Text

from elmo_bench.data.formats.text import read_sentences
from elmo_bench.errors import ConfigError, OutputError
from elmo_bench.features import upkeep
from elmo_bench.features.export import checked_suffix, export
from elmo_bench.features.records import Records
from elmo_bench.features.sets import default_store, find_sets, last_used
from elmo_bench.progress import token_progress

_log = logging.getLogger(__name__)

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def show(folder: Path | None) -> None:
    """Prints what is in the store."""
    store = folder or default_store()
    sets = find_sets(store)
    _say(_table(sets, str(store)) if sets else f"{store}: nothing is stored there.")


def verify(folder: Path | None, fingerprint: str | None, repair: bool) -> bool:
    """Holds every record against its checksum, prints a line a set, and returns whether all is well now."""
    store, well = folder or default_store(), True
    sets = _chosen(store, fingerprint)
    if not sets:
        _say(f"{store}: nothing to verify.")
    for records in sets:
        size = upkeep.measure(records)
        with token_progress((size.sentences, size.tokens)) as report:
            found = upkeep.verify(records, report)
        name = f"{_short(records)} {records.info.precision}"
        line = f"{name}: {found.records:,} sentences, {found.damaged:,} damaged"
        if found.damaged and repair:
            with token_progress((size.sentences, size.tokens)) as report:
                upkeep.repair(records, report)
            line += ", removed; they are computed again when they are needed"
        well = well and (repair or not found.damaged)
        _say(line)
    return well


def prune(
    folder: Path | None, days: float | None, fingerprint: str | None, size: str | None, yes: bool
) -> None:
    """Removes sets, after asking, and prints what that has freed."""
    if days is None and fingerprint is None and size is None:
        raise ConfigError("Say what to remove: --days NUMBER, --fingerprint START or --size BYTES.")
    store = folder or default_store()
    chosen = upkeep.choose(find_sets(store), days, fingerprint, None if size is None else _bytes(size))
    if not chosen:
        _say(f"{store}: nothing to remove.")
        return
    _say(_table(chosen, "to be removed"))
    if not yes:
        if not sys.stdin.isatty():
            raise ConfigError("Nothing was removed: nobody is there to ask. Say --yes.")
        if not Confirm.ask("Remove?", default=False):
            return
    freed = upkeep.remove_leftovers(store)
    for records in chosen:
        try:
            freed += upkeep.remove(records)
        except OutputError as error:
            _log.warning("%s", error)
    _say(f"{decimal(freed)} freed.")


def write_out(
    folder: Path | None, text: Path, target: Path, fingerprint: str | None, precision: str | None
) -> None:
    """Writes the stored layers of a text's sentences to a file."""
    checked_suffix(target)
    store = folder or default_store()
    sets = _chosen(store, fingerprint)
    sets = [records for records in sets if precision in (None, records.info.precision)]
    if len(sets) != 1:
        there = ", ".join(f"{_short(records)} {records.info.precision}" for records in sets) or "none"
        raise ConfigError(
            f"{store}: expected one set, but these would do: {there}. Choose with --fingerprint START and "
            "--precision half or single."
        )
    export(target, upkeep.stored_layers(sets[0], read_sentences(text), text))


def _say(what: str | Table) -> None:
    Console().print(what, soft_wrap=isinstance(what, str), highlight=False, markup=False)


def _chosen(store: Path, fingerprint: str | None) -> list[Records]:
    return [records for records in find_sets(store) if records.info.fingerprint.startswith(fingerprint or "")]


def _table(sets: Sequence[Records], title: str) -> Table:
    table = Table(title=Text(title))
    for heading in ("model", "precision"):
        table.add_column(heading, no_wrap=True)
    for heading in ("layers", "sentences", "tokens", "size", "last used"):
        table.add_column(heading, no_wrap=True, justify="right")
    for records in sets:
        info, size = records.info, upkeep.measure(records)
        table.add_row(
            _short(records),
            info.precision,
            f"{info.depth} × {info.width}",
            f"{size.sentences:,}",
            f"{size.tokens:,}",
            decimal(size.bytes),
            time.strftime("%Y-%m-%d", time.localtime(last_used(records))),
        )
    return table


def _short(records: Records) -> str:
    return records.info.fingerprint[:12]


def _bytes(size: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?) *([KMGT]?)B?", size.strip(), re.IGNORECASE)
    if not match:
        raise ConfigError(f"The size {size!r} is not a number of bytes; expected for example 500MB or 20GB.")
    return int(float(match[1]) * _UNITS[match[2].upper()])
