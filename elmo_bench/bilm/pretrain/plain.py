"""The same model trained with torch alone: what the hand-written training step is measured against.

Single precision, one torch operation after the other and autograd through all of them: torch's conv1d once
for each distinct word of a window, the LSTM step by step, ``torch.nn.AdaptiveLogSoftmaxWithLoss``.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_bench.bilm.model import BACKWARD, FORWARD, BiLM
from elmo_bench.bilm.pretrain.recurrence import State, plain_layer
from elmo_bench.bilm.pretrain.softmax import AdaptiveSoftmax
from elmo_bench.bilm.pretrain.windows import NO_TARGET, Window


class PlainLoss(nn.Module):
    """A language model's loss over windows, with the states that its streams carry on."""

    def __init__(self, bilm: BiLM, softmax: AdaptiveSoftmax, characters: Tensor, dropout: float) -> None:
        """``characters``: (words, width) the character ids of every word."""
        super().__init__()
        self.bilm, self.clusters = bilm, softmax.clusters
        self._characters, self._dropout = characters, dropout
        self._states: dict[tuple[int, int], State] = {}

    def forward(self, window: Window) -> Tensor:
        distinct, places = window.words.unique(return_inverse=True)
        vectors = self.bilm.encoder(self._characters[distinct].long())  # (distinct, projection)
        inputs = functional.embedding(places, vectors)  # (2, steps, streams, projection)
        outputs = torch.stack([self._top(inputs[way], way) for way in (FORWARD, BACKWARD)])
        counted = window.targets != NO_TARGET  # (2, steps, streams)
        loss: Tensor = self.clusters(outputs[counted], window.targets[counted]).loss
        return loss

    def _top(self, x: Tensor, direction: int) -> Tensor:
        """The top layer of one direction, of ``x`` (steps, streams, projection)."""
        for number, lstm in enumerate(self.bilm.lstm_layers(direction)):
            x = functional.dropout(x, self._dropout, self.training)
            zeros = x.new_zeros(x.shape[1], lstm.projection), x.new_zeros(x.shape[1], lstm.dim)
            state = self._states.get((direction, number), zeros)
            y, self._states[direction, number] = plain_layer(lstm, x, state)
            x = y + x if number and self.bilm.options.skip_connections else y
        return functional.dropout(x, self._dropout, self.training)
