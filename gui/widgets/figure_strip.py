"""Key figures at the top of a page: up to four large numbers, each with a caption."""

from __future__ import annotations

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from gui.look.fonts import STRONG, set_weight
from gui.look.plain_text import PlainLabel

FIGURE_PIXELS = 23
CAPTION_PIXELS = 11


class Figure(QWidget):
    """A number above its caption."""

    def __init__(self, name: str, parent: QWidget) -> None:
        """``name``: object name of the number's label."""
        super().__init__(parent)
        self.value, self.caption = PlainLabel(self), PlainLabel(self)
        self.value.setObjectName(name)
        for label, role, pixels in ((self.value, "figure", FIGURE_PIXELS), (self.caption, "caption", CAPTION_PIXELS)):
            label.setProperty("role", role)
            font = QFont(label.font())
            font.setPixelSize(pixels)
            set_weight(font, STRONG if role == "figure" else QFont.Weight.Normal)
            label.setFont(font)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.value)
        column.addWidget(self.caption)

    def show_figure(self, value: str, caption: str) -> None:
        """Show a number and its caption; hide both if it is empty."""
        self.value.setText(value)
        self.caption.setText(caption)
        self.value.setAccessibleName(f"{value} {caption}".strip())
        self.setVisible(bool(value))


class FigureStrip(QWidget):
    """Figures side by side, separated by lines; controls can be appended to ``row``."""

    def __init__(self, *names: str) -> None:
        """``names``: object names of the number labels."""
        super().__init__()
        self.figures: list[Figure] = []
        self._lines: list[QFrame] = []
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 2, 0, 2)
        self.row.setSpacing(16)
        for name in names:
            if self.figures:
                line = QFrame(self)
                line.setProperty("kind", "vline")
                line.setFrameShape(QFrame.Shape.VLine)
                line.setFrameShadow(QFrame.Shadow.Sunken)
                self._lines.append(line)
                self.row.addWidget(line)
            figure = Figure(name, self)
            self.figures.append(figure)
            self.row.addWidget(figure)
        self.row.addStretch(1)
        self.show_figures()

    def show_figures(self, *figures: tuple[str, str]) -> None:
        """Show these figures with their captions; the remaining ones are hidden."""
        for number, figure in enumerate(self.figures):
            figure.show_figure(*(figures[number] if number < len(figures) else ("", "")))
        for line, figure in zip(self._lines, self.figures[1:], strict=True):
            line.setVisible(bool(figure.value.text()))
