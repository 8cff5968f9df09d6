"""The package as users get it: source archive → wheel → installed somewhere else."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from random_models import write_random_model

REPOSITORY = Path(__file__).resolve().parents[1]


def run(*command: str | Path, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the wheel from the source archive, not from the checkout."""
    folder = tmp_path_factory.mktemp("build")
    build = [sys.executable, "-m", "build", "--no-isolation"]
    run(*build, "--sdist", "--outdir", folder, REPOSITORY, cwd=folder)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    run(*build, "--wheel", "--outdir", folder, folder / archive.name.removesuffix(".tar.gz"), cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel; its dependencies are borrowed from the running one."""
    folder = tmp_path_factory.mktemp("elsewhere")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        wheel,
        cwd=folder,
    )
    packages = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip()
    )
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return folder


def test_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    tracked = run("git", "ls-files", "elmo_bench", "tasks", "conf", cwd=REPOSITORY).split()
    links = {"elmo_bench/tasks", "elmo_bench/conf"}
    expected = {
        path if path.startswith("elmo_bench/") else f"elmo_bench/{path}" for path in set(tracked) - links
    }
    with zipfile.ZipFile(wheel) as file:
        found = {name for name in file.namelist() if ".dist-info/" not in name}
    assert found == expected


def test_installed_command_embeds_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    write_random_model(tmp_path / "model")
    (tmp_path / "text.txt").write_text("One sentence .\n")
    where = run(
        installed / "bin" / "python", "-c", "import elmo_bench; print(elmo_bench.__file__)", cwd=tmp_path
    )
    assert Path(where.strip()).is_relative_to(installed)
    run(installed / "bin" / "elmo-bench", "embed", "text.txt", "layers.npz", "--model", "model", cwd=tmp_path)
    assert (tmp_path / "layers.npz").exists()


def test_installed_configs_are_found_by_hydra(installed: Path, tmp_path: Path) -> None:
    code = (
        "import hydra\n"
        "with hydra.initialize_config_module('elmo_bench.conf', version_base='1.3'):\n"
        "    print(hydra.compose('elmo/original').elmo.model)\n"
    )
    assert run(installed / "bin" / "python", "-c", code, cwd=tmp_path) == "original\n"
