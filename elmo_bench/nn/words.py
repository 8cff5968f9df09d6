"""What a head knows of a word before its context: a vector from a table, and one from its spelling."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_bench.bilm.characters import CHARACTER_ROWS, PADDING
from elmo_bench.data.batching import Text


class CharacterCNN(nn.Module):
    """Characters → filters → the largest response over the word."""

    def __init__(self, dim: int, filters: int, window: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(CHARACTER_ROWS + 1, dim)
        self.filters = nn.Conv1d(dim, filters, window)
        self.window, self.width = window, filters

    def forward(self, characters: Tensor) -> Tensor:
        """(words, characters) → (words, filters); how far the batch pads its words changes nothing."""
        real = (characters != PADDING).unsqueeze(1)  # (words, 1, characters)
        embedded = self.embed(characters).transpose(1, 2) * real  # (words, dim, characters)
        # One window begins at each character: those at a word's end reach into zeros, in every batch alike.
        reaching = functional.pad(embedded, (0, self.window - 1))
        responses = self.filters(reaching).relu()  # (words, filters, characters)
        largest: Tensor = responses.masked_fill(~real, 0.0).amax(2)
        return largest


class WordTable(nn.Module):
    """Word vectors by number: read from a file or drawn at random, trained or fixed."""

    def __init__(self, vectors: Tensor, trained: bool) -> None:
        """``vectors``: (vocabulary, dim); the first row is padding's."""
        super().__init__()
        self.table = nn.Embedding.from_pretrained(vectors, freeze=not trained, padding_idx=0)
        self.width = vectors.shape[1]

    def forward(self, words: Tensor) -> Tensor:
        """(batch, tokens) → (batch, tokens, dim)."""
        vectors: Tensor = self.table(words)
        return vectors


class Words(nn.Module):
    """A word's vector and, where a head wants it, its spelling's."""

    def __init__(self, table: WordTable, characters: CharacterCNN | None = None) -> None:
        super().__init__()
        self.table, self.characters = table, characters
        self.width = table.width + (characters.width if characters else 0)

    def forward(self, text: Text) -> Tensor:
        """→ (batch, tokens, width)."""
        parts = [self.table(text.words)]
        if self.characters:
            spelled = self.characters(text.characters)  # (distinct, filters)
            parts.append(functional.embedding(text.spelling, spelled) * text.mask.unsqueeze(-1))
        return torch.cat(parts, dim=-1)
