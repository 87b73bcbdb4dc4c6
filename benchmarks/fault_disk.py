"""A disk that fails, or a process that dies, at a random moment: for the child processes of ``faults``.

Wraps the functions that Python writes files with: open, write (which may write only half), flush, rename and link, of
``os`` and ``pathlib``. Only calls for one folder fail, and only while ``failing`` is not 0.
"""

from __future__ import annotations

import errno
import io
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.ENOENT)
"""Disk full, I/O error, read-only file system, folder removed."""


class FaultyDisk:
    """Faulty disk; call ``install`` once. ``kill_at``: number of the call that kills the process, 0 for never.

    ``failing``: share of calls that fail, from 0 to 1. ``failed``: number of calls that failed.
    """

    def __init__(self, folder: Path, rng: random.Random, kill_at: int) -> None:
        self.failing = 0.0
        self.failed = 0
        self._folder, self._rng, self._left = str(folder), rng, kill_at

    def install(self) -> None:
        """Wrap the calls. This cannot be undone."""
        for name in ("open", "replace", "link", "mkdir", "unlink", "rename"):
            setattr(os, name, self._of_path(getattr(os, name)))
        os.fsync = self._of_descriptor(os.fsync)
        real = os.fdopen

        def fdopen(descriptor: int, mode: str = "r", *rest: Any, **options: Any) -> Any:
            if mode == "wb" and not rest and not options:
                return io.BufferedWriter(_FaultyFile(self, descriptor))
            return real(descriptor, mode, *rest, **options)

        os.fdopen = fdopen
        io.open = self._of_opening(io.open)  # used by pathlib

    def call(self) -> bool:
        """Count one call. Return True if it must fail. May kill the process."""
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        fails = self._rng.random() < self.failing
        self.failed += fails
        return fails

    def error(self, path: object = None) -> OSError:
        """Return the error of a failing call."""
        number = self._rng.choice(ERRORS)
        return OSError(number, os.strerror(number), path)

    def _of_path(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(path: Any, *rest: Any, **options: Any) -> Any:
            if self._concerns(path) and self.call():
                raise self.error(os.fspath(path))
            return real(path, *rest, **options)

        return wrapped

    def _of_opening(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(path: Any, mode: str = "r", buffering: int = -1, *text: Any, **options: Any) -> Any:
            if "r" in mode or not self._concerns(path):
                return real(path, mode, buffering, *text, **options)
            if self.call():
                raise self.error(os.fspath(path))
            file = io.BufferedWriter(_FaultyFile(self, os.fspath(path), mode.strip("bt")))
            return file if "b" in mode else io.TextIOWrapper(file, *text, **options)

        return wrapped

    def _concerns(self, path: Any) -> bool:
        return not isinstance(path, int) and os.fspath(path).startswith(self._folder)

    def _of_descriptor(self, real: Callable[[int], None]) -> Callable[[int], None]:
        def wrapped(descriptor: int) -> None:
            if self.call():
                raise self.error()
            real(descriptor)

        return wrapped


class _FaultyFile(io.FileIO):
    def __init__(self, disk: FaultyDisk, file: int | str, mode: str = "w") -> None:
        super().__init__(file, mode)
        self._disk = disk

    def write(self, content: Any) -> int:
        half = bytes(content)[: len(content) // 2]
        self._disk.call()  # may die with nothing written
        if self._disk.call():
            super().write(half)
            raise self._disk.error()
        return super().write(content)
