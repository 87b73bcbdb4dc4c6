"""Gives memory back to the system after a big text came or went.

Counting ten megabytes in half a dozen encodings takes buffers of a hundred megabytes for a moment. The C library keeps
what it was given back, for the next time; glibc can be asked to let go of it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

if TYPE_CHECKING:
    from gui.jobs import JobRunner, Ticket
    from gui.prompt import Prompt
    from gui.services.live_text import PromptCounts

NOTABLE_UNITS = 1_000_000
"""By how many UTF-16 units a text must grow or shrink to be worth the effort."""

AFTERMATH_MS = 8000
"""When to ask once more: by then the session has been saved, which takes a copy or two of the text for a moment."""


def return_memory(_request: object, _ticket: Ticket) -> bool:
    """Ask the C library to hand its free memory back. False where it cannot be asked."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    library = ctypes.CDLL(None)  # calls release the interpreter: the window does not wait
    if not hasattr(library, "malloc_trim"):  # musl has none, and keeps less
        return False
    library.malloc_trim(0)
    return True


class MemoryReturn(QObject):
    """Watches the size of the text, and returns memory once a big change has been counted."""

    def __init__(self, prompt: Prompt, runner: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._lane = runner.conflated(self.tr("Returning memory"), return_memory)
        self._units = 0
        self._aftermath = QTimer(self, singleShot=True, interval=AFTERMATH_MS)
        self._aftermath.timeout.connect(self.begin)
        prompt.counted.connect(self._on_counted)

    @Slot(object)
    def _on_counted(self, counts: PromptCounts) -> None:
        units = counts.statistics.utf16_units
        if counts.complete and abs(units - self._units) > NOTABLE_UNITS:
            self._units = units
            self.begin()
            self._aftermath.start()

    @Slot()
    def begin(self) -> None:
        """Return memory now."""
        self._lane.submit(self._units)
