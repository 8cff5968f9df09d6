"""Two versions of the same training: this project's step, and plain torch's."""

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hydra
import torch
from omegaconf import OmegaConf
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.options import Options
from elmo_bench.bilm.pretrain.corpus import Corpus
from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.pretrain.module import Pretraining
from elmo_bench.bilm.pretrain.optimizer import Adam
from elmo_bench.bilm.pretrain.plain import PlainLoss
from elmo_bench.bilm.pretrain.softmax import AdaptiveSoftmax
from elmo_bench.bilm.pretrain.windows import NO_TARGET, Streams, Window

OURS, PLAIN = "ours", "plain"


@dataclass(frozen=True)
class Setting:
    """What is trained, and how."""

    size: dict[str, Any]
    vocabulary: int
    cutoffs: tuple[int, ...]
    shrink: float
    streams: int
    steps: int
    dropout: float
    gradient_clip: float
    learning_rate: float
    bits: int = 16

    @classmethod
    def of_mini(cls) -> "Setting":
        """The choices of conf/pretrain.yaml, with a vocabulary as large as mini's."""
        with hydra.initialize_config_module("elmo_bench.conf", version_base="1.3"):
            config = hydra.compose("pretrain")
        names = ("streams", "steps", "dropout", "gradient_clip")
        return cls(
            size=OmegaConf.to_container(config.size),  # type: ignore[arg-type]
            vocabulary=234_000,
            cutoffs=tuple(config.softmax.cutoffs),
            shrink=config.softmax.shrink,
            learning_rate=config.optimizer.learning_rate,
            **{name: config[name] for name in names},
        )


class CompiledLoss(nn.Module):
    """What a training step of this project computes."""

    def __init__(self, module: Pretraining) -> None:
        super().__init__()
        self._module = module

    def forward(self, window: Window) -> Tensor:
        outputs, counted = self._module.top_layers(window), window.targets != NO_TARGET
        loss: Tensor = self._module.model.softmax.loss(outputs[counted], window.targets[counted])
        return loss


def losses(setting: Setting, corpus: Corpus, streams: Streams) -> tuple[nn.Module, nn.Module]:
    """This project's and the plain loss of one model, each with its own copy of the weights."""
    options = Options.parse(setting.size)
    torch.manual_seed(0)
    bilm = BiLM.random(options).train()
    softmax = AdaptiveSoftmax(options.projection, corpus.sizes.vocabulary, setting.cutoffs, setting.shrink)
    characters = corpus.characters(options.characters_per_token)
    plain = PlainLoss(*copy.deepcopy((bilm, softmax)), torch.from_numpy(characters), setting.dropout)
    ours = Pretraining(
        LanguageModel(bilm, corpus.vocabulary, softmax, {}),
        streams,
        characters,
        Adam(setting.learning_rate, warmup_steps=0, decay=0.0),
        total_steps=1,
        dropout=setting.dropout,
        bits=setting.bits,
        seed=0,
    )
    return CompiledLoss(ours), plain


class Training:
    """One of the versions in training, at a constant rate."""

    def __init__(self, loss: nn.Module, setting: Setting, streams: Streams, *, fused: bool) -> None:
        self._loss, self._streams, self._number = loss, streams, 0
        self._parameters, self._clip = list(loss.parameters()), setting.gradient_clip
        rate = setting.learning_rate
        self._optimizer = torch.optim.Adam(self._parameters, rate, betas=(0.9, 0.99), fused=fused)

    def step(self) -> float:
        """Trains on the next window and returns its loss."""
        self._optimizer.zero_grad()
        loss: Tensor = self._loss(self._streams.window(self._number))
        loss.backward()
        nn.utils.clip_grad_norm_(self._parameters, self._clip)
        self._optimizer.step()
        self._number += 1
        return loss.item()


def trainings(setting: Setting, folder: Path, rank: int = 0, world: int = 1) -> dict[str, Training]:
    """Both versions on the corpus in ``folder``; of several processes, they are in this one's group."""
    corpus = Corpus(folder)
    sizes = {"streams": setting.streams, "steps": setting.steps}
    streams = Streams(corpus, **sizes, seed=0, rank=rank, world=world)
    ours, plain = losses(setting, corpus, streams)
    if world > 1:
        # Torch's softmax gives a cluster without targets no gradient; the text has some for each.
        ours, plain = DistributedDataParallel(ours), DistributedDataParallel(plain)
    return {
        OURS: Training(ours, setting, streams, fused=True),
        PLAIN: Training(plain, setting, streams, fused=False),
    }
