"""Writing a file so that it is either the old one or the new one, never half of each. No Qt.

The new content goes to a temporary file in the same folder, is flushed to the disk, and replaces the old file by one
rename. Whatever fails before that rename leaves the old file as it was, and no temporary file.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
from collections.abc import Iterable
from pathlib import Path

_numbers = itertools.count(1)
BACKUP_SUFFIX = ".bak"


def write_atomic(path: Path, content: bytes | Iterable[bytes], *, keep_backup: bool = False) -> int:
    """Replace ``path`` by ``content`` (bytes, or pieces of bytes) and return how many bytes were written.

    Missing folders are made. A symbolic link stays one: the file it leads to is replaced. The mode of an existing
    file is kept.
    ``keep_backup`` leaves the old file beside the new one, with the ending ``.bak``.

    Raises OSError; then the old file is untouched. A file that may not be written is refused, although a rename
    could replace it.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    mode: int | None = None
    if target.exists():
        if not os.access(target, os.W_OK):
            raise PermissionError(13, "the file is read-only", str(target))
        mode = stat.S_IMODE(target.stat().st_mode)
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{next(_numbers)}.tmp")
    try:
        written = _write_through(temporary, [content] if isinstance(content, bytes) else content)
        if mode is not None:
            temporary.chmod(mode)
        if keep_backup and mode is not None:
            _copy_as_backup(target)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)
    return written


def set_aside(path: Path, why: str = "damaged") -> Path:
    """Rename a file to a free name beside it, ``why`` at its end, so that nothing overwrites it. Returns that name."""
    for number in itertools.count(1):
        kept = path.with_name(f"{path.name}.{why}" + (f"-{number}" if number > 1 else ""))
        if not kept.exists():
            return path.rename(kept)
    raise AssertionError("there is always a free number")


def _write_through(path: Path, pieces: Iterable[bytes]) -> int:
    written = 0
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(descriptor, "wb") as file:
        for piece in pieces:
            written += file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return written


def _copy_as_backup(target: Path) -> None:
    """Keep the old content under a second name. A hard link costs nothing; where there are none, copy."""
    backup = target.with_name(target.name + BACKUP_SUFFIX)
    backup.unlink(missing_ok=True)
    try:
        os.link(target, backup)
    except OSError:
        backup.write_bytes(target.read_bytes())


def _flush_folder(folder: Path) -> None:
    """Make the rename itself durable, where folders can be flushed (not on Windows)."""
    if os.name != "posix":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # The file is written; some network folders cannot be opened.
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
