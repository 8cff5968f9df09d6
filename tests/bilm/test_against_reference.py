"""Every variant of the format, on every exact kernel, against the plain NumPy biLM of tests/reference.py."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from random_models import write_random_model
from reference import Array, ReferenceBiLM
from reference import State as ReferenceState

from elmo_bench.bilm import frozen, kernels
from elmo_bench.bilm.frozen import FrozenBiLM, Layers
from elmo_bench.bilm.kernels import Kernel
from elmo_bench.bilm.start import warm_state, warmup_text
from elmo_bench.bilm.weights import read_model
from elmo_bench.elmo import Elmo

TOLERANCE = 1e-5

VARIANTS: dict[str, dict[str, Any]] = {
    "usual": {},
    "no skip connections": {"skip": False},
    "options say 261 characters": {"n_characters": 261},
    "262 character rows": {"character_rows": 262},
    "262 character rows, options say 261": {"character_rows": 262, "n_characters": 261},
    "tanh": {"activation": "tanh"},
    "no highway": {"highways": 0},
    "two highways": {"highways": 2},
    "one layer": {"layers": 1},
    "three layers": {"layers": 3},
    "three layers, no skip connections": {"layers": 3, "skip": False},
    "no projection matrix": {"dim": 20, "projection": 20},
    "no projection matrix, one layer": {"dim": 32, "projection": 32, "layers": 1},
    "dim of whole vectors": {"dim": 64, "projection": 16},
    "odd sizes": {"dim": 37, "projection": 13},
    "projection beyond one panel": {"dim": 50, "projection": 72},
    "clips fire": {"scale": 4.0},
    "clips fire, whole vectors": {"scale": 4.0, "dim": 64, "projection": 16},
    "cell clip fires without a projection": {"scale": 4.0, "dim": 28, "projection": 28},
    "no clips": {"scale": 4.0, "cell_clip": None, "proj_clip": None},
    "clips of zero are none": {"scale": 4.0, "cell_clip": 0.0, "proj_clip": 0.0},
    "half precision": {"dtype": "float16"},
}
CARRIED = ("usual", "no projection matrix", "three layers, no skip connections", "clips fire")

BATCH = [
    ["a", "x" * 48, "x" * 49, "x" * 120, "the"],
    ["a" * 47 + "é", "a" * 46 + "😀", "naïve", "東京" * 10],  # two characters cut in half, and a third
    ["", "before", "", "", "after"],
    ["<S>", "inside", "</S>", "<S>", "</S>"],
    ["alone"],
    [["long", "sentences", "go", "on", ",", "and", "on"][number * number % 7] for number in range(300)],
]


@dataclass(frozen=True)
class Case:
    """A model of some variant, its oracle, and what the oracle says about ``BATCH``."""

    folder: Path
    reference: ReferenceBiLM
    expected: list[Array]


@pytest.fixture(scope="module", params=VARIANTS)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = write_random_model(tmp_path_factory.mktemp("model"), **VARIANTS[request.param])
    reference = ReferenceBiLM(folder)
    return Case(folder, reference, [reference.run(sentence)[0] for sentence in BATCH])


@pytest.fixture(params=kernels.available_exact(), ids=lambda kernel: str(kernel.name))
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """Every exact kernel in turn serves whatever asks for the fastest."""
    kernel: Kernel = request.param
    monkeypatch.setattr(kernels, "choose", lambda precision, device: kernel)
    return kernel


def assert_all_close(found: list[Layers], expected: list[Array]) -> None:
    for layers, true in zip(found, expected, strict=True):
        np.testing.assert_allclose(layers, true, rtol=0, atol=TOLERANCE)


def test_zero_state_agrees(case: Case, kernel: Kernel) -> None:
    assert_all_close(Elmo.load(case.folder, state="zero").embed(BATCH, len(BATCH)), case.expected)


@pytest.mark.parametrize(("rows_at_once", "words_held"), [(4, 4096), (512, 3), (20, 3)])
@pytest.mark.parametrize("case", ["usual", "no projection matrix"], indirect=True)
def test_a_batch_computed_in_parts_agrees(
    case: Case, kernel: Kernel, rows_at_once: int, words_held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frozen, "_ROWS_AT_ONCE", rows_at_once)
    monkeypatch.setattr(frozen, "_WORDS_HELD", words_held)
    assert_all_close(Elmo.load(case.folder, state="zero").embed(BATCH), case.expected)


@pytest.mark.parametrize("case", CARRIED, indirect=True)
def test_carried_state_agrees_over_batches_of_varying_size(case: Case, kernel: Kernel) -> None:
    words = [f"word{number}" for number in range(40)]
    sentences = [words[number : number + 1 + number * 5 % 7] for number in range(10)]
    batches = [sentences[:3], sentences[3:4], sentences[4:8], sentences[8:]]
    elmo = Elmo.load(case.folder, state="carry")
    for batch, expected in zip(batches, case.reference.run_batches(batches), strict=True):
        assert_all_close(elmo.embed(batch, len(batch)), expected)


def test_carried_state_passes_through_batches_of_empty_sentences(tmp_path: Path) -> None:
    batches: list[list[list[str]]] = [[["a", "b"], ["c"]], [[], []], [["d"], ["e", "f"]]]
    reference = ReferenceBiLM(write_random_model(tmp_path))
    expected = [layers for batch in reference.run_batches(batches) for layers in batch]
    sentences = [sentence for batch in batches for sentence in batch]
    assert_all_close(Elmo.load(tmp_path, state="carry").embed(sentences, batch_sentences=2), expected)


def oracle_of_the_warm_state(reference: ReferenceBiLM) -> ReferenceState:
    """Eight texts one after the other; the mean of the states after all their sentences but the first two."""
    text = [list(sentence) for sentence in warmup_text()]
    assert len(text) % 8 == 0
    length = len(text) // 8
    counted: list[ReferenceState] = []
    for first in range(0, len(text), length):
        state = reference.zero_state()
        for number, sentence in enumerate(text[first : first + length]):
            state = reference.run(sentence, state)[1]
            if number >= 2:
                counted.append(state)
    return [
        [
            (
                np.mean([state[direction][layer][0] for state in counted], axis=0),
                np.mean([state[direction][layer][1] for state in counted], axis=0),
            )
            for layer in range(len(reference.directions[direction]))
        ]
        for direction in (0, 1)
    ]


@pytest.mark.parametrize("case", ["usual", "no projection matrix", "clips fire"], indirect=True)
def test_warm_state_agrees_and_every_sentence_starts_from_it(case: Case, kernel: Kernel) -> None:
    expected = oracle_of_the_warm_state(case.reference)
    model = read_model(case.folder / "options.json", case.folder / "weights.hdf5")
    found = warm_state(FrozenBiLM(model, kernel))
    for direction, layers in enumerate(expected):
        for layer, (hidden, cell) in enumerate(layers):
            for rows, row in ((found.hidden, hidden), (found.cell, cell)):
                np.testing.assert_allclose(rows[direction][layer], row[None], rtol=0, atol=TOLERANCE)

    layers_from_it = [case.reference.run(sentence, expected)[0] for sentence in BATCH]
    assert_all_close(Elmo.load(case.folder, state="warm").embed(BATCH), layers_from_it)


def without(clip: str, folder: Path) -> list[Array]:
    """What the oracle says about ``BATCH`` when a clip is taken away."""
    reference = ReferenceBiLM(folder)
    for cell in (*reference.directions[0], *reference.directions[1]):
        setattr(cell, clip, None)
    return [reference.run(sentence)[0] for sentence in BATCH]


@pytest.mark.parametrize(
    ("case", "clip", "fires"),
    [
        ("clips fire", "cell_clip", True),
        ("clips fire", "projection_clip", True),
        ("clips fire, whole vectors", "cell_clip", True),
        ("clips fire, whole vectors", "projection_clip", True),
        ("cell clip fires without a projection", "cell_clip", True),
        ("no clips", "cell_clip", False),
    ],
    indirect=["case"],
)
def test_clips_fire_where_the_variants_say_so(case: Case, clip: str, fires: bool) -> None:
    changed = without(clip, case.folder)
    differences = [np.abs(a - b).max() for a, b in zip(changed, case.expected, strict=True)]
    assert (max(differences) > 100 * TOLERANCE) == fires


def test_a_table_of_262_rows_without_a_zero_row_reads_like_its_first_261(
    tmp_path: Path, kernel: Kernel
) -> None:
    folder = write_random_model(tmp_path)
    expected = [ReferenceBiLM(folder).run(sentence)[0] for sentence in BATCH]
    with h5py.File(folder / "weights.hdf5", "a") as file:
        rows = file["char_embed"][()]
        assert rows.shape[0] == 261
        assert rows[0].all()
        del file["char_embed"]
        file["char_embed"] = np.concatenate([rows, np.full_like(rows[:1], 7.0)])
    assert_all_close(Elmo.load(folder, state="zero").embed(BATCH), expected)


def test_a_file_without_a_token_projection_gives_the_filters_themselves(
    tmp_path: Path, kernel: Kernel
) -> None:
    folder = write_random_model(tmp_path, filters=((1, 3), (2, 5)), projection=8)
    with h5py.File(folder / "weights.hdf5", "a") as file:  # the oracle wants a matrix: one that does nothing
        file["CNN_proj/W_proj"][...] = np.eye(8)
        file["CNN_proj/b_proj"][...] = 0.0
    expected = [ReferenceBiLM(folder).run(sentence)[0] for sentence in BATCH]
    with h5py.File(folder / "weights.hdf5", "a") as file:
        del file["CNN_proj"]
    assert_all_close(Elmo.load(folder, state="zero").embed(BATCH), expected)
