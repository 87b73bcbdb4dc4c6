"""Where the figures of one row come from: the sum line by line, its source, and how old the price is."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from gui.look.theme import Theme
from gui.models.cost_columns import CostView
from gui.models.cost_explanation import explanation
from gui.models.cost_row import CostRow
from gui.models.cost_text import age_tone


class CostExplanation(QWidget):
    """Explains the current row. Text can be selected and copied; nothing is fetched."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tone = ""
        self.title = QLabel()
        self.title.setWordWrap(True)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        self.age = QLabel(objectName="priceAge")
        self.age.setTextFormat(Qt.TextFormat.PlainText)
        self.age.setWordWrap(True)
        self.lines = QPlainTextEdit(objectName="costExplanation")
        self.lines.setReadOnly(True)
        self.lines.setTabChangesFocus(True)
        self.lines.setAccessibleName(self.tr("How this cost comes about"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.title)
        layout.addWidget(self.age)
        layout.addWidget(self.lines, 1)
        theme.changed.connect(self._colour)
        self.explain(None, None)

    def explain(self, row: CostRow | None, view: CostView | None) -> None:
        """Show a row, or say what to do where there is none."""
        if row is None or view is None:
            self.title.setText(self.tr("Why this number?"))
            self.age.setText("")
            self._set_text(self.tr("Choose a row of the table to see how its cost comes about."))
            return
        self.title.setText(row.model.name)
        origin = self.tr("your price file") if row.model.is_yours else self.tr("built in")
        checked = row.estimate.price_checked
        age = view.text.age(checked, view.today)
        day = f"{view.text.day(checked)}, " if checked else ""
        self.age.setText(self.tr("Price checked: {day}{age} ({origin})").format(day=day, age=age, origin=origin))
        self._tone = age_tone(checked, view.today)
        self._colour()
        self._set_text("\n".join(explanation(row, view)))

    def _set_text(self, text: str) -> None:
        """Keep the place where the reader is while the figures change."""
        if text != self.lines.toPlainText():
            bar = self.lines.verticalScrollBar()
            place = bar.value()
            self.lines.setPlainText(text)
            bar.setValue(place)

    @Slot()
    def _colour(self) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.colour(self._tone or "stale"))
        self.age.setPalette(palette)
