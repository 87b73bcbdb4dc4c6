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
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QShortcut,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QListWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from engine.requests.types import Grade, Image, Message
from gui.core.figures import QUALITIES
from gui.core.token_text import visible_line
from gui.costs.cost_table import DOT_ROOM, Dot, dot_colour, draw_dot
from gui.editor.soft_text_edit import SoftTextEdit
from gui.look.fonts import fixed_font, strong
from gui.look.icons import Icons
from gui.look.quantities import figure
from gui.look.style_sheet import plain_corner
from gui.look.theme import Theme
from gui.prompt.chat.result import message_count
from gui.widgets.forms import SpinBox, button_of_kind, column_of, row_of
from gui.widgets.labels import PlainLabel
from gui.widgets.table_model import everything_visible
from gui.widgets.tables import StretchedTable, set_up_rows

ROLES = ("system", "developer", "user", "assistant", "tool")
DETAILS = ("auto", "low", "high")
SETTLE_MS = 150
"""Pause in typing after which changes are emitted, in milliseconds: the content may have megabytes."""
LARGEST_SIDE = 100_000
LIST_LINES = 3
LIST_PADDING = 2
MIN_LINES, MAX_LINES = 2, 10
"""Number of lines of the content visible at once."""
BAR_WIDTH = 3
EDGE = 16
ROLE_PADDING, NAME_PADDING = 40, 20
"""Width of the two fields besides their text, in pixels: frame, padding and arrow."""
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


class MessageEditor(QWidget):
    """Editor of a message, laid over its row in the list. The list uses ``up``, ``down``, ``remove`` and ``tokens``.

    Signals: ``changed(Message)`` soon after an edit by the user; ``image_file_asked()``; ``height_changed()``.
    """

    changed = Signal(object)
    height_changed = Signal()
    image_file_asked = Signal()

    def __init__(self, theme: Theme, icons: Icons) -> None:
        super().__init__(objectName="messageEditor")
        self._message = Message("user")
        self._theme = theme
        self._is_showing = self._content_edited = False
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self.take_over)
        self._make(icons)
        self._lay_out()
        self.show_count("", "", "")
        theme.changed.connect(self.update)
        self.role.currentTextChanged.connect(self._on_edit)
        self.speaker.textChanged.connect(self._on_edit)
        self.content.edited.connect(self._on_content)
        self.content.text_replaced.connect(self._on_content)
        self.content.document().documentLayout().documentSizeChanged.connect(self._fit_content)
        self.images.currentRowChanged.connect(self._on_image)
        self.width_box.valueChanged.connect(self._on_image_edit)
        self.height_box.valueChanged.connect(self._on_image_edit)
        self.detail.currentTextChanged.connect(self._on_image_edit)
        self.add_image.clicked.connect(self._add_image)
        self.open_image.clicked.connect(self.image_file_asked)
        self.remove_image.clicked.connect(self._remove_image)

    def show_message(self, message: Message | None) -> None:
        """Edit this message; None disables the editor."""
        self._settle.stop()
        self.setEnabled(message is not None)
        shown = message or Message("user")
        if shown == self._message:
            return
        before, self._message = self._message, shown
        blockers = [QSignalBlocker(one) for one in (self.role, self.speaker)]
        self.role.setCurrentText(shown.role)
        self.speaker.setText(shown.name)
        del blockers
        if shown.content != before.content:
            self._is_showing = True
            self.content.load_text(shown.content)
            self._is_showing = False
        self._content_edited = False
        self._list_images()

    def show_count(self, tokens: str, quality: str, words: str) -> None:
        """Show what the message counts, with the dot of its quality; ``words`` say both."""
        self.tokens.setText(tokens)
        self.dot.set_quality(quality)
        self.dot.setVisible(bool(quality))
        for widget in (self.tokens, self.dot):
            widget.setToolTip(words)
        self.dot.setAccessibleName(words)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self._theme.colour("accent_soft"))
            painter.fillRect(0, 0, BAR_WIDTH, self.height(), self._theme.colour("accent"))
            painter.fillRect(0, self.height() - 1, self.width(), 1, self._theme.colour("line"))

    @Slot()
    def _fit_content(self) -> None:
        """Fit the height of the content to its lines, within limits."""
        lines = int(self.content.document().documentLayout().documentSize().height())
        shown = min(max(lines, MIN_LINES), MAX_LINES)
        height = (
            shown * self.content.fontMetrics().lineSpacing() + 2 * int(self.content.document().documentMargin()) + 4
        )
        if height != self.content.maximumHeight():
            self.content.setMaximumHeight(height)
            self.height_changed.emit()

    def add(self, image: Image) -> None:
        """Add an image to the message."""
        self._settle.stop()
        self._emit_changed(replace(self._read(), images=(*self._message.images, image)))
        self._list_images(len(self._message.images) - 1)

    @Slot()
    def take_over(self) -> None:
        """Emit pending edits now."""
        if self._settle.isActive():
            self._settle.stop()
            self._emit_changed(self._read())

    def _read(self) -> Message:
        return replace(
            self._message,
            role=self.role.currentText().strip(),
            name=self.speaker.text(),
            # Unedited content keeps its line ends, which the editor would change.
            content=self.content.toPlainText() if self._content_edited else self._message.content,
        )

    def _emit_changed(self, message: Message) -> None:
        if message != self._message:
            self._message = message
            self.changed.emit(message)

    @Slot()
    def _on_edit(self) -> None:
        self._settle.start()

    @Slot(int, object)
    def _on_content(self, _revision: int, _what: object) -> None:
        if not self._is_showing:
            self._content_edited = True
            self._settle.start()

    # --- images -------------------------------------------------------------------------------------------------------

    def _list_images(self, current: int = 0) -> None:
        blocker = QSignalBlocker(self.images)
        self.images.clear()
        for image in self._message.images:
            self.images.addItem(self._words(image))
        self.images.setCurrentRow(min(current, self.images.count() - 1))
        del blocker
        self._on_image()

    def _words(self, image: Image) -> str:
        size = f"{image.width:,} × {image.height:,}" if image.width and image.height else self.tr("size unknown")
        return f"{size}, {image.detail}" + (f", {visible_line(image.name)}" if image.name else "")

    @Slot()
    def _on_image(self) -> None:
        """Show the size and detail of the current image."""
        row = self.images.currentRow()
        exists = 0 <= row < len(self._message.images)
        image = self._message.images[row] if exists else Image(0, 0)
        blockers = [QSignalBlocker(one) for one in (self.width_box, self.height_box, self.detail)]
        self.width_box.setValue(image.width)
        self.height_box.setValue(image.height)
        self.detail.setCurrentText(image.detail)
        del blockers
        for control in (self.width_box, self.height_box, self.detail, self.remove_image):
            control.setEnabled(exists)
        lines = min(len(self._message.images), LIST_LINES)
        self.images.setFixedHeight(self.fontMetrics().lineSpacing() * lines + 2 * LIST_PADDING)
        for widget in (self.images, self.size_row, self.remove_image):
            widget.setVisible(bool(self._message.images))
        self.height_changed.emit()

    @Slot()
    def _on_image_edit(self) -> None:
        row = self.images.currentRow()
        images = list(self._message.images)
        images[row] = replace(
            images[row],
            width=self.width_box.value(),
            height=self.height_box.value(),
            detail=self.detail.currentText().strip() or "auto",
        )
        self.images.item(row).setText(self._words(images[row]))
        self._emit_changed(replace(self._read(), images=tuple(images)))

    @Slot()
    def _add_image(self) -> None:
        self.add(Image(1024, 1024, "high"))
        self.width_box.setFocus()

    @Slot()
    def _remove_image(self) -> None:
        row = self.images.currentRow()
        others = tuple(image for index, image in enumerate(self._message.images) if index != row)
        self._emit_changed(replace(self._read(), images=others))
        self._list_images(max(0, row - 1))

    # --- appearance ---------------------------------------------------------------------------------------------------

    def _make(self, icons: Icons) -> None:
        self.role = QComboBox(objectName="requestRole", editable=True)
        self.role.addItems(ROLES)
        self.role.setAccessibleName(self.tr("Role of the message"))
        self.speaker = QLineEdit(objectName="requestName", accessibleName=self.tr("Name of the speaker"))
        self.speaker.setPlaceholderText(self.tr("no name"))
        self.content = SoftTextEdit()
        self.content.setObjectName("requestContent")
        self.content.setAccessibleName(self.tr("Content of the message"))
        self.content.setFont(fixed_font())
        self.content.setMinimumHeight(self.content.fontMetrics().lineSpacing() * MIN_LINES)
        self.content.setTabChangesFocus(True)
        self.content.setCornerWidget(plain_corner(self.content))
        self.images = QListWidget(objectName="requestImages", accessibleName=self.tr("Images of the message"))
        self.width_box, self.height_box = (
            SpinBox(objectName=name, maximum=LARGEST_SIDE, specialValueText="?")
            for name in ("requestImageWidth", "requestImageHeight")
        )
        self.width_box.setAccessibleName(self.tr("Width of the image in pixels"))
        self.height_box.setAccessibleName(self.tr("Height of the image in pixels"))
        self.detail = QComboBox(objectName="requestImageDetail", editable=True)
        self.detail.addItems(DETAILS)
        self.detail.setAccessibleName(self.tr("Detail of the image"))
        self.add_image = button_of_kind("requestAddImage", self.tr("Add &image"), "link")
        self.add_image.setToolTip(self.tr("Add an image by its size; only the size is counted"))
        self.open_image = button_of_kind("requestOpenImage", self.tr("Image file…"), "link")
        self.open_image.setToolTip(self.tr("Read the size of a PNG, JPEG, GIF or WebP file"))
        self.remove_image = button_of_kind("requestRemoveImage", self.tr("Remove image"), "link")
        self.up, self.down, self.remove = (
            QToolButton(objectName=name) for name in ("requestUp", "requestDown", "requestRemove")
        )
        for button, icon, name, keys in (
            (self.up, "up", self.tr("Move this message up"), "Alt+Up"),
            (self.down, "down", self.tr("Move this message down"), "Alt+Down"),
            (self.remove, "close", self.tr("Remove this message"), self.tr("Delete in the list")),
        ):
            button.setProperty("kind", "icon")
            button.setIcon(icons.icon(icon))
            button.setAccessibleName(name)
            button.setToolTip(f"{name} ({keys})")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.tokens = PlainLabel(objectName="requestMessageTokens", role="strong")
        self.tokens.setAccessibleName(self.tr("Tokens of this message"))
        self.dot = Dot("", self._theme)
        self.dot.setObjectName("requestMessageQuality")

    def _lay_out(self) -> None:
        self.role.setMinimumContentsLength(8)
        self.role.setMinimumWidth(self.fontMetrics().horizontalAdvance("developer") + ROLE_PADDING)
        self.speaker.setMinimumWidth(
            self.fontMetrics().horizontalAdvance(self.speaker.placeholderText()) + NAME_PADDING
        )
        self.role.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.size_row = QWidget()
        row_of((self.width_box, 1), PlainLabel("×"), (self.height_box, 1), (self.detail, 1), parent=self.size_row)
        controls = (self.up, self.down, self.remove, self.tokens, self.dot)
        column_of(
            row_of(self.role, (self.speaker, 1), *controls, spacing=4),
            (self.content, 1),
            self.images,
            self.size_row,
            row_of(self.add_image, self.open_image, self.remove_image, 1, spacing=16),
            parent=self,
            margins=(EDGE, 8, EDGE, 9),
            spacing=6,
        )
        self._on_image()


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
            return (self.tr("Role"), self.tr("Name"), self.tr("Content"), self.tr("Tokens"))[section]
        return None

    @everything_visible
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, message = index.row(), self._messages[index.row()]
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == CONTENT:
            return self._accessible_text(row)
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == CONTENT:
            return self.count_text(row)
        if role in (Qt.ItemDataRole.EditRole, Qt.ItemDataRole.DisplayRole):
            content = message.content if role == Qt.ItemDataRole.EditRole else _shown(message)
            return (message.role, message.name, content, self.tokens(row))[index.column()]
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or index.column() == TOKENS:
            return False
        field = ("role", "name", "content")[index.column()]
        self.change(index.row(), replace(self._messages[index.row()], **{field: str(value)}))
        return True

    def _accessible_text(self, row: int) -> str:
        """Return a screen reader's text for a message: its row has one cell."""
        message, words = self._messages[row], self.count_text(row)
        speaker = f"{message.role}, {message.name}" if message.name else message.role
        count = f", {words}" if words else ""
        return f"{speaker}{count}: {_shown(message)}"

    def tokens(self, row: int) -> str:
        """Return the token count of a message as text; "" while it is not counted."""
        return figure(self._locale, self._tokens[row]) if row < len(self._tokens) else ""

    def quality(self, row: int) -> str:
        """Return the quality of the count of a message, which its dot shows; empty while it is not counted."""
        return QUALITIES[self._grades[row]] if row < len(self._tokens) else ""

    def count_text(self, row: int) -> str:
        """Return what a message counts, in words; empty while it is not counted."""
        return message_count(self._tokens[row], self._grades[row], self._locale) if row < len(self._tokens) else ""


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
        text = _shown(self._model.message(row))
        fits_one = QFontMetrics(self._font).horizontalAdvance(text) <= max(1, width - 2 * EDGE)
        return self._height((1 if fits_one else LINES) if text else 0)

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
        metrics, width = QFontMetrics(self._font), area.width() - 2 * EDGE
        text = str(index.data())
        layout = QTextLayout(text, self._font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        first = layout.createLine()
        if first.isValid():
            first.setLineWidth(width)
        layout.endLayout()
        painter.setPen(self._theme.colour("text"))
        top = area.top() + 8 + CHIP_HEIGHT + 4
        if not first.isValid():
            return
        layout.draw(painter, QPointF(area.left() + EDGE, top))
        rest = text[first.textLength() :]
        if rest.strip():
            line = QRect(area.left() + EDGE, top + self._line_height, width, self._line_height)
            elided = metrics.elidedText(rest, Qt.TextElideMode.ElideRight, width)
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

    def __init__(self, model: MessagesModel, editor: MessageEditor, theme: Theme) -> None:
        super().__init__()
        self._model, self.editor = model, editor
        self.table = _Rows(objectName="requestMessages")
        self.table.setAccessibleName(self.tr("Messages of the request; Enter edits one"))
        self.table.setModel(model)
        self._rows = MessageRows(model, theme, self.table)
        self._set_up_table()
        self.add = button_of_kind("requestAdd", self.tr("&Add message"), "primary")
        self.add.setToolTip(self.tr("Add a message after this one (Insert)"))
        self.remove, self.up, self.down = editor.remove, editor.up, editor.down
        editor.setParent(self.table.viewport())
        self._lay_out()
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
        self.table.scrolled.connect(self._position_editor)
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

    @Slot()
    def _on_current(self) -> None:
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
        if row < 0:
            self.editor.show_count("", "", "")
        else:
            self.editor.show_count(self._model.tokens(row), self._model.quality(row), self._model.count_text(row))

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
        self._position_editor()

    @Slot()
    def _position_editor(self) -> None:
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

    def _lay_out(self) -> None:
        foot = row_of(self.add, 1, margins=(EDGE, 6, EDGE, 10))
        column_of((self.table, 1), foot, parent=self, spacing=0)
