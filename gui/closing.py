"""Lets a window close when everything in it is saved, and says why not where that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Slot
from PySide6.QtWidgets import QMessageBox

from gui.notify import Offer

if TYPE_CHECKING:
    from gui.workbench import Workbench


class Closing(QObject):
    """The guard of one window.

    A user who closes the window is asked about changes that the file in the editor does not have. A script that calls
    ``close`` is not: the session keeps them.
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench)
        self._bench = bench
        self._box: QMessageBox | None = None
        bench.window.close_guard = self.may_close
        bench.window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_by_user = watched is self._bench.window and event.type() == QEvent.Type.Close and event.spontaneous()
        if not is_by_user or not self._is_unsaved():
            return False
        event.ignore()
        self._ask()
        return True

    @Slot()
    def quit(self) -> None:
        """Close the window, as its user wants."""
        if self._is_unsaved():
            self._ask()
        else:
            self._close()

    def may_close(self) -> bool:
        """Save everything; False, and a message, where that fails."""
        bench = self._bench
        why = bench.files.finish() or bench.keeper.close()
        if not why:
            return True
        bench.notifier.error(
            self.tr("Could not save the text, so the window stays open: {why}.").format(why=why),
            key="closing",
            offers=(
                Offer(self.tr("Try again"), self._close),
                Offer(self.tr("Save as…"), bench.files.choose_target),
                Offer(self.tr("Close without saving"), self._close_anyway),
            ),
        )
        return False

    def _is_unsaved(self) -> bool:
        prompt = self._bench.prompt
        return prompt.origin is not None and prompt.modified and not self._bench.files.is_saving

    def _ask(self) -> None:
        if self._box is not None:
            self._box.raise_()
            return
        bench, origin = self._bench, self._bench.prompt.origin
        assert origin is not None
        self._box = box = QMessageBox(bench.window)
        box.setObjectName("unsavedQuestion")
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(self.tr("Save the changes to {name}?").format(name=bench.prompt.name))
        is_kept = bench.slot.folder is not None and bench.settings.values.restore_session
        box.setInformativeText(
            self.tr("If you do not save, the file stays as it is. The session keeps your text.")
            if is_kept
            else self.tr("If you do not save, the changes are lost.")
        )
        save = box.addButton(self.tr("&Save"), QMessageBox.ButtonRole.AcceptRole)
        discard = box.addButton(self.tr("Do&n't save"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(save)
        save.clicked.connect(self._save_and_close)
        discard.clicked.connect(self._close)
        box.finished.connect(self._on_answered)
        box.open()

    @Slot()
    def _on_answered(self) -> None:
        if self._box is not None:
            self._box.deleteLater()
            self._box = None

    @Slot()
    def _save_and_close(self) -> None:
        self._bench.files.save()
        self._close()

    @Slot()
    def _close(self) -> None:
        self._bench.window.close()

    def _close_anyway(self) -> None:
        self._bench.window.close_guard = None
        self._bench.window.close()
