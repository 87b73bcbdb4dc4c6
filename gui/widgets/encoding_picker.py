"""Combo box of encodings, whose list also shows who uses each; and the tools of pages that inspect an encoding."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.widgets.labels import plain_tip
from gui.widgets.tool_row import ElidedChoice, ToolRow

DESCRIPTION = Qt.ItemDataRole.UserRole + 1


class EncodingPicker(ElidedChoice):
    """Picker that shows the name of the encoding in use; its list adds descriptions.

    Signals: ``chosen(str)`` when the user, or a script, picks another encoding.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("encodingPicker")
        self.setAccessibleName(self.tr("Encoding"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMaxVisibleItems(20)
        self._filling = False
        self.currentTextChanged.connect(self._on_text_changed)

    def fill(self, encodings: Iterable[tuple[str, str]]) -> None:
        """Offer these encodings: name and description of each. The current one stays selected."""
        if not isinstance(self.view().itemDelegate(), DescribedDelegate):
            self.view().setItemDelegate(DescribedDelegate(self))
        current = self.currentText()
        self._filling = True
        self.clear()
        for name, description in encodings:
            self.addItem(name, name)
            self.setItemData(self.count() - 1, description, DESCRIPTION)
            self.setItemData(self.count() - 1, plain_tip(description), Qt.ItemDataRole.ToolTipRole)
            spoken = f"{name}, {description}" if description else name
            self.setItemData(self.count() - 1, spoken, Qt.ItemDataRole.AccessibleTextRole)
        self._select(current)
        self._filling = False
        self._fit_list()

    @Slot(str)
    def show_name(self, name: str) -> None:
        """Show this encoding as the current one."""
        self._filling = True
        self._select(name)
        self._filling = False

    def _select(self, name: str) -> None:
        if name and self.findText(name, Qt.MatchFlag.MatchExactly) < 0:
            self.addItem(name, name)
        self.setCurrentIndex(self.findText(name, Qt.MatchFlag.MatchExactly))
        self.setToolTip(plain_tip(str(self.currentData(DESCRIPTION) or "")))

    @Slot(str)
    def _on_text_changed(self, name: str) -> None:
        if not self._filling and name:
            self.setToolTip(plain_tip(str(self.currentData(DESCRIPTION) or "")))
            self.chosen.emit(name)

    def _fit_list(self) -> None:
        metrics = self.fontMetrics()
        rows = (f"{self.itemText(row)}    {self.itemData(row, DESCRIPTION)}" for row in range(self.count()))
        widest = max((metrics.horizontalAdvance(row) for row in rows), default=0)
        self.view().setMinimumWidth(min(widest + 48, 640))


Index = QModelIndex | QPersistentModelIndex


class DescribedDelegate(QStyledItemDelegate):
    """Delegate that draws the name, followed by the description in the placeholder colour."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width(), size.height() + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        description = index.data(DESCRIPTION)
        if not description:
            return
        style = option.widget.style() if option.widget else QApplication.style()
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) * 2
        used = option.fontMetrics.horizontalAdvance(str(index.data(Qt.ItemDataRole.DisplayRole))) + margin + 16
        area = QRect(option.rect).adjusted(used, 0, -margin, 0)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.PlaceholderText
        painter.save()
        painter.setPen(option.palette.color(role))
        cut = option.fontMetrics.elidedText(str(description), Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, cut)
        painter.restore()


class EncodingTools(ToolRow):
    """An encoding picker, and a button that counts the prompt with the chosen encoding.

    Signals: ``use_asked(str)`` with the name of the encoding.
    """

    use_asked = Signal(str)

    def __init__(self, name: str, picker: EncodingPicker) -> None:
        """``name``: the object name."""
        super().__init__(name, "")
        self.setAccessibleName(self.tr("Encoding"))
        self._picker = picker
        self.use = QPushButton(self.tr("&Use in the editor"), objectName=f"{name}Use")
        self.use.setAutoDefault(False)
        self.use.setToolTip(self.tr("Count the prompt in this encoding"))
        self.use.clicked.connect(self._on_use)
        self.add_caption(self.tr("Enco&ding"), picker)
        self.add(picker, self.use)

    @Slot()
    def _on_use(self) -> None:
        if self._picker.currentText():
            self.use_asked.emit(self._picker.currentText())
