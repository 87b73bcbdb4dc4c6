"""Saving, reading and comparing versions of the prompt off the GUI thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.core import version_store as store
from gui.core.text_chunks import ChunkedText, as_chunked
from gui.core.token_diff import Comparison, compare
from gui.core.version_store import Kept, Version
from gui.costs.priced_model import ChangeRequest, cost_changes
from gui.editor.offsets import document_text
from gui.editor.text_transfer import Piece, between

if TYPE_CHECKING:
    from gui.core.user_encodings import OpenEncoding
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket

PROMPT = ""
"""Key of the prompt's text among the keys of versions."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two texts: a version, or the text of the prompt. ``counts``: known token counts by encoding."""

    version: Version | None
    text: str | ChunkedText | None
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Request to compare in ``encoding`` and count in ``encodings``. ``revision``: of the prompt, if it is a side."""

    before: Side
    after: Side
    encoding: str
    encodings: tuple[str, ...]
    revision: int


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Result of a comparison. ``before`` and ``after``: tokens by encoding."""

    comparison: Comparison
    before: Mapping[str, int]
    after: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SaveRequest:
    """Request to save this text. ``counts``: its known token counts; missing counts of ``encodings`` are computed."""

    name: str
    text: str | ChunkedText
    encoding: str
    encodings: tuple[str, ...]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RestoreRequest:
    """Request for the edits that turn the text of ``revision`` into a version."""

    version: Version
    revision: int
    text: ChunkedText


@dataclass(frozen=True, slots=True)
class Restored:
    """Edits that restore a version. ``line_ends``: True if the editor's line ends differ from the version's."""

    pieces: tuple[Piece, ...]
    line_ends: bool


class VersionService(QObject):
    """Service that saves and compares versions.

    Signals: ``listed(Kept)`` after every change of the folder; ``saved(Version)``;
    ``compared(Compared, CompareRequest)``; ``stopped()`` when the user cancelled a comparison;
    ``priced(tuple[CostChange], ChangeRequest)``; ``restored(Restored, RestoreRequest)``; ``failed(str)`` with the
    reason.
    """

    listed = Signal(object)
    saved = Signal(object)
    compared = Signal(object, object)
    stopped = Signal()
    priced = Signal(object, object)
    restored = Signal(object, object)
    failed = Signal(str)

    def __init__(
        self, folder: Path, runner: JobRunner, open_encoding: OpenEncoding, parent: QObject | None = None
    ) -> None:
        """``open_encoding``: opens an encoding by its name, on a worker thread."""
        super().__init__(parent)
        self.folder, self._open = folder, open_encoding
        self._keeping = runner.exclusive(self.tr("Saving versions"), _do, stoppable=False)
        self._keeping.finished.connect(self._on_kept)
        self._keeping.failed.connect(self._on_failed)
        self._comparing = runner.conflated(self.tr("Comparing versions"), partial(_compare, folder, open_encoding))
        self._comparing.finished.connect(self._on_compared)
        self._comparing.failed.connect(self._on_failed)
        self._comparing.cancelled.connect(self._on_stopped)
        self._pricing = runner.conflated(self.tr("Pricing versions"), cost_changes)
        self._pricing.finished.connect(self._on_priced)
        self._pricing.failed.connect(self._on_failed)

    def list(self) -> None:
        """Read the folder."""
        self._keeping.submit(partial(store.kept, self.folder))

    def save(self, request: SaveRequest) -> None:
        """Save a version."""
        self._keeping.submit(partial(_save, self.folder, self._open, request))

    def rename(self, version: Version, name: str) -> None:
        """Rename a version."""
        self._change(partial(store.rename, self.folder, version, name))

    def delete(self, version: Version) -> None:
        """Delete a version."""
        self._change(partial(store.delete, self.folder, version))

    def restore(self, request: RestoreRequest) -> None:
        """Find the edits that restore a version."""
        self._keeping.submit(partial(_restore, self.folder, request))

    def compare(self, request: CompareRequest) -> None:
        """Compare two texts; a newer request replaces a waiting one."""
        self._comparing.submit(request)

    def price(self, request: ChangeRequest) -> None:
        """Calculate the cost of a change."""
        self._pricing.submit(request)

    def _change(self, act: Callable[[], object]) -> None:
        self._keeping.submit(act)
        self.list()

    @Slot(object)
    def _on_kept(self, result: JobResult) -> None:
        value = result.value
        if isinstance(value, Kept):
            self.listed.emit(value)
        elif isinstance(value, Restored):
            self.restored.emit(value, result.request.args[-1])
        elif isinstance(value, Version) and result.request.func is _save:
            self.saved.emit(value)
            self.list()

    @Slot(object)
    def _on_compared(self, result: JobResult) -> None:
        self.compared.emit(result.value, result.request)

    @Slot(object)
    def _on_stopped(self, _request: object) -> None:
        self.stopped.emit()

    @Slot(object)
    def _on_priced(self, result: JobResult) -> None:
        self.priced.emit(result.value, result.request)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)


def _do(act: Callable[[], object], _ticket: Ticket) -> object:
    return act()


def _save(folder: Path, open_encoding: OpenEncoding, request: SaveRequest) -> Version:
    chunks = as_chunked(request.text)
    counts = _counts(open_encoding, chunks.text(), (request.encoding, *request.encodings), request.counts)
    return store.save(folder, request.name, chunks, request.encoding, counts)


def _restore(folder: Path, request: RestoreRequest) -> Restored:
    stored = store.text_of(folder, request.version).text()
    document = document_text(stored)
    return Restored(between(request.text.text(), document), document != stored)


def _compare(folder: Path, open_encoding: OpenEncoding, request: CompareRequest, ticket: Ticket) -> Compared:
    """Compare two texts. Runs on a worker thread. Raises EngineError, VersionError, OSError and JobCancelled."""
    texts, counts = [], []
    for side in (request.before, request.after):
        ticket.progress(0.0)
        text = store.text_of(folder, side.version) if side.version is not None else side.text
        assert text is not None
        texts.append(as_chunked(text).text(ticket.wait_while_busy))
        counts.append(_counts(open_encoding, texts[-1], request.encodings, side.counts, ticket))
    comparison = compare(open_encoding(request.encoding), *texts, ticket.progress)
    return Compared(comparison, *counts)


def _counts(
    open_encoding: OpenEncoding,
    text: str,
    names: tuple[str, ...],
    known: Mapping[str, int],
    ticket: Ticket | None = None,
) -> dict[str, int]:
    """Return tokens by encoding. Encodings that cannot be opened are omitted; their models have no cost."""
    from engine import EngineError

    found = dict(known)
    for name in names:
        if ticket is not None:
            ticket.progress(0.1)
        if name not in found:
            try:
                found[name] = open_encoding(name).count(text)
            except EngineError:
                continue
    return found
