"""A tab of the window whose panel is made when somebody first looks at it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget


class TabPage(QWidget):
    """Empty until somebody fills it.

    Signals: ``looked_at()`` whenever the tab comes to the front.
    """

    looked_at = Signal()

    def __init__(self, tabs: QTabWidget, words: str) -> None:
        """``words``: the accessible name."""
        super().__init__(tabs)
        self._tabs = tabs
        self._first: QWidget | None = None
        self.setAccessibleName(words)
        tabs.currentChanged.connect(self._on_tab)

    def is_in_front(self) -> bool:
        """Whether this is the tab that is shown."""
        return self._tabs.currentWidget() is self

    def bring_to_front(self) -> None:
        """Show this tab."""
        self._tabs.setCurrentWidget(self)

    def when_looked_at(self, act: Callable[[], None]) -> None:
        """Call a slot whenever the tab comes to the front, and at once if it is there."""
        self.looked_at.connect(act)
        if self.is_in_front():
            act()

    def fill(self, panel: QWidget) -> None:
        """Put the panel in, which takes the whole page."""
        body = QVBoxLayout(self)
        body.setContentsMargins(0, 0, 0, 0)
        body.addWidget(panel)

    def lead_to(self, widget: QWidget) -> None:
        """Give the focus to this one when the page is given it.

        Not by ``setFocusProxy``: the Tab key enters a widget that has a proxy by it, and so leaves out what stands
        before the proxy, or goes back where the proxy is disabled.
        """
        self._first = widget

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._first is not None:
            self._first.setFocus(event.reason())

    @Slot()
    def _on_tab(self) -> None:
        if self.is_in_front():
            self.looked_at.emit()
