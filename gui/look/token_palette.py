"""The colours with which tokens are drawn."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtGui import QColor


class TokenPalette(NamedTuple):
    """How tokens look in the editor. Neighbours never share a fill; every boundary is a line as well.

    ``fills``: three backgrounds; None in the mode without colours, where only the boundaries are drawn.
    ``boundary``: the line between two tokens. ``hatch``: strokes over characters that several tokens share.
    ``newline``: the sign of a line end. ``current``: frame of the token at the caret. ``stale``: background of text
    that has not been counted yet. ``match``: frame of what a search found. ``text`` and ``base``: the editor's own
    colours. ``selection``: painted over the tokens, which show through; ``selected_text`` is read on that.
    """

    name: str
    fills: tuple[QColor, QColor, QColor] | None
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
