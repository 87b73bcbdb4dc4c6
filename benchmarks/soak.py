"""Somebody who presses everything, for a long time: ``python -m benchmarks.soak [--minutes 30] [--seed N]``.

A window on a fresh profile is typed into, pasted into, clicked, dragged about and resized at random: every control of
every tab, every action of every menu, every dialog that opens. What is done is decided by the seed, which is printed;
how far the window is by then is not, so a run is repeated in kind and not to the letter. Files are opened from and
written to a folder of its own; nothing outside of it is touched.

At the end (and with status 1 if one of these does not hold):

- no exception, no warning of Qt, no report of a crash;
- no thread is left when the window is closed;
- at rest, with a short text, no more memory than a tenth above that at the end of the first third;
- the event loop never took longer than ``--gap`` milliseconds (100).

Where it stopped for longer, the stack is printed (``gui.watchdog``).
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import (
    QEvent,
    QMessageLogContext,
    QObject,
    QPoint,
    Qt,
    QTimer,
    QtMsgType,
    Slot,
    qInstallMessageHandler,
)
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

from gui.app import create_window
from gui.memory_return import MemoryReturn, keep_big_blocks_apart
from gui.watchdog import Watchdog
from gui.workbench import Workbench

STEP_MS = 15
REST_MS = 1500
KERNELS = Path(__file__).resolve().parents[1] / "engine" / "kernels" / "__pycache__"
GROWTH = 1.1
MOST_KINDS = 25
LEFT_ALONE = frozenset({"close", "show_profile", "full_screen"})
"""Actions that end the run, or leave the window for another program."""
FRAGMENTS = (
    *("Hello, world! ", "def f(x):\n    return x\n", "<|endoftext|>", "naïve café ", "字符串处理 ", "שלום עולם "),
    *(
        "😀👩‍👩‍👧 ",
        "e\u0301\u0302 ",
        "\r\n",
        "\t",
        "\u2028",
        "\x00\x1b[31m",
        "\u202eabc\u202c",
        "\ud800 ",
        "$1,234.56 ",
    ),
    *(
        '{"role": "user", "content": "hi"}',
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "   " * 20,
        "=cmd|' /C calc'!A0",
    ),
)
KEYS = (
    *(Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Up, Qt.Key.Key_Down),
    *(Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown),
    *(Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_F2),
)
MODIFIERS = (
    *(Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier),
    *(Qt.KeyboardModifier.ControlModifier,),
)


def resident_mb() -> float:
    """Memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def kinds_of_objects() -> Counter[str]:
    """How many objects of each kind there are: widgets of Qt, and whatever the garbage collector knows."""
    gc.collect()
    widgets = Counter(f"widgets {type(widget).__name__}" for widget in QApplication.allWidgets())
    return widgets + Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.get_objects())


class Monkey(QObject):
    """Does one thing at a time, between two turns of the event loop."""

    def __init__(self, bench: Workbench, folder: Path, seed: int) -> None:
        super().__init__()
        self.done: Counter[str] = Counter()
        self.faults: list[str] = []
        self._bench, self._folder = bench, folder
        self._random = random.Random(seed)
        self._going = False
        self._ways: tuple[tuple[int, Callable[[], None]], ...] = (
            (8, self._type),
            (10, self._click),
            (6, self._press),
            (5, self._act),
            (4, self._choose),
            (3, self._turn_to),
            (2, self._paste),
            (2, self._resize),
            (2, self._scroll),
            (1, self._clear),
            (1, self._open_menu),
        )

    def start(self) -> None:
        """Begin."""
        self._going = True
        self._set_off()

    def stop(self) -> None:
        """Do no more."""
        self._going = False

    def _set_off(self) -> None:
        # A timer of its own for each step: menus and some dialogs have an event loop inside of what was done.
        QTimer.singleShot(STEP_MS, self, self._step)

    @Slot()
    def _step(self) -> None:
        if not self._going:
            return
        self._set_off()
        try:
            popup = QApplication.activePopupWidget()
            if popup is not None:
                QTest.keyClick(popup, self._random.choice((Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Return)))
                if self._random.random() < 0.5:
                    popup.close()
                return
            ways, weights = zip(*((way, weight) for weight, way in self._ways), strict=True)
            way = self._random.choices(ways, weights)[0]
            self.done[way.__name__.strip("_")] += 1
            way()
            self._leave_dialog()
        except Exception:  # noqa: BLE001 - whatever it is, it is what this is looking for
            self.faults.append(traceback.format_exc())

    # --- where --------------------------------------------------------------------------------------------------------

    def _top(self) -> QWidget:
        return QApplication.activeModalWidget() or self._bench.window

    def _controls(self, *kinds: type[QWidget]) -> list[QWidget]:
        found = [widget for kind in kinds for widget in self._top().findChildren(kind) if isValid(widget)]
        return [widget for widget in found if widget.isVisible() and widget.isEnabled()]

    def _leave_dialog(self) -> None:
        """Dialogs are filled in for a while, then ended; files are only chosen below the folder."""
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QFileDialog):
            name = self._random.choice([path.name for path in self._folder.iterdir()] + ["new.txt", "new.json", ""])
            dialog.setDirectory(str(self._folder))
            dialog.selectFile(name)
            if self._random.random() < 0.5 and name:
                dialog.accept()
            else:
                dialog.reject()
        elif isinstance(dialog, QDialog) and self._random.random() < 0.15:
            self._random.choice((dialog.reject, dialog.reject, dialog.accept))()

    # --- what ---------------------------------------------------------------------------------------------------------

    def _type(self) -> None:
        target = QApplication.focusWidget() or self._top()
        if isinstance(target, QPlainTextEdit) and not target.isReadOnly():
            target.insertPlainText(self._random.choice(FRAGMENTS))
        else:
            QTest.keyClicks(target, self._random.choice(("7", "gpt", "a", " ", "0.5", "the")))

    def _press(self) -> None:
        target = QApplication.focusWidget() or self._top()
        QTest.keyClick(target, self._random.choice(KEYS), self._random.choice(MODIFIERS))

    def _click(self) -> None:
        controls = self._controls(QAbstractButton, QAbstractItemView, QLineEdit, QPlainTextEdit, QAbstractSpinBox)
        if controls:
            widget = self._random.choice(controls)
            target = widget.viewport() if isinstance(widget, QAbstractItemView | QPlainTextEdit) else widget
            place = QPoint(
                self._random.randrange(max(1, target.width())), self._random.randrange(max(1, target.height()))
            )
            QTest.mouseClick(target, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)

    def _act(self) -> None:
        actions: list[QAction] = [
            action
            for action in self._bench.window.every_action()
            if action.isEnabled() and action.objectName() not in LEFT_ALONE
        ]
        if QApplication.activeModalWidget() is None:
            self._random.choice(actions).trigger()

    def _choose(self) -> None:
        boxes = [box for box in self._controls(QComboBox) if isinstance(box, QComboBox) and box.count()]
        if boxes:
            box = self._random.choice(boxes)
            box.setCurrentIndex(self._random.randrange(box.count()))
            box.activated.emit(box.currentIndex())

    def _turn_to(self) -> None:
        bars = [bar for bar in self._controls(QTabBar) if isinstance(bar, QTabBar) and bar.count()]
        if bars:
            bar = self._random.choice(bars)
            bar.setCurrentIndex(self._random.randrange(bar.count()))

    def _paste(self) -> None:
        size = self._random.choice((1, 10, 100, 1000, 20_000))
        text = "".join(self._random.choices(FRAGMENTS, k=max(1, size // 10)))
        QGuiApplication.clipboard().setText(text)
        self._bench.panel.editor.paste()

    def _clear(self) -> None:
        self._bench.panel.editor.selectAll()
        QTest.keyClick(self._bench.panel.editor, Qt.Key.Key_Delete)

    def _resize(self) -> None:
        self._bench.window.resize(self._random.randrange(480, 1700), self._random.randrange(360, 1100))

    def _scroll(self) -> None:
        bars = [
            bar for bar in self._controls(QScrollBar) if isinstance(bar, QScrollBar) and bar.maximum() > bar.minimum()
        ]
        if bars:
            bar = self._random.choice(bars)
            bar.setValue(self._random.randint(bar.minimum(), bar.maximum()))

    def _open_menu(self) -> None:
        views = self._controls(QAbstractItemView, QPlainTextEdit)
        if views:
            view = self._random.choice(views)
            place = QPoint(5, 5)
            event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.mapToGlobal(place))
            QApplication.sendEvent(view.viewport() if isinstance(view, QAbstractItemView) else view, event)


def fill(folder: Path, chance: random.Random) -> None:
    """Files to open and to train on: sound ones, odd ones, damaged ones."""
    for number in range(6):
        text = "".join(chance.choices([one for one in FRAGMENTS if "\ud800" not in one], k=400))
        (folder / f"text{number}.txt").write_text(text, encoding="utf-8", newline="")
    (folder / "binary.bin").write_bytes(chance.randbytes(5000))
    (folder / "wide.txt").write_text("wide text\n" * 50, encoding="utf-16")
    (folder / "tokenizer.json").write_text('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", ')
    (folder / "prices.yaml").write_text("version: 1\nmodels:\n  acme/one: {price: {input: 1}}\n")


class Rest(QObject):
    """Measures memory when the window has nothing to do: the text is short, the jobs have ended."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench

    def memory(self) -> float:
        """Resident MB at rest."""
        modal = QApplication.activeModalWidget()
        while modal is not None:
            modal.close()
            modal = QApplication.activeModalWidget()
        self._bench.panel.editor.setPlainText("short")
        end = time.monotonic() + 60
        while time.monotonic() < end:
            QTest.qWait(REST_MS)
            assert self._bench.runner is not None
            if not self._bench.prompt.stale:
                break
        gc.collect()
        for memory in self._bench.findChildren(MemoryReturn):
            memory.begin()
        QTest.qWait(REST_MS)
        return resident_mb()


def main() -> int:
    """Run it; status 1 where something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--gap", type=int, default=100, help="longest stop of the event loop, in milliseconds")
    parser.add_argument("--any-memory", action="store_true", help="do not judge memory: for runs of seconds")
    parser.add_argument("--growth", action="store_true", help="say of which objects there are more after each stage")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    print(f"seed {seed}, {options.minutes:g} minutes", flush=True)
    os.environ.setdefault("TOKENLOUPE_KERNEL_CACHE", str(KERNELS))
    faults: list[str] = []

    def on_message(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if kind != QtMsgType.QtDebugMsg and "This plugin does not support" not in text:
            faults.append(f"Qt: {text}")

    qInstallMessageHandler(on_message)
    application = QApplication.instance() or QApplication(["soak", "-style", "fusion"])
    assert isinstance(application, QApplication)
    application.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)

    def on_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        faults.append("".join(traceback.format_exception(kind, error, trace)))
        sys.__excepthook__(kind, error, trace)

    sys.excepthook = on_exception
    sys.unraisablehook = lambda raised: faults.append(f"not raisable: {raised.exc_value!r} in {raised.object!r}")
    before = set(threading.enumerate())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        os.environ["HOME"] = name
        folder = Path(name) / "files"
        folder.mkdir()
        fill(folder, random.Random(seed))
        keep_big_blocks_apart()  # as the program does
        window = create_window(Path(name) / "profile")
        window.show()
        bench = window.findChild(Workbench)
        assert isinstance(bench, Workbench)
        bench.window.close_guard = lambda: False  # whoever presses everything finds Quit, too
        gaps, marks, done = _run(bench, folder, seed, options.minutes * 60, options.gap, faults, options.growth)
        while modal := QApplication.activeModalWidget():
            modal.close()
        bench.window.close_guard = None
        window.close()
        QTest.qWait(500)
        application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        left = [thread.name for thread in set(threading.enumerate()) - before if thread.is_alive()]
    first, last = marks[max(0, len(marks) // 3 - 1)], marks[-1]
    print(f"done: {', '.join(f'{count} {name}' for name, count in done.most_common())}")
    print(f"memory at rest, MB: {', '.join(f'{mark:.0f}' for mark in marks)}")
    print(f"stops of over {options.gap} ms: {len(gaps)}, longest {max(gaps, default=0) * 1000:.0f} ms")
    print(f"threads left: {left or 'none'}; faults: {len(faults)}")
    for text, count in Counter(faults).most_common(20):
        print(f"--- {count} times\n{text}")
    grown = last > first * GROWTH and not options.any_memory
    return 1 if faults or left or gaps or grown else 0


def _run(
    bench: Workbench, folder: Path, seed: int, seconds: float, gap_ms: int, faults: list[str], show_growth: bool
) -> tuple[list[float], list[float], Counter[str]]:
    monkey, rest = Monkey(bench, folder, seed), Rest(bench)
    QTest.qWait(REST_MS)
    watchdog = Watchdog(gap_ms)
    marks = []
    before = kinds_of_objects()
    stages = max(3, min(9, round(seconds / 60)))
    for _ in range(stages):
        watchdog.start()
        monkey.start()
        QTest.qWait(round(seconds / stages * 1000))
        monkey.stop()
        watchdog.stop()
        marks.append(rest.memory())
        print(
            f"  {sum(monkey.done.values())} steps, {marks[-1]:.0f} MB at rest, {len(watchdog.gaps)} stops", flush=True
        )
        if show_growth:
            now = kinds_of_objects()
            print(
                "    more of: " + ", ".join(f"{more:,} {kind}" for kind, more in (now - before).most_common(MOST_KINDS))
            )
            before = now
    faults += monkey.faults
    return watchdog.gaps, marks, monkey.done


if __name__ == "__main__":
    sys.exit(main())
