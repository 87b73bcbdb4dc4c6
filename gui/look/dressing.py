"""Joint change of the application's palette, font and style sheet. Hidden widgets follow in small steps.

A change of the sheet polishes and notifies every widget, a quarter of a millisecond each, though of two thousand only
about a hundred are visible. So the hidden ones are skipped: during the change they are marked as not polished, and as
having a style of their own, which Qt does not notify. Afterwards a few are polished and notified in each turn of the
event loop; if a page or dialog is shown earlier, all of its widgets are done at once.
"""

from __future__ import annotations

from collections.abc import Iterable

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from gui.runtime.event_loop import in_next_turn

AT_ONCE = 40
"""Number of hidden widgets polished per turn."""

_POLISHED = Qt.WidgetAttribute.WA_WState_Polished
_STYLED = Qt.WidgetAttribute.WA_SetStyle


class Dressing(QObject):
    """Palette, font and style sheet of an application, set together."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._left: dict[QWidget, list[QWidget]] = {}
        """Hidden widgets that still have the previous sheet, by the ancestor with which they become visible."""

    def change(self, palette: QPalette, font: QFont, sheet: str) -> None:
        """Set all three, if any of them differs."""
        app = self._app
        if (app.styleSheet(), app.palette(), app.font()) == (sheet, palette, font):
            return  # another window has this theme
        waiting = {widget for widgets in self._left.values() for widget in widgets}
        for root in filter(shiboken6.isValid, self._left):
            root.removeEventFilter(self)
        going_on = bool(self._left)
        self._left = _hidden(app.allWidgets(), waiting)
        passed_over = [widget for widgets in self._left.values() for widget in widgets]
        for widget in passed_over:
            widget.setAttribute(_POLISHED, False)
        marked = [widget for widget in passed_over if not widget.testAttribute(_STYLED)]
        for widget in marked:
            widget.setAttribute(_STYLED)
        if app.styleSheet():
            app.setStyleSheet("")  # when one sheet replaces another, Qt polishes each widget once per ancestor
        app.setPalette(palette)
        app.setFont(font)
        app.setStyleSheet(sheet)
        for widget in marked:
            widget.setAttribute(_STYLED, False)
        for root in self._left:
            root.installEventFilter(self)
        if self._left and not going_on:
            in_next_turn(self, self._go_on)

    def finish(self) -> None:
        """Polish all remaining widgets."""
        for root in list(self._left):
            self._polish(root)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and watched in self._left:
            self._polish(watched)
        return False

    def _go_on(self) -> None:
        for root in list(self._left):
            if not shiboken6.isValid(root):
                del self._left[root]
                continue
            widgets = self._left[root]
            some, self._left[root] = widgets[:AT_ONCE], widgets[AT_ONCE:]
            _polish_all(some)
            if not self._left[root]:
                self._polish(root)
            break
        if self._left:
            in_next_turn(self, self._go_on)

    def _polish(self, root: QWidget) -> None:
        widgets = self._left.pop(root)
        if shiboken6.isValid(root):
            root.removeEventFilter(self)
            _polish_all(widgets)


def _hidden(widgets: Iterable[QWidget], waiting: set[QWidget]) -> dict[QWidget, list[QWidget]]:
    """Return hidden widgets that have been polished, parents first, by their outermost hidden ancestor.

    ``waiting``: widgets that still wait for the previous sheet; they are polished only once, with the new one.
    """
    roots: dict[QWidget, QWidget] = {}

    def root_of(widget: QWidget) -> QWidget:
        if widget not in roots:
            parent = None if widget.isWindow() else widget.parentWidget()
            roots[widget] = widget if parent is None or parent.isVisible() else root_of(parent)
        return roots[widget]

    found: dict[QWidget, list[QWidget]] = {}
    for widget in widgets:
        if (widget.testAttribute(_POLISHED) or widget in waiting) and not widget.isVisible():
            found.setdefault(root_of(widget), []).append(widget)
    return found


def _polish_all(widgets: Iterable[QWidget]) -> None:
    for widget in widgets:
        if shiboken6.isValid(widget):
            widget.style().polish(widget)
            widget.setAttribute(_POLISHED, True)
            QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
