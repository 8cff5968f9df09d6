"""How fast a biLM trains here: this project's step and plain torch's, turn by turn in the same processes.

A step is everything from word numbers to new weights: loss, gradient, its exchange where there are several
processes, clipping and Adam. Lightning's loop, its logs and its checkpoints are not in it.
"""

import multiprocessing
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

import torch
from torch import distributed

from elmo_bench.bilm.pretrain.synthetic import synthetic_corpus
from elmo_bench.bilm.pretrain.versions import OURS, PLAIN, Setting, trainings
from elmo_bench.errors import TrainingError
from elmo_bench.speed import Machine, this_machine

_STEPS = 4
"""Windows that a version trains on when it has its turn."""


@dataclass(frozen=True)
class Row:
    """Tokens/s of all processes together, medians of several turns; the ratio is that of pairs of turns."""

    processes: int
    ours: float
    plain: float
    ratio: float


@dataclass(frozen=True)
class Report:
    machine: Machine
    rows: list[Row]


def measure(
    setting: Setting, processes: Sequence[int], rounds: int, step: Callable[[], None] = lambda: None
) -> Report:
    """Measures with each number of processes, one thread each; ``step`` is called after each round."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        synthetic_corpus(folder, setting.vocabulary)
        for world in processes:
            tokens = world * _STEPS * setting.streams * setting.steps
            with _workers(setting, folder, world) as turn:
                pairs = []
                for _ in range(rounds):
                    pairs.append((tokens / turn(OURS), tokens / turn(PLAIN)))
                    step()
            ours, plain = zip(*pairs, strict=True)
            ratio = median(fast / slow for fast, slow in pairs)
            rows.append(Row(world, median(ours), median(plain), ratio))
    return Report(this_machine("cpu"), rows)


@contextmanager
def _workers(setting: Setting, folder: Path, world: int) -> Iterator[Callable[[str], float]]:
    """Gives what lets all processes take a turn, and returns the seconds of the slowest."""
    spawning = multiprocessing.get_context("spawn")
    links = []
    workers = []
    for rank in range(world):
        mine, theirs = spawning.Pipe()
        arguments = (theirs, setting, folder, rank, world)
        workers.append(spawning.Process(target=_work, args=arguments, daemon=True))
        links.append(mine)
        workers[-1].start()
        theirs.close()

    def turn(name: str) -> float:
        try:
            for link in links:
                link.send(name)
            return max(float(link.recv()) for link in links)
        except (EOFError, OSError) as error:
            raise TrainingError("A process that measures has ended; its message is above.") from error

    try:
        yield turn
    finally:
        for link in links:
            link.close()
        for worker in workers:
            worker.join()


def _work(link: Connection, setting: Setting, folder: Path, rank: int, world: int) -> None:
    """Takes turns until there is nobody left to ask for one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # this process ends after the one that asks
    torch.set_num_threads(1)
    if world > 1:
        meeting = (folder / f"meeting-{world}").as_uri()
        distributed.init_process_group("gloo", init_method=meeting, rank=rank, world_size=world)
    versions = trainings(setting, folder, rank, world)
    for training in versions.values():
        training.step()
    with suppress(EOFError, ConnectionError):
        while True:
            training = versions[link.recv()]
            begin = time.perf_counter()
            for _ in range(_STEPS):
                training.step()
            link.send(time.perf_counter() - begin)
    if world > 1:
        distributed.destroy_process_group()
