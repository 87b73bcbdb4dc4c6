"""Warm-up of the soak before it measures memory: do everything once, so that first use does not count as growth.

First use is what costs nothing the second time: loading modules and kernels, building widgets when they are first
shown, fonts, and buffers of the largest task. So every tokenizer is read completely, a training runs to its end, every
experiment of the Lab is run, and a word is replaced everywhere in the large text: Qt keeps room for as many undo steps
as a document ever had, 64 bytes each. That text, which has many scripts, is scrolled from beginning to end.
"""

from __future__ import annotations

import random
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QDialog, QWidget

import engine
from benchmarks.soak_errands import Errands
from benchmarks.soak_files import BIG_TEXT, TOKENIZERS
from benchmarks.soak_monkey import LEFT_ALONE
from benchmarks.soak_waits import LOOK_MS, run_for, wait_for_counts, wait_for_jobs
from engine.requests.types import Request
from gui.prompt.chat.panel import ChatPanel
from gui.prompt.counting_service import FIRST_ENCODING
from gui.tokenizers.vocabulary.side_pages import ComparePage
from gui.window.application import Application

COMMON_WORD = "the"
LOOKS = 100
"""Number of scroll positions in a large text."""

READ_MS = 1000
MAX_DIALOGS = 20
"""Maximum number of open dialogs: more would mean that one does not close."""


def warm_up(bench: Application, folder: Path) -> None:
    """Do everything once.

    Show every page, count in every encoding, open and close every dialog, run the Lab, read every tokenizer, run every
    task, open a large text and replace a word in it.
    """
    leaving = QTimer(bench, interval=LOOK_MS)  # some dialogs have their own event loop
    leaving.timeout.connect(close_dialogs)
    leaving.start()
    tabs = bench.window.pages
    for index in range(tabs.count()):
        tabs.setCurrentIndex(index)
        run_for(LOOK_MS)
    for name in engine.list_encoding_names():
        bench.prompt.set_encoding(name)
        wait_for_counts(bench)
    for action in bench.window.every_action():
        if action.isEnabled() and action.objectName() not in LEFT_ALONE:
            action.trigger()
            run_for(2 * LOOK_MS)
    assert bench.pages.lab is not None
    bench.pages.lab.build().run_all.click()
    wait_for_jobs(bench)
    errands = Errands(bench, folder, random.Random(0))
    leaving.stop()  # closing the dialog would cancel the reading
    for path in sorted((folder / TOKENIZERS).iterdir()):
        errands.import_file(path)
        wait_for_jobs(bench)
        leave_all(bench)
    leaving.start()
    for _, errand in errands.ways:
        errand()
        run_for(READ_MS)
        wait_for_jobs(bench)
    bench.files.open_paths([folder / BIG_TEXT])
    run_for(LOOK_MS)
    wait_for_counts(bench)
    look_through(bench)
    errands.replace(COMMON_WORD, "an")
    wait_for_jobs(bench)
    wait_for_counts(bench)
    look_through(bench)
    leaving.stop()
    leaving.deleteLater()


def look_through(bench: Application) -> None:
    """Scroll through the whole text: resources to draw each script, and the shapes of common tokens, stay allocated."""
    bar = bench.panel.editor.verticalScrollBar()
    for place in range(LOOKS):
        bar.setValue(bar.maximum() * place // LOOKS)
        run_for(LOOK_MS // 5)


def look_at_all(bench: Application) -> None:
    """Update every page to the current state: an empty request, and a vocabulary without comparison.

    A hidden page keeps its last content, which may be a comparison of 10 MB.
    """
    for panel in bench.window.findChildren(ChatPanel):
        panel.show_request(Request())
    for page in bench.window.findChildren(ComparePage):
        page.other.show_name("")
    tabs = bench.window.pages
    for index in (*range(tabs.count()), 0):
        tabs.setCurrentIndex(index)
        run_for(LOOK_MS)
        wait_for_jobs(bench)
    assert bench.pages.vocabulary is not None
    bench.pages.vocabulary.build().open(FIRST_ENCODING)
    wait_for_jobs(bench)


def leave_all(bench: Application) -> None:
    """Close dialogs until no further one opens: after one about a file, another file may be pending."""
    for _ in range(MAX_DIALOGS):
        wait_for_jobs(bench)
        if _in_front() is None:
            return
        close_dialogs()


def close_dialogs() -> None:
    """Close popups, modal dialogs and other dialogs."""
    for _ in range(MAX_DIALOGS):
        front = _in_front()
        if front is None:
            return
        front.close()


def _in_front() -> QWidget | None:
    dialogs = (widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QDialog))
    beside = next((dialog for dialog in dialogs if dialog.isVisible()), None)
    return QApplication.activePopupWidget() or QApplication.activeModalWidget() or beside
