"""Colours for YAML: names, texts, numbers, comments. Names are bold and comments slanted, so colour is not all."""

from __future__ import annotations

import re

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from gui.editor.offsets import utf16_length
from gui.look.theme import Theme

_PARTS = re.compile(
    r"""(?P<comment>(?<!\S)\#.*)
    |(?P<key>(?:"[^"]*"|'[^']*'|[^\s{}\[\],#"':&*!|>%@`-][^{}\[\],#"']*?)(?=\s*:(?:\s|$)))
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:''|[^'])*')
    |(?P<number>(?<![^\s\[{,:])[-+]?[0-9][0-9_.:-]*[kKmM]?(?![^\s\]},])|(?<![^\s\[{,])(?:null|true|false|~)(?![^\s\]},]))
    """,
    re.VERBOSE,
)
"""What has a colour of its own in a line. Price files have no text of several lines worth telling apart."""


CHARACTERS_A_TURN = 8_000
"""So many are coloured in one turn of the event loop; that takes six milliseconds."""
LINE_COSTS = 20
"""A line, one without any as well, counts as so many characters more."""
LONGEST_LINE = 10_000
"""What is behind so many characters of a line has no colours."""
LINES_A_TURN = 2_000
"""So many are looked at in one turn, coloured by then or not."""


class YamlHighlighter(QSyntaxHighlighter):
    """Colours the lines of a document as they change; those of a big change, or of a new theme, over several turns of
    the event loop. The state of a block is the number of the look that it has."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._formats: dict[str, QTextCharFormat] = {}
        self._look = 1
        self._left = CHARACTERS_A_TURN
        self._next: int | None = None  # the line from which on some may wait for their look
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._go_on)
        self._make_formats()
        theme.changed.connect(self._on_theme_changed)

    def highlightBlock(self, text: str) -> None:
        if not self._turn.isActive():
            self._turn.start()
        if self._next is not None:  # lines that wait may have moved up to here
            self._wait_from(self.currentBlock().blockNumber())
        if self._left <= 0:
            self._wait_from(self.currentBlock().blockNumber())
            if self.currentBlockState() == self._look:
                self.setCurrentBlockState(0)
            return
        text = text[:LONGEST_LINE]
        self._left -= len(text) + LINE_COSTS
        ascii_only = text.isascii()
        for part in _PARTS.finditer(text):
            start, end = part.span()
            if not ascii_only:
                start, end = utf16_length(text[:start]), utf16_length(text[:end])
            self.setFormat(start, end - start, self._formats[part.lastgroup or ""])
        self.setCurrentBlockState(self._look)

    def _wait_from(self, line: int) -> None:
        self._next = line if self._next is None else min(self._next, line)

    @Slot()
    def _go_on(self) -> None:
        self._left = CHARACTERS_A_TURN
        if self._next is None:
            return
        block = self.document().findBlockByNumber(self._next)
        self._next = None
        for _ in range(LINES_A_TURN):
            if not block.isValid():
                return
            if self._left <= 0:
                break
            if block.userState() != self._look:
                self.rehighlightBlock(block)
            block = block.next()
        if block.isValid():
            self._wait_from(block.blockNumber())
            self._turn.start()

    def _make_formats(self) -> None:
        for name in ("key", "text", "number", "comment"):
            made = QTextCharFormat()
            made.setForeground(self._theme.colour(f"syntax_{name}"))
            self._formats[name] = made
        self._formats["key"].setFontWeight(QFont.Weight.Bold)
        self._formats["comment"].setFontItalic(True)

    @Slot()
    def _on_theme_changed(self) -> None:
        self._make_formats()
        self._look += 1
        self._next = 0
        self._go_on()
