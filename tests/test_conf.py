"""Every config file is one that its target accepts."""

import inspect
from pathlib import Path

import hydra
import pytest
from hydra.core.global_hydra import GlobalHydra
from hydra.utils import get_method
from omegaconf import OmegaConf

CONFIGS = sorted(Path(__file__).resolve().parents[1].joinpath("conf").rglob("*.yaml"))


def test_there_are_configs() -> None:
    assert CONFIGS


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_config_fits_the_signature_of_its_target(path: Path) -> None:
    GlobalHydra.instance().clear()
    with hydra.initialize_config_module("elmo_bench.conf", version_base="1.3"):
        group = path.parent.name
        config = OmegaConf.to_container(hydra.compose(f"{group}/{path.stem}")[group])
    assert isinstance(config, dict)
    target = get_method(config.pop("_target_"))
    inspect.signature(target).bind(**{str(key): value for key, value in config.items()})


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_config_opens_with_how_to_use_it(path: Path) -> None:
    assert path.read_text().startswith("# ")
