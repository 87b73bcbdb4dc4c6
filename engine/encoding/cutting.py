"""Truncates a text to a maximum number of tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from engine.text.offsets import without_surrogates

if TYPE_CHECKING:
    from engine.encoding.encoding import Encoding

Kept = Literal["start", "end", "ends"]
"""The part of a text that is kept: its start, its end, or both without the middle."""


def cut(encoding: Encoding, text: str, most: int, keep: Kept = "start") -> str:
    """Return as much of a text as has at most ``most`` tokens in ``encode_ordinary``, cut between characters.

    Returns the text itself if it is short enough. The result is counted again after each cut, because tokens at a cut
    can change: it may have slightly fewer tokens than ``most``, but never more. Raises ValueError for a negative
    number.
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
        head = raw[: ends[front - 1]] if front else b""
        tail = raw[ends[len(ends) - behind - 1] :] if behind else b""
        # An incomplete character is dropped.
        found = head.decode("utf-8", "ignore") + tail.decode("utf-8", "ignore")
        if encoding.count(found) <= most:
            return found
        wanted -= 1
    return ""
