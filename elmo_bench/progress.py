"""Progress bars: on standard error, gone when they are done, silent where nobody is looking."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

TokenReport = Callable[[int, int], None]
"""Told (sentences, tokens) as they are done."""

DownloadReport = Callable[[str, int, int | None], None]
"""Told (file, bytes there, bytes in total if known)."""


@contextmanager
def token_progress(total: tuple[int, int] | None = None) -> Iterator[TokenReport]:
    """Shows sentences and tokens/s; with ``total`` (sentences, tokens) also a bar and the time left."""
    columns = [TextColumn("{task.fields[sentences]:,} sentences"), _TokenSpeed()]
    if total:
        columns[1:1] = [BarColumn(), TextColumn("{task.percentage:>3.0f} %")]
        columns.append(TimeRemainingColumn())
    with _bar(*columns) as bar:
        task = bar.add_task("", total=total[1] if total else None, sentences=0)
        done = 0

        def report(sentences: int, tokens: int) -> None:
            nonlocal done
            done += sentences
            bar.update(task, advance=tokens, sentences=done)

        yield report


@contextmanager
def download_progress(wanted: bool) -> Iterator[DownloadReport]:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with _bar(*columns, TimeRemainingColumn(), wanted=wanted) as bar:
        tasks: dict[str, TaskID] = {}

        def report(file: str, done: int, total: int | None) -> None:
            if file not in tasks:
                tasks[file] = bar.add_task(file, completed=done)
            bar.update(tasks[file], completed=done, total=total)

        yield report


@contextmanager
def byte_progress(description: str, total: int, wanted: bool = True) -> Iterator[Callable[[int], None]]:
    """Gives what is to be told how many of ``total`` bytes have been read since it was told last."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with _bar(*columns, wanted=wanted) as bar:
        task = bar.add_task(description, total=total)
        yield lambda count: bar.advance(task, count)


@contextmanager
def step_progress(description: str, total: int) -> Iterator[Callable[[], None]]:
    """Gives what is to be called after each of ``total`` steps."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with _bar(*columns) as bar:
        task = bar.add_task(description, total=total)
        yield lambda: bar.advance(task)


def _bar(*columns: ProgressColumn, wanted: bool = True) -> Progress:
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not (wanted and console.is_terminal))


class _TokenSpeed(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed or 0:,.0f} tokens/s")
