"""Counts the prompt off the GUI thread: the newest text in the encoding shown, and its total in all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
"""Time a request without edits spends on the other encodings before it looks for newer requests."""


@dataclass(frozen=True, slots=True)
class TextRequest:
    """What the window asks for: the state of the switches, and how the text changed up to ``revision``.

    ``new_text``, where given, replaces the whole text before ``edits`` apply, and may come in pieces, which are put
    together here: that takes the GUI thread too long. With ``stored`` it is the text of a file as stored. Edits are in
    UTF-16 offsets of the text of the widget, each after the ones before it.
    """

    revision: int
    encoding: str
    special_as_tokens: bool = False
    watched: tuple[str, ...] = ()
    new_text: str | tuple[str, ...] | None = None
    stored: bool = False
    edits: tuple[TextEdit, ...] = ()
    want_text: bool = False


@dataclass(frozen=True, slots=True)
class PromptCounts:
    """The figures of one revision of the text.

    ``tokens`` follows the switch ``special_as_tokens``; ``tokens_plain`` and ``tokens_special`` are both readings of
    text that spells special tokens, which occurs ``special_occurrences`` times. ``by_encoding`` holds the plain reading
    in each watched encoding, None where it is still being counted. ``unavailable`` says of those that cannot be opened
    why. ``sample`` is what its kinds are told by.
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
        """Whether every watched encoding has been counted."""
        return None not in self.by_encoding.values()


@dataclass(frozen=True, slots=True)
class TextReply:
    """The answer to a request: counts, the encoding used, and where they changed the tokens."""

    counts: PromptCounts
    encoding: Encoding
    patch: TokenPatch | None
    text: ChunkedText | None


class TextLost(Exception):
    """The worker's copy of the text is gone, after a failure: the next request must bring the whole text."""


def joined(waiting: TextRequest, newer: TextRequest) -> TextRequest:
    """One request that does what both would have done, in order."""
    if newer.new_text is not None:
        return replace(newer, want_text=waiting.want_text or newer.want_text)
    return replace(
        newer,
        new_text=waiting.new_text,
        stored=waiting.stored,
        edits=waiting.edits + newer.edits,
        want_text=waiting.want_text or newer.want_text,
    )


def _giving_way(parts: Iterable[str], ticket: Ticket) -> Iterator[str]:
    """The same parts. Ten megabytes take the interpreter for twenty milliseconds, while the user may be typing."""
    for part in parts:
        ticket.give_way()
        yield part


def _opened(name: str) -> Encoding:
    import engine

    return engine.get_encoding(name)


class LiveText:
    """Follows the text of the widget edit by edit, and answers with tokens and counts."""

    def __init__(self, open_encoding: OpenEncoding | None = None) -> None:
        """``open_encoding``: opens an encoding by its name; EngineError. Without, it is the engine's own."""
        self._open = open_encoding or _opened
        self._edited: EditedText | None = None
        self._using: tuple[str, bool] | None = None
        self._watched: tuple[str, ...] = ()
        self._opened: dict[str, Encoding] = {}
        self._unavailable: dict[str, str] = {}
        self._stored: str | None = None

    def answer(self, request: TextRequest, ticket: Ticket) -> TextReply:
        """Bring the copy up to ``request.revision`` and count it. On a worker thread.

        Raises EngineError where an encoding cannot be opened, TextLost where the whole text is needed first.
        """
        try:
            return self._answer(request, ticket)
        except BaseException:
            # Half an edit may be in: a copy that cannot be trusted is worth nothing. Asking for the text again is.
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
            text = chunked(_giving_way(parts, ticket))
        return TextReply(self._counts(request, edited), encoding, patch, text)

    def _watch(self, request: TextRequest, edited: EditedText, ticket: Ticket) -> None:
        """Count in the other encodings for a moment, or open one of them; never long, newer edits may be waiting."""
        import engine

        if request.edits or request.new_text is not None:
            return
        self._forget_all_but(request.watched)
        wanted = [name for name in request.watched if name not in self._unavailable]
        unopened = [name for name in wanted if name not in self._opened]
        if unopened:
            name = unopened[0]
            try:
                self._opened[name] = self._open(name)
            except engine.EngineError as error:
                self._unavailable[name] = str(error)
        watched = tuple(name for name in wanted if name in self._opened)
        if watched != self._watched:
            edited.watch([self._opened[name] for name in watched])
            self._watched = watched
        elif not unopened:
            edited.catch_up(CATCH_UP_SECONDS, ticket.side_by_side)

    def _forget_all_but(self, watched: tuple[str, ...]) -> None:
        """Let go of encodings that are no longer watched, the user's own that were removed among them."""
        self._opened = {name: encoding for name, encoding in self._opened.items() if name in watched}
        self._unavailable = {name: why for name, why in self._unavailable.items() if name in watched}

    def _take_text(self, request: TextRequest, encoding: Encoding, ticket: Ticket) -> TokenPatch | None:
        """Replace or edit the copy as the request says; return what that did to the tokens."""
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
        """The same tokens at the places their characters have in the widget."""
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


class EncodingService(QObject):
    """Follows the editor's edits and answers with token patches and counts.

    Signals:

    ``patched(int, TokenPatch)``: tokens changed; the revision they belong to. UTF-16 offsets of the widget's text.
    ``counted(PromptCounts)``: new figures. Their revision may be older than the text's: then they are stale.
    ``text_ready(int, ChunkedText)``: the text that ``request_text`` asked for, with its revision.
    ``text_wanted()``: the worker's copy is lost, or misses edits; answer with ``replace_text``.
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
        """``open_encoding``: opens an encoding by its name, on a worker thread; without, it is the engine's own."""
        super().__init__(parent)
        self._runner = runner
        self._name = encoding
        self._special = False
        self._watched: tuple[str, ...] = ()
        self._revision = 0
        self._misses_edits = False
        self._edits: tuple[TextEdit, ...] = ()  # those that the worker has not been told of
        # After 0 ms is after the picture: Qt paints before it looks at its timers. A worker that wakes while a key is
        # handled takes the interpreter, and with few processors that of the GUI thread: four milliseconds now and then.
        self._tell_edits = QTimer(self, singleShot=True, interval=0)
        self._tell_edits.timeout.connect(self._ask)
        self._reported_unavailable: set[str] = set()
        self._loaded: Encoding | None = None
        self._lane = runner.conflated(self.tr("Counting tokens"), LiveText(open_encoding).answer, joined)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._lane.cancelled.connect(self._on_cancelled)

    @property
    def encoding_name(self) -> str:
        """The encoding that the editor shows."""
        return self._name

    @property
    def special_as_tokens(self) -> bool:
        """Whether text that spells a special token counts as that token."""
        return self._special

    @property
    def watched(self) -> tuple[str, ...]:
        """The encodings counted beside the one shown."""
        return self._watched

    @property
    def busy(self) -> bool:
        """Whether something is still being counted, or about to be."""
        return self._lane.busy or bool(self._edits)

    @Slot()
    def stand_back(self) -> None:
        """An edit is on its way to the screen: other jobs should not be in its way."""
        self._runner.stand_back()

    def submit(self, revision: int, edits: tuple[TextEdit, ...]) -> None:
        """Take edits of the widget's text; ``revision`` is the text's after them. They are counted once painted."""
        self.stand_back()
        self._revision = revision
        self._edits += edits
        self._tell_edits.start()

    def replace_text(self, revision: int, text: str | tuple[str, ...]) -> None:
        """Take a whole new text of the widget, in one piece or in several."""
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
        """Ask for the whole text as the worker has it; ``text_ready`` answers."""
        self._ask(want_text=True)

    def token_info(self, token_id: int) -> TokenInfo | None:
        """The vocabulary entry of a token shown, None before the first answer or for a foreign id."""
        encoding = self._loaded
        if encoding is None or not 0 <= token_id < encoding.n_vocab:
            return None
        return encoding.token_info(token_id)

    @Slot()
    def _ask(self, **what: object) -> None:
        """Have the worker do this, after the edits that it was not told of; a new text comes in their place."""
        self._tell_edits.stop()
        edits, self._edits = self._edits, ()
        if "new_text" in what:
            self._misses_edits = False
        elif self._misses_edits:
            self.text_wanted.emit()
            return
        else:
            what["edits"] = edits
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
        if not counts.complete and not self._lane.busy and not self._misses_edits:
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
        """The user stopped the counting. Edits may have been dropped: nothing is right before the whole text comes."""
        self._misses_edits = True
        if request.want_text:
            self.text_wanted.emit()

    def _fall_back(self, request: TextRequest) -> None:
        """Return to the encoding that worked last, so that one damaged vocabulary does not stop all counting.

        At the start that is the one of a first start: the user's own may have been removed since. Not where another one
        was chosen meanwhile: its turn comes next.
        """
        name = FIRST_ENCODING if self._loaded is None else self._loaded.name
        if name != request.encoding == self._name:
            self._name = name
            self.encoding_changed.emit(self._name)
            self.text_wanted.emit()
