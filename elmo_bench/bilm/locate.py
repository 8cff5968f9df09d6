"""From what a user calls a model to its two files."""

import difflib
from importlib import resources
from pathlib import Path

from elmo_bench.bilm.published import PUBLISHED, fetch
from elmo_bench.bilm.weights import read_model
from elmo_bench.errors import ModelError

SHIPPED = "mini"
"""The small trained model inside the package."""

ModelName = str | Path | tuple[str | Path, str | Path]
"""``mini``, a published name, a folder, or the pair (options file, weights file)."""


def locate(model: ModelName, *, progress: bool = True) -> tuple[Path, Path]:
    """Returns the options file and the weights file; a published model is downloaded at its first use."""
    if isinstance(model, tuple):
        options, weights = map(Path, model)
        for path in (options, weights):
            if not path.is_file():
                raise ModelError(
                    f"{path}: no such file; expected the pair (options.json, weights.hdf5) of a biLM."
                )
        return options, weights
    if model == SHIPPED:
        return _in_folder(Path(str(resources.files("elmo_bench") / "models" / SHIPPED)))
    if model in PUBLISHED:
        name = str(model)
        return fetch(name, verify=lambda *files: _check_published(name, *files), progress=progress)
    return _in_folder(Path(model))


def _in_folder(folder: Path) -> tuple[Path, Path]:
    if not folder.is_dir():
        near = difflib.get_close_matches(str(folder), PUBLISHED, n=1, cutoff=0.5)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise ModelError(
            f"{folder}: no such folder, and no published model of that name{hint}. "
            f"There are {', '.join((SHIPPED, *PUBLISHED))}; a folder must hold options.json and weights.hdf5."
        )
    return _only(folder, "options.json"), _only(folder, "weights.hdf5")


def _only(folder: Path, name: str) -> Path:
    """The file of that very name, or the one file whose name ends like it, as the published ones do."""
    if (exact := folder / name).is_file():
        return exact
    found = sorted(folder.glob(f"*{name}"))
    if len(found) == 1:
        return found[0]
    what = (
        f"{len(found)} files match *{name} ({', '.join(path.name for path in found)})"
        if found
        else f"no *{name}"
    )
    raise ModelError(
        f"{folder}: not the folder of one biLM: {what}; expected options.json and weights.hdf5. "
        "Name the two files themselves if they are called something else."
    )


def _check_published(name: str, options: Path, weights: Path) -> None:
    found, golden = read_model(options, weights).parameters_count, PUBLISHED[name].parameters
    if found != golden:
        raise ModelError(f"{weights}: holds {found:,} parameters, but {name} is known to have {golden:,}.")
