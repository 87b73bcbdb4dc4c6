"""Creation of the window, and the run of the application."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication, QMainWindow

import gui.runtime.pyside_workarounds  # noqa: F401 - first, since it affects later imports
from gui.core.profile_files import profile_paths
from gui.runtime.memory import keep_big_blocks_apart
from gui.window.application import Application

_ALONE = "QT_NO_GUI_THREADPOOL"


def paint_alone() -> None:
    """Make Qt paint on the GUI thread only. It would hand parts of large areas, such as scroll bars, to its own threads
    and wait for them, which takes longer while jobs use all processors."""
    os.environ.setdefault(_ALONE, "1")


def create_window(profile: Path | None = None) -> QMainWindow:
    """Return a complete window, not shown, that uses ``profile``. Needs a ``QApplication``.

    After it is closed, everything it started has ended, and the look of the application is restored.
    """
    bench = Application(profile_paths(profile))
    bench.start_at_once()
    return bench.window


def tend_memory(bench: Application) -> None:
    """Exclude objects of the start and the compiler from garbage collections. For processes with a single window."""

    def settle() -> None:
        assert bench.kernels is not None
        assert bench.loading is not None
        assert bench.runner is not None
        collector = bench.runner.collector
        collector.settle()
        bench.kernels.taken_over.connect(collector.settle)
        bench.loading.ended.connect(collector.settle)

    bench.started.connect(settle)


def run(paths: Sequence[Path], profile: Path | None, *, private: bool = False) -> int:
    """Show a window with these files until it is closed. Returns the exit status."""
    from gui.runtime.watchdog import VARIABLE, requested_watchdog
    from gui.window.lifecycle import CrashHook

    paint_alone()
    keep_big_blocks_apart()
    app = QApplication([sys.argv[0], "-style", "fusion"])
    app.setApplicationName("tokenloupe")
    app.setApplicationDisplayName("Tokenloupe")
    app.setDesktopFileName("tokenloupe")
    bench = Application(profile_paths(profile), private=private)
    hook = CrashHook(bench.window)
    hook.install()
    tend_memory(bench)
    if paths:
        bench.files.open_paths(paths)
    bench.window.show()
    watchdog = requested_watchdog(os.environ.get(VARIABLE, ""), app)
    try:
        return app.exec()
    finally:
        if watchdog is not None:
            watchdog.stop()
        hook.remove()
