"""Token counts of images by the rules that vendors publish. Only the size of an image is used; its pixels are not
decoded.

``image_size`` reads width and height from the header of a file. Sources: PNG (RFC 2083, IHDR), GIF89a (logical screen),
JPEG (ITU T.81, start of frame), WebP (RFC 9649).

``count_image`` counts the tokens of an image by a rule of ``RULES``. Sources: OpenAI's and Azure's image calculators
(2026-05) with a data set of nine measured sizes (27 of 27 equal to the patch rule); Anthropic's page on vision with
measured sizes up to 1920 by 1080; Google's pages on image understanding ("Token calculation") and on media resolution.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

from engine.requests.types import Grade, Image

HEADER_BYTES = 512 << 10
"""Bytes of a file that are read: a JPEG may have a thumbnail, a colour profile and comments before its size."""

_JPEG_WITHOUT_LENGTH = {0x01, *range(0xD0, 0xD9)}
_JPEG_NO_FRAME = {0xC4, 0xC8, 0xCC}


def size_of_file(path: Path) -> tuple[int, int] | None:
    """Return width and height in pixels, None if the file is not an image of a known format. Raises OSError."""
    with path.open("rb") as file:
        return image_size(file.read(HEADER_BYTES))


def size_in_data_url(url: str) -> tuple[int, int] | None:
    """Return the size of the image in a base64 ``data:`` URL, None for any other URL."""
    head, comma, data = url[: HEADER_BYTES * 4 // 3 + 256].partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return None
    return size_in_base64(data)


def size_in_base64(data: str) -> tuple[int, int] | None:
    """Return the size of the image in base64 data."""
    beginning = data[: HEADER_BYTES * 4 // 3 // 4 * 4]
    try:
        return image_size(base64.b64decode(beginning[: len(beginning) // 4 * 4]))
    except (binascii.Error, ValueError):
        return None


def image_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels from the header of a PNG, GIF, JPEG or WebP; None for anything else, for a
    truncated header, and for a size of 0."""
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
    """Return height and width from the first start of frame. Raises IndexError or struct.error if the data ends before
    it."""
    offset = 2
    while True:
        if data[offset] != 0xFF:
            raise IndexError("no marker where one must be")
        marker = data[offset + 1]
        if marker == 0xFF:  # filling
            offset += 1
        elif marker in _JPEG_WITHOUT_LENGTH:
            offset += 2
        elif 0xC0 <= marker <= 0xCF and marker not in _JPEG_NO_FRAME:
            height, width = struct.unpack_from(">HH", data, offset + 5)
            return width, height
        else:
            offset += 2 + max(2, *struct.unpack_from(">H", data, offset + 2))


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


# --- rules of the vendors ---------------------------------------------------------------------------------------------

ASSUMED_SIDE = 1024
"""Assumed width and height of an image of unknown size, in pixels."""

USUAL_SIDES = (256, 512, 1024, 2048, 4096)
"""Sides in pixels that give the range of the count for images of unknown size."""

LARGEST_SIDE = 1_000_000
"""Maximum side of an image in pixels. A larger size counts as unknown."""

TILE_SIDE = 512
TILED_LONG_SIDE = 2048
TILED_SHORT_SIDE = 768
PATCH_SIDE = 32
LOW_DETAIL_PATCHES = 256
CLAUDE_PATCH_SIDE = 28
MIN_OF_RESIZED, MORE_OF_RESIZED = (2992, 4784), 32
"""Measured for large images: 2,992 tokens where the rule gives 4,784, and 32 more than the rule."""

GEMINI_SMALL_SIDE = 384
GEMINI_MIN_TILE_SIDE = 256
GEMINI_MAX_TILE_SIDE = 768
GEMINI_TILE_TOKENS = 258
CLAUDE_PIXELS_PER_TOKEN = 750


class ImageCount(NamedTuple):
    """Token count of an image, with its grade: the true count may be up to ``less`` lower or ``more`` higher."""

    tokens: int
    grade: Grade
    less: int = 0
    more: int = 0


def _between(tokens: int, *others: int) -> ImageCount:
    """Return an estimate whose range includes the counts of other sources."""
    return ImageCount(tokens, "estimate", tokens - min(tokens, *others), max(tokens, *others) - tokens)


class ImageRule(Protocol):
    """Counts the tokens of an image whose size is known."""

    def count(self, image: Image) -> ImageCount:
        """Return the token count of an image."""
        ...


@dataclass(frozen=True, slots=True)
class TileRule:
    """OpenAI's tiles: fit into 2048 by 2048, shrink the short side to at most 768, count tiles of 512. Low detail:
    ``base``."""

    base: int
    per_tile: int

    def count(self, image: Image) -> ImageCount:
        """Return the token count of an image."""
        if image.detail == "low":
            return ImageCount(self.base, "formula")
        width, height = _shrunk(image.width, image.height, TILED_LONG_SIDE, max(image.width, image.height))
        width, height = _shrunk(width, height, TILED_SHORT_SIDE, min(width, height))
        return ImageCount(self.base + self.per_tile * _cells(width, height, TILE_SIDE), "formula")


@dataclass(frozen=True, slots=True)
class PatchRule:
    """OpenAI's patches of 32: the number of patches, after shrinking the image into ``budget`` of them, times
    ``multiplier``. ``others``: values of these two numbers from other sources; if there are any, the count is an
    estimate. The effect of low detail is not published: the lower bound assumes that the image is shrunk to 512 by 512
    pixels."""

    multiplier: float
    budget: int | None
    others: tuple[tuple[float, int | None], ...] = ()

    def count(self, image: Image) -> ImageCount:
        """Return the token count of an image."""
        tokens = self._tokens(image, self.multiplier, self.budget)
        others = [self._tokens(image, *other) for other in self.others]
        if image.detail == "low":
            others.append(self._tokens(image, self.multiplier, LOW_DETAIL_PATCHES))
        return _between(tokens, *others) if others else ImageCount(tokens, "formula")

    def _tokens(self, image: Image, multiplier: float, budget: int | None) -> int:
        patches = _cells(image.width, image.height, PATCH_SIDE)
        if budget is not None and patches > budget:
            patches = self._shrunk_patches(image.width, image.height, budget)
        # The multipliers have two decimals: without rounding, 100 * 1.1 would be 110.00000000000001 and so 111.
        return math.ceil(round(patches * multiplier, 6))

    def _shrunk_patches(self, width: int, height: int, budget: int) -> int:
        by = math.sqrt(PATCH_SIDE**2 * budget / (width * height))
        across, down = width * by / PATCH_SIDE, height * by / PATCH_SIDE
        by *= min(max(1, math.floor(across)) / across, max(1, math.floor(down)) / down)
        # A side that is a whole number of patches must not lose a patch to a rounding error.
        return _cells(max(1, math.floor(width * by + 1e-6)), max(1, math.floor(height * by + 1e-6)), PATCH_SIDE)


@dataclass(frozen=True, slots=True)
class ClaudeRule:
    """Anthropic's patches of 28, after a resize: long side at most ``long_side``, at most ``most`` patches. How larger
    images are resized is not published to the pixel: the count of a resized image is an estimate."""

    long_side: int
    most: int

    def count(self, image: Image) -> ImageCount:
        """Return the token count of an image."""
        width, height = _shrunk(image.width, image.height, self.long_side, max(image.width, image.height))
        patches = _cells(width, height, CLAUDE_PATCH_SIDE)
        tokens = min(patches, self.most)
        if (width, height) == (image.width, image.height) and patches <= self.most:
            return ImageCount(tokens, "formula")
        return _between(tokens, tokens * MIN_OF_RESIZED[0] // MIN_OF_RESIZED[1], tokens + MORE_OF_RESIZED)


@dataclass(frozen=True, slots=True)
class AreaRule:
    """Anthropic's earlier rule: one token for every 750 pixels. Differs from today's counts by up to 13%."""

    long_side: int = 1568

    def count(self, image: Image) -> ImageCount:
        """Return the token count of an image."""
        width, height = _shrunk(image.width, image.height, self.long_side, max(image.width, image.height))
        tokens = math.ceil(width * height / CLAUDE_PIXELS_PER_TOKEN)
        return _between(tokens, tokens * 87 // 100, -(-tokens * 100 // 87))


@dataclass(frozen=True, slots=True)
class GeminiTileRule:
    """Gemini 2: 258 tokens for an image of at most 384 pixels on both sides, else 258 for each tile.

    The side of a tile is the short side divided by 1.5, rounded down, from 256 to 768 pixels. Google's own example: 960
    by 540 has 3 by 2 tiles of 360, so 1,548 tokens.
    """

    def count(self, image: Image) -> ImageCount:
        """Return the token count of an image."""
        if max(image.width, image.height) <= GEMINI_SMALL_SIDE:
            return ImageCount(GEMINI_TILE_TOKENS, "formula")
        side = min(image.width, image.height) * 2 // 3
        side = min(max(side, GEMINI_MIN_TILE_SIDE), GEMINI_MAX_TILE_SIDE)
        return ImageCount(GEMINI_TILE_TOKENS * _cells(image.width, image.height, side), "formula")


@dataclass(frozen=True, slots=True)
class GeminiResolutionRule:
    """Gemini 3: the count depends on the requested media resolution only, not on the size; measured counts are some
    percent lower."""

    def count(self, image: Image) -> ImageCount:
        """Return the token count of an image."""
        by_detail = {"low": 280, "medium": 560, "high": 1120, "ultra_high": 2240}
        tokens = by_detail.get(image.detail, 1120)
        return _between(tokens, tokens * 95 // 100)


RULES: dict[str, ImageRule] = {
    "gpt-4o": TileRule(85, 170),
    "gpt-4.1": TileRule(85, 170),
    "gpt-4.5": TileRule(85, 170),
    "gpt-4-turbo": TileRule(85, 170),
    "gpt-4o-mini": TileRule(2833, 5667),
    "gpt-5": TileRule(70, 140),
    "o1": TileRule(75, 150),
    "o3": TileRule(75, 150),
    "gpt-4.1-mini": PatchRule(1.62, 1536),
    "gpt-4.1-nano": PatchRule(2.46, 1536),
    # Like the mini and nano models before and after them; o4-mini has a different multiplier.
    "gpt-5-mini": PatchRule(1.62, 1536, ((1.72, 1536),)),
    "gpt-5-nano": PatchRule(2.46, 1536, ((1.72, 1536),)),
    "o4-mini": PatchRule(1.72, 1536),
    "gpt-5.2": PatchRule(1.0, 1536),
    "gpt-5.3": PatchRule(1.0, 1536),
    "gpt-5.4": PatchRule(1.0, 2500, ((1.0, 1536), (1.2, 2500))),
    "gpt-5.4-mini": PatchRule(1.62, 1536),
    "gpt-5.4-nano": PatchRule(2.46, 1536),
    "gpt-5.5": PatchRule(1.2, 10_000, ((1.0, 2500), (1.0, 10_000))),
    "gpt-6": PatchRule(1.2, None, ((1.0, 2500), (1.0, None))),
    "claude": ClaudeRule(1568, 1568),
    "claude-opus-4.7": ClaudeRule(2576, 4784),
    "claude-area": AreaRule(),
    "gemini-2": GeminiTileRule(),
    "gemini-3": GeminiResolutionRule(),
}
"""Rules by prefix of a model's name; the longest prefix that matches is used. Names of families (``claude-area``) are
there to be chosen explicitly."""


OTHER_NAMES: dict[str, str] = {
    "gpt-5.6": "gpt-5.5",
    "claude-opus-4-7": "claude-opus-4.7",
    "claude-opus-4-8": "claude-opus-4.7",
    "claude-opus-5": "claude-opus-4.7",
    "claude-sonnet-5": "claude-opus-4.7",
    "claude-fable": "claude-opus-4.7",
    "claude-mythos": "claude-opus-4.7",
}
"""Further prefixes of model names, with the rule of their family."""


# --- counts -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def rule_for_model(model: str) -> str | None:
    """Return the name of a model's rule, by the longest matching prefix of its name; None if none matches. A vendor
    before a slash is ignored."""
    bare = model.rsplit("/", 1)[-1].lower()
    fitting = [name for name in (*RULES, *OTHER_NAMES) if bare.startswith(name)]
    found = max(fitting, key=len, default=None)
    return None if found is None else OTHER_NAMES.get(found, found)


def count_image(image: Image, rule: str) -> ImageCount:
    """Return the token count of an image by a rule of ``RULES``. An image of unknown size is assumed to be 1024 by
    1024; the count is then an estimate whose range covers all usual sizes."""
    sides = (image.width, image.height)
    if all(0 < side <= LARGEST_SIDE for side in sides):
        return RULES[rule].count(image)
    return _of_any_size(rule, image.detail)


@lru_cache(maxsize=256)
def _of_any_size(rule: str, detail: str) -> ImageCount:
    tokens = RULES[rule].count(Image(ASSUMED_SIDE, ASSUMED_SIDE, detail)).tokens
    found = [RULES[rule].count(Image(width, height, detail)) for width in USUAL_SIDES for height in USUAL_SIDES]
    return _between(tokens, *(one.tokens - one.less for one in found), *(one.tokens + one.more for one in found))


def count_by_any_rule(image: Image, rule: str) -> ImageCount:
    """Return the token count of an image by a rule that stands in for that of an unknown model. It is an estimate: its
    range covers all rules but ``gpt-4o-mini``, which counts 33 times as many tokens as the others."""
    found = [count_image(image, name) for name in RULES if name != "gpt-4o-mini"]
    tokens = count_image(image, rule).tokens
    return _between(tokens, *(one.tokens - one.less for one in found), *(one.tokens + one.more for one in found))


def _shrunk(width: int, height: int, most: int, side: int) -> tuple[int, int]:
    """Return the size, scaled down so that ``side`` (one of the two) is at most ``most``."""
    if side <= most:
        return width, height
    return max(1, width * most // side), max(1, height * most // side)


def _cells(width: int, height: int, side: int) -> int:
    """Return the number of squares with this side that cover the image."""
    return -(-width // side) * -(-height // side)
