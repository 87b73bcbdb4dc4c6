"""Lets a window close when everything in it is saved, and says why not where that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gui.notify import Offer

if TYPE_CHECKING:
    from gui.workbench import Workbench


class Closing(QObject):
    """The guard of one window."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench)
        self._bench = bench
        bench.window.close_guard = self.may_close

    def may_close(self) -> bool:
        """Save everything; False, and a message, where that fails."""
        bench = self._bench
        why = bench.files.finish() or bench.keeper.close()
        if not why:
            return True
        bench.notifier.error(
            self.tr("The text could not be saved, so the window stays open: {why}.").format(why=why),
            key="closing",
            offers=(
                Offer(self.tr("Try again"), self._close),
                Offer(self.tr("Save text as…"), bench.files.choose_target),
                Offer(self.tr("Close without saving"), self._close_anyway),
            ),
        )
        return False

    def _close(self) -> None:
        self._bench.window.close()

    def _close_anyway(self) -> None:
        self._bench.window.close_guard = None
        self._bench.window.close()
