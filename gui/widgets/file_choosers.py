"""File dialogs of the system, and files dropped on a widget.

A dialog does not block; ``fileSelected`` delivers the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.widgets.forms import set_page_margins


def opening(
    parent: QWidget, name: str, title: str, start: Path | str, filters: Sequence[str] = (), *, several: bool = False
) -> QFileDialog:
    """Return a dialog for one existing file, or several.

    It starts in the folder ``start``; if that is "", in the last folder used. Without filters it shows all files.
    """
    mode = QFileDialog.FileMode.ExistingFiles if several else QFileDialog.FileMode.ExistingFile
    chooser = _chooser(parent, name, title, start, filters)
    chooser.setFileMode(mode)
    return chooser


def folder(parent: QWidget, name: str, title: str, start: Path | str) -> QFileDialog:
    """Return a dialog for a folder; it starts in the folder ``start``."""
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
    """Return a dialog for a file to write; suggests ``start``. ``endings``: default suffix for each filter; without
    any, names are not changed."""
    chooser = _chooser(parent, name, title, start, filters)
    chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    if endings:
        chooser.follow_filters(dict(zip(filters, endings, strict=True)))
    return chooser


class _Chooser(QFileDialog):
    """File dialog with suffixes by filter, which stays open while its overwrite question is open."""

    _endings: Mapping[str, str] = {}
    _asks = False

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Polish:
            set_page_margins(self)
        return super().event(event)

    def accept(self) -> None:
        """Ignore calls while the overwrite question is open. Qt asks it in a nested event loop, with a box on the stack
        that is a child of this dialog; deleting the dialog meanwhile would free the box."""
        if self._asks:
            return
        self._asks = True
        try:
            super().accept()
        finally:
            self._asks = False

    def reject(self) -> None:
        """Reject, unless the overwrite question is open."""
        if not self._asks:
            super().reject()

    def follow_filters(self, endings: Mapping[str, str]) -> None:
        """Make the default suffix follow the filter, beginning with the first."""
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
    """Drop target for local files and folders, anywhere on a widget, and nothing else.

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
    """Return the local files and folders of a drag."""
    data = event.mimeData()
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()] if data.hasUrls() else []
