"""A plain text editor for prompts: logical text, long lines, large pastes, exact edits.

All texts and offsets of its interface are logical: newlines are ``\n``, offsets are in UTF-16 units, soft breaks do not
exist. Undo, input methods, clipboard, the caret in bidirectional text and accessibility are Qt's.

When the width changes, Qt visits all paragraphs at once and creates missing layouts: 365 bytes and a microsecond per
paragraph, a third of a second for a new text of 270,000 lines. Paragraphs that have a layout take a fifth of that. So
the layouts are created beforehand, over many turns of the event loop, and the text keeps its old width until then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from time import perf_counter

from PySide6.QtCore import QMimeData, QObject, QPoint, QSignalBlocker, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from engine.types import TextEdit
from gui.editor.offsets import document_text, utf16_length
from gui.editor.soft_breaks import SOFT_LIMIT
from gui.editor.soft_caret import SoftCaret, deletes, edits, is_typed, key_again, text_of
from gui.editor.soft_document import SoftDocument, for_qt
from gui.editor.text_transfer import FEED_ABOVE, StringSource, TextFeed, TextSource, Utf8Source
from gui.editor.undo_steps import EditLock, UndoSteps

_KEEP = QTextCursor.MoveMode.KeepAnchor
_CHUNK_UNITS = 1 << 16
_LARGE_UNITS = 1 << 18
"""Length from which copied text is offered as UTF-8, in UTF-16 units."""
COUNTED_UNITS = 100_000
"""Maximum length of a span whose characters are counted, in UTF-16 units; counting longer ones reads the whole text."""

_OFFERED = ("text/plain;charset=utf-8", "text/plain")
"""Formats of text, in the order in which ``QMimeData.text`` tries them. Qt reads both as UTF-8."""


def mime_utf8(source: QMimeData) -> memoryview:
    """Return the offered text as UTF-8; empty if there is none.

    ``QMimeData.text`` would create a Qt string and a Python string of ten megabytes, in 26 ms; this takes 7, and
    decoding can be deferred. Qt has already converted other encodings.
    """
    return next((memoryview(data) for data in map(source.data, _OFFERED) if data.size()), memoryview(b""))


def local_files(source: QMimeData) -> list[str]:
    """Return the paths of local files, if only local files are offered."""
    urls = source.urls() if source.hasUrls() else []
    return [url.toLocalFile() for url in urls] if urls and all(url.isLocalFile() for url in urls) else []


MANY_NEW = 10_000
"""Number of paragraphs without layout from which layouts are created beforehand. Qt creates this many in 10 ms."""

_TURN_SECONDS = 0.005
_AT_ONCE = 200  # paragraphs between two checks of the clock


class Rewrapping(QObject):
    """Deferred rewrapping: tracks how many paragraphs may lack a layout, and queues actions that need all layouts."""

    def __init__(self, document: QTextDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._count = self._new = document.blockCount()
        self._next = 0
        self._acts: deque[Callable[[], object]] = deque()
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._go_on)
        document.blockCountChanged.connect(self._on_count)

    @property
    def is_much(self) -> bool:
        """True if rewrapping everything would take too long for one turn, or is already pending."""
        return self._new > MANY_NEW or self.waits

    @property
    def waits(self) -> bool:
        """True if an action is pending."""
        return bool(self._acts)

    def when_ready(self, act: Callable[[], object]) -> None:
        """Run an action that rewraps all paragraphs once each has a layout; a pending action is not queued twice."""
        if act not in self._acts:
            self._acts.append(act)
        if not self._timer.isActive():
            self._next = 0
            self._timer.start()

    @Slot(int)
    def _on_count(self, count: int) -> None:
        self._new = min(count, self._new + max(0, count - self._count))
        self._count = count

    @Slot()
    def _go_on(self) -> None:
        if not self._make_layouts():
            self._timer.start()
            return
        self._new = 0
        act = self._acts.popleft()
        if self._acts:
            self._timer.start()
        act()

    def _make_layouts(self) -> bool:
        """Create the next layouts. Return True if all exist; new paragraphs may have been added meanwhile."""
        if not self._new:
            return True
        until = perf_counter() + _TURN_SECONDS
        block = self._document.findBlockByNumber(self._next)
        while block.isValid() and perf_counter() < until:
            for _ in range(_AT_ONCE):
                block.layout()
                self._next += 1
                block = block.next()
                if not block.isValid():
                    return True
        return not block.isValid()


class SoftTextEdit(QPlainTextEdit):
    """Text editor that emits exact edits of its text, each change with a revision one higher than the last."""

    typing = Signal()
    """Emitted before a key press that may change the text is handled."""
    files_dropped = Signal(list)
    """Emitted with local paths (list[str]) that were dropped or pasted; their content is not inserted."""
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
        self._rewrapping = Rewrapping(self.document(), self)
        self._soft = SoftDocument(self.document(), self, limit=soft_limit)
        self._caret = SoftCaret(self, self._soft)
        self._feed = TextFeed(self._soft, self)
        self.lock = EditLock(self)
        self.steps = UndoSteps(self, self._soft, self.lock)
        """Both for edits, or undoing, that take more than one turn of the event loop."""
        self._loading = False
        self._deferred_selection: tuple[int, int] | None = None
        self._selection_before = (0, 0)  # before a large paste
        self._modified_when_loaded = False
        self._announced_modified = False
        self._is_showing = False  # Qt calls a text modified while it is being set
        self._soft.edited.connect(self._on_soft_edited)
        self._feed.progressed.connect(self.load_progress)
        self._feed.finished.connect(self._on_insertion_finished)
        self.document().modificationChanged.connect(self._announce_modified)

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
        self._deferred_selection = None
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
            self.steps.take_back(self._on_paste_undone)

    @property
    def modified(self) -> bool:
        """True if the text differs from the one that was shown or saved."""
        return self._modified_when_loaded if self._loading else self.document().isModified()

    def set_modified(self, modified: bool) -> None:
        """Mark the text as saved, or as saved nowhere: then no undo leads to a saved state."""
        if self._loading:
            self._modified_when_loaded = modified
            self._announce_modified()
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
            end = self._clamp(start + _CHUNK_UNITS)
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
        elif not self.steps.replace_in_parts(cursor, text):
            with self.steps.without_selection(cursor):
                self._soft.insert(cursor, document_text(text))
        return True

    def insertPlainText(self, text: str) -> None:
        """Replace the selection by ``text`` as one undo step; a large text is inserted in slices, a large selection
        removed in parts."""
        if len(text) <= FEED_ABOVE and self.steps.accepts_insertion:
            self._bound_undo(len(text), in_step=True)
            self._insert_at_once(text)
            return
        if self._is_inserting():
            return
        self._bound_undo(len(text))
        if len(text) > FEED_ABOVE:
            self._begin_feeding(StringSource(text), self.textCursor())
        elif not self.steps.replace_in_parts(self.textCursor(), text):
            self._insert_at_once(text)

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
            if not self.steps.replace_in_parts(self.textCursor(), ""):
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
        self.steps.after_waiting(partial(self._select, utf16_start, utf16_end))

    def _select(self, utf16_start: int, utf16_end: int) -> None:
        if self._loading and max(utf16_start, utf16_end) > self._soft.length:
            self._deferred_selection = (utf16_start, utf16_end)
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
        self.steps.after_waiting(partial(self._go_to, number))

    def _go_to(self, number: int) -> None:
        cursor = self.textCursor()
        cursor.setPosition(self._soft.block_of_line(number).position())
        self.setTextCursor(cursor)
        self.centerCursor()

    def set_word_wrap(self, wrap: bool) -> None:
        """Wrap long lines at the window's edge, or scroll horizontally."""
        mode = self.LineWrapMode
        act = partial(self.setLineWrapMode, mode.WidgetWidth if wrap else mode.NoWrap)
        if self._rewrapping.is_much:
            self._rewrapping.when_ready(act)
        else:
            act()

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
        when_done, after_waiting = self.steps.when_done, self.steps.after_waiting
        replacements: dict[str, Callable[[], None]] = {
            "edit-undo": self.undo,
            "edit-redo": self.redo,
            "edit-cut": partial(when_done, self.cut),
            "edit-delete": partial(when_done, self._delete),
            "select-all": partial(after_waiting, self.selectAll),
        }
        menu = self.createStandardContextMenu(event.pos())
        for name, act in replacements.items():
            action = menu.findChild(QAction, name)  # missing if the text is read-only
            if action is not None:
                action.triggered.disconnect()
                action.triggered.connect(act)
        if self.actions():
            menu.addSeparator()
            menu.addActions(self.actions())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

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

    def resizeEvent(self, event: QResizeEvent) -> None:
        is_wider_or_narrower = event.size().width() != event.oldSize().width()
        if self._rewrapping.waits or (is_wider_or_narrower and self._rewrapping.is_much):
            # Defers the height too: Qt would let a view narrower than its text scroll horizontally.
            self._rewrapping.when_ready(self._take_size)
        else:
            super().resizeEvent(event)

    # Clipboard and drags

    def createMimeDataFromSelection(self) -> QMimeData:
        """Return the selected text. Large texts are UTF-8, which other programs want anyway: ten megabytes of Python
        source took 140 ms as a Qt string, and take 18 ms as UTF-8."""
        start, end = self.selected_range()
        data = QMimeData()
        if end - start <= _LARGE_UNITS:
            data.setText(for_qt(self._soft.text_between(start, end)))
        else:
            data.setData("text/plain", self._soft.utf8_between(start, end))
        return data

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or bool(local_files(source))

    def insertFromMimeData(self, source: QMimeData) -> None:
        files = local_files(source)
        if files:
            self.files_dropped.emit(files)
        elif not self.isReadOnly() and source.hasText():  # offers without text, such as images, are ignored
            self._insert_utf8(mime_utf8(source))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if local_files(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        files = local_files(event.mimeData())
        if files:
            event.acceptProposedAction()
            self.files_dropped.emit(files)
        elif event.mimeData().hasText() and not self.isReadOnly():
            self._drop_text(event)
        # Removes the drop indicator and stops scrolling at the edges.
        super().dragLeaveEvent(QDragLeaveEvent())

    # Inside

    def _take_size(self) -> None:
        super().resizeEvent(QResizeEvent(self.viewport().size(), QSize()))

    def _point_at(self, pointer: QPoint) -> None:
        """Move the caret to the pointer, so that the menu applies there, unless the pointer is inside the selection."""
        start, end = self.selected_range()
        position = self._offset_under(pointer)
        if start == end or not start <= position <= end:
            self._select(position, position)

    def _offset_under(self, position: QPoint) -> int:
        return self._soft.to_logical(self.cursorForPosition(position).position())

    @Slot()
    def _delete(self) -> None:
        self.insertPlainText("")

    def _handle_key(self, event: QKeyEvent) -> None:
        text = text_of(event, tab=not self.tabChangesFocus())
        if text and self.steps.accepts_insertion and not self.overwriteMode():
            self.insertPlainText(text)
        elif self.is_loading and (self.steps.has_waiting or edits(event)):
            again = key_again(event)
            self.steps.when_done(lambda: self.keyPressEvent(again))
        elif text and not self.isReadOnly() and self.steps.replace_in_parts(self.textCursor(), text):
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
        return deletes(event) and self.steps.replace_in_parts(self.textCursor(), "")

    def _insert_at_once(self, text: str) -> None:
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

    def _insert_utf8(self, data: memoryview) -> None:
        """Insert the content of a clipboard or drag, as ``insertPlainText`` does."""
        is_small = len(data) <= FEED_ABOVE
        if self.steps.active and not (is_small and self.steps.accepts_insertion):
            self.steps.when_done(partial(self._insert_utf8, data))
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

    def _on_paste_undone(self) -> None:
        self._select(*self._selection_before)  # before queued actions, which came later
        self.load_finished.emit(self.revision)
        self.paste_cancelled.emit()
        self.steps.drop()

    @Slot()
    def _on_insertion_finished(self) -> None:
        was_loading = self._loading
        self._end_feeding()
        if was_loading:
            self._follow_length(self._soft.length)
        deferred, self._deferred_selection = self._deferred_selection, None
        if deferred is not None:
            self._select(*deferred)  # before queued actions, which came later
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
        self._announce_modified()

    @Slot()
    def _announce_modified(self) -> None:
        modified = self.modified
        if modified != self._announced_modified and not self._is_showing:
            self._announced_modified = modified
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
        self._insert_utf8(mime_utf8(event.mimeData()))

    def _clamp(self, offset: int) -> int:
        offset = max(0, min(offset, self._soft.length))
        character = self.document().characterAt(self._soft.to_document(offset))
        return offset - 1 if offset and "\udc00" <= character <= "\udfff" else offset
