"""Tool tips that show text as it is."""

from __future__ import annotations

from gui.core.shown_text import shown


def plain_tip(text: str) -> str:
    """A tool tip that says ``text``, whatever it looks like, with what is invisible in it made visible."""
    return as_written(shown(text))


def as_written(text: str) -> str:
    """The same, invisible characters left alone: for text of ours, which marks the direction of its figures.

    A tool tip has no format of its own: Qt takes what looks like HTML for HTML. What could is escaped, as HTML.
    """
    if "<" not in text and "&" not in text:
        return text
    # Not before there is something to escape: most windows open without.
    from html import escape

    return f"<p style='white-space:pre-wrap'>{escape(text)}</p>"
