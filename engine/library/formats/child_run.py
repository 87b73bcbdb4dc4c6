"""Running a module of the engine in a separate process, until it ends or is cancelled."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_POLL_SECONDS = 0.05


class DoesNotEndError(Exception):
    """The process did not come to an end in time, and was ended."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that came to its end. ``status``: 0, or minus the number of the signal that ended it. ``said``: what it
    wrote to its standard output."""

    status: int
    said: bytes


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    handed_over: Sequence[bytes],
    seconds: float,
    cancel_check: Callable[[], None] | None = None,
) -> Ended:
    """Run a command and wait for it. ``handed_over``: what stands on its standard input. ``seconds``: how long it may
    take, whatever the processor does.

    ``cancel_check`` is called all the time; what it raises ends the process at once. DoesNotEndError; OSError where it
    does not start.
    """
    # From a file: a pipe would have to be fed while it is looked whether the child is still wanted.
    with tempfile.TemporaryFile() as file:
        for part in handed_over:
            file.write(part)
        file.seek(0)
        child = subprocess.Popen(
            command,
            env=environment,
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # of Windows
        )
    with child:
        try:
            said = _wait(child, seconds, cancel_check)
        except BaseException:
            child.kill()
            raise
    return Ended(child.returncode, said)


def _wait(child: subprocess.Popen[bytes], seconds: float, cancel_check: Callable[[], None] | None) -> bytes:
    deadline = time.monotonic() + seconds
    while True:
        if cancel_check is not None:
            cancel_check()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=_POLL_SECONDS)[0]
        if time.monotonic() > deadline:
            raise DoesNotEndError


def limit(most_bytes: int, processor_seconds: int | None = None) -> None:
    """Set limits of memory and processor time for this process, where the system has them; and leave no dump."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = [(resource.RLIMIT_DATA, most_bytes, most_bytes), (resource.RLIMIT_CORE, 0, 0)]
    if processor_seconds is not None:  # at the first it is told, at the second killed
        limits.append((resource.RLIMIT_CPU, processor_seconds, processor_seconds + 1))
    for what, most, hard in limits:
        with contextlib.suppress(OSError, ValueError):  # a system may have stricter ones
            resource.setrlimit(what, (most, hard))
