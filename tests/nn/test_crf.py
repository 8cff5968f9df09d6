"""The CRF against brute force over all tag sequences."""

import itertools
import math

import numpy as np
import pytest
import torch

from elmo_bench.data.tags import check, transitions
from elmo_bench.nn.crf import TagCRF

TAGS = ["O", "B-X", "I-X", "L-X", "U-X", "U-Y"]
LENGTHS = (1, 2, 4)


def crf() -> TagCRF:
    torch.manual_seed(1)
    made = TagCRF(*transitions(TAGS, "BIOUL")).double()
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter)
    return made


def total(made: TagCRF, emissions: np.ndarray, path: tuple[int, ...]) -> float:
    start, end, pairs = (
        getattr(made.crf, name).detach().numpy()
        for name in ("start_transitions", "end_transitions", "transitions")
    )
    score = start[path[0]] + end[path[-1]] + sum(emissions[n, tag] for n, tag in enumerate(path))
    return float(score + sum(pairs[a, b] for a, b in itertools.pairwise(path)))


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    emissions = torch.randn(len(LENGTHS), max(LENGTHS), len(TAGS), dtype=torch.double)
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]
    return emissions, mask


def test_likelihood_is_over_all_sequences() -> None:
    made = crf()
    emissions, mask = batch()
    gold = torch.randint(len(TAGS), mask.shape)
    expected = []
    for row, length in enumerate(LENGTHS):
        scores = emissions[row].numpy()
        every = [total(made, scores, path) for path in itertools.product(range(len(TAGS)), repeat=length)]
        own = total(made, scores, tuple(gold[row, :length].tolist()))
        expected.append(math.log(sum(map(math.exp, every))) - own)
    assert made.loss(emissions, gold, mask).item() == pytest.approx(np.mean(expected), rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_best_path_is_the_best_valid_one(seed: int) -> None:
    made = crf()
    torch.manual_seed(seed)
    emissions, mask = batch()
    for row, (length, path) in enumerate(zip(LENGTHS, made.decode(emissions, mask), strict=True)):
        scores = emissions[row].numpy()
        valid = [
            candidate
            for candidate in itertools.product(range(len(TAGS)), repeat=length)
            if check([TAGS[tag] for tag in candidate], "BIOUL") is None
        ]
        assert tuple(path) == max(valid, key=lambda candidate: total(made, scores, candidate))


def test_even_absurd_scores_give_a_valid_sequence() -> None:
    made = crf()
    emissions = torch.zeros(1, 5, len(TAGS), dtype=torch.double)
    emissions[..., TAGS.index("I-X")] = 500.0
    mask = torch.ones(1, 5, dtype=torch.bool)
    assert check([TAGS[tag] for tag in made.decode(emissions, mask)[0]], "BIOUL") is None
