"""Every config file is one that its target accepts."""

import inspect
from pathlib import Path

import hydra
import pytest
from hydra.core.global_hydra import GlobalHydra
from hydra.utils import get_object
from omegaconf import OmegaConf

from elmo_bench.bilm.options import Options
from elmo_bench.bilm.shapes import SHAPES
from elmo_bench.training.check import check
from elmo_bench.training.compose import compose

CONFIGS = sorted(Path(__file__).resolve().parents[1].joinpath("conf").rglob("*.yaml"))


def test_there_are_configs() -> None:
    assert CONFIGS


ROOT = Path(__file__).resolve().parents[1] / "conf"
GROUPS = ("dataset", "elmo", "embeddings", "features", "inject", "mix", "task", "trainer")
CHOICES = [(group, path.stem) for group in GROUPS for path in sorted((ROOT / group).glob("*.yaml"))]
MISSING = {("elmo", "folder"): ["elmo.model=somewhere"]}


@pytest.mark.parametrize(("group", "choice"), CHOICES, ids=lambda value: str(value))
def test_every_choice_composes_into_a_run_whose_targets_take_it(group: str, choice: str) -> None:
    check(compose([f"{group}={choice}", *MISSING.get((group, choice), [])]))


def test_every_group_of_a_run_is_among_the_choices() -> None:
    folders = {path.parent.name for path in CONFIGS if path.parent.parent == ROOT} - {"pretrain"}
    assert folders == set(GROUPS)


@pytest.mark.parametrize("group", ["softmax", "optimizer"])
def test_pretraining_choices_fit_the_signature_of_their_target(group: str) -> None:
    paths = sorted((ROOT / "pretrain" / group).glob("*.yaml"))
    assert paths
    for path in paths:
        config = OmegaConf.to_container(OmegaConf.load(path))
        assert isinstance(config, dict)
        if "_target_" in config:
            target = get_object(str(config.pop("_target_")))
            inspect.signature(target).bind(**{str(key): value for key, value in config.items()})


@pytest.mark.parametrize("size", ["mini", "small", "medium", "original"])
def test_pretraining_sizes_are_models(size: str) -> None:
    GlobalHydra.instance().clear()
    with hydra.initialize_config_module("elmo_bench.conf", version_base="1.3"):
        config = hydra.compose("pretrain", [f"pretrain/size@size={size}", "text=x", "out=y"])
    options = Options.parse(OmegaConf.to_container(config.size))
    if size in SHAPES:
        assert options == SHAPES[size]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_config_opens_with_how_to_use_it(path: Path) -> None:
    assert path.read_text().startswith("# ")
