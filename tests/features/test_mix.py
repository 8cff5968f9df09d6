"""The mix against the paper's formula, written out."""

import math

import numpy as np
import pytest
import torch

from elmo_bench.errors import ConfigError
from elmo_bench.features.mix import LayerMix

DEPTH, WIDTH, TOKENS = 3, 4, 5
LAYERS = torch.randn(TOKENS, DEPTH, WIDTH, generator=torch.Generator().manual_seed(0))


def mix(**choices: object) -> LayerMix:
    return LayerMix(DEPTH, WIDTH, **choices).eval()  # type: ignore[arg-type]


def test_learned_mix_is_the_papers_formula() -> None:
    learned = mix()
    with torch.no_grad():
        learned.logits.copy_(torch.tensor([0.3, -1.0, 2.0]))
        learned.scale.fill_(1.7)
    powers = [math.exp(logit) for logit in (0.3, -1.0, 2.0)]
    expected = np.zeros((TOKENS, WIDTH))
    for layer, power in enumerate(powers):
        expected += 1.7 * power / sum(powers) * LAYERS[:, layer].numpy()
    np.testing.assert_allclose(learned(LAYERS).detach().numpy(), expected, rtol=1e-5)


def test_learned_mix_starts_as_the_mean() -> None:
    torch.testing.assert_close(mix()(LAYERS), LAYERS.mean(1))


def test_mean_never_learns_weights_but_a_scale() -> None:
    mean = mix(weights="equal")
    trained = [name for name, parameter in mean.named_parameters() if parameter.requires_grad]
    assert trained == ["scale"]
    torch.testing.assert_close(mean(LAYERS), LAYERS.mean(1))


@pytest.mark.parametrize(("choice", "layer"), [("top", 2), ([0], 0), ([1], 1)])
def test_one_layer_passes_alone(choice: object, layer: int) -> None:
    torch.testing.assert_close(mix(layers=choice)(LAYERS), LAYERS[:, layer])


def test_concat_puts_layers_side_by_side() -> None:
    concat = mix(weights="concat")
    assert concat.width == DEPTH * WIDTH
    torch.testing.assert_close(concat(LAYERS), torch.cat([LAYERS[:, n] for n in range(DEPTH)], 1))


def test_penalty_is_lambda_times_the_squared_norm_of_the_raw_weights() -> None:
    penalised = mix(penalty=0.1)
    with torch.no_grad():
        penalised.logits.copy_(torch.tensor([1.0, 2.0, -2.0]))
    assert penalised.penalty().item() == pytest.approx(0.1 * 9.0)


def test_layer_norm_looks_at_one_token_alone() -> None:
    normed = mix(layer_norm=True)
    whole, single = normed(LAYERS), normed(LAYERS[2:3])
    torch.testing.assert_close(whole[2:3], single)
    centred = LAYERS - LAYERS.mean(-1, keepdim=True)
    expected = (centred / (LAYERS.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt()).mean(1)
    torch.testing.assert_close(whole, expected)


def test_a_fixed_scale_does_not_train() -> None:
    assert not mix(learn_scale=False).scale.requires_grad


def test_half_precision_layers_are_mixed_in_single() -> None:
    assert mix()(LAYERS.half()).dtype == torch.float32


def test_dropout_is_for_training_alone() -> None:
    dropped = LayerMix(DEPTH, WIDTH, dropout=0.5)
    assert (dropped.train()(LAYERS) == 0).any()
    torch.testing.assert_close(dropped.eval()(LAYERS), LAYERS.mean(1))


@pytest.mark.parametrize("layers", [[3], [-1], []])
def test_a_layer_that_does_not_exist_is_refused(layers: list[int]) -> None:
    with pytest.raises(ConfigError, match="from 0 to 2"):
        mix(layers=layers)
