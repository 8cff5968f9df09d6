"""Learning rates, step by step."""

from typing import Any

import pytest
import torch

from elmo_bench.bilm.pretrain.optimizer import Adagrad, Adam


def build(choice: Adam | Adagrad, total_steps: int) -> tuple[Any, Any]:
    built = choice.build([torch.nn.Parameter(torch.ones(2))], total_steps)
    return built["optimizer"], built["lr_scheduler"]["scheduler"]


def rates(optimizer: Any, schedule: Any, steps: int) -> list[float]:
    found = []
    for _ in range(steps):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return found


def test_rate_rises_stays_and_falls_to_nothing() -> None:
    found = rates(*build(Adam(0.1, warmup_steps=4, decay=0.5), 20), 20)
    rising = [0.025, 0.05, 0.075]
    falling = [0.1 * left / 10 for left in range(10, 0, -1)]
    assert found == pytest.approx(rising + [0.1] * 7 + falling)
    assert rates(*build(Adagrad(0.2), 3), 3) == [0.2, 0.2, 0.2]


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (Adam(0.1, 2, 1.0), Adam(0.1, 2, 1.0), [0.05, 0.04, 0.03, 0.02, 0.01]),
        (Adam(0.1, 2, 1.0), Adam(0.01, 2, 1.0), [0.005, 0.004, 0.003, 0.002, 0.001]),
        (Adagrad(0.2), Adagrad(0.02), [0.02] * 5),
    ],
    ids=["unchanged", "Adam, lower", "Adagrad, lower"],
)
def test_resumed_run_follows_the_rate_that_is_chosen_now(
    before: Adam | Adagrad, now: Adam | Adagrad, expected: list[float]
) -> None:
    optimizer, schedule = build(before, 10)
    rates(optimizer, schedule, 5)
    further, its_schedule = build(now, 10)
    further.load_state_dict(optimizer.state_dict())
    its_schedule.load_state_dict(schedule.state_dict())
    assert rates(further, its_schedule, 5) == pytest.approx(expected)


def test_longer_run_follows_its_own_schedule() -> None:
    optimizer, schedule = build(Adam(0.1, 1, 1.0), 10)
    rates(optimizer, schedule, 10)
    longer, its_schedule = build(Adam(0.1, 1, 1.0), 20)
    longer.load_state_dict(optimizer.state_dict())
    its_schedule.load_state_dict(schedule.state_dict())
    assert rates(longer, its_schedule, 10) == pytest.approx([0.1 * left / 20 for left in range(10, 0, -1)])
