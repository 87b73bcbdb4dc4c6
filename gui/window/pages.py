"""A tab of the window whose panel is made when somebody first looks at it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget


class TabPage(QWidget):
    """Empty until somebody fills it."""

    def __init__(self, tabs: QTabWidget, words: str) -> None:
        """``words``: the accessible name."""
        super().__init__(tabs)
        self._tabs = tabs
        self._first: QWidget | None = None
        self._arrive: Callable[[], None] | None = None
        self.setAccessibleName(words)
        tabs.currentChanged.connect(self._on_tab)

    def is_in_front(self) -> bool:
        """Whether this is the tab that is shown."""
        return self._tabs.currentWidget() is self

    def bring_to_front(self) -> None:
        """Show this tab."""
        self._tabs.setCurrentWidget(self)

    def when_looked_at(
        self,
        needs: Sequence[str],
        load_first: Callable[[Sequence[str], Callable[[], None]], None],
        act: Callable[[], None],
    ) -> None:
        """Call a slot whenever the tab comes to the front, and now if it is there; ``load_first`` calls it once the
        modules it needs are loaded."""
        self._arrive = partial(load_first, needs, act)
        self._on_tab()

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
        if self._arrive is not None and self.is_in_front():
            self._arrive()
