"""What a set holds: each transaction adds a list of its records' keys and tokens.

So all records are found, in the order in which they were written, by asking for keys alone. LMDB's own way
from record to record ends the process at a damaged page; asking for a key does not.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping

from elmo_bench.features.checksum import CHECKSUM_BYTES, is_sound, sealed
from elmo_bench.features.environment import Look
from elmo_bench.features.identity import KEY_BYTES

_ENTRY = struct.Struct(f"<{KEY_BYTES}sI")


def listed(transaction: int, tokens: Mapping[bytes, int]) -> tuple[bytes, bytes]:
    """The list of a transaction as (key, record)."""
    key = _list_key(transaction)
    return key, sealed(key, b"".join(_ENTRY.pack(*entry) for entry in tokens.items()))


def lists(look: Look, transactions: Iterable[int]) -> Iterator[dict[bytes, int] | None]:
    """Yields the tokens of each record by its key, a list at a time; None for a list that is damaged."""
    for transaction in transactions:
        key = _list_key(transaction)
        record = look(key)
        if record is None:
            continue
        yield dict(_ENTRY.iter_unpack(record[CHECKSUM_BYTES:])) if is_sound(key, record) else None


def _list_key(transaction: int) -> bytes:
    return b"list" + transaction.to_bytes(8, "big")
