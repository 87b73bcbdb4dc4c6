"""Just enough of protobuf's wire format to read and write a SentencePiece model: fields of messages, one after another.

Source: protobuf.dev, Encoding.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from engine.errors import FormatError

VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5

Field = tuple[int, int | bytes]
"""Number and value: a whole number, or bytes (those of numbers of fixed size, too)."""


def fields_of(message: bytes, where: str) -> Iterator[Field]:
    """The fields of a message in their order. FormatError where it is cut short or no message."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place, where)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise FormatError(f"{where}: a field at offset {place:,} has no number")
        if kind == VARINT:
            value, place = _varint(message, place, where)
            yield number, value
            continue
        if kind == BYTES:
            size, place = _varint(message, place, where)
        elif kind in (EIGHT_BYTES, FOUR_BYTES):
            size = 8 if kind == EIGHT_BYTES else 4
        else:
            raise FormatError(f"{where}: a field at offset {place:,} is of no known kind")
        if size > len(message) - place:
            raise FormatError(f"{where}: it ends before a field of {size:,} bytes at offset {place:,}")
        yield number, message[place : place + size]
        place += size


def _varint(message: bytes, place: int, where: str) -> tuple[int, int]:
    value = shift = 0
    while place < len(message) and shift < 70:
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & ((1 << 64) - 1), place
        shift += 7
    raise FormatError(f"{where}: it ends in a number, or the number is too long, at offset {place:,}")


def whole_field(number: int, value: int) -> bytes:
    """A field with a whole number."""
    return _written_varint(number << 3 | VARINT) + _written_varint(value & ((1 << 64) - 1))


def bytes_field(number: int, value: bytes) -> bytes:
    """A field with bytes, which a text and a message are, too."""
    return _written_varint(number << 3 | BYTES) + _written_varint(len(value)) + value


def float_field(number: int, value: float) -> bytes:
    """A field with a number of four bytes."""
    return _written_varint(number << 3 | FOUR_BYTES) + struct.pack("<f", value)


def _written_varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
