"""Counts of a request: its parts with their count quality, and the rendered text with one kind of part highlighted."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from gui.editor.token_editor import TokenView
from gui.look.plain_text import PlainLabel
from gui.look.quantities import figure
from gui.look.theme import Theme
from gui.prompt.chat.labels import KIND_WORDS, breakdown, kind_word, place_words, special_words, total
from gui.state.settings import SettingsStore
from gui.widgets.chip import Chip
from gui.widgets.forms import Remark
from gui.widgets.layouts import FlowLayout
from gui.widgets.parts_bar import SQUARE, Part, PartsBar

if TYPE_CHECKING:
    from gui.prompt.chat.draft_service import RequestReply

CHIP_GAP = 6
ROLES = ("rival_2", "rival_1", "star", "bar")
"""Colours of the theme, in the order of the parts."""


class PartChips(QWidget):
    """Legend of the bar: a chip for each part, with its colour and tokens. The checked one is highlighted in the text.

    Signals: ``changed()`` when another part, or none, is checked.
    """

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(objectName="requestTint")
        self.setAccessibleName(self.tr("Part marked in the text"))
        self._theme = theme
        self._parts: tuple[str, ...] = ()
        self._label = PlainLabel(self.tr("Mar&k"))
        self._label.setProperty("role", "caption")
        row = FlowLayout(self, CHIP_GAP)
        row.addWidget(self._label)
        self._chips: dict[str, Chip] = {}
        for kind in KIND_WORDS:
            words = self.tr("Mark the tokens of this part: {part}").format(part=kind_word(kind))
            chip = self._chips[kind] = Chip(f"requestMark{kind.capitalize()}", kind_word(kind), words)
            chip.setChecked(kind == "overhead")
            chip.setIconSize(QSize(SQUARE + 2, SQUARE))
            chip.clicked.connect(self._on_clicked)
            row.addWidget(chip)
        self._label.setBuddy(next(iter(self._chips.values())))
        theme.changed.connect(self._show_colours)

    @property
    def kind(self) -> str:
        """The kind of part that is marked, empty for none."""
        return next((kind for kind, chip in self._chips.items() if chip.isChecked()), "")

    def choose(self, kind: str) -> None:
        """Mark this kind of part; an empty one marks nothing."""
        for other, chip in self._chips.items():
            chip.setChecked(other == kind)
        self.changed.emit()

    def show_parts(self, parts: Sequence[tuple[str, int]]) -> None:
        """Show parts, each as (kind, tokens). Those without tokens have no chip."""
        self._parts = tuple(kind for kind, tokens in parts if tokens > 0)
        for kind, tokens in parts:
            self._chips[kind].set_text(f"{kind_word(kind)} {figure(self.locale(), tokens)}")
        for kind, chip in self._chips.items():
            chip.setVisible(kind in self._parts)
        self._show_colours()
        self.setVisible(bool(self._parts))
        self._fit()

    def _fit(self) -> None:
        """Hide the caption if the chips need its room to stay on one line."""
        chips = [chip for chip in self._chips.values() if not chip.isHidden()]
        needed = sum(one.sizeHint().width() + CHIP_GAP for one in (self._label, *chips)) - CHIP_GAP
        self._label.setVisible(needed <= self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @Slot()
    def _show_colours(self) -> None:
        for kind, role in zip(self._parts, ROLES, strict=False):
            square = QPixmap(QSize(SQUARE + 2, SQUARE))
            square.fill(Qt.GlobalColor.transparent)
            with QPainter(square) as painter:
                painter.fillRect(0, 0, SQUARE, SQUARE, self._theme.colour(role))
            self._chips[kind].setIcon(QIcon(square))

    @Slot()
    def _on_clicked(self) -> None:
        chip = self.sender()
        self.choose(next((kind for kind, one in self._chips.items() if one is chip and one.isChecked()), ""))


class RequestResult(QWidget):
    """View of the newest reply."""

    def __init__(self, theme: Theme, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._locale = QLocale()
        self._reply: RequestReply | None = None
        self._shown_text: str | None = None
        self._make(theme, settings)
        self._place()
        self.tint.changed.connect(self._show_tint)
        self.view.cursorPositionChanged.connect(self._show_place)

    @property
    def reply(self) -> RequestReply | None:
        """Reply that is shown."""
        return self._reply

    def show_reply(self, reply: RequestReply) -> None:
        """Show a reply. One with a problem keeps the previous text, without figures."""
        self._reply = reply
        self.problem.say(reply.problem, "error")
        self.notes.say(" ".join(reply.tally.notes) if reply.tally else "")
        self.special.say(special_words(reply.special_texts), "warning")
        if reply.tally is None or reply.patch is None:
            self.total.setText(self.tr("Not counted"))
            self.parts.setText("")
            self._show_bar(())
            self.tint.show_parts(())
            return
        self.total.setText(total(reply.tally, self._locale))
        self.parts.setText(breakdown(reply.tally, self._locale))
        self._show_bar([(kind_word(part.kind), part.tokens) for part in reply.tally.parts])
        self.tint.show_parts([(part.kind, part.tokens) for part in reply.tally.parts])
        if reply.text != self._shown_text:
            self._shown_text = reply.text
            self.view.load_text(reply.text)
        self.view.apply_patch(self.view.revision, reply.patch)
        self.cut.say(self.tr("Preview truncated. The whole text is counted.") if reply.is_cut else "")
        self._show_tint()
        self._show_place()

    @Slot()
    def _show_tint(self) -> None:
        kind = self.tint.kind
        pieces = [piece for piece in self._reply.pieces if piece.kind == kind] if self._reply else []
        # Join adjacent spans: a header of five special tokens is one unit for the reader.
        starts: list[int] = []
        ends: list[int] = []
        for piece in pieces:
            if ends and ends[-1] == piece.start:
                ends[-1] = piece.end
            else:
                starts.append(piece.start)
                ends.append(piece.end)
        self.view.highlight_matches(starts, ends)

    @Slot()
    def _show_place(self) -> None:
        """Describe the part at the caret."""
        reply = self._reply
        if reply is None or not reply.pieces:
            self.place.setText("")
            return
        at = bisect_right([piece.start for piece in reply.pieces], self.view.caret_offset()) - 1
        self.place.setText(
            self.tr("At the caret: {what}").format(
                what=place_words(reply.pieces[max(0, at)], reply.draft.messages, self._locale)
            )
        )

    def _show_bar(self, parts: Sequence[tuple[str, int]]) -> None:
        """Show parts, each as (name, tokens), at most one for each of ``ROLES``."""
        found = [part for part in parts if part[1] > 0][: len(ROLES)]
        words = ", ".join(f"{name} {figure(self.locale(), tokens)}" for name, tokens in found)
        shown = [Part(tokens, role) for (_name, tokens), role in zip(found, ROLES, strict=False)]
        self.bar.show_parts(shown, self.tr("Parts of the request: {parts}").format(parts=words))

    def _make(self, theme: Theme, settings: SettingsStore) -> None:
        self.total = QLabel(objectName="requestTotal")
        self.total.setTextFormat(Qt.TextFormat.PlainText)
        self.total.setProperty("role", "section")
        self.bar = PartsBar(theme, "requestPartsBar")
        self.parts = QLabel(objectName="requestOverhead")
        self.parts.setAccessibleName(self.tr("Tokens by part"))
        self.parts.setTextFormat(Qt.TextFormat.PlainText)
        self.parts.setWordWrap(True)
        self.parts.setProperty("role", "caption")
        self.parts.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.problem, self.special, self.notes, self.cut = (Remark(theme) for _ in range(4))
        self.problem.setObjectName("requestProblem")
        self.special.setObjectName("requestSpecial")
        self.notes.setObjectName("requestNotes")
        self.tint = PartChips(theme)
        self.view = TokenView(theme, settings, self)
        self.view.setObjectName("requestText")
        self.view.setProperty("kind", "flat")
        self.view.setAccessibleName(self.tr("Request as rendered for the model"))
        self.place = QLabel(objectName="requestPlace")
        self.place.setTextFormat(Qt.TextFormat.PlainText)
        self.place.setProperty("role", "caption")

    def _place(self) -> None:
        body = QVBoxLayout(self)
        body.setContentsMargins(12, 8, 16, 8)
        body.setSpacing(6)
        for widget in (self.total, self.bar, self.tint, self.parts, self.problem, self.special, self.notes):
            body.addWidget(widget)
        body.addWidget(self.view, 1)
        body.addWidget(self.cut)
        body.addWidget(self.place)
