"""How the window writes files: the engine's one way to do that, loaded when something is first written. No Qt.

The first picture of the window comes before anything of the engine; nothing is written before that, unless what is
there is damaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path


def write_atomic(path: Path, content: bytes | Iterable[bytes], *, keep_backup: bool = False) -> int:
    """As ``engine.runtime.atomic_files.write_atomic``. OSError."""
    from engine.runtime import atomic_files

    return atomic_files.write_atomic(path, content, keep_backup=keep_backup)


def change_atomic(path: Path, change: Callable[[bytes | None], bytes], *, keep_backup: bool = False) -> bytes:
    """As ``engine.runtime.atomic_files.change_atomic``. OSError, and whatever ``change`` raises."""
    from engine.runtime import atomic_files

    return atomic_files.change_atomic(path, change, keep_backup=keep_backup)


def set_aside(path: Path, why: str = "damaged") -> Path:
    """As ``engine.runtime.atomic_files.set_aside``. OSError."""
    from engine.runtime import atomic_files

    return atomic_files.set_aside(path, why)
