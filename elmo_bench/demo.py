"""One word in six sentences, and what such vectors are worth to a task."""

import itertools
import re
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

from elmo_bench.elmo import Elmo
from elmo_bench.files import require_folder, writing

_WORD = "play"
_SENTENCES = (
    "The children play football behind the school every afternoon .",
    "Both teams play their best match when it rains .",
    "You can play chess against a computer or a friend .",
    "Her first play was staged in a small theatre in Prague .",
    "The critics praised the play but not the actors .",
    "He wrote a play about two brothers and a broken piano .",
)

_FONTS_FROM_THE_NETWORK = re.compile(r"@font-face \{.*?\}", re.DOTALL)


_SEEDS = (1, 2, 3)
_RUN = ("task=ner", "dataset=microworld", "trainer=quick", "trainer.max_epochs=8", "machine.loggers=[]")


def show(picture: Path | None, training: bool) -> None:
    """Shows one word's vectors, then trains a tagger without and with them."""
    if picture is not None:
        require_folder(picture)
    console = Console(record=picture is not None)
    _show_a_word(console)
    if training:
        _show_a_task(console)
    if picture is not None:
        svg = console.export_svg(title="elmo-bench demo")
        with writing(picture) as path:
            path.write_text(_FONTS_FROM_THE_NETWORK.sub("", svg), encoding="utf-8")


def _show_a_task(console: Console) -> None:
    """Trains the paper's tagger on generated English, three times each way, and prints the table."""
    from elmo_bench.report import rows
    from elmo_bench.report.table import table
    from elmo_bench.training.compose import compose
    from elmo_bench.training.run import train

    console.print("[bold]Names of persons, places and organisations[/]: a tagger without and with ELMo\n")
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "rows.jsonl")
        places = (f"runs={folder}", f"rows={kept}", f"features.folder={folder}/features")
        for seed, inject in itertools.product(_SEEDS, ("none", "input")):
            row = train(compose([*_RUN, *places, f"seed={seed}", f"inject={inject}"]))
            name = "with ELMo" if row["elmo"] else "without  "
            console.print(f"  {name}  seed {seed}  F1 {row['score']:5.2f}  {row['seconds']:4.0f} s")
        console.print()
        console.print(table(rows.read(kept)))
    console.print(
        "\nThe microworld is generated: its names are persons here and places there, and the sentence "
        "decides.\nThe last column is the paper's, on the data that it names.\n"
    )


def _show_a_word(console: Console) -> None:
    """Embeds the sentences and prints the cosine between every two occurrences of the word."""
    elmo = Elmo.load()
    sentences = [sentence.split() for sentence in _SENTENCES]
    vectors = [
        layers[:, tokens.index(_WORD)]
        for layers, tokens in zip(elmo.embed(sentences), sentences, strict=True)
    ]
    console.print(f"\n[bold]{_WORD}[/] in six sentences: a verb in 1 to 3, a piece for the stage in 4 to 6\n")
    for number, sentence in enumerate(_SENTENCES, start=1):
        console.print(f"  {number}  {sentence.replace(_WORD, f'[bold cyan]{_WORD}[/]')}", highlight=False)
    words, *contextual = (_cosines(np.stack(vectors)[:, layer]) for layer in range(elmo.depth))
    console.print(
        f"\nLayer 0 reads only the word's characters: between all six the cosine is {words.min():.3f}.\n"
        "The layers above it read the sentence, and the vectors part:\n"
    )
    grid = Table.grid(padding=(0, 3))
    grid.add_row(*(_heat(layer, cosines) for layer, cosines in enumerate(contextual, start=1)))
    console.print(grid)
    same, other = _means(contextual[-1])
    console.print(
        f"\nIn the top layer, two occurrences of one sense have a cosine of {same:.3f} on average, two of "
        f"different senses {other:.3f}.\n"
    )


def _cosines(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)  # (sentences, width)
    cosines: NDArray[np.float32] = unit @ unit.T
    return cosines


def _means(cosines: NDArray[np.float32]) -> tuple[float, float]:
    """The mean cosine of two sentences with the same sense of the word, and of two with different senses."""
    sense = np.arange(len(cosines)) < len(cosines) // 2
    alike = sense[:, None] == sense
    different_sentences = ~np.eye(len(cosines), dtype=bool)
    return float(cosines[alike & different_sentences].mean()), float(cosines[~alike].mean())


def _heat(layer: int, cosines: NDArray[np.float32]) -> Table:
    """A matrix of cosines as coloured cells: the range of its own values goes from dark to bright."""
    table = Table(title=f"layer {layer}: cosines", box=None, padding=(0, 0), title_style="bold")
    table.add_column("", style="dim", justify="right")
    for number in range(1, len(cosines) + 1):
        table.add_column(f"{number}  ", justify="right", header_style="dim")
    low, high = float(cosines.min()), float(cosines.max())
    for number, row in enumerate(cosines, start=1):
        cells = []
        for value in row:
            shade = 0 if high - low < 1e-3 else int(150 * (high - value) / (high - low))
            cells.append(Text(f"{value:.3f} ", style=f"white on rgb(30,{150 - shade},{190 - shade})"))
        table.add_row(f"{number} ", *cells)
    return table
