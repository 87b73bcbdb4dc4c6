"""Counts the text of the editor as it changes, off the GUI thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from gui.runtime.jobs import JobFailure, JobResult, JobRunner
from gui.services.live_text import LiveText, TextLost, TextReply, TextRequest, joined

if TYPE_CHECKING:
    from engine import Encoding
    from engine.types import TextEdit, TokenInfo
    from gui.core.user_encodings import OpenEncoding


FIRST_ENCODING = "o200k_base"


class EncodingService(QObject):
    """Follows the editor's edits and answers with token patches and counts.

    Signals:

    ``patched(int, TokenPatch)``: tokens changed; the revision they belong to. UTF-16 offsets of the widget's text.
    ``counted(PromptCounts)``: new figures. Their revision may be older than the text's: then they are stale.
    ``text_ready(int, HeldText)``: the text that ``request_text`` asked for, with its revision.
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
