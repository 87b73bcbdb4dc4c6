"""Width and height of an image from the first bytes of its file. Nothing is decoded.

Sources: PNG (RFC 2083, IHDR), GIF89a (logical screen), JPEG (ITU T.81, start of frame), WebP (RFC 9649).
"""

from __future__ import annotations

import base64
import binascii
import struct
from pathlib import Path

HEADER_BYTES = 512 << 10
"""So much of a file is read: a JPEG may have a thumbnail, a profile and a photographer's remarks before its size."""

_JPEG_WITHOUT_LENGTH = {0x01, *range(0xD0, 0xD9)}
_JPEG_NO_FRAME = {0xC4, 0xC8, 0xCC}


def size_of_file(path: Path) -> tuple[int, int] | None:
    """Width and height in pixels; None where it is no image that is known here. OSError."""
    with path.open("rb") as file:
        return image_size(file.read(HEADER_BYTES))


def size_in_data_url(url: str) -> tuple[int, int] | None:
    """The same of a ``data:`` URL in base64; None for any other."""
    head, comma, data = url[: HEADER_BYTES * 4 // 3 + 256].partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return None
    return size_in_base64(data)


def size_in_base64(data: str) -> tuple[int, int] | None:
    """The same of a file in base64."""
    beginning = data[: HEADER_BYTES * 4 // 3 // 4 * 4]
    try:
        return image_size(base64.b64decode(beginning[: len(beginning) // 4 * 4]))
    except (binascii.Error, ValueError):
        return None


def image_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels from the beginning of a PNG, GIF, JPEG or WebP; None for anything else, for a header
    that ends early, and for a size of 0."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
            size = struct.unpack_from(">II", data, 16)
        elif data.startswith((b"GIF87a", b"GIF89a")):
            size = struct.unpack_from("<HH", data, 6)
        elif data.startswith(b"\xff\xd8"):
            size = _jpeg_size(data)
        elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            size = _webp_size(data)
        else:
            return None
    except (struct.error, IndexError):
        return None
    return (size[0], size[1]) if min(size) > 0 else None


def _jpeg_size(data: bytes) -> tuple[int, ...]:
    """From the first start of frame. IndexError or struct.error where the data ends before it."""
    place = 2
    while True:
        if data[place] != 0xFF:
            raise IndexError("no marker where one must be")
        marker = data[place + 1]
        if marker == 0xFF:  # filling
            place += 1
        elif marker in _JPEG_WITHOUT_LENGTH:
            place += 2
        elif 0xC0 <= marker <= 0xCF and marker not in _JPEG_NO_FRAME:
            height, width = struct.unpack_from(">HH", data, place + 5)
            return width, height
        else:
            place += 2 + max(2, *struct.unpack_from(">H", data, place + 2))


def _webp_size(data: bytes) -> tuple[int, ...]:
    kind = data[12:16]
    if kind == b"VP8X" and len(data) >= 30:
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L" and len(data) >= 25 and data[20] == 0x2F:
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0
