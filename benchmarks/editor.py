"""Measure the load of the prompt editor on the GUI thread, beside a bare QPlainTextEdit in the same process.

    python -m benchmarks.editor [--only 1m 10m] [--keys 150] [--corpus FILE]

CPU milliseconds of the GUI thread. A keystroke in the middle of the text is painted (key frame), then its tokens are
applied and painted (token frame); their sum is printed. The tokens are computed beforehand with a simple pattern, as in
the program a worker does. Offscreen, 1200 x 800, so Qt's own raster engine paints.

``bare`` is a QPlainTextEdit with the same text, font and size, measured over the same two frames: the key event until
it is painted, then always one repaint of the caret's line, as the counterpart of the token frame. The token editor
requests that second repaint only where the new tokens look different. ``bare+listener`` is the same widget with a
Python ``paintEvent`` and a Python listener that reads each change: the minimum cost of an editor in Python. The ratio
of the medians to ``bare`` is limited to 4 at 1 MB and 3.5 at 10 MB. On a busy machine single figures are unreliable:
the ratio of two medians taken seconds apart varies by a fifth and more. Repeat, and take the median of the runs.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from PySide6.QtCore import QEventLoop, Qt
from PySide6.QtGui import QFont, QPaintEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from benchmarks.editor_text import dense_text, mixed_text, one_line
from engine.types import TokenPatch
from gui.editor.token_editor import TokenEditor
from gui.look.theme import Theme
from gui.runtime.pyside_workarounds import let_errors_leave_overrides

TYPED = "hello world, "
_TOKEN = re.compile(r" ?\w{1,6}|\s+?|[^\w\s]{1,3}")
LIMITS = {"10 KB": (2, 5), "1 MB": (2, 5), "10 MB": (3, 6), "1 MB line": (7, 12), "10 MB line": (9, 14)}


def tokens_of(text: str, start: int = 0) -> TokenPatch:
    """Return the tokens of a text by a simple pattern, as a patch that covers all of it."""
    ends = np.array([match.end() for match in _TOKEN.finditer(text)], np.int64)
    if not text.isascii():
        codes = np.frombuffer(text.encode("utf-32-le"), "<u4")
        astral = np.concatenate([[0], np.cumsum(codes > 0xFFFF)])
        ends = ends + astral[ends]
    ids = (ends * 2654435761 % 100_003).astype(np.int32)
    ends = (ends + start).astype(np.int32)
    end = int(ends[-1]) if len(ends) else start
    return TokenPatch(start, end, end, ids, ends, np.zeros(len(ends), np.bool_))


def percentile(times: list[float], share: float) -> float:
    """Return the value below which this share of the times lies."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class Stage:
    """One visible widget."""

    def __init__(self, app: QApplication, widget: QPlainTextEdit, size: tuple[int, int] = (1200, 800)) -> None:
        self.app = app
        self.widget = widget
        widget.setFont(QFont("DejaVu Sans Mono", 10))
        widget.resize(*size)
        widget.show()
        self.settle()

    def settle(self) -> None:
        """Process events until everything is painted."""
        for _ in range(3):
            self.app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)

    def timed(self, action: Callable[[], object]) -> float:
        """Return the CPU milliseconds until the action is painted."""
        start = time.thread_time()
        action()
        self.app.processEvents()
        return (time.thread_time() - start) * 1000

    def to_middle(self) -> None:
        """Move the caret to the middle of the text and scroll to it."""
        cursor = self.widget.textCursor()
        cursor.setPosition(self.widget.document().characterCount() // 2)
        self.widget.setTextCursor(cursor)
        self.widget.centerCursor()
        self.settle()

    def close(self) -> None:
        """Delete the widget and its document."""
        self.widget.hide()
        self.widget.deleteLater()
        self.app.sendPostedEvents(None, 52)
        self.settle()


def type_bare(stage: Stage, keys: int) -> list[float]:
    """Time keystrokes in the stock widget: a key frame each, and a second frame that repaints the line."""
    stage.to_middle()
    times = []
    for k in range(keys):
        key_frame = stage.timed(lambda k=k: QTest.keyClick(stage.widget, TYPED[k % len(TYPED)]))
        line = stage.widget.cursorRect()
        line.setLeft(0)
        line.setWidth(stage.widget.viewport().width())
        times.append(key_frame + stage.timed(lambda line=line: stage.widget.viewport().update(line)))
    return times


def type_tokens(stage: Stage, keys: int) -> tuple[list[float], list[float]]:
    """Time keystrokes in the token editor: key frames and token frames."""
    editor = stage.widget
    assert isinstance(editor, TokenEditor)
    stage.to_middle()
    key_frames, token_frames = [], []
    for k in range(keys):
        key_frames.append(stage.timed(lambda k=k: QTest.keyClick(editor, TYPED[k % len(TYPED)])))
        patch = patch_at_caret(editor)
        token_frames.append(stage.timed(lambda patch=patch: editor.apply_patch(editor.revision, patch)))
    return key_frames, token_frames


def patch_at_caret(editor: TokenEditor) -> TokenPatch:
    """Return new tokens for a few words around the caret, between existing token boundaries."""
    caret = editor.caret_offset()
    left, right = editor.token_at(max(0, caret - 30)), editor.token_at(min(caret + 30, editor.text_length - 1))
    start = left.utf16_start if left else 0
    end = right.utf16_end if right else editor.text_length
    patch = tokens_of(editor.text_between(start, end), start)
    return patch if patch.utf16_new_end == end else TokenPatch(start, end, end, *_closed(patch, end))


def _closed(patch: TokenPatch, end: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ends = patch.utf16_ends.copy()
    ends[-1] = end
    return patch.ids, ends, patch.continues


def token_editor(app: QApplication, text: str, size: tuple[int, int] = (1200, 800)) -> Stage:
    """Show a token editor with ``text`` and its tokens."""
    editor = TokenEditor()
    editor.set_palette(Theme("light").token_palette())
    stage = Stage(app, editor, size)
    editor.setFont(QFont("DejaVu Sans Mono", 10))
    editor.setPlainText(text)
    editor.apply_patch(editor.revision, tokens_of(text))
    stage.settle()
    return stage


class Listening(QPlainTextEdit):
    """The stock widget with the minimum of an editor in Python: a listener that reads each change, and a paintEvent."""

    def __init__(self) -> None:
        super().__init__()
        self.document().contentsChange.connect(self.listen)
        self.changes: list[str] = []

    def listen(self, position: int, _removed: int, added: int) -> None:
        """Read the inserted text."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(position)
        cursor.setPosition(min(position + added, self.document().characterCount() - 1), QTextCursor.MoveMode.KeepAnchor)
        self.changes.append(cursor.selectedText())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)


def bare_editor(app: QApplication, text: str, kind: type[QPlainTextEdit] = QPlainTextEdit) -> Stage:
    """Show the stock widget with ``text``."""
    stage = Stage(app, kind())
    stage.widget.setPlainText(text)
    stage.settle()
    return stage


def keystrokes(app: QApplication, name: str, text: str, keys: int) -> None:
    """Measure keystrokes and print one row of the table."""
    bare_keys = 5 if "line" in name else keys
    bare: list[tuple[float, float]] = []
    for kind in (QPlainTextEdit, Listening):
        if name == "10 MB line":  # minutes
            bare.append((float("nan"), float("nan")))
            continue
        stage = bare_editor(app, text, kind)
        times = type_bare(stage, bare_keys)
        stage.close()
        bare.append((statistics.median(times), percentile(times, 0.99)))
    stage = token_editor(app, text)
    gc.freeze()  # as in the program: garbage collection during a key covers its own objects only
    key_frames, token_frames = type_tokens(stage, keys)
    both = [a + b for a, b in zip(key_frames, token_frames, strict=True)]
    p50, p99 = statistics.median(both), percentile(both, 0.99)
    limit = LIMITS.get(name, (0, 0))
    print(
        f"{name:12} key {statistics.median(key_frames):5.2f}/{percentile(key_frames, 0.99):5.2f}  "
        f"tokens {statistics.median(token_frames):5.2f}/{percentile(token_frames, 0.99):5.2f}  "
        f"sum {p50:5.2f}/{p99:5.2f} (limit {limit[0]}/{limit[1]})  "
        + "  ".join(
            f"{what} {a:5.2f}/{b:5.2f} ({p50 / a:.1f}x/{p99 / b:.1f}x)"
            for what, (a, b) in zip(("bare", "bare+listener"), bare, strict=True)
        ),
        flush=True,
    )
    if name == "10 MB":
        scrolling(stage)
    stage.close()
    gc.unfreeze()


def scrolling(stage: Stage) -> None:
    """Measure wheel, page, resize and Enter in a long text."""
    bar = stage.widget.verticalScrollBar()

    def scroll(lines: int) -> float:
        return stage.timed(lambda: bar.setValue(bar.value() + lines))

    wheel = [scroll(3) for _ in range(60)]
    page = [scroll(bar.pageStep()) for _ in range(40)]
    enter = [stage.timed(lambda: QTest.keyClick(stage.widget, Qt.Key.Key_Return)) for _ in range(20)]
    resize = []
    for step in range(6):
        resize.append(stage.timed(lambda step=step: stage.widget.resize(1200 - 40 * (step + 1), 800)))
    for what, times in (("wheel", wheel), ("page", page), ("Enter", enter), ("resize", resize)):
        print(f"  10 MB {what:7} p50 {statistics.median(times):5.2f}  p99 {percentile(times, 0.99):5.2f}")


def pages(app: QApplication) -> None:
    """Measure a window of 3840 x 2100 that shows more than 20,000 tokens."""
    stage = token_editor(app, dense_text(600, 470), (3840, 2100))
    editor = stage.widget
    assert isinstance(editor, TokenEditor)
    bar = editor.verticalScrollBar()
    visible = 470 // 2 * bar.pageStep()
    page = [stage.timed(lambda: bar.setValue(bar.value() + bar.pageStep() // 2)) for _ in range(8)]
    whole = [stage.timed(lambda: editor.viewport().repaint()) for _ in range(15)]
    print(
        f"page of about {visible} tokens: page {statistics.median(page):5.2f}, repaint {statistics.median(whole):5.2f}"
    )
    stage.close()


def pastes(app: QApplication) -> None:
    """Measure pasting: in one step up to 100 KB, longer texts in slices."""
    for name, size in (("100 KB", 100_000), ("1 MB", 1_000_000), ("1 MB line", -1_000_000), ("10 MB", 10_000_000)):
        text = mixed_text(size) if size > 0 else one_line(-size)
        stage = token_editor(app, mixed_text(20_000))
        editor = stage.widget
        assert isinstance(editor, TokenEditor)
        stage.to_middle()
        slices = [stage.timed(lambda editor=editor, text=text: editor.insertPlainText(text))]
        started = time.perf_counter()
        while editor.is_loading:
            slices.append(stage.timed(lambda: None))
        wall = (time.perf_counter() - started) * 1000
        rest = (
            f", then {len(slices) - 1} slices, worst {max(slices[1:]):5.1f}, {wall:.0f} ms in all" if slices[1:] else ""
        )
        undo = stage.timed(editor.undo)
        print(f"paste {name:10} {slices[0]:6.1f} ms{rest}; undo {undo:.0f}", flush=True)
        stage.close()
    stage = token_editor(app, "")
    editor = stage.widget
    assert isinstance(editor, TokenEditor)
    text = mixed_text(10_000_000)
    slices = [stage.timed(lambda: editor.load_text(text, prepared=True))]
    while editor.is_loading:
        slices.append(stage.timed(lambda: None))
    patch = tokens_of(text)
    applied = stage.timed(lambda: editor.apply_patch(editor.revision, patch))
    print(f"load 10 MB: first {slices[0]:.1f} ms, worst slice {max(slices[1:]):.1f}, {sum(slices):.0f} ms in all;")
    whole = stage.timed(editor.toPlainText)
    print(f"  {len(patch.ids)} tokens put in and painted: {applied:.1f} ms; toPlainText {whole:.0f}")
    stage.close()


def main() -> None:
    """Run the selected measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = {"10k": "10 KB", "1m": "1 MB", "10m": "10 MB", "1ml": "1 MB line", "10ml": "10 MB line"}
    parser.add_argument("--only", nargs="*", choices=[*names, "page", "paste"], help="what to measure; default: all")
    parser.add_argument("--keys", type=int, default=200)
    parser.add_argument("--corpus", type=Path, help="a UTF-8 file to take the text from instead of making one")
    arguments = parser.parse_args()
    wanted = arguments.only or [*names, "page", "paste"]
    let_errors_leave_overrides()  # as in the program
    app = QApplication([])

    def text(size: int, line: bool) -> str:
        if arguments.corpus is None:
            return one_line(size) if line else mixed_text(size)
        found = arguments.corpus.read_bytes()[:size].decode("utf-8", "ignore").replace("\r", "")
        return found.replace("\n", " ") if line else found

    for short, name in names.items():
        if short in wanted:
            size = 10_000 if short == "10k" else 10_000_000 if short.startswith("10m") else 1_000_000
            keystrokes(app, name, text(size, short.endswith("l")), arguments.keys)
    if "page" in wanted:
        pages(app)
    if "paste" in wanted:
        pastes(app)


if __name__ == "__main__":
    main()
