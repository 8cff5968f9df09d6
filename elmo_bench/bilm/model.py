"""The biLM as its parameters: a character encoder, and a stack of LSTM layers for each direction."""

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from elmo_bench.bilm.encoder import CharacterEncoder
from elmo_bench.bilm.lstm import ProjectedLSTM
from elmo_bench.bilm.options import Options

FORWARD, BACKWARD = 0, 1


class BiLM(nn.Module):
    """All weights of a biLM. The two directions share the encoder and nothing else."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.options = options
        self.encoder = CharacterEncoder(options)
        self.directions = nn.ModuleList(
            nn.ModuleList(ProjectedLSTM(options) for _ in range(options.layers)) for _ in (FORWARD, BACKWARD)
        )

    @classmethod
    def random(cls, options: Options, seed: int = 0) -> "BiLM":
        """A biLM before training, with the initial distributions of the published trainer."""
        model = cls(options)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            model._initialise(generator)
        return model.eval()

    @property
    def parameters_count(self) -> int:
        """Counts every number of the model, with the zero row of the character table, as published."""
        return sum(parameter.numel() for parameter in self.parameters())

    def lstm_layers(self, direction: int) -> Iterator[ProjectedLSTM]:
        stack = self.directions[direction]
        assert isinstance(stack, nn.ModuleList)
        for layer in stack:
            assert isinstance(layer, ProjectedLSTM)
            yield layer

    def _initialise(self, generator: torch.Generator) -> None:
        encoder, options = self.encoder, self.options

        def uniform(parameter: Tensor, bound: float) -> None:
            parameter.uniform_(-bound, bound, generator=generator)

        def normal(parameter: Tensor) -> None:
            parameter.normal_(std=parameter.shape[0] ** -0.5, generator=generator)

        uniform(encoder.char_embed, 1.0)
        encoder.char_embed[0] = 0.0
        for weight, bias in zip(encoder.W_cnn, encoder.b_cnn, strict=True):
            if options.activation == "relu":
                uniform(weight, 0.05)
            else:
                weight.normal_(std=(weight.shape[1] * weight.shape[2]) ** -0.5, generator=generator)
            bias.zero_()
        for highway in encoder.highway_layers():
            normal(highway.W_carry)
            normal(highway.W_transform)
            highway.b_carry.fill_(-2.0)  # the gate starts nearly closed: words pass through at first
            highway.b_transform.zero_()
        if encoder.W_proj is not None and encoder.b_proj is not None:
            normal(encoder.W_proj)
            encoder.b_proj.zero_()
        for direction in (FORWARD, BACKWARD):
            for layer in self.lstm_layers(direction):
                layer.B.zero_()
                for matrix in (layer.W_0, layer.W_P_0):
                    if matrix is not None:
                        uniform(matrix, math.sqrt(6 / sum(matrix.shape)))
