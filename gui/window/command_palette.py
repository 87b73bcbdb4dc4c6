"""Search of everything the window can do and show: commands, models, encodings, token IDs, recent files and text of the
prompt. A prefix restricts the search to one kind."""

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
    QRectF,
    QSize,
    Qt,
    Slot,
)
from PySide6.QtGui import QAction, QFont, QFontMetrics, QKeyEvent, QKeySequence, QPainter, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gui.costs.columns import Priced
from gui.costs.cost_table import dot_colour, draw_dot
from gui.look.fonts import set_weight
from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.state.settings import SettingsStore
from gui.widgets.delegates import SINGLE_LINE
from gui.widgets.forms import Popover
from gui.widgets.labels import PlainLabel
from gui.window.actions import plain_text, submenu_of
from gui.window.fuzzy import match, rank

MAX_RECENT = 8
COMMANDS, MODELS, TOKENS, FILES = ">@#/"
"""Prefixes that restrict the search to one kind. Encodings are listed with models."""
HITS = Qt.ItemDataRole.UserRole + 1
SHORTCUT = Qt.ItemDataRole.UserRole + 2
HEADING = Qt.ItemDataRole.UserRole + 3
"""Title of a group and note on omitted rows, for its first row."""
ROW, HEADING_ROOM, ICON, PADDING = 34, 26, 18, 10
MAX_OF_A_GROUP = 6
"""Maximum number of rows per group in an unrestricted search."""
Index = QModelIndex | QPersistentModelIndex


DOT_ROOM = 16
"""Width of the quality dot after a price, in pixels."""


class Entry(NamedTuple):
    """An item besides actions, such as a model. Listed if something is typed, or if it was used recently.

    ``kind`` is shown before its name, ``detail`` after it, the price and its quality at the end of its row. ``sign`` is
    the prefix of its kind. ``group`` is its heading, by default ``kind``.
    """

    kind: str
    name: str
    key: str
    detail: str
    choose: Callable[[], object]
    sign: str = MODELS
    icon: str = "cost"
    group: str = ""
    priced: Priced = Priced()


@dataclass(frozen=True, slots=True)
class Command:
    """An action or an entry, with the title that is listed and searched: its menu or kind, and its name."""

    title: str
    name: str
    key: str
    action: QAction | None = None
    entry: Entry | None = None

    @property
    def sign(self) -> str:
        """The prefix that restricts the search to this kind."""
        return self.entry.sign if self.entry is not None else COMMANDS

    @property
    def detail(self) -> str:
        """The text after the name of an entry."""
        return self.entry.detail if self.entry is not None else ""

    @property
    def keyword(self) -> str:
        """The keyword that ranks it first."""
        return (self.action.property("keyword") or "") if self.action is not None else ""


Row = tuple[Command, tuple[int, ...]]


class CommandModel(QAbstractListModel):
    """Commands that match the search, best first; without a search, recent ones, then all in menu order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._commands: list[Command] = []
        self._recent: dict[str, int] = {}
        self._headings: dict[int, tuple[str, str]] = {}
        self._shown: list[tuple[Command, tuple[int, ...]]] = []
        self._more: Callable[[str], Sequence[Entry]] = lambda _: ()

    def fill(
        self, commands: Sequence[Command], recent: Sequence[str], more: Callable[[str], Sequence[Entry]] | None = None
    ) -> None:
        """Set the current commands and the keys of recent ones, before a ``search``.

        ``more`` returns entries derived from the typed text; they are listed last.
        """
        self._more = more or (lambda _: ())
        order = {key: index for index, key in enumerate(recent)}
        self._commands = sorted(commands, key=lambda command: order.get(command.key, len(order)))
        self._recent = order

    def search(self, typed: str) -> None:
        """Show the matches."""
        self.beginResetModel()
        found = []
        whole, sign = typed, typed[:1] if typed[:1] in (COMMANDS, MODELS, TOKENS, FILES) else ""
        typed = typed.removeprefix(sign)
        for index, command in enumerate(self._commands):
            recent = command.key in self._recent
            if sign and sign != command.sign:
                continue
            if command.entry is not None and not recent and not typed.strip() and not sign:
                continue
            fit = match(typed, command.title)
            if fit is not None:
                order = (-rank(typed, command.name, command.keyword), -fit[0] - recent, index)
                found.append((order, command, fit[1]))
        if typed.strip():
            found.sort(key=lambda row: row[0])
        rows = [(command, hits) for _order, command, hits in found]
        made = (entry for entry in self._more(whole) if not sign or sign == entry.sign)
        rows += [(Command(f"{one.kind}: {one.name}", one.name, one.key, entry=one), ()) for one in made]
        self._take_groups(rows, bool(typed.strip()) and not sign, recent_apart=not whole)
        self.endResetModel()

    def _take_groups(self, rows: Sequence[Row], capped: bool, *, recent_apart: bool) -> None:
        """Group commands by kind, the kind with the best match first."""
        groups: dict[str, list[Row]] = {}
        for row in rows:
            apart = recent_apart and row[0].key in self._recent
            groups.setdefault(self.tr("Used last") if apart else self._group(row[0]), []).append(row)
        self._shown, self._headings = [], {}
        for title, members in groups.items():
            shown = members[:MAX_OF_A_GROUP] if capped else members
            rest = ""
            if len(shown) < len(members) and shown[0][0].sign:
                rest = self.tr("{n} of {all}; {sign} in front shows all")
                rest = rest.format(n=len(shown), all=len(members), sign=shown[0][0].sign)
            self._headings[len(self._shown)] = title, rest
            self._shown += shown

    def _group(self, command: Command) -> str:
        if command.entry is None:
            kind = command.action.property("kind") if command.action is not None else ""
            return self.tr("Pages") if kind else self.tr("Commands")
        return command.entry.group or command.entry.kind

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
        if role == HEADING:
            return self._headings.get(index.row())
        if role == SHORTCUT:
            price = command.entry.priced.price if command.entry is not None else ()
            return "".join(run.text for run in price) or _shortcut(command.action)
        if role == Qt.ItemDataRole.ToolTipRole:
            return (command.action.statusTip() or None) if command.action is not None else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            quality = command.entry.priced.spoken if command.entry is not None else ""
            parts = (command.title, command.detail, str(self.data(index, SHORTCUT)), quality)
            return ", ".join(part for part in parts if part)
        if role == Qt.ItemDataRole.CheckStateRole and command.action is not None and command.action.isCheckable():
            return Qt.CheckState.Checked if command.action.isChecked() else Qt.CheckState.Unchecked
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        action = self._shown[index.row()][0].action if index.isValid() else None
        if action is not None and not action.isEnabled():
            return Qt.ItemFlag.ItemIsSelectable
        return Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled

    def command(self, index: Index) -> Command:
        """Return the command of a row."""
        return self._shown[index.row()][0]


# --- the palette ------------------------------------------------------------------------------------------------------


class CommandPalette(Popover):
    """A search field and the matching commands. Arrows select, Enter runs, Esc closes.

    Each window keeps one, so that scripts and assistive tools find it before it is shown.
    """

    def __init__(self, settings: SettingsStore, theme: Theme, icons: Icons, parent: QWidget) -> None:
        super().__init__(theme, parent)
        self._settings = settings
        self.setObjectName("commandPalette")
        self.setWindowTitle(self.tr("Search or run"))
        self.setAccessibleName(self.tr("Search or run a command"))
        self._model = CommandModel(self)
        self.field = QLineEdit(self, objectName="commandField")
        self.field.setProperty("kind", "plain")
        self.field.addAction(icons.icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self.field.setPlaceholderText(self.tr("Search models, encodings, pages, commands, files and text"))
        self.field.setAccessibleName(self.tr("Search models, encodings, pages, commands, files and text"))
        self._number = PlainLabel(self, role="caption")
        self.list = QListView(self, objectName="commandList")
        self.list.setAccessibleName(self.tr("Matches"))
        self.list.setProperty("kind", "plain")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setModel(self._model)
        self.list.setItemDelegate(_CommandDelegate(theme, icons, self._model, self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._none = PlainLabel(self.tr("Nothing matches. Try fewer letters."), self, role="quiet")
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._none.hide()
        self._lay_out()
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._search)
        self.field.returnPressed.connect(self._run)
        self.list.clicked.connect(self._run)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(10, 10, 18, 6)
        top.setSpacing(12)
        top.addWidget(self.field, 1)
        top.addWidget(self._number)
        body = QVBoxLayout()
        body.setContentsMargins(8, 0, 8, 4)
        body.addWidget(self.list, 1)
        body.addWidget(self._none, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._line())
        column.addLayout(body, 1)
        column.addWidget(self._line())
        column.addLayout(self._foot())

    def _line(self) -> QFrame:
        line = QFrame(self)
        line.setProperty("kind", "line")
        return line

    def _foot(self) -> QHBoxLayout:
        """Return the help line on prefixes and keys."""
        foot = QHBoxLayout()
        foot.setContentsMargins(18, 9, 18, 9)
        foot.setSpacing(6)
        signs = ((COMMANDS, self.tr("commands")), (MODELS, self.tr("models")))
        signs += ((TOKENS, self.tr("token IDs")), (FILES, self.tr("recent files")))
        keys = (("↑ ↓", self.tr("choose")), (self.tr("Enter"), self.tr("open")))
        for index, (key, words) in enumerate((*signs, *keys)):
            if index == len(signs):
                foot.addStretch(1)
            elif index:
                foot.addSpacing(8)
            for text, role in ((key, "key"), (words, "caption")):
                foot.addWidget(PlainLabel(text, self, role=role))
        return foot

    def show_commands(
        self,
        actions: Sequence[QAction],
        entries: Sequence[Entry] = (),
        more: Callable[[str], Sequence[Entry]] | None = None,
        typed: str = "",
    ) -> None:
        """Open with these actions and entries. ``more``: as in ``CommandModel.fill``; ``typed``: text of the field."""
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
        self.show()
        self.raise_()
        self.activateWindow()
        self.field.setFocus()

    def _place(self, parent: QWidget) -> None:
        width = min(640, max(320, parent.width() - 60))
        self.resize(width, min(514, max(200, parent.height() - 120)))
        corner = parent.mapToGlobal(parent.rect().topLeft())
        self.move(corner.x() + (parent.width() - width) // 2, corner.y() + 60)

    @Slot(str)
    def _search(self, typed: str) -> None:
        self._model.search(typed)
        rows = self._model.rowCount()
        self._none.setVisible(rows == 0)
        self.list.setVisible(rows > 0)
        words = self.tr("1 result") if rows == 1 else self.tr("{n} results")
        self._number.setText(words.format(n=rows) if typed.strip() and rows else "")
        self.list.scrollToTop()
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
        if command.sign in (COMMANDS, MODELS):  # files have their own list, and typed text is never saved
            others = [key for key in self._settings.values.recent_commands if key != command.key]
            self._settings.set("recent_commands", tuple([command.key, *others][:MAX_RECENT]))
        # Close first: the action's window must not open behind the dialog, and the focus must be restored.
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
        index = rows.index(current) if current in rows else -1
        if abs(step) == 1:
            self._select(rows[(index + step) % len(rows)])
        else:
            self._select(rows[max(0, min(len(rows) - 1, index + step))])


def _shortcut(action: QAction | None) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText) if action is not None else ""


def _title(action: QAction) -> str:
    """Return the name prefixed by its kind or submenu, for context: ``Theme: Dark``."""
    submenu = submenu_of(action)
    kind = action.property("kind") or (plain_text(submenu.menuAction()) if submenu is not None else "")
    return f"{kind}: {plain_text(action)}" if kind else plain_text(action)


class _CommandDelegate(QStyledItemDelegate):
    """Delegate that draws matched letters in bold, the shortcut or price at the row's end, and headings of groups."""

    def __init__(self, theme: Theme, icons: Icons, model: CommandModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._icons, self._model = theme, icons, model

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, ROW + (HEADING_ROOM if self._model.data(index, HEADING) else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area, heading = QRect(option.rect), self._model.data(index, HEADING)
        if heading:
            self._draw_heading(painter, option, area, heading)
            area.setTop(area.top() + HEADING_ROOM)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("selection"))
            painter.drawRoundedRect(area, 6, 6)
        enabled = bool(self._model.flags(index) & Qt.ItemFlag.ItemIsEnabled)
        command = self._model.command(index)
        self._draw_icon(painter, area, command, self._model.data(index, Qt.ItemDataRole.CheckStateRole))
        # Reserve space for an icon in every row, so that names are aligned.
        area.adjust(PADDING + ICON + 12, 0, -PADDING - 4, 0)
        area.setRight(
            area.right() - self._draw_end(painter, option, area, command, str(self._model.data(index, SHORTCUT)))
        )
        self._draw_words(painter, option, area, command, tuple(self._model.data(index, HITS) or ()), enabled)
        painter.restore()

    def _draw_heading(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, heading: tuple[str, str]
    ) -> None:
        font = QFont(option.font)
        font.setPixelSize(11)
        line = QRect(area.left() + PADDING, area.top() + 4, area.width() - 2 * PADDING - 4, HEADING_ROOM - 4)
        painter.setPen(self._theme.colour("quiet"))
        painter.setFont(font)
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, heading[1])
        set_weight(font)
        painter.setFont(font)
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, heading[0])

    def _draw_icon(self, painter: QPainter, area: QRect, command: Command, checked: object) -> None:
        square = QRect(area.left() + PADDING, area.center().y() - ICON // 2 + 1, ICON, ICON)
        if command.entry is not None:
            self._icons.draw(painter, command.entry.icon, square, "quiet")
        elif checked == Qt.CheckState.Checked:
            self._icons.draw(painter, "check", square, "accent")
        elif command.action is not None and not command.action.icon().isNull():
            command.action.icon().paint(painter, square)

    def _draw_end(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, command: Command, shortcut: str
    ) -> int:
        """Draw the price or keys; return their width."""
        price, quality, *_rest = command.entry.priced if command.entry is not None else Priced()
        x = area.right()
        if quality:
            draw_dot(painter, QPointF(x - 4, area.center().y() + 1.5), quality, dot_colour(self._theme, quality))
        x -= DOT_ROOM if price else 0
        for run in reversed(price):
            font = QFont(option.font)
            set_weight(font, QFont.Weight.DemiBold if run.strong else QFont.Weight.Normal)
            width = QFontMetrics(font).horizontalAdvance(run.text)
            painter.setFont(font)
            painter.setPen(self._theme.colour("text" if run.strong else "quiet"))
            painter.drawText(QRect(x - width, area.top(), width + 2, area.height()), SINGLE_LINE, run.text)
            x -= width
        font = QFont(option.font)
        font.setPixelSize(11)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        for key in reversed(shortcut.split("+") if shortcut and not price and "++" not in shortcut else ()):
            width = metrics.horizontalAdvance(key) + 12
            cap = QRectF(x - width, area.center().y() - 9, width, 19)
            painter.setPen(self._theme.colour("line"))
            painter.setBrush(self._theme.colour("page"))
            painter.drawRoundedRect(cap, 4, 4)
            painter.setPen(self._theme.colour("quiet"))
            painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, key)
            x -= width + 4
        return area.right() - x + 12

    def _draw_words(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        area: QRect,
        command: Command,
        hits: tuple[int, ...],
        enabled: bool,
    ) -> None:
        """Draw the name, followed by the detail of an entry. The name of a command begins with its menu."""
        start = len(command.title) - len(command.name) if command.entry is not None else 0
        name, detail = command.title[start:], command.detail
        bold = [position - start for position in hits if position >= start]
        width = self._draw_name(painter, option, area, name, bold, enabled)
        space = area.width() - width - 10
        if detail and space > 40:
            font = QFont(option.font)
            font.setPixelSize(12)
            painter.setFont(font)
            painter.setPen(self._theme.colour("quiet"))
            cut = QFontMetrics(font).elidedText(detail, Qt.TextElideMode.ElideRight, space)
            painter.drawText(area.adjusted(width + 10, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, cut)

    def _draw_name(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        area: QRect,
        name: str,
        hits: list[int],
        enabled: bool,
    ) -> int:
        cut = option.fontMetrics.elidedText(name, Qt.TextElideMode.ElideRight, area.width())
        layout = QTextLayout(cut, option.font)
        wrap = QTextOption()
        wrap.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout.setTextOption(wrap)
        bold = QFont(option.font)
        set_weight(bold, QFont.Weight.Bold)
        formats = []
        for position in hits:
            if position < len(cut):
                part = QTextLayout.FormatRange()
                part.start, part.length = position, 1
                style = part.format
                style.setFont(bold)
                part.format = style
                formats.append(part)
        layout.setFormats(formats)
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        painter.setPen(self._theme.colour("text" if enabled else "disabled"))
        layout.draw(painter, QPointF(area.left(), area.top() + (area.height() - line.height()) / 2))
        return int(line.naturalTextWidth())
