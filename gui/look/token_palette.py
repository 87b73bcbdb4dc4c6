"""The colours with which tokens are drawn."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtGui import QColor

ALTERNATING = 3
"""How many fills take turns: the third is for neighbours that an edit has brought together."""
TOKEN_MODES = {"standard": "", "by_id": "id", "by_length": "length", "colour_safe": "", "none": ""}
"""The values of the setting ``token_colours``, and what a token's fill tells in each."""


class TokenPalette(NamedTuple):
    """How tokens look in the editor.

    ``fills``: backgrounds, three that take turns, or six by what a token is; None in the mode without colours, where
    only the boundaries are drawn. ``tells``: ``id`` or ``length`` if the fill of a token follows from that: neighbours
    may share one. ``gaps``: a boundary is a gap between two fills, else a line. ``boundary``: that line. ``hatch``:
    strokes over characters that several tokens share. ``newline``: the sign of a line end. ``current``: frame of the
    token at the caret. ``stale``: background of text that has not been counted yet. ``match``: frame of what a search
    found. ``text`` and ``base``: the editor's own colours. ``selection``: painted over the tokens, which show through;
    ``selected_text`` is read on that.
    """

    name: str
    fills: tuple[QColor, ...] | None
    tells: str
    gaps: bool
    boundary: QColor
    hatch: QColor
    newline: QColor
    current: QColor
    stale: QColor
    match: QColor
    text: QColor
    base: QColor
    selection: QColor
    selected_text: QColor
