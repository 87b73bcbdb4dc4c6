"""Files on disk: atomic writes and private folders.

Atomic means that readers see the old file or the new one, never a partial file.

``write_atomic``, ``change_atomic``, ``replacement_of`` and ``replacing`` write new content to a temporary file beside
the target, flush it to disk and rename it over the target. If anything fails before the rename, the old file is
unchanged. A symbolic link is kept and its target replaced. The mode of the old file is kept. A read-only file is
refused, although a rename could replace it.

*Temporary files.* The writer of a file from ``atomic_temp`` holds a lock on it until it has its final name. Files left
by a killed process are removed by ``clear_half_written`` at the next write to the same folder. It takes the same lock
first, so it never removes the file of a live process; on Windows an open file cannot be removed anyway. On file systems
without locks, nothing is removed. ``only_here`` serializes read-modify-write cycles across processes.

*Special files.* Replacing a device, a pipe or a socket by a rename would destroy it (``/dev/null`` for the whole
machine, if the user has permission), and reading one may never end. So these, and the output of this process, are
written in place (``open_special``) or refused (``check_regular``).

*Private folders.* Only their owner may enter them; their files have the mode 0600, their folders 0700. On Windows they
need nothing: a profile is in the user's own folder, which others cannot read. A new file takes its mode from its
folder: in a private folder it is private from the start, even as a temporary file. Elsewhere, as for an export, the
umask decides.

Four modules write in other ways. ``engine.kernels.cache_folder`` does not flush to disk, because its content can be
rebuilt and is verified before use. ``engine.corpus.count_cache`` uses an SQLite file, which keeps itself consistent.
``gui.state.session_slot`` uses Qt's lock files, which hold no user data. ``engine.library.user_encodings`` renames a
file after its companion has been written by this module.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import shutil
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from engine.runtime.cancellation import interruptible

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_OTHERS = 0o077


def is_private(folder: Path) -> bool:
    """Return True if only its owner may enter ``folder``. False on Windows, and if it does not exist."""
    if sys.platform == "win32":
        return False
    try:
        return not folder.stat().st_mode & _OTHERS
    except OSError:
        return False


def new_file_mode(folder: Path) -> int:
    """Return the mode to create a file with in ``folder``."""
    return FILE_MODE if is_private(folder) else 0o666


def private_opener(path: str, flags: int) -> int:
    """Open a file, for the ``opener`` of ``open``. A new file gets the mode of ``new_file_mode``."""
    return os.open(path, flags, new_file_mode(Path(path).parent))


def make_folder(folder: Path) -> None:
    """Create ``folder`` and its parents. New folders inside a private one are private. Raises OSError."""
    missing = []
    at = folder
    while not at.exists() and at != at.parent:
        missing.append(at)
        at = at.parent
    mode = FOLDER_MODE if is_private(at) else 0o777
    for new in reversed(missing):
        new.mkdir(mode=mode, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)


def make_private(folder: Path) -> None:
    """Create ``folder`` if needed and restrict it to its owner. Ignores errors."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    make_file_private(folder)


def make_content_private(folder: Path) -> None:
    """Restrict all files and folders in ``folder`` to its owner. Links are not followed."""
    for parent, folders, files in os.walk(folder):  # links to folders are listed but not followed
        for name in (*folders, *files):
            make_file_private(Path(parent, name))


def make_file_private(path: Path) -> None:
    """Restrict one file or folder to its owner, if it exists. A link is not followed. Ignores errors."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        mode = path.lstat().st_mode
        if mode & _OTHERS and (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            path.chmod(stat.S_IMODE(mode) & ~_OTHERS)


# --- special files ----------------------------------------------------------------------------------------------------

NO_READER = "no program reads from this pipe"
NOT_REGULAR = "this is not a regular file"


def is_special(path: Path) -> bool:
    """Return True if ``path`` exists and resolves to neither a regular file nor a folder."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def check_regular(path: Path) -> None:
    """Raise OSError if ``path`` exists and resolves to a device, a pipe or a socket."""
    if is_special(path):
        raise OSError(errno.EINVAL, NOT_REGULAR, str(path))


def open_special(path: Path) -> IO[bytes] | None:
    """Open a file that must be written in place: a device, a pipe, or the file behind this process's own output. Return
    None if ``path`` can be replaced or does not exist.

    Raises OSError if it cannot be written, such as a pipe without a reader. Never waits for a reader.
    """
    output = _own_output(path)
    if output is not None:
        return os.fdopen(os.dup(output), "wb")
    if not is_special(path):
        return None
    flags = os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        why = NO_READER if stat.S_ISFIFO(path.stat().st_mode) else NOT_REGULAR
        raise OSError(errno.ENXIO, why, str(path)) from error
    if sys.platform != "win32":
        os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "wb")


def flush_special(file: IO[bytes]) -> None:
    """Flush a file from ``open_special``, to disk if it is on one."""
    file.flush()
    with contextlib.suppress(OSError):  # devices and pipes do not support fsync
        os.fsync(file.fileno())


def _own_output(path: Path) -> int | None:
    """Return the descriptor (1 or 2) that ``path`` names through ``/dev/stdout`` or ``/proc/self/fd``, or None.

    The descriptor's offset is shared. Reopening a file that output is redirected to would overwrite it from the start.
    """
    if os.name != "posix":
        return None
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(found, os.fstat(descriptor)) and _leads_through_descriptors(path):
                return descriptor
    return None


def _leads_through_descriptors(path: Path) -> bool:
    """Return True if a path, or a link on the way to its target, is an entry of ``/dev`` or ``/proc``."""
    for _ in range(16):
        absolute = Path(os.path.normpath(path.absolute()))
        if absolute.parts[:2] in (("/", "dev"), ("/", "proc")):
            return True
        try:
            path = absolute.parent / absolute.readlink()
        except OSError:
            return False
    return False


# --- temporary files and locks ----------------------------------------------------------------------------------------

_PREFIX = ".tokenloupe-"
_SUFFIX = ".part"
_FOLDER = ".files"
_OURS = re.compile(re.escape(_PREFIX) + "[0-9a-f]{32}" + f"({re.escape(_SUFFIX)}|{re.escape(_FOLDER)})")

LOCK_NAME = f"{_PREFIX}lock"
LOCK_SECONDS = 10.0
"""Maximum time to wait for another process that changes the same files. A change takes milliseconds."""
_TURN_SECONDS = 0.005


@contextlib.contextmanager
def atomic_temp(folder: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """Yield a new file in ``folder``, open for writing, and its path. Removed at the end unless it was renamed.

    Removes files that killed processes left in ``folder`` first. Raises OSError.
    """
    clear_half_written(folder)
    file, temporary = _opened(folder)
    try:
        with file:
            yield file, temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def half_written_folder(folder: Path) -> Iterator[Path]:
    """Yield a new folder in ``folder``. Removed at the end with its remaining content. Raises OSError."""
    with atomic_temp(folder) as (_, temporary):
        inside = temporary.with_suffix(_FOLDER)
        make_folder(inside)
        try:
            yield inside
        finally:
            shutil.rmtree(inside, ignore_errors=True)


def clear_half_written(folder: Path) -> None:
    """Remove temporary files that killed processes left in ``folder``. Ignores files that cannot be removed."""
    with contextlib.suppress(OSError):
        for found in list(os.scandir(folder)):
            ours = _OURS.fullmatch(found.name)
            if ours and ours[1] == _SUFFIX:
                _remove_unless_locked(Path(found.path))
            elif ours and not Path(found.path).with_suffix(_SUFFIX).exists():
                shutil.rmtree(found.path, ignore_errors=True)


@contextlib.contextmanager
def only_here(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on ``folder`` across threads and processes, for read-modify-write cycles. Creates the
    folder if needed. No-op where locks are unsupported.

    Raises OSError if another process does not release the lock in time.
    """
    make_folder(folder)
    with open(folder / LOCK_NAME, "ab", opener=private_opener) as file:
        last = time.monotonic() + LOCK_SECONDS
        while not _has_lock(file):
            if time.monotonic() > last:
                raise OSError(errno.EAGAIN, "another window has been writing there for a long time", str(folder))
            threading.Event().wait(_TURN_SECONDS)
        yield


def _opened(folder: Path) -> tuple[IO[bytes], Path]:
    mode = new_file_mode(folder)
    while True:
        path = folder / f"{_PREFIX}{os.urandom(16).hex()}{_SUFFIX}"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        file = os.fdopen(descriptor, "wb")
        if _has_lock(file) and path.exists():  # otherwise another process was about to remove it
            return file, path
        file.close()


def _remove_unless_locked(path: Path) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            path.unlink()
        else:
            with path.open("rb") as file:
                if not _locked(file):
                    return
                path.unlink()
        shutil.rmtree(path.with_suffix(_FOLDER), ignore_errors=True)


def _has_lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed. Return False if another process holds it, True if locks are unsupported."""
    try:
        return _locked(file)
    except OSError:
        return True


def _locked(file: IO[bytes]) -> bool:
    """Lock a file until it is closed. Return False if another process holds it. Raises OSError without lock support."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


# --- writes -----------------------------------------------------------------------------------------------------------

BACKUP_SUFFIX = ".bak"


def write_atomic(path: Path, content: bytes | Iterable[bytes], *, keep_backup: bool = False) -> int:
    """Replace ``path`` by ``content`` (bytes, or chunks of bytes) and return the number of bytes written.

    Creates missing folders. ``keep_backup`` keeps the old file beside the new one, with the suffix ``.bak``.

    Raises OSError, and any error of the chunk iterator or of the cancellation check between chunks. The old file is
    then unchanged.
    """
    chunks = [content] if isinstance(content, bytes) else interruptible(content, every=1)
    if not path.exists():  # /dev/stdout of a pipe resolves to a path that does not exist
        make_folder(Path(os.path.realpath(path)).parent)
    with replacement_of(path, keep_backup=keep_backup) as file:
        return sum(map(file.write, chunks))


def change_atomic(path: Path, change: Callable[[bytes | None], bytes], *, keep_backup: bool = False) -> bytes:
    """Replace the content of ``path`` by ``change(content)``, with None as content if there is no file. Return the new
    content.

    Changes to files of one folder are serialized across processes, so each sees the result of the one before. Content
    that did not change is not written. Raises OSError, also for a device or a pipe, and any error of ``change``. The
    old file is then unchanged.
    """
    check_regular(path)
    target = Path(os.path.realpath(path))
    with only_here(target.parent):
        try:
            before = target.read_bytes()
        except FileNotFoundError:
            before = None
        after = change(before)
        if after != before:
            write_atomic(target, after, keep_backup=keep_backup)
        return after


@contextlib.contextmanager
def replacement_of(path: Path, *, keep_backup: bool = False) -> Iterator[IO[bytes]]:
    """Yield a file to write to. It replaces ``path`` on success and is removed otherwise. Raises OSError.

    A device or a pipe is opened in place: data is written to it immediately and stays if a later step fails.
    ``keep_backup``: as for ``write_atomic``.
    """
    special = open_special(path)
    if special is not None:
        with special:
            yield special
            flush_special(special)
        return
    target = Path(os.path.realpath(path))
    _check_writable(target)
    with atomic_temp(target.parent) as (file, temporary):
        yield file
        file.flush()
        os.fsync(file.fileno())
        if keep_backup and target.exists():
            _keep_backup(target)
        if sys.platform == "win32":
            file.close()  # an open file cannot be renamed; elsewhere closing it would release the lock
        _replace(temporary, target)
    _flush_folder(target.parent)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a folder beside ``path`` to write new files into, for callers that read them back first. On success they
    are moved to their targets, the file named like ``path`` last. Otherwise they are removed and the old files
    restored. Raises OSError.

    Several files cannot be replaced in one step. If a process is killed between two of them, or if the disk refuses to
    restore the old files, new and old files are left side by side. Readers must detect this, for example by a digest of
    one file in the other.
    """
    target = Path(os.path.realpath(path))
    with half_written_folder(target.parent) as folder:
        yield folder
        written = sorted(folder.iterdir(), key=lambda file: file.name == path.name)
        targets = [target if file.name == path.name else path.parent / file.name for file in written]
        for file, new_path in zip(written, targets, strict=True):
            _check_writable(new_path)
            _flush(file)
        with _restored_on_error(targets[:-1], folder):
            for file, new_path in zip(written, targets, strict=True):
                _replace(file, new_path)
    _flush_folder(target.parent)


@contextlib.contextmanager
def _restored_on_error(paths: Sequence[Path], folder: Path) -> Iterator[None]:
    """Restore the files at ``paths`` on error, if the disk allows, from backups in ``folder``. Raises OSError."""
    backups: dict[Path, Path] = {}
    for number, path in enumerate(paths):
        if path.exists():
            backups[path] = folder / f".before-{number}"
            _link_or_copy(path, backups[path])
    try:
        yield
    except BaseException:
        for path in paths:
            with contextlib.suppress(OSError):  # Report the first error, not a later one.
                if path in backups:
                    backups[path].replace(path)
                else:
                    path.unlink(missing_ok=True)
        raise


def check_replaceable(path: Path) -> None:
    """Raise OSError unless a file can be written as ``path``. Leaves no file behind."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder", str(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {path.parent}", str(path))
    _check_writable(target)
    with atomic_temp(target.parent):
        pass


def set_aside(path: Path, why: str = "damaged") -> Path:
    """Rename a file to a free name beside it with the suffix ``why``, so that nothing overwrites it. Return that name.
    Raises OSError."""
    for number in itertools.count(1):
        new_path = path.with_name(f"{path.name}.{why}" + (f"-{number}" if number > 1 else ""))
        if not new_path.exists():
            return path.rename(new_path)
    raise AssertionError("there is always a free number")


def _check_writable(target: Path) -> None:
    check_regular(target)  # it may have changed since the caller checked
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", str(target))


def _replace(new: Path, target: Path) -> None:
    if target.exists():
        shutil.copymode(target, new)
    new.replace(target)


def _keep_backup(target: Path) -> None:
    """Keep the old content as a backup file, also atomically."""
    backup = target.with_name(target.name + BACKUP_SUFFIX)
    with half_written_folder(target.parent) as folder:
        second = folder / backup.name
        _link_or_copy(target, second)
        second.replace(backup)


def _link_or_copy(file: Path, second: Path) -> None:
    """Give a file a second name, by a hard link where supported, else by a copy."""
    try:
        os.link(file, second)
    except OSError:
        shutil.copy2(file, second)
        _flush(second)


def _flush(file: Path) -> None:
    descriptor = os.open(file, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush_folder(folder: Path) -> None:
    """Make the rename durable, where folders can be flushed (not on Windows)."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):  # The file is written. Some network folders cannot be opened.
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
