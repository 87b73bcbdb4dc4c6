"""Where a long line may be cut into pieces. No Qt in here.

Qt lays out a paragraph as a whole, so that one key in a line of a megabyte costs a third of a second. The editor
therefore keeps long lines as several paragraphs of a few thousand characters. A cut must not change what is seen or
typed: it never falls inside a surrogate pair or a grapheme cluster, nor before U+FEFF or U+FFFE (a text that begins
with one of them is read as a byte order mark on its way into Qt), and it falls behind a space where there is one.
"""

from __future__ import annotations

import unicodedata

SOFT_LIMIT = 4096
"""No piece should be longer, in UTF-16 units. A key may leave one slightly longer until it is cut again."""

PIECE = 2048
"""How long the pieces of a freshly cut line are at most, which leaves room for typing in each of them."""

_NEVER_BEFORE = {"Mn", "Mc", "Me", "Cf", "Sk", "Cn", "Cs"}
_NEVER_AFTER = {"Cf", "Cn", "Cs"}
_JOINING = (
    (0x0E33, 0x0E33),  # Thai and Lao sara am: spacing marks by the rule of grapheme clusters, letters by category
    (0x0EB3, 0x0EB3),
    (0x1100, 0x11FF),  # Hangul jamo combine into syllables
    (0xA960, 0xA97F),
    (0xD7B0, 0xD7FF),
    (0x1F1E6, 0x1F1FF),  # regional indicators combine into flags
)
_VIRAMA = 9
_CONTEXT = 64  # characters on each side that decide where grapheme clusters begin


def is_safe_cut(before: str, after: str) -> bool:
    """Whether a line may be cut between these two characters. Errs on the side of no."""
    if before.isascii() and after.isascii():
        return True
    if unicodedata.category(after) in _NEVER_BEFORE or unicodedata.category(before) in _NEVER_AFTER:
        return False
    if unicodedata.combining(before) == _VIRAMA:
        return False
    return not any(low <= ord(c) <= high for low, high in _JOINING for c in (before, after))


def splits_character(before: str, after: str) -> bool:
    """Whether a cut between these two texts is one that must not be. Exact, unlike ``is_safe_cut``."""
    if not before or not after or is_safe_cut(before[-1], after[0]):
        return False
    if after[0] in "\ufeff\ufffe":
        return True
    import regex

    at = 0
    tail = before[-_CONTEXT:]
    for cluster in regex.findall(r"\X", tail + after[:_CONTEXT]):
        if at == len(tail):
            return False
        at += len(cluster)
    return True


def cut_points(text: str, *, limit: int = SOFT_LIMIT, piece: int = PIECE) -> list[int]:
    """Where to cut one line, as UTF-16 offsets in rising order; empty when it is at most ``limit`` units long.

    Pieces come out between half of ``piece`` and ``piece`` units where the text allows it. A single grapheme cluster
    of more than ``limit`` units is cut all the same, between two characters.
    """
    units = len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    if units <= limit:
        return []
    only_bmp = units == len(text)
    cuts: list[int] = []
    start = 0
    utf16_start = 0
    # A piece is measured in characters; astral text halves the piece so that it stays within the limit in units.
    size = piece if only_bmp else piece // 2
    while len(text) - start > size + size // 2:
        end = _cut_before(text, start, start + size, start + limit // (1 if only_bmp else 2))
        if end >= len(text):
            break
        utf16_start += end - start if only_bmp else len(text[start:end].encode("utf-16-le", "surrogatepass")) // 2
        cuts.append(utf16_start)
        start = end
    return cuts


def _cut_before(text: str, start: int, end: int, limit: int) -> int:
    """The best cut in the later half of ``start`` to ``end``, else one up to ``limit``, else ``limit``."""
    middle = (start + end) // 2
    space = text.rfind(" ", middle, end)
    while space >= 0:
        if is_safe_cut(" ", text[space + 1]):
            return space + 1
        space = text.rfind(" ", middle, space)
    for cut in range(end, middle, -1):
        if is_safe_cut(text[cut - 1], text[cut]):
            return cut
    return _cut_between_clusters(text, start, middle, min(limit, len(text)))


def _cut_between_clusters(text: str, start: int, middle: int, limit: int) -> int:
    """The last boundary of grapheme clusters up to ``limit``; ``limit`` itself where one cluster reaches over it all.

    Exact but slow: for text in which ``is_safe_cut`` found nothing.
    """
    import regex

    best = at = start
    for cluster in regex.findall(r"\X", text[start : limit + 1]):
        at += len(cluster)
        if middle < at <= limit and (at == len(text) or text[at] not in "\ufeff\ufffe"):
            best = at
    return best if best > start else limit
