"""A text widget that takes what is pasted and dropped, and wraps long lines without stopping the window.

At a change of the width Qt goes through all paragraphs at once and asks each for its layout, which it makes where there
is none yet: 365 bytes and a microsecond a paragraph, which are a third of a second for a text of 270,000 lines that has
just come in. Those that have one take a fifth of that. So the layouts are made before, in many turns of the event loop,
and the text keeps its old width until they are there.
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
"""In the order in which ``QMimeData.text`` asks for them."""


def mime_utf8(source: QMimeData) -> memoryview:
    """The text that is offered, in UTF-8; empty without any.

    ``QMimeData.text`` would make a string for Qt of ten megabytes and a second one for Python, in 26 ms; this takes 7,
    and what is read of it is decoded when it is wanted. What is no UTF-8 Qt has converted.
    """
    return next((memoryview(data) for data in map(source.data, _TEXT) if data.size()), memoryview(b""))


def local_files(source: QMimeData) -> list[str]:
    """Paths of local files, if all that is offered are such."""
    urls = source.urls() if source.hasUrls() else []
    return [url.toLocalFile() for url in urls] if urls and all(url.isLocalFile() for url in urls) else []


MANY_NEW = 10_000
"""From so many paragraphs on that may have no layout yet, these are made before. Qt makes as many in some 10 ms."""

_TURN_SECONDS = 0.005
_AT_ONCE = 200  # between two looks at the clock


class Rewrapping(QObject):
    """Knows how many paragraphs of a document may have no layout, and does what needs them when all have one."""

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
        """Whether wrapping all anew is too much for one turn, or waits already."""
        return self._new > MANY_NEW or self.waits

    @property
    def waits(self) -> bool:
        """Whether something waits for it."""
        return bool(self._acts)

    def when_ready(self, act: Callable[[], object]) -> None:
        """Do what wraps all paragraphs anew, as soon as each has a layout; an act that waits already is done once."""
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
        """Make those of the next paragraphs. Whether all have one; new ones may have come among them meanwhile."""
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
    """A text widget that can be told so. One with many paragraphs does so a moment later."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rewrapping = Rewrapping(self.document(), self)

    def set_word_wrap(self, wrap: bool) -> None:
        """Wrap long lines at the edge of the window, or let it scroll sideways."""
        mode = self.LineWrapMode
        act = partial(self.setLineWrapMode, mode.WidgetWidth if wrap else mode.NoWrap)
        if self._rewrapping.is_much:
            self._rewrapping.when_ready(act)
        else:
            act()

    def resizeEvent(self, event: QResizeEvent) -> None:
        is_wider_or_narrower = event.size().width() != event.oldSize().width()
        if self._rewrapping.waits or (is_wider_or_narrower and self._rewrapping.is_much):
            # The height as well: Qt would let a view that is too narrow for its text scroll sideways.
            self._rewrapping.when_ready(self._take_size)
        else:
            super().resizeEvent(event)

    def _take_size(self) -> None:
        super().resizeEvent(QResizeEvent(self.viewport().size(), QSize()))


class DropTextEdit(PlainLook):
    """Tells files from text. Subclasses put the text in."""

    files_dropped = Signal(list)
    """Local paths, list[str], that were dropped or pasted."""

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or bool(local_files(source))

    def insertFromMimeData(self, source: QMimeData) -> None:
        files = local_files(source)
        if files:
            self.files_dropped.emit(files)
        elif not self.isReadOnly() and source.hasText():  # a picture takes no place of text
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
        # Takes away the caret that showed where the drop would go, and stops scrolling at the edges.
        super().dragLeaveEvent(QDragLeaveEvent())

    # For subclasses

    def _insert_offered(self, source: QMimeData) -> None:
        """Put in the text that a clipboard or a drag offers."""
        raise NotImplementedError

    def _drop_text(self, event: QDropEvent) -> None:
        """Insert or move the text that is dropped."""
        raise NotImplementedError
