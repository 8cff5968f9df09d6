"""The LightningModule that trains a biLM, from the start or further."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytorch_lightning as lightning
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from elmo_bench.bilm.model import BACKWARD, FORWARD
from elmo_bench.bilm.pretrain.convolution import responses
from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.pretrain.optimizer import Adagrad, Adam
from elmo_bench.bilm.pretrain.recurrence import State, run_layer
from elmo_bench.bilm.pretrain.windows import NO_TARGET, Streams, Window
from elmo_bench.errors import TrainingError


class Pretraining(lightning.LightningModule):
    """A language model in training, with the states that its streams carry from window to window."""

    def __init__(
        self,
        model: LanguageModel,
        streams: Streams,
        characters: NDArray[np.int16],
        optimizer: Adam | Adagrad,
        *,
        total_steps: int,
        dropout: float,
        bits: int,
        seed: int,
    ) -> None:
        """``characters``: the ids of every word of the corpus. ``bits``: of the products, on a CPU."""
        super().__init__()
        self.model = model
        self.bilm, self.softmax = model.bilm.train(), model.softmax
        model.softmax.bits = bits
        self.streams, self.total_steps = streams, total_steps
        self._optimizer, self._dropout, self._bits, self._seed = optimizer, dropout, bits, seed
        self._characters = torch.from_numpy(characters)
        self._states: list[list[State]] = []
        self._began: tuple[float, int] | None = None
        self._seconds_before = 0.0

    def on_train_start(self) -> None:
        self._states = [
            [(hidden.to(self.device), cell.to(self.device)) for hidden, cell in states]
            for states in self._states
        ]

    def training_step(self, window: Window, number: int) -> Tensor:
        # The randomness of a step depends on its number alone, so that a resumed run repeats it.
        torch.manual_seed(hash((self._seed, self.global_step, self.global_rank)) & 0x7FFF_FFFF)
        outputs = self.top_layers(window)
        counted = window.targets != NO_TARGET
        loss = self.model.softmax.loss(outputs[counted], window.targets[counted])
        self._check(loss)
        self.log_dict({"loss": loss, "tokens": float(self.tokens_seen)})
        self.log_dict({"perplexity": loss.detach().exp(), "tokens/s": self._speed()}, prog_bar=True)
        return loss

    def top_layers(self, window: Window) -> Tensor:
        """The top layer of both directions over a window (2, steps, streams, projection)."""
        distinct, places = window.words.unique(return_inverse=True)
        vectors = self._encode(distinct)  # (distinct, projection)
        if not self._states:
            self._states = self._zero_states(window.words.shape[2])
        outputs = []
        for direction, states in enumerate(self._states):
            x = functional.embedding(places[direction], vectors)  # (steps, streams, projection)
            for number, lstm in enumerate(self.bilm.lstm_layers(direction)):
                # Dropout sits outside the residual connection, as published.
                x = functional.dropout(x, self._dropout, self.training)
                y, states[number] = run_layer(lstm, x, states[number], self._bits)
                x = y + x if number and self.bilm.options.skip_connections else y
            outputs.append(functional.dropout(x, self._dropout, self.training))
        return torch.stack(outputs)

    def _encode(self, words: Tensor) -> Tensor:
        """The character CNN, once for each distinct word."""
        ids = self._characters[words.cpu()].to(self.device)  # (words, characters)
        pooled = responses(self.bilm.encoder, ids)  # (words, filter_total)
        return self.bilm.encoder.finish(pooled, _rounded_affine if self._bits == 16 else torch.addmm)

    def _zero_states(self, streams: int) -> list[list[State]]:
        options = self.bilm.options

        def zeros(size: int) -> Tensor:
            return self.bilm.encoder.char_embed.new_zeros(streams, size)

        return [
            [(zeros(options.projection), zeros(options.dim)) for _ in range(options.layers)]
            for _ in (FORWARD, BACKWARD)
        ]

    def _check(self, loss: Tensor) -> None:
        if not torch.isfinite(loss):
            rate = self.trainer.optimizers[0].param_groups[0]["lr"]
            raise TrainingError(
                f"The loss is {loss.item()} at step {self.global_step} (learning rate {rate:.2e}). The last "
                "checkpoint is untouched: resume from it with a lower learning rate, a longer warm-up or a "
                "smaller gradient clip."
            )

    @property
    def tokens_seen(self) -> int:
        return self.global_step * self.streams.tokens_per_window * self.trainer.world_size

    def _speed(self) -> float:
        """Tokens/s of all processes since this run began or was resumed."""
        if self._began is None:
            self._began = time.perf_counter(), self.tokens_seen
        began, seen = self._began
        return (self.tokens_seen - seen) / max(1e-9, time.perf_counter() - began)

    @property
    def seconds(self) -> float:
        """How long training has taken, with the parts before it was resumed."""
        now = time.perf_counter()
        return self._seconds_before + (now - self._began[0] if self._began else 0.0)

    def train_dataloader(self) -> "_Windows":
        return _Windows(self)

    def configure_optimizers(self) -> Any:
        trained = [parameter for parameter in self.parameters() if parameter.requires_grad]
        return self._optimizer.build(trained, self.total_steps)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keeps the carried states of every process: the streams go on as if nothing had happened."""
        pairs = [pair for states in self._states for pair in states]
        mine = [torch.stack(part) for part in zip(*pairs, strict=True)]  # (2 · layers, streams, size) each
        checkpoint["carried"] = [self._from_all_processes(part) for part in mine]
        checkpoint["seconds"] = self.seconds
        checkpoint["layout"] = self._layout()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        self._check_layout(checkpoint.get("layout", {}))
        hidden, cell = (part[self.global_rank] for part in checkpoint["carried"])
        pairs = list(zip(hidden, cell, strict=True))
        self._seconds_before = checkpoint["seconds"]
        layers = self.bilm.options.layers
        self._states = [pairs[:layers], pairs[layers:]]

    def _layout(self) -> dict[str, int]:
        """What must stay as it is while a run goes on: its weights, and where its streams are."""
        parameters = sum(parameter.numel() for parameter in self.parameters())
        return {**self.streams.layout, "parameters": parameters}

    def _check_layout(self, before: dict[str, int]) -> None:
        now = self._layout()
        changed = [
            f"{name}={value} (now {now[name]})" for name, value in before.items() if value != now[name]
        ]
        if changed:
            raise TrainingError(
                f"The run that was to go on had {', '.join(changed)}. Resume it with the text and the "
                "choices that it began with, or fine-tune its model in another folder (start_from=…, out=…)."
            )

    def _from_all_processes(self, mine: Tensor) -> Tensor:
        gathered = self.all_gather(mine)
        assert isinstance(gathered, Tensor)
        return gathered.reshape(-1, *mine.shape)


class _Windows:
    """Every window from the step that training is at, without an end; resuming needs nothing else."""

    def __init__(self, module: Pretraining) -> None:
        self._module = module

    def __iter__(self) -> Iterator[Window]:
        number = self._module.global_step
        while True:
            yield self._module.streams.window(number)
            number += 1


def _rounded_affine(bias: Tensor, x: Tensor, weight: Tensor) -> Tensor:
    return bias + (x.bfloat16() @ weight.bfloat16()).float()
