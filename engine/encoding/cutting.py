"""Cuts a text so that what is left has at most so many tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from engine.text.validity import without_surrogates

if TYPE_CHECKING:
    from engine.encoding.encoding import Encoding

Kept = Literal["start", "end", "ends"]
"""Which part of a text is kept: its start, its end, or both without what lies between them."""


def cut(encoding: Encoding, text: str, most: int, keep: Kept = "start") -> str:
    """Return as much of a text as has at most ``most`` tokens in ``encode_ordinary``, cut between characters.

    Return the text itself if it has no more. What is left is counted again after each cut, because tokens at a cut can
    change: it may have slightly fewer tokens than ``most``, and never more.
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
        head = raw[: ends[front - 1]] if front else b""
        tail = raw[ends[len(ends) - behind - 1] :] if behind else b""
        # A character that is cut through is left out.
        found = head.decode("utf-8", "ignore") + tail.decode("utf-8", "ignore")
        if encoding.count(found) <= most:
            return found
        wanted -= 1
    return ""
