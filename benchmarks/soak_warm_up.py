"""What the soak does before it begins to judge memory: everything once, so that growth is no first use."""

from __future__ import annotations

import random
import time
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import engine
from benchmarks.soak_errands import Errands
from benchmarks.soak_files import BIG_TEXT, TOKENIZERS
from benchmarks.soak_monkey import LEFT_ALONE
from gui.workbench import Workbench

LOOK_MS = 150
READ_MS = 1000
PATIENCE_SECONDS = 60
MOST_DIALOGS = 20
"""So many are never open at once: more would be one that does not close."""


def warm_up(bench: Workbench, folder: Path) -> None:
    """Look at every tab, count in every encoding, open and leave every dialog, read every tokenizer, run every errand,
    open a big text."""
    leaving = QTimer(bench, interval=LOOK_MS)  # some dialogs have an event loop of their own
    leaving.timeout.connect(close_dialogs)
    leaving.start()
    tabs = bench.window.tabs
    for index in range(tabs.count()):
        tabs.setCurrentIndex(index)
        QTest.qWait(LOOK_MS)
    for name in engine.list_encoding_names():
        bench.prompt.set_encoding(name)
        wait_for_counts(bench)
    for action in bench.window.every_action():
        if action.isEnabled() and action.objectName() not in LEFT_ALONE:
            action.trigger()
            QTest.qWait(2 * LOOK_MS)
    errands = Errands(bench, folder, random.Random(0))
    for path in sorted((folder / TOKENIZERS).iterdir()):
        errands.import_file(path)
        QTest.qWait(READ_MS)
    for _, errand in errands.ways:
        errand()
        QTest.qWait(READ_MS)
    bench.files.open_paths([folder / BIG_TEXT])
    QTest.qWait(LOOK_MS)
    wait_for_counts(bench)
    leaving.stop()
    leaving.deleteLater()


def wait_for_counts(bench: Workbench) -> None:
    """Wait until the text is counted in every encoding that is watched, or for a minute."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        QTest.qWait(LOOK_MS)
        counts = bench.prompt.counts
        if not bench.prompt.stale and counts is not None and counts.complete:
            return


def close_dialogs() -> None:
    """Leave whatever is open before the window."""
    for _ in range(MOST_DIALOGS):
        front = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if front is None:
            return
        front.close()
