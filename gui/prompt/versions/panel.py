"""The versions tab: what is kept on the left, a comparison of two texts on the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.prompt.versions.comparison import VersionComparison
from gui.prompt.versions.version_list import VersionList

FIRST_WIDTHS = [350, 830]


class VersionsPanel(QWidget):
    """Puts the parts together. What happens is in ``VersionsFlow``."""

    def __init__(self, theme: Theme, icons: Icons) -> None:
        super().__init__(objectName="versionsPanel")
        self.list = VersionList(theme)
        self.comparison = VersionComparison(theme, icons)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, objectName="versionsSplitter")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.list)
        self.splitter.addWidget(self.comparison)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes(FIRST_WIDTHS)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.splitter)
