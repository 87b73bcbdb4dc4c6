"""Figures around the text of the prompt.

The margin has line numbers and, if enabled, the tokens of each line; the bar below has the figures of the whole text.
The token at the caret is shown as a line of text and announced by screen readers.
"""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPalette,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gui.editor.token_editor import TokenEditor
from gui.look.fonts import as_points, fixed_font, scale, set_weight
from gui.look.quantities import figure
from gui.look.style_sheet import TYPE, set_font
from gui.look.theme import Theme
from gui.prompt.prompt import Prompt
from gui.state.settings import SettingsStore
from gui.widgets.forms import FlowLayout
from gui.widgets.labels import PlainLabel

if TYPE_CHECKING:
    from engine.types import TokenInfo
    from gui.editor.offsets import TokenSpan
    from gui.prompt.counting_service import PromptCounts

PADDING = 8
GAP = 10
HOTTEST = 48
"""Number of tokens in a line from which it has the full colour."""
HEAT_ALPHA = 120
LARGE_CHARACTERS, LARGE_DIGITS = 1_000_000, 6
"""Size from which the margin has room for six digits, also while such a text is being loaded. Each further digit would
narrow the editor, and Qt would wrap every paragraph again, which takes time and 300 bytes each."""
MAX_BYTES = 3
"""Bytes of a UTF-16 unit in UTF-8, at most: the size of a text that is being pasted is known in bytes."""
SMALLER = 2.75
"""Difference between the font sizes of the text and the numbers, in points. With text of 11 points, numbers have
the size of captions."""
DIM_AFTER_MS = 250
"""Delay before figures of an older text are dimmed, in milliseconds; without it they would flicker at each key."""
STALE_EVERY_MS = 100
"""Minimum time between two stale figures shown, in milliseconds. A big paste passes through a hundred states a second,
and laying out and painting each takes longer than counting it."""
ANNOUNCE_AFTER_MS = 300
"""Time that the caret must rest, in milliseconds, so that not every token is announced while an arrow key is held."""
MAX_SPOKEN_BYTES = 64
MAX_SHOWN_BYTES = 24
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Gutter(QWidget):
    """Widget that paints beside the visible lines, and follows scrolling, edits and the settings.

    Repainted when lines move, not at each key: a key within a line changes nothing here, and the tokens of a line come
    with the counts.
    """

    def __init__(self, prompt: Prompt, theme: Theme, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editor: TokenEditor = prompt.editor
        self._theme, self._settings = theme, settings
        self._digits = 0
        self._arriving = 0
        self._row_height = 0
        self.setObjectName("gutter")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Line numbers"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self._editor.updateRequest.connect(self._on_update_request)
        self._editor.blockCountChanged.connect(self._fit)
        # For a paragraph added at the end, Qt requests an update of its rectangle only.
        self._editor.blockCountChanged.connect(self.update)
        self._editor.load_progress.connect(self._on_load_progress)
        self._editor.load_finished.connect(self._on_load_ended)
        self._editor.paste_cancelled.connect(self._on_load_ended)
        self._editor.installEventFilter(self)
        prompt.counted.connect(self._on_counted)
        theme.changed.connect(self.update)
        settings.changed.connect(self._on_setting)
        self._take_font()
        self._on_setting("line_numbers")

    def sizeHint(self) -> QSize:
        return QSize(self._width(), 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FontChange and watched is self._editor:
            self._take_font()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        values = self._settings.values
        above = self._editor.contentsRect().top()  # this would miss a margin above the text, but there is none
        clip = event.rect().translated(0, -above)
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), self._theme.colour("base"))
            painter.translate(0, above)
            for line in self._editor.numbered_lines(clip):
                area = QRect(PADDING, round(line.top), self.width() - 2 * PADDING, round(line.height))
                if values.line_tokens:
                    area = self._paint_tokens(painter, area, self._editor.tokens_ending(line.start, line.end))
                if values.line_numbers:
                    painter.setPen(self._theme.colour("stale"))
                    painter.drawText(area, _RIGHT, str(line.number))

    def _paint_tokens(self, painter: QPainter, area: QRect, tokens: int) -> QRect:
        """Paint the token count of a line at the right of its area; return the rest of the area."""
        width = self._tokens_width()
        cell = QRect(area.right() + 1 - width, area.top(), width, area.height())
        area.setRight(cell.left() - GAP)
        if tokens > 0:
            heat = QColor(self._theme.colour("meter"))
            heat.setAlpha(round(HEAT_ALPHA * min(1.0, tokens / HOTTEST)))
            painter.fillRect(cell.adjusted(-2, 1, 2, -1), heat)
            painter.setPen(self._theme.colour("text"))
            painter.drawText(cell, _RIGHT, figure(self.locale(), tokens))
        return area

    def _tokens_width(self) -> int:
        return self.fontMetrics().horizontalAdvance("9,999")

    def _width(self) -> int:
        values, width = self._settings.values, 0
        if values.line_numbers:
            width += self.fontMetrics().horizontalAdvance("9" * max(2, self._digits))
        if values.line_tokens:
            width += self._tokens_width() + (GAP if values.line_numbers else 0)
        return width + 2 * PADDING

    @Slot()
    def _fit(self) -> None:
        document = self._editor.document()
        digits = len(str(document.blockCount()))
        if document.characterCount() > LARGE_CHARACTERS or self._arriving > MAX_BYTES * LARGE_CHARACTERS:
            digits = max(digits, LARGE_DIGITS)
        if digits != self._digits:
            self._digits = digits
            self.updateGeometry()

    @Slot(int, int)
    def _on_load_progress(self, _done: int, total: int) -> None:
        self._arriving = total
        self._fit()

    @Slot()
    def _on_load_ended(self) -> None:
        self._arriving = 0
        self._fit()

    def _take_font(self) -> None:
        font = self._editor.font()
        font.setPointSizeF(max(6.0, font.pointSizeF() - SMALLER))
        set_font(self, font)
        self._row_height = 2 * QFontMetrics(self._editor.font()).lineSpacing()
        self._digits = 0
        self._fit()
        self.update()

    @Slot(QRect, int)
    def _on_update_request(self, rect: QRect, scrolled: int) -> None:
        if scrolled:
            self.scroll(0, scrolled)
        elif rect.bottom() >= self._text_height() - 1:  # else a paragraph kept its height
            self.update(0, rect.top(), self.width(), rect.height() + self._row_height)

    def _text_height(self) -> int:
        """Return the height of the editor's viewport. Asking for the viewport would slow down the start (see
        ``TokenEditor.apply_patch``)."""
        bar = self._editor.horizontalScrollBar()
        return self._editor.contentsRect().height() - (bar.height() if bar.isVisible() else 0)

    @Slot()
    def _on_counted(self) -> None:
        if self._settings.values.line_tokens:
            self.update()

    @Slot(str)
    def _on_setting(self, name: str) -> None:
        if name in ("line_numbers", "line_tokens"):
            values = self._settings.values
            self.setVisible(values.line_numbers or values.line_tokens)
            self.updateGeometry()
            self.update()


class CountLabel(PlainLabel):
    """A label of fixed size, as its text needs. Otherwise each new figure would have every layout up to the window
    arranged again, though digits have equal widths."""

    def setText(self, text: str) -> None:
        super().setText(text)
        self._fit(self.minimumHeight())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit(self.sizeHint().height())

    def _fit(self, height: int) -> None:
        metrics = QFontMetricsF(self.font())
        # Slanted letters reach over the end.
        right = max(metrics.horizontalAdvance(self.text()), metrics.boundingRect(self.text()).right())
        size = QSize(ceil(right) + 1, height or self.sizeHint().height())
        if size != self.minimumSize():
            self.setFixedSize(size)


class CountBar(QWidget):
    """Row of the newest counts. Figures of an older text are slanted and end in dots until the new ones arrive."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: PromptCounts | None = None
        self._stale = self._dimmed = False
        self._since_shown = QElapsedTimer()
        self._selected = -1
        self.setObjectName("countBar")
        self.setAccessibleName(self.tr("Figures of the prompt"))
        self.setAutoFillBackground(True)  # otherwise each change repaints the five widgets behind it
        self.setBackgroundRole(QPalette.ColorRole.Base)
        layout = FlowLayout(self, 14)
        layout.setContentsMargins(16, 4, 16, 6)
        self._labels: list[QLabel] = []
        self._tokens = self._label("tokenCount")
        self._characters = self._label("characterCount")
        self._bytes = self._label("byteCount")
        self._words = self._label("wordCount")
        self._lines = self._label("lineCount")
        self._density = self._label("bytesPerToken")
        self._density.setToolTip(self.tr("UTF-8 bytes per token. Higher is better."))
        self._selection = self._label("selectionTokens")
        self._dim_timer = QTimer(self, singleShot=True, interval=DIM_AFTER_MS)
        self._dim_timer.timeout.connect(self._dim)
        theme.changed.connect(self._style)
        self._style()
        self._show()

    def _label(self, name: str) -> QLabel:
        label = CountLabel(self, objectName=name, role="quiet")
        self.layout().addWidget(label)
        self._labels.append(label)
        return label

    @Slot(object)
    def set_counts(self, counts: PromptCounts) -> None:
        """Show new figures."""
        is_first, self._counts = self._counts is None, counts
        if is_first or not self._stale or self._since_shown.hasExpired(STALE_EVERY_MS):
            self._show()

    @Slot(bool)
    def set_stale(self, stale: bool) -> None:
        """Mark the figures as those of an older text, or as current."""
        self._stale = stale
        if stale:
            if not self._dimmed and not self._dim_timer.isActive():
                self._dim_timer.start()
            return
        self._dim_timer.stop()
        self._set_dimmed(False)

    @property
    def dimmed(self) -> bool:
        """True if the figures are marked as those of an older text."""
        return self._dimmed

    @Slot(int)
    def set_selected_tokens(self, tokens: int) -> None:
        """Show the number of tokens that the selection touches; -1 without a selection."""
        if tokens != self._selected:
            self._selected = tokens
            self._show_selection()

    @Slot()
    def _dim(self) -> None:
        self._set_dimmed(True)

    def _set_dimmed(self, dimmed: bool) -> None:
        if dimmed != self._dimmed:
            self._dimmed = dimmed
            self._style()
            self._show()

    @Slot()
    def _style(self) -> None:
        size = as_points(round(TYPE["caption"] * scale()))
        for label in self._labels:
            font = label.font()
            font.setPointSizeF(size)
            font.setItalic(self._dimmed)
            set_weight(font, QFont.Weight.DemiBold if label is self._tokens else QFont.Weight.Normal)
            set_font(label, font)

    @Slot()
    def _show(self) -> None:
        self._since_shown.start()
        counts = self._counts
        known = counts is not None
        for label in (self._characters, self._bytes, self._words, self._lines):
            label.setVisible(known)
        self._density.setVisible(counts is not None and counts.tokens > 0)
        self._show_selection()
        if counts is None:
            self._tokens.setText(self.tr("counting…"))
            self._tokens.setAccessibleName(self.tr("Counting tokens…"))
            return
        facts = counts.statistics
        self._write_amount(self._tokens, counts.tokens, self.tr("token"), self.tr("tokens"))
        self._write_amount(self._characters, facts.characters, self.tr("character"), self.tr("characters"))
        self._write_amount(self._bytes, facts.utf8_bytes, self.tr("byte"), self.tr("bytes"))
        self._write_amount(self._words, facts.words, self.tr("word"), self.tr("words"))
        self._write_amount(self._lines, facts.lines, self.tr("line"), self.tr("lines"))
        if counts.tokens:
            density = self.locale().toString(facts.utf8_bytes / counts.tokens, "f", 2)
            self._write(self._density, self._marked(self.tr("{number} bytes per token").format(number=density)))

    def _show_selection(self) -> None:
        self._selection.setVisible(self._selected >= 0)
        if self._selected >= 0:
            words = self.tr("token selected") if self._selected == 1 else self.tr("tokens selected")
            self._write(self._selection, f"{figure(self.locale(), self._selected)} {words}")

    def _write_amount(self, label: QLabel, amount: int, one: str, many: str) -> None:
        self._write(label, self._marked(f"{figure(self.locale(), amount)} {one if amount == 1 else many}"))

    def _marked(self, text: str) -> str:
        return text + "…" if self._dimmed else text

    def _write(self, label: QLabel, text: str) -> None:
        if label.text() == text:
            return
        label.setText(text)
        spoken = self.tr("{figure}, recounting").format(figure=text) if text.endswith("…") else text
        label.setAccessibleName(spoken)


class TokenReadout(QWidget):
    """Line of plain text about the token at the caret, elided if the window is too narrow; its tooltip is the whole
    line.

    Stands in for the inspector while that is hidden.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self.setObjectName("tokenReadout")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        font = fixed_font()
        font.setPointSizeF(as_points(round(TYPE["caption"] * scale())))
        self.setFont(font)
        self.set_text("")

    @property
    def text(self) -> str:
        """The whole line."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show this text."""
        self._text = text
        self.setToolTip("")
        if text:
            # Not before there are tokens, which is after the first paint of the window.
            from gui.widgets.labels import plain_tip

            self.setToolTip(plain_tip(text))
        self.setAccessibleName(self.tr("Token at the caret: {text}").format(text=text or self.tr("none")))
        self.update()

    def show_token(self, span: TokenSpan | None, info: TokenInfo | None) -> None:
        """Describe the token at the caret."""
        self.set_text(self.describe(span, info))

    def describe(self, span: TokenSpan | None, info: TokenInfo | None) -> str:
        """Return a line about a token: position, ID, text, bytes, rank, and the tokens it shares a character with."""
        if span is None:
            return ""
        # Not before there are tokens, which is after the first paint of the window.
        from gui.core.token_text import hexadecimal, visible

        number = partial(figure, self.locale())
        parts = [self.tr("token {n}").format(n=number(span.index + 1)), self.tr("id {n}").format(n=span.token_id)]
        if info is not None:
            size = len(info.token_bytes)
            parts += [
                f"“{visible(info.token_bytes[:256])}”",
                hexadecimal(info.token_bytes, MAX_SHOWN_BYTES),
                self.tr("1 byte") if size == 1 else self.tr("{n} bytes").format(n=number(size)),
            ]
            if info.kind == "special":
                parts.append(self.tr("special token"))
            elif info.rank is not None:
                parts.append(self.tr("rank {n}").format(n=info.rank))
        if span.partners:
            others = ", ".join(number(index + 1) for index, _id in span.partners)
            parts.append(self.tr("shares a character with token {others}").format(others=others))
        return "  ·  ".join(parts)

    def sizeHint(self) -> QSize:
        return QSize(200, self.fontMetrics().height() + 6)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.fontMetrics().height() + 6)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            area = self.rect().adjusted(16, 0, -16, 0)
            cut = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, cut)


class TokenAnnouncer(QObject):
    """Announcer for screen readers: sets the editor's accessible description to the token at the caret, and announces
    it once the caret rests where the user moved it. Typing also moves the caret, but screen readers already read what
    is typed.

    Signals: ``announced(str)``.
    """

    announced = Signal(str)

    def __init__(self, editor: TokenEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._message = ""
        self._caret = -1, -1
        self._moved = False
        self._rest = QTimer(self, singleShot=True, interval=ANNOUNCE_AFTER_MS)
        self._rest.timeout.connect(self._announce)

    def show_token(self, span: TokenSpan | None, info: TokenInfo | None) -> None:
        """Describe the token at the caret, if any, and announce it once the caret rests."""
        self._message = self._accessible_text(span, info)
        (revision, position), self._caret = self._caret, (self._editor.revision, self._editor.textCursor().position())
        if self._caret[0] != revision:
            self._moved = False
        elif self._caret[1] != position:
            self._moved = True
        self._rest.start()

    def _accessible_text(self, span: TokenSpan | None, info: TokenInfo | None) -> str:
        if span is None or info is None:
            return ""
        from gui.core.token_text import visible

        number = partial(figure, self._editor.locale())
        size = len(info.token_bytes)
        text = visible(info.token_bytes[:MAX_SPOKEN_BYTES])
        for sign, name in (("·", self.tr("space")), ("→", self.tr("tab")), ("⏎", self.tr("new line"))):
            text = text.replace(sign, f" {name} ")
        message = self.tr("{text}; token {n}, id {id}, {size} bytes")
        return message.format(
            text=" ".join(text.split()), n=number(span.index + 1), id=info.token_id, size=number(size)
        )

    @Slot()
    def _announce(self) -> None:
        if self._message == self._editor.accessibleDescription():
            return
        self._editor.setAccessibleDescription(self._message)
        if self._message and self._moved and self._editor.hasFocus():
            from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

            if QAccessible.isActive():
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._editor, self._message))
            self.announced.emit(self._message)
