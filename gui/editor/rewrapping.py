"""Lets Qt wrap a text of many paragraphs anew without stopping the window.

At a change of the width Qt goes through all paragraphs at once and asks each for its layout, which it makes where there
is none yet: 365 bytes and a microsecond a paragraph, which are a third of a second for a text of 270,000 lines that has
just come in. Those that have one take a fifth of that. So the layouts are made before, in many turns of the event loop,
and the text keeps its old width until they are there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QTextDocument

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
