"""Recurrent layers and dropout over padded batches."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from elmo_bench.nn.dropout import VariationalDropout
from elmo_bench.nn.recurrent import BiLSTM

MASK = torch.tensor([[True] * 5, [True] * 2 + [False] * 3, [True] * 4 + [False]])


def test_it_is_torchs_own_bidirectional_lstm_over_packed_sentences() -> None:
    torch.manual_seed(0)
    ours = BiLSTM(3, 4).double()
    torchs = nn.LSTM(3, 4, batch_first=True, bidirectional=True).double()
    for direction, suffix in ((ours.forwards, ""), (ours.backwards, "_reverse")):
        for name, weight in direction.named_parameters():
            torchs.get_parameter(name + suffix).data.copy_(weight)
    x = torch.randn(3, 5, 3, dtype=torch.double, requires_grad=True)
    packed = pack_padded_sequence(x, MASK.sum(1), batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(torchs(packed)[0], batch_first=True)
    found = ours(x, MASK)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-14)
    weights = torch.randn_like(expected)
    gradients = [torch.autograd.grad((out * weights).sum(), x)[0] for out in (found, expected)]
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-14)


def test_what_stands_at_padding_changes_nothing() -> None:
    torch.manual_seed(0)
    lstm = BiLSTM(3, 4).double()
    x = torch.randn(3, 5, 3, dtype=torch.double)
    other = torch.where(MASK.unsqueeze(-1), x, 99.0)
    torch.testing.assert_close(lstm(x, MASK), lstm(other, MASK), rtol=0, atol=0)


def test_variational_dropout_drops_a_value_at_every_token_or_at_none() -> None:
    torch.manual_seed(0)
    dropped = VariationalDropout(0.5).train()(torch.ones(6, 7, 8))
    for sentence in dropped:
        columns = sentence.unique(dim=0)
        assert len(columns) == 1
        assert set(columns[0].tolist()) <= {0.0, 2.0}
    assert (dropped == 0).any()
    assert torch.equal(VariationalDropout(0.5).eval()(torch.ones(1, 2, 3)), torch.ones(1, 2, 3))
