"""How the weights follow the gradient: as published, or faster."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import Parameter


@dataclass(frozen=True)
class Adagrad:
    """The published choice."""

    learning_rate: float

    def build(self, parameters: Sequence[Parameter], total_steps: int) -> Any:
        return torch.optim.Adagrad(parameters, self.learning_rate, initial_accumulator_value=1.0)


@dataclass(frozen=True)
class Adam:
    """Adam with a linear warm-up, and a linear fall to zero in the last part (``decay``) of training."""

    learning_rate: float
    warmup_steps: int
    decay: float

    def build(self, parameters: Sequence[Parameter], total_steps: int) -> Any:
        optimizer = torch.optim.Adam(parameters, self.learning_rate, betas=(0.9, 0.99), fused=True)

        def scale(step: int) -> float:
            rising = (step + 1) / max(1, self.warmup_steps)
            falling = (total_steps - step) / max(1.0, self.decay * total_steps)
            return max(0.0, min(1.0, rising, falling))

        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, scale)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}
