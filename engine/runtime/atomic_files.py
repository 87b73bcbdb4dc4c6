"""The way in which this program writes files: each is either the old one or the new one, never half of it. No Qt.

New content goes to a file beside the old one, is flushed to the disk, and takes the old one's place by one rename.
Whatever fails before that leaves the old file as it was; what a killed process leaves goes with the next write to the
same folder (``engine.runtime.unfinished_files``). A symbolic link stays one: the file it leads to is replaced. The mode
of a file that is replaced is kept. A file that may not be written is refused, although a rename could replace it. A
device or a pipe is never replaced: it is written into, or refused (``engine.runtime.special_files``).

Four modules have ways of their own beside it. ``engine.kernels.cache_folder`` does not wait for the disk, as what it
keeps can be made again and is verified before it is used. ``engine.corpus.count_cache`` has an SQLite file, which keeps
itself whole. ``gui.state.session_slot`` has Qt's lock files, which hold nothing of the user's.
``engine.library.user_encodings`` gives a file another name by a rename, when what stands beside it was written in this
way.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from engine.runtime.cancellation import while_wanted
from engine.runtime.private_folders import make_folder
from engine.runtime.special_files import check_regular, flush_special, open_special
from engine.runtime.unfinished_files import half_written, half_written_folder, only_here

BACKUP_SUFFIX = ".bak"


def write_atomic(path: Path, content: bytes | Iterable[bytes], *, keep_backup: bool = False) -> int:
    """Replace ``path`` by ``content`` (bytes, or pieces of bytes) and return how many bytes were written.

    Missing folders are made. ``keep_backup`` leaves the old file beside the new one, with the ending ``.bak``.

    Raises OSError, and whatever making the pieces raises, or who is asked between them; then the old file is untouched.
    """
    pieces = [content] if isinstance(content, bytes) else while_wanted(content, every=1)
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
