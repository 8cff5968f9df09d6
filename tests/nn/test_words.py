"""Words as vectors: the CNN against a loop, and its blindness to padding."""

import torch

from elmo_bench.bilm.characters import PADDING, character_ids
from elmo_bench.data.batching import NoFeatures, TextBatcher
from elmo_bench.data.vocabulary import Vocabulary
from elmo_bench.nn.words import CharacterCNN, Words, WordTable


def test_character_cnn_equals_a_loop_over_windows() -> None:
    torch.manual_seed(0)
    cnn = CharacterCNN(dim=3, filters=5, window=3).double()
    ids = torch.from_numpy(character_ids(["a", "words"], 9))
    found, bias = cnn(ids), cnn.filters.bias
    assert bias is not None
    for word, row in zip(ids, found, strict=True):
        real = [int(value) for value in word if value != PADDING]
        vectors = [cnn.embed.weight[value] for value in real] + [torch.zeros(3).double()] * 2
        best = torch.zeros(5).double()
        for begin in range(len(real)):
            window = torch.stack(vectors[begin : begin + 3])  # (window, dim)
            response = torch.einsum("fdw,wd->f", cnn.filters.weight, window) + bias
            best = torch.maximum(best, response)
        torch.testing.assert_close(row, best)


def test_a_word_is_spelled_alike_in_every_batch() -> None:
    torch.manual_seed(0)
    cnn = CharacterCNN(dim=3, filters=5, window=4).double()
    alone, among = character_ids(["I"], 3), character_ids(["I", "incomprehensible"], 30)
    torch.testing.assert_close(
        cnn(torch.from_numpy(alone))[0], cnn(torch.from_numpy(among))[0], rtol=0, atol=0
    )


def test_words_join_table_and_spelling_and_are_zero_at_padding() -> None:
    torch.manual_seed(0)
    table = torch.randn(4, 2)
    table[0] = 0.0
    words = Words(WordTable(table, trained=False), CharacterCNN(dim=3, filters=5, window=2))
    text = TextBatcher(Vocabulary(["a", "b"]), NoFeatures())([["a", "b"], ["b"]])
    found = words(text)
    assert found.shape == (2, 2, words.width) == (2, 2, 7)
    torch.testing.assert_close(found[0, 1], found[1, 0])
    torch.testing.assert_close(found[0, 0, :2], table[2])
    assert not found[1, 1].any()
    assert not words.table.table.weight.requires_grad
