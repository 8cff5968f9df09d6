"""What names a sentence and a set of layers in the store."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from elmo_bench.errors import ConfigError, OutputError, TextError
from elmo_bench.files import writing

FORMAT = 1
"""Of the files; another number for every change that older versions cannot read."""

INFO_FILE = "info.json"
KEY_BYTES = 32
PRECISIONS = {"half": np.float16, "single": np.float32}

Tokens = Sequence[str]


def sentence_key(tokens: Tokens) -> bytes:
    """Hashes a sentence; the lengths come first, so that no two sentences are written alike."""
    if isinstance(tokens, str) or not all(isinstance(token, str) for token in tokens):
        raise TextError(f"A sentence is {tokens!r:.60}, expected a list of tokens, each of them a string.")
    text = ",".join([str(len(token)) for token in tokens]) + "\n" + "".join(tokens)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True)
class Info:
    """What ``info.json`` says of a set: the layers of one encoder in one precision."""

    fingerprint: str
    depth: int
    width: int
    precision: str
    format: int = FORMAT

    @property
    def name(self) -> str:
        return f"{self.fingerprint}-{self.precision}"

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(PRECISIONS[self.precision])

    @property
    def token_bytes(self) -> int:
        return self.depth * self.width * self.dtype.itemsize

    def check(self) -> None:
        if self.precision not in PRECISIONS:
            raise ConfigError(
                f"There is no precision {self.precision!r} of stored layers; choose half or single."
            )
        if not re.fullmatch(r"[\w.-]{1,200}", self.fingerprint, re.ASCII):
            raise ConfigError(
                f"The fingerprint {self.fingerprint!r:.60} cannot name a folder; expected at most 200 "
                "letters, digits, dots, dashes and underscores."
            )


def read_info(folder: Path) -> Info:
    path = folder / INFO_FILE
    try:
        content = json.loads(path.read_text("utf-8"))
        found = content["format"]
        info = Info(**content) if found == FORMAT else None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise OutputError(
            f"{path}: does not describe a set of layers ({error!r}). Remove {folder}; it is made again."
        ) from error
    if info is None:
        raise OutputError(
            f"{path}: the set has format {found!r}, but this version of elmo_bench reads and writes format "
            f"{FORMAT}. Choose another folder for the store, or remove {folder}."
        )
    return info


def write_info(folder: Path, info: Info) -> None:
    with writing(folder / INFO_FILE) as path:
        path.write_text(json.dumps(asdict(info), indent=1) + "\n", "utf-8")
