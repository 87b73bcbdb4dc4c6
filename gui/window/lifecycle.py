"""Start, end and failures of a window: notices about restored texts, saving before it closes, release of the clipboard,
and the display of uncaught exceptions."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from gui.look.fonts import fixed_font
from gui.runtime.notify import Offer
from gui.state.session import EARLIER_FILE, Restored
from gui.widgets.forms import Dialog, button_row
from gui.widgets.labels import PlainLabel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMessageBox

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
                Offer(self.tr("Close without saving"), self._close_without_saving),
            ),
        )
        return False

    def _is_unsaved(self) -> bool:
        prompt = self._prompt
        return prompt.origin is not None and prompt.modified and not self._files().is_saving

    def _ask(self) -> None:
        from PySide6.QtWidgets import QMessageBox

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

    def _close_without_saving(self) -> None:
        self._window.close_guard = None
        self._window.close()


def release_clipboard() -> None:
    """Replace Python-owned clipboard data by data that Qt owns.

    A Python object may be destroyed after the interpreter, at the very end of the process, and crash it.
    """
    clipboard = QApplication.clipboard()
    if clipboard.ownsClipboard():
        clipboard.setText(clipboard.text())


# --- uncaught exceptions ----------------------------------------------------------------------------------------------


class CrashDialog(Dialog):
    """Dialog that tells the user that an error occurred and the text is safe, with a report to copy."""

    def __init__(self, report: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("crashDialog")
        self.setWindowTitle(self.tr("Something went wrong"))
        words = PlainLabel(
            self.tr(
                "Tokenloupe hit an internal error. Your text is still here and is autosaved every few seconds. If the "
                "program behaves oddly, save the text and restart. The report below helps to fix the bug; read it "
                "before you share it, as it may quote a few words of your text."
            ),
            self,
        )
        words.setWordWrap(True)
        self._report = QPlainTextEdit(self, objectName="crashReport")
        self._report.setReadOnly(True)
        self._report.setTabChangesFocus(True)
        self._report.setAccessibleName(self.tr("Error report"))
        self._report.setFont(fixed_font())
        self._report.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._report.setPlainText(report)
        buttons = button_row(self, QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton(self.tr("&Copy the report"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._copy)
        column = QVBoxLayout(self)
        column.addWidget(words)
        column.addWidget(self._report, 1)
        column.addWidget(buttons)
        self.resize(720, 440)

    @property
    def report(self) -> str:
        """The displayed text."""
        return self._report.toPlainText()

    def add(self, report: str) -> None:
        """Add another error while the first is still shown."""
        self._report.appendPlainText("\n" + report)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report)


class CrashHook(QObject):
    """Handler of uncaught exceptions of all threads while installed."""

    _caught = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._dialog: CrashDialog | None = None
        self._before: tuple | None = None
        # Queued: errors of other threads must reach the GUI thread, which owns the dialog.
        self._caught.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Install the hooks."""
        self._before = (sys.excepthook, sys.unraisablehook)
        sys.excepthook = self._on_exception
        sys.unraisablehook = self._on_unraisable

    def remove(self) -> None:
        """Restore the hooks from before ``install``."""
        if self._before is not None:
            sys.excepthook, sys.unraisablehook = self._before
            self._before = None

    def _on_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._window.close()
            return
        sys.__excepthook__(kind, error, trace)
        self._caught.emit(report_of(kind, error, trace))

    def _on_unraisable(self, unraisable: object) -> None:
        sys.__unraisablehook__(unraisable)
        error = unraisable.exc_value
        self._caught.emit(report_of(unraisable.exc_type, error, unraisable.exc_traceback))

    @Slot(str)
    def _show(self, report: str) -> None:
        if self._dialog is not None:
            self._dialog.add(report)
            return
        from gui.core.about import version_lines  # 10 ms, not needed at start

        self._dialog = CrashDialog("\n".join([*version_lines(), "", report]), self._window)
        self._dialog.finished.connect(self._on_closed)
        self._dialog.open()

    @Slot()
    def _on_closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None


def report_of(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> str:
    """Return the traceback as text."""
    return "".join(traceback.format_exception(kind, error, trace))
