"""Shows the dock of the cost table with the pages that it belongs to."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QDockWidget, QWidget

from gui.window.pages import Pages


class TabDock(QObject):
    """Keeps one dock in step with the pages, and remembers for each what the user made of it.

    A page on which nobody changed it shows it if it is one of its ``homes``. The page ``whole`` shows the same in full.
    """

    def __init__(self, pages: Pages, dock: QDockWidget, homes: frozenset[str], whole: str, parent: QObject) -> None:
        super().__init__(parent)
        self.dock = dock
        self._pages, self._homes, self._whole = pages, homes, whole
        self._shown: dict[str, bool] = {}
        self._page = ""

    def set_panel(self, panel: QWidget) -> None:
        """Put a panel in place of the one before."""
        before = self.dock.widget()
        self.dock.setWidget(panel)
        before.deleteLater()

    def state(self) -> dict[str, bool]:
        """On which pages the dock is shown, as JSON holds it."""
        self._remember()
        return dict(self._shown)

    def begin(self, state: dict[str, object]) -> None:
        """Take back what ``state`` gave, and follow the pages from now on. The dock stays as it is on this one."""
        self._shown = {page: shown for page, shown in state.items() if isinstance(shown, bool)}
        self._page = self._pages.current_name
        self._pages.page_changed.connect(self._on_page)
        if self._page == self._whole:
            self.dock.hide()

    @Slot()
    def show(self) -> None:
        """Bring the panel into sight."""
        if self._pages.current_name != self._whole:
            self.dock.show()

    def _remember(self) -> None:
        if self._page and self._page != self._whole:
            self._shown[self._page] = not self.dock.isHidden()

    @Slot(str)
    def _on_page(self, name: str) -> None:
        self._remember()
        self._page = name
        self.dock.setVisible(name != self._whole and self._shown.get(name, name in self._homes))
