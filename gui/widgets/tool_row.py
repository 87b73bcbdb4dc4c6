"""Tools of a page: a row that shows texts where there is room, otherwise icons; choices, segments and chips."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QActionGroup, QIcon, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QStyleOptionViewItem,
    QStylePainter,
    QTabBar,
    QWidget,
)

from gui.widgets.labels import PlainLabel, plain_tip

Index = QModelIndex | QPersistentModelIndex

SPACING = 4
ICON = 16
BESIDE_WORDS = QSize(ICON + 4, ICON)
"""Size of the icon of a button with words: Qt leaves too little between the two."""
WORDS, ICONS, TIGHT = range(3)
"""States of a row: with all texts; with icon-only buttons; with as few texts as possible."""


class ToolRow(QWidget):
    """A row of controls that hides texts instead of being cut off, those of buttons first.

    Its size hint includes all texts, so that a layout gives it the available width.
    """

    def __init__(self, name: str, spoken: str, parent: QWidget | None = None) -> None:
        """``name``: object name. ``spoken``: accessible name."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(spoken)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._texts: dict[QPushButton, str] = {}
        self._captions: list[QLabel] = []
        self._quiet_choices: list[QuietChoice] = []
        self._state = WORDS
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACING)
        row.addStretch(1)

    def add(self, *widgets: QWidget) -> None:
        """Add controls that keep their texts or shorten them by themselves."""
        for widget in widgets:
            self.layout().addWidget(widget)
            widget.installEventFilter(self)
            if isinstance(widget, QuietChoice):
                self._quiet_choices.append(widget)

    def add_caption(self, text: str, buddy: QWidget) -> None:
        """Add a label before a control; it is hidden if there is little room."""
        label = PlainLabel(text, self, role="caption")
        label.setBuddy(buddy)
        self._captions.append(label)
        self.add(label)

    def add_button(self, button: QPushButton, icon: QIcon) -> QPushButton:
        """Add a button with an icon and a text; only the icon is shown if there is little room."""
        button.setIcon(icon)
        button.setIconSize(BESIDE_WORDS)
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        if not button.accessibleName():
            button.setAccessibleName(button.text().replace("&", ""))
        self._texts[button] = button.text()
        self.add(button)
        return button

    @property
    def tight(self) -> bool:
        """True while every text that can be hidden is hidden."""
        return self._state == TIGHT

    def sizeHint(self) -> QSize:
        return QSize(self._width(WORDS), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._width(TIGHT), super().minimumSizeHint().height())

    def _width(self, state: int) -> int:
        row, total, shown = self.layout(), 0, 0
        for index in range(row.count()):
            widget = row.itemAt(index).widget()
            if widget is None:
                continue  # the stretch
            if widget in self._captions:
                if state == TIGHT:
                    continue
            elif widget.isHidden():
                continue
            total += self._width_of(widget, state)
            shown += 1
        return total + SPACING * max(0, shown - 1)

    def _width_of(self, widget: QWidget, state: int) -> int:
        if isinstance(widget, QPushButton) and widget in self._texts:
            text = self._texts[widget]
            words = widget.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, text).width()
            bare = widget.sizeHint().width() - widget.iconSize().width() - (words if widget.text() else 0)
            return bare + BESIDE_WORDS.width() + words if state == WORDS else bare + ICON
        if isinstance(widget, QuietChoice):
            return widget.width_with(words=state != TIGHT)
        return widget.minimumSizeHint().width() if state == TIGHT else widget.sizeHint().width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()
        return False

    def _fit(self) -> None:
        state = next((state for state in (WORDS, ICONS) if self.width() >= self._width(state)), TIGHT)
        if state == self._state:
            return
        self._state = state
        for label in self._captions:
            label.setVisible(state != TIGHT)
        for choice in self._quiet_choices:
            choice.show_words(state != TIGHT)
        for button, text in self._texts.items():
            button.setText(text if state == WORDS else "")
            button.setIconSize(BESIDE_WORDS if state == WORDS else QSize(ICON, ICON))
        self.layout().activate()  # now, not in the next turn: the row would be painted twice


def segments(bar: QTabBar, name: str, spoken: str) -> QFrame:
    """Turn a tab bar into a segmented control; return it in its track."""
    bar.setObjectName(name)
    bar.setAccessibleName(spoken)
    bar.setProperty("kind", "segments")
    bar.setDrawBase(False)
    bar.setExpanding(False)
    bar.setUsesScrollButtons(False)
    track = QFrame(bar.parentWidget())
    track.setProperty("kind", "track")
    track.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    inside = QHBoxLayout(track)
    inside.setContentsMargins(2, 2, 2, 2)
    inside.addWidget(bar)
    return track


# --- choices: combo boxes ---------------------------------------------------------------------------------------------

TEXT_PAD = 2
"""Pixels that Qt keeps free around the text of a combo box."""
LIST_PADDING = 24
"""Pixels around the texts of the list of a combo box."""
DESCRIPTION = Qt.ItemDataRole.UserRole + 1


class _Choice(QComboBox):
    """Combo box that paints a text of its own, with a list as wide as its texts."""

    def showPopup(self) -> None:
        # Only now: the first access to the view takes milliseconds.
        self.view().setMinimumWidth(self._list_width())
        super().showPopup()

    def _list_width(self) -> int:
        return self.view().sizeHintForColumn(0) + LIST_PADDING

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return option

    def _field_width(self, option: QStyleOptionComboBox) -> int:
        """Return the width of the field of the text."""
        kind, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        return self.style().subControlRect(kind, option, part, self).width()

    def _paint(self, option: QStyleOptionComboBox) -> None:
        with QStylePainter(self) as painter:
            painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
            painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


class ElidedChoice(_Choice):
    """Combo box that elides a text that does not fit. Qt would cut it off in the middle of a letter."""

    def elided_text(self, width: int) -> str:
        """Return the text shown in ``width`` pixels."""
        text = self.currentText() if self.currentIndex() >= 0 else self.placeholderText()
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = self._option()
        option.currentText = self.elided_text(self._field_width(option) - TEXT_PAD)
        if self.currentIndex() < 0:
            option.palette.setBrush(QPalette.ColorRole.ButtonText, option.palette.placeholderText())
        self._paint(option)


class QuietChoice(_Choice):
    """A combo box that looks like a quiet button: an icon, a text and the current choice."""

    def __init__(self, icon: QIcon, words: str, parent: QWidget | None = None) -> None:
        """``words``: displayed text, with ``{choice}`` for the current item."""
        super().__init__(parent)
        self.setProperty("kind", "quiet")
        self._icon, self._words, self._with_words = icon, words, True
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.currentIndexChanged.connect(self.updateGeometry)

    @property
    def shown(self) -> str:
        """The text, shown if there is room for it."""
        text = self.currentText()
        return self._words.format(choice=text if text[1:2].isupper() else text[:1].lower() + text[1:])

    def show_words(self, on: bool) -> None:
        """Show the text, or the icon alone."""
        self._with_words = on
        self.updateGeometry()

    def width_with(self, *, words: bool) -> int:
        """Return the width with or without text."""
        around = self.width() - self._field_width(self._option())
        text = self.fontMetrics().horizontalAdvance(self.shown) + 6 if words else 0
        return max(0, around) + ICON + text + 4

    def sizeHint(self) -> QSize:
        return QSize(self.width_with(words=self._with_words), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.width_with(words=False), super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = self._option()
        option.currentText = self.shown if self._with_words else ""
        option.currentIcon = self._icon
        option.iconSize = QSize(ICON, ICON)
        self._paint(option)


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
        current = self.currentText()
        self._filling = True
        self.clear()
        for row, (name, description) in enumerate(encodings):
            self.addItem(name, name)
            self.setItemData(row, description, DESCRIPTION)
            self.setItemData(row, plain_tip(description), Qt.ItemDataRole.ToolTipRole)
            spoken = f"{name}, {description}" if description else name
            self.setItemData(row, spoken, Qt.ItemDataRole.AccessibleTextRole)
        self._select(current)
        self._filling = False

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
        self._show_tip()

    @Slot(str)
    def _on_text_changed(self, name: str) -> None:
        if not self._filling and name:
            self._show_tip()
            self.chosen.emit(name)

    def _show_tip(self) -> None:
        self.setToolTip(plain_tip(str(self.currentData(DESCRIPTION) or "")))

    def showPopup(self) -> None:
        if not isinstance(self.view().itemDelegate(), DescribedDelegate):
            self.view().setItemDelegate(DescribedDelegate(self))
        super().showPopup()

    def _list_width(self) -> int:
        metrics = self.fontMetrics()
        rows = (f"{self.itemText(row)}    {self.itemData(row, DESCRIPTION)}" for row in range(self.count()))
        widest = max((metrics.horizontalAdvance(row) for row in rows), default=0)
        return min(widest + 48, 640)


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
        self.use = QPushButton(self.tr("&Use in the editor"), objectName=f"{name}Use", autoDefault=False)
        self.use.setToolTip(self.tr("Count the prompt in this encoding"))
        self.use.clicked.connect(self._on_use)
        self.add_caption(self.tr("Enco&ding"), picker)
        self.add(picker, self.use)

    @Slot()
    def _on_use(self) -> None:
        if self._picker.currentText():
            self.use_asked.emit(self._picker.currentText())


# --- chips: filters as toggle buttons ---------------------------------------------------------------------------------

TICK = "✓ "


class Chip(QPushButton):
    """A filter that is on or off. When on, it has a tick besides another colour."""

    def __init__(self, name: str, text: str, spoken: str) -> None:
        super().__init__(objectName=name)
        self._text = text
        self.setProperty("kind", "chip")
        self.setAutoDefault(False)
        self.setCheckable(True)
        self.setAccessibleName(spoken)
        self.setToolTip(spoken)
        self.toggled.connect(self._show)
        self._show()

    def set_text(self, text: str) -> None:
        """Set the text, shown after a tick while the chip is on."""
        self._text = text
        self._show()

    @Slot()
    def _show(self) -> None:
        self.setText((TICK if self.isChecked() else "") + self._text)


class MenuChip(Chip):
    """A filter with choices in a menu."""

    def __init__(self, name: str, text: str, spoken: str) -> None:
        super().__init__(name, text, spoken)
        self.choices = QMenu(self, objectName=f"{name}Menu")
        self.setMenu(self.choices)


class ChoiceChip(MenuChip):
    """A choice among several, shown on the chip. The first choice means no filter, so the chip is off.

    Methods mirror those of a combo box. Signals: ``picked(int)``.
    """

    picked = Signal(int)

    def __init__(self, name: str, choices: Sequence[tuple[str, Any]], spoken: str) -> None:
        """``choices``: text and data of each."""
        super().__init__(name, choices[0][0], spoken)
        self._choices = tuple(choices)
        self._current = 0
        self._group = QActionGroup(self)
        for text, _datum in choices:
            action = self.choices.addAction(text.replace("&", "&&"))
            action.setCheckable(True)
            self._group.addAction(action)
        self._group.triggered.connect(self._on_triggered)
        self._group.actions()[0].setChecked(True)

    def set_hints(self, hints: Sequence[str]) -> None:
        """Give each choice a tooltip."""
        self.choices.setToolTipsVisible(True)
        for action, hint in zip(self._group.actions(), hints, strict=True):
            action.setToolTip(hint)

    def count(self) -> int:
        """Return the number of choices."""
        return len(self._choices)

    def currentIndex(self) -> int:
        return self._current

    def currentData(self) -> Any:
        return self._choices[self._current][1]

    def findText(self, text: str) -> int:
        return next((index for index, choice in enumerate(self._choices) if choice[0] == text), -1)

    def setCurrentIndex(self, index: int) -> None:
        if not 0 <= index < len(self._choices) or index == self._current:
            return
        self._current = index
        self._group.actions()[index].setChecked(True)
        self.setChecked(index > 0)
        self.set_text(self._choices[index][0])
        self.picked.emit(index)

    @Slot()
    def _on_triggered(self) -> None:
        self.setCurrentIndex(self._group.actions().index(self._group.checkedAction()))


class PopoverChip(Chip):
    """A filter whose fields are in a popover below it. ``set_on`` alone decides if it is on; clicks do not."""

    def __init__(self, name: str, text: str, spoken: str, popover: QDialog) -> None:
        super().__init__(name, text, spoken)
        self._popover, self._on = popover, False
        self.clicked.connect(self._open)

    def set_on(self, on: bool, text: str) -> None:
        """Show whether the filter is on, and its value."""
        self._on = on
        self.setChecked(on)
        self.set_text(text)

    @Slot()
    def _open(self) -> None:
        self.setChecked(self._on)
        self._popover.adjustSize()
        self._popover.move(self.mapToGlobal(QPoint(0, self.height() + 4)))
        self._popover.show()
        self._popover.setFocus(Qt.FocusReason.PopupFocusReason)
