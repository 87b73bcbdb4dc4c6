"""Autosave and restoration of a window's session, in the background soon after each change."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QByteArray, QLockFile, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from gui.core.api_keys import key_sentence, keys_in_text
from gui.core.profile_files import remove_saved_texts, set_aside
from gui.core.text_chunks import ChunkedText
from gui.editor.offsets import document_text
from gui.prompt.prompt import Origin, Prompt
from gui.runtime.notify import Notifier, Offer
from gui.state.session import (
    EARLIER_FILE,
    SAMPLE,
    STATE_FILE,
    TEXT_FILE,
    DamagedSession,
    Restored,
    SessionState,
    read_session,
    read_state,
    read_text,
    state_bytes,
)
from gui.state.session_slot import RestoredParts, SessionSlot
from gui.state.storage import Storage, WriteRequest, write_now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PySide6.QtWidgets import QMessageBox

    from gui.core.profile_files import ProfilePaths
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Lane, Ticket

FIRST_VIEW_BYTES = 256 * 1024
"""Maximum size of a text that is shown in the first paint, in bytes; larger ones are loaded right after it."""

LONGEST_SEARCH_MS = 1_000
"""Time that a text may be searched for API keys before it is saved in any case."""
ANSWER_MS = 5_000
"""Time between pointing out API keys and saving the text, for a user who prefers private mode."""


class _TextRequest(NamedTuple):
    """A text to read for the editor: that of this session, if too large for the first paint, or another.

    ``orphan``: session of a crashed window that the text belongs to; no longer offered once the text is saved here.
    """

    path: Path
    state: SessionState
    orphan: Path | None = None


class SessionKeeper(QObject):
    """Autosave and restoration of one window.

    ``collect`` adds the window's part of the state: layout, scenario, page.

    Signals: ``saved()`` when text and state are on disk; ``fetched(object)`` with a callback that shows the requested
    text; ``keys_found(tuple[str, ...])``, once, with issuers and lines before a text is saved that seems to contain API
    keys.
    """

    saved = Signal()
    fetched = Signal(object)
    keys_found = Signal(object)

    def __init__(
        self,
        slot: SessionSlot,
        prompt: Prompt,
        notifier: Notifier,
        collect: Callable[[SessionState], SessionState],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._slot = slot
        self.restore = RestoredParts(slot, notifier, self).restore
        self._prompt = prompt
        self._notifier = notifier
        self._collect = collect
        self._storage: Storage | None = None
        self._reading: Lane | None = None
        self._looking: Lane | None = None
        self._keys_reported = False
        self._pending_text: str | ChunkedText | None = None
        """A text that is not written before it was searched for keys, and those were pointed out."""
        self._hold = QTimer(self, singleShot=True)
        self._hold.timeout.connect(self._write_pending_text)
        self._text_changed = False
        self._asked = False
        self._unread: SessionState | None = None
        self._returning: SessionState | None = None
        self._orphans: list[Path] = []
        self._held: dict[Path, QLockFile] = {}
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.save)
        prompt.changed.connect(self._on_text_changed)
        prompt.text_ready.connect(self._on_text_ready)
        prompt.editor.load_finished.connect(self._on_loaded)

    @property
    def folder(self) -> Path | None:
        """The folder of this session; None if nothing is saved."""
        return self._slot.folder

    def removable(self) -> Iterator[Path]:
        """Yield session folders that no other window has open."""
        return self._slot.removable()

    # --- bringing back ----------------------------------------------------------------------------------------------

    def read(self) -> Restored:
        """Read what the last window with this folder left."""
        if self._slot.folder is None:
            return Restored(SessionState(), None, 0, False, ())
        return read_session(self._slot.folder, FIRST_VIEW_BYTES)

    def show(self, state: SessionState, stored: str, document: str | None = None) -> None:
        """Show the text of a session in the editor, with the caret where it was."""
        origin = Origin(Path(state.file), state.file_encoding, state.crlf) if state.file else None
        self._returning = state
        self._prompt.show_text(stored, origin, document, modified=state.modified)

    def show_last(self, state: SessionState, stored: str, document: str | None = None) -> None:
        """Like ``show``, for the text of this session, which is already on disk."""
        self.show(state, stored, document)
        self._text_changed = False

    def _show_requested(self, request: _TextRequest, stored: str, document: str) -> None:
        self.show(request.state, stored, document)
        if request.orphan is not None:
            self._orphans.append(request.orphan)

    def show_later(self, state: SessionState) -> None:
        """Defer a text too large for the first paint: until ``start`` has loaded it, nothing is saved over it."""
        self._unread = state

    def save_aside(self) -> None:
        """Set the last text aside under another name, for a user who wants an empty window."""
        assert self._slot.folder is not None
        try:
            (self._slot.folder / TEXT_FILE).replace(self._slot.folder / EARLIER_FILE)
        except OSError as error:
            self._notifier.warning(self.tr("Could not save the last text: {why}").format(why=error))

    def fetch(self, path: Path, state: SessionState) -> None:
        """Read an earlier text of this session; emits ``fetched``."""
        assert self._reading is not None
        self._reading.submit(_TextRequest(path, state))

    def discard_orphan(self, folder: Path) -> None:
        """Remove the text of a closed window that the user discarded."""
        assert self._storage is not None
        self._handle_orphan(folder, self._storage.write)

    def fetch_orphan(self, folder: Path) -> None:
        """Read the text of a crashed window; emits ``fetched``.

        It is offered again until it was shown and saved as the text of this session.
        """
        assert self._reading is not None
        self._reading.submit(_TextRequest(folder / TEXT_FILE, SessionState(modified=True), folder))

    def _handle_orphans(self, write: Callable[[Path, bytes], object]) -> None:
        """Remove the orphans whose texts are now saved as the text of this session."""
        orphans, self._orphans = self._orphans, []
        for folder in orphans:
            self._handle_orphan(folder, write)

    def _handle_orphan(self, folder: Path, write: Callable[[Path, bytes], object]) -> None:
        lock = self._slot.hold_orphan(folder)
        if lock is None:
            return  # another window has taken it
        try:
            state = read_state(folder)
        except DamagedSession:
            state = SessionState()
        self._held[folder] = lock  # until both are written: a window that took it now would lose its text
        write(folder / TEXT_FILE, b"")
        write(folder / STATE_FILE, state_bytes(_without_text(state)))

    @Slot(object)
    def _on_read(self, result: JobResult) -> None:
        request: _TextRequest = result.request
        stored, document = result.value
        if request.state is not self._unread:
            self.fetched.emit(lambda: self._show_requested(request, stored, document))
            return
        state, self._unread = request.state, None
        if self._prompt.modified or self._prompt.origin is not None:
            # The user has already typed or opened a file. Keep that; the saved text stays on disk.
            self._set_aside(self.tr("another one exists"))
        else:
            self.show_last(state, stored, document)

    @Slot(object)
    def _on_read_failed(self, failure: JobFailure) -> None:
        if failure.request.state is not self._unread or isinstance(failure.error, DamagedSession):
            self._notifier.warning(failure.why)
        else:
            # The text may be intact, for example after an out-of-memory error: the next save must not overwrite it.
            self._set_aside(self.tr("the file could not be read ({why})").format(why=failure.why))
        if failure.request.state is self._unread:
            self._unread = None

    def _set_aside(self, why: str) -> None:
        assert self._slot.folder is not None
        try:
            name = set_aside(self._slot.folder / TEXT_FILE, "earlier")
        except OSError as error:
            self._notifier.warning(self.tr("Could not save the last text: {why}").format(why=error))
            return
        self._notifier.information(
            self.tr("The last text could not be restored: {why}. It was saved as {file}.").format(why=why, file=name),
            key="earlier",
        )
        self.touch()

    @Slot(int)
    def _on_loaded(self, _revision: int) -> None:
        """Restore caret and scroll position now that the whole text is in the editor."""
        state, self._returning = self._returning, None
        if state is None:
            return
        editor = self._prompt.editor
        editor.select_range(state.anchor_utf16, state.caret_utf16)
        editor.verticalScrollBar().setValue(state.scroll)

    # --- saving ------------------------------------------------------------------------------------------------------

    def start(self, runner: JobRunner, autosave_seconds: int) -> None:
        """Save from now on, at most ``autosave_seconds`` after a change; load a deferred text."""
        self._reading = runner.exclusive(self.tr("Restoring a text"), _read_for_editor, stoppable=False)
        self._reading.finished.connect(self._on_read)
        self._reading.failed.connect(self._on_read_failed)
        self._looking = runner.background(self.tr("Checking for API keys"), _keys_in)
        self._looking.finished.connect(self._on_keys_checked)
        self._storage = storage = Storage(runner, self.tr("Saving the session"), self)
        storage.written.connect(self._on_written)
        storage.failed.connect(self._on_failed)
        self.set_interval(autosave_seconds)
        if self._unread is not None and self._slot.folder is not None:
            self._reading.submit(_TextRequest(self._slot.folder / TEXT_FILE, self._unread))
        if self._slot.newer is not None:
            words = self.tr("The session in {folder} was saved by a newer version of Tokenloupe. It was not changed.")
            self._notifier.warning(words.format(folder=self._slot.newer))
        # Marks the session as open: a session found so at startup was left by a crash.
        self.save()

    def set_interval(self, seconds: int) -> None:
        """Set the maximum delay between a change and its save, in seconds."""
        self._timer.setInterval(seconds * 1000)

    @Slot()
    def touch(self) -> None:
        """Schedule a save."""
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _on_text_changed(self) -> None:
        self._text_changed = True
        self.touch()

    @Slot()
    def save(self) -> None:
        """Save now, in the background."""
        if self._slot.folder is None or self._storage is None or self._unread is not None:
            return
        if self._storage.busy or self._pending_text is not None:
            self._timer.start()  # the disk is slow, or keys were just pointed out; the next save has a newer text
            return
        if not self._text_changed:
            self._write_state(closed=False)
        elif self._prompt.stored_text is not None:
            self._write_text(self._prompt.stored_text)
        else:
            self._asked = True
            self._prompt.request_text()

    @Slot(int, object)
    def _on_text_ready(self, revision: int, text: ChunkedText) -> None:
        if not self._asked:
            return
        self._asked = False
        if self._slot.folder is None:
            return  # private mode was entered meanwhile
        self._write_text(text)
        if revision != self._prompt.editor.revision:
            # The user typed meanwhile. This text is newer than the one on disk; the rest follows.
            self._text_changed = True
            self._timer.start()

    def _write_text(self, text: str | ChunkedText) -> None:
        assert self._slot.folder is not None
        assert self._storage is not None
        self._text_changed = False
        self._pending_text = text
        if self._looking is None or self._keys_reported:
            self._write_pending_text()
        else:
            self._looking.submit(text)
            self._hold.start(LONGEST_SEARCH_MS)

    @Slot()
    def _write_pending_text(self) -> None:
        text, self._pending_text = self._pending_text, None
        if text is None or self._slot.folder is None:
            return
        assert self._storage is not None
        self._storage.write(self._slot.folder / TEXT_FILE, text)
        self._write_state(closed=False)

    @Slot(object)
    def _on_keys_checked(self, result: JobResult) -> None:
        if self._slot.folder is None or self._keys_reported:
            return
        if result.value:
            self._keys_reported = True
            self.keys_found.emit(result.value)
            self._hold.start(ANSWER_MS)
        elif result.request is self._pending_text:
            self._write_pending_text()

    def _write_state(self, *, closed: bool) -> None:
        assert self._slot.folder is not None
        assert self._storage is not None
        self._storage.write(self._slot.folder / STATE_FILE, state_bytes(self._state(closed)))

    def _state(self, closed: bool) -> SessionState:
        editor = self._prompt.editor
        origin = self._prompt.origin
        start, end = editor.selected_range()
        caret = editor.caret_offset()
        return self._collect(
            SessionState(
                closed=closed,
                as_stored=self._prompt.stored_text is not None,
                modified=self._prompt.modified,
                file=str(origin.path) if origin else "",
                file_encoding=origin.encoding if origin else "",
                crlf=origin.crlf if origin else False,
                caret_utf16=caret,
                anchor_utf16=start + end - caret,
                scroll=editor.verticalScrollBar().value(),
                encoding=self._prompt.encoding,
                special_as_tokens=self._prompt.special_as_tokens,
            )
        )

    def close(self) -> str:
        """Save unsaved changes on the calling thread. Returns the reason of a failure, or an empty string."""
        self._timer.stop()
        self._hold.stop()
        folder = self._slot.folder
        if folder is None:
            return ""
        if self._storage is not None:
            self._storage.finish()  # failed writes are repeated now, and no older write follows
            self._timer.stop()
        return self._write_now(folder)

    def go_private(self, *, forget: bool = False) -> None:
        """Save nothing from now on. The folder keeps the last save, marked as closed; its text only unless
        ``forget``."""
        folder = self._slot.folder
        if folder is None:
            return
        self._timer.stop()
        self._pending_text = None
        self._slot.go_private()
        if forget and self._storage is not None:
            self._storage.write(folder / TEXT_FILE, "")  # queued after pending writes
        if self._storage is not None and (folder / STATE_FILE).exists():
            try:
                state = read_state(folder)
            except DamagedSession:
                return  # set aside and reported at the next start
            self._storage.write(folder / STATE_FILE, state_bytes(replace(state, closed=True)))  # after older ones

    def finish(self) -> None:
        """Release the session folders, after the worker threads have ended."""
        for folder in list(self._held):
            self._unlock_orphan(folder)
        self._slot.release()

    def _unlock_orphan(self, orphan: Path) -> None:
        lock = self._held.pop(orphan, None)
        if lock is not None:
            lock.unlock()

    def _write_now(self, folder: Path) -> str:
        try:
            if self._unread is not None:
                # closed before the large text was shown: it is unchanged on disk
                write_now(WriteRequest(folder / STATE_FILE, state_bytes(replace(self._unread, closed=True))))
                return ""
            if self._text_changed or self._pending_text is not None:
                stored = self._prompt.stored_text
                write_now(WriteRequest(folder / TEXT_FILE, self._prompt.read_now() if stored is None else stored))
                self._text_changed, self._pending_text = False, None
            state = self._state(closed=True)
            if self._slot.number > 1:  # no start continues this session; the next one offers text that is in no file
                if self._is_elsewhere(state):
                    state = _without_text(state)
                    write_now(WriteRequest(folder / TEXT_FILE, b""))
                else:
                    state = replace(state, modified=True)
            write_now(WriteRequest(folder / STATE_FILE, state_bytes(state)))
            self._handle_orphans(lambda path, content: write_now(WriteRequest(path, content)))
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def _is_elsewhere(self, state: SessionState) -> bool:
        """Return True if the text exists elsewhere: it is in its file, or it is the sample."""
        if state.modified:
            return False
        text = self._prompt.stored_text or self._prompt.read_now().text()
        if state.file:
            from gui.prompt.file_service import holds_text

            return holds_text(Path(state.file), state.file_encoding, text)
        return text in ("", SAMPLE)

    @Slot(object)
    def _on_written(self, path: Path) -> None:
        if path.name == STATE_FILE:
            self._unlock_orphan(path.parent)
        if path.parent != self._slot.folder:
            return
        if path.name == TEXT_FILE and not self._text_changed and self._pending_text is None:
            assert self._storage is not None
            self._handle_orphans(self._storage.write)
        elif path.name == STATE_FILE:
            self._notifier.withdraw("session")
            self._notifier.withdraw("closing")
            self.saved.emit()

    @Slot(object, str)
    def _on_failed(self, path: Path, why: str) -> None:
        if path.name == STATE_FILE:
            self._unlock_orphan(path.parent)
        if self._slot.folder is None or path.parent != self._slot.folder:
            return
        self._text_changed = True
        self._timer.start()  # disks are freed, network folders return
        self._notifier.error(
            self.tr("Could not save the session. Your text is safe while this window stays open."),
            why,
            key="session",
            offers=(Offer(self.tr("Try again"), self.save),),
        )


def _without_text(state: SessionState) -> SessionState:
    """Return the state of a window closed with an empty editor."""
    positions = {"caret_utf16": 0, "anchor_utf16": 0, "scroll": 0}
    return replace(
        state, closed=True, modified=False, as_stored=False, file="", file_encoding="", crlf=False, **positions
    )


def _read_for_editor(request: _TextRequest, _ticket: Ticket) -> tuple[str, str]:
    """Return the text of a session as stored, and as held by the editor. On a worker thread."""
    stored = read_text(request.path)
    return stored, document_text(stored)


def _keys_in(text: str | ChunkedText, ticket: Ticket) -> tuple[str, ...]:
    return keys_in_text(text, ticket.yield_to_gui)


def encoded(data: QByteArray) -> str:
    """Encode Qt's bytes as text, for JSON."""
    return base64.b64encode(data.data()).decode("ascii")


def decoded(text: str) -> QByteArray:
    """Decode a text of ``encoded``; empty if it is invalid."""
    try:
        return QByteArray(base64.b64decode(text, validate=True))
    except ValueError:
        return QByteArray()


class Privacy(QObject):
    """Private mode and removal of saved texts, for one window.

    Signals: ``changed()`` when nothing of the window is saved any more.
    """

    changed = Signal()

    def __init__(self, keeper: SessionKeeper, paths: ProfilePaths, notifier: Notifier, window: QWidget) -> None:
        super().__init__(keeper)
        self._keeper, self._paths, self._notifier, self._window = keeper, paths, notifier, window
        self._box: QMessageBox | None = None

    @Slot(object)
    def warn_of_keys(self, found: tuple[str, ...]) -> None:
        """Warn that the session is about to save a text with API keys, and offer to stop that."""
        words = self.tr("{keys} The session saves it in your profile unless you go private.")
        self._notifier.warning(
            words.format(keys=key_sentence(self.tr("The text"), found)),
            key="session-keys",
            offers=(Offer(self.tr("Go private and remove the text"), self._go_private_and_forget),),
        )

    def _go_private_and_forget(self) -> None:
        self._notifier.withdraw("session-keys")
        self._keeper.go_private(forget=True)
        self.changed.emit()
        self._notifier.information(self.tr("This window no longer saves anything."), key="private")

    @Slot()
    def go_private(self) -> None:
        """Save nothing more of this window. Earlier saved data stays until it is removed."""
        if self._keeper.folder is None:
            return
        self._keeper.go_private()
        self.changed.emit()
        words = self.tr("This window no longer saves anything. “Remove saved texts…” removes what was saved before.")
        self._notifier.information(words, key="private")

    @Slot()
    def ask_to_remove(self) -> None:
        """Ask, then remove all texts saved in the profile."""
        from PySide6.QtWidgets import QMessageBox

        self._box = box = QMessageBox(self._window)
        box.setObjectName("removeTextsQuestion")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setText(self.tr("Remove all saved texts from this profile?"))
        box.setInformativeText(
            self.tr(
                "This removes sessions, prompt versions and Lab texts permanently. Texts in open windows stay there. "
                "Settings, prices and tokenizers are not removed."
            )
        )
        box.setStandardButtons(QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        box.finished.connect(self._on_answer)
        box.open()

    @Slot(int)
    def _on_answer(self, answer: int) -> None:
        from PySide6.QtWidgets import QMessageBox

        if self._box is not None:
            self._box.deleteLater()
            self._box = None
        if answer == QMessageBox.StandardButton.Yes:
            self.remove()

    def remove(self) -> None:
        """Remove all texts saved in the profile, except sessions that other windows have open."""
        problems = remove_saved_texts(self._paths, self._keeper.removable())
        if problems:
            self._notifier.warning(self.tr("Some could not be removed: {what}").format(what="; ".join(problems)))
        else:
            self._notifier.information(self.tr("Removed the saved texts."), key="removed-texts")
