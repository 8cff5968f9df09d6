"""A finished run and new text → predictions."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import torch
from hydra.utils import instantiate
from omegaconf import OmegaConf

from elmo_bench.data.batching import TextBatcher
from elmo_bench.data.vocabulary import Vocabulary
from elmo_bench.errors import ModelError
from elmo_bench.training.build import make_frozen, make_head
from elmo_bench.training.data import make_batch
from elmo_bench.training.task import Example, Head, Prediction, Task

_BATCH = 32


class Predictor:
    """The best epoch of a run, ready for new examples."""

    def __init__(self, folder: Path) -> None:
        """``folder``: a run's, with ``run.json`` and ``checkpoints/best.ckpt``."""
        kept, best = folder / "run.json", folder / "checkpoints" / "best.ckpt"
        for path in (kept, best):
            if not path.exists():
                raise ModelError(f"{path}: no such file; expected the folder of a finished run.")
        state = json.loads(kept.read_text(encoding="utf-8"))
        config = OmegaConf.create(state["config"])
        self.task: Task = instantiate(config.task)
        self.task.restore(state["task"])
        vocabulary = Vocabulary.from_dict(state["vocabulary"])
        frozen = make_frozen(config)
        self._batcher = TextBatcher(vocabulary, frozen.features)
        rows = torch.zeros(len(vocabulary), state["word_dim"])
        self._head = _trained(make_head(config, self.task, frozen.encoder, rows)[0], best)

    def predict(self, examples: Iterable[Example]) -> Iterator[tuple[Example, Prediction]]:
        """Yields each example with what the head says about it, in order."""
        rest = iter(examples)
        while chunk := list(islice(rest, _BATCH)):
            batch = make_batch(self.task, self._batcher, chunk, range(len(chunk)), with_targets=False)
            with torch.inference_mode():
                yield from zip(chunk, self._head.predict(batch), strict=True)


def _trained(head: Head, checkpoint: Path) -> Head:
    weights = torch.load(checkpoint, weights_only=True, map_location="cpu")["state_dict"]
    own = {name.removeprefix("head."): value for name, value in weights.items() if name.startswith("head.")}
    head.load_state_dict(own)
    return head.eval()
