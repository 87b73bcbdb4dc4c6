"""Files and folders that are dropped on a widget."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget


class DroppedFiles(QObject):
    """Takes files and folders of this computer that are dropped anywhere on a widget, and nothing else.

    Signals: ``dropped(list[Path])``.
    """

    dropped = Signal(list)

    def __init__(self, target: QWidget) -> None:
        super().__init__(target)
        target.setAcceptDrops(True)
        target.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QDragEnterEvent) and not (
            isinstance(event, QDropEvent) and event.type() == QEvent.Type.Drop
        ):
            return super().eventFilter(watched, event)
        paths = local_paths(event)
        if paths:
            event.acceptProposedAction()
            if event.type() == QEvent.Type.Drop:
                self.dropped.emit(paths)
        else:
            event.ignore()
        return True


def local_paths(event: QDropEvent) -> list[Path]:
    """Return the files and folders of this computer that are dragged."""
    data = event.mimeData()
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()] if data.hasUrls() else []
