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

CONFIGS = sorted(Path(__file__).resolve().parents[1].joinpath("conf").rglob("*.yaml"))


def test_there_are_configs() -> None:
    assert CONFIGS


TARGETED = [path for path in CONFIGS if "_target_" in path.read_text()]


@pytest.mark.parametrize("path", TARGETED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_config_fits_the_signature_of_its_target(path: Path) -> None:
    config = OmegaConf.to_container(OmegaConf.load(path))
    assert isinstance(config, dict)
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
