"""A text document that stores long lines in parts, but appears as the logical text.

Qt lays out a paragraph as a whole, so long lines are stored as several (see ``soft_breaks``). The separator before a
continuing part is a *soft break*; its block has a number in a user property of its block format, because undo and redo
restore block formats. The numbers are unique, so a block whose format was copied by a newline typed into it can be
distinguished from the original.

Everything this class exposes is logical: soft breaks are excluded from texts, offsets and edits. The document remains
the source of truth; changes reported by Qt are compared with a mirror of the text, and only real differences are
announced.

A change may need repairs (``SoftRepairs``). Some are caused by Qt: removing text over several blocks may leave the
remaining block with the format of another. Some follow from the edit: a part has become too long or very short, a break
is now inside a character, a line has changed its direction. Each repair becomes part of the undo step that caused it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from engine.types import TextEdit
from gui.editor.offsets import cut_at, utf16_length, without_units
from gui.editor.soft_breaks import SOFT_LIMIT, SoftBreaks, TextMirror, cut_points, splits_character
from gui.editor.text_transfer import LargeRemoval

_SOFT_BREAK = int(QTextFormat.Property.UserProperty) + 7
_KEEP = QTextCursor.MoveMode.KeepAnchor
_SEPARATOR = "\u2029"
_LONG = 65_536
"""Number of units from which text is read from its mirror, which takes a third of the time of the document."""


def for_qt(text: str) -> str:
    """Return ``text`` protected for Qt, which would read a leading U+FEFF or U+FFFE as a byte order mark."""
    return "\ufeff" + text if text.startswith(("\ufeff", "\ufffe")) else text


class SoftDocument(QObject):
    """The logical text of a QTextDocument; announces its edits."""

    edited = Signal(object)
    """Emitted with tuple[TextEdit, ...] after each change of the logical text, whatever caused it."""

    def __init__(self, document: QTextDocument, parent: QObject | None = None, *, limit: int = SOFT_LIMIT) -> None:
        super().__init__(parent)
        self._document = document
        self._limit = limit
        self._part_length = limit // 2
        self._breaks = SoftBreaks(length=document.characterCount() - 1)
        self._mirror = TextMirror(self._text_of_document(0, self.length))
        self._last_number = 0
        self._silent = False  # during our own format changes, or while the whole text is set
        self._inserted_breaks: list[int] | None = None  # while inserting: the soft breaks in the inserted text
        self._held_edits: list[TextEdit] | None = None  # while removing in parts: edits to announce together
        self._redo_was_available = False
        self._command_added = False
        self._repairs = SoftRepairs(self, document)
        # For changes that bypass the editor, such as by assistive tools.
        self._settle_is_near = False
        self._settle_timer = QTimer(self, singleShot=True)
        self._settle_timer.timeout.connect(self._repairs.settle)
        document.contentsChange.connect(self._on_contents_change)
        document.undoCommandAdded.connect(self._on_command_added)

    @property
    def layout(self) -> QAbstractTextDocumentLayout:
        """Qt's layout of the document."""
        return self._document.documentLayout()

    # The logical text

    @property
    def length(self) -> int:
        """Length of the logical text in UTF-16 units."""
        return self._breaks.logical_length

    @property
    def break_count(self) -> int:
        """Number of soft breaks."""
        return len(self._breaks)

    def text(self) -> str:
        """Return the whole logical text. O(length): never call it per key press."""
        return self.text_between(0, self.length)

    def text_between(self, start: int, end: int) -> str:
        """Return the logical text between two offsets, which must not be inside a surrogate pair."""
        if end - start > _LONG and not self._silent:
            return self._mirror.between(start, end)
        return self._text_of_document(start, end)

    def utf8_between(self, start: int, end: int) -> bytes:
        """Like ``text_between``, as UTF-8. Invalid characters become U+FFFD or a question mark."""
        if end - start > _LONG and not self._silent:
            return self._mirror.utf8_between(start, end)
        return self._text_of_document(start, end).encode("utf-8", "replace")

    def _text_of_document(self, start: int, end: int) -> str:
        first = self.to_document(start)
        last = self.to_document(end, before_break=True)
        if last <= first:
            return ""
        raw = self._read(first, last).replace(_SEPARATOR, "\n")
        return without_units(raw, [position - first for position in self._breaks.between(first, last)])

    def to_logical(self, position: int) -> int:
        """Return the logical offset of a document position."""
        return self._breaks.to_logical(position)

    def to_document(self, offset: int, *, before_break: bool = False) -> int:
        """Return the document position of a logical offset; at a soft break the one after it by default."""
        return self._breaks.to_document(offset, before_break=before_break)

    def is_break(self, position: int) -> bool:
        """Return True if the separator at this document position is soft."""
        return bool(len(self._breaks)) and self._breaks.is_break(position)

    def line_of(self, block: QTextBlock) -> int:
        """Return the logical line of a block, from 1."""
        position = block.position()
        return block.blockNumber() + 1 - (position - self.to_logical(position))

    def block_of_line(self, number: int) -> QTextBlock:
        """Return the block that begins a logical line; the last line if there are fewer."""
        document = self._document
        low, high = 0, document.blockCount() - 1
        while low < high:
            middle = (low + high) // 2
            if self.line_of(document.findBlockByNumber(middle)) < number:
                low = middle + 1
            else:
                high = middle
        return document.findBlockByNumber(low)

    def needs_care(self, block: QTextBlock, added: int = 0) -> bool:
        """Return True if editing inside this block may leave repairs for ``settle``.

        Qt puts a plain insertion or deletion on the undo stack such that nothing can join it. So edits in such a block
        must be wrapped in an edit block.
        """
        length = block.length() - 1
        if length + added > self._limit or not len(self._breaks):
            return length + added > self._limit
        start = block.position()
        return self._breaks.is_break(start - 1) or self._breaks.is_break(start + length)

    # Changing it

    def lay_out(self, text: str) -> tuple[str, list[int]]:
        """Return the document text for a logical text, and the document positions of its soft breaks."""
        if len(text) <= self._part_length:
            return text, []
        logical_lines = text.split("\n")
        if len(max(logical_lines, key=len)) <= self._part_length:
            return text, []
        lines: list[str] = []
        breaks: list[int] = []
        position = 0
        for line in logical_lines:
            cuts = self.cuts_of(line)
            if cuts:
                parts = cut_at(line, cuts)
                breaks.extend(position + cut + index for index, cut in enumerate(cuts))
                lines.extend(parts)
                position += cuts[-1] + len(cuts) + utf16_length(parts[-1]) + 1
            else:
                lines.append(line)
                position += (len(line) if line.isascii() else utf16_length(line)) + 1
        return "\n".join(lines), breaks

    def begin_replacing_all(self) -> None:
        """Prepare for setting the document's whole text from outside."""
        self._silent = True

    def end_replacing_all(self, text: str, breaks: list[int]) -> None:
        """Mark ``breaks`` in the document, which now holds ``text`` laid out with them, without an undo step."""
        document = self._document
        if breaks:
            undo = document.isUndoRedoEnabled()
            document.setUndoRedoEnabled(False)
            cursor = QTextCursor(document)
            cursor.beginEditBlock()
            for position in breaks:
                cursor.setPosition(position + 1)
                cursor.setBlockFormat(self.soft_format(cursor.block().previous()))
            cursor.endEditBlock()
            document.setUndoRedoEnabled(undo)
        self._silent = False
        self._breaks = SoftBreaks(breaks, document.characterCount() - 1)
        self._mirror = TextMirror(text)
        self._repairs.forget()
        self._redo_was_available = False

    def replace(self, start: int, end: int, text: str, *, join: bool = False) -> None:
        """Replace logical text as one undo step, or as part of the previous step if ``join``.

        ``text`` must not contain what ``offsets.document_text`` replaces.
        """
        self.insert(self.selecting(start, end), text, join=join)

    def selecting(self, start: int, end: int) -> QTextCursor:
        """Return a cursor that selects the text between two logical offsets."""
        first = self.to_document(start)
        cursor = QTextCursor(self._document)
        cursor.setPosition(first)
        cursor.setPosition(max(first, self.to_document(end, before_break=True)), _KEEP)
        return cursor

    def remove_in_parts(self, cursor: QTextCursor) -> None:
        """Remove a cursor's selection as several Qt undo steps, announced as one change."""
        removal = LargeRemoval(self, cursor)
        self._held_edits = []
        try:
            while removal.advance(settle=False):  # settling would move the positions of the remaining parts
                pass
            self.settle()
        finally:
            edits, self._held_edits = self._held_edits, None
            if edits:
                self.edited.emit(tuple(edits))

    def insert(self, cursor: QTextCursor, text: str, *, join: bool = False, settle: bool = True) -> None:
        """Replace the cursor's selection by ``text``; the cursor is then after it."""
        if join:
            cursor.joinPreviousEditBlock()
        else:
            cursor.beginEditBlock()
        self._inserted_breaks = []
        try:
            if cursor.hasSelection():
                cursor.removeSelectedText()
            if text:
                self._insert_lines(cursor, text)
            cursor.endEditBlock()
        finally:
            self._inserted_breaks = None
        if settle:
            self.settle()

    def expect_settle(self) -> None:
        """Announce a call of ``settle`` before the current event ends."""
        self._settle_is_near = True

    def settle(self) -> None:
        """Make the repairs that a change requires, as part of its undo step: wrong marks, parts too long or too short.

        Called after each change made through the editor. A no-op after undo and redo, which restore a repaired state.
        """
        self._settle_is_near = False
        if self._settle_timer.isActive():
            self._settle_timer.stop()
        self._repairs.settle()

    # For SoftRepairs

    @property
    def limit(self) -> int:
        """Maximum length of a part, in UTF-16 units."""
        return self._limit

    def number_of(self, block: QTextBlock) -> int:
        """Return the number of the soft break before a block, 0 if the break is hard."""
        return block.blockFormat().intProperty(_SOFT_BREAK)

    def soft_format(self, before: QTextBlock) -> QTextBlockFormat:
        """Return the format of a part that continues the block ``before``.

        It has the direction of its line, whatever script the part itself begins with.
        """
        self._last_number += 1
        block_format = QTextBlockFormat()
        block_format.setProperty(_SOFT_BREAK, self._last_number)
        block_format.setLayoutDirection(before.textDirection())
        return block_format

    def cuts_of(self, line: str) -> list[int]:
        """Return where to split a line, as UTF-16 offsets."""
        if len(line) <= self._part_length:
            return []  # even if every character takes two units
        return cut_points(line, limit=self._limit, piece=self._part_length)

    @contextmanager
    def formatting(self) -> Iterator[QTextCursor]:
        """Yield a cursor for format changes that join the previous undo step; the text must not change."""
        cursor = QTextCursor(self._document)
        self._silent = True
        cursor.joinPreviousEditBlock()
        try:
            yield cursor
        finally:
            cursor.endEditBlock()
            self._silent = False
            self._redo_was_available = self._command_added = False

    # Inside: following the document

    @Slot()
    def _on_command_added(self) -> None:
        self._command_added = True

    @Slot(int, int, int)
    def _on_contents_change(self, position: int, removed: int, added: int) -> None:
        if self._silent:
            return
        document = self._document
        length = document.characterCount() - 1
        by_history = self._is_by_history()
        # If the range reaches the document's final separator, Qt includes it in both numbers.
        added = min(added, length - position)
        removed = self._breaks.length - (length - added)
        if removed == 0 == added:
            return
        position, removed, added = self._widen_to_characters(position, removed, added, length)
        if by_history:
            self._repairs.forget()
        else:
            self._repairs.shift(position, removed, added)
        raw = self._read(position, position + added, repair=not by_history) if added else ""
        breaks = self._breaks_in(position, added, raw, by_history)
        start = self._breaks.to_logical(position)
        lost = self._breaks.replace(position, removed, added, breaks)
        text = without_units(raw.replace(_SEPARATOR, "\n"), [at - position for at in breaks])
        units = text.encode("utf-16-le", "replace")
        offset, gone, inserted = self._mirror.replace(start, removed - lost, units)
        edits = [TextEdit(offset, gone, inserted)] if gone or inserted else []
        edits += self._check_neighbours(position, added, by_history)
        if self._repairs.pending and not self._settle_is_near:
            self._settle_timer.start()
        if self._held_edits is not None:
            self._held_edits += edits
        elif edits:
            self.edited.emit(tuple(edits))

    def _is_by_history(self) -> bool:
        """Return True if the reported change is an undo or a redo.

        A new change leaves nothing to redo. So does the last redo, but Qt has then announced no new undo command.
        """
        redo_is_available = self._document.isRedoAvailable()
        by_history = redo_is_available or (self._redo_was_available and not self._command_added)
        self._redo_was_available = redo_is_available
        self._command_added = False
        return by_history

    def _widen_to_characters(self, position: int, removed: int, added: int, length: int) -> tuple[int, int, int]:
        """Widen a changed range so that it does not begin or end inside a surrogate pair."""
        document = self._document
        if position and "\ud800" <= document.characterAt(position - 1) <= "\udbff":
            position, removed, added = position - 1, removed + 1, added + 1
        end = position + added
        if end < length and "\udc00" <= document.characterAt(end) <= "\udfff":
            removed, added = removed + 1, added + 1
        return position, removed, added

    def _read(self, start: int, end: int, *, repair: bool = False) -> str:
        """Return the document's text with U+2029 for separators. Lone surrogates, lost by Qt, read as U+FFFD."""
        if end - start == 1 and not "\ud800" <= (character := self._document.characterAt(start)) <= "\udfff":
            return character
        cursor = QTextCursor(self._document)
        cursor.setPosition(start)
        cursor.setPosition(end, _KEEP)
        raw = cursor.selectedText()
        if raw.isascii():
            if len(raw) == end - start:
                return raw
        elif utf16_length(raw) == end - start:
            return raw
        if end - start > 256:
            middle = (start + end) // 2
            if "\udc00" <= self._document.characterAt(middle) <= "\udfff":
                middle -= 1
            return self._read(start, middle, repair=repair) + self._read(middle, end, repair=repair)
        return self._read_units(start, end, repair)

    def _read_units(self, start: int, end: int, repair: bool) -> str:
        units = [self._document.characterAt(position) for position in range(start, end)]
        pairs = "".join(units).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        if repair:
            position = start
            for before, after in zip(units, pairs.encode("utf-16-le").decode("utf-16-le"), strict=False):
                if after == "\ufffd" != before:
                    self._repairs.replace_later(position)
                position += 1
        return pairs

    def _breaks_in(self, position: int, added: int, raw: str, by_history: bool) -> list[int]:
        """Return the soft breaks among the separators that a change inserted."""
        if not by_history:
            self._repairs.touch(position, position + added)
        if self._inserted_breaks is not None:
            return self._inserted_breaks
        if _SEPARATOR not in raw:
            return []
        block = self._document.findBlock(position)
        if not self._last_number and by_history:
            return []
        seen = {self.number_of(block)}
        numbers: dict[int, int] = {}  # by format index: most blocks of a large text share one
        breaks: list[int] = []
        for _ in range(raw.count(_SEPARATOR)):
            block = block.next()
            index = block.blockFormatIndex()
            number = numbers.get(index)
            if number is None:
                number = numbers[index] = self.number_of(block)
            if number and number not in seen:
                seen.add(number)
                breaks.append(block.position() - 1)
            elif number and not by_history:
                self._repairs.mark(block.position() - 1, soft=False)  # a newline that copied its block's format
            if not by_history:
                self._repairs.touch(block.position())
        return breaks

    def _check_neighbours(self, position: int, added: int, by_history: bool) -> list[TextEdit]:
        """Compare the separators on both sides of a change with their previous state.

        Removing text over several blocks may leave the remaining block with the format of another. After a user edit,
        ``settle`` restores its own format; undo and redo are left as they are.
        """
        if not self._last_number:
            return []
        document = self._document
        edits: list[TextEdit] = []
        before = document.findBlock(position)
        behind = document.findBlock(min(position + added, self._breaks.length)).next()
        for block in (before, behind):
            separator = block.position() - 1
            if separator < 0 and block.isValid() and self.number_of(block) and not by_history:
                self._repairs.mark(separator, soft=False)  # first block of the text: it continues nothing
            if not block.isValid() or separator < 0 or position <= separator < position + added:
                continue
            was_soft = self._breaks.is_break(separator)
            if was_soft == bool(self.number_of(block)):
                continue
            if not by_history:
                self._repairs.mark(separator, soft=was_soft)
                continue
            offset = self._breaks.to_logical(separator)
            self._breaks.set_break(separator, not was_soft)
            self._mirror.replace(offset, 0 if was_soft else 1, b"\n\0" if was_soft else b"")
            edits.append(TextEdit(offset, 0, "\n") if was_soft else TextEdit(offset, 1, ""))
        return edits

    # Inside: changing the document

    def _insert_lines(self, cursor: QTextCursor, text: str) -> None:
        """Insert text, splitting its long lines.

        A newline within ``insertText`` copies the format of its block; in a soft block that would be a second soft
        break. So lines are inserted together only while the block is a plain one.
        """
        run: list[str] = []
        plain = not self.number_of(cursor.block())
        lines = text.split("\n")
        if plain and len(max(lines, key=len)) <= self._part_length:
            cursor.insertText(for_qt(text))
            return
        for index, line in enumerate(lines):
            if index and not plain:
                cursor.insertText(for_qt("\n".join(run)))
                self._insert_separator(cursor, soft=False)
                run, plain = [], True
            cuts = self.cuts_of(line)
            if not cuts:
                run.append(line)
                continue
            first, *others = cut_at(line, cuts)
            cursor.insertText(for_qt("\n".join([*run, first])))
            for part in others:
                self._insert_separator(cursor, soft=True)
                cursor.insertText(for_qt(part))
            run, plain = [], False
        cursor.insertText(for_qt("\n".join(run)))

    def _insert_separator(self, cursor: QTextCursor, *, soft: bool) -> None:
        cursor.insertBlock(self.soft_format(cursor.block()) if soft else QTextBlockFormat())
        if soft and self._inserted_breaks is not None:
            self._inserted_breaks.append(cursor.position() - 1)


_MAX_ROUNDS = 8  # a repair may require another, but not for long


class SoftRepairs:
    """Pending repairs of a document. All positions are document positions."""

    def __init__(self, soft: SoftDocument, document: QTextDocument) -> None:
        self._soft = soft
        self._document = document
        self._marks: dict[int, bool] = {}
        self._lone_surrogates: list[int] = []
        self._touched: list[int] = []

    @property
    def pending(self) -> bool:
        """True if repairs are pending."""
        return bool(self._touched or self._marks or self._lone_surrogates)

    def touch(self, *positions: int) -> None:
        """Mark the blocks at these positions as changed."""
        self._touched += positions

    def mark(self, separator: int, *, soft: bool) -> None:
        """Note that the block after a separator has the wrong format; the separator must be soft or hard."""
        self._marks[separator] = soft

    def replace_later(self, position: int) -> None:
        """Note half a surrogate pair, which must be replaced by U+FFFD."""
        self._lone_surrogates.append(position)

    def forget(self) -> None:
        """Drop all repairs: undo and redo restore a repaired document."""
        self._marks = {}
        self._lone_surrogates = []
        self._touched = []

    def shift(self, position: int, removed: int, added: int) -> None:
        """Move pending repairs along with a change of the document."""
        if not self.pending or added == removed:
            return
        end, by = position + removed, added - removed

        def moved(at: int) -> int:
            return at + by if at >= end else min(at, position)

        self._marks = {moved(at): soft for at, soft in self._marks.items() if not position <= at < end}
        self._lone_surrogates = [moved(at) for at in self._lone_surrogates if not position <= at < end]
        self._touched = [moved(at) for at in self._touched]

    def settle(self) -> None:
        """Make all pending repairs."""
        fresh = True
        for _ in range(_MAX_ROUNDS):
            if self._marks:
                self._restore_marks()
            elif self._lone_surrogates:
                self._replace_lone_surrogates()
            elif self._touched:
                touched, self._touched = self._touched, []
                for position in touched:
                    if not (fresh and self._join_character(position)):
                        self._fit(position)
                if self._soft.break_count:
                    self._match_directions(touched)
                fresh = False
            else:
                return

    def _restore_marks(self) -> None:
        marks, self._marks = self._marks, {}
        with self._soft.formatting() as cursor:
            for separator, soft in marks.items():
                cursor.setPosition(separator + 1)
                before = cursor.block().previous()
                cursor.setBlockFormat(self._soft.soft_format(before) if soft else QTextBlockFormat())

    def _replace_lone_surrogates(self) -> None:
        positions, self._lone_surrogates = self._lone_surrogates, []
        cursor = QTextCursor(self._document)
        cursor.joinPreviousEditBlock()
        for position in positions:
            cursor.setPosition(position)
            cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText("\ufffd")
        cursor.endEditBlock()

    def _block_at(self, position: int) -> QTextBlock:
        return self._document.findBlock(min(position, self._document.characterCount() - 1))

    def _join_character(self, position: int) -> bool:
        """Remove a soft break at this block that is now inside a character."""
        if not self._soft.break_count:
            return False
        block = self._block_at(position)
        for behind in (block, block.next()):
            separator = behind.position() - 1
            if not behind.isValid() or not self._soft.is_break(separator):
                continue
            if splits_character(behind.previous().text(), behind.text()):
                self._remove_separator(separator)
                return True
        return False

    def _fit(self, position: int) -> None:
        """Split the block at ``position`` if it is too long; join it to a soft neighbour if it is very short."""
        soft = self._soft
        block = self._block_at(position)
        length = block.length() - 1
        if length > soft.limit:
            self._cut(block)
        elif soft.break_count and length < soft.limit // 16:
            before, behind = block.previous(), block.next()
            if soft.is_break(block.position() - 1) and self._may_join(before.length() - 1, length):
                self._remove_separator(block.position() - 1)
            elif soft.is_break(block.position() + length) and self._may_join(length, behind.length() - 1):
                self._remove_separator(block.position() + length)

    def _cut(self, block: QTextBlock) -> None:
        start = block.position()
        cuts = self._soft.cuts_of(block.text())
        cursor = QTextCursor(self._document)
        cursor.joinPreviousEditBlock()
        for cut in reversed(cuts):
            cursor.setPosition(start + cut)
            cursor.insertBlock(self._soft.soft_format(block))
        cursor.endEditBlock()

    def _may_join(self, first: int, second: int) -> bool:
        """Return True if parts of these lengths may be joined. An empty part would appear as an empty line."""
        limit = self._soft.limit
        return first + second <= (limit * 3 // 4 if first and second else limit)

    def _match_directions(self, positions: list[int]) -> None:
        """Give all parts of the lines at these positions the direction of their first part, which may be new.

        Away from a change all parts already agree. So the part before it stands for all earlier ones, and the first
        correct part after it for all later ones: a line of ten megabytes has thousands of parts.
        """
        directions: dict[int, Qt.LayoutDirection] = {}
        for position in sorted(set(positions)):
            block = self._block_at(position)
            before = block.previous()
            if self._soft.number_of(block) and before.isValid():
                block = before
            direction = directions.get(block.position(), block.textDirection())
            block = block.next()
            while self._soft.number_of(block):
                if directions.get(block.position(), block.textDirection()) != direction:
                    directions[block.position()] = direction
                elif block.position() > position:
                    break
                block = block.next()
        if not directions:
            return
        with self._soft.formatting() as cursor:
            for position, direction in directions.items():
                cursor.setPosition(position)
                block_format = cursor.blockFormat()
                block_format.setLayoutDirection(direction)
                cursor.setBlockFormat(block_format)

    def _remove_separator(self, position: int) -> None:
        cursor = QTextCursor(self._document)
        cursor.setPosition(position)
        cursor.joinPreviousEditBlock()
        cursor.deleteChar()
        cursor.endEditBlock()
