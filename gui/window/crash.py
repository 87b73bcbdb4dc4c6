"""Last resort for uncaught errors: shows a full report, while the window stays open with its text.

Expected errors are reported as sentences through ``gui.runtime.notify``; only bugs end here.
"""

from __future__ import annotations

import sys
import traceback
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from gui.core.about import version_lines
from gui.look.fonts import fixed_font
from gui.look.plain_text import PlainLabel
from gui.widgets.forms import button_row


class CrashDialog(QDialog):
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
        self._report = QPlainTextEdit(self)
        self._report.setObjectName("crashReport")
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
