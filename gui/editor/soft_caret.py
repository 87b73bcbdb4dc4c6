"""Caret movement, typing and deletion across soft breaks, as if they did not exist.

Qt treats a soft break as the end of a paragraph: caret steps, word movements and deletions would stop there. Keys that
do not touch a soft break are left to Qt.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextCursor

from gui.editor.offsets import document_text
from gui.editor.soft_document import SoftDocument

if TYPE_CHECKING:
    from gui.editor.soft_text_edit import SoftTextEdit

_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
)
"""Created once: combining them takes longer than all the rest."""


def deletes(event: QKeyEvent) -> bool:
    """Return True if a key deletes a selection, by Qt's own rule."""
    keys = QKeySequence.StandardKey
    if any(map(event.matches, (keys.Delete, keys.DeleteStartOfWord, keys.DeleteEndOfWord))):
        return True
    return event.key() == Qt.Key.Key_Backspace and not event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier


def is_typed(event: QKeyEvent) -> bool:
    """Return True if a key inserts a character, by Qt's own rule."""
    text = event.text()
    # Ctrl+Alt is AltGr on some systems, and inserts text.
    if not text or event.modifiers() in _COMMANDS:
        return False
    return unicodedata.category(text[0]) != "Cc"


def text_of(event: QKeyEvent, *, tab: bool) -> str:
    """Return the text that a key inserts; empty if none, or if Qt does not know the character.

    ``tab``: True if Tab inserts a tab instead of moving the focus.
    """
    if is_typed(event):
        return event.text() if event.text().isprintable() else ""
    keys = QKeySequence.StandardKey
    if event.matches(keys.InsertParagraphSeparator) or event.matches(keys.InsertLineSeparator):
        return "\n"  # Qt would insert U+2028 for Shift+Enter, which models rarely see
    return "\t" if tab and event.key() == Qt.Key.Key_Tab and not event.modifiers() else ""


def key_again(event: QKeyEvent) -> QKeyEvent:
    """Return a copy of a key event to replay later: the event itself is invalid after its handler returns."""
    return QKeyEvent(event.type(), event.key(), event.modifiers(), event.text(), event.isAutoRepeat(), event.count())


def edits(event: QKeyEvent) -> bool:
    """Return True if a key changes the text, other than by undo and redo."""
    keys = QKeySequence.StandardKey
    ways = (
        *(keys.Paste, keys.Cut, keys.InsertParagraphSeparator, keys.InsertLineSeparator),
        *(keys.DeleteEndOfLine, keys.DeleteCompleteLine),
    )
    return is_typed(event) or deletes(event) or event.key() == Qt.Key.Key_Tab or any(map(event.matches, ways))


# --- movement ---------------------------------------------------------------------------------------------------------

_Key = QKeySequence.StandardKey
_Op = QTextCursor.MoveOperation
_MOVE = QTextCursor.MoveMode.MoveAnchor
_KEEP = QTextCursor.MoveMode.KeepAnchor

_MOVES = (
    (_Key.MoveToNextChar, _Op.Right, _MOVE),
    (_Key.MoveToPreviousChar, _Op.Left, _MOVE),
    (_Key.SelectNextChar, _Op.Right, _KEEP),
    (_Key.SelectPreviousChar, _Op.Left, _KEEP),
    (_Key.MoveToNextWord, _Op.WordRight, _MOVE),
    (_Key.MoveToPreviousWord, _Op.WordLeft, _MOVE),
    (_Key.SelectNextWord, _Op.WordRight, _KEEP),
    (_Key.SelectPreviousWord, _Op.WordLeft, _KEEP),
    (_Key.MoveToStartOfBlock, _Op.StartOfBlock, _MOVE),
    (_Key.MoveToEndOfBlock, _Op.EndOfBlock, _MOVE),
    (_Key.SelectStartOfBlock, _Op.StartOfBlock, _KEEP),
    (_Key.SelectEndOfBlock, _Op.EndOfBlock, _KEEP),
)
_DELETIONS = (
    (_Key.DeleteStartOfWord, _Op.PreviousWord),
    (_Key.DeleteEndOfWord, _Op.NextWord),
    (_Key.DeleteEndOfLine, _Op.EndOfBlock),
    (_Key.DeleteCompleteLine, None),
)
_WORDWISE = (_Op.WordLeft, _Op.WordRight, _Op.PreviousWord, _Op.NextWord)
_PLAIN = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
_MAX_STEPS = 10_000
_LINE_END = ("\u2029", "\0")  # as returned by QTextDocument.characterAt; NUL is also returned after the end
_SEPARATORS = frozenset(".,?!@#$:;-<>[](){}=/+%&^*'\"`~|\\")


class SoftCaret:
    """Handler of keys at soft breaks."""

    def __init__(self, editor: SoftTextEdit, soft: SoftDocument) -> None:
        self._editor = editor
        self._soft = soft
        self._typed_until = (-1, -1)  # revision and document position at which the characters typed here end

    def move_to(self, pointer: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        """Move the caret to a clicked viewport position; with Shift, extend the selection to it."""
        cursor = self._editor.textCursor()
        mode = _KEEP if modifiers & Qt.KeyboardModifier.ShiftModifier else _MOVE
        cursor.setPosition(self._editor.cursorForPosition(pointer).position(), mode)
        self._editor.setTextCursor(cursor)

    def type(self, event: QKeyEvent) -> bool:
        """Type in a line near a soft break. Consecutive characters are one undo step, as elsewhere."""
        editor, text = self._editor, event.text()
        cursor = editor.textCursor()
        if not self._soft.needs_care(cursor.block(), len(text)):
            return False
        if cursor.hasSelection() or editor.isReadOnly() or editor.overwriteMode():
            return False
        goes_on = self._typed_until == (editor.revision, cursor.position())
        self._soft.insert(cursor, document_text(text), join=goes_on)
        self._take(cursor)
        self._typed_until = (editor.revision, cursor.position())
        return True

    def handle(self, event: QKeyEvent) -> bool:
        """Handle a key, or make it safe for Qt to handle and return False."""
        if event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete) and not event.modifiers() & ~_PLAIN:
            return self._delete_character(forward=event.key() == Qt.Key.Key_Delete)
        if not self._soft.break_count:
            return False
        self._collapse_empty_selection()
        for key, operation, mode in _MOVES:
            if event.matches(key):
                return self._move(operation, mode)
        if self._editor.isReadOnly():
            return False
        for key, deletion in _DELETIONS:
            if event.matches(key):
                return self._delete(deletion)
        return False

    def _delete_character(self, *, forward: bool) -> bool:
        """Delete the character before or after the caret if it is near a soft break."""
        editor = self._editor
        self._collapse_empty_selection()
        cursor = editor.textCursor()
        joins_lines = cursor.atBlockEnd() if forward else cursor.atBlockStart()
        if editor.isReadOnly() or cursor.hasSelection() or not (joins_lines or self._soft.needs_care(cursor.block())):
            return False
        if forward and self._is_before_break(cursor):
            cursor.movePosition(_Op.NextCharacter)
        elif not forward and self._is_after_break(cursor):
            cursor.movePosition(_Op.PreviousCharacter)
        cursor.beginEditBlock()
        if forward:
            cursor.deleteChar()
        else:
            cursor.deletePreviousChar()
        cursor.endEditBlock()
        self._take(cursor)
        return True

    def extend_word(self) -> None:
        """Extend a selected word, as after a double click, across a soft break at its ends."""
        cursor = self._editor.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        if not self._soft.break_count or start == end:
            return
        first, last = self._cursor_at(start), self._cursor_at(end)
        if self._soft.is_break(start - 1) and self._joins_word(start - 1):
            self.step(first, _Op.PreviousWord, _MOVE)
        if self._soft.is_break(end) and self._joins_word(end):
            while self._soft.is_break(last.position()) and self._joins_word(last.position()):
                last.movePosition(_Op.NextCharacter)
                last.movePosition(_Op.EndOfWord)
        if (first.position(), last.position()) != (start, end):
            self._select(first.position(), last.position())

    def extend_line(self) -> None:
        """Extend a selected paragraph, as after a triple click, to its whole logical line."""
        cursor = self._editor.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        block = self._editor.document().findBlock(start)
        if not self._soft.break_count or start != block.position() or end < block.position() + block.length() - 1:
            return
        first, last = self._cursor_at(start), self._cursor_at(block.position() + block.length() - 1)
        self.step(first, _Op.StartOfBlock, _MOVE)
        self.step(last, _Op.EndOfBlock, _MOVE)
        if (first.position(), last.position()) != (start, end):
            self._select(first.position(), last.position())

    def step(self, cursor: QTextCursor, operation: QTextCursor.MoveOperation, mode: QTextCursor.MoveMode) -> bool:
        """Move a cursor as if soft breaks did not exist; return True if it met one."""
        met = False
        if operation in (_Op.StartOfBlock, _Op.EndOfBlock):
            return self._step_to_line_end(cursor, operation, mode)
        for _ in range(_MAX_STEPS):
            before = cursor.position()
            cursor.movePosition(operation, mode)
            after = cursor.position()
            if before == after:
                return met
            crossed = self._soft.to_logical(before) == self._soft.to_logical(after)
            if crossed:
                met = True
                continue
            if operation not in _WORDWISE:
                return met
            separator = self._break_at(after)
            if separator < 0 or not self._joins_word(separator):
                return met or separator >= 0
            met = True
        return met

    def _step_to_line_end(
        self, cursor: QTextCursor, operation: QTextCursor.MoveOperation, mode: QTextCursor.MoveMode
    ) -> bool:
        met = False
        forward = operation == _Op.EndOfBlock
        while True:
            cursor.movePosition(operation, mode)
            if not (self._is_before_break(cursor) if forward else self._is_after_break(cursor)):
                return met
            cursor.movePosition(_Op.NextCharacter if forward else _Op.PreviousCharacter, mode)
            met = True

    def _move(self, operation: QTextCursor.MoveOperation, mode: QTextCursor.MoveMode) -> bool:
        cursor = self._editor.textCursor()
        if not self.step(cursor, operation, mode):
            return False
        self._take(cursor)
        return True

    def _delete(self, operation: QTextCursor.MoveOperation | None) -> bool:
        cursor = self._editor.textCursor()
        if operation is None:
            met = self.step(cursor, _Op.StartOfBlock, _MOVE)
            met = self.step(cursor, _Op.EndOfBlock, _KEEP) or met
            cursor.movePosition(_Op.NextCharacter, _KEEP)
        elif cursor.hasSelection():
            return False
        else:
            met = self.step(cursor, operation, _KEEP)
        if not met:
            return False
        cursor.removeSelectedText()
        self._take(cursor)
        return True

    def _take(self, cursor: QTextCursor) -> None:
        self._editor.setTextCursor(cursor)
        self._editor.ensureCursorVisible()

    def _collapse_empty_selection(self) -> None:
        """Collapse a selection that holds only a soft break, since Qt would delete the break."""
        cursor = self._editor.textCursor()
        if not cursor.hasSelection() or abs(cursor.position() - cursor.anchor()) > 1:
            return
        if self._soft.is_break(cursor.selectionStart()):
            cursor.setPosition(cursor.position())
            self._editor.setTextCursor(cursor)

    def _is_after_break(self, cursor: QTextCursor) -> bool:
        return cursor.atBlockStart() and self._soft.is_break(cursor.position() - 1)

    def _is_before_break(self, cursor: QTextCursor) -> bool:
        return cursor.atBlockEnd() and self._soft.is_break(cursor.position())

    def _break_at(self, position: int) -> int:
        """Return the soft separator before or after a position, -1 if there is none."""
        if self._soft.is_break(position):
            return position
        return position - 1 if self._soft.is_break(position - 1) else -1

    def _joins_word(self, separator: int) -> bool:
        """Return True if the text before and after this soft break belongs to one word."""
        document = self._editor.document()
        before, behind = document.characterAt(separator - 1), document.characterAt(separator + 1)
        if behind in _LINE_END:
            return False
        return behind.isspace() or _kind(before) == _kind(behind)

    def _cursor_at(self, position: int) -> QTextCursor:
        cursor = QTextCursor(self._editor.document())
        cursor.setPosition(position)
        return cursor

    def _select(self, start: int, end: int) -> None:
        cursor = self._cursor_at(start)
        cursor.setPosition(end, _KEEP)
        self._editor.setTextCursor(cursor)


def _kind(character: str) -> str:
    """Return one of the three character kinds between which Qt's word movement stops."""
    if character.isspace():
        return "space"
    return "sign" if character in _SEPARATORS else "word"
