"""A progress bar for those who do not look for it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gui.widgets.progress import ProgressBar


class ReachableProgressBar(ProgressBar):
    """A progress bar that the Tab key reaches, so that it is read out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
