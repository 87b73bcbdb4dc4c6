"""Colours for YAML: names, texts, numbers, comments. Names are bold and comments slanted, so colour is not all."""

from __future__ import annotations

import re

from PySide6.QtCore import Slot
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


class YamlHighlighter(QSyntaxHighlighter):
    """Colours the lines of a document as they change."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._formats: dict[str, QTextCharFormat] = {}
        self._make_formats()
        theme.changed.connect(self._on_theme_changed)

    def highlightBlock(self, text: str) -> None:
        ascii_only = text.isascii()
        for part in _PARTS.finditer(text):
            start, end = part.span()
            if not ascii_only:
                start, end = utf16_length(text[:start]), utf16_length(text[:end])
            self.setFormat(start, end - start, self._formats[part.lastgroup or ""])

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
        self.rehighlight()
