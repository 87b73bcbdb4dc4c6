"""Placeholder of an empty page: an icon, one sentence and one button."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from gui.look.icons import Icons
from gui.look.plain_text import PlainLabel
from gui.look.theme import Theme

ICON = QSize(40, 40)
WIDEST = 420


class EmptyState(QWidget):
    """Shown while a page has no content. ``button``: the first thing to do; None if that is elsewhere on the page."""

    def __init__(self, name: str, icon: str, sentence: str, action: str, icons: Icons, theme: Theme) -> None:
        """``action``: text of the button; empty for none."""
        super().__init__()
        self.setObjectName(name)
        self._icon, self._icons = icon, icons
        self._picture = QLabel(self)
        self._picture.setTextFormat(Qt.TextFormat.PlainText)
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sentence = PlainLabel(sentence, self)
        self.sentence.setObjectName(f"{name}Words")
        self.sentence.setProperty("role", "quiet")
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sentence.setWordWrap(True)
        self.button: QPushButton | None = None
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addStretch(1)
        column.addWidget(self._picture)
        column.addWidget(self.sentence)
        column.setAlignment(self.sentence, Qt.AlignmentFlag.AlignHCenter)
        if action:
            self.button = QPushButton(action, self)
            self.button.setObjectName(f"{name}Action")
            self.button.setProperty("kind", "primary")
            column.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(2)
        self.say(sentence)
        theme.changed.connect(self._draw)
        self._draw()

    def add_action(self, button: QPushButton) -> None:
        """Add a second button below the first."""
        self.layout().insertWidget(self.layout().count() - 1, button, alignment=Qt.AlignmentFlag.AlignHCenter)

    def say(self, sentence: str) -> None:
        """Set the sentence."""
        self.sentence.setText(sentence)
        # A layout that centres a wrapping label gives it too little height.
        wrapped = Qt.TextFlag.TextWordWrap.value
        area = self.sentence.fontMetrics().boundingRect(QRect(0, 0, WIDEST, 1000), wrapped, sentence)
        self.sentence.setFixedSize(area.width() + 8, area.height() + 4)

    def _draw(self) -> None:
        self._picture.setPixmap(self._icons.icon(self._icon).pixmap(ICON))
