"""Config mistakes: all of them at once, before anything heavy, with what was probably meant."""

import pytest
from omegaconf import OmegaConf

from elmo_bench.errors import ConfigError
from elmo_bench.training.check import check
from elmo_bench.training.compose import compose


def complaint(*overrides: str) -> str:
    with pytest.raises(ConfigError) as raised:
        check(compose(overrides))
    return str(raised.value)


def test_a_right_config_passes() -> None:
    check(compose(["task=ner"]))


def test_every_wrong_choice_is_named_with_the_likeliest_right_one() -> None:
    found = complaint("task=nerr", "mix=lerned", "inject=inputs")
    assert "3 mistakes" in found
    for hint in ("did you mean ner?", "did you mean learned?", "did you mean input?"):
        assert hint in found


def test_every_wrong_key_is_named_with_the_likeliest_right_one() -> None:
    found = complaint("trainer.max_epoch=3", "optimiser.lr=1", "mix.penalty.deep=2")
    assert "did you mean max_epochs?" in found
    assert "did you mean optimizer?" in found
    assert "mix.penalty has no parts" in found


def test_a_choice_far_from_all_lists_what_there_is() -> None:
    assert "both, input, none, output" in complaint("inject=zzz")


def test_what_is_not_an_override_is_said_so() -> None:
    assert "expected NAME=VALUE" in complaint("ner")


def test_added_arguments_are_checked_against_the_signature() -> None:
    found = complaint("+task.head.hiden=3", "+mix.gamma=1")
    assert "did you mean hidden?" in found
    assert "mix.gamma is not an argument" in found


def test_missing_values_arguments_and_targets_are_listed_together() -> None:
    config = OmegaConf.create(
        {
            "a": {"_target_": "elmo_bench.nn.dropout.VariationalDropout"},
            "b": {"_target_": "elmo_bench.nn.nothing.Here"},
            "c": {"deep": "???"},
        }
    )
    with pytest.raises(ConfigError) as raised:
        check(config)
    found = str(raised.value)
    assert "a.rate is missing" in found
    assert "b._target_ is elmo_bench.nn.nothing.Here" in found
    assert "c.deep has no value" in found


def test_a_partial_target_may_lack_arguments() -> None:
    check(OmegaConf.create({"_target_": "elmo_bench.nn.dropout.VariationalDropout", "_partial_": True}))
