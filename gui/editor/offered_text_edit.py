"""A text widget that takes what is pasted and dropped: text goes into it, files are announced."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent

from gui.editor.offered import local_files
from gui.editor.plain_look import PlainLook


class OfferedTextEdit(PlainLook):
    """Tells files from text. Subclasses put the text in."""

    files_dropped = Signal(list)
    """Local paths, list[str], that were dropped or pasted."""

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or bool(local_files(source))

    def insertFromMimeData(self, source: QMimeData) -> None:
        files = local_files(source)
        if files:
            self.files_dropped.emit(files)
        elif not self.isReadOnly() and source.hasText():  # a picture takes no place of text
            self._insert_offered(source)

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
        # Takes away the caret that showed where the drop would go, and stops scrolling at the edges.
        super().dragLeaveEvent(QDragLeaveEvent())

    # For subclasses

    def _insert_offered(self, source: QMimeData) -> None:
        """Put in the text that a clipboard or a drag offers."""
        raise NotImplementedError

    def _drop_text(self, event: QDropEvent) -> None:
        """Insert or move the text that is dropped."""
        raise NotImplementedError
