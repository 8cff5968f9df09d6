"""Datasets of the Hugging Face hub, in our columns and with labels that are words.

What was fetched once is in the hub's own cache (``HF_HOME``) and loads without a network; with
``HF_HUB_OFFLINE=1`` none is tried.
"""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elmo_bench.data.splits import Splits, require_columns
from elmo_bench.errors import ConfigError, DownloadError

if TYPE_CHECKING:
    from datasets import Dataset

LOGGER = logging.getLogger(__name__)

_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Hub:
    """A dataset of the hub.

    Args:
        name: what tables call the data.
        id: owner/name; or the name of a builder of ``datasets``, such as ``parquet``, with ``data_files``.
        revision: a commit, so that the data are the same tomorrow; a branch is accepted, with a warning.
        columns: our name → theirs; columns without a name here are left out.
        config: which of the dataset's configurations, if it has several.
        train, validation: names of splits, or parts of them such as ``train[:90%]``.
        test: the same, or None if there is none with answers.
        files: the dataset config that reads the same data from files of the user's, for errors.
        data_files: split → file, for builders.
    """

    name: str
    id: str
    revision: str
    columns: Mapping[str, str]
    config: str | None = None
    train: str = "train"
    validation: str = "validation"
    test: str | None = "test"
    files: str | None = None
    data_files: Mapping[str, str] | None = None

    def load(self, view: str) -> Splits:
        if not _COMMIT.fullmatch(self.revision):
            LOGGER.warning("%s: revision %s is no commit and may change.", self.name, self.revision)
        splits = [self.train, self.validation, *([self.test] if self.test else [])]
        loaded = [
            self._ours(dataset, split) for dataset, split in zip(self._fetched(splits), splits, strict=True)
        ]
        return Splits(loaded[0], loaded[1], loaded[2] if self.test else None)

    def _fetched(self, splits: list[str]) -> Sequence["Dataset"]:
        from datasets import load_dataset

        data_files = dict(self.data_files) if self.data_files else None
        try:
            fetched: list[Dataset] = load_dataset(
                self.id, self.config, revision=self.revision, split=splits, data_files=data_files
            )
        except ValueError as error:
            raise ConfigError(f"{self.name}: {self.id} has no such part ({_first_line(error)}).") from error
        except Exception as error:  # which ones there are changes with the library's HTTP client
            raise self._failure(_reason(error)) from error
        for dataset in fetched:
            self._check_revision(dataset)
        return fetched

    def _check_revision(self, dataset: "Dataset") -> None:
        """Without a network, ``datasets`` takes the newest copy in its cache, of whatever revision."""
        for file in dataset.cache_files:
            cached = Path(file["filename"]).parent.name
            if _COMMIT.fullmatch(cached) and _COMMIT.fullmatch(self.revision) and cached != self.revision:
                raise self._failure(f"only revision {cached} is in the cache and there is no network")

    def _failure(self, reason: str) -> DownloadError:
        instead = f"dataset={self.files}" if self.files else "a dataset config with LocalFiles"
        return DownloadError(
            f"{self.name}: {self.id} at revision {self.revision} cannot be loaded from the Hugging Face "
            f"hub ({reason}); {instead} reads the data from files of your own instead."
        )

    def _ours(self, dataset: "Dataset", split: str) -> "Dataset":
        where = f"{self.name} ({self.id}, {split})"
        require_columns(dataset, list(self.columns.values()), where)
        chosen = dataset.select_columns(list(self.columns.values()))
        chosen = chosen.rename_columns({theirs: ours for ours, theirs in self.columns.items()})
        worded = _labels_as_words(chosen)
        if len(worded) < len(chosen):
            LOGGER.info(
                "%s: %d examples have no gold label and are left out", where, len(chosen) - len(worded)
            )
        if not len(worded):
            raise ConfigError(
                f"{where}: no example has a gold label; choose another split, or none (test=null)."
            )
        return worded


def _labels_as_words(dataset: "Dataset") -> "Dataset":
    """Writes labels by their names, and drops examples that lack one (-1 or nothing, on the hub)."""
    from datasets import Features

    features = dict(dataset.features)
    labelled = {column: feature for column, feature in features.items() if _wording(feature) != feature}
    if not labelled:
        return dataset

    def worded(batch: dict[str, list[Any]]) -> dict[str, list[Any]]:
        words = {name: [_worded(labelled[name], value) for value in batch[name]] for name in labelled}
        kept = [n for n, labels in enumerate(zip(*words.values(), strict=True)) if _complete(list(labels))]
        return {name: [values[n] for n in kept] for name, values in (dict(batch) | words).items()}

    return dataset.map(
        worded,
        batched=True,
        features=Features({column: _wording(feature) for column, feature in features.items()}),
        keep_in_memory=True,
        load_from_cache_file=False,
    )


def _wording(feature: Any) -> Any:
    """The same feature, with labels as strings."""
    from datasets import ClassLabel, LargeList, List, Value

    if isinstance(feature, ClassLabel):
        return Value("string")
    if isinstance(feature, List | LargeList):
        return type(feature)(_wording(feature.feature))
    return feature


def _worded(feature: Any, value: Any) -> Any:
    if isinstance(value, list):
        return [_worded(feature.feature, item) for item in value]
    return None if value is None or value < 0 else feature.names[value]


def _complete(value: Any) -> bool:
    return all(map(_complete, value)) if isinstance(value, list) else value is not None


def _reason(error: Exception) -> str:
    from datasets import config

    if "scripts are no longer supported" in str(error):
        return "it is a script, which the datasets library no longer runs"
    if isinstance(error, ConnectionError):
        return "HF_HUB_OFFLINE is set and it is not in the cache" if config.HF_HUB_OFFLINE else "no network"
    return _first_line(error)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
