"""A model's card: what it is, what it was made from, and how good it is."""

import sys
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from elmo_bench import __version__
from elmo_bench.bilm.model import BACKWARD, FORWARD
from elmo_bench.bilm.pretrain.corpus import Corpus
from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.pretrain.module import Pretraining
from elmo_bench.bilm.pretrain.perplexity import Surprise, total
from elmo_bench.files import writing


@dataclass(frozen=True)
class Run:
    """What a card tells of.

    Attributes:
        fitting: how a softmax was fitted first, to a model that came without one.
        before: held-out perplexity of the model that was fine-tuned.
        after: what each source of the held-out text is to the model now.
    """

    config: DictConfig
    model: LanguageModel
    corpus: Corpus
    training: Pretraining
    fitting: Pretraining | None
    before: float | None
    after: dict[str, Surprise] | None


def write_card(run: Run, folder: Path) -> None:
    options = run.model.bilm.options
    rows = "\n".join(f"| {name} | {value} |" for name, value in _rows(run).items())
    text = f"""# {folder.parent.name}

A bidirectional language model of {run.model.bilm.parameters_count:,} parameters: {options.layers} layers of \
{options.dim}/{options.projection}, {options.filter_total} character filters, {options.highways} highways.

| | |
|---|---|
{rows}
{_by_source(run.after or {})}
![Perplexity while training](curve.png)

```yaml
{OmegaConf.to_yaml(run.config).strip()}
```
"""
    with writing(folder / "README.md") as path:
        path.write_text(text, "utf-8")


def _rows(run: Run) -> dict[str, str]:
    config, sizes = run.config, run.corpus.sizes
    kept = config.start_from and not run.fitting
    how = "(average of both directions, full softmax, warm start)"
    rows = {"fine-tuned from": config.start_from} if config.start_from else {}
    rows |= {
        "text": f"{sizes.tokens:,} tokens in {sizes.sentences:,} sentences",
        "left out": f"{sizes.not_utf8} lines that are not UTF-8, {sizes.too_long} longer than any sentence",
        "vocabulary": f"{sizes.vocabulary:,} words "
        + (f"of {config.start_from}" if kept else f"seen {config.vocabulary_floor} times or more"),
    }
    seconds = run.training.seconds
    if run.fitting:
        seconds += run.fitting.seconds
        rows["to fit a softmax first"] = f"{run.fitting.tokens_seen:,} tokens and markers read"
    rows |= {
        "tokens and markers read": f"{run.training.tokens_seen:,}",
        "time": f"{seconds / 3600:.1f} hours in all, {config.devices} processes",
    }
    if run.before is not None:
        rows["held-out perplexity before"] = f"{run.before:.1f} {how}"
    measured = (
        f"{total(run.after).average:.1f} {how}" if run.after else "not measured (no heldout text given)"
    )
    return rows | {
        "held-out perplexity": measured,
        "made by": f"elmo_bench {__version__}: `{' '.join(sys.argv[1:]) or 'pretrain'}`",
    }


def _by_source(surprises: dict[str, Surprise]) -> str:
    """A table, where the held-out text has more than one source."""
    if len(surprises) < 2:
        return ""
    lines = ["", "| held-out text | tokens | forward | backward | average |", "|---|---|---|---|---|"]
    for name, found in sorted(surprises.items(), key=lambda item: -item[1].tokens):
        values = (found.perplexity(FORWARD), found.perplexity(BACKWARD), found.average)
        lines.append(f"| {name} | {found.tokens:,} | {' | '.join(f'{value:.1f}' for value in values)} |")
    return "\n".join([*lines, ""])
