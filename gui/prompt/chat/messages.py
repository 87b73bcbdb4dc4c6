"""Editable list of the messages of a request: each is a row, and the current row shows its editor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QKeySequence, QPainter, QShortcut, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from engine.requests.types import Grade, Message
from gui.core.figures import QUALITIES
from gui.costs.cells import DOT_ROOM, dot_colour, draw_dot
from gui.look.fonts import fixed_font, strong
from gui.look.icons import Icons
from gui.look.quantities import figure
from gui.look.theme import Theme
from gui.prompt.chat.labels import message_count
from gui.prompt.chat.message_form import EDGE, MessageEditor
from gui.widgets.table_model import RIGHT, everything_visible
from gui.widgets.tables import StretchedTable, set_up_rows

ROLE, NAME, CONTENT, TOKENS = range(4)
MAX_CHARACTERS = 300
"""Maximum number of characters of a content shown in a row."""
LINES = 2
"""Maximum number of lines of a content shown in a row."""
MAX_FITTED = 500
"""Maximum number of rows whose heights follow their texts; in a longer list, all have room for ``LINES``."""
CHIP_HEIGHT = 18
MIN_WIDTH, MIN_EDITOR = 330, 150

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class MessagesModel(QAbstractTableModel):
    """Role, name, content and tokens of each message. Emits Qt's own signals for every change."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._messages: list[Message] = []
        self._locale = QLocale()
        self._tokens: tuple[int, ...] = ()
        self._grades: tuple[Grade, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, in order."""
        return tuple(self._messages)

    def set_messages(self, messages: tuple[Message, ...]) -> None:
        """Replace all messages."""
        self.beginResetModel()
        self._messages, self._tokens = list(messages), ()
        self.endResetModel()

    def set_tokens(self, tokens: tuple[int, ...], grades: tuple[Grade, ...]) -> None:
        """Show the tokens of each message, and the quality of these counts."""
        self._tokens, self._grades = tokens, grades
        if self._messages:
            self.dataChanged.emit(
                self.index(0, TOKENS), self.index(len(self._messages) - 1, TOKENS), [Qt.ItemDataRole.DisplayRole]
            )

    def message(self, row: int) -> Message:
        """Return the message of a row."""
        return self._messages[row]

    def change(self, row: int, message: Message) -> None:
        """Replace the message of a row."""
        if self._messages[row] != message:
            self._messages[row] = message
            self.dataChanged.emit(self.index(row, 0), self.index(row, TOKENS), [Qt.ItemDataRole.EditRole])

    def insert(self, row: int, message: Message) -> None:
        """Insert a message before ``row``."""
        self.beginInsertRows(_NO_INDEX, row, row)
        self._messages.insert(row, message)
        self._tokens = ()
        self.endInsertRows()

    def remove(self, row: int) -> None:
        """Remove the message of a row."""
        self.beginRemoveRows(_NO_INDEX, row, row)
        del self._messages[row]
        self._tokens = ()
        self.endRemoveRows()

    def move(self, row: int, to: int) -> None:
        """Move a message to row ``to`` of the resulting list."""
        self.beginMoveRows(_NO_INDEX, row, row, _NO_INDEX, to + 1 if to > row else to)
        self._messages.insert(to, self._messages.pop(row))
        self._tokens = ()
        self.endMoveRows()

    # Qt's interface

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._messages)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else TOKENS + 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() and index.column() != TOKENS else flags

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            titles = (self.tr("Role"), self.tr("Name"), self.tr("Content"), self.tr("Tokens"))
            return titles[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return (Qt.AlignmentFlag.AlignRight if section == TOKENS else Qt.AlignmentFlag.AlignLeft) | (
                Qt.AlignmentFlag.AlignVCenter
            )
        return None

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        message = self._messages[index.row()]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == TOKENS:
            return RIGHT
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == CONTENT:
            return self._spoken(index.row())
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == CONTENT:
            return self.count_words(index.row())
        if role == Qt.ItemDataRole.EditRole:
            return (message.role, message.name, message.content, self._shown_tokens(index.row()))[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (message.role, message.name, _shown(message), self._shown_tokens(index.row()))[index.column()]
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or index.column() == TOKENS:
            return False
        field = ("role", "name", "content")[index.column()]
        self.change(index.row(), replace(self._messages[index.row()], **{field: str(value)}))
        return True

    def _spoken(self, row: int) -> str:
        """Return a screen reader's text for a message: its row has one cell."""
        message, words = self._messages[row], self.count_words(row)
        speaker = f"{message.role}, {message.name}" if message.name else message.role
        count = f", {words}" if words else ""
        return f"{speaker}{count}: {_shown(message)}"

    def tokens(self, row: int) -> str:
        """Return the token count of a message as text; "" while it is not counted."""
        return self._shown_tokens(row)

    def quality(self, row: int) -> str:
        """Return the quality of the count of a message, which its dot shows; empty while it is not counted."""
        return QUALITIES[self._grades[row]] if row < len(self._tokens) else ""

    def count_words(self, row: int) -> str:
        """Return what a message counts, in words; empty while it is not counted."""
        return message_count(self._tokens[row], self._grades[row], self._locale) if row < len(self._tokens) else ""

    def _shown_tokens(self, row: int) -> str:
        return figure(self._locale, self._tokens[row]) if row < len(self._tokens) else ""


def _shown(message: Message) -> str:
    """Return the content on one line, followed by the message's tool calls and images."""
    parts = [" ".join(message.content[:MAX_CHARACTERS].split())]
    parts += [f"→ {call.name}({call.arguments[:80]})" for call in message.tool_calls]
    if message.images:
        number = len(message.images)
        words = "1 image" if number == 1 else "{n} images"
        parts.append(f"[{QCoreApplication.translate('Request', words).format(n=number)}]")
    return " ".join(filter(None, parts))


class MessageRows(QStyledItemDelegate):
    """Delegate that paints a message: role as a chip, name, tokens at the right, the start of its content below."""

    def __init__(self, model: MessagesModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self._theme = model, theme
        self._font = fixed_font()

    def row_height(self, row: int, width: int) -> int:
        """Return the height of a row in a list of this width."""
        room = max(1, width - 2 * EDGE)
        words = _shown(self._model.message(row))
        one = QFontMetrics(self._font).horizontalAdvance(words) <= room
        return self._height((1 if one else LINES) if words else 0)

    def _height(self, lines: int) -> int:
        return 8 + CHIP_HEIGHT + (4 + lines * self._line_height if lines else 0) + 9

    @property
    def _line_height(self) -> int:
        return QFontMetrics(self._font).height() + 1

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, self._height(LINES))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        colour, area, row = self._theme.colour, option.rect, index.row()
        message = self._model.message(row)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRectF(area.left() + EDGE, area.bottom(), area.width() - 2 * EDGE, 1), colour("line"))
        chip = self._paint_chip(painter, option, message.role)
        counted = option.font
        painter.setFont(strong(counted))
        painter.setPen(colour("text"))
        line = QRect(chip.right() + 8, chip.top(), area.right() - EDGE - chip.right() - 8, CHIP_HEIGHT)
        tokens, quality = self._model.tokens(row), self._model.quality(row)
        if quality:
            centre = QPointF(line.right() - DOT_ROOM / 2 + 4, line.center().y() + 1)
            draw_dot(painter, centre, quality, dot_colour(self._theme, quality))
            line.setRight(line.right() - int(DOT_ROOM))
            painter.setPen(colour("text"))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, tokens)
        painter.setFont(option.font)
        painter.setPen(colour("quiet"))
        line.setRight(line.right() - QFontMetrics(strong(counted)).horizontalAdvance(tokens) - 8)
        name = option.fontMetrics.elidedText(_speaker(message), Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        self._paint_content(painter, area, index)
        painter.restore()

    def _paint_chip(self, painter: QPainter, option: QStyleOptionViewItem, role: str) -> QRect:
        font = QFont(strong(option.font))
        width = QFontMetrics(font).horizontalAdvance(role) + 16
        chip = QRect(
            option.rect.left() + EDGE, option.rect.top() + 8, min(width, option.rect.width() // 2), CHIP_HEIGHT
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("accent_soft"))
        painter.drawRoundedRect(chip, CHIP_HEIGHT / 2, CHIP_HEIGHT / 2)
        painter.setFont(font)
        painter.setPen(self._theme.colour("accent"))
        words = QFontMetrics(font).elidedText(role, Qt.TextElideMode.ElideRight, chip.width() - 12)
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, words)
        return chip

    def _paint_content(self, painter: QPainter, area: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        """Paint the first lines of the content; the last of them is elided."""
        metrics, room = QFontMetrics(self._font), area.width() - 2 * EDGE
        words = str(index.data())
        layout = QTextLayout(words, self._font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        first = layout.createLine()
        if first.isValid():
            first.setLineWidth(room)
        layout.endLayout()
        painter.setPen(self._theme.colour("text"))
        top = area.top() + 8 + CHIP_HEIGHT + 4
        if not first.isValid():
            return
        layout.draw(painter, QPointF(area.left() + EDGE, top))
        rest = words[first.textLength() :]
        if rest.strip():
            line = QRect(area.left() + EDGE, top + self._line_height, room, self._line_height)
            elided = metrics.elidedText(rest, Qt.TextElideMode.ElideRight, room)
            painter.setFont(self._font)
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, elided)


def _speaker(message: Message) -> str:
    if message.name:
        return message.name
    return QCoreApplication.translate("Request", "calls a tool") if message.tool_calls else ""


class _Rows(StretchedTable):
    """Table of the messages. Signals: ``edit_asked()``: Enter or F2 was pressed on a row; ``scrolled()``."""

    edit_asked = Signal()
    scrolled = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.edit_asked.emit()
        else:
            super().keyPressEvent(event)

    def scrollContentsBy(self, x: int, y: int) -> None:
        super().scrollContentsBy(x, y)
        self.scrolled.emit()


class MessageList(QWidget):
    """List of messages whose current row is covered by ``editor``, which grows with its text.

    Signals: ``current_changed(int)``: another row, -1 for none.
    """

    current_changed = Signal(int)

    def __init__(
        self, model: MessagesModel, editor: MessageEditor, theme: Theme, icons: Icons, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self.editor = model, editor
        self.table = _Rows(objectName="requestMessages")
        self.table.setAccessibleName(self.tr("Messages of the request; Enter edits one"))
        self.table.setModel(model)
        self._rows = MessageRows(model, theme, self.table)
        self._set_up_table()
        self.add = QPushButton(self.tr("&Add message"), objectName="requestAdd")
        self.add.setToolTip(self.tr("Add a message after this one (Insert)"))
        self.add.setProperty("kind", "primary")
        self.add.setAutoDefault(False)
        self.remove, self.up, self.down = editor.remove, editor.up, editor.down
        editor.set_icons(icons, theme)
        editor.setParent(self.table.viewport())
        self._place()
        for button, key, act in (
            (self.add, "Ins", self.add_message),
            (self.remove, "Del", self.remove_message),
            (self.up, "Alt+Up", self.move_up),
            (self.down, "Alt+Down", self.move_down),
        ):
            button.clicked.connect(act)
            shortcut = QShortcut(QKeySequence(key), self.table)
            moves = button in (self.up, self.down)
            context = Qt.ShortcutContext
            shortcut.setContext(context.WidgetWithChildrenShortcut if moves else context.WidgetShortcut)
            shortcut.activated.connect(act)
        self.table.edit_asked.connect(self.edit)
        self.table.clicked.connect(self.edit)
        self.table.scrolled.connect(self._place_editor)
        self.table.resized.connect(self._fit_rows)
        editor.height_changed.connect(self._fit_current)
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        model.modelReset.connect(self._on_reset)
        for signal in (model.rowsMoved, model.rowsRemoved, model.rowsInserted):
            signal.connect(self._on_rows)
        model.dataChanged.connect(self._on_data)
        self._show_buttons()

    @property
    def current_row(self) -> int:
        """Index of the row being edited, -1 for none."""
        return self.table.currentIndex().row()

    def show_row(self, row: int) -> None:
        """Make this the current row."""
        self.table.setCurrentIndex(self._model.index(row, CONTENT))

    @Slot()
    def edit(self) -> None:
        """Move the caret to the content of the current message."""
        if self.current_row >= 0:
            self.editor.content.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def add_message(self) -> None:
        """Add a message after the current one; its role continues the conversation."""
        row = self.current_row
        before = self._model.message(row).role if row >= 0 else ""
        role = "assistant" if before == "user" else "user"
        self._model.insert(row + 1, Message(role))
        self.show_row(row + 1)

    @Slot()
    def remove_message(self) -> None:
        """Remove the current message."""
        row = self.current_row
        if row >= 0:
            self._model.remove(row)
            self.current_changed.emit(self.current_row)

    @Slot()
    def move_up(self) -> None:
        """Swap the current message with the one before it."""
        self._move(-1)

    @Slot()
    def move_down(self) -> None:
        """Swap the current message with the one after it."""
        self._move(1)

    def _move(self, by: int) -> None:
        row = self.current_row
        if row >= 0 and 0 <= row + by < self._model.rowCount():
            self._model.move(row, row + by)

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, _current: QModelIndex, _before: QModelIndex) -> None:
        self._show_buttons()
        self.current_changed.emit(self.current_row)
        self._fit_rows()

    @Slot()
    def _on_reset(self) -> None:
        if self._model.rowCount():
            self.show_row(0)
        else:
            self.current_changed.emit(-1)
        self._on_rows()

    @Slot()
    def _on_rows(self) -> None:
        self._show_buttons()
        self._fit_rows()

    @Slot(QModelIndex, QModelIndex)
    def _on_data(self, first: QModelIndex, last: QModelIndex) -> None:
        self._show_tokens()
        if first.row() == last.row() != self.current_row:
            self._fit_rows()

    @Slot()
    def _show_buttons(self) -> None:
        row, rows = self.current_row, self._model.rowCount()
        self.remove.setEnabled(row >= 0)
        self.up.setEnabled(row > 0)
        self.down.setEnabled(0 <= row < rows - 1)
        self._show_tokens()

    def _show_tokens(self) -> None:
        row = self.current_row
        tokens, quality, words = (
            (self._model.tokens(row), self._model.quality(row), self._model.count_words(row))
            if row >= 0
            else ("", "", "")
        )
        self.editor.show_count(tokens, quality, words)

    # --- heights ------------------------------------------------------------------------------------------------------

    @Slot()
    def _fit_rows(self) -> None:
        """Set the height of each row to its content, and that of the current row to its editor."""
        table, current = self.table, self.current_row
        width = table.viewport().width()
        if self._model.rowCount() <= MAX_FITTED:
            for row in range(self._model.rowCount()):
                if row != current:
                    table.setRowHeight(row, self._rows.row_height(row, width))
        elif self._fitted >= 0 and self._fitted != current and self._fitted < self._model.rowCount():
            table.setRowHeight(self._fitted, table.verticalHeader().defaultSectionSize())
        self._fit_current()

    @Slot()
    def _fit_current(self) -> None:
        current = self._fitted = self.current_row
        if current >= 0:
            least = max(MIN_EDITOR, self.table.viewport().height() - 2 * CHIP_HEIGHT)
            self.table.setRowHeight(current, min(self.editor.sizeHint().height(), least))
            self.table.scrollTo(self._model.index(current, CONTENT))
        self._place_editor()

    @Slot()
    def _place_editor(self) -> None:
        """Move the editor over its row."""
        row, table = self.current_row, self.table
        if row < 0:
            self.editor.hide()
            return
        top = table.rowViewportPosition(row)
        self.editor.setGeometry(0, top, table.viewport().width(), table.rowHeight(row))
        self.editor.show()

    def _set_up_table(self) -> None:
        table = self.table
        set_up_rows(table)
        table.setProperty("kind", "flat")
        table.setAlternatingRowColors(False)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setItemDelegate(self._rows)
        header = table.horizontalHeader()
        header.hide()
        for column in (ROLE, NAME, TOKENS):
            table.setColumnHidden(column, True)
        header.setSectionResizeMode(CONTENT, QHeaderView.ResizeMode.Stretch)
        table.verticalHeader().setMinimumSectionSize(CHIP_HEIGHT)
        table.verticalHeader().setDefaultSectionSize(self._rows.sizeHint(QStyleOptionViewItem(), _NO_INDEX).height())
        table.setMinimumSize(MIN_WIDTH, MIN_EDITOR)
        self._fitted = -1

    def _place(self) -> None:
        self.foot = QHBoxLayout()
        self.foot.setContentsMargins(EDGE, 6, EDGE, 10)
        self.foot.setSpacing(8)
        self.foot.addWidget(self.add)
        self.foot.addStretch(1)
        body = QVBoxLayout(self)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(0)
        body.addWidget(self.table, 1)
        body.addLayout(self.foot)
