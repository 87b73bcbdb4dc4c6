"""Editor of the user's price file: YAML positions, colours, line numbers, underlined problems, completion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, tee
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QMimeData, QModelIndex, QObject, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QStandardItem,
    QStandardItemModel,
    QSyntaxHighlighter,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QCompleter, QPlainTextEdit, QTextEdit, QWidget

from gui.editor.offsets import utf16_length
from gui.look.fonts import fixed_font
from gui.look.style_sheet import plain_corner
from gui.look.theme import Theme
from gui.runtime.event_loop import WhenShown
from gui.widgets.tool_row import DESCRIPTION, DescribedDelegate

if TYPE_CHECKING:
    from gui.costs.prices_service import Splice
    from pricing.types import Problem


# --- positions in YAML ------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"\\]|\\.)*"?|'[^']*'?)|(?P<comment>(?:^|(?<=\s))\#[^\n]*)|(?P<open>[{\[])|(?P<close>[}\]])"""
    r"""|(?P<comma>,)|(?P<colon>:(?=\s|$|[{\[]))|(?P<plain>[^\s{}\[\],:"']+|\s+|.)""",
    re.VERBOSE,
)
_VALUE_BEGINS = re.compile(r"(?:^|:\s|-\s)\s*$")
_WORD = re.compile(r"[A-Za-z_0-9]*")
ITEM = "0"
"""Path element for an item of a list, whatever its index."""


class InBraces(NamedTuple):
    """Position inside braces where a key may be typed: the text before the outermost open bracket, the path of keys
    from there, and the typed start of the key."""

    before: str
    path: tuple[str, ...]
    word: str


@dataclass
class _Bracket:
    """Open bracket, with the entry begun last in it: the part of its key read so far, and whether it is complete."""

    is_list: bool
    begin: int
    name: str = ""
    named: bool = False


def in_braces(text: str) -> InBraces | None:
    """Return the position at the end of a text; None if no bracket is open, or no key can begin there."""
    brackets: list[_Bracket] = []
    for token in _TOKEN.finditer(text):
        if token["open"]:
            # A bracket within plain words belongs to them, unless the words are in brackets themselves.
            if brackets or _VALUE_BEGINS.search(text[: token.start()]):
                brackets.append(_Bracket(token["open"] == "[", token.start()))
        elif not brackets or token["comment"]:
            continue
        elif token["close"]:
            brackets.pop()
        elif token["comma"]:
            brackets[-1].name, brackets[-1].named = "", False
        elif token["colon"]:
            brackets[-1].named = True
        elif not brackets[-1].named:
            brackets[-1].name += token.group()
    if not brackets or brackets[-1].is_list or brackets[-1].named:
        return None
    word = brackets[-1].name.lstrip()
    if _WORD.fullmatch(word) is None:
        return None
    way = (ITEM if outer.is_list else outer.name.strip().strip("\"'") for outer in brackets[:-1])
    return InBraces(text[: brackets[0].begin], tuple(way), word)


_BEGUN = re.compile(r"(?P<indent> *)(?P<dashes>(?:- +)*)(?P<word>[A-Za-z_0-9]*)")
_KEY = re.compile(r"""(?P<indent> *)(?P<dashes>(?:- +)*)(?P<key>"[^"]*"|'[^']*'|[^\s#"'][^#]*?)\s*:(?:\s|$)""")
MAX_LINES_IN_BRACES = 20
"""Maximum number of lines above the caret that are searched for an open brace."""


class KeyPosition(NamedTuple):
    """Position where the key of a field may be typed: its path, and the typed start of the key."""

    path: tuple[str, ...]
    word: str
    braces: bool = False


def key_position(before_caret: str, lines_above: Iterable[str]) -> KeyPosition | None:
    """Return the position at the end of ``before_caret``, the line up to the caret. ``lines_above``: nearest first.

    Returns None if no key can begin there: after a colon, in a comment, in a list.
    """
    nearest, lines_above = tee(lines_above)
    skipped, braces = _open_brace(before_caret, islice(nearest, MAX_LINES_IN_BRACES))
    if braces is not None:
        return _key_in_braces(braces, islice(lines_above, skipped, None))
    begun = _BEGUN.fullmatch(before_caret)
    if begun is None:
        return None
    way: list[str] = []
    limit = len(begun["indent"]) + len(begun["dashes"])
    same_column = False  # a list may be in the column of the key it belongs to
    if begun["dashes"]:
        way.append(ITEM)
        limit, same_column = len(begun["indent"]), True
    for line in lines_above:
        if limit == 0 and not same_column:
            break
        found = _KEY.match(line)
        if found is None:
            continue
        dash_column = len(found["indent"])
        column = dash_column + len(found["dashes"])
        if column < limit or (column == limit and same_column and not found["dashes"]):
            way.append(found["key"].strip("\"'"))
            limit, same_column = column, False
        if found["dashes"] and dash_column < limit and limit <= column:
            way.append(ITEM)
            limit, same_column = dash_column, True
    return KeyPosition(tuple(reversed(way)), begun["word"])


def _open_brace(before_caret: str, nearest: Iterable[str]) -> tuple[int, InBraces | None]:
    """Return the position in the braces open at the caret, and how many lines above the caret they begin."""
    text, lines = before_caret, 0
    found = in_braces(text)
    for line in nearest:
        if found is not None or _KEY.match(text) is not None:
            break  # a key at the start of a line is not in braces, or it would have been read as in them
        text, lines = f"{line}\n{text}", lines + 1
        found = in_braces(text)
    return lines, found


def _key_in_braces(braces: InBraces, lines_above: Iterable[str]) -> KeyPosition | None:
    """Return the path that leads to the outermost brace, and on from there to the caret."""
    line = braces.before.rpartition("\n")[2]
    owner = _KEY.match(line)
    outside = key_position(owner["indent"] + owner["dashes"] if owner else line, lines_above)
    if outside is None:
        return None
    name = (owner["key"].strip("\"'"),) if owner else ()
    return KeyPosition((*outside.path, *name, *braces.path), braces.word, braces=True)


# --- colours ----------------------------------------------------------------------------------------------------------

_PARTS = re.compile(
    r"""(?P<comment>(?<!\S)\#.*)
    |(?P<key>(?:"[^"]*"|'[^']*'|[^\s{}\[\],#"':&*!|>%@`-][^{}\[\],#"']*?)(?=\s*:(?:\s|$)))
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:''|[^'])*')
    |(?P<number>(?<![^\s\[{,:])[-+]?[0-9][0-9_.:-]*[kKmM]?(?![^\s\]},])|(?<![^\s\[{,])(?:null|true|false|~)(?![^\s\]},]))
    """,
    re.VERBOSE,
)
"""Elements of a line that have their own colour. Multi-line strings are not worth colouring in price files."""


CHARACTERS_A_TURN = 8_000
"""Number of characters coloured in one turn of the event loop, which takes 6 ms."""
LINE_COSTS = 20
"""Cost of a line, even if empty, in addition to its characters and in the same unit."""
LONGEST_LINE = 10_000
"""Number of characters of a line after which it is not coloured."""


class YamlHighlighter(QSyntaxHighlighter):
    """Highlighter that colours the lines of a document as they change. Big changes, and a new theme, are spread over
    several turns of the event loop."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._formats: dict[str, QTextCharFormat] = {}
        self._left = CHARACTERS_A_TURN
        self._waiting: tuple[int, int] | None = None  # line numbers: start and end (exclusive)
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
        if late or self._waiting is not None:  # waiting lines may have moved up to here
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
        self._left = CHARACTERS_A_TURN  # for typing before the next turn

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


# --- completion -------------------------------------------------------------------------------------------------------

TAKING_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape)
"""Keys that the list handles while it is shown."""
WIDEST = 560
TEXT = Qt.ItemDataRole.UserRole + 2
"""Role of the text that is inserted for a key."""


class KeyCompletion(QObject):
    """Completion list below the caret: arrow keys select, Enter or Tab accept, Escape closes."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        self._word = ""
        self.names = QStandardItemModel(self)
        self._completer = QCompleter(self.names, self)
        self._completer.setWidget(editor)
        self._completer.activated[QModelIndex].connect(self._take)
        popup = self._completer.popup()
        popup.setItemDelegate(DescribedDelegate(popup))
        popup.setAccessibleName(self.tr("Names allowed here"))

    @property
    def shown(self) -> bool:
        """True if the list is shown."""
        return self._completer.popup().isVisible()

    def takes(self, event: QKeyEvent) -> bool:
        """Return True if the list handles this key."""
        return self.shown and event.key() in TAKING_KEYS

    def hide(self) -> None:
        """Hide the list."""
        self._completer.popup().hide()

    def offer(self, word: str, fields: Sequence[tuple[str, str, bool]]) -> None:
        """Show the keys that begin with ``word``: name, meaning, and True if a block follows."""
        fitting = [field for field in fields if field[0].startswith(word) and field[0] != word]
        if not fitting:
            self.hide()
            return
        self._word = word
        self.names.clear()
        metrics, widest = self._editor.fontMetrics(), 0
        for name, meaning, opens in fitting:
            item = QStandardItem(name)
            item.setData(meaning, DESCRIPTION)
            item.setData(f"{name}, {meaning}", Qt.ItemDataRole.AccessibleTextRole)
            item.setData(f"{name}:" if opens else f"{name}: ", TEXT)
            self.names.appendRow(item)
            widest = max(widest, metrics.horizontalAdvance(f"{name}    {meaning}"))
        self._completer.setCompletionPrefix("")
        popup = self._completer.popup()
        area = self._editor.cursorRect()
        area.translate(self._editor.viewport().pos())
        area.setWidth(min(widest + 40, WIDEST))
        self._completer.complete(area)
        popup.setCurrentIndex(self._completer.completionModel().index(0, 0))

    @Slot(QModelIndex)
    def _take(self, index: QModelIndex) -> None:
        cursor = self._editor.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(self._word))
        cursor.insertText(str(index.data(TEXT)))
        self._editor.setTextCursor(cursor)


# --- the editor -------------------------------------------------------------------------------------------------------

INDENT = "  "
MAX_LINES_UP = 2_000
"""Maximum number of lines above the caret that are searched for the key of a block."""

FieldsBelow = Callable[[tuple[str, ...]], Sequence[tuple[str, str, bool]]]


PADDING = 6
SIGN = "●"
"""Mark beside a line with a problem."""


class LineNumbers(QWidget):
    """Margin with the numbers of the visible lines. ``problem_lines``: line numbers from 1 that get a mark."""

    def __init__(self, editor: QPlainTextEdit, theme: Theme) -> None:
        super().__init__(editor)
        self._editor, self._theme = editor, theme
        self.problem_lines: frozenset[int] = frozenset()

    def width_needed(self) -> int:
        """Return the width for the largest number and the mark."""
        digits = max(2, len(str(self._editor.blockCount())))
        return 2 * PADDING + self.fontMetrics().horizontalAdvance("9" * digits + SIGN)

    def sizeHint(self) -> QSize:
        return QSize(self.width_needed(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        editor = self._editor
        with QPainter(self) as painter:
            painter.setFont(editor.font())
            painter.fillRect(event.rect(), self._theme.colour("alternate_base"))
            block = editor.firstVisibleBlock()
            top = editor.blockBoundingGeometry(block).translated(editor.contentOffset()).top()
            height = editor.fontMetrics().height()
            while block.isValid() and top <= event.rect().bottom():
                number = block.blockNumber() + 1
                area = QRect(PADDING, round(top), self.width() - 2 * PADDING, height)
                painter.setPen(self._theme.colour("stale"))
                painter.drawText(area, Qt.AlignmentFlag.AlignRight, str(number))
                if number in self.problem_lines:
                    painter.setPen(self._theme.colour("error"))
                    painter.drawText(area, Qt.AlignmentFlag.AlignLeft, SIGN)
                top += editor.blockBoundingRect(block).height()
                block = block.next()


class PriceEditor(QPlainTextEdit):
    """Editor of the price file's text. Its meaning, such as problems, is set from outside.

    Signals: ``edited()`` after every change of the text.
    """

    edited = Signal()

    def __init__(self, theme: Theme, fields_below: FieldsBelow) -> None:
        """``fields_below``: returns the fields allowed at a path of the file, like that of ``price_facts_service``."""
        super().__init__(objectName="pricingEditor")
        self._theme, self._fields_below = theme, fields_below
        self._problems: tuple[Problem, ...] = ()
        self.revision = 0
        self.setAccessibleName(self.tr("Your price file, as YAML"))
        self.setFont(fixed_font())
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)  # Enter indents lines, and Tab must be able to leave the editor
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(INDENT))
        self.setCornerWidget(plain_corner(self))
        self._numbers = LineNumbers(self, theme)
        self._colours = YamlHighlighter(self.document(), theme)
        self.completion = KeyCompletion(self)
        self.document().contentsChange.connect(self._on_contents_change)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._on_update_request)
        theme.changed.connect(WhenShown(self, self._on_theme_changed).ask)
        self._make_room()

    def text(self) -> str:
        """Return the whole text unchanged: Qt's ``toPlainText`` converts no-break spaces to spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    @property
    def unsaved(self) -> bool:
        """True if the text differs from the file."""
        return self.document().isModified()

    def setPlainText(self, text: str) -> None:
        """Replace the text as an edit, so that it differs from the file."""
        super().setPlainText(text)
        self.document().setModified(True)

    def show_file(self, text: str) -> None:
        """Show the text of the file, and clear the undo history."""
        super().setPlainText(text)
        self.document().setModified(False)

    def apply(self, splice: Splice) -> None:
        """Change the text as one undo step, and scroll to the change."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(splice.start_utf16)
        cursor.setPosition(splice.start_utf16 + splice.removed_utf16, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(splice.inserted)
        cursor.setPosition(splice.start_utf16 + utf16_length(splice.inserted.rstrip("\n")))
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def replace_all(self, text: str) -> None:
        """Replace the text as one undo step."""
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)

    def go_to(self, line: int, column: int = 1) -> None:
        """Move the caret to a line and a column (in characters), both from 1."""
        block = self.document().findBlockByNumber(max(0, line - 1))
        if block.isValid():
            cursor = QTextCursor(self.document())
            cursor.setPosition(block.position() + utf16_length(block.text()[: max(0, column - 1)]))
            self.setTextCursor(cursor)
            self.centerCursor()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def line_count(self) -> int:
        """Number of lines."""
        return self.blockCount()

    @property
    def caret_line(self) -> int:
        """Line of the caret, from 1."""
        return self.textCursor().blockNumber() + 1

    def go_to_line(self, line: int) -> None:
        """Move the caret to the beginning of a line, from 1."""
        self.go_to(line)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Underline these problems, and mark their lines."""
        self._problems = tuple(problems)
        self._underline()
        self._numbers.problem_lines = frozenset(problem.line for problem in problems)
        self._numbers.update()

    def caret_position(self) -> KeyPosition | None:
        """Return the position of the caret if the key of a field may be typed there, else None."""
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        return key_position(before, (block.text() for block in islice(_upwards(cursor.block()), MAX_LINES_UP)))

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Refuse dropped files: they are price tables, which the panel around the editor handles."""
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
        """Accept the selected key with Tab while the list is shown; otherwise move the focus."""
        return not self.completion.shown and super().focusNextPrevChild(forward)

    def complete(self, *, begun_only: bool = False) -> None:
        """Show the keys that may be typed at the caret. ``begun_only``: only after the first letter."""
        position = None if self.isReadOnly() else self.caret_position()
        if position is None or (begun_only and not position.word):
            self.completion.hide()
            return
        fields = self._fields_below(position.path)
        if position.braces:  # the value is on the same line
            fields = [(name, about, False) for name, about, _opens in fields]
        self.completion.offer(position.word, fields)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self._numbers.setGeometry(QRect(area.left(), area.top(), self._numbers.width_needed(), area.height()))

    def _break_line(self) -> None:
        """Begin a new line with the indent of the one before, and deeper after a key without a value."""
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
            # At the end of a line there is nothing to underline, so underline the text before it.
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
    """Yield the lines above a line, nearest first."""
    above = block.previous()
    while above.isValid():
        yield above
        above = above.previous()
