"""Combo boxes that elide their text, one of encodings, whose list shows who uses each, and the tools beside it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QStyleOptionViewItem,
    QStylePainter,
    QWidget,
)

from gui.widgets.labels import plain_tip
from gui.widgets.tool_row import ToolRow

Index = QModelIndex | QPersistentModelIndex

TEXT_PAD = 2
"""Pixels that Qt keeps free around the text of a combo box."""
DESCRIPTION = Qt.ItemDataRole.UserRole + 1


class ElidedChoice(QComboBox):
    """Combo box that elides a text that does not fit. Qt would cut it off in the middle of a letter."""

    def elided_text(self, room: int) -> str:
        """Return the text shown in ``room`` pixels."""
        text = self.currentText() if self.currentIndex() >= 0 else self.placeholderText()
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        kind, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        option.currentText = self.elided_text(self.style().subControlRect(kind, option, part, self).width() - TEXT_PAD)
        if self.currentIndex() < 0:
            role = QPalette.ColorRole
            option.palette.setBrush(role.ButtonText, option.palette.placeholderText())
        with QStylePainter(self) as painter:
            painter.drawComplexControl(kind, option)
            painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


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
