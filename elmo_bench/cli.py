"""The verbs. Nothing heavy is imported before a verb needs it, so that ``--help`` answers at once."""

import itertools
import logging
import signal
import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elmo_bench import __version__
from elmo_bench.cli_store import store
from elmo_bench.errors import ConfigError, ElmoBenchError

if TYPE_CHECKING:
    from rich.table import Table

app = typer.Typer(
    name="elmo-bench",
    help="The benchmark suite for ELMo: a frozen biLM, its layers, and what they are worth to a task.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.add_typer(store)


class State(StrEnum):
    warm = "warm"
    zero = "zero"
    carry = "carry"


class Precision(StrEnum):
    fp32 = "fp32"
    bf16 = "bf16"
    int8 = "int8"


class Layers(StrEnum):
    all = "all"
    top = "top"
    mean = "mean"


Model = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        help="mini, small, medium, original, 5.5B, or a folder with a model.",
    ),
]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback(
    epilog="[bold]Examples[/]\n\n"
    "elmo-bench demo\n\n"
    "elmo-bench embed sentences.txt layers.hdf5 --model original\n\n"
    "elmo-bench speed --help"
)
def start(
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say more about what is being done.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING, format="%(message)s", stream=sys.stderr
    )


@app.command(
    epilog="[bold]Examples[/]\n\n"
    "elmo-bench embed sentences.txt layers.hdf5 --model original\n\n"
    "zcat news.gz | elmo-bench embed - top.safetensors --model small --layers top --half"
)
def embed(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT", help="Text, one tokenised sentence a line; .gz, or - for standard input."
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUTPUT",
            help="Ends in .hdf5 (the classic layout), .safetensors or .npz. Keys are lines, from 0.",
        ),
    ],
    model: Model = "mini",
    layers: Annotated[Layers, typer.Option(help="All layers, the top one, or their mean.")] = Layers.all,
    half: Annotated[bool, typer.Option("--half", help="Write half precision.")] = False,
    state: Annotated[State, typer.Option(help="Where a sentence's LSTM states start from.")] = State.warm,
    precision: Annotated[
        Precision, typer.Option(help="fp32 is exact; the others are faster.")
    ] = Precision.fp32,
    batch_sentences: Annotated[
        int | None, typer.Option(min=1, help="Sentences computed together; default: by number of tokens.")
    ] = None,
) -> None:
    """Turn sentences into layers, in a file."""
    from elmo_bench.data.formats.text import STANDARD_INPUT, measure, read_sentences
    from elmo_bench.features.export import checked_suffix, export

    checked_suffix(target)
    size = None if source == STANDARD_INPUT else measure(source)
    from elmo_bench.elmo import Elmo
    from elmo_bench.progress import token_progress

    elmo = Elmo.load(model, state=state.value, precision=precision.value)
    tokens, ahead = itertools.tee(read_sentences(source))
    begin, done = time.perf_counter(), [0, 0]
    with token_progress(size) as report:

        def count(sentences: int, tokens: int) -> None:
            if _interrupted:
                raise KeyboardInterrupt
            done[0], done[1] = done[0] + sentences, done[1] + tokens
            report(sentences, tokens)

        export(
            target,
            zip(tokens, elmo.stream(ahead, batch_sentences, layers.value, count), strict=True),
            half=half,
        )
    seconds = time.perf_counter() - begin
    typer.echo(
        f"{target}: {done[0]:,} sentences, {done[1]:,} tokens, {done[1] / seconds:,.0f} tokens/s", err=True
    )
    if precision != Precision.fp32:
        errors = ", ".join(f"{error:.2%}" for error in elmo.precision_error())
        typer.echo(f"{precision} differs from fp32 by (root mean square, each layer): {errors}", err=True)


@app.command(
    context_settings={"allow_extra_args": True},
    epilog="[bold]Examples[/]\n\n"
    "elmo-bench speed\n\n"
    "elmo-bench speed --model original --precision fp32 --batch 64 --batch 128\n\n"
    "elmo-bench speed --json speed.json\n\n"
    "elmo-bench speed --pretrain\n\n"
    "elmo-bench speed --train task=ner dataset=uner_ewt elmo=random elmo.model=original",
)
def speed(
    context: typer.Context,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="A published shape, with random weights. \\[default: all three]"),
    ] = None,
    batch: Annotated[
        list[int] | None, typer.Option(min=1, help="Sentences computed together. \\[default: 1, 8, 64]")
    ] = None,
    precision: Annotated[
        list[Precision] | None, typer.Option(help="Precision of the products. \\[default: all three]")
    ] = None,
    memory: Annotated[bool, typer.Option("--memory", help="Measure the memory it takes, too.")] = False,
    target: Annotated[Path | None, typer.Option("--json", help="Write the figures there, too.")] = None,
    pretrain: Annotated[
        bool,
        typer.Option(
            "--pretrain",
            help="Instead: train the size mini for a few steps, in turns as this project does it (C "
            "kernels, bf16) and in plain torch (fp32, autograd); in one process of one thread, and in one "
            "for each core.",
        ),
    ] = False,
    train: Annotated[
        bool,
        typer.Option(
            "--train",
            help="Instead: an epoch of elmo-bench train with these config overrides, from the feature store "
            "and with the biLM inside the step, batch by batch in turns.",
        ),
    ] = False,
) -> None:
    """Measure how fast the biLM runs here, beside the limit that matrix products set."""
    if train:
        from elmo_bench.report import store_speed
        from elmo_bench.training.compose import compose

        return store_speed.show(compose(context.args), target)
    if context.args:
        raise ConfigError(f"{' '.join(context.args)}: only --train takes config overrides.")
    if pretrain:
        if model or batch or precision or memory:
            raise ConfigError("--pretrain measures the size mini as it is trained; only --json goes with it.")
        from elmo_bench.report import pretrain_speed

        return pretrain_speed.show(target)
    from elmo_bench.report.speed import show

    precisions = [choice.value for choice in precision or Precision]
    return show(model or ["small", "medium", "original"], batch or [1, 8, 64], precisions, memory, target)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    epilog="[bold]Examples[/]\n\n"
    "elmo-bench pretrain text='news-*.txt.xz' heldout=heldout.txt out=runs/news devices=2\n\n"
    "elmo-bench pretrain text='news-*.txt.xz' heldout=heldout.txt out=runs/news devices=2 resume=true\n\n"
    "elmo-bench pretrain text='news-*.txt.xz' out=runs/news devices=2 resume=true passes=3\n\n"
    "elmo-bench pretrain text=domain.txt start_from=runs/news/model out=runs/domain\n\n"
    "Every choice is in conf/pretrain.yaml.",
)
def pretrain(context: typer.Context) -> None:
    """Train a biLM on tokenised text, or fine-tune one. Arguments are config overrides: NAME=VALUE."""
    import hydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from elmo_bench.bilm.pretrain.choices import group_overrides

    try:
        with hydra.initialize_config_module("elmo_bench.conf", version_base="1.3"):
            config = hydra.compose("pretrain", group_overrides(context.args))
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(f"{' '.join(str(error).split())} Every choice is in conf/pretrain.yaml.") from error
    missing = [name for name in ("text", "out") if config.get(name) is None]
    if missing:
        raise ConfigError(
            f"Missing: {', '.join(f'{name}=…' for name in missing)}; see elmo-bench pretrain --help."
        )
    from elmo_bench.bilm.pretrain.run import pretrain as run

    typer.echo(run(config), err=True)


@app.command(
    epilog="[bold]Examples[/]\n\n"
    "elmo-bench perplexity runs/news/model heldout.txt.xz\n\n"
    "elmo-bench perplexity runs/news/model heldout.txt.xz --sources heldout.src.xz --state warm"
)
def perplexity(
    model: Annotated[str, typer.Argument(help="The folder of a model with its softmax.")],
    text: Annotated[Path, typer.Argument(help="Text, one tokenised sentence a line; .gz and .xz work, too.")],
    sources: Annotated[
        Path | None, typer.Option(help="A file that names the source of each line; a row for each of them.")
    ] = None,
    state: Annotated[
        list[State] | None, typer.Option(help="Where sentences start from. \\[default: all three]")
    ] = None,
) -> None:
    """Measure a language model's perplexity under the full softmax, forward and backward."""
    from elmo_bench.report.perplexity import show

    show(model, text, sources, [choice.value for choice in state or State])


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    epilog="[bold]Examples[/]\n\n"
    "elmo-bench train task=ner dataset=microworld trainer=quick\n\n"
    "elmo-bench train task=ner dataset=microworld trainer=quick inject=none\n\n"
    "elmo-bench train task=ner dataset=conll2003 embeddings=glove elmo=original seed=2\n\n"
    "elmo-bench train task=ner mix=top --show\n\n"
    "Every choice is in conf/train.yaml. A run that was killed goes on when it is started again.",
)
def train(
    context: typer.Context,
    show: Annotated[bool, typer.Option("--show", help="Print the whole config and stop.")] = False,
    config_folder: Annotated[
        Path | None,
        typer.Option("--config-folder", help="Where configs of your own are."),
    ] = None,
) -> None:
    """Train a task's head on frozen layers, and score it. Arguments are config overrides: NAME=VALUE."""
    from elmo_bench.training.compose import compose

    config = compose(context.args, config_folder)
    if show:
        from omegaconf import OmegaConf

        typer.echo(OmegaConf.to_yaml(config, resolve=True).rstrip())
        return
    from elmo_bench.report.table import table
    from elmo_bench.training.run import train as run

    row = run(config)
    _print_table(table([row]))


@app.command(
    epilog="[bold]Examples[/]\n\nelmo-bench report\n\nelmo-bench report results/ner.jsonl runs/rows.jsonl"
)
def report(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="ROWS", help="Files with result rows. \\[default: runs/rows.jsonl]"),
    ] = None,
) -> None:
    """Show what runs have reached, beside the paper's figures."""
    from elmo_bench.errors import TextError
    from elmo_bench.report.rows import read
    from elmo_bench.report.table import table

    paths = files or [Path("runs/rows.jsonl")]
    for path in paths:
        if not path.exists():
            raise TextError(f"{path}: no such file; elmo-bench train makes result rows.")
    _print_table(table(row for path in paths for row in read(path)))


@app.command(
    epilog="[bold]Examples[/]\n\nelmo-bench predict runs/ner/microworld/3f2a… sentences.txt\n\n"
    "echo 'Florence moved to Jordan .' | elmo-bench predict runs/ner/microworld/3f2a… -"
)
def predict(
    run: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    source: Annotated[
        Path, typer.Argument(metavar="INPUT", help="Text, one tokenised sentence a line; .gz, or -.")
    ],
) -> None:
    """Let a finished run label new text."""
    from elmo_bench.training.predict import Predictor

    predictor = Predictor(run)
    for example, prediction in predictor.predict(predictor.task.read_input(source)):
        for line in predictor.task.lines(example, prediction):
            typer.echo(line)


def _print_table(found: "Table") -> None:
    from rich.console import Console

    Console().print(found)


@app.command(epilog="[bold]Examples[/]\n\nelmo-bench demo\n\nelmo-bench demo --picture demo.svg")
def demo(
    picture: Annotated[Path | None, typer.Option(help="Keep what is shown as an SVG picture.")] = None,
    training: Annotated[bool, typer.Option(help="Train the taggers, too: two minutes.")] = True,
) -> None:
    """See one word's vectors change with its sentence, and what that is worth to a tagger."""
    from elmo_bench.demo import show

    show(picture, training)


_interrupted: list[int] = []
"""Python drops an interrupt inside a destructor, and hdf5 has many: long work looks here, too."""


def _interrupt(number: int, frame: object) -> None:
    _interrupted.append(number)
    raise KeyboardInterrupt


def main() -> None:
    """Runs a verb; a mistake of the user's is one paragraph and exit code 2."""
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that files are tidied up
    try:
        app()
    except ElmoBenchError as error:
        typer.secho(f"Error: {error}", fg="red", err=True)
        sys.exit(2)
