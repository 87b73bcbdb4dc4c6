"""Quotes from files for messages: short, with unprintable characters escaped."""

from __future__ import annotations

LONGEST_QUOTE = 40
"""Characters of the value itself; a token may have a thousand."""


def quoted(value: object) -> str:
    """Return the ``repr`` of a value. A longer text is cut off, and ends in ``…``."""
    if isinstance(value, str | bytes):
        text = value if isinstance(value, str) else value.decode("ascii", "replace")
        return repr(text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…")
    return shortened(f"{value!r:.{4 * LONGEST_QUOTE}}", LONGEST_QUOTE)


def shortened(sentence: str, longest: int = 200) -> str:
    """Return a message of another library, cut off behind ``longest`` characters."""
    return sentence if len(sentence) <= longest else sentence[: longest - 1] + "…"
