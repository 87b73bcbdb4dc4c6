"""Progress bars."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QWidget


class ProgressBar(QProgressBar):
    """``setValue`` and ``setRange`` of Qt paint at once, and with the bar whatever else of the window waits for that.

    Where a page has just come to the front that is the whole page, which is then painted again for what follows.
    """

    def setValue(self, value: int) -> None:
        if value != self.value():
            with self._painted_later():
                super().setValue(value)

    def setRange(self, minimum: int, maximum: int) -> None:
        if (minimum, maximum) != (self.minimum(), self.maximum()):
            with self._painted_later():
                super().setRange(minimum, maximum)

    @contextmanager
    def _painted_later(self) -> Iterator[None]:
        self.setUpdatesEnabled(False)
        try:
            yield
        finally:
            self.setUpdatesEnabled(True)


class ReachableProgressBar(ProgressBar):
    """A progress bar that the Tab key reaches, so that it is read out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
