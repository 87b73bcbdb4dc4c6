"""Shows a dock with the tabs that it belongs to, and remembers for each tab what the user made of it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QDockWidget, QTabWidget


class TabDock(QObject):
    """Keeps one dock in step with the tabs. A tab on which nobody changed it shows it if it is one of its homes."""

    def __init__(self, tabs: QTabWidget, dock: QDockWidget, homes: frozenset[str], parent: QObject) -> None:
        super().__init__(parent)
        self._tabs, self._dock, self._homes = tabs, dock, homes
        self._shown: dict[str, bool] = {}
        self._tab = ""

    def state(self) -> dict[str, bool]:
        """On which tabs the dock is shown, as JSON holds it."""
        self._remember()
        return dict(self._shown)

    def begin(self, state: dict[str, object]) -> None:
        """Take back what ``state`` gave, and follow the tabs from now on. The dock stays as it is on this one."""
        self._shown = {tab: shown for tab, shown in state.items() if isinstance(shown, bool)}
        self._tab = self._tabs.currentWidget().objectName()
        self._tabs.currentChanged.connect(self._on_tab)

    def _remember(self) -> None:
        if self._tab:
            self._shown[self._tab] = not self._dock.isHidden()

    @Slot()
    def _on_tab(self) -> None:
        self._remember()
        self._tab = self._tabs.currentWidget().objectName()
        self._dock.setVisible(self._shown.get(self._tab, self._tab in self._homes))
