"""A model's card: what it is, what it was made from, and how good it is."""

import sys
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from elmo_bench import __version__
from elmo_bench.bilm.pretrain.corpus import Corpus
from elmo_bench.bilm.pretrain.heldout import Heldout
from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.pretrain.module import Pretraining
from elmo_bench.files import writing


def write_card(
    config: DictConfig,
    folder: Path,
    model: LanguageModel,
    corpus: Corpus,
    module: Pretraining,
    heldout: Heldout | None,
) -> None:
    options, sizes = model.bilm.options, corpus.sizes
    measured = f"{heldout.perplexity(model):.1f}" if heldout else "not measured (no heldout text was given)"
    text = f"""# {folder.parent.name}

A bidirectional language model of {model.bilm.parameters_count:,} parameters: {options.layers} layers of \
{options.dim}/{options.projection}, {options.filter_total} character filters, {options.highways} highways.

| | |
|---|---|
| text | {sizes.tokens:,} tokens in {sizes.sentences:,} sentences |
| left out | {sizes.not_utf8} lines that are not UTF-8, {sizes.too_long} longer than any sentence |
| vocabulary | {sizes.vocabulary:,} words seen {config.vocabulary_floor} times or more |
| tokens and markers read | {module.tokens_seen:,} |
| time | {module.seconds / 3600:.1f} hours, {config.devices} processes |
| held-out perplexity | {measured} (average of both directions, full softmax, warm start) |
| made by | elmo_bench {__version__}: `{" ".join(sys.argv[1:]) or "pretrain"}` |

![Perplexity while training](curve.png)

```yaml
{OmegaConf.to_yaml(config).strip()}
```
"""
    with writing(folder / "README.md") as path:
        path.write_text(text, "utf-8")
