"""Editor of one message: its role, content and images."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engine.requests.types import Image, Message
from gui.core.token_text import visible_line
from gui.costs.status import Dot
from gui.editor.soft_text_edit import SoftTextEdit
from gui.look.corner import plain_corner
from gui.look.fonts import fixed_font
from gui.look.icons import Icons
from gui.look.plain_text import PlainLabel
from gui.look.theme import Theme

ROLES = ("system", "developer", "user", "assistant", "tool")
SETTLE_MS = 150
"""Pause in typing after which changes are emitted, in milliseconds: the content may have megabytes."""

LARGEST_SIDE = 100_000
DETAILS = ("auto", "low", "high")
LIST_LINES = 3
LIST_PADDING = 2
MIN_LINES, MAX_LINES = 2, 10
"""Number of lines of the content visible at once."""
BAR_WIDTH = 3
EDGE = 16
ROLE_PADDING, NAME_PADDING = 40, 20
"""Width of the two fields besides their text, in pixels: frame, padding and arrow."""


class MessageEditor(QWidget):
    """Editor of a message, laid over its row in the list. The list uses ``up``, ``down``, ``remove`` and ``tokens``.

    Signals: ``changed(Message)`` soon after an edit by the user; ``image_file_asked()``; ``height_changed()``.
    """

    changed = Signal(object)
    height_changed = Signal()
    image_file_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageEditor")
        self._message = Message("user")
        self._theme: Theme | None = None
        self._is_showing = self._content_edited = False
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self.take_over)
        self._make()
        self._place()
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

    def set_icons(self, icons: Icons, theme: Theme) -> None:
        """Draw the buttons and the row's background in the colours of the theme."""
        self._theme = theme
        for button, icon in ((self.up, "up"), (self.down, "down"), (self.remove, "close")):
            button.setIcon(icons.icon(icon))
        self.dot = Dot("", theme)
        self.dot.setObjectName("requestMessageQuality")
        self._head.addWidget(self.dot)
        self.show_count("", "", "")
        theme.changed.connect(self.update)

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
        if self._theme is not None:
            with QPainter(self) as painter:
                painter.fillRect(self.rect(), self._theme.colour("accent_soft"))
                painter.fillRect(0, 0, BAR_WIDTH, self.height(), self._theme.colour("accent"))
                painter.fillRect(0, self.height() - 1, self.width(), 1, self._theme.colour("line"))

    @Slot()
    def _fit_content(self) -> None:
        """Fit the height of the content to its lines, within limits."""
        lines = int(self.content.document().documentLayout().documentSize().height())
        room = min(max(lines, MIN_LINES), MAX_LINES)
        height = room * self.content.fontMetrics().lineSpacing() + 2 * int(self.content.document().documentMargin()) + 4
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
        there = 0 <= row < len(self._message.images)
        image = self._message.images[row] if there else Image(0, 0)
        blockers = [QSignalBlocker(one) for one in (self.width_box, self.height_box, self.detail)]
        self.width_box.setValue(image.width)
        self.height_box.setValue(image.height)
        self.detail.setCurrentText(image.detail)
        del blockers
        for control in (self.width_box, self.height_box, self.detail, self.remove_image):
            control.setEnabled(there)
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
        kept = tuple(image for at, image in enumerate(self._message.images) if at != row)
        self._emit_changed(replace(self._read(), images=kept))
        self._list_images(max(0, row - 1))

    # --- appearance ---------------------------------------------------------------------------------------------------

    def _make(self) -> None:
        self.role = QComboBox(objectName="requestRole", editable=True)
        self.role.addItems(ROLES)
        self.role.setAccessibleName(self.tr("Role of the message"))
        self.speaker = QLineEdit(objectName="requestName")
        self.speaker.setAccessibleName(self.tr("Name of the speaker"))
        self.speaker.setPlaceholderText(self.tr("no name"))
        self.content = SoftTextEdit()
        self.content.setObjectName("requestContent")
        self.content.setAccessibleName(self.tr("Content of the message"))
        self.content.setFont(fixed_font())
        self.content.setMinimumHeight(self.content.fontMetrics().lineSpacing() * MIN_LINES)
        self.content.setTabChangesFocus(True)
        self.content.setCornerWidget(plain_corner(self.content))
        self.images = QListWidget(objectName="requestImages")
        self.images.setAccessibleName(self.tr("Images of the message"))
        self.width_box, self.height_box = (
            QSpinBox(objectName=name, maximum=LARGEST_SIDE, specialValueText="?")
            for name in ("requestImageWidth", "requestImageHeight")
        )
        self.width_box.setAccessibleName(self.tr("Width of the image in pixels"))
        self.height_box.setAccessibleName(self.tr("Height of the image in pixels"))
        self.detail = QComboBox(objectName="requestImageDetail", editable=True)
        self.detail.addItems(DETAILS)
        self.detail.setAccessibleName(self.tr("Detail of the image"))
        self.add_image = QPushButton(self.tr("Add &image"), objectName="requestAddImage")
        self.add_image.setToolTip(self.tr("Add an image by its size; only the size is counted"))
        self.open_image = QPushButton(self.tr("Image file…"), objectName="requestOpenImage")
        self.open_image.setToolTip(self.tr("Read the size of a PNG, JPEG, GIF or WebP file"))
        self.remove_image = QPushButton(self.tr("Remove image"), objectName="requestRemoveImage")
        for button in (self.add_image, self.open_image, self.remove_image):
            button.setProperty("kind", "link")
            button.setAutoDefault(False)
        self.up, self.down, self.remove = (
            QToolButton(objectName=name) for name in ("requestUp", "requestDown", "requestRemove")
        )
        for button, words, keys in (
            (self.up, self.tr("Move this message up"), "Alt+Up"),
            (self.down, self.tr("Move this message down"), "Alt+Down"),
            (self.remove, self.tr("Remove this message"), self.tr("Delete in the list")),
        ):
            button.setProperty("kind", "icon")
            button.setAccessibleName(words)
            button.setToolTip(f"{words} ({keys})")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.tokens = PlainLabel(objectName="requestMessageTokens")
        self.tokens.setProperty("role", "strong")
        self.tokens.setAccessibleName(self.tr("Tokens of this message"))

    def _place(self) -> None:
        head = self._head = QHBoxLayout()
        head.setSpacing(4)
        self.role.setMinimumContentsLength(8)
        self.role.setMinimumWidth(self.fontMetrics().horizontalAdvance("developer") + ROLE_PADDING)
        self.speaker.setMinimumWidth(
            self.fontMetrics().horizontalAdvance(self.speaker.placeholderText()) + NAME_PADDING
        )
        self.role.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        head.addWidget(self.role)
        head.addWidget(self.speaker, 1)
        for widget in (self.up, self.down, self.remove, self.tokens):
            head.addWidget(widget)
        self.size_row = QWidget()
        size = QHBoxLayout(self.size_row)
        size.setContentsMargins(0, 0, 0, 0)
        size.addWidget(self.width_box, 1)
        size.addWidget(PlainLabel("×"))
        size.addWidget(self.height_box, 1)
        size.addWidget(self.detail, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(16)
        for button in (self.add_image, self.open_image, self.remove_image):
            buttons.addWidget(button)
        buttons.addStretch(1)
        body = QVBoxLayout(self)
        body.setContentsMargins(EDGE, 8, EDGE, 9)
        body.setSpacing(6)
        body.addLayout(head)
        body.addWidget(self.content, 1)
        body.addWidget(self.images)
        body.addWidget(self.size_row)
        body.addLayout(buttons)
        self._on_image()
