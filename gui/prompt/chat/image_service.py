"""The sizes of image files, read off the GUI thread. Nothing is decoded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket

if TYPE_CHECKING:
    from engine.requests.types import Image


class SizedImage(NamedTuple):
    """An image file as a message has it; 0 by 0 where it is none that is known."""

    path: Path
    image: Image


class ImageSizes(QObject):
    """Signals: ``sized(SizedImage)``; ``failed(str)``: a sentence."""

    sized = Signal(object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.exclusive(self.tr("Looking at an image"), _look)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def ask(self, path: Path) -> None:
        """Find out about this file."""
        self._lane.submit(path)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.sized.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(self.tr("{name} could not be read: {why}").format(name=failure.request.name, why=failure.why))


def _look(path: Path, _ticket: Ticket) -> SizedImage:
    from engine.requests.image_size import size_of_file
    from engine.requests.types import Image

    width, height = size_of_file(path) or (0, 0)
    return SizedImage(path, Image(width, height, name=path.name))
