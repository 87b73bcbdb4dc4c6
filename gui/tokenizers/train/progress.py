"""A run while it goes on: the curve, and the merges as they happen, beside or above each other as the room allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.tokenizers.train.feed import MergeFeed
from gui.tokenizers.train.feed_table import MergeFeedModel
from gui.widgets.labels import StatusLine
from gui.widgets.training_curve import TrainingCurveView

if TYPE_CHECKING:
    from gui.tokenizers.train.plan import TrainingSnapshot

SIDE_BY_SIDE = 860
"""From this width on the curve stands beside the merges."""

SHARES = {Qt.Orientation.Horizontal: (360, 600), Qt.Orientation.Vertical: (500, 500)}
"""What curve and merges have of the room, at first and whenever they are arranged anew."""


class TrainingProgressPage(QWidget):
    """Takes snapshots of a run."""

    def __init__(self, theme: Theme, text: TrainingText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self.model = MergeFeedModel(text, self)
        self.curve = TrainingCurveView(theme, text)
        self.feed = MergeFeed(self.model)
        self.follow = QCheckBox(self.tr("Follow the ne&west"), objectName="trainFollow")
        self.follow.setChecked(True)
        self.follow.setToolTip(self.tr("Keep the newest merge in sight. Scrolling up lets go of it."))
        self.figures = StatusLine("trainFigures")
        self._place()
        self.follow.toggled.connect(self.feed.set_following)
        self.feed.following_changed.connect(self.follow.setChecked)

    def clear(self) -> None:
        """Another run begins."""
        self.model.clear()
        self.curve.clear()
        self.figures.set_text("")

    @Slot(object)
    def add(self, snapshot: TrainingSnapshot) -> None:
        """Show a moment of the run."""
        progress, write = snapshot.progress, self._text
        self.model.append(snapshot.merges)
        self.curve.add(progress, snapshot.curve)
        parts = [self.tr("{n} different pretokens").format(n=write.number(progress.pretokens))]
        if progress.merges:
            parts.append(self.tr("{n} entries").format(n=write.number(progress.vocab_size)))
            parts.append(self.tr("{n} tokens").format(n=write.number(progress.tokens)))
        parts.append(write.duration(snapshot.seconds))
        self.figures.set_text(" · ".join(parts))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= SIDE_BY_SIDE
        wanted = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self.splitter.orientation() != wanted:
            self.splitter.setOrientation(wanted)
            self.splitter.setSizes(list(SHARES[wanted]))

    def _place(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.figures, 1)
        head.addWidget(self.follow)
        merges = QWidget()
        column = QVBoxLayout(merges)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.feed)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, objectName="trainSplitter")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.curve)
        self.splitter.addWidget(merges)
        self.splitter.setSizes(list(SHARES[self.splitter.orientation()]))
        body = QVBoxLayout(self)
        body.setContentsMargins(8, 8, 8, 8)
        body.setSpacing(6)
        body.addLayout(head)
        body.addWidget(self.splitter, 1)
