"""The context menu of a text: Qt's, with our own ways to undo and to remove."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPlainTextEdit


def edit_menu(editor: QPlainTextEdit, place: QPoint, acts: Mapping[str, Callable[[], None]]) -> QMenu:
    """The menu for a place in a widget, with the actions of the widget (``addAction``) below Qt's own.

    ``acts``: what to do instead of what Qt would, by the names of its actions, where Qt has such an action. It deletes
    itself when it is closed.
    """
    menu = editor.createStandardContextMenu(place)
    for name, act in acts.items():
        action = menu.findChild(QAction, name)  # none where the text is read only
        if action is not None:
            action.triggered.disconnect()
            action.triggered.connect(act)
    if editor.actions():
        menu.addSeparator()
        menu.addActions(editor.actions())
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu
