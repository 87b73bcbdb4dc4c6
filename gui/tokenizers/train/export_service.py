"""Writes a trained encoding for other programs. A file counts as saved when it was read back and gave the same ids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject, Signal, Slot

from gui.core.api_keys import keys_in_vocabulary

if TYPE_CHECKING:
    from engine.formats.saving import Saved
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
    from gui.services.own_encodings import OpenEncoding

FORMATS = (
    (".tiktoken", QT_TRANSLATE_NOOP("TrainingExport", "Ranks for tiktoken")),
    (".json", QT_TRANSLATE_NOOP("TrainingExport", "tokenizer.json of Hugging Face")),
    (".model", QT_TRANSLATE_NOOP("TrainingExport", "Model of minbpe")),
)
"""Endings, and what is written in a file of each."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """An encoding by its name, the file for it, and a text to prove the file on."""

    name: str
    path: Path
    sample: str = ""


class ExportService(QObject):
    """Signals: ``saved(Path, tuple[str])`` with sentences about what the format has no room for;
    ``failed(ExportRequest, str)`` with a sentence; what was there before is still there."""

    saved = Signal(object, object)
    failed = Signal(object, str)

    def __init__(self, runner: JobRunner, open_encoding: OpenEncoding, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open = open_encoding
        self._lane = runner.exclusive(self.tr("Saving the vocabulary"), partial(_save, open_encoding), stoppable=False)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def save(self, request: ExportRequest) -> None:
        """Write a file; one of the signals answers."""
        self._lane.submit(request)

    def look_for_keys(self, name: str) -> Callable[[], tuple[str, ...]]:
        """What says, on a worker thread, which tokens of an encoding hold an API key. Raises EngineError."""
        return partial(_keys_of, self._open, name)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.saved.emit(result.request.path, result.value.losses)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.request, failure.why)


def _save(open_encoding: OpenEncoding, request: ExportRequest, _ticket: Ticket) -> Saved:
    import engine

    return engine.save_encoding(open_encoding(request.name), request.path, request.sample)


def _keys_of(open_encoding: OpenEncoding, name: str) -> tuple[str, ...]:
    return keys_in_vocabulary(open_encoding(name))


def format_title(title: str) -> str:
    """The title of a format in the user's language."""
    return QCoreApplication.translate("TrainingExport", title)
