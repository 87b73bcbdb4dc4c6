"""A merge tree with a caption and buttons to zoom."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gui.look.plain_tip import plain_tip
from gui.look.theme import Theme
from gui.tokenizers.merges.forest import MergeForest
from gui.tokenizers.merges.tree_view import MergeTreeView


class MergeTreePane(QWidget):
    """``view`` is the tree; its signals tell what is done with it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = MergeTreeView(theme, self)
        self.caption = QLabel(self)
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self.caption.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self.caption, 1)
        row.addWidget(self._button("−", self.tr("Make the tree smaller (-)"), self.view.zoom_out))
        row.addWidget(self._button("+", self.tr("Make the tree larger (+)"), self.view.zoom_in))
        row.addWidget(self._button("1:1", self.tr("Show the tree in full size (1)"), self.view.zoom_full))
        row.addWidget(self._button(self.tr("Fit"), self.tr("Show the whole tree (0)"), self.view.fit))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.view, 1)

    @property
    def tab_order(self) -> tuple[QWidget, ...]:
        """What the Tab key goes to, in this order."""
        return (*self.findChildren(QToolButton), self.view)

    def show_forest(self, forest: MergeForest, caption: str = "", hint: str = "") -> None:
        """Show this forest, and say so. ``hint`` stands in its place if it is empty."""
        if forest.is_cut:
            cut = self.tr("Too large to be drawn as a whole: ⋮ stands for parts that are left out.")
            caption = f"{caption}. {cut}" if caption else cut
        self.caption.setText(caption)
        self.caption.setToolTip(plain_tip(caption))
        self.view.show_forest(forest, hint)

    def _button(self, text: str, tip: str, act: Callable[[], None]) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(act)
        return button
