"""The card with details of one token: at the pointer, or pinned at the caret for keyboard users.

It only displays plain data, whatever their source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QFont, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QSizePolicy, QWidget

from gui.core.token_text import hexadecimal, visible
from gui.look.fonts import fixed_font, set_weight

if TYPE_CHECKING:
    from gui.editor.offsets import TokenSpan
    from gui.prompt.prompt import Prompt
    from gui.state.settings import SettingsStore

_OFFSET = QPoint(14, 20)  # distance from the pointer
_EDGE = QMargins(8, 8, 8, 8)  # margin to the edges of the screen
_WIDEST = 460


@dataclass(frozen=True, slots=True)
class CardToken:
    """Details of one token. ``text`` and ``hex`` are ready for display.

    ``rank`` is None for a special token; or, with ``is_piece``, in a tokenizer without ranks.
    """

    index: int
    token_id: int
    text: str
    hex: str
    size: int
    rank: int | None
    is_piece: bool = False


@dataclass(frozen=True, slots=True)
class TokenCardContents:
    """A token, its span, and the tokens that share a character with it.

    Offsets in UTF-16 units; in characters too, if known.
    """

    token: CardToken
    utf16_start: int
    utf16_end: int
    char_start: int | None = None
    char_end: int | None = None
    partners: tuple[CardToken, ...] = ()


class TokenCard(QFrame):
    """A small frameless window. It takes the focus from the editor only while pinned."""

    closed = Signal()
    """Emitted when a pinned card was closed."""
    merges_asked = Signal(int, int)
    """Emitted with the UTF-16 start and end of a span whose merges are requested."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.ToolTip)
        self.setObjectName("tokenCard")
        self.setAccessibleName(self.tr("Token card"))
        self.setFrameStyle(QFrame.Shape.StyledPanel | QFrame.Shadow.Plain)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self._pinned = False
        self._contents: TokenCardContents | None = None
        self._anchor = QPoint()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(10, 8, 10, 8)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(3)
        self._merges = QPushButton(self.tr("Show its &merges"), self, objectName="tokenCardMerges")
        self._merges.clicked.connect(self._ask_for_merges)
        self._labels: list[QLabel] = []
        self._rows: list[tuple[str, str]] = []

    @property
    def contents(self) -> TokenCardContents | None:
        """The displayed contents, None while the card is hidden."""
        return self._contents

    @property
    def pinned(self) -> bool:
        """True while the card stays until it is closed."""
        return self._pinned

    def show_at(self, contents: TokenCardContents, position: QPoint) -> None:
        """Show the card beside a screen position, unless another is pinned."""
        if not self._pinned:
            self._present(contents, position)

    def pin_at(self, contents: TokenCardContents, position: QPoint) -> None:
        """Pin the card until Esc, a click outside or ``dismiss``; its text can be selected and copied."""
        self._pinned = True
        self._set_window_type(Qt.WindowType.Popup)
        self._present(contents, position)
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def dismiss(self) -> None:
        """Hide the card, pinned or not."""
        self.hide()

    def leave(self) -> None:
        """Hide the card unless it is pinned; called when the pointer leaves the token."""
        if not self._pinned:
            self.hide()

    def hideEvent(self, event: QEvent) -> None:
        super().hideEvent(event)
        self._contents = None
        if self._pinned:
            self._pinned = False
            self._set_window_type(Qt.WindowType.ToolTip)
            self.closed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # The size is final only after the labels are styled.
        self.move(self._inside_screen(self._anchor))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.dismiss()
        elif event.matches(QKeySequence.StandardKey.Copy) and self._contents is not None:
            self._copy()
        else:
            super().keyPressEvent(event)

    def text(self) -> str:
        """Return the text of the card, one line per row, for screen readers and Ctrl+C."""
        return "\n".join(f"{name}: {value}" if value else name for name, value in self._rows)

    @Slot()
    def _ask_for_merges(self) -> None:
        contents = self._contents
        if contents is None:
            return  # a key press arrived at the button while the card was being hidden
        self.dismiss()
        self.merges_asked.emit(contents.utf16_start, contents.utf16_end)

    def _copy(self) -> None:
        from PySide6.QtGui import QGuiApplication

        QGuiApplication.clipboard().setText(self.text())

    def _set_window_type(self, kind: Qt.WindowType) -> None:
        self.setWindowFlags(kind | Qt.WindowType.FramelessWindowHint)

    def _present(self, contents: TokenCardContents, position: QPoint) -> None:
        self._contents = contents
        self._anchor = position
        self._fill(contents)
        self.setAccessibleDescription(self.text())
        self.ensurePolished()
        self._grid.activate()
        self.resize(self.sizeHint())
        self.move(self._inside_screen(position))
        self.show()

    def _fill(self, contents: TokenCardContents) -> None:
        for label in self._labels:
            self._grid.removeWidget(label)
            label.hide()
            label.deleteLater()
        self._labels = []
        self._rows = []
        number = self.locale().toString
        token = contents.token
        self._add_line(self.tr("Token {n}").format(n=number(token.index + 1)), bold=True)
        self._add_row(self.tr("Text"), f"“{token.text}”", fixed=True)
        self._add_row(self.tr("ID"), str(token.token_id), fixed=True)
        size = self.tr("1 byte") if token.size == 1 else self.tr("{n} bytes").format(n=number(token.size))
        self._add_row(self.tr("Bytes"), f"{token.hex}  ({size})", fixed=True)
        if not token.is_piece:
            self._add_row(self.tr("Rank"), self.tr("special token") if token.rank is None else str(token.rank))
        self._add_row(self.tr("Position"), self._lay_out(contents))
        if contents.partners:
            self._add_line(self.tr("Shares a character with"), bold=True)
        for partner in contents.partners:
            label = self.tr("Token {n}").format(n=number(partner.index + 1))
            self._add_row(label, f"“{partner.text}”  {partner.hex}  ({self.tr('id')} {partner.token_id})", fixed=True)
        self._grid.removeWidget(self._merges)
        self._grid.addWidget(self._merges, len(self._rows), 0, 1, 2, Qt.AlignmentFlag.AlignLeft)
        self._merges.setVisible(self._pinned)

    def _lay_out(self, contents: TokenCardContents) -> str:
        number = self.locale().toString
        start, end = contents.utf16_start, contents.utf16_end
        if start == end:
            text = self.tr("UTF-16 {a}, continues the previous character").format(a=number(start))
        else:
            text = self.tr("UTF-16 {a} to {b}").format(a=number(start), b=number(end))
        if contents.char_start is not None and contents.char_end is not None and start != end:
            characters = self.tr("character {a} to {b}").format(
                a=number(contents.char_start), b=number(contents.char_end)
            )
            return f"{characters}, {text}"
        return text

    def _add_line(self, text: str, *, bold: bool = False) -> None:
        label = self._label(text)
        if bold:
            font = QFont(label.font())
            set_weight(font)
            label.setFont(font)
        self._grid.addWidget(label, len(self._rows), 0, 1, 2)
        label.show()
        self._rows.append((text, ""))

    def _add_row(self, name: str, value: str, *, fixed: bool = False) -> None:
        row = len(self._rows)
        self._rows.append((name, value))
        title, content = self._label(name), self._label(value)
        content.setWordWrap(True)
        if fixed:
            content.setFont(fixed_font())
        width = min(_WIDEST, content.fontMetrics().horizontalAdvance(value) + 4)
        content.setMinimumWidth(width)
        self._grid.addWidget(title, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(content, row, 1)
        title.show()
        content.show()

    def _label(self, text: str) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setText(text)
        label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        if self._pinned:
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self._labels.append(label)
        return label

    def _inside_screen(self, position: QPoint) -> QPoint:
        """Return the card's position beside a point, flipped at the edges of the screen."""
        area = self.screen().availableGeometry().marginsRemoved(_EDGE)
        corner = position + _OFFSET
        if corner.x() + self.width() > area.right():
            corner.setX(area.right() - self.width())
        if corner.y() + self.height() > area.bottom():
            corner.setY(position.y() - self.height() - _OFFSET.y() // 2)
        return QPoint(max(corner.x(), area.left()), max(corner.y(), area.top()))


MAX_BYTES = 64


class TokenInspector(QObject):
    """Owner of the card; created after the first paint of the window.

    Signals: ``merges_asked(int, int)`` with the UTF-16 start and end of a span of the prompt whose merges are
    requested.
    """

    merges_asked = Signal(int, int)

    def __init__(self, prompt: Prompt, settings: SettingsStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._prompt = prompt
        self._editor = prompt.editor
        self._settings = settings
        self._card = TokenCard(self._editor)
        self._card.merges_asked.connect(self.merges_asked)
        self._editor.token_hovered.connect(self._on_hovered)
        prompt.changed.connect(self._card.leave)

    @Slot(object, object)
    def _on_hovered(self, span: TokenSpan | None, position: QPoint) -> None:
        contents = self._contents(span) if self._settings.values.hover_card else None
        if contents is None:
            self._card.leave()
        else:
            self._card.show_at(contents, position)

    @Slot()
    def pin_at_caret(self) -> None:
        """Pin the card of the token at the caret until Esc."""
        contents = self._contents(self._editor.token_at(self._editor.caret_offset()))
        if contents is not None:
            corner = self._editor.cursorRect().bottomLeft()
            self._card.pin_at(contents, self._editor.viewport().mapToGlobal(corner))

    def _contents(self, span: TokenSpan | None) -> TokenCardContents | None:
        token = None if span is None else self._describe(span.index, span.token_id)
        if span is None or token is None:
            return None
        partners = (self._describe(index, token_id) for index, token_id in span.partners)
        return TokenCardContents(
            token, span.utf16_start, span.utf16_end, partners=tuple(partner for partner in partners if partner)
        )

    def _describe(self, index: int, token_id: int) -> CardToken | None:
        info = self._prompt.entry(token_id)
        if info is None:
            return None
        data = info.token_bytes
        text = visible(data[:MAX_BYTES]) + ("…" if len(data) > MAX_BYTES else "")
        shown = hexadecimal(data, MAX_BYTES)
        return CardToken(index, token_id, text, shown, len(data), info.rank, info.kind == "piece")
