"""A biLM with what makes it a language model: a vocabulary and a softmax, in files beside its weights."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import safetensors.torch

from elmo_bench.bilm.locate import ModelName, locate
from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.pretrain.softmax import KINDS, AdaptiveSoftmax, SampledSoftmax
from elmo_bench.bilm.weights import read_model, write_model
from elmo_bench.errors import ModelError
from elmo_bench.files import writing

SoftmaxModule = AdaptiveSoftmax | SampledSoftmax

VOCABULARY, SOFTMAX, SOFTMAX_OPTIONS = "vocabulary.txt", "softmax.safetensors", "softmax.json"


@dataclass
class LanguageModel:
    """Predicts words in both directions."""

    bilm: BiLM
    vocabulary: list[str]
    softmax: SoftmaxModule
    softmax_options: dict[str, Any]

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.vocabulary)}

    def write(self, folder: Path, *, half: bool = False) -> None:
        """Writes the weights in the published layout, and the rest beside them."""
        write_model(self.bilm, folder, half=half)
        with writing(folder / VOCABULARY) as path:
            path.write_text("".join(f"{word}\n" for word in self.vocabulary), "utf-8")
        tensors = {
            name: tensor.half() if half else tensor for name, tensor in self.softmax.state_dict().items()
        }
        with writing(folder / SOFTMAX) as path:
            path.write_bytes(safetensors.torch.save(tensors))
        with writing(folder / SOFTMAX_OPTIONS) as path:
            path.write_text(json.dumps(self.softmax_options) + "\n", "utf-8")

    @classmethod
    def read(cls, model: ModelName) -> "LanguageModel":
        """Reads a model that was written by ``write``; published ones have no softmax and are refused."""
        options_file, weights_file = locate(model)
        folder = weights_file.parent
        missing = [name for name in (VOCABULARY, SOFTMAX, SOFTMAX_OPTIONS) if not (folder / name).is_file()]
        if missing:
            raise ModelError(
                f"{folder}: predicts no words: {', '.join(missing)} missing. Published models come without a "
                "softmax; fine-tuning fits one (elmo-bench pretrain start_from=…)."
            )
        vocabulary = (folder / VOCABULARY).read_text("utf-8").split("\n")[:-1]
        options = json.loads((folder / SOFTMAX_OPTIONS).read_text("utf-8"))
        bilm = read_model(options_file, weights_file)
        softmax = make_softmax(options, bilm.options.projection, vocabulary)
        softmax.load_state_dict(safetensors.torch.load_file(folder / SOFTMAX))
        return cls(bilm, vocabulary, softmax, options)


def has_softmax(model: ModelName) -> bool:
    return (locate(model)[1].parent / SOFTMAX).is_file()


def make_softmax(options: dict[str, Any], projection: int, vocabulary: Sequence[str]) -> SoftmaxModule:
    """A softmax of the kind and with the choices that ``options`` names."""
    choices = dict(options)
    return KINDS[choices.pop("kind")](projection, len(vocabulary), **choices)
