"""Figures of the prompt: tokens, characters, bytes, words, lines, bytes per token, tokens of the selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QTimer, Slot
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QLabel, QWidget

from gui.look.fonts import as_points, scale, set_weight
from gui.look.plain_text import PlainLabel
from gui.look.quantities import figure
from gui.look.style_sheet import TYPE
from gui.look.theme import Theme
from gui.widgets.layouts import FlowLayout

if TYPE_CHECKING:
    from gui.prompt.counting_service import PromptCounts

DIM_AFTER_MS = 250
"""Delay before figures of an older text are dimmed, in milliseconds; without it they would flicker at each key."""

STALE_EVERY_MS = 100
"""Minimum time between two stale figures shown, in milliseconds. A big paste passes through a hundred states a second,
and laying out and painting each takes longer than counting it."""


class CountBar(QWidget):
    """Row of the newest counts. Figures of an older text are slanted and end in dots until the new ones arrive."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._counts: PromptCounts | None = None
        self._stale = self._dimmed = False
        self._since_shown = QElapsedTimer()
        self._selected = -1
        self.setObjectName("countBar")
        self.setAccessibleName(self.tr("Figures of the prompt"))
        layout = FlowLayout(self, 14)
        layout.setContentsMargins(16, 4, 16, 6)
        self._tokens = self._label("tokenCount")
        self._characters = self._label("characterCount")
        self._bytes = self._label("byteCount")
        self._words = self._label("wordCount")
        self._lines = self._label("lineCount")
        self._density = self._label("bytesPerToken")
        self._density.setToolTip(self.tr("UTF-8 bytes per token. Higher is better."))
        self._selection = self._label("selectionTokens")
        self._dim_timer = QTimer(self)
        self._dim_timer.setSingleShot(True)
        self._dim_timer.setInterval(DIM_AFTER_MS)
        self._dim_timer.timeout.connect(self._dim)
        theme.changed.connect(self._style)
        self._style()
        self._show()

    def _label(self, name: str) -> QLabel:
        label = PlainLabel(self)
        label.setObjectName(name)
        self.layout().addWidget(label)
        return label

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
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.colour("stale"))
        size = as_points(round(TYPE["caption"] * scale()))
        for label in (
            self._tokens,
            self._characters,
            self._bytes,
            self._words,
            self._lines,
            self._density,
            self._selection,
        ):
            font = label.font()
            font.setPointSizeF(size)
            font.setItalic(self._dimmed)
            set_weight(font, QFont.Weight.DemiBold if label is self._tokens else QFont.Weight.Normal)
            label.setFont(font)
            label.setPalette(palette)

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
