"""Tools of a page: a row that shows texts where there is room, otherwise icons, a quiet choice, segments, and chips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QActionGroup, QIcon, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QTabBar,
    QWidget,
)

from gui.widgets.labels import PlainLabel

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
        label = PlainLabel(text, self)
        label.setProperty("role", "caption")
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


class QuietChoice(QComboBox):
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
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        kind, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        around = self.width() - self.style().subControlRect(kind, option, part, self).width()
        text = self.fontMetrics().horizontalAdvance(self.shown) + 6 if words else 0
        return max(0, around) + ICON + text + 4

    def sizeHint(self) -> QSize:
        return QSize(self.width_with(words=self._with_words), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.width_with(words=False), super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown if self._with_words else ""
        option.currentIcon = self._icon
        option.iconSize = QSize(ICON, ICON)
        with QStylePainter(self) as painter:
            painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
            painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


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
        self.choices = QMenu(self)
        self.choices.setObjectName(f"{name}Menu")
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
        return next((place for place, choice in enumerate(self._choices) if choice[0] == text), -1)

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
