"""The settings dialog: a search over all settings, a page per group of settings, and a page for shortcuts.

The pages are built from the fields of ``Settings``. Changes apply at once, without confirmation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFontDatabase, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.look.style_sheet import give_kind
from gui.state.settings import Option, SettingsStore, describe, names
from gui.widgets.forms import Dialog, SpinBox, close_row
from gui.widgets.labels import PlainLabel
from gui.window.actions import plain_text, submenu_of

SIDE_WIDTH = 210
PAGE_ROW = 30
SIZE = (820, 560)
_ACTION, _KEYS, _STATE = range(3)


class _Row(NamedTuple):
    """A setting on its page, and its search text."""

    page: int
    widget: QWidget
    words: str


class PreferencesDialog(Dialog):
    """Settings dialog with its pages listed at the left, and the number of matches during a search."""

    def __init__(
        self,
        settings: SettingsStore,
        actions: Sequence[QAction],
        defaults: Callable[[str], list[QKeySequence] | None],
        parent: QWidget | None = None,
    ) -> None:
        """``actions``: all actions that have, or may be given, shortcuts. ``defaults``: returns the default keys of an
        action by its name; None if they cannot be changed."""
        super().__init__(parent)
        self._settings = settings
        self._controls: dict[str, QWidget] = {}
        self._columns: dict[str, QVBoxLayout] = {}
        self._rows: list[_Row] = []
        self.setObjectName("preferencesDialog")
        self.setWindowTitle(self.tr("Settings"))
        self.search = QLineEdit(objectName="preferencesSearch")
        self.search.setPlaceholderText(self.tr("Search settings"))
        self.search.setAccessibleName(self.tr("Search settings and shortcuts"))
        self.search.setClearButtonEnabled(True)
        self.pages = QListWidget(objectName="preferencesPages")
        self.pages.setAccessibleName(self.tr("Settings pages"))
        self.pages.setProperty("kind", "plain")
        self.found = PlainLabel(objectName="preferencesFound", role="caption")
        self._stack = QStackedWidget()
        self._titles: list[str] = []
        for name in names():
            option = describe(name)
            if option is not None:
                self._add(name, option)
        for page, column in self._columns.items():
            column.addStretch(1)
            self._add_reset(page)
        self.shortcuts = ShortcutsPage(settings, actions, defaults)
        self._add_page(self.tr("Shortcuts"), self.shortcuts)
        self._lay_out()
        self.search.textChanged.connect(self._find)
        self.pages.currentRowChanged.connect(self._stack.setCurrentIndex)
        self.pages.setCurrentRow(0)
        settings.changed.connect(self._show_value)
        self.resize(*SIZE)

    def control(self, name: str) -> QWidget:
        """Return the control of a setting."""
        return self._controls[name]

    def show_shortcuts(self) -> None:
        """Show the page of shortcuts."""
        self.pages.setCurrentRow(self.pages.count() - 1)

    def _lay_out(self) -> None:
        side = QVBoxLayout()
        side.setSpacing(8)
        side.addWidget(self.search)
        side.addWidget(self.pages, 1)
        side.addWidget(self.found)
        self.search.setFixedWidth(SIDE_WIDTH)
        self.pages.setFixedWidth(SIDE_WIDTH)
        line = QFrame()
        line.setProperty("kind", "vline")
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addLayout(side)
        row.addWidget(line)
        row.addWidget(self._stack, 1)
        column = QVBoxLayout(self)
        column.addLayout(row, 1)
        column.addWidget(close_row(self))

    # --- pages and their settings -------------------------------------------------------------------------------------

    def _add_page(self, title: str, page: QWidget) -> None:
        self._stack.addWidget(page)
        self._titles.append(title)
        item = QListWidgetItem(title)
        item.setSizeHint(QSize(0, PAGE_ROW))
        self.pages.addItem(item)

    def _column(self, page: str) -> QVBoxLayout:
        if page not in self._columns:
            title = PlainLabel(_tr(page), role="section")
            head = QHBoxLayout()
            head.addWidget(title)
            head.addStretch(1)
            body = QWidget()
            column = self._columns[page] = QVBoxLayout(body)
            column.setContentsMargins(0, 0, 12, 0)
            column.setSpacing(14)
            column.addLayout(head)
            scroll = QScrollArea()
            scroll.setWidgetResizable(True)
            scroll.setFrameShape(QFrame.Shape.NoFrame)
            scroll.setWidget(body)
            scroll.setAccessibleName(_tr(page))
            self._add_page(_tr(page), scroll)
        return self._columns[page]

    def _add_reset(self, page: str) -> None:
        button = QPushButton(self.tr("Reset page"))
        button.setObjectName(f"reset_{page.split()[0].lower()}")
        button.setProperty("kind", "quiet")
        button.setAutoDefault(False)
        button.setAccessibleName(self.tr("Reset {page} to the defaults").format(page=_tr(page)))
        button.clicked.connect(lambda: self._settings.reset(page))
        head = self._columns[page].itemAt(0).layout()
        assert isinstance(head, QHBoxLayout)
        head.addWidget(button)

    def _add(self, name: str, option: Option) -> None:
        column = self._column(option.page)
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
        row = QWidget()
        words = QVBoxLayout()
        words.setSpacing(1)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(16)
        line.addLayout(words, 1)
        if isinstance(control, QCheckBox):
            words.addWidget(control)
        else:
            label = PlainLabel(_tr(option.title))
            label.setBuddy(control)
            words.addWidget(label)
            line.addWidget(control, alignment=Qt.AlignmentFlag.AlignTop)
        help_ = PlainLabel(_tr(option.help), role="caption")
        help_.setWordWrap(True)
        help_.setContentsMargins(24 if isinstance(control, QCheckBox) else 0, 0, 0, 0)
        words.addWidget(help_)
        column.addWidget(row)
        choices = " ".join(_tr(title) for _value, title in option.choices)
        searched = f"{_tr(option.title)} {_tr(option.help)} {choices}".casefold()
        self._rows.append(_Row(self._stack.count() - 1, row, searched))
        self._show_value(name)

    def _check_box(self, name: str, option: Option) -> QCheckBox:
        box = QCheckBox(_tr(option.title), self)
        box.toggled.connect(lambda on: self._settings.set(name, on))
        return box

    def _choice(self, name: str, option: Option) -> QComboBox:
        box = QComboBox(self)
        for value, title in option.choices:
            box.addItem(_tr(title), value)
        box.currentIndexChanged.connect(lambda index: self._settings.set(name, box.itemData(index)))
        return box

    def _number(self, name: str, option: Option) -> QSpinBox:
        box = SpinBox(self)
        box.setRange(option.lowest, option.highest)
        if option.unit:
            box.setSuffix(" " + _tr(option.unit))
        box.valueChanged.connect(lambda value: self._settings.set(name, value))
        return box

    def _font(self, name: str) -> QComboBox:
        box = QComboBox(self)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(18)
        box.addItem(self.tr("System default"), "")
        for family in QFontDatabase.families():
            if QFontDatabase.isFixedPitch(family) and not QFontDatabase.isPrivateFamily(family):
                box.addItem(family, family)
        chosen = getattr(self._settings.values, name)
        if box.findData(chosen) < 0:
            box.addItem(self.tr("{font}, missing").format(font=chosen), chosen)
        box.currentIndexChanged.connect(lambda index: self._settings.set(name, box.itemData(index)))
        return box

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

    # --- search -------------------------------------------------------------------------------------------------------

    @Slot(str)
    def _find(self, text: str) -> None:
        """Show the matching settings and shortcuts, and their number beside each page."""
        words = text.strip().casefold()
        hits = [0] * self._stack.count()
        for row in self._rows:
            shown = words in row.words
            row.widget.setVisible(shown)
            hits[row.page] += shown
        hits[-1] = self.shortcuts.find(words)
        for index, title in enumerate(self._titles):
            count = hits[index]
            self.pages.item(index).setText(f"{title}  ({count})" if words and count else title)
        self.found.setText(self.tr("{n} found").format(n=sum(hits)) if words else "")
        if words and not hits[self.pages.currentRow()] and any(hits):
            self.pages.setCurrentRow(next(index for index, count in enumerate(hits) if count))


class ShortcutsPage(QWidget):
    """All actions with their keys. The keys of the selected action can be changed; conflicts are reported beforehand.

    Signals: ``assigned(str)`` with the name of an action whose keys were changed.
    """

    assigned = Signal(str)

    def __init__(
        self,
        settings: SettingsStore,
        actions: Sequence[QAction],
        defaults: Callable[[str], list[QKeySequence] | None],
    ) -> None:
        super().__init__()
        self._settings, self._defaults = settings, defaults
        self._actions = [action for action in actions if action.shortcuts() or self._can_change(action)]
        self.table = QTableWidget(len(self._actions), 3, objectName="shortcutsTable")
        self.table.setAccessibleName(self.tr("Keyboard shortcuts"))
        self.table.setProperty("kind", "flat")
        self.table.setHorizontalHeaderLabels([self.tr("Action"), self.tr("Shortcut"), ""])
        self.table.verticalHeader().hide()
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setTabKeyNavigation(False)
        self.table.setShowGrid(False)
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setSectionResizeMode(_ACTION, QHeaderView.ResizeMode.Stretch)
        self._make_editor()
        self._lay_out()
        self._show_all()
        self.table.itemSelectionChanged.connect(self._on_selected)
        self.keys.keySequenceChanged.connect(self._on_keys)
        self.assign.clicked.connect(self._on_assign)
        self.reset.clicked.connect(self._on_reset)
        self._on_selected()

    def _make_editor(self) -> None:
        self.label = PlainLabel()
        self.keys = QKeySequenceEdit(objectName="shortcutKeys")
        self.keys.setMaximumSequenceLength(1)
        self.keys.setClearButtonEnabled(True)
        self.keys.setAccessibleName(self.tr("New shortcut"))
        self.label.setBuddy(self.keys)
        self.conflict = PlainLabel(objectName="shortcutConflict", role="caption")
        self.conflict.setWordWrap(True)
        self.assign = QPushButton(self.tr("Assign"), objectName="shortcutAssign")
        give_kind(self.assign, "primary")
        self.reset = QPushButton(self.tr("Reset"), objectName="shortcutReset")
        self.reset.setProperty("kind", "quiet")
        for button in (self.assign, self.reset):
            button.setAutoDefault(False)

    def _lay_out(self) -> None:
        title = PlainLabel(self.tr("Shortcuts"), role="section")
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.label, 1)
        row.addWidget(self.keys)
        row.addWidget(self.reset)
        row.addWidget(self.assign)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(title)
        column.addWidget(self.table, 1)
        column.addLayout(row)
        column.addWidget(self.conflict)

    def select(self, name: str) -> None:
        """Select the action of this name."""
        self.table.selectRow([action.objectName() for action in self._actions].index(name))

    def find(self, words: str) -> int:
        """Show the matching actions; return their number."""
        number = 0
        for row, action in enumerate(self._actions):
            shown = words in f"{_title(action)} {action.statusTip()} {_keys(action)}".casefold()
            self.table.setRowHidden(row, not shown)
            number += shown
        return number

    def _can_change(self, action: QAction) -> bool:
        # Text fields handle editing keys themselves; the menu only displays them.
        named = action.shortcutContext() != Qt.ShortcutContext.WidgetShortcut
        return named and self._defaults(action.objectName()) is not None

    @property
    def _selected(self) -> QAction | None:
        rows = self.table.selectionModel().selectedRows()
        return self._actions[rows[0].row()] if rows else None

    def _action_with_keys(self) -> QAction | None:
        """Return the other action that has the typed keys."""
        keys = self.keys.keySequence()
        others = (action for action in self._actions if action is not self._selected)
        return next((action for action in others if not keys.isEmpty() and keys in action.shortcuts()), None)

    def _show_all(self) -> None:
        changed = self._entries()
        for row, action in enumerate(self._actions):
            state = self.tr("changed") if action.objectName() in changed else ""
            for column, text in enumerate((_title(action), _keys(action), state)):
                item = QTableWidgetItem(text)
                item.setFlags(Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled)
                item.setToolTip("")
                self.table.setItem(row, column, item)
        self.table.resizeColumnToContents(_KEYS)
        self.table.resizeColumnToContents(_STATE)

    @Slot()
    def _on_selected(self) -> None:
        action = self._selected
        can_change = action is not None and self._can_change(action)
        self.keys.setEnabled(can_change)
        self.keys.setKeySequence(action.shortcut() if action is not None else QKeySequence())
        if action is None:
            self.label.setText(self.tr("Select an action to change its shortcut."))
        elif can_change:
            self.label.setText(self.tr("Shortcut for {action}").format(action=_title(action)))
        else:
            self.label.setText(self.tr("{action} has a fixed shortcut.").format(action=_title(action)))
        self._on_keys()

    @Slot()
    def _on_keys(self) -> None:
        action, taken = self._selected, self._action_with_keys()
        words = ""
        if action is not None and taken is not None:
            keys = self.keys.keySequence().toString(QKeySequence.SequenceFormat.NativeText)
            fixed = self.tr("{keys} is the fixed shortcut of “{action}”.")
            moved = self.tr("{keys} is the shortcut of “{action}”. Assigning it here removes it there.")
            words = (moved if self._can_change(taken) else fixed).format(keys=keys, action=_title(taken))
        self.conflict.setText(words)
        can_assign = action is not None and self._can_change(action) and (taken is None or self._can_change(taken))
        self.assign.setEnabled(can_assign and action is not None and self.keys.keySequence() != action.shortcut())
        self.reset.setEnabled(
            action is not None
            and self._can_change(action)
            and action.shortcuts() != self._defaults(action.objectName())
        )

    @Slot()
    def _on_assign(self) -> None:
        action, taken = self._selected, self._action_with_keys()
        assert action is not None
        entries = self._entries()
        if taken is not None:
            rest = [keys for keys in taken.shortcuts() if keys != self.keys.keySequence()]
            entries[taken.objectName()] = rest[0].toString() if rest else ""
        entries[action.objectName()] = self.keys.keySequence().toString()
        self._store(entries, action)

    @Slot()
    def _on_reset(self) -> None:
        """Restore an action's default keys, and remove them from actions that use them now."""
        action = self._selected
        assert action is not None
        defaults = self._defaults(action.objectName()) or []
        entries = self._entries()
        entries.pop(action.objectName(), None)
        for other in self._actions:
            if other is not action and any(keys in other.shortcuts() for keys in defaults):
                entries[other.objectName()] = ""
        self._store(entries, action)

    def _entries(self) -> dict[str, str]:
        """Return the changed shortcuts by the names of their actions."""
        parts = (entry.partition("=") for entry in self._settings.values.shortcuts)
        return {name: keys for name, _, keys in parts}

    def _store(self, entries: dict[str, str], action: QAction) -> None:
        for name, keys in tuple(entries.items()):
            if [QKeySequence(keys)] == self._defaults(name):
                del entries[name]
        self._settings.set("shortcuts", tuple(f"{name}={keys}" for name, keys in entries.items()))
        row = self._actions.index(action)
        self._show_all()
        self.table.selectRow(row)
        self._on_selected()
        self.assigned.emit(action.objectName())


def _title(action: QAction) -> str:
    """Return the name of an action, prefixed by its kind or submenu if it is in a submenu."""
    submenu = submenu_of(action)
    if submenu is None:
        return plain_text(action)
    return f"{action.property('kind') or plain_text(submenu.menuAction())}: {plain_text(action)}"


def _keys(action: QAction) -> str:
    return "   ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts())


def _tr(text: str) -> str:
    return QCoreApplication.translate("Settings", text)
