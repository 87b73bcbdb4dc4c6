"""Service that exports entries of a vocabulary to files for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.core import exports
from gui.core.api_keys import keys_in_tokens
from gui.core.exports import ExportTable, Value
from gui.core.file_writing import write_atomic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.vocabulary.entries.search import EntrySearch
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket

COLUMNS = (
    "id",
    "text",
    "hex",
    "bytes",
    "kind",
    "script",
    "left",
    "right",
    "built_directly",
    "built_in_all",
    "findings",
)
BOM = "\ufeff"
"""Marks a CSV file as UTF-8 for spreadsheets."""
BETWEEN_REPORTS = 2048


@dataclass(frozen=True, slots=True, eq=False)
class ExportRequest:
    """Entries (int32[n], in order) to export. ``path``: its suffix selects the format, JSON for ``.json``, else CSV."""

    search: EntrySearch
    ids: NDArray[np.int32]
    path: Path


class VocabularyExport(QObject):
    """Service that exports entries.

    Signals: ``written(Path, int)``: the file and its number of entries; ``failed(Path, str)``: why there is no file.
    """

    written = Signal(object, int)
    failed = Signal(object, str)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.exclusive(self.tr("Exporting the vocabulary"), _write, stoppable=False)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def write(self, request: ExportRequest) -> None:
        """Export entries; answered by one of the signals."""
        self._lane.submit(request)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.written.emit(result.request.path, len(result.request.ids))

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.request.path, failure.why)


def _write(request: ExportRequest, ticket: Ticket) -> int:
    table = export_table(request, ticket)
    text = exports.to_json(table) if request.path.suffix.lower() == ".json" else BOM + exports.to_csv(table)
    return write_atomic(request.path, text.encode("utf-8"))


def keys_among(request: ExportRequest) -> tuple[str, ...]:
    """Describe the entries that contain an API key."""
    entries = request.search.entries
    return keys_in_tokens((token_id, entries.token_bytes(token_id)) for token_id in request.ids.tolist())


def export_table(request: ExportRequest, ticket: Ticket) -> ExportTable:
    """Return the entries as a table. Columns that need a diagnosis are empty until there is one."""
    rows: list[tuple[Value, ...]] = []
    ids = request.ids.tolist()
    for number, token_id in enumerate(ids):
        if number % BETWEEN_REPORTS == 0:
            ticket.progress(number / len(ids))
        rows.append(_row(request.search, token_id))
    about = (("encoding", request.search.entries.name), ("entries", len(ids)))
    return ExportTable(COLUMNS, tuple(rows), about)


def _row(search: EntrySearch, token_id: int) -> tuple[Value, ...]:
    entries, diagnosis = search.entries, search.diagnosis
    content = entries.token_bytes(token_id)
    known: tuple[Value, ...] = (None,) * 6
    if diagnosis is not None:
        left, right = int(diagnosis.left[token_id]), int(diagnosis.right[token_id])
        known = (
            diagnosis.script(token_id),
            left if left >= 0 else None,
            right if right >= 0 else None,
            int(diagnosis.built_directly[token_id]),
            int(diagnosis.built_in_all[token_id]),
            ", ".join(diagnosis.findings_of(token_id)),
        )
    text = content.decode("utf-8", "replace")
    return (token_id, text, content.hex(), len(content), entries.kind(token_id), *known)
