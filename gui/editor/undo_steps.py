"""Undo history: its size limit, and undoing of large steps in parts.

Qt undoes a step at once. A step that restores ten megabytes, or changed a word in them ten thousand times, would block
the window for half a second. So a large step of ours consists of several Qt steps, and one undo reverts all of them,
over as many turns of the event loop as needed. Large removals are split likewise; replacement text is inserted first,
and typed text goes to the caret. Other editing keys wait for the end of a removal; during an undo, or the insertion of
a large text, all do. Input methods and drags that replace large text still make one Qt step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit

from gui.editor.offsets import document_text
from gui.editor.soft_document import SoftDocument
from gui.editor.text_transfer import LargeRemoval, is_much


class EditLock:
    """Lock that makes the editor read-only from its first holder to the last release, then restores its state."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        self._editor = editor
        self._holders: set[object] = set()
        self._was_read_only = False

    def take(self, holder: object) -> None:
        """Block edits until ``holder`` releases them."""
        if not self._holders:
            self._was_read_only = self._editor.isReadOnly()
            self._editor.setReadOnly(True)
        self._holders.add(holder)

    def give_back(self, holder: object) -> None:
        """Release the lock of ``holder``; a no-op if it holds none."""
        if holder in self._holders:
            self._holders.remove(holder)
            if not self._holders:
                self._editor.setReadOnly(self._was_read_only)


UNDO_BYTES = 96_000_000
"""Maximum memory of undo steps, in bytes; when exceeded, older steps are dropped."""

_UNIT_BYTES = 2
"""Qt keeps all text ever inserted as long as there is something to undo."""
_COMMAND_BYTES = 32
"""Size of Qt's record for each part of a step: in a text of short lines this exceeds the text, as each removed and each
added line makes two parts. Measured with Qt 6.11."""
_TURN_SECONDS = 0.008
"""Time for undoing Qt steps before events are handled, in seconds."""
_PAUSE_MS = 1  # lets events that became due during a turn run before the next one


class UndoSteps(QObject):
    """The undo steps of one editor. Ends of steps are values of ``QTextDocument.availableUndoSteps``, which counts the
    parts of Qt's own steps."""

    def __init__(self, editor: QPlainTextEdit, soft: SoftDocument, lock: EditLock) -> None:
        super().__init__(editor)
        self._lock = lock
        self._editor = editor
        self._soft = soft
        self._document = editor.document()
        self._inserted_units = 0
        self._large: list[tuple[int, int]] = []  # values between which Qt's steps belong together
        self._depth = 0
        self._low = 0
        self._reached = 0  # Qt's value after the last change
        self._act: Callable[[], bool] | None = None  # performs the next part; returns True if more are left
        self._removal: LargeRemoval | None = None
        self._waiting: deque[Callable[[], object]] = deque()
        self.is_held = False
        """True while everything waits for ``drop``."""
        self._then: Callable[[], object] | None = None  # follows a step that is undone for good
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self._go_on)
        self._document.undoCommandAdded.connect(self._on_command_added)
        self._document.contentsChange.connect(self._on_contents_change)
        self._document.undoAvailable.connect(self._on_available)

    # Size limit

    def forget(self) -> None:
        """Reset for another text, which has nothing to undo."""
        self._waiting.clear()
        self.is_held = False
        self._then = None
        self._end()
        self._large.clear()
        self._inserted_units = 0

    def bound(self, characters: int, *, in_step: bool) -> bool:
        """Make room for a step that inserts this many characters. Return True if older steps were dropped.

        Inside a step nothing is dropped, since half of it would become permanent.
        """
        document = self._document
        self._inserted_units += characters
        commands = document.availableUndoSteps() + document.availableRedoSteps()
        kept_bytes = self._inserted_units * _UNIT_BYTES + commands * _COMMAND_BYTES
        if kept_bytes <= UNDO_BYTES or in_step or (self._depth and document.availableUndoSteps() > self._low):
            return False
        document.clearUndoRedoStacks()
        self._large.clear()
        self._low = self._reached = 0
        self._inserted_units = characters
        return True

    # Making large steps

    def begin(self) -> None:
        """Begin a step: all Qt steps until ``end`` belong to it."""
        if not self._depth:
            self._low = self._document.availableUndoSteps()
        self._depth += 1

    def end(self) -> None:
        """End the step."""
        self._depth -= 1
        high = self._document.availableUndoSteps()
        if not self._depth and high > self._low:
            self._large = [step for step in self._large if step[1] <= self._low] + [(self._low, high)]

    def replace_in_parts(self, cursor: QTextCursor, text: str) -> bool:
        """Replace a large selection as one step: the text is inserted now, and the selection removed in parts, since Qt
        takes half a second to remove text that was replaced a million times. Returns False if the selection is small or
        another step is active."""
        if self._act is not None or self._depth or not is_much(cursor):
            return False
        before = QTextCursor(cursor)
        before.setPosition(cursor.selectionStart())
        self._removal = LargeRemoval(self._soft, cursor)  # text inserted at its start is not part of it
        self.begin()
        self._start(partial(self._put_in, before, text), self._remove_part)
        return True

    @property
    def accepts_insertion(self) -> bool:
        """True if text can be inserted at the caret during a removal."""
        return self.is_removing and not self.has_waiting and not self._is_removing_at_caret()

    @contextmanager
    def without_selection(self, cursor: QTextCursor) -> Iterator[None]:
        """Remove a large selection at once; edits inside the context belong to the same step."""
        if not is_much(cursor):
            yield
            return
        self.begin()
        try:
            self._soft.remove_in_parts(cursor)
            yield
        finally:
            self.end()

    # Taking steps back

    @property
    def active(self) -> bool:
        """True while a large step is undone or redone, or large text is removed."""
        return self._act is not None

    @property
    def is_removing(self) -> bool:
        """True while large text is removed in parts."""
        return self._removal is not None

    def undo(self) -> None:
        """Undo the last step: its first part now, the others soon."""
        self._undo_or_redo(QPlainTextEdit.undo)

    def redo(self) -> None:
        """Redo the last undone step: its first part now, the others soon."""
        self._undo_or_redo(QPlainTextEdit.redo)

    def take_back(self, then: Callable[[], object]) -> None:
        """Undo the step that has just ended, without redo, and call ``then``: now or soon."""
        self._then = then
        if self._document.availableUndoSteps() > self._low:
            self._begin(QPlainTextEdit.undo)
        else:
            self._end_taking_back()

    @property
    def has_waiting(self) -> bool:
        """True if actions are queued for the end, so that later ones must queue as well."""
        return bool(self._waiting)

    def when_done(self, call: Callable[[], object]) -> None:
        """Queue an action for the end; run it now if nothing is active."""
        self._waiting.append(call)
        self._run_waiting()

    def hold(self) -> None:
        """Queue actions until a large text has been inserted."""
        self.is_held = True

    def drop(self) -> None:
        """Run queued actions: the large text has been inserted."""
        self.is_held = False
        self._run_waiting()

    def after_waiting(self, call: Callable[[], object]) -> None:
        """Run an action now, or after queued ones: moving the caret now would move it for them too."""
        if self.has_waiting:
            self.when_done(call)
        else:
            call()

    def finish(self) -> None:
        """Complete everything at once, including queued actions, for callers that need the text now."""
        while self._act is not None:
            while self._act is not None and self._act():
                pass
            self._end()

    # Inside

    def _undo_or_redo(self, act: Callable[[QPlainTextEdit], None]) -> None:
        """Undo or redo now, or later: during an insertion or removal, or after queued actions."""
        if self.is_held or (self.active and (self.is_removing or self.has_waiting)):
            self.when_done(partial(self._undo_or_redo, act))
        else:
            self._begin(act)

    def _begin(self, act: Callable[[QPlainTextEdit], None]) -> None:
        if self._act is not None or self._depth:
            return
        reached = self._document.availableUndoSteps()
        if not any(low <= reached <= high for low, high in self._large):
            act(self._editor)
            return
        self._lock.take(self)
        self._start(partial(self._advance, act), lambda: self._is_inside() and self._advance(act))

    def _start(self, first: Callable[[], bool], others: Callable[[], bool]) -> None:
        self._act = others  # set before the first part: listeners must see that more is left
        try:
            more = first()
        except BaseException:
            self._end()
            raise
        if more and self._act is not None:
            self._timer.start()
        else:
            self._end()

    def _put_in(self, before: QTextCursor, text: str) -> bool:
        """Insert the replacement text and remove the first part of the old text."""
        if text:
            self._soft.insert(before, document_text(text))
        if self._is_removing_at_caret():
            self._editor.setTextCursor(before)
        return self._remove_part()

    def _is_removing_at_caret(self) -> bool:
        """Return True if the selection or caret is in text that is being removed. Text inserted at its end would be
        removed too; text inserted at its start stays."""
        if self._removal is None:
            return False
        removed, caret = self._removal.cursor, self._editor.textCursor()
        return caret.selectionEnd() > removed.selectionStart() and caret.selectionStart() <= removed.selectionEnd()

    def _remove_part(self) -> bool:
        return self._removal is not None and self._removal.advance()

    @Slot()
    def _go_on(self) -> None:
        until = monotonic() + _TURN_SECONDS
        while self._act is not None and self._act():
            if monotonic() > until:
                self._timer.start()
                return
        self._end()
        self._run_waiting()

    def _advance(self, act: Callable[[QPlainTextEdit], None]) -> bool:
        """Undo or redo one Qt step; return True if the next one belongs to the same step. False if there was none."""
        before = self._document.availableUndoSteps()
        act(self._editor)
        return self._document.availableUndoSteps() != before and self._is_inside()

    def _is_inside(self) -> bool:
        """Return True inside a large step."""
        reached = self._document.availableUndoSteps()
        return any(low < reached < high for low, high in self._large)

    def _end(self) -> None:
        self._timer.stop()
        if self._act is None:
            return
        self._act = None
        removal, self._removal = self._removal, None
        if removal is not None:
            self.end()
        self._lock.give_back(self)
        if removal is not None:
            self._editor.ensureCursorVisible()
        if self._then is not None:
            self._end_taking_back()
        self._run_waiting()

    def _end_taking_back(self) -> None:
        then, self._then = self._then, None
        self._document.clearUndoRedoStacks(QTextDocument.Stacks.RedoStack)
        self._on_command_added()
        if then is not None:
            then()

    def _run_waiting(self) -> None:
        while self._waiting and self._act is None and not self.is_held:
            try:
                self._waiting.popleft()()
            except BaseException:
                self._timer.start()  # run the remaining actions despite the error
                raise

    @Slot()
    def _on_command_added(self) -> None:
        """Drop redo records: undone steps can no longer be redone."""
        self._large = [step for step in self._large if step[1] <= self._reached]

    @Slot()
    def _on_contents_change(self) -> None:
        self._reached = self._document.availableUndoSteps()

    @Slot(bool)
    def _on_available(self, available: bool) -> None:
        if not available and not self._document.isRedoAvailable():
            self._large.clear()
            self._reached = 0
