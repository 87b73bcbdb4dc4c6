"""Lazy access to the engine's atomic file writer. No Qt.

The window is first painted before the engine is imported; nothing is written before that, unless a file is damaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path


def write_atomic(path: Path, content: bytes | Iterable[bytes], *, keep_backup: bool = False) -> int:
    """Call ``engine.runtime.atomic_files.write_atomic``. Raises OSError."""
    from engine.runtime import atomic_files

    return atomic_files.write_atomic(path, content, keep_backup=keep_backup)


def change_atomic(path: Path, change: Callable[[bytes | None], bytes], *, keep_backup: bool = False) -> bytes:
    """Call ``engine.runtime.atomic_files.change_atomic``. Raises OSError, and any error of ``change``."""
    from engine.runtime import atomic_files

    return atomic_files.change_atomic(path, change, keep_backup=keep_backup)


def set_aside(path: Path, why: str = "damaged") -> Path:
    """Call ``engine.runtime.atomic_files.set_aside``. Raises OSError."""
    from engine.runtime import atomic_files

    return atomic_files.set_aside(path, why)
