"""The way in: load a biLM, turn sentences into layers."""

import functools
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Literal, Self

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_bench.bilm import kernels, start
from elmo_bench.bilm.frozen import FrozenBiLM, Layers, State, Tokens
from elmo_bench.bilm.locate import SHIPPED, ModelName, locate
from elmo_bench.bilm.model import BiLM
from elmo_bench.bilm.options import Options
from elmo_bench.bilm.shapes import SHAPES
from elmo_bench.bilm.weights import fingerprint, read_model
from elmo_bench.errors import ModelError
from elmo_bench.features.extract import extract, extract_carrying
from elmo_bench.progress import TokenReport, token_progress

LayerChoice = Literal["all", "top", "mean"]

_CARRY_BATCH = 64
"""Sentences in a batch of the published command, where the batch decides which state a sentence starts
from.
"""


class Elmo:
    """A frozen biLM.

    To everything after it, an encoder is four things: ``fingerprint``, ``depth``, ``width`` and ``embed``.

    Example:
        >>> elmo = Elmo.load("original")
        >>> first, second = elmo.embed([["The", "bank", "lends"], ["The", "river", "bank", "is", "steep"]])
        >>> first.shape  # (layers, tokens, width)
        (3, 3, 1024)
    """

    def __init__(
        self,
        model: BiLM,
        *,
        state: str = "warm",
        precision: str = "fp32",
        device: str | torch.device | None = None,
        workers: int | None = None,
    ) -> None:
        """Freezes a biLM that is already in memory; ``load`` says what the choices mean."""
        self.model = model.to(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self.state, self.precision = state, precision
        self._start_identity = start.identity(state)
        kernel = kernels.choose(precision, model.encoder.char_embed.device)
        self._bilm = FrozenBiLM(self.model, kernel, workers)
        self.reset()

    @classmethod
    def load(
        cls,
        model: ModelName = SHIPPED,
        *,
        state: str = "warm",
        precision: str = "fp32",
        device: str | torch.device | None = None,
        workers: int | None = None,
    ) -> Self:
        """Loads a biLM.

        Args:
            model: ``mini``, which comes with the package; ``small``, ``medium``, ``original`` or ``5.5B``,
                downloaded once; a folder with ``options.json`` and ``weights.hdf5``, or with files that end
                so; or the pair (options file, weights file).
            state: where sentences start from. ``warm``: a fixed typical state; ``zero``; ``carry``: where the
                batch before left off, as in the published code, so that vectors depend on what came before.
            precision: ``fp32`` is exact; ``bf16`` and ``int8`` are faster, see ``precision_error``.
            device: default: a GPU where there is one.
            workers: threads on a CPU; default: one for each core.
        """
        return cls(
            read_model(*locate(model)), state=state, precision=precision, device=device, workers=workers
        )

    @classmethod
    def random(
        cls,
        model: ModelName = SHIPPED,
        *,
        seed: int = 0,
        state: str = "warm",
        precision: str = "fp32",
        device: str | torch.device | None = None,
        workers: int | None = None,
    ) -> Self:
        """A biLM of the same shape as ``model`` that has learnt nothing, as a control; see ``load``."""
        options = SHAPES.get(str(model)) or Options.read(locate(model)[0])
        bilm = BiLM.random(options, seed)
        return cls(bilm, state=state, precision=precision, device=device, workers=workers)

    @property
    def depth(self) -> int:
        """Number of layers: the words' own, and one for each LSTM."""
        return self._bilm.depth

    @property
    def width(self) -> int:
        """Size of a vector in each layer: both directions side by side."""
        return 2 * self.model.options.projection

    @property
    def parameters_count(self) -> int:
        return self.model.parameters_count

    @property
    def kernel(self) -> str:
        """Which matrix kernel was the fastest here."""
        return self._bilm.kernel.name

    @functools.cached_property
    def fingerprint(self) -> str:
        """Names everything that the vectors depend on: weights, options, start state, precision."""
        parts = (fingerprint(self.model), self._start_identity, self.precision)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def embed(
        self,
        sentences: Sequence[Tokens],
        batch_sentences: int | None = None,
        layers: LayerChoice = "all",
        progress: bool = False,
    ) -> list[NDArray[np.float32]]:
        """Returns one array for each sentence, in the caller's order.

        Args:
            sentences: each a list of tokens.
            batch_sentences: sentences computed together; by default as many as fit a fixed number of tokens.
                With ``state="carry"`` it decides which sentence starts from which one's state, and is 64 by
                default.
            layers: ``all`` gives (layers, tokens, width); ``top`` and ``mean`` give (tokens, width).
            progress: show a progress bar.
        """
        with token_progress(_size(sentences)) if progress else nullcontext() as report:
            return list(self.stream(sentences, batch_sentences, layers, report))

    def stream(
        self,
        sentences: Iterable[Tokens],
        batch_sentences: int | None = None,
        layers: LayerChoice = "all",
        report: TokenReport | None = None,
    ) -> Iterator[NDArray[np.float32]]:
        """Like ``embed``, for any number of sentences in bounded memory; yields in order.

        ``report`` is told (sentences, tokens) as they are done.
        """
        if layers not in ("all", "top", "mean"):
            raise ModelError(f"There is no choice of layers {layers!r}; choose all, top or mean.")
        if batch_sentences is not None and batch_sentences < 1:
            raise ModelError(f"batch_sentences is {batch_sentences}, expected at least 1.")
        report = report or (lambda sentences, tokens: None)
        if self.state == "carry":
            found = extract_carrying(
                self._bilm, sentences, self._carried, batch_sentences or _CARRY_BATCH, report
            )
        else:
            found = extract(self._bilm, sentences, self._start, batch_sentences, report)
        return (_chosen(sentence, layers) for sentence in found)

    def reset(self) -> None:
        """Forgets the carried state, as at the start of a program; only ``state="carry"`` has one."""
        self._carried = start.CarriedState(self._bilm)

    def precision_error(self) -> list[float]:
        """How far this precision is from exact on plain text: relative, root mean square, for each layer."""
        text = start.warmup_text()
        exact = Elmo(self.model, state="zero", device=self.model.encoder.char_embed.device).embed(text)
        rounded = extract(self._bilm, text, self._bilm.zero_state(1), None, lambda sentences, tokens: None)
        true, found = (
            np.concatenate(exact, axis=1),
            np.concatenate(list(rounded), axis=1),
        )  # (layers, tokens, width)
        size = np.square(true).sum(axis=(1, 2))
        return [float(ratio) for ratio in np.sqrt(np.square(found - true).sum(axis=(1, 2)) / size)]

    @functools.cached_property
    def _start(self) -> State:
        return start.warm_state(self._bilm) if self.state == "warm" else self._bilm.zero_state(1)


def _size(sentences: Sequence[Tokens]) -> tuple[int, int]:
    return len(sentences), sum(map(len, sentences))


def _chosen(sentence: Layers, layers: LayerChoice) -> NDArray[np.float32]:
    chosen: NDArray[np.float32] = sentence
    if layers == "top":
        chosen = sentence[-1].copy()
    elif layers == "mean":
        chosen = sentence.mean(axis=0)
    return chosen
