"""The prompt: the text in the editor, its file, and its counts.

``Prompt`` connects the editor, which works in characters, with the services, which work in tokens. Services start after
the first paint of the window; until then it keeps what they need.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from gui.core.text_chunks import ChunkedText, chunked
from gui.core.token_text import visible_line
from gui.editor.offsets import TokenSpan, document_text
from gui.editor.text_transfer import TextReading
from gui.editor.token_editor import TokenEditor

if TYPE_CHECKING:
    from engine.types import TokenInfo
    from gui.prompt.counting_service import EncodingService, PromptCounts
    from gui.prompt.file_service import OpenedFile

DIRECT_READ_CHARACTERS = 200_000
"""Size in characters below which the text is read from the widget at once. A longer text is requested from the worker,
which has a copy, or read slice by slice if that copy is lost."""


class Origin(NamedTuple):
    """File that a text came from, its character encoding, and its line ends."""

    path: Path
    encoding: str
    crlf: bool


class Prompt(QObject):
    """Text in the editor and its counts.

    Signals: ``counted(PromptCounts)``; ``stale_changed(bool)``: the newest counts are of an older text;
    ``origin_changed()``: another file, or none; ``modified_changed(bool)``: the text differs from the one loaded or
    saved; ``encoding_changed(str)``, ``special_changed(bool)``: the switches; ``text_ready(int, ChunkedText)``: answers
    ``request_text``; ``failed(str)``: a sentence; ``changed()``: after every change of the text.
    """

    counted = Signal(object)
    stale_changed = Signal(bool)
    origin_changed = Signal()
    modified_changed = Signal(bool)
    encoding_changed = Signal(str)
    special_changed = Signal(bool)
    text_ready = Signal(int, object)
    failed = Signal(str)
    changed = Signal()

    def __init__(self, editor: TokenEditor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.editor = editor
        self.counts: PromptCounts | None = None
        self.origin: Origin | None = None
        self._stored: str | None = None
        self._arriving: str | None = None
        self._arriving_modified = False
        self._encoding = "o200k_base"
        self._special = False
        self._watched: tuple[str, ...] = ()
        self._text_requested = False
        self._worker_wants_text = False
        self._unsent: tuple[int, str] | None = None
        self._reading = TextReading(editor, self)
        self._reading.finished.connect(self._on_read)
        self._stale = True
        self._service: EncodingService | None = None
        editor.edited.connect(self._on_edited)
        editor.text_replaced.connect(self._on_text_replaced)
        editor.modified_changed.connect(self.modified_changed)

    # --- text ---------------------------------------------------------------------------------------------------------

    @property
    def stored_text(self) -> str | None:
        """Text of the file as stored; None once it is edited."""
        return self._stored

    @property
    def empty(self) -> bool:
        """True if the text is empty."""
        return self.editor.document().isEmpty()

    @property
    def name(self) -> str:
        """Name of the file, or the title of an untitled text; without control characters."""
        return self.tr("Untitled prompt") if self.origin is None else visible_line(self.origin.path.name)

    @property
    def modified(self) -> bool:
        """True if the text was changed since it was loaded or saved."""
        return self.editor.modified

    def set_saved(self, origin: Origin) -> None:
        """Mark the text as saved in this file."""
        self._set_origin(origin)
        self.editor.set_modified(False)

    def show_text(
        self, stored: str, origin: Origin | None = None, document: str | None = None, *, modified: bool = False
    ) -> None:
        """Load a text into the editor and clear the undo history.

        The text is counted as stored until its first edit. ``document`` is the same text as the editor holds it, if
        known. ``modified``: True if no file holds the text, so that it must not be lost for another text.
        """
        self._set_origin(origin)
        document = document_text(stored) if document is None else document
        self._arriving = stored if document is not stored else None
        self._arriving_modified = modified
        self.editor.load_text(document, prepared=True)

    def show_file(self, file: OpenedFile) -> None:
        """Load the text of a file into the editor."""
        self.show_text(file.text, Origin(file.path, file.encoding, file.crlf), file.document)

    def replace_all(self, text: str) -> bool:
        """Replace the text as one edit that can be undone. Waits for a large undo step that is in progress. Returns
        False, and does nothing, while a big text is loading."""
        if self.editor.steps.active:
            self.editor.steps.when_done(partial(self.replace_all, text))
            return True
        if self.editor.is_loading:
            return False
        self._set_origin(None)
        return self.editor.replace_range(0, self.editor.text_length, text)

    def read_now(self) -> ChunkedText:
        """Return the text of the widget, blocking; slow for a big text. An undo step in progress is finished first."""
        self.editor.steps.finish()
        return chunked(self.editor.text_chunks())

    def request_text(self) -> None:
        """Request the text of the widget with its revision; ``text_ready`` answers, at once or later."""
        if self._is_quick_to_read():
            self.text_ready.emit(self.editor.revision, self.read_now())
            return
        self._text_requested = True
        if self._service is None or self.editor.steps.active:  # half undone text is never sent
            self._reading.start()
        else:
            self._service.request_text()

    @Slot(int, object)
    def _on_text_ready(self, revision: int, text: ChunkedText) -> None:
        if self._text_requested and self.editor.steps.active:  # requested before the undo step began
            self._reading.start()
            return
        self._text_requested = False
        self.text_ready.emit(revision, text)

    def _read_requested_text(self) -> None:
        """Read the requested text from the widget if the worker cannot send it: saving and searching wait for it."""
        if self._text_requested and self._is_quick_to_read():
            self._on_text_ready(self.editor.revision, self.read_now())
        elif self._text_requested:
            self._reading.start()

    def _is_quick_to_read(self) -> bool:
        # While a big text loads, the document may hold only its first slices, and the rest must be read as well.
        return not self.editor.is_loading and self.editor.document().characterCount() < DIRECT_READ_CHARACTERS

    @Slot(int, object)
    def _on_read(self, revision: int, pieces: tuple[str, ...]) -> None:
        if self._worker_wants_text:
            self._worker_wants_text = False
            self._send_text(revision, pieces)
        if self._text_requested:
            self._on_text_ready(revision, ChunkedText(pieces))

    def _set_origin(self, origin: Origin | None) -> None:
        if origin != self.origin:
            self.origin = origin
            self.origin_changed.emit()

    # --- switches ----------------------------------------------------------------------------------------------------

    @property
    def encoding(self) -> str:
        """Name of the encoding whose tokens are shown."""
        return self._encoding

    def set_encoding(self, name: str) -> None:
        """Show the tokens of another encoding."""
        if name == self._encoding:
            return
        self._encoding = name
        self._set_stale(True)
        if self._service is not None:
            self._service.set_encoding(name)
        self.encoding_changed.emit(name)

    @property
    def special_as_tokens(self) -> bool:
        """True if text that spells a special token counts as that token."""
        return self._special

    def set_special_as_tokens(self, on: bool) -> None:
        """Read text that spells a special token as that token, or as plain text."""
        if on == self._special:
            return
        self._special = on
        self._set_stale(True)
        if self._service is not None:
            self._service.set_special_as_tokens(on)
        self.special_changed.emit(on)

    @Slot(object)
    def watch(self, names: tuple[str, ...]) -> None:
        """Count in these encodings as well."""
        self._watched = names
        if self._service is not None:
            self._service.watch(names)

    # --- counts ------------------------------------------------------------------------------------------------------

    @property
    def stale(self) -> bool:
        """True if the newest counts are of an older text, another encoding or another setting for special tokens."""
        return self._stale

    def token_info(self, span: TokenSpan | None) -> TokenInfo | None:
        """Return the vocabulary entry of a token in the editor."""
        return None if span is None else self.entry(span.token_id)

    def entry(self, token_id: int) -> TokenInfo | None:
        """Return an entry of the vocabulary shown; None before the first counts."""
        return None if self._service is None else self._service.token_info(token_id)

    def start(self, service: EncodingService) -> None:
        """Start counting with this service, beginning with the current text."""
        self._service = service
        service.is_growing = lambda: self.editor.is_loading
        self.editor.typing.connect(service.wait_while_busy)
        service.patched.connect(self.editor.apply_patch)
        service.counted.connect(self._on_counted)
        service.text_ready.connect(self._on_text_ready)
        service.text_wanted.connect(self._on_text_requested)
        service.failed.connect(self._on_failed)
        service.encoding_changed.connect(self._on_service_encoding)
        service.set_encoding(self._encoding)
        service.set_special_as_tokens(self._special)
        service.watch(self._watched)
        announced, self._unsent = self._unsent, None
        if announced is not None and announced[0] == self.editor.revision:
            self._send_text(*announced)
        else:
            self._on_text_requested()

    @Slot(int, object)
    def _on_edited(self, revision: int, edits: object) -> None:
        self._stored = None
        if self._service is not None:
            self._service.submit(revision, edits)
        self._set_stale(True)
        self.changed.emit()

    @Slot(int, object)
    def _on_text_replaced(self, revision: int, text: str) -> None:
        self._worker_wants_text = False
        self._stored, self._arriving = self._arriving, None
        modified, self._arriving_modified = self._arriving_modified, False
        self.editor.set_modified(modified)
        if self._service is not None:
            self._send_text(revision, text)
        else:
            self._unsent = revision, text
        self._set_stale(True)
        self.changed.emit()

    def _send_text(self, revision: int, text: str | tuple[str, ...]) -> None:
        assert self._service is not None
        if self._stored is not None:
            self._service.open_stored(revision, self._stored)
        else:
            self._service.replace_text(revision, text)

    @Slot()
    def _on_text_requested(self) -> None:
        if self._stored is not None:
            self._send_text(self.editor.revision, "")
        elif self._is_quick_to_read():
            self._send_text(self.editor.revision, self.editor.toPlainText())
        else:
            self._worker_wants_text = True
            self._reading.start()
        self._read_requested_text()

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self.failed.emit(why)
        self._read_requested_text()

    @Slot(object)
    def _on_counted(self, counts: PromptCounts) -> None:
        self.counts = counts
        self._set_stale(
            counts.revision != self.editor.revision
            or counts.encoding != self._encoding
            or counts.special_as_tokens != self._special
        )
        self.counted.emit(counts)

    @Slot(str)
    def _on_service_encoding(self, name: str) -> None:
        if name != self._encoding:
            self._encoding = name
            self.encoding_changed.emit(name)

    def _set_stale(self, stale: bool) -> None:
        if stale != self._stale:
            self._stale = stale
            self.stale_changed.emit(stale)
