"""Colours used to draw tokens."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtGui import QColor

ALTERNATING = 3
"""Number of alternating fills: the third is for neighbours brought together by an edit."""
TOKEN_MODES = {"standard": "", "by_id": "id", "by_length": "length", "colour_safe": "", "none": ""}
"""Values of the setting ``token_colours``, and the property of a token that its fill encodes in each."""


class TokenPalette(NamedTuple):
    """Appearance of tokens in the editor.

    ``fills``: backgrounds, three that alternate, or six by a property of the token; None in the mode without colours,
    which draws only boundaries. ``tells``: ``id`` or ``length`` if the fill encodes that property, so that neighbours
    may share a fill. ``gaps``: a boundary is a gap between two fills, else a line. ``boundary``: that line. ``hatch``:
    strokes over characters shared by several tokens. ``newline``: the line end symbol. ``current``: frame of the token
    at the caret. ``stale``: background of text not counted yet. ``match``: frame of a search match. ``text`` and
    ``base``: the editor's own colours. ``selection``: painted over the tokens, which show through; ``selected_text`` is
    the text on it.
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
