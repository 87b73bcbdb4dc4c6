"""Draws the cells of the cost table."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QApplication, QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.look.theme import Theme
from gui.models.cost_columns import COLUMNS
from gui.models.rows import LEFT, RIGHT
from gui.panels.cell_looks import CellLooks

_ROLES = {"stale": "stale", "muted": "stale", "warning": "warning", "error": "error"}


class CostDelegate(QStyledItemDelegate):
    """Text cells: the tone in colour, stale figures dimmed and in italics.

    It asks the model directly. The default delegate asks for a dozen roles a cell through Qt's variant, which makes
    a page of cells several times as slow to paint.
    """

    def __init__(self, theme: Theme, looks: CellLooks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._looks = looks

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        column = index.column()
        look = self._looks.paint(index.row(), column)
        option.displayAlignment = RIGHT if COLUMNS[column].numeric else LEFT
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        option.text = look.text
        if look.tone:
            option.palette.setColor(QPalette.ColorRole.Text, self.theme.colour(_ROLES[look.tone]))
        if look.tone == "stale":
            option.font.setItalic(True)

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        editor = super().createEditor(parent, option, index)
        if isinstance(editor, QLineEdit):
            editor.setAlignment(Qt.AlignmentFlag.AlignRight)  # where the figure stood
        editor.setAccessibleName(str(index.data(Qt.ItemDataRole.AccessibleDescriptionRole)))
        return editor

    def paint_background(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        """The cell without its text: selection, alternating rows, focus."""
        text, option.text = option.text, ""
        style = option.widget.style() if option.widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        option.text = text

    def text_colour(self, option: QStyleOptionViewItem) -> QPalette.ColorRole:
        """The role of the colour in which text is read on this cell."""
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        return QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text

    def group(self, option: QStyleOptionViewItem) -> QPalette.ColorGroup:
        """The group of colours of a cell, by whether its window is active."""
        active = bool(option.state & QStyle.StateFlag.State_Active)
        return QPalette.ColorGroup.Normal if active else QPalette.ColorGroup.Inactive
