"""Tokenizer files of the user: read and tried, kept among the user's own encodings, renamed, removed, found on this
computer, assigned to models. Work of lanes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.core import local_tokenizers
from gui.services.price_text import Splice, splice

if TYPE_CHECKING:
    from engine import Encoding
    from engine.formats.id_check import IdCheck
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
    from gui.services.own_encodings import OwnEncodings

SPECIAL_SHOWN = 12
"""Special tokens that are shown of a tokenizer; some have a thousand."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """``pattern``: the split pattern, for a file that does not say it; empty for none."""

    path: Path
    pattern: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class TokenizerPreview:
    """What a file holds. ``name``: one that is free. ``runs``: what runs it, ``""`` for our own engine. ``model``: what
    the library calls its kind, ``""`` of ours. ``special``: the first special tokens; ``special_count``: how many there
    are. ``pattern``: the split pattern, or its name; ``""`` where the library splits. ``check``: what its ids were
    compared with."""

    request: ReadRequest
    encoding: Encoding
    name: str
    kind: str
    model: str
    runs: str
    ids: int
    tokens: int
    special: tuple[tuple[str, int], ...]
    special_count: int
    pattern: str
    normalization: tuple[str, ...]
    notes: tuple[str, ...]
    check: IdCheck


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that was not read, and why, in a sentence. ``wants_pattern``: it would be with a split pattern."""

    request: ReadRequest
    why: str
    wants_pattern: bool


@dataclass(frozen=True, slots=True)
class Change:
    """Something to be done to the kept ones: ``rename`` to ``new_name``, ``remove``, or keep ``encoding``."""

    name: str
    new_name: str = ""
    encoding: Encoding | None = None


@dataclass(frozen=True, slots=True)
class AssignRequest:
    """Let models of the user's price file be counted with an encoding. ``text``: the file's, of this revision.
    ``known``: names that may be in it though there are no such encodings any more."""

    revision: int
    text: str
    file_name: str
    models: tuple[str, ...]
    encoding: str
    known: tuple[str, ...] = ()


class TokenizerFiles(QObject):
    """Signals: ``read(TokenizerPreview)``; ``refused(Refusal)``; ``changed(Change)`` when something was kept, renamed
    or removed; ``found(list[LocalTokenizer])``; ``assigned(Splice | None, str, AssignRequest)``: what to put into the
    text, or why not; ``failed(str)``: a sentence; ``stopped()``: the user ended the reading or the search.
    """

    read = Signal(object)
    refused = Signal(object)
    changed = Signal(object)
    found = Signal(list)
    assigned = Signal(object, str, object)
    failed = Signal(str)
    stopped = Signal()

    def __init__(
        self, runner: JobRunner, own: OwnEncodings, kernels: Path | None, parent: QObject | None = None
    ) -> None:
        """``kernels``: where compiled kernels are kept; None: beside the sources."""
        super().__init__(parent)
        self._reading = runner.exclusive(self.tr("Reading a tokenizer"), partial(_read_tokenizer, own, kernels))
        self._changing = runner.exclusive(self.tr("Keeping a tokenizer"), partial(_change, own), stoppable=False)
        self._finding = runner.exclusive(self.tr("Looking for tokenizers"), _find)
        self._assigning = runner.exclusive(self.tr("Assigning a tokenizer"), partial(_assign, own))
        for lane, receiver in (
            (self._reading, self._on_read),
            (self._changing, self._on_changed),
            (self._finding, self._on_found),
            (self._assigning, self._on_assigned),
        ):
            lane.finished.connect(receiver)
            lane.failed.connect(self._on_failed)
            lane.cancelled.connect(self.stopped)

    def read_file(self, request: ReadRequest) -> None:
        """Read a file and try what is in it, soon. What is being read is given up."""
        self._reading.cancel()
        self._reading.submit(request)

    def stop_reading(self) -> None:
        """Nobody waits for it any more."""
        self._reading.cancel()

    def change(self, change: Change) -> None:
        """Keep, rename or remove, soon."""
        self._changing.submit(change)

    def find(self) -> None:
        """Look for tokenizers of other programs, soon."""
        self._finding.submit(None)

    def assign(self, request: AssignRequest) -> None:
        """Find out what to put into the price file, soon."""
        self._assigning.submit(request)

    @Slot(object)
    def _on_read(self, result: JobResult) -> None:
        (self.refused if isinstance(result.value, Refusal) else self.read).emit(result.value)

    @Slot(object)
    def _on_changed(self, result: JobResult) -> None:
        self.changed.emit(result.request)

    @Slot(object)
    def _on_found(self, result: JobResult) -> None:
        self.found.emit(result.value)

    @Slot(object)
    def _on_assigned(self, result: JobResult) -> None:
        self.assigned.emit(*result.value, result.request)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)


def _read_tokenizer(
    own: OwnEncodings, kernels: Path | None, request: ReadRequest, ticket: Ticket
) -> TokenizerPreview | Refusal:
    """On a worker thread."""
    import engine
    from engine.formats.refusals import PatternNeededError
    from engine.kernels.cache_folder import kept_in

    try:
        with kept_in(kernels):
            opened = engine.open_tokenizer(
                request.path, pattern=request.pattern or None, checked=True, apart=True, still_wanted=_asking(ticket)
            )
    except engine.FormatError as error:
        return Refusal(request, str(error), isinstance(error, PatternNeededError))
    except OSError as error:
        return Refusal(request, f"{request.path}: {error.strerror or error}", False)
    return _preview(own, request, opened)


def _preview(own: OwnEncodings, request: ReadRequest, opened: object) -> TokenizerPreview:
    from engine.formats.opening import OpenedTokenizer
    from engine.library_encoding import LibraryEncoding

    assert isinstance(opened, OpenedTokenizer)
    assert opened.check is not None
    encoding = opened.encoding
    runs = isinstance(encoding, LibraryEncoding)
    special = sorted(encoding._special_tokens.items(), key=lambda item: item[1])
    return TokenizerPreview(
        request,
        encoding,
        own.free_name(local_tokenizers.name_of_model(request.path) or encoding.name),
        opened.kind,
        encoding.tokenizer.model if isinstance(encoding, LibraryEncoding) else "",
        opened.check.library if runs else "",
        encoding.n_vocab,
        encoding._table.used,
        tuple(special[:SPECIAL_SHOWN]),
        len(special),
        _pattern_name(encoding.pattern),
        opened.normalization,
        opened.notes,
        opened.check,
    )


def _pattern_name(expression: str) -> str:
    from engine.training_splits import NAMED_SPLITS

    names = (name for name, split in NAMED_SPLITS.items() if split.expression == expression)
    return next(names, expression)


def _asking(ticket: Ticket) -> Callable[[], None]:
    return partial(ticket.progress, -1.0)


def _change(own: OwnEncodings, change: Change, _ticket: Ticket) -> None:
    if change.encoding is not None:
        change.encoding.name = change.name
        own.keep(change.encoding, "imported")
    elif change.new_name:
        own.rename(change.name, change.new_name)
    else:
        own.remove(change.name)


def _find(_request: None, ticket: Ticket) -> list[local_tokenizers.LocalTokenizer]:
    return local_tokenizers.find(_asking(ticket))


def _assign(own: OwnEncodings, request: AssignRequest, _ticket: Ticket) -> tuple[Splice | None, str]:
    from pricing.editing import EditError, set_field
    from pricing.types import PriceFileError

    names = (*own.names(), *request.known)
    text = request.text
    try:
        for model_id in request.models:
            text = set_field(
                text, model_id, "count.tokenizer", request.encoding, file_name=request.file_name, tokenizers=names
            )
    except PriceFileError as error:
        return None, "\n".join(problem.message for problem in error.problems)
    except EditError as error:
        return None, str(error)
    return splice(request.text, text), ""
