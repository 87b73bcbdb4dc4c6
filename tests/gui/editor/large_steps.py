"""Texts of which much is removed, and ways to begin that."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

CTRL = Qt.KeyboardModifier.ControlModifier
TEXT = "first line\n" + "some words 😀 and more of them\n" * 60 + "é" * 9000 + "\nlast"
START, END = 6, 5000


def paste(editor, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    editor.insertFromMimeData(data)


def choose(editor, name: str) -> None:
    editor.contextMenuEvent(QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(5, 5), QPoint(5, 5)))
    menu = editor.findChildren(QMenu)[-1]
    action = menu.findChild(QAction, name)
    assert action.isEnabled()
    action.trigger()
    menu.close()


def press(editor, key: str) -> Callable[[], None]:
    return lambda: QTest.keyClick(editor, getattr(Qt.Key, f"Key_{key}"), CTRL)


def remove_much(editor) -> str:
    """Begin to remove nearly all of the text; what will be left."""
    text = TEXT.encode("utf-16-le")
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    assert editor.is_loading
    return (text[: 2 * START] + text[2 * END :]).decode("utf-16-le")


def replace_much(editor) -> str:
    """The same with an "o" in its place."""
    text = TEXT.encode("utf-16-le")
    editor.setPlainText(TEXT)
    editor.select_range(START, END)
    QTest.keyClick(editor, "o")
    assert editor.is_loading
    return (text[: 2 * START] + "o".encode("utf-16-le") + text[2 * END :]).decode("utf-16-le")
