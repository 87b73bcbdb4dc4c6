"""Counting of the prompt off the GUI thread: the newest text in the encoding shown, and its total in all others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from gui.core.text_chunks import ChunkedText, chunked
from gui.editor.offsets import document_text, stored_to_document
from gui.editor.token_tracker import prepared_patch
from gui.runtime.jobs import JobFailure, JobResult, JobRunner

if TYPE_CHECKING:
    from engine import EditedText, Encoding
    from engine.text.kinds import TextSample
    from engine.types import TextEdit, TextStatistics, TokenInfo, TokenPatch
    from gui.core.user_encodings import OpenEncoding
    from gui.runtime.jobs import Ticket

CATCH_UP_SECONDS = 0.04
"""Time that a request without edits spends on the other encodings before it checks for newer requests, in seconds."""
LONG_UNITS = 1 << 17
"""Pieces that may be longer, in UTF-16 units, wait until the user stops typing: Gemma's encodings count a line as a
whole, and reading one of ten megabytes again for each key delays the next by 40 ms."""
REST_MS = 400
"""Time without a key after which the user has stopped typing, in milliseconds."""


@dataclass(frozen=True, slots=True)
class TextRequest:
    """Request of the window: the state of the switches, and the edits of the text up to ``revision``.

    ``new_text``, if given, replaces the whole text before ``edits`` apply. It may come in chunks, which are joined on
    the worker: joining would block the GUI thread. With ``stored`` it is the text of a file as stored. Edits are in
    UTF-16 offsets of the widget's text, each after the ones before it. ``at_rest``: no key is expected soon.
    """

    revision: int
    encoding: str
    special_as_tokens: bool = False
    watched: tuple[str, ...] = ()
    new_text: str | tuple[str, ...] | None = None
    stored: bool = False
    edits: tuple[TextEdit, ...] = ()
    want_text: bool = False
    at_rest: bool = True


@dataclass(frozen=True, slots=True)
class PromptCounts:
    """Figures of one revision of the text.

    ``tokens`` follows the switch ``special_as_tokens``; ``tokens_plain`` and ``tokens_special`` are the counts for both
    settings. The text spells special tokens ``special_occurrences`` times. ``by_encoding`` holds the count of each
    watched encoding with special tokens read as plain text, None while it is being counted. ``unavailable`` maps
    encodings that cannot be opened to the reason. ``sample`` is used to detect the kind of text.
    """

    revision: int
    encoding: str
    tokens: int
    statistics: TextStatistics
    special_occurrences: int
    tokens_plain: int
    tokens_special: int
    special_as_tokens: bool
    counted_as_stored: bool
    by_encoding: Mapping[str, int | None]
    unavailable: Mapping[str, str]
    sample: TextSample | None = None

    @property
    def complete(self) -> bool:
        """True if every watched encoding has been counted."""
        return None not in self.by_encoding.values()


@dataclass(frozen=True, slots=True)
class TextReply:
    """Answer to a request: the counts, the encoding used, and the changes of the tokens. ``waits_for_rest``: True if
    all that is left to count takes long."""

    counts: PromptCounts
    encoding: Encoding
    patch: TokenPatch | None
    text: ChunkedText | None
    waits_for_rest: bool


class TextLost(Exception):
    """Raised if the worker's copy of the text was dropped after a failure; the next request brings the whole text."""


def joined(waiting: TextRequest, newer: TextRequest) -> TextRequest:
    """Return one request with the effect of both, in order."""
    want_text = waiting.want_text or newer.want_text
    if newer.new_text is not None:
        return replace(newer, want_text=want_text)
    return replace(
        newer,
        new_text=waiting.new_text,
        stored=waiting.stored,
        edits=waiting.edits + newer.edits,
        want_text=want_text,
    )


def _yielding(parts: Iterable[str], ticket: Ticket) -> Iterator[str]:
    """Yield the parts, and yield to the GUI thread before each: joining 10 MB holds the interpreter for 20 ms."""
    for part in parts:
        ticket.yield_to_gui()
        yield part


def _opened(name: str) -> Encoding:
    import engine

    return engine.get_encoding(name)


class LiveText:
    """Worker's copy of the text, which follows the widget edit by edit and answers with tokens and counts."""

    def __init__(self, open_encoding: OpenEncoding | None = None) -> None:
        """``open_encoding``: opens an encoding by its name or raises EngineError; by default, the engine's function."""
        self._open = open_encoding or _opened
        self._edited: EditedText | None = None
        self._using: tuple[str, bool] | None = None
        self._watched: tuple[str, ...] = ()
        self._opened: dict[str, Encoding] = {}
        self._unavailable: dict[str, str] = {}
        self._stored: str | None = None

    def answer(self, request: TextRequest, ticket: Ticket) -> TextReply:
        """Bring the copy up to ``request.revision`` and count it. Runs on a worker thread.

        Raises EngineError if an encoding cannot be opened, TextLost if the whole text is needed first.
        """
        try:
            return self._answer(request, ticket)
        except BaseException:
            # An edit may be half applied, so the copy cannot be trusted. Drop it; the whole text is then requested.
            self._edited = None
            self._using = None
            self._stored = None
            raise

    def _answer(self, request: TextRequest, ticket: Ticket) -> TextReply:
        encoding = self._open(request.encoding)
        patch = self._take_text(request, encoding, ticket)
        using = (request.encoding, request.special_as_tokens)
        edited = self._edited
        if edited is None:
            raise TextLost
        if self._using != using:
            patch = edited.use(encoding, request.special_as_tokens, ticket.progress)
            self._using = using
        self._watch(request, edited, ticket)
        if patch is not None and self._stored is not None:
            patch = self._in_document_offsets(patch)
        if patch is not None and len(patch.ids) == edited.token_count:
            patch = prepared_patch(patch)
        text = None
        if request.want_text:
            parts = edited.texts() if self._stored is None else [document_text(self._stored)]
            text = chunked(_yielding(parts, ticket))
        is_watching = set(request.watched) == {*self._watched, *self._unavailable}
        waits_for_rest = is_watching and not request.at_rest and not edited.can_catch_up(LONG_UNITS)
        return TextReply(self._counts(request, edited), encoding, patch, text, waits_for_rest)

    def _watch(self, request: TextRequest, edited: EditedText, ticket: Ticket) -> None:
        """Count in the other encodings, or open one of them, but only briefly: newer edits may be waiting."""
        import engine

        if request.edits or request.new_text is not None:
            return
        self._drop_unwatched(request.watched)
        available = [name for name in request.watched if name not in self._unavailable]
        unopened = [name for name in available if name not in self._opened]
        if unopened:
            name = unopened[0]
            try:
                self._opened[name] = self._open(name)
            except engine.EngineError as error:
                self._unavailable[name] = str(error)
        watched = tuple(name for name in available if name in self._opened)
        if watched != self._watched:
            edited.watch([self._opened[name] for name in watched])
            self._watched = watched
        elif not unopened:
            longest = math.inf if request.at_rest else LONG_UNITS
            edited.catch_up(CATCH_UP_SECONDS, ticket.side_by_side, longest)

    def _drop_unwatched(self, watched: tuple[str, ...]) -> None:
        """Drop encodings that are no longer watched, including user encodings that were removed."""
        self._opened = {name: encoding for name, encoding in self._opened.items() if name in watched}
        self._unavailable = {name: why for name, why in self._unavailable.items() if name in watched}

    def _take_text(self, request: TextRequest, encoding: Encoding, ticket: Ticket) -> TokenPatch | None:
        """Replace or edit the copy as requested; return the changes of the tokens."""
        import engine

        new_text = "".join(request.new_text) if isinstance(request.new_text, tuple) else request.new_text
        if new_text is None and request.edits and self._stored is not None:
            new_text = document_text(self._stored)
        if new_text is None:
            if self._edited is None:
                raise TextLost
            return self._edited.apply(request.edits) if request.edits else None
        self._stored = None
        if request.edits:
            new_text = document_text(new_text)
        elif request.stored and document_text(new_text) is not new_text:
            self._stored = new_text
        if self._edited is None:
            self._edited = engine.EditedText(encoding, special_as_tokens=request.special_as_tokens)
            self._using = (request.encoding, request.special_as_tokens)
            self._watched = ()
        patch = self._edited.reset(new_text, ticket.progress)
        if request.edits:
            self._edited.apply(request.edits)
            patch = self._edited.whole()
        return patch

    def _in_document_offsets(self, patch: TokenPatch) -> TokenPatch:
        """Return the patch with offsets of the widget's text instead of the stored text."""
        assert self._stored is not None
        import numpy as np

        ends = stored_to_document(patch.utf16_ends, self._stored).astype(np.int32)
        ends.setflags(write=False)
        length = int(ends[-1]) if len(ends) else 0
        return replace(patch, utf16_start=0, utf16_old_end=length, utf16_new_end=length, utf16_ends=ends)

    def _counts(self, request: TextRequest, edited: EditedText) -> PromptCounts:
        from engine.text.kinds import sample_of

        counted = edited.counts()
        return PromptCounts(
            revision=request.revision,
            encoding=request.encoding,
            tokens=edited.token_count,
            statistics=edited.statistics,
            special_occurrences=edited.special_occurrences,
            tokens_plain=edited.token_count_plain,
            tokens_special=edited.token_count_special,
            special_as_tokens=request.special_as_tokens,
            counted_as_stored=self._stored is not None,
            by_encoding={name: counted.get(name) for name in request.watched if name not in self._unavailable},
            unavailable=dict(self._unavailable),
            sample=sample_of(edited.statistics.utf16_units, edited.text_between),
        )


FIRST_ENCODING = "o200k_base"
GROWING_MS = 50
"""Interval of the checks whether a growing text is complete, in milliseconds."""


class EncodingService(QObject):
    """Service that sends the editor's edits to a worker, and emits token patches and counts.

    Signals:

    ``patched(int, TokenPatch)``: tokens changed; their revision, and the patch in UTF-16 offsets of the widget's text.
    ``counted(PromptCounts)``: new figures, which are stale if their revision is older than the text's.
    ``text_ready(int, ChunkedText)``: answer to ``request_text``, with its revision.
    ``text_wanted()``: the worker's copy is lost or misses edits; answer with ``replace_text``.
    ``failed(str)``: a sentence for the user.
    ``encoding_changed(str)``: another encoding was chosen.
    """

    patched = Signal(int, object)
    counted = Signal(object)
    text_ready = Signal(int, object)
    text_wanted = Signal()
    failed = Signal(str)
    encoding_changed = Signal(str)

    def __init__(
        self,
        runner: JobRunner,
        encoding: str = FIRST_ENCODING,
        parent: QObject | None = None,
        open_encoding: OpenEncoding | None = None,
    ) -> None:
        """``open_encoding``: opens an encoding by its name, on a worker thread; by default, the engine's function."""
        super().__init__(parent)
        self._runner = runner
        self._name = encoding
        self._special = False
        self._watched: tuple[str, ...] = ()
        self._revision = 0
        self._misses_edits = False
        self._edits: tuple[TextEdit, ...] = ()  # not yet sent to the worker
        # A timer of 0 ms fires after the paint, because Qt paints before it checks its timers. A worker that wakes
        # during a key event takes the interpreter from the GUI thread and, with few processors, its core: up to 4 ms.
        self._edits_timer = QTimer(self, singleShot=True, interval=0)
        self._edits_timer.timeout.connect(self._ask)
        self.is_growing: Callable[[], bool] = lambda: False
        """Returns True while edits add a large text in parts. Other encodings are counted afterwards: they would slow
        it down, and hold 40 MB each meanwhile."""
        self._growing_timer = QTimer(self, singleShot=True, interval=GROWING_MS)
        self._growing_timer.timeout.connect(self._count_others)
        self._rest_timer = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest_timer.timeout.connect(self._on_rest)
        self._at_rest = True
        self._reported_unavailable: set[str] = set()
        self._loaded: Encoding | None = None
        self._lane = runner.conflated(self.tr("Counting tokens"), LiveText(open_encoding).answer, joined)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._lane.cancelled.connect(self._on_cancelled)

    @property
    def encoding_name(self) -> str:
        """Name of the encoding that the editor shows."""
        return self._name

    @property
    def busy(self) -> bool:
        """True if counting is running or about to start."""
        return self._lane.busy or bool(self._edits)

    @Slot()
    def wait_while_busy(self) -> None:
        """Make other jobs yield while an edit is on its way to the screen."""
        self._runner.wait_while_busy()

    def submit(self, revision: int, edits: tuple[TextEdit, ...]) -> None:
        """Take edits of the widget's text, of which ``revision`` is the result. They are counted once painted."""
        self.wait_while_busy()
        self._revision = revision
        self._at_rest = False
        self._rest_timer.stop()
        self._edits += edits
        self._edits_timer.start()

    def replace_text(self, revision: int, text: str | tuple[str, ...]) -> None:
        """Take a whole new text of the widget, as one string or in chunks."""
        self._revision = revision
        self._ask(new_text=text)

    def open_stored(self, revision: int, stored_text: str) -> None:
        """Take the text of a file as stored; the widget shows ``document_text(stored_text)``."""
        self._revision = revision
        self._ask(new_text=stored_text, stored=True)

    def set_encoding(self, name: str) -> None:
        """Show and count the text in another encoding."""
        if name != self._name:
            self._name = name
            self.encoding_changed.emit(name)
            self._ask()

    def set_special_as_tokens(self, on: bool) -> None:
        """Read text that spells a special token as that token, or as plain text."""
        if on != self._special:
            self._special = on
            self._ask()

    def watch(self, names: tuple[str, ...]) -> None:
        """Count the text in these encodings as well."""
        if names != self._watched:
            self._watched = names
            self._ask()

    def request_text(self) -> None:
        """Request the whole text from the worker; ``text_ready`` answers."""
        self._ask(want_text=True)

    def token_info(self, token_id: int) -> TokenInfo | None:
        """Return the vocabulary entry of a token shown; None before the first answer and for an ID out of range."""
        encoding = self._loaded
        if encoding is None or not 0 <= token_id < encoding.n_vocab:
            return None
        return encoding.token_info(token_id)

    @Slot()
    def _ask(self, **what: object) -> None:
        """Submit a request with all pending edits; a new text supersedes them."""
        for timer in (self._edits_timer, self._growing_timer, self._rest_timer):  # the answer starts them again
            timer.stop()
        edits, self._edits = self._edits, ()
        if "new_text" in what:
            self._misses_edits, self._at_rest = False, True
        elif self._misses_edits:
            self.text_wanted.emit()
            return
        else:
            what["edits"] = edits
        what["at_rest"] = self._at_rest
        request = TextRequest(self._revision, self._name, self._special, self._watched, **what)  # type: ignore[arg-type]
        self._lane.submit(request)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        reply: TextReply = result.value
        counts = reply.counts
        self._loaded = reply.encoding
        if reply.patch is not None:
            self.patched.emit(counts.revision, reply.patch)
        self.counted.emit(counts)
        if reply.text is not None:
            self.text_ready.emit(counts.revision, reply.text)
        for name, why in counts.unavailable.items():
            if name not in self._reported_unavailable:
                self._reported_unavailable.add(name)
                self.failed.emit(why)
        if counts.complete or self._lane.busy or self._misses_edits:
            return
        if reply.waits_for_rest:
            self._rest_timer.start()
        else:
            self._count_others()

    @Slot()
    def _on_rest(self) -> None:
        self._at_rest = True
        self._count_others()

    @Slot()
    def _count_others(self) -> None:
        """Continue counting in the other encodings, as soon as the text is complete."""
        if self._misses_edits:
            return  # counting was cancelled
        if not self._at_rest and self.is_growing():
            self._growing_timer.start()
        elif not self._lane.busy:
            self._ask()

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        if isinstance(failure.error, TextLost):
            self.text_wanted.emit()
            return
        self.failed.emit(failure.why)
        self._fall_back(failure.request)

    @Slot(object)
    def _on_cancelled(self, request: TextRequest) -> None:
        """Request the whole text before anything else is counted: the cancelled job may have dropped edits."""
        self._misses_edits = True
        if request.want_text:
            self.text_wanted.emit()

    def _fall_back(self, request: TextRequest) -> None:
        """Return to the encoding that worked last, so that one damaged vocabulary does not stop all counting.

        Before any has worked, use ``FIRST_ENCODING``: the user's own encoding may have been removed since. Do nothing
        if another encoding was chosen in the meantime: it is tried next.
        """
        name = FIRST_ENCODING if self._loaded is None else self._loaded.name
        if name != request.encoding == self._name:
            self._name = name
            self.encoding_changed.emit(self._name)
            self.text_wanted.emit()
