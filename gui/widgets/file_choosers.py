"""Files that the user picks in the system's dialogs or drops on a widget.

A dialog does not wait for an answer: its ``fileSelected`` brings it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QWidget


def opening(
    parent: QWidget, name: str, title: str, start: Path | str, filters: Sequence[str] = (), *, several: bool = False
) -> QFileDialog:
    """A dialog that asks for a file that is there, or for several; begins in the folder ``start``, "" for that of the
    last one. Without filters all files are shown."""
    mode = QFileDialog.FileMode.ExistingFiles if several else QFileDialog.FileMode.ExistingFile
    chooser = _chooser(parent, name, title, start, filters)
    chooser.setFileMode(mode)
    return chooser


def folder(parent: QWidget, name: str, title: str, start: Path | str) -> QFileDialog:
    """A dialog that asks for a folder; begins in the folder ``start``."""
    chooser = _chooser(parent, name, title, start, ())
    chooser.setFileMode(QFileDialog.FileMode.Directory)
    chooser.setOption(QFileDialog.Option.ShowDirsOnly)
    return chooser


def saving(
    parent: QWidget,
    name: str,
    title: str,
    start: Path | str,
    filters: Sequence[str] = (),
    endings: Sequence[str] = (),
) -> QFileDialog:
    """A dialog that asks for a file to write to; proposes ``start``. ``endings``: for each of the filters what a name
    without one gets; where there are none it is left as it is."""
    chooser = _chooser(parent, name, title, start, filters)
    chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    if endings:
        chooser.follow_filters(dict(zip(filters, endings, strict=True)))
    return chooser


class _Chooser(QFileDialog):
    """Knows the endings of what it saves, and stays until its question whether to replace a file is answered."""

    _endings: Mapping[str, str] = {}
    _asks = False

    def accept(self) -> None:
        """Qt's, which may ask whether to replace a file: in an event loop of its own, with a box that lives on the
        stack and is a child of this dialog. Whatever ended the dialog there would free it."""
        if self._asks:
            return
        self._asks = True
        try:
            super().accept()
        finally:
            self._asks = False

    def reject(self) -> None:
        """Qt's, but not below its question."""
        if not self._asks:
            super().reject()

    def follow_filters(self, endings: Mapping[str, str]) -> None:
        """Let the ending be that of the filter, at first of the first one."""
        self._endings = endings
        self.setDefaultSuffix(next(iter(endings.values())))
        self.filterSelected.connect(self._on_filter)

    @Slot(str)
    def _on_filter(self, chosen: str) -> None:
        self.setDefaultSuffix(self._endings[chosen])


def _chooser(parent: QWidget, name: str, title: str, start: Path | str, filters: Sequence[str]) -> _Chooser:
    chooser = _Chooser(parent, title, str(start))
    chooser.setObjectName(name)
    if filters:
        chooser.setNameFilters(filters)
    chooser.finished.connect(chooser.deleteLater)
    return chooser


# --- files that are dropped on a widget -------------------------------------------------------------------------------


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
