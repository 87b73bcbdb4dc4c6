"""The stack of pages, and a page that is built when it is first seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget


class Pages(QStackedWidget):
    """All pages of the window, of which one is shown. Each has its object name and a title.

    Signals: ``page_added(str)`` and ``page_changed(str)`` with the name of a page.
    """

    page_added = Signal(str)
    page_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pages")
        self._titles: dict[str, str] = {}
        self._pages: dict[str, QWidget] = {}
        self.currentChanged.connect(self._on_current)

    def add(self, page: QWidget, name: str, title: str) -> None:
        """Add a page at the end."""
        page.setObjectName(name)
        self._pages[name], self._titles[name] = page, title
        self.addWidget(page)
        self.page_added.emit(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all pages, in their order."""
        return tuple(self._pages)

    @property
    def current_name(self) -> str:
        """The name of the page shown."""
        page = self.currentWidget()
        return page.objectName() if page is not None else ""

    def title(self, name: str) -> str:
        """The title of a page."""
        return self._titles[name]

    def page(self, name: str) -> QWidget:
        """A page by its name. Raises KeyError for a name that no page has."""
        return self._pages[name]

    def show_page(self, name: str) -> bool:
        """Show a page. False if there is none of this name."""
        page = self._pages.get(name)
        if page is not None:
            self.setCurrentWidget(page)
        return page is not None

    @Slot(int)
    def _on_current(self, _index: int) -> None:
        self.page_changed.emit(self.current_name)


class Page(QWidget):
    """A page that is empty until something fills it."""

    def __init__(self, pages: Pages, description: str) -> None:
        """``description``: the accessible name."""
        super().__init__(pages)
        self._pages = pages
        self._first: QWidget | None = None
        self._arrive: Callable[[], None] | None = None
        self.setAccessibleName(description)
        pages.currentChanged.connect(self._on_page)

    def is_in_front(self) -> bool:
        """True if this page is the one shown."""
        return self._pages.currentWidget() is self

    def bring_to_front(self) -> None:
        """Show this page."""
        self._pages.setCurrentWidget(self)

    def when_looked_at(
        self,
        needs: Sequence[str],
        load_first: Callable[[Sequence[str], Callable[[], None]], None],
        act: Callable[[], None],
    ) -> None:
        """Call a slot whenever the page comes to the front, and now if it is there; ``load_first`` calls it once the
        modules it needs are loaded."""
        self._arrive = partial(load_first, needs, act)
        self._on_page()

    def fill(self, panel: QWidget) -> None:
        """Put a panel in, which takes the whole page."""
        body = self.layout()
        if body is None:
            body = QVBoxLayout(self)
            body.setContentsMargins(0, 0, 0, 0)
        body.addWidget(panel)

    def lead_to(self, widget: QWidget) -> None:
        """Pass the focus on to this widget when the page gets it.

        Not by ``setFocusProxy``: the Tab key enters a widget that has a proxy by it, and so leaves out what stands
        before the proxy, or goes back where the proxy is disabled.
        """
        self._first = widget

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._first is not None:
            self._first.setFocus(event.reason())

    @Slot()
    def _on_page(self) -> None:
        if self._arrive is not None and self.is_in_front():
            self._arrive()
