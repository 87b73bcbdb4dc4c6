"""Measure the vocabulary browser with o200k_base: opening, searching, sorting, diagnosing.

``python -m benchmarks.vocabulary [--encoding o200k_base] [--repeat 20]``

A real window (under Xvfb or on a desktop; offscreen otherwise). A search is measured from the change of the field until
the table is painted, including the worker thread, in wall time. Limits are printed beside the figures.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QWidget

from benchmarks.window import Bench
from gui.tokenizers.vocabulary.table import BUILT, ID, KIND, LENGTH, SCRIPT, TOKEN

TEXTS = ("t", "to", "tok", "toke", "token", "tokeni", "e", " the", "é", "字", "mag", "magi", "magikarp", "")
HEX = ("c3a9", "20", "e4b8", "0a", "f09f", "")
EXPRESSIONS = ("^tion$", r"\d{2,}", "[aeiou]{3}", "tion|sion", r"^ ?\w+ing$", r"\p{Han}{2}")
SLOW_EXPRESSIONS = (r"^\s+$", "[^a-z]{5}", "(?<= )x")
COLUMNS = (LENGTH, TOKEN, KIND, SCRIPT, BUILT, ID)
PATIENCE_SECONDS = 120.0


def report(what: str, seconds: Sequence[float], limit: str) -> None:
    """Print one line: median, 99th percentile, and limit."""
    times = sorted(1000 * one for one in seconds)
    last = times[min(len(times) - 1, round(len(times) * 0.99))]
    print(f"{what:52} p50 {statistics.median(times):8.2f}   p99 {last:8.2f} ms   n {len(times):4}   limit {limit}")


class PaintWatch(QObject):
    """Event filter that ends a loop when a widget has been painted after ``begin``."""

    def __init__(self, widget: QWidget, loop: QEventLoop) -> None:
        super().__init__()
        self._loop, self._waits = loop, False
        widget.installEventFilter(self)

    def begin(self) -> None:
        """End the loop after the next paint."""
        self._waits = True

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if self._waits and event.type() == QEvent.Type.Paint:
            self._waits = False
            # The paint itself follows this filter; a posted call runs after it.
            QTimer.singleShot(0, self._loop.quit)
        return False


class Browser:
    """The page of a window, and a stopwatch."""

    def __init__(self, bench: Bench, name: str) -> None:
        self._bench = bench
        self._loop = QEventLoop()
        started = time.perf_counter()
        wiring = bench.bench.pages.vocabulary
        wiring.browser.begin_with(name, -1, name)
        wiring.focus()
        self.panel, self.flow = wiring.panel, wiring.browser
        bench.until(lambda: self.panel.model.rowCount() > 0, PATIENCE_SECONDS)
        self.panel.table.viewport().repaint()
        self.opening = time.perf_counter() - started
        self._watched = PaintWatch(self.panel.table.viewport(), self._loop)
        self.flow._service.found.connect(self._watched.begin)

    def painted(self, change: Callable[[], object]) -> float:
        """Return the seconds from a change until its result is painted."""
        started = time.perf_counter()
        change()
        self._loop.exec()
        return time.perf_counter() - started

    def diagnosis(self) -> float:
        """Return the seconds from now until all entries are diagnosed."""
        started = time.perf_counter()
        self._bench.until(self.panel.filters.finding.isEnabled, PATIENCE_SECONDS)
        return time.perf_counter() - started

    def searches(self, mode: int, texts: Sequence[str], repeat: int) -> list[float]:
        """Return the seconds of each search; an untimed first round does one-time work."""
        field = self.panel.filters.search
        field.clear()
        self.panel.filters.mode.setCurrentIndex(mode)
        times = []
        for turn in range(repeat + 1):
            for text in texts:
                if text == field.text():
                    continue
                seconds = self.painted(lambda text=text: field.setText(text))
                if turn:
                    times.append(seconds)
        return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoding", default="o200k_base")
    parser.add_argument("--repeat", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as profile:
        bench = Bench(Path(profile))
        bench.until(lambda: bench.bench.prompt.counts is not None, PATIENCE_SECONDS)
        browser = Browser(bench, options.encoding)
        print(f"{options.encoding}, {browser.panel.model.rowCount():,} entries")
        report("open the browser, first rows painted", [browser.opening], "200 ms")
        report("diagnose all entries, in the background", [browser.diagnosis()], "10,000 ms")
        bench.until(lambda: not browser.flow._service.busy, PATIENCE_SECONDS)
        report("key to painted, text", browser.searches(0, TEXTS, options.repeat), "8 / 16 ms")
        report("key to painted, bytes", browser.searches(1, HEX, options.repeat), "60 ms")
        few = max(1, options.repeat // 5)
        report("key to painted, expressions", browser.searches(2, EXPRESSIONS, few), "60 ms")
        slow = browser.searches(2, SLOW_EXPRESSIONS, few)
        report("key to painted, expressions token by token", slow, "none: off the GUI thread")
        browser.panel.filters.clear()
        bench.until(lambda: not browser.flow._service.busy, PATIENCE_SECONDS)
        sort = browser.panel.table.sortByColumn
        times = [
            browser.painted(lambda column=column, order=order: sort(column, order))
            for _ in range(few)
            for order in (Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder)
            for column in COLUMNS
        ]
        report("click on a header to painted", times, "50 ms")
        bench.close()


if __name__ == "__main__":
    main()
