"""How the weights follow the gradient: as published, or faster."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import Parameter
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR


@dataclass(frozen=True)
class Adagrad:
    """The published choice."""

    learning_rate: float

    def build(self, parameters: Sequence[Parameter], total_steps: int) -> dict[str, Any]:
        optimizer = torch.optim.Adagrad(parameters, self.learning_rate, initial_accumulator_value=1.0)
        return _with_schedule(optimizer, _Schedule(optimizer, lambda step: 1.0))


@dataclass(frozen=True)
class Adam:
    """Adam with a linear warm-up, and a linear fall to zero in the last part (``decay``) of training."""

    learning_rate: float
    warmup_steps: int
    decay: float

    def build(self, parameters: Sequence[Parameter], total_steps: int) -> dict[str, Any]:
        optimizer = torch.optim.Adam(parameters, self.learning_rate, betas=(0.9, 0.99), fused=True)

        def scale(step: int) -> float:
            rising = (step + 1) / max(1, self.warmup_steps)
            falling = (total_steps - step) / max(1.0, self.decay * total_steps)
            return max(0.0, min(1.0, rising, falling))

        return _with_schedule(optimizer, _Schedule(optimizer, scale))


class _Schedule(LambdaLR):
    """Goes on at a checkpoint's step with the rate that is chosen now, for longer or more careful training.

    Torch's own would go on with the rate that was chosen then, whatever is asked for.
    """

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        chosen = self.base_lrs
        super().load_state_dict(state_dict)
        self.base_lrs = chosen
        groups = zip(self.optimizer.param_groups, chosen, self.lr_lambdas, strict=True)
        for group, rate, scale in groups:
            group["lr"] = rate * scale(self.last_epoch)


def _with_schedule(optimizer: Optimizer, schedule: LambdaLR) -> dict[str, Any]:
    return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}
