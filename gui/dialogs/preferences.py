"""The preferences, built from the fields of ``Settings``. A change applies at once; there is nothing to confirm."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Slot
from PySide6.QtGui import QFontDatabase, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from gui.look.plain_label import PlainLabel
from gui.state.settings import Option, SettingsStore, describe, names
from gui.widgets.dialog_buttons import button_row

ROOM_BETWEEN = 8
"""Pixels between a setting and the next."""


class PreferencesDialog(QDialog):
    """A tab for each page of settings, each with a button back to the defaults."""

    def __init__(self, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._controls: dict[str, QWidget] = {}
        self._pages: dict[str, QGridLayout] = {}
        self.setObjectName("preferencesDialog")
        self.setWindowTitle(self.tr("Preferences"))
        self._tabs = QTabWidget(self)
        self._tabs.setAccessibleName(self.tr("Pages of preferences"))
        for name in names():
            option = describe(name)
            if option is not None:
                self._add(name, option)
        for page, grid in self._pages.items():
            self._add_reset(page, grid)
        buttons = button_row(self, QDialogButtonBox.StandardButton.Close)
        column = QVBoxLayout(self)
        column.addWidget(self._tabs)
        column.addWidget(buttons)
        settings.changed.connect(self._show_value)
        self.resize(560, 420)

    def control(self, name: str) -> QWidget:
        """The control of a setting."""
        return self._controls[name]

    def _grid(self, page: str) -> QGridLayout:
        if page not in self._pages:
            widget = QWidget(self._tabs)
            # A grid and not a form: forms give texts that wrap the height they would need in a narrow column.
            grid = QGridLayout(widget)
            grid.setColumnStretch(2, 1)
            grid.setVerticalSpacing(2)
            grid.setHorizontalSpacing(10)
            self._tabs.addTab(widget, _tr(page))
            self._pages[page] = grid
        return self._pages[page]

    def _add(self, name: str, option: Option) -> None:
        grid = self._grid(option.page)
        value = getattr(self._settings.values, name)
        if isinstance(value, bool):
            control: QWidget = self._check_box(name, option)
        elif option.choices:
            control = self._choice(name, option)
        elif option.font:
            control = self._font(name)
        else:
            control = self._number(name, option)
        control.setObjectName(f"setting_{name}")
        control.setAccessibleName(_tr(option.title))
        control.setAccessibleDescription(_tr(option.help))
        self._controls[name] = control
        row = grid.rowCount()
        if not isinstance(control, QCheckBox):
            label = PlainLabel(self.tr("{title}:").format(title=_tr(option.title)), self)
            label.setBuddy(control)
            grid.addWidget(label, row, 0)
        grid.addWidget(control, row, 1)
        words = QLabel(_tr(option.help), self)
        words.setWordWrap(True)
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        grid.addWidget(words, row + 1, 1, 1, 2)
        grid.setRowMinimumHeight(row + 2, ROOM_BETWEEN)
        self._show_value(name)

    def _check_box(self, name: str, option: Option) -> QCheckBox:
        box = QCheckBox(_tr(option.title), self)
        box.toggled.connect(lambda on: self._settings.set(name, on))
        return box

    def _choice(self, name: str, option: Option) -> QComboBox:
        box = QComboBox(self)
        for value, title in option.choices:
            box.addItem(_tr(title), value)
        box.currentIndexChanged.connect(lambda place: self._settings.set(name, box.itemData(place)))
        return box

    def _number(self, name: str, option: Option) -> QSpinBox:
        box = QSpinBox(self)
        box.setRange(option.lowest, option.highest)
        if option.unit:
            box.setSuffix(" " + _tr(option.unit))
        box.valueChanged.connect(lambda value: self._settings.set(name, value))
        return box

    def _font(self, name: str) -> QComboBox:
        box = QComboBox(self)
        box.addItem(self.tr("As the system"), "")
        for family in QFontDatabase.families():
            if QFontDatabase.isFixedPitch(family) and not QFontDatabase.isPrivateFamily(family):
                box.addItem(family, family)
        chosen = getattr(self._settings.values, name)
        if box.findData(chosen) < 0:
            box.addItem(self.tr("{font}, missing").format(font=chosen), chosen)
        box.currentIndexChanged.connect(lambda place: self._settings.set(name, box.itemData(place)))
        return box

    def _add_reset(self, page: str, grid: QGridLayout) -> None:
        button = QPushButton(self.tr("Back to the &defaults of this page"), self)
        button.setObjectName(f"reset_{page.split()[0].lower()}")
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self._settings.reset(page))
        row = grid.rowCount()
        grid.addWidget(button, row, 1, 1, 2, Qt.AlignmentFlag.AlignLeft)
        grid.setRowStretch(row + 1, 1)

    @Slot(str)
    def _show_value(self, name: str) -> None:
        control = self._controls.get(name)
        value = getattr(self._settings.values, name)
        if isinstance(control, QCheckBox):
            control.setChecked(value)
        elif isinstance(control, QComboBox):
            control.setCurrentIndex(control.findData(value))
        elif isinstance(control, QSpinBox):
            control.setValue(value)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Settings", text)
