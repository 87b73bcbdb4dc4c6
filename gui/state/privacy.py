"""What a window may keep of its text: private mode, and removing what was kept before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMessageBox

from gui.core.api_keys import key_sentence
from gui.core.profile_files import remove_saved_texts
from gui.notify import Offer

if TYPE_CHECKING:
    from gui.workbench import Workbench


class Privacy(QObject):
    """The two actions of one window."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench)
        self._bench = bench
        self._box: QMessageBox | None = None

    @Slot(object)
    def point_out_keys(self, places: tuple[str, ...]) -> None:
        """Say that the session keeps a text with API keys, and offer not to keep it."""
        words = self.tr("{keys} The session keeps it in your profile. Private mode keeps nothing.")
        self._bench.notifier.warning(
            words.format(keys=key_sentence(self.tr("The text"), places)),
            key="session-keys",
            offers=(Offer(self.tr("Go private and remove the text"), self._go_private_and_forget),),
        )

    def _go_private_and_forget(self) -> None:
        self._bench.notifier.withdraw("session-keys")
        self._bench.keeper.go_private(forget=True)
        self._bench.show_title()
        self._bench.notifier.information(self.tr("Nothing of this window is kept any more."), key="private")

    @Slot()
    def go_private(self) -> None:
        """Keep nothing more of this window. What was kept before stays until it is removed."""
        if self._bench.slot.folder is None:
            return
        self._bench.keeper.go_private()
        self._bench.show_title()
        words = self.tr("Nothing more of this window is kept. “Remove saved texts…” removes what was kept before.")
        self._bench.notifier.information(words, key="private")

    @Slot()
    def ask_to_remove(self) -> None:
        """Ask, then remove all texts that the profile keeps."""
        self._box = box = QMessageBox(self._bench.window)
        box.setObjectName("removeTextsQuestion")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setText(self.tr("Remove all texts that this profile keeps?"))
        box.setInformativeText(
            self.tr(
                "Sessions, versions of prompts and texts of the Lab are removed and cannot be brought back. "
                "Texts of open windows stay in those windows. Settings, prices and tokenizers stay."
            )
        )
        box.setStandardButtons(QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        box.finished.connect(self._on_answer)
        box.open()

    @Slot(int)
    def _on_answer(self, answer: int) -> None:
        if self._box is not None:
            self._box.deleteLater()
            self._box = None
        if answer == QMessageBox.StandardButton.Yes:
            self.remove()

    def remove(self) -> None:
        """Remove all texts that the profile keeps, but for sessions that other windows have open."""
        problems = remove_saved_texts(self._bench.paths, self._bench.slot.removable())
        if problems:
            self._bench.notifier.warning(self.tr("Some could not be removed: {what}").format(what="; ".join(problems)))
        else:
            self._bench.notifier.information(self.tr("The saved texts are removed."), key="removed-texts")
