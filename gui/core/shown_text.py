"""Text of others as it may be shown."""

from __future__ import annotations


def shown(text: str) -> str:
    """``text`` with what hides or turns text made visible; its lines stay apart."""
    if text.isprintable():
        return text
    # Not before there is something to show: most windows open without a hidden character in them.
    from gui.core.token_text import visible_lines

    return visible_lines(text)
