"""The reference biLM against golden outputs and against values worked out by hand."""

from __future__ import annotations

import json
from math import log
from pathlib import Path

import h5py  # type: ignore[import-untyped, unused-ignore]
import numpy as np
import pytest
from random_models import write_random_model
from reference import Cell, Highway, ReferenceBiLM, character_ids

FIXTURE = Path(__file__).resolve().parents[1].parent / "shared" / "fixtures" / "elmo"
SENTENCE = ["the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "and", "runs", "away", "."]


@pytest.mark.skipif(not FIXTURE.exists(), reason="the golden fixture is not on this machine")
def test_golden_outputs(tmp_path: Path) -> None:
    (tmp_path / "options.json").symlink_to(FIXTURE / "options.json")
    (tmp_path / "weights.hdf5").symlink_to(FIXTURE / "lm_weights.hdf5")
    lists = json.loads((FIXTURE / "sentences.json").read_text(encoding="utf-8"))
    batches = [[sentence.split() for sentence in batch] for batch in zip(*lists, strict=True)]
    assert (len(batches), len(batches[0])) == (10, 3)

    results = ReferenceBiLM(tmp_path).run_batches(batches)

    for row in range(3):
        with h5py.File(FIXTURE / f"lm_embeddings_{row}.hdf5", "r") as file:
            for index in range(10):
                golden = np.concatenate(list(file[str(index)]), axis=1)  # (tokens, 2 * projection)
                np.testing.assert_allclose(results[index][row][-1], golden, rtol=0, atol=2e-6)


def test_lstm_step_by_hand() -> None:
    # Columns i, j, f, o; rows input, hidden. With input 1 and hidden 2 the gates before squashing are
    # log 3, log 2, log 4 - 1 and 0, so that i = 3/4, tanh j = 3/5, f (+1) = 4/5 and o = 1/2.
    weight = np.array([[log(3.0), 0.0, 0.0, 1.0], [0.0, log(2.0) / 2.0, 0.0, -0.5]])
    bias = np.array([0.0, 0.0, log(4.0) - 1.0, 0.0])
    state = np.array([2.0]), np.array([1.0])
    x = np.array([1.0])

    hidden, memory = Cell(weight, bias, np.array([[10.0]]), None, None).step(x, state)
    assert memory == pytest.approx(3 / 4 * 3 / 5 + 4 / 5 * 1.0)  # 1.25
    assert hidden == pytest.approx(10.0 * 0.5 * 0.8482836399575129)  # tanh 1.25

    hidden, memory = Cell(weight, bias, np.array([[10.0]]), log(2.0), 0).step(x, state)
    assert memory == pytest.approx(log(2.0))
    assert hidden == pytest.approx(10.0 * 1 / 2 * 3 / 5)

    hidden, memory = Cell(weight, bias, np.array([[-10.0]]), log(2.0), 2.5).step(x, state)
    assert hidden == pytest.approx(-2.5)

    hidden, memory = Cell(weight, bias, None, log(2.0), 0.1).step(x, state)
    assert hidden == pytest.approx(1 / 2 * 3 / 5)


def test_highway_by_hand() -> None:
    # The gate is 3/4 for both units; the transformed values are relu(10) and relu(-6).
    highway = Highway(
        carry_weight=np.zeros((2, 2)),
        carry_bias=np.full(2, log(3.0)),
        transform_weight=np.array([[5.0, 0.0], [0.0, -1.0]]),
        transform_bias=np.array([0.0, -2.0]),
    )
    assert highway(np.array([2.0, 4.0])) == pytest.approx(np.array([0.75 * 10 + 0.25 * 2, 0.25 * 4]))


def test_token_vector_by_hand(tmp_path: Path) -> None:
    """Padding inside the word wins the maximum, and the activation follows the maximum."""
    write_random_model(tmp_path, filters=((2, 1),), char_dim=1, highways=0, projection=1, activation="tanh")
    model = ReferenceBiLM(tmp_path)
    model.characters = np.zeros((262, 1))
    model.characters[[260, 261, 98], 0] = 1.0, 2.0, 5.0  # word end, padding, "a" (byte 97)
    model.filters = [(np.array([[[-1.0]], [[1.0]]]), np.array([-4.5]))]
    model.projection_weight, model.projection_bias = np.array([[2.0]]), np.array([3.0])
    # Differences of neighbours: "" gives 1, 1, 0, … and "a" gives 5, -4, 1, 0, …
    assert model.token_vector("") == pytest.approx(2.0 * np.tanh(1.0 - 4.5) + 3.0)
    assert model.token_vector("a") == pytest.approx(2.0 * np.tanh(5.0 - 4.5) + 3.0)


def test_character_ids() -> None:
    assert character_ids("é") == [259, 0xC3 + 1, 0xA9 + 1, 260] + [261] * 46
    assert character_ids("x" * 60) == [259] + [ord("x") + 1] * 48 + [260]
    assert character_ids("x" + "é" * 30)[-2:] == [0xC3 + 1, 260]
    assert character_ids("<S>") == [259, 257, 260] + [261] * 47
    assert character_ids("</S>") == [259, 258, 260] + [261] * 47
    assert character_ids("") == [259, 260] + [261] * 48


def test_rows_keep_their_state(tmp_path: Path) -> None:
    model = ReferenceBiLM(write_random_model(tmp_path))
    first, second, third = SENTENCE[:3], SENTENCE[3:8], SENTENCE[8:]
    results = model.run_batches([[first, second], [third], [first, second, third]])

    _, state = model.run(first)
    _, state = model.run(third, state)
    np.testing.assert_array_equal(results[2][0], model.run(first, state)[0])
    _, state = model.run(second)
    np.testing.assert_array_equal(results[2][1], model.run(second, state)[0])
    np.testing.assert_array_equal(results[2][2], model.run(third)[0])
    assert np.abs(results[2][0] - results[0][0]).max() > 1e-3


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("projection", [8, 24])
def test_shapes_and_character_rows(tmp_path: Path, layers: int, projection: int) -> None:
    results = []
    for rows, claimed in ((261, 262), (262, 261)):
        folder = write_random_model(
            tmp_path / str(rows),
            layers=layers,
            projection=projection,
            highways=layers - 1,
            character_rows=rows,
            n_characters=claimed,
        )
        model = ReferenceBiLM(folder)
        results.append(model.run(SENTENCE)[0])
        assert model.run([])[0].shape == (layers + 1, 0, 2 * projection)
    assert results[0].shape == (layers + 1, len(SENTENCE), 2 * projection)
    np.testing.assert_array_equal(results[0], results[1])


def test_missing_options(tmp_path: Path) -> None:
    folder = write_random_model(tmp_path, skip=False, cell_clip=None, proj_clip=0.0, highways=0, scale=4.0)
    expected, _ = ReferenceBiLM(folder).run(SENTENCE)
    options = json.loads((folder / "options.json").read_text(encoding="utf-8"))
    for key in ("cell_clip", "proj_clip", "use_skip_connections"):
        del options["lstm"][key]
    for key in ("n_highway", "max_characters_per_token"):
        del options["char_cnn"][key]
    (folder / "options.json").write_text(json.dumps(options), encoding="utf-8")
    np.testing.assert_array_equal(ReferenceBiLM(folder).run(SENTENCE)[0], expected)


@pytest.mark.parametrize("clips", [(None, 3.0), (3.0, None)])
def test_scale_makes_both_clips_fire(tmp_path: Path, clips: tuple[float | None, float | None]) -> None:
    change = []
    for scale in (1.0, 4.0):
        clipped, _ = ReferenceBiLM(write_random_model(tmp_path, scale=scale)).run(SENTENCE)
        cell_clip, proj_clip = clips
        write_random_model(tmp_path, scale=scale, cell_clip=cell_clip, proj_clip=proj_clip)
        change.append(np.abs(clipped - ReferenceBiLM(tmp_path).run(SENTENCE)[0]).max())
    assert change[0] == 0.0
    assert change[1] > 0.01
