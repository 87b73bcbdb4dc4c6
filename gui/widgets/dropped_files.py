"""Files and folders that are dropped on a widget, and where those go that are dropped on the window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from gui.window.workbench import Workbench


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


class DropRouting(QObject):
    """Sends what is dropped on the window or the editor where it belongs."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench)
        self._bench = bench
        DroppedFiles(bench.window).dropped.connect(self.take)
        bench.panel.editor.files_dropped.connect(self._on_names)

    @Slot(list)
    def _on_names(self, names: list[str]) -> None:
        self.take([Path(name) for name in names])

    @Slot(list)
    def take(self, paths: list[Path]) -> None:
        """Import tokenizers, count folders, and open other files as the prompt."""
        from gui.core.local_tokenizers import looks_like_tokenizer

        bench, library = self._bench, self._bench.library
        taken = [path for path in paths if library is not None and looks_like_tokenizer(path)]
        if library is not None and taken:
            library.open_paths(taken)
        folders = [path for path in paths if path.is_dir()]
        if bench.folders is not None and folders:
            bench.folders.count_paths(folders)
            taken += folders
        bench.files.open_paths([path for path in paths if path not in taken])
