"""A plain text editor for prompts: logical text, long lines, large pastes, exact edits.

All texts and offsets of its interface are logical: newlines are ``\n``, offsets are in UTF-16 units, soft breaks do not
exist. Undo, input methods, clipboard, the caret in bidirectional text and accessibility are Qt's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QMimeData, QPoint, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QDropEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QWidget

from engine.types import TextEdit
from gui.editor.drop_text_edit import DropTextEdit, mime_utf8
from gui.editor.offsets import document_text, utf16_length
from gui.editor.soft_breaks import SOFT_LIMIT
from gui.editor.soft_caret import SoftCaret, deletes, edits, is_typed, key_again, text_of
from gui.editor.soft_document import SoftDocument, for_qt
from gui.editor.text_transfer import FEED_ABOVE, StringSource, TextFeed, TextSource, Utf8Source
from gui.editor.undo_steps import EditLock, UndoSteps

_LARGE_UNITS = 1 << 18
_TEXT = "text/plain"  # read by Qt as UTF-8


def copied(soft: SoftDocument, start: int, end: int) -> QMimeData:
    """Return the logical text between two offsets as MIME data. Large texts are UTF-8, which other programs want
    anyway: ten megabytes of Python source took 140 ms as a Qt string, and take 18 ms as UTF-8."""
    data = QMimeData()
    if end - start <= _LARGE_UNITS:
        data.setText(for_qt(soft.text_between(start, end)))
    else:
        data.setData(_TEXT, soft.utf8_between(start, end))
    return data


def edit_menu(editor: QPlainTextEdit, place: QPoint, acts: Mapping[str, Callable[[], None]]) -> QMenu:
    """Return the context menu for a position in a widget: Qt's actions, then the widget's (``addAction``).

    ``acts``: replacements for Qt's actions, by their names. The menu deletes itself when it is closed.
    """
    menu = editor.createStandardContextMenu(place)
    for name, act in acts.items():
        action = menu.findChild(QAction, name)  # missing if the text is read-only
        if action is not None:
            action.triggered.disconnect()
            action.triggered.connect(act)
    if editor.actions():
        menu.addSeparator()
        menu.addActions(editor.actions())
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu


_PIECE_UNITS = 1 << 16
_KEEP = QTextCursor.MoveMode.KeepAnchor
COUNTED_UNITS = 100_000
"""Maximum length of a span whose characters are counted, in UTF-16 units; counting longer ones reads the whole text."""


class SoftTextEdit(DropTextEdit):
    """Text editor that emits exact edits of its text, each change with a revision one higher than the last."""

    typing = Signal()
    """Emitted before a key press that may change the text is handled."""
    edited = Signal(int, object)
    """Emitted with a revision and tuple[TextEdit, ...]: replacements to apply in order."""
    text_replaced = Signal(int, object)
    """Emitted with a revision and the whole new text (str), also while that text is still being loaded.

    Declared as object, not str: Qt would copy megabytes per listener and drop a leading U+FEFF.
    """
    load_progress = Signal(int, int)
    """Emitted with the progress and total of a large text being loaded or pasted."""
    load_finished = Signal(int)
    """Emitted with a revision when a text of ``load_text`` or a large paste is complete, or the paste was cancelled."""
    stop_asked = Signal()
    """Emitted when Esc is pressed while ``load_text`` is active. Loading continues unless another text is shown."""
    paste_cancelled = Signal()
    """Emitted when a large paste was cancelled with Esc; the text and its undo steps are as before it."""
    modified_changed = Signal(bool)
    """Emitted when the text begins or ceases to differ from the shown or saved one; undo can restore it."""

    def __init__(self, parent: QWidget | None = None, *, soft_limit: int = SOFT_LIMIT) -> None:
        super().__init__(parent)
        self.revision = 0
        self._soft = SoftDocument(self.document(), self, limit=soft_limit)
        self._caret = SoftCaret(self, self._soft)
        self._feed = TextFeed(self._soft, self)
        self.lock = EditLock(self)
        self.steps = UndoSteps(self, self._soft, self.lock)
        """Both for edits, or undoing, that take more than one turn of the event loop."""
        self._loading = False
        self._wanted_selection: tuple[int, int] | None = None
        self._selection_before = (0, 0)  # before a large paste
        self._modified_when_loaded = False
        self._told_modified = False
        self._is_showing = False  # Qt calls a text modified while it is being set
        self._soft.edited.connect(self._on_soft_edited)
        self._feed.progressed.connect(self.load_progress)
        self._feed.finished.connect(self._on_fed)
        self.document().modificationChanged.connect(self._tell_modified)

    # The text

    def toPlainText(self) -> str:
        """Return the logical text. O(length): for saving and searching, never per key press."""
        text = self._soft.text()
        return "".join([text, *self._feed.rest]) if self._loading else text

    def setPlainText(self, text: str) -> None:
        """Show another text at once, without undo. See ``offsets.document_text``."""
        self._stop_feeding()
        text = document_text(text)
        self._show(text)
        self._announce_text(text, self._soft.length)

    def load_text(self, text: str, *, prepared: bool = False) -> None:
        """Like ``setPlainText``, but a large text is inserted in slices while the window stays responsive.

        ``text_replaced`` announces the whole text at once, ``load_finished`` its completion in the document.
        ``prepared``: ``text`` is a result of ``offsets.document_text``, which a worker computes for megabytes.
        """
        self._stop_feeding()
        if not prepared:
            text = document_text(text)
        if len(text) <= FEED_ABOVE:
            self._show(text)
            self._announce_text(text, self._soft.length)
            self.load_finished.emit(self.revision)
            return
        self._loading = True
        self._wanted_selection = None
        self._modified_when_loaded = False
        self._show("")
        self._announce_text(text, None)
        self.document().setUndoRedoEnabled(False)
        self._begin_feeding(StringSource(text), QTextCursor(self.document()))

    @property
    def is_loading(self) -> bool:
        """True while a large text is being inserted, or a large edit is undone or removed."""
        return self._feed.active or self.steps.active

    def cancel_loading(self) -> None:
        """Cancel a large paste, or request cancellation of a loading text.

        The previous text is restored: a partial text must not be mistaken for a whole one.
        """
        if self._loading:
            self.stop_asked.emit()
        elif self._feed.active:
            self._feed.abandon()
            self._end_feeding()
            self.steps.take_back(self._on_taken_back)

    @property
    def modified(self) -> bool:
        """True if the text differs from the one that was shown or saved."""
        return self._modified_when_loaded if self._loading else self.document().isModified()

    def set_modified(self, modified: bool) -> None:
        """Mark the text as saved, or as saved nowhere: then no undo leads to a saved state."""
        if self._loading:
            self._modified_when_loaded = modified
            self._tell_modified()
        else:
            self._mark(modified)

    @property
    def text_length(self) -> int:
        """Length of the logical text in UTF-16 units."""
        return self._soft.length + (sum(map(utf16_length, self._feed.rest)) if self._loading else 0)

    def text_between(self, utf16_start: int, utf16_end: int) -> str:
        """Return a span of the logical text."""
        return self._soft.text_between(self._clamp(utf16_start), self._clamp(utf16_end))

    def text_chunks(self) -> Iterator[str]:
        """Yield the logical text in bounded chunks; it must not change meanwhile."""
        start, length = 0, self._soft.length
        while start < length:
            end = self._clamp(start + _PIECE_UNITS)
            yield self._soft.text_between(start, end)
            start = end
        yield from self._feed.rest if self._loading else ()

    def replace_range(self, utf16_start: int, utf16_end: int, text: str, *, join: bool = False) -> bool:
        """Replace a span as one undo step, or as part of the previous step if ``join``. A large span is removed in
        parts, unless the replacement joins another step.

        Returns False, without effect, while a large text is being inserted.
        """
        if self._is_inserting():
            return False
        self._bound_undo(len(text), in_step=join)
        cursor = self._soft.selecting(self._clamp(utf16_start), self._clamp(utf16_end))
        if join:
            self._soft.insert(cursor, document_text(text), join=True)
        elif not self.steps.replace_bit_by_bit(cursor, text):
            with self.steps.without_selection(cursor):
                self._soft.insert(cursor, document_text(text))
        return True

    def insertPlainText(self, text: str) -> None:
        """Replace the selection by ``text`` as one undo step; a large text is inserted in slices, a large selection
        removed in parts."""
        if len(text) <= FEED_ABOVE and self.steps.lets_in:
            self._bound_undo(len(text), in_step=True)
            self._put_in(text)
            return
        if self._is_inserting():
            return
        self._bound_undo(len(text))
        if len(text) > FEED_ABOVE:
            self._begin_feeding(StringSource(text), self.textCursor())
        elif not self.steps.replace_bit_by_bit(self.textCursor(), text):
            self._put_in(text)

    def move_selection(self, utf16_offset: int) -> None:
        """Move the selected text to another offset as one undo step, as by dragging."""
        start, end = self.selected_range()
        if start <= utf16_offset <= end:
            return
        text = self._soft.text_between(start, end)
        self._soft.replace(start, end, "")
        at = utf16_offset if utf16_offset < start else utf16_offset - (end - start)
        self._soft.replace(at, at, text, join=True)
        self.select_range(at, at + end - start)

    def appendPlainText(self, text: str) -> None:
        """Append a line."""
        length = self._soft.length
        self.replace_range(length, length, ("\n" if length else "") + text)

    def clear(self) -> None:
        """Show an empty text."""
        self.setPlainText("")

    # Steps to undo

    @Slot()
    def undo(self) -> None:
        """Undo the last step; a large one in parts, while the window stays responsive."""
        self.steps.undo()

    @Slot()
    def redo(self) -> None:
        """Redo the last undone step; a large one in parts."""
        self.steps.redo()

    @Slot()
    def cut(self) -> None:
        """Copy the selection and remove it."""
        start, end = self.selected_range()  # empty if only a soft break is selected
        if start != end and not self.isReadOnly():
            self.copy()
            if not self.steps.replace_bit_by_bit(self.textCursor(), ""):
                self._delete()

    # The caret and the selection

    def caret_offset(self) -> int:
        """Return the offset of the caret."""
        return self._soft.to_logical(self.textCursor().position())

    def selected_range(self) -> tuple[int, int]:
        """Return start and end of the selection, both the caret's offset if it is empty."""
        cursor = self.textCursor()
        start = self._soft.to_logical(cursor.selectionStart())
        return start, self._soft.to_logical(cursor.selectionEnd()) if cursor.hasSelection() else start

    def selected_text(self) -> str:
        """Return the selected text."""
        return self._soft.text_between(*self.selected_range())

    def select_range(self, utf16_start: int, utf16_end: int) -> None:
        """Select from the first offset to the second, where the caret is placed and scrolled into view.

        Offsets outside the text are clamped, those inside a surrogate pair moved before it. While a large text is
        loading, this waits until the span is loaded.
        """
        self.steps.behind_waiting(partial(self._select, utf16_start, utf16_end))

    def _select(self, utf16_start: int, utf16_end: int) -> None:
        if self._loading and max(utf16_start, utf16_end) > self._soft.length:
            self._wanted_selection = (utf16_start, utf16_end)
            return
        start, end = self._clamp(utf16_start), self._clamp(utf16_end)
        cursor = self.textCursor()
        cursor.setPosition(self._soft.to_document(start, before_break=start > end))
        if start != end:
            cursor.setPosition(self._soft.to_document(end, before_break=end > start), _KEEP)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    @property
    def line_count(self) -> int:
        """Number of logical lines in the document."""
        return self.document().blockCount() - self._soft.break_count

    @property
    def caret_line(self) -> int:
        """Logical line of the caret, from 1."""
        return self._soft.line_of(self.textCursor().block())

    def caret_line_start(self) -> int:
        """Return the start of the caret's logical line."""
        return self._soft.to_logical(self._soft.block_of_line(self.caret_line).position())

    @property
    def caret_column(self) -> int:
        """Column of the caret in its logical line, in characters from 1."""
        return self.characters_between(self.caret_line_start(), self.caret_offset()) + 1

    def characters_between(self, utf16_start: int, utf16_end: int) -> int:
        """Return the number of characters of a span of the text; of UTF-16 units if it is long."""
        if utf16_end - utf16_start > COUNTED_UNITS:
            return utf16_end - utf16_start
        return len(self.text_between(utf16_start, utf16_end))

    def go_to_line(self, number: int) -> None:
        """Move the caret to the start of a logical line, from 1, and centre it."""
        self.steps.behind_waiting(partial(self._go_to, number))

    def _go_to(self, number: int) -> None:
        cursor = self.textCursor()
        cursor.setPosition(self._soft.block_of_line(number).position())
        self.setTextCursor(cursor)
        self.centerCursor()

    # Events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._feed.active and event.key() == Qt.Key.Key_Escape:
            self.cancel_loading()
            return
        self.typing.emit()
        self._soft.expect_settle()
        try:
            self._handle_key(event)
        finally:
            self._soft.settle()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse and not self.steps.has_waiting:
            self._point_at(event.pos())
        when_done, behind_waiting = self.steps.when_done, self.steps.behind_waiting
        acts = {"edit-undo": self.undo, "edit-redo": self.redo, "select-all": partial(behind_waiting, self.selectAll)}
        acts |= {"edit-cut": partial(when_done, self.cut), "edit-delete": partial(when_done, self._delete)}
        edit_menu(self, event.pos(), acts).popup(event.globalPos())

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        if self.steps.active and (event.commitString() or event.preeditString()):
            self.steps.finish()  # Qt inserts it even if the text is read-only
        super().inputMethodEvent(event)
        self._soft.settle()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        is_left = event.button() == Qt.MouseButton.LeftButton
        if self.steps.has_waiting:
            if is_left:
                self.steps.when_done(partial(self._caret.move_to, event.position().toPoint(), event.modifiers()))
            return
        super().mousePressEvent(event)
        if is_left:
            self._caret.extend_line()
        self._soft.settle()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if not self.steps.has_waiting:
            super().mouseDoubleClickEvent(event)
            self._caret.extend_word()

    def createMimeDataFromSelection(self) -> QMimeData:
        return copied(self._soft, *self.selected_range())

    # Inside

    def _point_at(self, place: QPoint) -> None:
        """Move the caret to the pointer, so that the menu applies there, unless the pointer is inside the selection."""
        start, end = self.selected_range()
        position = self._offset_under(place)
        if start == end or not start <= position <= end:
            self._select(position, position)

    def _offset_under(self, place: QPoint) -> int:
        return self._soft.to_logical(self.cursorForPosition(place).position())

    @Slot()
    def _delete(self) -> None:
        self.insertPlainText("")

    def _handle_key(self, event: QKeyEvent) -> None:
        text = text_of(event, tab=not self.tabChangesFocus())
        if text and self.steps.lets_in and not self.overwriteMode():
            self.insertPlainText(text)
        elif self.is_loading and (self.steps.has_waiting or edits(event)):
            again = key_again(event)
            self.steps.when_done(lambda: self.keyPressEvent(again))
        elif text and not self.isReadOnly() and self.steps.replace_bit_by_bit(self.textCursor(), text):
            pass
        elif is_typed(event):
            if not self._caret.type(event):
                super().keyPressEvent(event)
        elif (self.isReadOnly() or not self._is_done_by_us(event, text)) and not self._caret.handle(event):
            super().keyPressEvent(event)

    def _is_done_by_us(self, event: QKeyEvent, text: str) -> bool:
        keys = QKeySequence.StandardKey
        for key, act in ((keys.Undo, self.undo), (keys.Redo, self.redo), (keys.Cut, self.cut)):
            if event.matches(key):
                act()
                return True
        if text == "\n":  # Qt would copy the format of a soft paragraph
            self.insertPlainText(text)
            return True
        return deletes(event) and self.steps.replace_bit_by_bit(self.textCursor(), "")

    def _put_in(self, text: str) -> None:
        """Replace the selection by a text at once."""
        cursor = self.textCursor()
        self._soft.insert(cursor, document_text(text))
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def _show(self, text: str) -> None:
        laid_out, breaks = self._soft.lay_out(text)
        self.steps.forget()
        self._is_showing = True
        self._soft.begin_replacing_all()
        super().setPlainText(for_qt(laid_out))
        self._soft.end_replacing_all(text, breaks)
        self._is_showing = False
        self._mark(False)

    def _announce_text(self, text: str, length: int | None) -> None:
        self.revision += 1
        self._follow_text(self.revision, length)
        self.text_replaced.emit(self.revision, text)

    def _follow_text(self, revision: int, length: int | None) -> None:
        """Hook for subclasses: another text of this length, in UTF-16 units, was set; None if it is still loading."""

    def _follow_length(self, length: int) -> None:
        """Hook for subclasses: a loading text turned out to have this length in UTF-16 units."""

    def _expect_units(self, more: int) -> None:
        """Hook for subclasses: the text is about to grow by about this many UTF-16 units, in slices."""

    def _follow_edits(self, revision: int, edits: Sequence[TextEdit]) -> None:
        """Hook for subclasses: the text was edited. Called before ``edited`` is emitted."""

    @Slot(object)
    def _on_soft_edited(self, edits: tuple[TextEdit, ...]) -> None:
        if self._loading:
            return  # already announced as a whole
        self.revision += 1
        self._follow_edits(self.revision, edits)
        self.edited.emit(self.revision, edits)

    def _insert_offered(self, source: QMimeData) -> None:
        """Insert the content of a clipboard or drag, as ``insertPlainText`` does."""
        self._take(mime_utf8(source))

    def _take(self, data: memoryview) -> None:
        is_small = len(data) <= FEED_ABOVE
        if self.steps.active and not (is_small and self.steps.lets_in):
            self.steps.when_done(partial(self._take, data))
        elif is_small:
            self.insertPlainText(str(data, "utf-8", "replace"))
        elif not self._is_inserting():
            self._bound_undo(len(data))
            self._begin_feeding(Utf8Source(data), self.textCursor())

    def _is_inserting(self) -> bool:
        """Return True if a text is being inserted. A pending removal is completed first."""
        if self.steps.is_removing:
            self.steps.finish()
        return self.is_loading

    def _begin_feeding(self, source: TextSource, cursor: QTextCursor) -> None:
        self.lock.take(self._feed)
        self._selection_before = self.selected_range()
        self.steps.hold()
        self._expect_units(source.size)
        self.steps.begin()
        self._feed.start(source, cursor, at_once=self._loading)

    def _stop_feeding(self) -> None:
        """Abandon the text being inserted, since another one follows."""
        if self._feed.active:
            self._feed.abandon()
            self._end_feeding()

    def _end_feeding(self) -> None:
        self.steps.end()
        self.lock.give_back(self._feed)
        if self._loading:
            self.document().setUndoRedoEnabled(True)
            self._mark(self._modified_when_loaded)
            self._loading = False

    def _on_taken_back(self) -> None:
        self._select(*self._selection_before)  # before queued actions, which came later
        self.load_finished.emit(self.revision)
        self.paste_cancelled.emit()
        self.steps.drop()

    @Slot()
    def _on_fed(self) -> None:
        was_loading = self._loading
        self._end_feeding()
        if was_loading:
            self._follow_length(self._soft.length)
        wanted, self._wanted_selection = self._wanted_selection, None
        if wanted is not None:
            self._select(*wanted)  # before queued actions, which came later
        elif not was_loading:
            self.ensureCursorVisible()
        self.load_finished.emit(self.revision)
        if not self._feed.active:  # a listener may have loaded another text
            self.steps.drop()

    def _bound_undo(self, characters: int, *, in_step: bool = False) -> None:
        if self.steps.bound(characters, in_step=in_step):
            self._mark(self.modified)

    def _mark(self, modified: bool) -> None:
        """Set Qt's modified state; if modified, no undo state counts as saved, not even one without undo steps."""
        document = self.document()
        with QSignalBlocker(document):
            document.setModified(not modified)
            document.setModified(modified)
        self._tell_modified()

    @Slot()
    def _tell_modified(self) -> None:
        modified = self.modified
        if modified != self._told_modified and not self._is_showing:
            self._told_modified = modified
            self.modified_changed.emit(modified)

    def _drop_text(self, event: QDropEvent) -> None:
        """Insert or move dropped text. Qt would report a move as one change of everything between the two positions."""
        self.steps.finish()
        at = self._soft.to_logical(self.cursorForPosition(event.position().toPoint()).position())
        moved = event.source() in (self, self.viewport()) and event.dropAction() == Qt.DropAction.MoveAction
        event.acceptProposedAction()
        if moved:
            self.move_selection(at)
            return
        self.select_range(at, at)
        self._insert_offered(event.mimeData())

    def _clamp(self, offset: int) -> int:
        offset = max(0, min(offset, self._soft.length))
        character = self.document().characterAt(self._soft.to_document(offset))
        return offset - 1 if offset and "\udc00" <= character <= "\udfff" else offset
