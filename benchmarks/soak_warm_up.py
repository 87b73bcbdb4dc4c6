"""What the soak does before it begins to judge memory: everything once, so that growth is no first use.

First uses are those of which a second one takes nothing more: modules and kernels that are loaded, widgets that are
made when they are first looked at, fonts, and what stays of the greatest work that the errands ask for. So a tokenizer
is read to its end here, a training runs to its end, every experiment of the Lab is run, and a word is replaced
everywhere in the big text: Qt keeps the room for as many steps to undo as a document ever had, 64 bytes each. And that
text is looked at from its beginning to its end, which is in many scripts.
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
from gui.tokenizers.vocabulary.comparison import ComparePage
from gui.window.application import Application

COMMON_WORD = "the"
LOOKS = 100
"""At a big text, from its beginning to its end."""

READ_MS = 1000
MOST_DIALOGS = 20
"""So many are never open at once: more would be one that does not close."""


def warm_up(bench: Application, folder: Path) -> None:
    """Look at every tab, count in every encoding, open and leave every dialog, run the Lab, read every tokenizer, run
    every errand, open a big text and replace a word in it."""
    leaving = QTimer(bench, interval=LOOK_MS)  # some dialogs have an event loop of their own
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
    leaving.stop()  # to leave the dialog would be to stop reading
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
    """Scroll through the whole text: what each script needs to be drawn, and the shapes of common tokens, stay."""
    bar = bench.panel.editor.verticalScrollBar()
    for place in range(LOOKS):
        bar.setValue(bar.maximum() * place // LOOKS)
        run_for(LOOK_MS // 5)


def look_at_all(bench: Application) -> None:
    """Have every tab show what there is now, that of requests an empty one, the vocabulary's the first encoding beside
    no other: a tab that nobody looks at keeps what it showed last, which may be a comparison of ten megabytes."""
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
    """Leave dialogs until no further one comes: behind one that asks about a file the next file may wait."""
    for _ in range(MOST_DIALOGS):
        wait_for_jobs(bench)
        if _in_front() is None:
            return
        close_dialogs()


def close_dialogs() -> None:
    """Leave whatever is open before the window, and dialogs beside it."""
    for _ in range(MOST_DIALOGS):
        front = _in_front()
        if front is None:
            return
        front.close()


def _in_front() -> QWidget | None:
    dialogs = (widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QDialog))
    beside = next((dialog for dialog in dialogs if dialog.isVisible()), None)
    return QApplication.activePopupWidget() or QApplication.activeModalWidget() or beside
