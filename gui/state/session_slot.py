"""Which session folder this window uses: of several windows with the same profile each has one of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QLockFile

from gui.core.profile_privacy import make_file_private, make_folder
from gui.core.versioned_document import DamagedFile, is_newer, read_document
from gui.state.session import STATE_FILE, TEXT_FILE, VERSION, DamagedSession, read_state

MOST_SLOTS = 16
PRIVATE = "private mode"


class SessionSlot:
    """A locked session folder. ``folder`` is None where nothing can be written: then nothing is remembered.

    ``number`` 1 is the session that the next start continues; higher numbers belong to windows opened beside it.
    ``newer`` is a session that a newer version of the program wrote, None without one: it is left as it is.
    """

    def __init__(self, sessions: Path, *, private: bool = False) -> None:
        """``private``: keep nothing, and touch no session."""
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
        for number in range(1, MOST_SLOTS + 1):
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
        self.why_not = f"{MOST_SLOTS} windows have this profile open"

    def orphans(self) -> Iterator[Path]:
        """Yield sessions of other windows whose text is nowhere else: of killed ones, and of those closed unsaved."""
        for number in range(2, MOST_SLOTS + 1):
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
        """Keep other windows from taking an orphan, until the lock is unlocked; None if it is none."""
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

    def go_private(self) -> None:
        """Keep nothing from now on. What is in the folder stays there, for the next window."""
        self.release()
        self.folder, self.number, self.why_not = None, 0, PRIVATE

    def removable(self) -> Iterator[Path]:
        """Folders of sessions that no other window has open."""
        for number in range(1, MOST_SLOTS + 1):
            folder = self._sessions / str(number)
            if folder == self.folder:
                yield folder
            elif folder.exists():
                lock = _lock_of(self._sessions, number)
                if lock.tryLock(0):
                    yield folder
                    lock.unlock()

    def release(self) -> None:
        """Let others have the folder."""
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
        return False  # what is wrong with it is told by those who read it


def _lock_of(sessions: Path, number: int) -> QLockFile:
    lock = QLockFile(str(sessions / f"{number}.lock"))
    # A window may stay open for weeks: only a dead process makes its lock stale, never its age.
    lock.setStaleLockTime(0)
    return lock
