"""Paths that lead to something other than a regular file: devices, pipes, sockets, and the output of this process.

Renaming a new file over one of them would destroy it (``/dev/null`` for the whole machine, where the user may do
that), and reading one may never end. They are written into as they are, or refused.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from pathlib import Path
from typing import IO

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

    Its offset is shared: opened anew, a file to which output is redirected would be written from its beginning.
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
