"""Which token lies under a point of the viewport."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QTextLine
from PySide6.QtWidgets import QPlainTextEdit

from gui.editor.soft_document import SoftDocument
from gui.editor.token_geometry import LineRuler
from gui.editor.token_spans import TokenSpans
from gui.editor.visible_lines import VisibleLine, visible_lines

_ON_CHARACTER = QTextLine.CursorPosition.CursorOnCharacter


def token_index_under(
    editor: QPlainTextEdit, soft: SoftDocument, spans: TokenSpans, place: QPoint, newline_width: float = 0
) -> int:
    """Index of the token under a point of the editor's viewport, -1 if there is none.

    Of the tokens that share a character each has a part of its width, as it is drawn. ``newline_width``: of the signs
    of newlines behind the lines, 0 if they are not shown.
    """
    for line in visible_lines(editor, soft, QRect(place.x(), place.y(), 1, 1)):
        if line.top <= place.y() < line.top + line.height:
            behind = place.x() - line.left - line.line.naturalTextRect().right()
            if line.ends_paragraph and 0 <= behind < newline_width:
                return spans.index_at(line.end)
            return _index_on(line, spans, place.x())
    return -1


def _index_on(line: VisibleLine, spans: TokenSpans, x: int) -> int:
    natural = line.line.naturalTextRect()
    if line.preedit or not natural.left() <= x - line.left < natural.right():
        return -1
    position = line.line.xToCursor(x - line.left, _ON_CHARACTER)
    if not line.start <= position < line.start + line.length:
        return -1
    ruler = LineRuler(line)
    end = ruler.cluster_end(position)
    first = spans.index_at(line.block_offset + position)
    last = spans.count_ending(line.block_offset + end) - 1
    if first < 0 or last <= first:
        return first
    # Whole tokens before or behind the character are not in it; those that are share its width.
    view = spans.covering(line.block_offset + position, line.block_offset + end)
    shared = [
        view.first + k
        for k in range(len(view.ids))
        if view.ends[k] > line.block_offset + position or (view.starts[k] == view.ends[k] and view.first + k > first)
        if view.starts[k] < line.block_offset + end or view.starts[k] == view.ends[k]
    ]
    left, right = ruler.spans(position, end)[0]
    share = int((x - left) / max(right - left, 1) * len(shared))
    if ruler.is_right_to_left(position):
        share = len(shared) - 1 - share
    return shared[min(max(share, 0), len(shared) - 1)]
