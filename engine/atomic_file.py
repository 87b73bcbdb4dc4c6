"""Writing files so that each is either the old one or the new one, never half of it.

For those who have a folder filled by a writer that takes a path. The window writes pieces of bytes, even before the
engine is imported, and has ``gui.atomic_file`` for that; ``engine.kernels.cache_folder`` does not wait for the disk, as
what it keeps can be made again and is verified before it is used.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A folder to write new files into, beside ``path``. They are moved to their places when all went well, the one
    with the name of ``path`` last; otherwise they are removed, and what was there before stays as it was. OSError."""
    target = Path(os.path.realpath(path))  # a link stays one: what it leads to is replaced
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        yield folder
        written = sorted(folder.iterdir(), key=lambda file: file.name == path.name)
        for file in written:
            _flush(file)
        for file in written:
            place = target if file.name == path.name else path.parent / file.name
            if place.exists() and not os.access(place, os.W_OK):
                raise PermissionError(13, "the file is read-only", str(place))
            if place.exists():
                shutil.copymode(place, file)
            file.replace(place)


def _flush(file: Path) -> None:
    descriptor = os.open(file, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
