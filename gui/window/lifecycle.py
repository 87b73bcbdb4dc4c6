"""Start and end of a window: report of restored texts, saving before it closes, and release of the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Slot
from PySide6.QtWidgets import QApplication, QMessageBox

from gui.runtime.notify import Offer
from gui.state.session import EARLIER_FILE, Restored

if TYPE_CHECKING:
    from gui.prompt.file_actions import FileActions
    from gui.prompt.prompt import Prompt
    from gui.runtime.notify import Notifier
    from gui.state.session_slot import SessionSlot
    from gui.state.settings import SettingsStore
    from gui.window.main_window import MainWindow
    from gui.window.session_keeper import SessionKeeper


class StartReport(QObject):
    """Notices at startup."""

    def __init__(
        self,
        restored: Restored,
        save_aside: bool,
        slot: SessionSlot,
        keeper: SessionKeeper,
        settings: SettingsStore,
        notifier: Notifier,
        files: Callable[[], FileActions],
    ) -> None:
        """``save_aside``: the last text was set aside, because the user wants windows to start empty."""
        super().__init__(keeper)
        self._restored, self._put_by, self._slot, self._keeper = restored, save_aside, slot, keeper
        self._settings, self._notifier, self._files = settings, notifier, files
        keeper.fetched.connect(self._on_fetched)

    def tell(self) -> None:
        """Show all notices that apply."""
        restored = self._restored
        if restored.crashed and (restored.text or restored.text_bytes) and not self._files().expected:
            self._notifier.information(
                self.tr("Tokenloupe closed unexpectedly. Your text is restored, up to the last few seconds.")
            )
        for problem in filter(None, (self._settings.problem, *restored.problems)):
            self._notifier.warning(problem)
        slot = self._slot
        if slot.folder is None:
            self._notifier.warning(self.tr("This window cannot save its session: {why}.").format(why=slot.why_not))
            return
        self._offer_earlier_texts()
        if slot.number > 1 and slot.newer is None:
            self._notifier.information(
                self.tr(
                    "Tokenloupe is already open with this profile. This window keeps its own session; settings are "
                    "shared."
                )
            )

    def _offer_earlier_texts(self) -> None:
        """Offer texts that are on disk but not in the window: of the last session, and of closed windows."""
        keeper, slot = self._keeper, self._slot
        assert slot.folder is not None
        if self._put_by:
            earlier = slot.folder / EARLIER_FILE
            self._offer_text(
                self.tr("The last text was saved."),
                "earlier",
                lambda: keeper.fetch(earlier, self._restored.state),
            )
        for folder in slot.orphans():
            if slot.was_closed(folder):
                text = self.tr("Another window was closed with unsaved text. The text was kept.")
            else:
                text = self.tr("Another window closed unexpectedly. Its text was saved.")
            discard = partial(keeper.discard_orphan, folder)
            self._offer_text(text, f"orphan-{folder.name}", partial(keeper.fetch_orphan, folder), discard)

    def _offer_text(
        self, text: str, key: str, fetch: Callable[[], None], discard: Callable[[], None] | None = None
    ) -> None:
        notifier = self._notifier

        def offer(words: str, act: Callable[[], None]) -> Offer:
            def take() -> None:
                notifier.withdraw(key)
                act()

            return Offer(words, take)

        offers = [offer(self.tr("Show that text"), fetch)]
        if discard is not None:
            offers.append(offer(self.tr("Discard it"), discard))
        notifier.information(text, key=key, offers=tuple(offers))

    @Slot(object)
    def _on_fetched(self, show: Callable[[], None]) -> None:
        self._files().show_instead(self.tr("The earlier text"), show)


class Closing(QObject):
    """Close guard of a window.

    If the user closes the window with unsaved changes to a file, a question is shown. A script that calls ``close`` is
    not asked: the session saves the changes.
    """

    def __init__(
        self,
        window: MainWindow,
        prompt: Prompt,
        settings: SettingsStore,
        keeper: SessionKeeper,
        notifier: Notifier,
        files: Callable[[], FileActions],
    ) -> None:
        super().__init__(keeper)
        self._window, self._prompt, self._settings, self._keeper = window, prompt, settings, keeper
        self._notifier, self._files = notifier, files
        self._box: QMessageBox | None = None
        window.close_guard = self.may_close
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_by_user = watched is self._window and event.type() == QEvent.Type.Close and event.spontaneous()
        if not is_by_user or not self._is_unsaved():
            return False
        event.ignore()
        self._ask()
        return True

    @Slot()
    def quit(self) -> None:
        """Close the window at the user's request."""
        if self._is_unsaved():
            self._ask()
        else:
            self._close()

    def may_close(self) -> bool:
        """Save everything; return False and show a message if that fails."""
        why = self._files().finish() or self._keeper.close()
        if not why:
            return True
        self._notifier.error(
            self.tr("Could not save the text, so the window stays open: {why}.").format(why=why),
            key="closing",
            offers=(
                Offer(self.tr("Try again"), self._close),
                Offer(self.tr("Save as…"), self._files().choose_target),
                Offer(self.tr("Close without saving"), self._close_anyway),
            ),
        )
        return False

    def _is_unsaved(self) -> bool:
        prompt = self._prompt
        return prompt.origin is not None and prompt.modified and not self._files().is_saving

    def _ask(self) -> None:
        if self._box is not None:
            self._box.raise_()
            return
        origin = self._prompt.origin
        assert origin is not None
        self._box = box = QMessageBox(self._window)
        box.setObjectName("unsavedQuestion")
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(self.tr("Save the changes to {name}?").format(name=self._prompt.name))
        is_kept = self._keeper.folder is not None and self._settings.values.restore_session
        box.setInformativeText(
            self.tr("If you do not save, the file is not changed. The session keeps your text.")
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
        self._files().save()
        self._close()

    @Slot()
    def _close(self) -> None:
        self._window.close()

    def _close_anyway(self) -> None:
        self._window.close_guard = None
        self._window.close()


def release_clipboard() -> None:
    """Replace Python-owned clipboard data by data that Qt owns.

    A Python object may be destroyed after the interpreter, at the very end of the process, and crash it.
    """
    clipboard = QApplication.clipboard()
    if clipboard.ownsClipboard():
        clipboard.setText(clipboard.text())
