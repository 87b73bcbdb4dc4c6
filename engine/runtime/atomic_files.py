"""Write files so that each is either the old one or the new one, never half of it.

``write_atomic``, ``change_atomic``, ``replacement_of`` and ``replacing`` write new content to a file beside the old
one, flush it to the disk, and let it take the old one's place by one rename. Whatever fails before the rename leaves
the old file as it was. A symbolic link stays one: the file it leads to is replaced. The mode of the old file is kept.
A file that may not be written is refused, although a rename could replace it.

*Half-written files.* The writer of a file from ``half_written`` holds a lock on it until it has its final name. What a
killed process leaves is removed by ``clear_half_written``, with the next write to the same folder. That takes the same
lock first, so it never removes the file of a live process: not on Windows either, where an open file cannot be removed.
Where a file system has no locks, nothing is removed. ``only_here`` lets one process at a time read a file and write it
changed.

*Special files.* Replacing a device, a pipe or a socket by a rename would destroy it (``/dev/null`` for the whole
machine, if the user has the right), and reading one may never end. So these, and the output of this process, are
written into as they are (``open_special``), or refused (``check_regular``).

Four modules write in ways of their own. ``engine.kernels.cache_folder`` does not wait for the disk, as what it keeps
can be made again and is verified before it is used. ``engine.corpus.count_cache`` has an SQLite file, which keeps
itself consistent. ``gui.state.session_slot`` has Qt's lock files, which hold no data of the user.
``engine.library.user_encodings`` renames a file after its companion has been written in the way described here.
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
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from engine.runtime.cancellation import interruptible
from engine.runtime.private_folders import make_folder, new_file_mode, private_opener

NO_READER = "no program reads from this pipe"
NOT_REGULAR = "this is not a regular file"


def is_special(path: Path) -> bool:
    """True if ``path`` exists and leads to neither a regular file nor a folder."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def check_regular(path: Path) -> None:
    """Raise OSError if ``path`` exists and leads to a device, a pipe or a socket."""
    if is_special(path):
        raise OSError(errno.EINVAL, NOT_REGULAR, str(path))


def open_special(path: Path) -> IO[bytes] | None:
    """Open what must be written into rather than replaced: a device, a pipe, or the file behind this process's own
    output. Returns None if ``path`` can be replaced, or does not exist.

    Raises OSError if it cannot be written into, as a pipe that no program reads; this never waits for a reader.
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
    """Flush what ``open_special`` opened, to the disk where there is one."""
    file.flush()
    with contextlib.suppress(OSError):  # devices and pipes know no fsync
        os.fsync(file.fileno())


def _own_output(path: Path) -> int | None:
    """The descriptor (1 or 2) whose file ``path`` names, by way of ``/dev/stdout`` or ``/proc/self/fd``, or None.

    Its offset is shared: reopened, a file to which output is redirected would be overwritten from its start.
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
    """True if a path, or a link that it leads through, is an entry of ``/dev`` or ``/proc``."""
    for _ in range(16):
        absolute = Path(os.path.normpath(path.absolute()))
        if absolute.parts[:2] in (("/", "dev"), ("/", "proc")):
            return True
        try:
            path = absolute.parent / absolute.readlink()
        except OSError:
            return False
    return False


_PREFIX = ".tokenloupe-"
_SUFFIX = ".part"
_FOLDER = ".files"
_OURS = re.compile(re.escape(_PREFIX) + "[0-9a-f]{32}" + f"({re.escape(_SUFFIX)}|{re.escape(_FOLDER)})")

LOCK_NAME = f"{_PREFIX}lock"
LOCK_SECONDS = 10.0
"""How long to wait for another process that changes the same files; a change takes milliseconds."""
_TURN_SECONDS = 0.005


@contextlib.contextmanager
def half_written(folder: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """A new file in ``folder``, open for writing, and its path. It is gone afterwards, unless it was renamed. OSError.

    What killed processes left in ``folder`` is removed first.
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
    """A new folder in ``folder``, which is gone afterwards with all that is still in it. OSError."""
    with half_written(folder) as (_, temporary):
        inside = temporary.with_suffix(_FOLDER)
        make_folder(inside)
        try:
            yield inside
        finally:
            shutil.rmtree(inside, ignore_errors=True)


def clear_half_written(folder: Path) -> None:
    """Remove what killed processes left half written in a folder. What cannot be removed stays."""
    with contextlib.suppress(OSError):
        for found in list(os.scandir(folder)):
            ours = _OURS.fullmatch(found.name)
            if ours and ours[1] == _SUFFIX:
                _remove_unless_locked(Path(found.path))
            elif ours and not Path(found.path).with_suffix(_SUFFIX).exists():
                shutil.rmtree(found.path, ignore_errors=True)


@contextlib.contextmanager
def only_here(folder: Path) -> Iterator[None]:
    """Until the end of this, no other process and no other thread is in here for the same folder, which is made if
    need be. For what reads a file and writes it changed. Without locks there is no wait.

    Raises OSError if another process does not release it.
    """
    make_folder(folder)
    with open(folder / LOCK_NAME, "ab", opener=private_opener) as file:
        last = time.monotonic() + LOCK_SECONDS
        while not _has_lock(file):
            if time.monotonic() > last:
                raise OSError(errno.EAGAIN, "another window has been writing there for long", str(folder))
            threading.Event().wait(_TURN_SECONDS)
        yield


def _opened(folder: Path) -> tuple[IO[bytes], Path]:
    mode = new_file_mode(folder)
    while True:
        path = folder / f"{_PREFIX}{uuid.uuid4().hex}{_SUFFIX}"
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
    """Hold a file until it is closed, where there are locks. Return False if another process holds it."""
    try:
        return _locked(file)
    except OSError:
        return True


def _locked(file: IO[bytes]) -> bool:
    """Hold a file until it is closed. Return False if another process holds it. OSError where there are no locks."""
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


BACKUP_SUFFIX = ".bak"


def write_atomic(path: Path, content: bytes | Iterable[bytes], *, keep_backup: bool = False) -> int:
    """Replace ``path`` by ``content`` (bytes, or pieces of bytes) and return how many bytes were written.

    Missing folders are made. ``keep_backup`` leaves the old file beside the new one, with the ending ``.bak``.

    Raises OSError, and whatever making the pieces raises, or who is asked between them; then the old file is untouched.
    """
    pieces = [content] if isinstance(content, bytes) else interruptible(content, every=1)
    if not path.exists():  # the link of a process to its own pipe leads to a path that does not exist
        make_folder(Path(os.path.realpath(path)).parent)
    with replacement_of(path, keep_backup=keep_backup) as file:
        return sum(map(file.write, pieces))


def change_atomic(path: Path, change: Callable[[bytes | None], bytes], *, keep_backup: bool = False) -> bytes:
    """Replace ``path`` by what ``change`` makes of its content, None where there is no file. Returns the new content.

    Of several processes that change files of one folder so, each sees what the one before it wrote. What equals the
    old content is not written. OSError, and whatever ``change`` raises; then the old file is untouched. A device or a
    pipe has no content to change: OSError.
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
    """A file to write into, which takes the place of ``path`` when all went well, and is removed otherwise. OSError.

    A device or a pipe is opened itself: what is written goes there at once, and stays when something fails.
    ``keep_backup`` as for ``write_atomic``.
    """
    special = open_special(path)
    if special is not None:
        with special:
            yield special
            flush_special(special)
        return
    target = Path(os.path.realpath(path))
    _check_writable(target)
    with half_written(target.parent) as (file, temporary):
        yield file
        file.flush()
        os.fsync(file.fileno())
        if keep_backup and target.exists():
            _keep_backup(target)
        if sys.platform == "win32":
            file.close()  # an open file cannot be renamed; elsewhere, it is ours as long as it is open
        _replace(temporary, target)
    _flush_folder(target.parent)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A folder to write new files into, beside ``path``, for those who want to read them back first. They are moved to
    their places when all went well, the one with the name of ``path`` last; otherwise they are removed, and what was
    there before is there again. OSError.

    Several files cannot be replaced in one step: a process that is killed between two of them leaves the new one
    beside the old one, and so does a disk that does not even let the old one be put back. Who reads them has to notice,
    as by the digest of one in the other.
    """
    target = Path(os.path.realpath(path))
    with half_written_folder(target.parent) as folder:
        yield folder
        written = sorted(folder.iterdir(), key=lambda file: file.name == path.name)
        places = [target if file.name == path.name else path.parent / file.name for file in written]
        for file, place in zip(written, places, strict=True):
            _check_writable(place)
            _flush(file)
        with _or_put_back(places[:-1], folder):
            for file, place in zip(written, places, strict=True):
                _replace(file, place)
    _flush_folder(target.parent)


@contextlib.contextmanager
def _or_put_back(places: Sequence[Path], folder: Path) -> Iterator[None]:
    """Where this fails, what was in ``places`` is there again, as far as the disk lets it. Until then it is kept in
    ``folder``. OSError."""
    kept: dict[Path, Path] = {}
    for number, place in enumerate(places):
        if place.exists():
            kept[place] = folder / f".before-{number}"
            _link_or_copy(place, kept[place])
    try:
        yield
    except BaseException:
        for place in places:
            with contextlib.suppress(OSError):  # What failed first is what is told.
                if place in kept:
                    kept[place].replace(place)
                else:
                    place.unlink(missing_ok=True)
        raise


def check_replaceable(path: Path) -> None:
    """Raise OSError unless a file can be written as ``path``. Nothing is left behind."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder", str(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {path.parent}", str(path))
    _check_writable(target)
    with half_written(target.parent):
        pass


def set_aside(path: Path, why: str = "damaged") -> Path:
    """Rename a file to a free name beside it, ``why`` at its end, so that nothing overwrites it. Returns that name.
    OSError."""
    for number in itertools.count(1):
        kept = path.with_name(f"{path.name}.{why}" + (f"-{number}" if number > 1 else ""))
        if not kept.exists():
            return path.rename(kept)
    raise AssertionError("there is always a free number")


def _check_writable(target: Path) -> None:
    check_regular(target)  # whatever it was a moment ago
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", str(target))


def _replace(new: Path, target: Path) -> None:
    if target.exists():
        shutil.copymode(target, new)
    new.replace(target)


def _keep_backup(target: Path) -> None:
    """Keep the old content under a second name, in one step as well."""
    backup = target.with_name(target.name + BACKUP_SUFFIX)
    with half_written_folder(target.parent) as folder:
        second = folder / backup.name
        _link_or_copy(target, second)
        second.replace(backup)


def _link_or_copy(file: Path, second: Path) -> None:
    """Give a file a second name. A hard link costs nothing; where there are none, copy."""
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
    """Make the rename itself durable, where folders can be flushed (not on Windows)."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):  # The file is written; some network folders cannot be opened.
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
