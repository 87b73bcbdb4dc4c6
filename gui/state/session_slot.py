"""The session folder of this window, and the restoration of its parts.

Windows with the same profile have separate session folders. A part that cannot be restored is set aside; the others are
still restored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLockFile, QObject

from gui.core.profile_files import DamagedFile, is_newer, make_file_private, make_folder, read_document
from gui.runtime.notify import Notifier
from gui.state.session import (
    MAX_OF_A_NUMBER,
    PART_SET_ASIDE,
    STATE_FILE,
    TEXT_FILE,
    VERSION,
    DamagedSession,
    read_state,
)
from gui.state.storage import WriteRequest, write_now

MAX_SLOTS = 16
PRIVATE = "private mode"


class SessionSlot:
    """A locked session folder. ``folder`` is None if nothing can be written; then nothing is saved.

    ``number`` 1 is the session that the next start continues; higher numbers belong to windows opened beside it.
    ``newer``: a session written by a newer program version, left unchanged; None if there is none.
    """

    def __init__(self, sessions: Path, *, private: bool = False) -> None:
        """``private``: save nothing and leave all sessions alone."""
        self._sessions = sessions
        self._lock: QLockFile | None = None
        self.folder: Path | None = None
        self.number = 0
        self.newer: Path | None = None
        self.why_not = PRIVATE if private else ""
        if private:
            return
        try:
            make_folder(sessions)
        except OSError as error:
            self.why_not = f"{error.filename or sessions}: {error.strerror or error}"
            return
        for number in range(1, MAX_SLOTS + 1):
            lock = _lock_of(sessions, number)
            if lock.tryLock(0):
                make_file_private(sessions / f"{number}.lock")
                folder = sessions / str(number)
                if _is_newer(folder):
                    self.newer = self.newer or folder
                    lock.unlock()
                    continue
                self._lock, self.number, self.folder = lock, number, folder
                return
            if lock.error() != QLockFile.LockError.LockFailedError:
                self.why_not = f"{sessions} cannot be written"
                return
        self.why_not = f"{MAX_SLOTS} windows have this profile open"

    def orphans(self) -> Iterator[Path]:
        """Yield sessions with unsaved text that no window has open: of crashed windows, and of those closed without
        saving."""
        for number in range(2, MAX_SLOTS + 1):
            folder = self._sessions / str(number)
            if _has_text(folder) and self.is_orphan(folder):
                yield folder

    def is_orphan(self, folder: Path) -> bool:
        """True if no window has this session open, and the last one ended without closing or with unsaved text."""
        lock = self.hold_orphan(folder)
        if lock is not None:
            lock.unlock()
        return lock is not None

    def hold_orphan(self, folder: Path) -> QLockFile | None:
        """Lock an orphan against other windows, until the lock is unlocked; None if it is not an orphan."""
        lock = _lock_of(self._sessions, int(folder.name))
        if folder == self.folder or not lock.tryLock(0):
            return None
        try:
            state = read_state(folder)
            left = not _is_newer(folder) and (not state.closed or state.modified)
        except DamagedSession:
            left = True
        if left:
            return lock
        lock.unlock()
        return None

    def was_closed(self, folder: Path) -> bool:
        """Return True if the last window with this session was closed, False if it ended in another way."""
        try:
            return read_state(folder).closed
        except DamagedSession:
            return False

    def go_private(self) -> None:
        """Save nothing from now on. The folder's content stays for the next window."""
        self.release()
        self.folder, self.number, self.why_not = None, 0, PRIVATE

    def removable(self) -> Iterator[Path]:
        """Yield session folders that no other window has open."""
        for number in range(1, MAX_SLOTS + 1):
            folder = self._sessions / str(number)
            if folder == self.folder:
                yield folder
            elif folder.exists():
                lock = _lock_of(self._sessions, number)
                if lock.tryLock(0):
                    yield folder
                    lock.unlock()

    def release(self) -> None:
        """Release the lock of the folder."""
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None


def _has_text(folder: Path) -> bool:
    try:
        return (folder / TEXT_FILE).stat().st_size > 0
    except OSError:
        return False


def _is_newer(folder: Path) -> bool:
    try:
        return is_newer(read_document(folder / STATE_FILE), VERSION)
    except (OSError, DamagedFile):
        return False  # reported when the session is read


def _lock_of(sessions: Path, number: int) -> QLockFile:
    lock = QLockFile(str(sessions / f"{number}.lock"))
    # A window may stay open for weeks: only a dead process makes its lock stale, never its age.
    lock.setStaleLockTime(0)
    return lock


MAX_OF_A_REASON = 200


class RestoredParts(QObject):
    """Restoration of a session, part by part. ``slot``: its folder receives bad parts."""

    def __init__(self, slot: SessionSlot, notifier: Notifier, parent: QObject) -> None:
        super().__init__(parent)
        self._slot, self._notifier = slot, notifier

    def restore(self, name: str, restore: Callable[[dict[str, Any]], object], state: dict[str, Any]) -> None:
        """Restore the part ``name`` of a session. If that fails, set ``state`` aside and notify the user."""
        usable = without_huge_numbers(state)
        why = "" if usable == state else self.tr("a number is too large")
        try:
            restore(usable)
        except Exception as error:  # noqa: BLE001 - the file may hold anything; an error must not affect other parts
            why = f"{type(error).__name__}: {error}"[:MAX_OF_A_REASON]
        if why:
            self._set_aside(name, state, why)

    def _set_aside(self, name: str, state: dict[str, Any], why: str) -> None:
        words = self.tr("The part “{part}” of the last session could not be restored in full ({why}).")
        words = words.format(part=name, why=why)
        if self._slot.folder is not None:
            path = self._slot.folder / PART_SET_ASIDE.format(part=name)
            try:
                write_now(WriteRequest(path, json.dumps(state, indent=1)))
            except (OSError, ValueError, RecursionError):
                pass
            else:
                words += " " + self.tr("It was moved to {file}; everything else was restored.").format(file=path)
        self._notifier.warning(words, key=f"part-{name}")


def without_huge_numbers(value: Any) -> Any:
    """Return JSON ``value`` with None in place of numbers too large for Qt, which would print a warning."""
    if isinstance(value, dict):
        return {key: without_huge_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_huge_numbers(item) for item in value]
    return None if isinstance(value, int) and abs(value) > MAX_OF_A_NUMBER else value
