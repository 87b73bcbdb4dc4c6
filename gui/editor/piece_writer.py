"""Puts many pieces into the editor as one step to undo, without stopping it for long."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from PySide6.QtCore import QObject, Signal, Slot

from gui.editor.pieces import Piece
from gui.editor.token_editor import TokenEditor
from gui.runtime.event_loop import in_next_turn

SLICE_SECONDS = 0.01
"""How long pieces are put into the text before keys and painting have their turn."""


class PieceWriter(QObject):
    """Writes the last piece first, so that the places of the others stay. Meanwhile nobody else can edit.

    Signals: ``finished(bool)``: whether all is in; not where another text was opened meanwhile, for then the rest means
    nothing any more.
    """

    finished = Signal(bool)

    def __init__(self, editor: TokenEditor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._left: list[Piece] | None = None
        self._reached = -1

    def can_write(self, revision: int) -> bool:
        """Whether this is the text in the editor, and the editor takes edits."""
        editor = self._editor
        return revision == editor.revision and not editor.isReadOnly() and not editor.is_loading

    def write(self, revision: int, pieces: Sequence[Piece]) -> None:
        """Begin, which may also be the end. ``pieces``: of the text of ``revision``, in order, apart from each other.

        Only where ``can_write`` says so.
        """
        self._left, self._reached = list(pieces), revision
        self._editor.lock.take(self)
        self._editor.steps.begin()
        self._write_some()

    @Slot()
    def _write_some(self) -> None:
        """Put in pieces for a moment; then let others work."""
        left = self._left
        if left is None:
            return
        until = monotonic() + SLICE_SECONDS
        begun = False
        while left and self._editor.revision == self._reached and monotonic() < until:
            piece = left.pop()
            self._editor.replace_range(piece.utf16_start, piece.utf16_end, piece.text, join=begun)
            begun = True
            self._reached = self._editor.revision
        if left and self._editor.revision == self._reached:
            in_next_turn(self, self._write_some)
            return
        self._left = None
        self._editor.steps.end()
        self._editor.lock.give_back(self)
        self.finished.emit(not left)
