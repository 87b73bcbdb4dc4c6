"""Cuts a text so that what is left has at most so many tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from engine.sound_text import without_surrogates

if TYPE_CHECKING:
    from engine.encoding import Encoding

Kept = Literal["start", "end", "ends"]
"""Which part of a text is kept: its start, its end, or both without what lies between them."""


def cut(encoding: Encoding, text: str, most: int, keep: Kept = "start") -> str:
    """Return as much of a text as has at most ``most`` tokens in ``encode_ordinary``, cut between characters.

    The text itself where it has no more. What is left is counted again after each cut, for the last token before a cut
    may be another one without what followed: so it can have a token or two fewer than asked for, and never more.
    Raises ValueError for a negative number.
    """
    if most < 0:
        raise ValueError(f"a text cannot have {most} tokens")
    ends = encoding.token_ends(text)
    if len(ends) <= most:
        return text
    raw = without_surrogates(text).encode("utf-8")
    wanted = most
    while wanted > 0:
        front = {"start": wanted, "end": 0, "ends": (wanted + 1) // 2}[keep]
        behind = wanted - front
        head = _sound(raw[: ends[front - 1]], 0) if front else b""
        tail = _sound(raw[ends[len(ends) - behind - 1] :], 1) if behind else b""
        found = (head + tail).decode("utf-8")
        if encoding.count(found) <= most:
            return found
        wanted -= 1
    return ""


def _sound(part: bytes, side: int) -> bytes:
    """A part of UTF-8 without the character that was cut through at its end, or at its start where ``side`` is 1."""
    if side:
        start = 0
        while start < len(part) and part[start] & 0xC0 == 0x80:
            start += 1
        return part[start:]
    end = len(part)
    while end and part[end - 1] & 0xC0 == 0x80:
        end -= 1
    if end and part[end - 1] >= 0xC0:
        first = part[end - 1]
        size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        return part if len(part) - end + 1 == size else part[: end - 1]
    return part
