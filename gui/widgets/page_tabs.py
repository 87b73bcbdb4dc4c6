"""Pages under tabs that stand in an order for the Tab key."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabWidget, QWidget


class PageTabs(QTabWidget):
    """Only its tabs take the focus. A ``QTabWidget`` hands on to them what it is given itself: wherever it stands in
    the order, the Tab key would go back to its tabs, and never on."""

    def __init__(self, name: str, words: str, parent: QWidget | None = None) -> None:
        """``name``: of the object; ``words``: the accessible name."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setDocumentMode(True)
        self.setFocusProxy(None)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
