"""Searches what the window can do and show by a few letters: commands, models, encodings, token IDs, recent files and
text of the prompt. A sign in front asks for one kind alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    Slot,
)
from PySide6.QtGui import QAction, QFont, QKeyEvent, QKeySequence, QPainter, QPalette, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLineEdit,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gui.look.plain_label import PlainLabel
from gui.settings import SettingsStore
from gui.window.actions import plain_text
from gui.window.fuzzy import match, rank

MOST_RECENT = 8
COMMANDS, MODELS, TOKENS, FILES = ">@#/"
"""What asks for one kind alone, in front of what is typed. Encodings belong to the models."""
HITS = Qt.ItemDataRole.UserRole + 1
SHORTCUT = Qt.ItemDataRole.UserRole + 2
Index = QModelIndex | QPersistentModelIndex


class Entry(NamedTuple):
    """What can be chosen beside the actions, such as a model. Listed where something was typed, or it was used last.

    ``kind`` stands before its name; ``note`` at the end of its row. ``sign`` asks for its kind alone.
    """

    kind: str
    name: str
    key: str
    note: str
    choose: Callable[[], object]
    sign: str = MODELS


@dataclass(frozen=True, slots=True)
class Command:
    """An action or an entry, by the name of its menu or kind and its own, as it is listed and searched."""

    title: str
    name: str
    key: str
    action: QAction | None = None
    entry: Entry | None = None

    @property
    def sign(self) -> str:
        """What asks for commands of this kind alone."""
        return self.entry.sign if self.entry is not None else COMMANDS

    @property
    def keyword(self) -> str:
        """What finds it before all others."""
        return (self.action.property("keyword") or "") if self.action is not None else ""


class CommandModel(QAbstractListModel):
    """The commands that fit what was typed, best first; without a word, those used last, then all in menu order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._commands: list[Command] = []
        self._recent: dict[str, int] = {}
        self._shown: list[tuple[Command, tuple[int, ...]]] = []
        self._more: Callable[[str], Sequence[Entry]] = lambda _: ()

    def fill(
        self, commands: Sequence[Command], recent: Sequence[str], more: Callable[[str], Sequence[Entry]] | None = None
    ) -> None:
        """Take the commands there are now, and the keys of those used last; ``search`` follows.

        ``more`` returns what is made of the text typed; it is listed last.
        """
        self._more = more or (lambda _: ())
        order = {key: place for place, key in enumerate(recent)}
        self._commands = sorted(commands, key=lambda command: order.get(command.key, len(order)))
        self._recent = order

    def search(self, typed: str) -> None:
        """Show what fits."""
        self.beginResetModel()
        found = []
        whole, sign = typed, typed[:1] if typed[:1] in (COMMANDS, MODELS, TOKENS, FILES) else ""
        typed = typed.removeprefix(sign)
        for place, command in enumerate(self._commands):
            recent = command.key in self._recent
            if sign and sign != command.sign:
                continue
            if command.entry is not None and not recent and not typed.strip() and not sign:
                continue
            fit = match(typed, command.title)
            if fit is not None:
                order = (-rank(typed, command.name, command.keyword), -fit[0] - recent, place)
                found.append((order, command, fit[1]))
        if typed.strip():
            found.sort(key=lambda row: row[0])
        self._shown = [(command, hits) for _order, command, hits in found]
        made = (entry for entry in self._more(whole) if not sign or sign == entry.sign)
        self._shown += [(Command(f"{one.kind}: {one.name}", one.name, one.key, entry=one), ()) for one in made]
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        command, hits = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return command.title
        if role == HITS:
            return hits
        if role == SHORTCUT:
            return command.entry.note if command.entry is not None else _shortcut(command.action)
        if role == Qt.ItemDataRole.ToolTipRole:
            return (command.action.statusTip() or None) if command.action is not None else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            shortcut = self.data(index, SHORTCUT)
            return f"{command.title}, {shortcut}" if shortcut else command.title
        if role == Qt.ItemDataRole.CheckStateRole and command.action is not None and command.action.isCheckable():
            return Qt.CheckState.Checked if command.action.isChecked() else Qt.CheckState.Unchecked
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        action = self._shown[index.row()][0].action if index.isValid() else None
        if action is not None and not action.isEnabled():
            return Qt.ItemFlag.ItemIsSelectable
        return Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled

    def command(self, index: Index) -> Command:
        """The command of a row."""
        return self._shown[index.row()][0]


class CommandPalette(QDialog):
    """A field to type in, and the commands that fit. Arrows choose, Enter runs, Esc closes.

    A window has one and keeps it: scripts and assistive tools find it before it is shown.
    """

    def __init__(self, settings: SettingsStore, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setObjectName("commandPalette")
        self.setWindowTitle(self.tr("Search or run"))
        self.setAccessibleName(self.tr("Search or run a command"))
        self.setModal(True)
        self._model = CommandModel(self)
        self.field = QLineEdit(self)
        self.field.setObjectName("commandField")
        self.field.setPlaceholderText(self.tr("Search models, encodings, pages, commands, files and text"))
        self.field.setAccessibleName(self.tr("Search models, encodings, pages, commands, files and text"))
        self.list = QListView(self)
        self.list.setObjectName("commandList")
        self.list.setAccessibleName(self.tr("Matches"))
        self.list.setModel(self._model)
        self.list.setItemDelegate(_CommandDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._none = PlainLabel(self.tr("Nothing matches. Try fewer letters."), self)
        self._none.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.field)
        column.addWidget(self.list, 1)
        column.addWidget(self._none)
        hint = PlainLabel(self.tr(">  commands     @  models     #  token IDs     /  recent files"), self)
        hint.setProperty("role", "caption")
        column.addWidget(hint)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._search)
        self.field.returnPressed.connect(self._run)
        self.list.clicked.connect(self._run)

    def show_commands(
        self,
        actions: Sequence[QAction],
        entries: Sequence[Entry] = (),
        more: Callable[[str], Sequence[Entry]] | None = None,
        typed: str = "",
    ) -> None:
        """Open on these actions, and what else can be chosen. ``more``: as in ``CommandModel.fill``; ``typed``: what
        the field begins with."""
        commands = [
            Command(_title(action), plain_text(action), action.objectName() or plain_text(action), action)
            for action in actions
        ]
        commands = [command for command in commands if command.key not in ("command_palette", "search")]
        commands += [Command(f"{one.kind}: {one.name}", one.name, one.key, entry=one) for one in entries]
        self._model.fill(commands, self._settings.values.recent_commands, more)
        self.field.setText(typed)
        self._search(typed)
        self._place(self.parentWidget())
        self.open()
        self.field.setFocus()

    def _place(self, parent: QWidget) -> None:
        width = min(640, max(320, parent.width() - 60))
        self.resize(width, min(420, max(200, parent.height() - 120)))
        corner = parent.mapToGlobal(parent.rect().topLeft())
        self.move(corner.x() + (parent.width() - width) // 2, corner.y() + 60)

    @Slot(str)
    def _search(self, typed: str) -> None:
        self._model.search(typed)
        rows = self._model.rowCount()
        self._none.setVisible(rows == 0)
        self._select(next((row for row in range(rows) if self._enabled(row)), -1))

    def _enabled(self, row: int) -> bool:
        return bool(self._model.flags(self._model.index(row)) & Qt.ItemFlag.ItemIsEnabled)

    def _select(self, row: int) -> None:
        if row >= 0:
            self.list.setCurrentIndex(self._model.index(row))

    @Slot()
    def _run(self) -> None:
        index = self.list.currentIndex()
        if not index.isValid() or not self._enabled(index.row()):
            return
        command = self._model.command(index)
        if command.sign in (COMMANDS, MODELS):  # files have a list of their own, and what was typed is kept nowhere
            others = [key for key in self._settings.values.recent_commands if key != command.key]
            self._settings.set("recent_commands", tuple([command.key, *others][:MOST_RECENT]))
        # The dialog goes first: what the action shows must not open behind it, and the focus must be back.
        self.accept()
        if command.entry is not None:
            command.entry.choose()
        elif command.action is not None:
            command.action.trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {
                Qt.Key.Key_Down: 1,
                Qt.Key.Key_Up: -1,
                Qt.Key.Key_PageDown: 10,
                Qt.Key.Key_PageUp: -10,
            }.get(Qt.Key(event.key()))
            if step is not None:
                self._move(step)
                return True
        return super().eventFilter(watched, event)

    def _move(self, step: int) -> None:
        rows = [row for row in range(self._model.rowCount()) if self._enabled(row)]
        if not rows:
            return
        current = self.list.currentIndex().row()
        place = rows.index(current) if current in rows else -1
        if abs(step) == 1:
            self._select(rows[(place + step) % len(rows)])
        else:
            self._select(rows[max(0, min(len(rows) - 1, place + step))])


def _shortcut(action: QAction | None) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText) if action is not None else ""


def _title(action: QAction) -> str:
    """The name behind its kind or that of its submenu, which often says what it is about: ``Theme: Dark``."""
    kind = action.property("kind")
    if kind:
        return f"{kind}: {plain_text(action)}"
    for owner in action.associatedObjects():
        if isinstance(owner, QMenu) and isinstance(owner.parentWidget(), QMenu):
            return f"{plain_text(owner.menuAction())}: {plain_text(action)}"
    return plain_text(action)


class _CommandDelegate(QStyledItemDelegate):
    """Draws the letters that were typed in bold, and the shortcut at the end of the row."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width(), option.fontMetrics.height() + 10)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        style = option.widget.style() if option.widget else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        enabled = bool(option.state & QStyle.StateFlag.State_Enabled)
        group = QPalette.ColorGroup.Active if enabled else QPalette.ColorGroup.Disabled
        strong = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        faint = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.PlaceholderText
        # Room for a check mark in every row, so that the names stand below each other.
        area = QRect(option.rect).adjusted(28, 0, -8, 0)
        painter.save()
        painter.setPen(option.palette.color(group, faint))
        shortcut = index.data(SHORTCUT) or ""
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, shortcut)
        painter.setPen(option.palette.color(group, strong))
        area.setRight(area.right() - option.fontMetrics.horizontalAdvance(shortcut) - 12)
        self._draw_title(painter, option, area, text, index.data(HITS) or ())
        painter.restore()

    def _draw_title(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, text: str, hits: tuple[int, ...]
    ) -> None:
        cut = option.fontMetrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        layout = QTextLayout(cut, option.font)
        wrap = QTextOption()
        wrap.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout.setTextOption(wrap)
        formats = []
        for place in hits:
            if place < len(cut):
                bold = QTextLayout.FormatRange()
                bold.start, bold.length = place, 1
                style = bold.format
                style.setFontWeight(QFont.Weight.Bold)
                style.setFontUnderline(True)
                bold.format = style
                formats.append(bold)
        layout.setFormats(formats)
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        layout.draw(painter, QPointF(area.left(), area.top() + (area.height() - line.height()) / 2))
