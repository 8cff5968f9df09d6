"""Progress bars: on standard error, gone when they are done, silent where nobody is looking."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from elmo_bench.features.extract import Report


class _Speed(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed or 0:,.0f} tokens/s")


@contextmanager
def token_progress(total: tuple[int, int] | None = None) -> Iterator[Report]:
    """Shows sentences and tokens per second; with ``total`` (sentences, tokens) a bar and the time that is
    left.
    """
    console = Console(stderr=True)
    columns = [TextColumn("{task.fields[sentences]:,} sentences"), _Speed()]
    if total:
        columns[1:1] = [BarColumn(), TextColumn("{task.percentage:>3.0f} %")]
        columns.append(TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total[1] if total else None, sentences=0)
        done = 0

        def report(sentences: int, tokens: int) -> None:
            nonlocal done
            done += sentences
            bar.update(task, advance=tokens, sentences=done)

        yield report
