"""A disk that fails, or a process that dies, at a moment that chance chose: for the child processes of ``faults``.

What Python writes files with is wrapped: opening, each write (of which half may reach the disk), flushing, renaming,
linking; by ``os`` and by ``pathlib`` alike. Only what concerns one folder fails; and only as long as ``failing`` says.
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
"""A full disk, a broken one, one that is read-only by now, a folder that vanished."""


class FaultyDisk:
    """``install`` it once. ``kill_at``: the process dies at this call, 0 for never. ``failing``: the share of
    calls that fail, from 0 to 1. ``failed``: how many have."""

    def __init__(self, folder: Path, rng: random.Random, kill_at: int) -> None:
        self.failing = 0.0
        self.failed = 0
        self._folder, self._rng, self._left = str(folder), rng, kill_at

    def install(self) -> None:
        """Wrap the calls. There is no way back."""
        for name in ("open", "replace", "link", "mkdir", "unlink", "rename"):
            setattr(os, name, self._of_path(getattr(os, name)))
        os.fsync = self._of_descriptor(os.fsync)
        real = os.fdopen

        def fdopen(descriptor: int, mode: str = "r", *rest: Any, **options: Any) -> Any:
            if mode == "wb" and not rest and not options:
                return io.BufferedWriter(_FaultyFile(self, descriptor))
            return real(descriptor, mode, *rest, **options)

        os.fdopen = fdopen
        io.open = self._of_opening(io.open)  # what pathlib opens and writes with

    def call(self) -> bool:
        """One call: whether it is to fail. May be the last thing this process does."""
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        fails = self._rng.random() < self.failing
        self.failed += fails
        return fails

    def error(self, path: object = None) -> OSError:
        """The error of a call that fails."""
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
