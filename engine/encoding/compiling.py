"""Compile kernels ahead of their first use, in a separate process.

    python -m engine.encoding.compiling FOLDER FAMILY...

Compiling takes tens of seconds and holds the interpreter lock: within the process of a window it would block the
window. So it runs in a child process of low priority (``compile_in_child``), which saves the code to a folder. From
there ``Encoding.use_kernels(folder, compiled_only=True)`` and similar calls load it in milliseconds.

A *family* is a set of kernels that are compiled together because they are used together. ``FAMILIES`` names them.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from engine.errors import EngineError
from engine.kernels.cache_folder import current_folder, is_uncompiled, keep, kept_in
from engine.runtime.threads import child_command

ENCODE = "encode"
"""Family of all kernels that count and encode."""

TRAIN = "train"
"""Family of all kernels that train."""

FAMILIES: Mapping[str, str] = MappingProxyType(
    {ENCODE: "engine.library.bundled_encodings", TRAIN: "engine.training.run"}
)
"""Family -> the module whose ``warm_up()`` calls every kernel of the family with every combination of argument types
that occurs."""

OPTION = "--compile-kernels"
"""Command-line option with which the program compiles kernels: a frozen program has no separate interpreter."""

ATTENDED = "--attended"
"""First argument of a compiler process with a waiting caller."""

UNATTENDED = 75
"""Exit status of a compiler process whose caller is gone."""

NICENESS = 10
"""Increment of the compiler's niceness, so that other processes run first."""

POLL_SECONDS = 0.05
"""Interval between two checks for cancellation."""


class CompilingFailedError(EngineError):
    """Kernels could not be compiled or saved. The text gives the reason as part of a sentence; ``details`` is for a
    report."""

    def __init__(self, why: str, details: str = "") -> None:
        super().__init__(why)
        self.details = details


def is_compiled(folder: Path | None, family: str) -> bool:
    """Return True if a family was compiled into ``folder``. Does not import numba, so the check is cheap at start-up.

    Whether the code fits this processor is known only after loading it.
    """
    with kept_in(folder):
        mark = _mark(family)
    return mark is not None and mark.is_file() and not is_uncompiled()


def folder_with(family: str, folder: Path | None) -> Path | None:
    """Return the folder to load a family of kernels from: ``folder``, which belongs to a profile, or None for the
    user's own if only that one has them."""
    return folder if is_compiled(folder, family) or not is_compiled(None, family) else None


def keeps_nothing(folder: Path | None) -> bool:
    """Return True if saving or compiling is disabled, so that compiling ahead is useless."""
    with kept_in(folder):
        return current_folder() is None or is_uncompiled()


def compile_family(folder: Path | None, family: str) -> None:
    """Compile a family into ``folder``, in this process. Raises OSError if it cannot be saved there."""
    with kept_in(folder):
        mark = _mark(family)
        if mark is None:
            raise OSError("saving is disabled")
        trial = mark.with_suffix(".trial")
        keep(trial, b"")  # fail before tens of seconds of work
        trial.unlink(missing_ok=True)
        importlib.import_module(FAMILIES[family]).warm_up()
        from engine.kernels._jit import raise_unsaved

        raise_unsaved()
        keep(mark, b"")


def compile_in_child(folder: Path | None, families: Sequence[str], cancel_check: Callable[[], None]) -> None:
    """Compile families into ``folder`` in a child process, and wait for it. Raises CompilingFailedError.

    ``cancel_check`` is called repeatedly; an exception from it kills the child.
    """
    command, environment = compiler_command(folder, families)
    listening, held = os.pipe()
    try:
        child = subprocess.Popen(
            command,
            env=environment,
            stdin=listening,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # Windows only
        )
        with child:
            try:
                output = _wait(child, cancel_check)
            except BaseException:
                child.kill()
                raise
    except OSError as error:
        raise CompilingFailedError(f"could not start the compiler: {error.strerror or error}") from error
    finally:
        os.close(listening)
        os.close(held)
    if child.returncode:
        raise CompilingFailedError(_failure_reason(child.returncode, output), output)
    if not all(is_compiled(folder, family) for family in families):
        raise CompilingFailedError("the compiler produced no output", output)


def compiler_command(folder: Path | None, families: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the command that compiles families into a folder, and its environment. The command exits once no process
    holds the other end of its standard input, for whatever reason."""
    arguments = [ATTENDED, "" if folder is None else str(folder), *families]
    return child_command("engine.encoding.compiling", OPTION, arguments)


def main(arguments: Sequence[str]) -> int:
    """Compile families. ``arguments``: the folder (empty for the user's), then the families. Returns the exit status;
    errors are on standard error, the reason in the last line."""
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(NICENESS)
    if arguments[:1] == [ATTENDED]:
        threading.Thread(target=_end_with_parent, daemon=True).start()
        arguments = arguments[1:]
    folder, *families = arguments
    gc.disable()  # a compiler creates millions of objects and drops few: collecting would cost a tenth of its time
    try:
        for family in families:
            compile_family(Path(folder) if folder else None, family)
    except OSError as error:
        with kept_in(Path(folder) if folder else None):
            kept = current_folder()
        sys.stderr.write(f"could not save to {kept.parent if kept else folder} ({error.strerror or error})\n")
        return 1
    return 0


def _end_with_parent() -> None:
    """Exit once the process at the other end of standard input closes it or has ended."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(UNATTENDED)


def _mark(family: str) -> Path | None:
    """Return the file that marks a family as compiled, for this Python on this kind of processor."""
    folder = current_folder()
    name = f"{family}-{sys.implementation.cache_tag}-{platform.machine()}.compiled"
    return None if folder is None else folder / name


def _wait(child: subprocess.Popen[str], cancel_check: Callable[[], None]) -> str:
    """Wait for the child to end. Returns its standard error."""
    while True:
        cancel_check()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=POLL_SECONDS)[1]


def _failure_reason(status: int, output: str) -> str:
    """Return the reason for which a child failed, as part of a sentence."""
    lines = output.strip().splitlines()
    if status < 0 or not lines:
        return f"the compiler ended with status {status}"
    return lines[-1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
