"""Pretraining runs that take a second or two, and ways to break them off."""

from pathlib import Path

import hydra
import numpy as np
import pytest
import torch
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig

from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.pretrain.windows import Streams, Window
from elmo_bench.bilm.weights import published_arrays

TINY = [
    "size.lstm.dim=128",
    "size.lstm.projection_dim=64",
    "size.char_cnn.filters=[[1, 4], [2, 8]]",
    "streams=4",
    "steps=5",
    "passes=2",
    "accelerator=cpu",
    "optimizer.learning_rate=0.01",
    "optimizer.warmup_steps=2",
    "checkpoint_minutes=0.00001",
    "vocabulary_floor=1",
]

WINDOWS = 16
"""How many of TINY's windows the text of ``write_text`` fills."""


def write_text(folder: Path) -> Path:
    path = folder / "text.txt"
    if not path.exists():  # a corpus is numbered anew for a newer text
        path.write_text("".join(f"the {who} sat on w{n} .\n" for n in range(20) for who in ("cat", "dog")))
    return path


def config(folder: Path, out: str, *overrides: str) -> DictConfig:
    chosen = [f"text={write_text(folder)}", f"out={folder / out}", *TINY, *overrides]
    GlobalHydra.instance().clear()
    with hydra.initialize_config_module("elmo_bench.conf", version_base="1.3"):
        return hydra.compose("pretrain", chosen)


def interrupt_at(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Makes a run fail when it asks for that window; windows are asked for one step ahead."""
    whole = Streams.window

    def window(self: Streams, number: int) -> Window:
        if number == step:
            raise RuntimeError("the power fails")
        return whole(self, number)

    monkeypatch.setattr(Streams, "window", window)


def assert_same_weights(one: LanguageModel, other: LanguageModel) -> None:
    """Bit for bit."""
    theirs = published_arrays(other.bilm)
    for key, array in published_arrays(one.bilm).items():
        assert np.array_equal(array, theirs[key]), key
    pairs = zip(one.softmax.state_dict().items(), other.softmax.state_dict().values(), strict=True)
    for (name, mine), other_tensor in pairs:
        assert torch.equal(mine, other_tensor), name
