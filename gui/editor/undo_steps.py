"""What can be undone: how much of it is kept, and how a step that is too large is taken back.

Qt takes back a step at once. One that brought ten megabytes back, or changed a word in them ten thousand times, would
stop the window for half a second. So a large step of ours is several of Qt's, one behind the other, and one press takes
back all of them, in as many turns of the event loop as that needs. Much is removed in as many turns, too; what takes
its place is put in before, and what is typed meanwhile goes where the caret is. Any other key that edits waits for the
end of it; while a step is taken back, or a big text put in, each does. What an input method or a drag puts in the place
of much text is one step of Qt's all the same.
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

from gui.editor.large_text import LargeRemoval, is_much
from gui.editor.offsets import document_text
from gui.editor.soft_document import SoftDocument


class EditLock:
    """The editor is read only from the first who takes it to the last who gives it back, then as it was before."""

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
        """``holder`` is done, or never took it."""
        if holder in self._holders:
            self._holders.remove(holder)
            if not self._holders:
                self._editor.setReadOnly(self._was_read_only)


UNDO_BYTES = 96_000_000
"""Where steps to undo take more than this, older ones can no longer be undone."""

_UNIT_BYTES = 2
"""Qt keeps all text that was ever inserted, so long as there is something to undo."""
_COMMAND_BYTES = 32
"""What Qt writes down for each part of a step: in a text of short lines that is more than the text, as there are two
parts for each line that goes and two for each that comes. Measured with Qt 6.11."""
_TURN_SECONDS = 0.008
"""How long steps of Qt's are taken back before keys and painting have their turn."""
_PAUSE_MS = 1  # so that whatever became due during a turn is done before the next one


class UndoSteps(QObject):
    """The steps to undo of one editor. Where a step ends is told in Qt's count of what it holds, which are the parts of
    its own steps (``QTextDocument.availableUndoSteps``)."""

    def __init__(self, editor: QPlainTextEdit, soft: SoftDocument, lock: EditLock) -> None:
        super().__init__(editor)
        self._lock = lock
        self._editor = editor
        self._soft = soft
        self._document = editor.document()
        self._inserted_units = 0
        self._large: list[tuple[int, int]] = []  # the counts between which steps of Qt's belong together
        self._depth = 0
        self._low = 0
        self._reached = 0  # Qt's count after the last change
        self._act: Callable[[], bool] | None = None  # does the next part, and says whether there is another
        self._removal: LargeRemoval | None = None
        self._waiting: deque[Callable[[], object]] = deque()
        self._is_held = False
        self._then: Callable[[], object] | None = None  # what follows a step that is taken back for good
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self._go_on)
        self._document.undoCommandAdded.connect(self._on_command_added)
        self._document.contentsChange.connect(self._on_contents_change)
        self._document.undoAvailable.connect(self._on_available)

    # How much is kept

    def forget(self) -> None:
        """Another text is about to be shown, which has nothing to undo."""
        self._waiting.clear()
        self._is_held = False
        self._then = None
        self._end()
        self._large.clear()
        self._inserted_units = 0

    def bound(self, characters: int, *, in_step: bool) -> bool:
        """Make room for a step that inserts so many; not in the middle of one, of which half would stay for good.
        Whether older steps were forgotten for it."""
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
        """All of Qt's steps from here on, up to ``end``, are one of ours."""
        if not self._depth:
            self._low = self._document.availableUndoSteps()
        self._depth += 1

    def end(self) -> None:
        """The step is done."""
        self._depth -= 1
        high = self._document.availableUndoSteps()
        if not self._depth and high > self._low:
            self._large = [step for step in self._large if step[1] <= self._low] + [(self._low, high)]

    def replace_bit_by_bit(self, cursor: QTextCursor, text: str) -> bool:
        """Replace what a cursor has selected, if that is much, as one step: the text is put in now, and what was there
        goes soon, for Qt takes half a second to remove what was replaced a million times. Whether it does: not in the
        middle of another step."""
        if self._act is not None or self._depth or not is_much(cursor):
            return False
        place = QTextCursor(cursor)
        place.setPosition(cursor.selectionStart())
        self._removal = LargeRemoval(self._soft, cursor)  # what is put in at its start does not belong to it
        self.begin()
        self._start(partial(self._put_in, place, text), self._remove_part)
        return True

    @property
    def lets_in(self) -> bool:
        """Whether a text can be put in at the caret while something else is being removed."""
        return self.is_removing and not self.has_waiting and not self._is_removing_at_caret()

    @contextmanager
    def without_selection(self, cursor: QTextCursor) -> Iterator[None]:
        """Remove what a cursor has selected, if that is much, at once; what is done within belongs to the same step."""
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
        """Whether a large step is being undone or redone, or much is being removed."""
        return self._act is not None

    @property
    def is_removing(self) -> bool:
        """Whether much is being removed bit by bit."""
        return self._removal is not None

    def undo(self) -> None:
        """Undo the last step: its first part now, the others soon."""
        if self._has_to_wait():
            self.when_done(self.undo)
        else:
            self._begin(QPlainTextEdit.undo)

    def redo(self) -> None:
        """Do the step again that was undone last: its first part now, the others soon."""
        if self._has_to_wait():
            self.when_done(self.redo)
        else:
            self._begin(QPlainTextEdit.redo)

    def take_back(self, then: Callable[[], object]) -> None:
        """Undo the step that has just ended, so that nothing can redo it, and call ``then``: at once or soon."""
        self._then = then
        if self._document.availableUndoSteps() > self._low:
            self._begin(QPlainTextEdit.undo)
        else:
            self._end_taking_back()

    @property
    def has_waiting(self) -> bool:
        """Whether something is to be done at the end of it, behind which all that comes has to wait."""
        return bool(self._waiting)

    def when_done(self, call: Callable[[], object]) -> None:
        """Do something at the end of it; now, where nothing is going on."""
        self._waiting.append(call)
        self._go_through_waiting()

    @property
    def is_held(self) -> bool:
        """Whether everything waits for ``let_go``."""
        return self._is_held

    def hold(self) -> None:
        """A big text is on its way in: what is to be done waits for its end as well."""
        self._is_held = True

    def let_go(self) -> None:
        """It is in."""
        self._is_held = False
        self._go_through_waiting()

    def behind_waiting(self, call: Callable[[], object]) -> None:
        """Do something now, or behind what waits: whoever moves the caret now would move it for that, too."""
        if self.has_waiting:
            self.when_done(call)
        else:
            call()

    def finish(self) -> None:
        """Do the rest of it at once, and what waits for it: somebody needs the text, and cannot wait."""
        while self._act is not None:
            while self._act is not None and self._act():
                pass
            self._end()

    # Inside

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
        self._act = others  # before the first: who hears of it must not take it for all
        try:
            more = first()
        except BaseException:
            self._end()
            raise
        if more and self._act is not None:
            self._timer.start()
        else:
            self._end()

    def _put_in(self, place: QTextCursor, text: str) -> bool:
        """What comes before the first part of what is to be removed goes, and that."""
        if text:
            self._soft.insert(place, document_text(text))
        if self._is_removing_at_caret():
            self._editor.setTextCursor(place)
        return self._remove_part()

    def _is_removing_at_caret(self) -> bool:
        """Whether some of what is selected, or the place of the caret, is being removed bit by bit. What is put in
        where that ends would go with it; what is put in where it begins stays."""
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
        self._go_through_waiting()

    def _advance(self, act: Callable[[QPlainTextEdit], None]) -> bool:
        """Undo or redo one step of Qt's. Whether another belongs to it: not where there was none."""
        before = self._document.availableUndoSteps()
        act(self._editor)
        return self._document.availableUndoSteps() != before and self._is_inside()

    def _is_inside(self) -> bool:
        """Whether only a part of a large step is done."""
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
        self._go_through_waiting()

    def _end_taking_back(self) -> None:
        then, self._then = self._then, None
        self._document.clearUndoRedoStacks(QTextDocument.Stacks.RedoStack)
        self._on_command_added()
        if then is not None:
            then()

    def _go_through_waiting(self) -> None:
        while self._waiting and self._act is None and not self._is_held:
            try:
                self._waiting.popleft()()
            except BaseException:
                self._timer.start()  # it is not the others' fault
                raise

    def _has_to_wait(self) -> bool:
        """Whether a step cannot be taken back yet: not while something is put in or removed, nor before what waits."""
        return self._is_held or (self.active and (self.is_removing or self.has_waiting))

    @Slot()
    def _on_command_added(self) -> None:
        """What had been taken back can no longer be redone."""
        self._large = [step for step in self._large if step[1] <= self._reached]

    @Slot()
    def _on_contents_change(self) -> None:
        self._reached = self._document.availableUndoSteps()

    @Slot(bool)
    def _on_available(self, available: bool) -> None:
        if not available and not self._document.isRedoAvailable():
            self._large.clear()
            self._reached = 0
