"""One text in two vocabularies, token by token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from gui.look.plain_label import PlainLabel
from gui.look.theme import Theme
from gui.models.training_text import TrainingText
from gui.panels.editor_look import TokenView
from gui.settings import SettingsStore

if TYPE_CHECKING:
    from gui.services.training_report import Report


class TokenPane(QWidget):
    """A text in one of the encodings of a report, which can be chosen."""

    def __init__(self, theme: Theme, text: TrainingText, settings: SettingsStore, name: str, spoken: str) -> None:
        super().__init__()
        self._text = text
        self._report: Report | None = None
        self.choice = QComboBox(objectName=f"{name}Choice")
        self.choice.setAccessibleName(self.tr("Vocabulary: {pane}").format(pane=spoken))
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.setMinimumContentsLength(8)
        self.figures = PlainLabel(objectName=f"{name}Figures")
        self.view = TokenView(theme, settings, self)
        self.view.setObjectName(name)
        self.view.setAccessibleName(spoken)
        self.view.setAcceptDrops(False)
        head = QHBoxLayout()
        head.addWidget(self.choice, 1)
        head.addWidget(self.figures)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(head)
        column.addWidget(self.view, 1)
        self.choice.currentIndexChanged.connect(self._show)

    def set_report(self, report: Report | None, first: int) -> None:
        """Show the sample of a report; ``first`` is the encoding to begin with."""
        blocker = QSignalBlocker(self.choice)
        before = self.choice.currentText()
        self.choice.clear()
        self._report = report
        if report is not None:
            self.choice.addItems(list(report.names))
            found = self.choice.findText(before) if first else -1
            self.choice.setCurrentIndex(found if found > 0 else first)
        blocker.unblock()
        self.view.load_text(report.sample if report is not None else "", prepared=True)
        self._show()

    @Slot()
    def _show(self) -> None:
        place = self.choice.currentIndex()
        if self._report is None or place < 0:
            self.figures.clear()
            return
        patch = self._report.patches[place]
        self.view.clear_tokens()
        if len(patch.ids):
            self.view.apply_patch(self.view.revision, patch)
        self.figures.setText(self.tr("{n} tokens").format(n=self._text.number(len(patch.ids))))


class SideBySidePage(QWidget):
    """Two panes that scroll together."""

    def __init__(self, theme: Theme, text: TrainingText, settings: SettingsStore) -> None:
        super().__init__()
        self.left = TokenPane(theme, text, settings, "trainSampleLeft", self.tr("Left"))
        self.right = TokenPane(theme, text, settings, "trainSampleRight", self.tr("Right"))
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.left)
        splitter.addWidget(self.right)
        splitter.setSizes([500, 500])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)
        column.addWidget(splitter)
        for one, other in ((self.left, self.right), (self.right, self.left)):
            one.view.verticalScrollBar().valueChanged.connect(other.view.verticalScrollBar().setValue)

    def set_report(self, report: Report | None) -> None:
        """Show a sample: the trained vocabulary on the left, the last of the others on the right."""
        self.left.set_report(report, 0)
        self.right.set_report(report, len(report.names) - 1 if report is not None else 0)
