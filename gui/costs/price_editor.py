"""The editor of the user's price file: line numbers, colours, underlined problems, completion of names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QRect, Qt, Signal, Slot
from PySide6.QtGui import (
    QKeyEvent,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from gui.costs.key_completion import KeyCompletion
from gui.costs.yaml_highlighter import YamlHighlighter
from gui.costs.yaml_position import KeyPlace, key_place
from gui.editor.offsets import utf16_length
from gui.look.corner import plain_corner
from gui.look.fonts import fixed_font
from gui.look.theme import Theme
from gui.panels.line_numbers import LineNumbers
from gui.panels.when_seen import WhenSeen

if TYPE_CHECKING:
    from gui.costs.price_text_service import Splice
    from pricing.types import Problem

INDENT = "  "
MOST_LINES_UP = 2_000
"""How far above the caret the name of a block is looked for."""

FieldsBelow = Callable[[tuple[str, ...]], Sequence[tuple[str, str, bool]]]


class PriceEditor(QPlainTextEdit):
    """Holds the text. What it means is told to it.

    Signals: ``edited()`` after every change of the text.
    """

    edited = Signal()

    def __init__(self, theme: Theme, fields_below: FieldsBelow) -> None:
        """``fields_below``: the names that may stand at a place of the file, as ``price_facts.fields_below``."""
        super().__init__(objectName="pricingEditor")
        self._theme, self._fields_below = theme, fields_below
        self._problems: tuple[Problem, ...] = ()
        self.revision = 0
        self.setAccessibleName(self.tr("Your price file, as YAML"))
        self.setFont(fixed_font())
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)  # lines are indented by Enter, and the keyboard has to get out again
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(INDENT))
        self.setCornerWidget(plain_corner(self))
        self._numbers = LineNumbers(self, theme)
        self._colours = YamlHighlighter(self.document(), theme)
        self.completion = KeyCompletion(self)
        self.document().contentsChange.connect(self._on_contents_change)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._on_update_request)
        theme.changed.connect(WhenSeen(self, self._on_theme_changed).ask)
        self._make_room()

    def text(self) -> str:
        """The whole text, as it is: Qt's own way makes spaces of no-break spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    @property
    def unsaved(self) -> bool:
        """Whether the text is another than that of the file."""
        return self.document().isModified()

    def setPlainText(self, text: str) -> None:
        """Replace the text, as somebody who writes it would: it is not that of the file."""
        super().setPlainText(text)
        self.document().setModified(True)

    def show_file(self, text: str) -> None:
        """Show the text of the file. There is nothing to undo then."""
        super().setPlainText(text)
        self.document().setModified(False)

    def apply(self, splice: Splice) -> None:
        """Change the text in one step that can be undone, and show where."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(splice.start_utf16)
        cursor.setPosition(splice.start_utf16 + splice.removed_utf16, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(splice.inserted)
        cursor.setPosition(splice.start_utf16 + utf16_length(splice.inserted.rstrip("\n")))
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def replace_all(self, text: str) -> None:
        """Another text in one step that can be undone."""
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)

    def go_to(self, line: int, column: int = 1) -> None:
        """Put the caret to a line and a column (characters), both from 1."""
        block = self.document().findBlockByNumber(max(0, line - 1))
        if block.isValid():
            cursor = QTextCursor(self.document())
            cursor.setPosition(block.position() + utf16_length(block.text()[: max(0, column - 1)]))
            self.setTextCursor(cursor)
            self.centerCursor()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        return self.blockCount()

    @property
    def caret_line(self) -> int:
        """The line of the caret, from 1."""
        return self.textCursor().blockNumber() + 1

    def go_to_line(self, line: int) -> None:
        """Put the caret to the beginning of a line, from 1."""
        self.go_to(line)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Underline these places, and mark their lines."""
        self._problems = tuple(problems)
        self._underline()
        self._numbers.problem_lines = frozenset(problem.line for problem in problems)
        self._numbers.update()

    def place_of_caret(self) -> KeyPlace | None:
        """Where the caret is, if the name of a field may stand there."""
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        return key_place(before, (block.text() for block in islice(_upwards(cursor.block()), MOST_LINES_UP)))

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Files that are dropped are no text for this one: they are price tables, for the panel around it."""
        return not source.hasUrls() and super().canInsertFromMimeData(source)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.completion.takes(event):
            event.ignore()
            return
        if event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.complete()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers() and not self.isReadOnly():
            self._break_line()
            return
        super().keyPressEvent(event)
        if event.text().strip():
            self.complete(begun_only=True)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab takes a name from the list that is shown, and else goes on."""
        return not self.completion.shown and super().focusNextPrevChild(forward)

    def complete(self, *, begun_only: bool = False) -> None:
        """Offer the names that may stand at the caret. ``begun_only``: not before a letter is written."""
        place = None if self.isReadOnly() else self.place_of_caret()
        if place is None or (begun_only and not place.word):
            self.completion.hide()
            return
        fields = self._fields_below(place.path)
        if place.braces:  # what follows a name stands on the same line
            fields = [(name, about, False) for name, about, _opens in fields]
        self.completion.offer(place.word, fields)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self._numbers.setGeometry(QRect(area.left(), area.top(), self._numbers.width_needed(), area.height()))

    def _break_line(self) -> None:
        """A new line begins where the one before does, further in behind a name with nothing behind it."""
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        indent = before[: len(before) - len(before.lstrip(" "))]
        opens = before.rstrip().endswith(":") and not before.lstrip().startswith("#")
        cursor.insertText("\n" + indent + (INDENT if opens else ""))
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def _underline(self) -> None:
        marks = []
        look = QTextCharFormat()
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        look.setUnderlineColor(self._theme.colour("error"))
        look.setBackground(self._theme.colour("error_base"))
        look.setForeground(self._theme.colour("window_text"))
        for problem in self._problems:
            block = self.document().findBlockByNumber(problem.line - 1)
            if not problem.line or not block.isValid():
                continue
            text = block.text()
            start = min(max(problem.column - 1, 0), len(text))
            # A place at the end of a line has nothing to underline but what stands before it.
            rest = text[start:].split(" #")[0].rstrip()
            first, last = (start, start + len(rest)) if rest else (len(text) - len(text.lstrip()), len(text))
            cursor = QTextCursor(block)
            cursor.setPosition(block.position() + utf16_length(text[:first]))
            cursor.setPosition(block.position() + utf16_length(text[:last]), QTextCursor.MoveMode.KeepAnchor)
            mark = QTextEdit.ExtraSelection()
            mark.cursor = cursor
            mark.format = look
            marks.append(mark)
        self.setExtraSelections(marks)

    @Slot(int, int, int)
    def _on_contents_change(self, _position: int, _removed: int, _added: int) -> None:
        self.revision += 1
        self.edited.emit()

    @Slot()
    def _make_room(self) -> None:
        self.setViewportMargins(self._numbers.width_needed(), 0, 0, 0)
        self._numbers.resize(self._numbers.width_needed(), self._numbers.height())

    @Slot(QRect, int)
    def _on_update_request(self, area: QRect, moved: int) -> None:
        if moved:
            self._numbers.scroll(0, moved)
        else:
            self._numbers.update(0, area.y(), self._numbers.width(), area.height())

    @Slot()
    def _on_theme_changed(self) -> None:
        self._underline()
        self._numbers.update()


def _upwards(block: QTextBlock) -> Iterator[QTextBlock]:
    """The lines above a line, the nearest first."""
    above = block.previous()
    while above.isValid():
        yield above
        above = above.previous()
