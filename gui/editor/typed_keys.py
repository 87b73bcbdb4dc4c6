"""Tells keys that are text from those that are commands."""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
)
"""Made once: to combine them takes longer than all the rest."""


def deletes(event: QKeyEvent) -> bool:
    """Whether a key removes what is selected, where something is, by Qt's own rule."""
    keys = QKeySequence.StandardKey
    if any(map(event.matches, (keys.Delete, keys.DeleteStartOfWord, keys.DeleteEndOfWord))):
        return True
    return event.key() == Qt.Key.Key_Backspace and not event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier


def is_typed(event: QKeyEvent) -> bool:
    """Whether a key is a character to be put into the text, by Qt's own rule."""
    text = event.text()
    # Ctrl and Alt together are AltGr on some systems, and do type.
    if not text or event.modifiers() in _COMMANDS:
        return False
    return unicodedata.category(text[0]) != "Cc"


def text_of(event: QKeyEvent, *, tab: bool) -> str:
    """What a key puts into the text; empty for one that does not, or whose character Qt does not know and types not.
    ``tab``: whether Tab does, or moves the focus."""
    if is_typed(event):
        return event.text() if event.text().isprintable() else ""
    keys = QKeySequence.StandardKey
    if event.matches(keys.InsertParagraphSeparator) or event.matches(keys.InsertLineSeparator):
        return "\n"  # where Qt would put U+2028 for Shift+Enter, which no model is used to
    return "\t" if tab and event.key() == Qt.Key.Key_Tab and not event.modifiers() else ""


def key_again(event: QKeyEvent) -> QKeyEvent:
    """The same key, to be pressed later: an event is gone when its handler returns."""
    return QKeyEvent(event.type(), event.key(), event.modifiers(), event.text(), event.isAutoRepeat(), event.count())


def edits(event: QKeyEvent) -> bool:
    """Whether a key changes the text, other than by undoing and redoing."""
    keys = QKeySequence.StandardKey
    ways = (
        *(keys.Paste, keys.Cut, keys.InsertParagraphSeparator, keys.InsertLineSeparator),
        *(keys.DeleteEndOfLine, keys.DeleteCompleteLine),
    )
    return is_typed(event) or deletes(event) or event.key() == Qt.Key.Key_Tab or any(map(event.matches, ways))
