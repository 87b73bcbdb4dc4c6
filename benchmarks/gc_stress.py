"""Open and close windows, pages and menus while worker threads allocate. Run it in its own process, which may crash.

``python -m benchmarks.gc_stress SECONDS``. Workers create reference cycles without pause, so an automatic collection
would almost always run on one of them and free the Qt objects of closed windows there. Prints how many Qt objects were
freed, and on which threads; exits with 1 if any was freed, or a collection ran, on another thread than the GUI thread.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import sys
import tempfile
import threading
import time
import weakref
from collections import Counter
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QMenu,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
)

from gui.app import create_window
from gui.runtime.jobs import JobRunner, Ticket
from gui.window.pages import Pages

WORKERS = 2
DIALOGS = 5
FREED: Counter[bool] = Counter()
"""Number of watched Qt objects that were freed, by True for the GUI thread."""
COLLECTIONS: Counter[bool] = Counter()
GUI_THREAD = threading.get_ident()


def watch(found: QObject) -> None:
    """Record the thread on which the Python side of ``found`` is freed."""

    def note(_gone: object) -> None:
        FREED[threading.get_ident() == GUI_THREAD] += 1

    WATCHES.append(weakref.ref(found, note))


WATCHES: list[weakref.ref[QObject]] = []


def note_collection(phase: str, _about: dict[str, int]) -> None:
    """Count a collection by its thread."""
    if phase == "start":
        COLLECTIONS[threading.get_ident() == GUI_THREAD] += 1


def make_cycles(until: float, ticket: Ticket) -> int:
    """Allocate reference cycles until then. Runs on a worker thread."""
    made = 0
    while time.monotonic() < until and not ticket.cancelled:
        row: list[object] = [{"number": number} for number in range(50)]
        row.append(row)
        made += 1
    return made


def spin(milliseconds: int) -> None:
    """Run the event loop for a while."""
    until = time.monotonic() + milliseconds / 1000
    while time.monotonic() < until:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, milliseconds)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def leave_cycles_of_qt_objects() -> None:
    """Create Qt objects that only the collector can free, as dialogs and menus with closures do."""
    for _ in range(DIALOGS):
        dialog = QDialog()
        tree = QTreeWidget()
        tree.addTopLevelItem(QTreeWidgetItem(["a row"]))
        button = QToolButton()
        button.setMenu(menu := QMenu())
        menu.addAction("Copy")
        timer = QTimer(interval=1)  # no parent: the Python object owns it
        timer.timeout.connect(dialog.update)
        timer.start()
        layout = QVBoxLayout(dialog)
        layout.addWidget(tree)
        layout.addWidget(button)
        dialog.parts = [dialog, tree, button, menu, timer]
        for one in (dialog, tree, button, menu, timer):
            watch(one)
        dialog.show()
        spin(1)
        dialog.close()


def one_round(folder: Path, number: int) -> None:
    """Open a window, show all its pages, and close it."""
    window = create_window(folder / str(number % 3))
    window.show()
    for one in (window, *window.findChildren(QObject)):
        watch(one)
    pages = window.findChild(Pages)
    for index in range(pages.count()):
        pages.setCurrentIndex(index)
        leave_cycles_of_qt_objects()
        spin(30)
    window.close()
    spin(20)


def main(seconds: float) -> int:
    """Run for ``seconds``. Return the exit status."""
    faulthandler.enable()
    app = QApplication([sys.argv[0], "-style", "fusion"])
    gc.callbacks.append(note_collection)
    until = time.monotonic() + seconds
    runner = JobRunner()
    for worker in range(WORKERS):
        runner.background(f"cycles {worker}", make_cycles).submit(until)
    rounds = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        while time.monotonic() < until:
            one_round(Path(name), rounds)
            rounds += 1
        runner.shutdown()
        spin(50)
    print(
        f"{rounds} windows; freed {FREED[True]} Qt objects on the GUI thread, {FREED[False]} elsewhere; "
        f"collections {COLLECTIONS[True]} on the GUI thread, {COLLECTIONS[False]} elsewhere",
        flush=True,
    )
    del app
    return 1 if FREED[False] or COLLECTIONS[False] else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float)
    sys.exit(main(parser.parse_args().seconds))
