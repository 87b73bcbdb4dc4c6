"""Marks for characters of the prompt that nobody sees, where they stand: what turns the direction of text around, what
has no width, and control characters.

They cost tokens, and may make a text say something else to a model than to its reader: "Trojan Source" (Boucher and
Anderson, 2021) hides code behind marks of direction, and tags (U+E0020 to U+E007F) spell out whole sentences that no
font draws. Which one it is, the line below the prompt says when the caret is there.

Joiners (U+200C, U+200D) and selectors of variants are not marked: words and emoji are other ones without them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from PySide6.QtCore import QRectF

from gui.editor.offsets import utf16_length
from gui.editor.token_geometry import LineRuler
from gui.editor.visible_lines import LINE_GAP, VisibleLine

MOST_ON_A_LINE = 200
"""So many are marked on a line of the screen: characters without width may stand there by the thousand."""

FLAG = 5.0
"""Width and height of the flag at the top of a mark, in pixels."""

_LEFT_ALONE = frozenset(
    "\t\n\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
"""With signs that are drawn, before figures, though they are of this category (Prepended_Concatenation_Mark)."""
_STRETCH = 64
"""In characters: most text has none of them, and for so much of it one question tells."""
_CATEGORIES = frozenset({"Cc", "Cf"})


def unseen_places(line: VisibleLine) -> list[int]:
    """Where such characters stand on a line, in UTF-16 units from the start of its paragraph."""
    if line.preedit or line.text.isprintable():
        return []
    units = line.text.encode("utf-16-le", "replace")[2 * line.start : 2 * (line.start + line.length)]
    text = units.decode("utf-16-le", "replace")
    found: list[int] = []
    place = line.start
    for start in range(0, len(text), _STRETCH):
        stretch = text[start : start + _STRETCH]
        if not stretch.isprintable():
            found += _unseen_in(stretch, place)
            if len(found) >= MOST_ON_A_LINE:
                break
        place += utf16_length(stretch)
    return found[:MOST_ON_A_LINE]


def _unseen_in(text: str, place: int) -> Iterator[int]:
    for character in text:
        if not character.isprintable() and _is_unseen(character):
            yield place
        place += 1 + (character > "\uffff")


def _is_unseen(character: str) -> bool:
    return character not in _LEFT_ALONE and unicodedata.category(character) in _CATEGORIES


def unseen_signs(lines: list[VisibleLine]) -> list[QRectF]:
    """What is drawn for them: a pole before each character, and a flag at its top."""
    rects: list[QRectF] = []
    for line in lines:
        places = unseen_places(line)
        if not places:
            continue
        ruler = LineRuler(line)
        for place in places:
            x = round(ruler.x(place))
            rects += (QRectF(x, line.top, 1.0, line.height - LINE_GAP), QRectF(x, line.top, FLAG, FLAG))
    return rects
