"""A text widget that accepts pasted and dropped content, and rewraps long texts without blocking the window.

When the width changes, Qt visits all paragraphs at once and creates missing layouts: 365 bytes and a microsecond per
paragraph, a third of a second for a new text of 270,000 lines. Paragraphs that have a layout take a fifth of that. So
the layouts are created beforehand, over many turns of the event loop, and the text keeps its old width until then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from time import perf_counter

from PySide6.QtCore import QMimeData, QObject, QSize, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QResizeEvent, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QWidget

_TEXT = ("text/plain;charset=utf-8", "text/plain")
"""In the order in which ``QMimeData.text`` tries them."""


def mime_utf8(source: QMimeData) -> memoryview:
    """Return the offered text as UTF-8; empty if there is none.

    ``QMimeData.text`` would create a Qt string and a Python string of ten megabytes, in 26 ms; this takes 7, and
    decoding can be deferred. Qt has already converted other encodings.
    """
    return next((memoryview(data) for data in map(source.data, _TEXT) if data.size()), memoryview(b""))


def local_files(source: QMimeData) -> list[str]:
    """Return the paths of local files, if only local files are offered."""
    urls = source.urls() if source.hasUrls() else []
    return [url.toLocalFile() for url in urls] if urls and all(url.isLocalFile() for url in urls) else []


MANY_NEW = 10_000
"""Number of paragraphs without layout from which layouts are created beforehand. Qt creates this many in 10 ms."""

_TURN_SECONDS = 0.005
_AT_ONCE = 200  # paragraphs between two checks of the clock


class Rewrapping(QObject):
    """Deferred rewrapping: tracks how many paragraphs may lack a layout, and queues actions that need all layouts."""

    def __init__(self, document: QTextDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._count = self._new = document.blockCount()
        self._next = 0
        self._acts: deque[Callable[[], object]] = deque()
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._go_on)
        document.blockCountChanged.connect(self._on_count)

    @property
    def is_much(self) -> bool:
        """True if rewrapping everything would take too long for one turn, or is already pending."""
        return self._new > MANY_NEW or self.waits

    @property
    def waits(self) -> bool:
        """True if an action is pending."""
        return bool(self._acts)

    def when_ready(self, act: Callable[[], object]) -> None:
        """Run an action that rewraps all paragraphs once each has a layout; a pending action is not queued twice."""
        if act not in self._acts:
            self._acts.append(act)
        if not self._timer.isActive():
            self._next = 0
            self._timer.start()

    @Slot(int)
    def _on_count(self, count: int) -> None:
        self._new = min(count, self._new + max(0, count - self._count))
        self._count = count

    @Slot()
    def _go_on(self) -> None:
        if not self._make_layouts():
            self._timer.start()
            return
        self._new = 0
        act = self._acts.popleft()
        if self._acts:
            self._timer.start()
        act()

    def _make_layouts(self) -> bool:
        """Create the next layouts. Return True if all exist; new paragraphs may have been added meanwhile."""
        if not self._new:
            return True
        until = perf_counter() + _TURN_SECONDS
        block = self._document.findBlockByNumber(self._next)
        while block.isValid() and perf_counter() < until:
            for _ in range(_AT_ONCE):
                block.layout()
                self._next += 1
                block = block.next()
                if not block.isValid():
                    return True
        return not block.isValid()


class PlainLook(QPlainTextEdit):
    """A text widget that can be rewrapped; with many paragraphs, this is deferred."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rewrapping = Rewrapping(self.document(), self)

    def set_word_wrap(self, wrap: bool) -> None:
        """Wrap long lines at the window's edge, or scroll horizontally."""
        mode = self.LineWrapMode
        act = partial(self.setLineWrapMode, mode.WidgetWidth if wrap else mode.NoWrap)
        if self._rewrapping.is_much:
            self._rewrapping.when_ready(act)
        else:
            act()

    def resizeEvent(self, event: QResizeEvent) -> None:
        is_wider_or_narrower = event.size().width() != event.oldSize().width()
        if self._rewrapping.waits or (is_wider_or_narrower and self._rewrapping.is_much):
            # Defers the height too: Qt would let a view narrower than its text scroll horizontally.
            self._rewrapping.when_ready(self._take_size)
        else:
            super().resizeEvent(event)

    def _take_size(self) -> None:
        super().resizeEvent(QResizeEvent(self.viewport().size(), QSize()))


class DropTextEdit(PlainLook):
    """Text widget that separates dropped or pasted files from text. Subclasses insert the text."""

    files_dropped = Signal(list)
    """Emitted with local paths (list[str]) that were dropped or pasted."""

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or bool(local_files(source))

    def insertFromMimeData(self, source: QMimeData) -> None:
        files = local_files(source)
        if files:
            self.files_dropped.emit(files)
        elif not self.isReadOnly() and source.hasText():  # offers without text, such as images, are ignored
            self._insert_offered(source)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if local_files(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        files = local_files(event.mimeData())
        if files:
            event.acceptProposedAction()
            self.files_dropped.emit(files)
        elif event.mimeData().hasText() and not self.isReadOnly():
            self._drop_text(event)
        # Removes the drop indicator and stops scrolling at the edges.
        super().dragLeaveEvent(QDragLeaveEvent())

    # For subclasses

    def _insert_offered(self, source: QMimeData) -> None:
        """Insert the text of a clipboard or drag."""
        raise NotImplementedError

    def _drop_text(self, event: QDropEvent) -> None:
        """Insert or move dropped text."""
        raise NotImplementedError
