"""What a change of a document with soft breaks leaves to be put right, and how that is done.

Some of it Qt causes: removing text over several blocks may leave the remaining one with the format of another. Some
follows from what was typed: a piece has become too long or very short, a break has come to lie inside what is seen as
one character, a line has changed its direction. All of it becomes part of the undo step that caused it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextDocument

from gui.editor.soft_cuts import splits_character

if TYPE_CHECKING:
    from gui.editor.soft_document import SoftDocument

_MOST_ROUNDS = 8  # one repair may ask for another, but not for long


class SoftRepairs:
    """Work that is left in one document. All places are document positions."""

    def __init__(self, soft: SoftDocument, document: QTextDocument) -> None:
        self._soft = soft
        self._document = document
        self._marks: dict[int, bool] = {}
        self._lone_surrogates: list[int] = []
        self._touched: list[int] = []

    @property
    def pending(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._touched or self._marks or self._lone_surrogates)

    def touch(self, *positions: int) -> None:
        """Something changed in the blocks at these positions."""
        self._touched += positions

    def mark(self, separator: int, *, soft: bool) -> None:
        """The block behind a separator has the wrong format; the separator is soft, or hard."""
        self._marks[separator] = soft

    def replace_later(self, position: int) -> None:
        """There is half a surrogate pair, which reads as U+FFFD and should be one."""
        self._lone_surrogates.append(position)

    def forget(self) -> None:
        """Undo and redo bring a document back in which all is right."""
        self._marks = {}
        self._lone_surrogates = []
        self._touched = []

    def shift(self, position: int, removed: int, added: int) -> None:
        """Move what is left to do along with a change of the document."""
        if not self.pending or added == removed:
            return
        end, by = position + removed, added - removed

        def moved(at: int) -> int:
            return at + by if at >= end else min(at, position)

        self._marks = {moved(at): soft for at, soft in self._marks.items() if not position <= at < end}
        self._lone_surrogates = [moved(at) for at in self._lone_surrogates if not position <= at < end]
        self._touched = [moved(at) for at in self._touched]

    def settle(self) -> None:
        """Do all of it."""
        fresh = True
        for _ in range(_MOST_ROUNDS):
            if self._marks:
                self._restore_marks()
            elif self._lone_surrogates:
                self._replace_lone_surrogates()
            elif self._touched:
                touched, self._touched = self._touched, []
                for position in touched:
                    if not (fresh and self._join_character(position)):
                        self._fit(position)
                if self._soft.break_count:
                    self._match_directions(touched)
                fresh = False
            else:
                return

    def _restore_marks(self) -> None:
        marks, self._marks = self._marks, {}
        with self._soft.formatting() as cursor:
            for separator, soft in marks.items():
                cursor.setPosition(separator + 1)
                before = cursor.block().previous()
                cursor.setBlockFormat(self._soft.soft_format(before) if soft else QTextBlockFormat())

    def _replace_lone_surrogates(self) -> None:
        positions, self._lone_surrogates = self._lone_surrogates, []
        cursor = QTextCursor(self._document)
        cursor.joinPreviousEditBlock()
        for position in positions:
            cursor.setPosition(position)
            cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText("\ufffd")
        cursor.endEditBlock()

    def _block_at(self, position: int) -> QTextBlock:
        return self._document.findBlock(min(position, self._document.characterCount() - 1))

    def _join_character(self, position: int) -> bool:
        """Take away a soft break at this block that came to lie inside what is seen as one character."""
        if not self._soft.break_count:
            return False
        block = self._block_at(position)
        for behind in (block, block.next()):
            separator = behind.position() - 1
            if not behind.isValid() or not self._soft.is_break(separator):
                continue
            if splits_character(behind.previous().text(), behind.text()):
                self._remove_separator(separator)
                return True
        return False

    def _fit(self, position: int) -> None:
        """Cut the block at ``position`` if it grew too long; join it to a soft neighbour if it became very short."""
        soft = self._soft
        block = self._block_at(position)
        length = block.length() - 1
        if length > soft.limit:
            self._cut(block)
        elif soft.break_count and length < soft.limit // 16:
            before, behind = block.previous(), block.next()
            if soft.is_break(block.position() - 1) and self._may_join(before.length() - 1, length):
                self._remove_separator(block.position() - 1)
            elif soft.is_break(block.position() + length) and self._may_join(length, behind.length() - 1):
                self._remove_separator(block.position() + length)

    def _cut(self, block: QTextBlock) -> None:
        start = block.position()
        cuts = self._soft.cuts_of(block.text())
        cursor = QTextCursor(self._document)
        cursor.joinPreviousEditBlock()
        for cut in reversed(cuts):
            cursor.setPosition(start + cut)
            cursor.insertBlock(self._soft.soft_format(block))
        cursor.endEditBlock()

    def _may_join(self, first: int, second: int) -> bool:
        """Whether two pieces of these lengths make a good one. An empty piece would be seen as an empty line."""
        limit = self._soft.limit
        return first + second <= (limit * 3 // 4 if first and second else limit)

    def _match_directions(self, positions: list[int]) -> None:
        """Write the pieces of the lines at these positions in the direction of the first piece, which may be new.

        Away from a change all pieces are as alike as before. So the piece before it speaks for those before that one,
        and the first that is right behind it for all the rest: a line of ten megabytes has thousands of pieces.
        """
        pieces: dict[int, Qt.LayoutDirection] = {}
        for position in sorted(set(positions)):
            block = self._block_at(position)
            before = block.previous()
            if self._soft.number_of(block) and before.isValid():
                block = before
            direction = pieces.get(block.position(), block.textDirection())
            block = block.next()
            while self._soft.number_of(block):
                if pieces.get(block.position(), block.textDirection()) != direction:
                    pieces[block.position()] = direction
                elif block.position() > position:
                    break
                block = block.next()
        if not pieces:
            return
        with self._soft.formatting() as cursor:
            for position, direction in pieces.items():
                cursor.setPosition(position)
                block_format = cursor.blockFormat()
                block_format.setLayoutDirection(direction)
                cursor.setBlockFormat(block_format)

    def _remove_separator(self, position: int) -> None:
        cursor = QTextCursor(self._document)
        cursor.setPosition(position)
        cursor.joinPreviousEditBlock()
        cursor.deleteChar()
        cursor.endEditBlock()
