"""A record: four bytes of checksum, then its content.

The checksum is that of the key and the content together, so that no record can pass for another.
"""

import struct
import zlib
from typing import Any

_CHECKSUM = struct.Struct("<I")
CHECKSUM_BYTES = _CHECKSUM.size


def sealed(key: bytes, content: bytes) -> bytes:
    return _CHECKSUM.pack(_checksum(key, content)) + content


def is_sound(key: bytes, record: memoryview, content: Any = None) -> bool:
    """Holds the content, by default that of the record itself, against the record's checksum."""
    if len(record) < CHECKSUM_BYTES:
        return False
    found: int = _CHECKSUM.unpack_from(record)[0]
    return found == _checksum(key, record[CHECKSUM_BYTES:] if content is None else content)


def _checksum(key: bytes, content: Any) -> int:
    return zlib.crc32(content, zlib.crc32(key))
