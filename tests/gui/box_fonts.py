"""Small fonts made of boxes, for tests of text in several fonts: where each glyph is follows from their widths,
whatever fonts a machine has."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QFontDatabase

EM = 1000
_ASCENT, _DESCENT = 800, 200
_SCALABLE = 0x00010000
_CHECKSUM_OF_ALL = 0xB1B0AFBA


@contextmanager
def box_font(family: str, characters: str, advance: int) -> Iterator[str]:
    """A font that Qt knows meanwhile, of characters of the Basic Multilingual Plane. ``advance``: in ``EM``."""
    number = QFontDatabase.addApplicationFontFromData(font_file(family, characters, advance))
    assert QFontDatabase.applicationFontFamilies(number) == [family]
    yield family
    QFontDatabase.removeApplicationFont(number)


def font_file(family: str, characters: str, advance: int) -> bytes:
    """A TrueType font: https://learn.microsoft.com/typography/opentype/spec/otff. All characters have one glyph."""
    box = _box(advance)
    tables = {
        b"OS/2": _os2(characters, advance),
        b"cmap": _cmap(sorted(map(ord, set(characters)))),
        b"glyf": box,
        b"head": _head(advance),
        b"hhea": struct.pack(">I3hH11hH", _SCALABLE, _ASCENT, -_DESCENT, 0, advance, 0, 0, advance, 1, *[0] * 7, 2),
        b"hmtx": struct.pack(">HhHh", advance, 0, advance, 0),
        b"loca": struct.pack(">3I", 0, 0, len(box)),
        b"maxp": struct.pack(">I14H", _SCALABLE, 2, 4, 1, 0, 0, 2, *[0] * 8),
        b"name": _name(family),
        b"post": struct.pack(">IIhhI4I", 0x00030000, 0, 0, 0, 1, *[0] * 4),
    }
    offset = 12 + 16 * len(tables)
    directory = struct.pack(">IHHHH", _SCALABLE, len(tables), 128, 3, 16 * len(tables) - 128)
    body = b""
    for tag, table in tables.items():
        directory += struct.pack(">4sIII", tag, _checksum(table), offset + len(body), len(table))
        body += _padded(table)
    file = bytearray(directory + body)
    at = file.index(b"head") + 8
    head = struct.unpack_from(">I", file, at)[0]
    struct.pack_into(">I", file, head + 8, (_CHECKSUM_OF_ALL - _checksum(bytes(file))) & 0xFFFFFFFF)
    return bytes(file)


def _padded(table: bytes) -> bytes:
    return table + bytes(-len(table) % 4)


def _checksum(table: bytes) -> int:
    padded = _padded(table)
    return sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF


def _box(advance: int) -> bytes:
    left, right, top = advance // 10, advance - advance // 10, 700
    header = struct.pack(">5h", 1, left, 0, right, top) + struct.pack(">HH", 3, 0)
    return header + b"\1\1\1\1" + struct.pack(">8h", left, 0, right - left, 0, 0, top, left - right, 0)


def _cmap(codes: list[int]) -> bytes:
    """A segment a character, and the one that ends the table; format 4."""
    count = len(codes) + 1
    search = 1 << (count.bit_length() - 1)
    ends = [*codes, 0xFFFF]
    deltas = [(1 - code) & 0xFFFF for code in codes] + [1]
    parts = [4, 16 + 8 * count, 0, 2 * count, 2 * search, search.bit_length() - 1, 2 * (count - search)]
    parts += [*ends, 0, *ends, *deltas, *[0] * count]
    return struct.pack(">HHHHI", 0, 1, 3, 1, 12) + struct.pack(f">{len(parts)}H", *parts)


def _head(advance: int) -> bytes:
    dates = (0, 0)
    bounds = (0, 0, advance, _ASCENT)
    return struct.pack(">IIIIHH2q4hHHhhh", _SCALABLE, 0, 0, 0x5F0F3CF5, 3, EM, *dates, *bounds, 0, 8, 2, 1, 0)


def _os2(characters: str, advance: int) -> bytes:
    first, last = min(map(ord, characters)), max(map(ord, characters))
    return (
        struct.pack(">HhHHH11h", 4, advance, 400, 5, 0, *[0] * 11)
        + bytes(10)
        + struct.pack(">4I4sHHH", *[0] * 4, b"BOX ", 0x40, first, last)
        + struct.pack(">3hHH2I", _ASCENT, -_DESCENT, 0, _ASCENT, _DESCENT, 1, 0)
        + struct.pack(">hhHHH", 500, 700, 0, 32, 1)
    )


def _name(family: str) -> bytes:
    texts = {1: family, 2: "Regular", 3: family, 4: family, 5: "Version 1.0", 6: family.replace(" ", "")}
    records, strings = b"", b""
    for number, text in texts.items():
        data = text.encode("utf-16-be")
        records += struct.pack(">6H", 3, 1, 0x409, number, len(data), len(strings))
        strings += data
    return struct.pack(">HHH", 0, len(texts), 6 + len(records)) + records + strings
