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


class YamlHighlighter(QSyntaxHighlighter):
    """Colours the lines of a document as they change; those of a big change, or of a new theme, over several turns of
    the event loop."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._formats: dict[str, QTextCharFormat] = {}
        self._left = CHARACTERS_A_TURN
        self._waiting: tuple[int, int] | None = None  # numbers of lines: from the first to behind the last
        self._lines = document.blockCount()
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._go_on)
        self._make_formats()
        document.blockCountChanged.connect(self._on_block_count)
        theme.changed.connect(self._on_theme_changed)

    def highlightBlock(self, text: str) -> None:
        if not self._turn.isActive():
            self._turn.start()
        late = self._left <= 0
        if late or self._waiting is not None:  # lines that wait may have moved up to here
            self._wait(self.currentBlock().blockNumber(), late=late)
        if late:
            return
        text = text[:LONGEST_LINE]
        self._left -= len(text) + LINE_COSTS
        ascii_only = text.isascii()
        for part in _PARTS.finditer(text):
            start, end = part.span()
            if not ascii_only:
                start, end = utf16_length(text[:start]), utf16_length(text[:end])
            self.setFormat(start, end - start, self._formats[part.lastgroup or ""])

    def _wait(self, line: int, *, late: bool) -> None:
        first, last = self._waiting or (line, line)
        self._waiting = min(first, line), max(last, line + 1) if late else last

    @Slot(int)
    def _on_block_count(self, lines: int) -> None:
        if self._waiting is not None and lines > self._lines:
            first, last = self._waiting
            self._waiting = first, last + lines - self._lines
        self._lines = lines

    @Slot()
    def _go_on(self) -> None:
        self._left = CHARACTERS_A_TURN
        if self._waiting is None:
            return
        (line, last), self._waiting = self._waiting, None
        block = self.document().findBlockByNumber(line)
        while block.isValid() and line < last and self._left > 0:
            self.rehighlightBlock(block)
            block, line = block.next(), line + 1
        if block.isValid() and line < last:
            self._waiting = line, last
            self._turn.start()
        self._left = CHARACTERS_A_TURN  # for what is typed before the next turn

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
        self._waiting = 0, self._lines
        self._turn.start()
