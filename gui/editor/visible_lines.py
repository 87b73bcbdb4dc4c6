"""Visible lines, from the paragraphs and layouts of the editor's document."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QTextBlock, QTextLayout, QTextLine
from PySide6.QtWidgets import QPlainTextEdit

from gui.editor.soft_document import SoftDocument

LINE_GAP = 1.0
"""Gap below each line when tokens are drawn, so that lines can be told apart, in pixels."""
THIN = 3.0
"""Width of a token whose characters have none, such as a zero-width space, in pixels."""
TOLERANCE = 0.5
"""Difference of positions below which they count as equal, in pixels."""
_MANY_LINES = 64
_FAR_DOWN = 100


class VisibleLine(NamedTuple):
    """A screen line. Lengths in UTF-16 units, coordinates in viewport pixels."""

    line: QTextLine
    layout: QTextLayout
    text: str
    """Text of the whole paragraph."""
    block_offset: int
    """Logical offset of the paragraph."""
    start: int
    """Start of the line, relative to the paragraph's start."""
    length: int
    left: float
    """x of the paragraph's origin."""
    top: float
    height: float
    ends_paragraph: bool
    """True if a newline follows: the line is the last of its paragraph, and the break after it is not soft."""
    preedit: int
    """Number of units that an input method is composing in this paragraph; included in its layout, not in its text."""

    @property
    def offset(self) -> int:
        """Logical offset of the line."""
        return self.block_offset + self.start

    @property
    def end(self) -> int:
        """Logical offset of the line's end, without its newline."""
        return self.block_offset + self.start + self.length


def visible_lines(editor: QPlainTextEdit, soft: SoftDocument, clip: QRect) -> list[VisibleLine]:
    """Return the lines of the editor's viewport that touch ``clip``, top to bottom."""
    offset = editor.contentOffset()
    left, y = offset.x(), offset.y()
    top = clip.top()
    bottom = top + clip.height()
    if top > _FAR_DOWN:
        # Qt finds a paragraph in the middle of the screen faster than a walk from the top.
        block = editor.cursorForPosition(QPoint(0, top)).block()
        y += editor.blockBoundingGeometry(block).top()
    else:
        block = editor.firstVisibleBlock()
    found: list[VisibleLine] = []
    while y < bottom and block.isValid():
        height = editor.blockBoundingRect(block).height()
        behind = block.next()
        if y + height > top:
            _add_lines(found, block, behind, soft, left, y, top - y, bottom - y)
        y += height
        block = behind
    return found


class NumberedLine(NamedTuple):
    """A logical line whose start is visible: ``number`` from 1, ``top`` and ``height`` of its first row in viewport
    pixels, and its start and end, including its newline, in UTF-16 units."""

    number: int
    top: float
    height: float
    start: int
    end: int


def numbered_lines(editor: QPlainTextEdit, soft: SoftDocument, clip: QRect) -> list[NumberedLine]:
    """Return the logical lines that begin in ``clip`` of the editor's viewport, top to bottom."""
    top, bottom = clip.top(), clip.top() + clip.height()
    block, y = editor.firstVisibleBlock(), editor.contentOffset().y()
    number = soft.line_of(block)
    count = editor.document().blockCount() - soft.break_count
    found: list[NumberedLine] = []
    while y < bottom and block.isValid():
        rect = editor.blockBoundingRect(block)
        if block.position() == 0 or not soft.is_break(block.position() - 1):
            row = block.layout().lineAt(0)
            height = row.height() if row.isValid() else rect.height()
            if y + height > top:
                behind = block.next()
                if behind.isValid() and soft.is_break(behind.position() - 1) and number < count:
                    behind = soft.block_of_line(number + 1)
                elif number == count:
                    behind = QTextBlock()
                end = soft.to_logical(behind.position()) if behind.isValid() else soft.length
                found.append(NumberedLine(number, y, height, soft.to_logical(block.position()), end))
            number += 1
        elif y == editor.contentOffset().y():
            number += 1  # the rest of a line that begins above the viewport
        y += rect.height()
        block = block.next()
    return found


def _add_lines(
    found: list[VisibleLine],
    block: QTextBlock,
    behind: QTextBlock,
    soft: SoftDocument,
    left: float,
    y: float,
    top: float,
    bottom: float,
) -> None:
    """Add the lines of a paragraph at ``y`` between ``top`` and ``bottom``, which are relative to its own top."""
    layout = block.layout()
    text = block.text()
    position = block.position()
    block_offset = soft.to_logical(position)
    composed = layout.preeditAreaText()
    preedit = len(composed.encode("utf-16-le")) // 2 if composed else 0
    count = layout.lineCount()
    for number in range(_first_line(layout, count, top), count):
        line = layout.lineAt(number)
        line_top, line_height = line.y(), line.height()
        if line_top >= bottom:
            return
        if line_top + line_height <= top:
            continue
        start, length = line.textStart(), line.textLength()
        if preedit:
            start, length = _without_preedit(layout, start, length, preedit)
        ends = number == count - 1 and behind.isValid() and not soft.is_break(behind.position() - 1)
        found.append(
            VisibleLine(line, layout, text, block_offset, start, length, left, y + line_top, line_height, ends, preedit)
        )


def _first_line(layout: QTextLayout, count: int, top: float) -> int:
    """Return the first line that reaches below ``top``, by bisection if there are many."""
    if count < _MANY_LINES:
        return 0
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        line = layout.lineAt(middle)
        if line.y() + line.height() <= top:
            low = middle + 1
        else:
            high = middle
    return low


def _without_preedit(layout: QTextLayout, start: int, length: int, preedit: int) -> tuple[int, int]:
    """Return line bounds in the paragraph's own text: a layout includes input method composition."""
    at = layout.preeditAreaPosition()

    def own(position: int) -> int:
        return position if position <= at else max(at, position - preedit)

    return own(start), own(start + length) - own(start)
