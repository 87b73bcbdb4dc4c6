"""The token at the caret: as a line of text, as an announcement of screen readers, and as the target of actions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from gui.look.fonts import as_points, fixed_font, scale
from gui.look.quantities import figure
from gui.look.style_sheet import TYPE

if TYPE_CHECKING:
    from engine.types import TokenInfo
    from gui.editor.offsets import TokenSpan
    from gui.editor.token_editor import TokenEditor
    from gui.prompt.ids_controller import IdsController
    from gui.widgets.page_controller import AppContext

PAUSE_MS = 300
"""Time that the caret must rest, in milliseconds, so that not every token is announced while an arrow key is held."""
MAX_SPOKEN_BYTES = 64


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
        self._words = ""
        self._place = -1, -1
        self._moved = False
        self._rest = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._rest.timeout.connect(self._announce)

    def show_token(self, span: TokenSpan | None, info: TokenInfo | None) -> None:
        """Describe the token at the caret, if any, and announce it once the caret rests."""
        self._words = self._spoken(span, info)
        (revision, position), self._place = self._place, (self._editor.revision, self._editor.textCursor().position())
        if self._place[0] != revision:
            self._moved = False
        elif self._place[1] != position:
            self._moved = True
        self._rest.start()

    def _spoken(self, span: TokenSpan | None, info: TokenInfo | None) -> str:
        if span is None or info is None:
            return ""
        from gui.core.token_text import visible

        number = partial(figure, self._editor.locale())
        size = len(info.token_bytes)
        text = visible(info.token_bytes[:MAX_SPOKEN_BYTES])
        for sign, word in (("·", self.tr("space")), ("→", self.tr("tab")), ("⏎", self.tr("new line"))):
            text = text.replace(sign, f" {word} ")
        words = self.tr("{text}; token {n}, id {id}, {size} bytes")
        return words.format(text=" ".join(text.split()), n=number(span.index + 1), id=info.token_id, size=number(size))

    @Slot()
    def _announce(self) -> None:
        if self._words == self._editor.accessibleDescription():
            return
        self._editor.setAccessibleDescription(self._words)
        if self._words and self._moved and self._editor.hasFocus():
            if QAccessible.isActive():
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._editor, self._words))
            self.announced.emit(self._words)


MAX_BYTES = 24


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
            from gui.look.plain_text import plain_tip

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
                hexadecimal(info.token_bytes, MAX_BYTES),
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


# --- actions on tokens ------------------------------------------------------------------------------------------------


MENU = ("copy_token_id", "copy_ids", "show_in_vocabulary", "show_merges", "why_not_one_token")
"""Actions that the editor's context menu adds to Qt's own."""


class TokenActions(QObject):
    """Actions on tokens, also in the editor's context menu."""

    def __init__(self, context: AppContext, ids: IdsController) -> None:
        super().__init__(context.pages)
        self._context = context
        self._actions = act = context.window.actions_by_name
        editor = context.prompt.editor
        act["copy_token_id"].triggered.connect(self._copy_id)
        act["copy_ids"].triggered.connect(ids.copy_selection)
        act["show_in_vocabulary"].triggered.connect(self._show_in_vocabulary)
        act["why_not_one_token"].triggered.connect(self._explain)
        for name in MENU:
            if act[name] not in editor.actions():
                editor.addAction(act[name])
        editor.caret_token_changed.connect(self._on_caret_token)
        self._on_caret_token(self._token())

    def _token(self) -> TokenSpan | None:
        """Return the token at the caret, or the first of the selection."""
        editor = self._context.prompt.editor
        return editor.token_at(editor.selected_range()[0])

    @Slot(object)
    def _on_caret_token(self, span: TokenSpan | None) -> None:
        for name in ("copy_token_id", "show_in_vocabulary", "why_not_one_token"):
            self._actions[name].setEnabled(span is not None)

    @Slot()
    def _copy_id(self) -> None:
        span = self._token()
        if span is not None:
            QApplication.clipboard().setText(str(span.token_id))
            self._context.notifier.remark(self.tr("Copied ID {id}").format(id=span.token_id))

    @Slot()
    def _show_in_vocabulary(self) -> None:
        span, vocabulary = self._token(), self._context.pages.vocabulary
        if span is not None and vocabulary is not None:
            vocabulary.show_token(self._context.prompt.encoding, span.token_id)

    @Slot()
    def _explain(self) -> None:
        """Show the merges of the selection or of the word at the caret, with the focus on the explanation."""
        merges = self._context.pages.merges
        if merges is not None:
            merges.show_selection()
            merges.build().why.setFocus()
