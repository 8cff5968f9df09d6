"""The verbs of the feature store: ``elmo-bench store …``. Nothing heavy is imported before one needs it."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

store = typer.Typer(
    name="store",
    help="Look after the layers that are kept on disk for every run.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    epilog="[bold]Examples[/]\n\nelmo-bench store info\n\nelmo-bench store prune --help",
)


class StoredPrecision(StrEnum):
    half = "half"
    single = "single"


Folder = Annotated[
    Path | None,
    typer.Option(help="Of the store. \\[default: features in the cache folder, see ELMO_BENCH_CACHE]"),
]
Fingerprint = Annotated[
    str | None, typer.Option(metavar="START", help="Only sets of models whose fingerprint starts so.")
]


@store.command(
    epilog="[bold]Examples[/]\n\nelmo-bench store info\n\nelmo-bench store info --folder runs/features"
)
def info(folder: Folder = None) -> None:
    """Show what is stored: a row for each model and precision."""
    from elmo_bench.report.store import show

    show(folder)


@store.command(
    epilog="[bold]Examples[/]\n\n"
    "elmo-bench store verify\n\n"
    "elmo-bench store verify --fingerprint 3fa8 --repair"
)
def verify(
    folder: Folder = None,
    fingerprint: Fingerprint = None,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="Remove what is damaged; needs room for a copy of the set while it runs."
        ),
    ] = False,
) -> None:
    """Hold every record against its checksum; exit code 1 if some are damaged."""
    from elmo_bench.report.store import verify as run

    if not run(folder, fingerprint, repair):
        raise typer.Exit(1)


@store.command(
    epilog="[bold]Examples[/]\n\n"
    "elmo-bench store prune --days 30\n\n"
    "elmo-bench store prune --size 20GB --yes\n\n"
    "elmo-bench store prune --fingerprint 3fa8"
)
def prune(
    folder: Folder = None,
    days: Annotated[
        float | None, typer.Option(min=0, help="Remove sets that were not used for so many days.")
    ] = None,
    fingerprint: Annotated[
        str | None,
        typer.Option(metavar="START", help="Remove sets of models whose fingerprint starts so."),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES", help="Remove the longest unused sets until so much is left, such as 20GB."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove sets; they are computed again when they are needed."""
    from elmo_bench.report.store import prune as run

    run(folder, days, fingerprint, size, yes)


@store.command(
    epilog="[bold]Examples[/]\n\n"
    "elmo-bench store export sentences.txt layers.hdf5\n\n"
    "elmo-bench store export sentences.txt layers.hdf5 --fingerprint 3fa8 --precision half"
)
def export(
    text: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT", help="Text, one tokenised sentence a line, each of which must be stored."
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUTPUT", help="Ends in .hdf5 (the classic layout), .safetensors or .npz."),
    ],
    folder: Folder = None,
    fingerprint: Fingerprint = None,
    precision: Annotated[StoredPrecision | None, typer.Option(help="Only sets of that precision.")] = None,
) -> None:
    """Write stored layers to a file for other programs; no model is needed."""
    from elmo_bench.report.store import write_out

    write_out(folder, text, target, fingerprint, precision.value if precision else None)
