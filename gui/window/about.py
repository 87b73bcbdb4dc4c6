"""About the program: its version, and the texts of all licences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from gui.core.about import version_lines
from gui.core.licences import overview
from gui.core.paths import ProfilePaths
from gui.look.fonts import fixed_font, set_weight
from gui.look.plain_label import PlainLabel
from gui.widgets.dialog_buttons import button_row
from gui.widgets.layouts import PageTabs

if TYPE_CHECKING:
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket


class LicenceReading(QObject):
    """Signals: ``read(str)``: all of it as one text, or a sentence on why there is none."""

    read = Signal(str)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.conflated(self.tr("Reading the licences"), _read)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    @Slot()
    def ask(self) -> None:
        """Read them, soon."""
        self._lane.submit(None)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.read.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.read.emit(self.tr("Could not read the licences: {why}").format(why=failure.why))


def _read(_request: None, ticket: Ticket) -> str:
    """On a worker thread."""
    return overview(ticket.give_way)


class AboutDialog(QDialog):
    """Name, licence, versions, folders; all of it can be copied."""

    def __init__(
        self, paths: ProfilePaths, encoder: str, licences: LicenceReading | None, parent: QWidget | None = None
    ) -> None:
        """``encoder``: which one counts, in words; empty before any does. ``licences``: None before they can be
        read."""
        super().__init__(parent)
        self._reading = licences
        self.setObjectName("aboutDialog")
        self.setWindowTitle(self.tr("About Tokenloupe"))
        title = PlainLabel("Tokenloupe", self)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.6)
        set_weight(font)
        title.setFont(font)
        words = QLabel(
            self.tr(
                "See the tokens of a prompt and what they cost. Works offline: nothing you type leaves this computer. "
                "Free software under the MIT licence; bundled components have their own licences."
            ),
            self,
        )
        words.setWordWrap(True)
        words.setTextFormat(Qt.TextFormat.PlainText)
        self._pages = PageTabs("aboutPages", self.tr("Facts and licences"), self)
        self._facts = self._add_page(self.tr("Versions and folders"))
        self._licences = self._add_page(self.tr("Licences"))
        self._licences.setFont(fixed_font())
        self._pages.setTabEnabled(self._pages.indexOf(self._licences), licences is not None)
        if licences is not None:
            licences.read.connect(self._licences.setPlainText)
            self._pages.currentChanged.connect(self._on_page)
        folders = [
            self.tr("Settings and prices: {folder}").format(folder=paths.config),
            self.tr("Session: {folder}").format(folder=paths.sessions),
            self.tr("Caches: {folder}").format(folder=paths.cache),
        ]
        counting = [self.tr("Encoder: {encoder}").format(encoder=encoder), ""] if encoder else []
        self._facts.setPlainText("\n".join([*version_lines(), "", *counting, *folders]))
        buttons = button_row(self, QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton(self.tr("&Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.setAutoDefault(False)
        copy.clicked.connect(self._copy)
        column = QVBoxLayout(self)
        column.addWidget(title)
        column.addWidget(words)
        column.addWidget(self._pages, 1)
        column.addWidget(buttons)
        self.resize(640, 460)

    def _add_page(self, title: str) -> QPlainTextEdit:
        page = QPlainTextEdit(self)
        page.setReadOnly(True)
        page.setTabChangesFocus(True)
        page.setAccessibleName(title)
        self._pages.addTab(page, title)
        return page

    @Slot()
    def _on_page(self) -> None:
        if self._pages.currentWidget() is self._licences and self._licences.document().isEmpty():
            self._licences.setPlainText(self.tr("Loading…"))
            assert self._reading is not None
            self._reading.ask()

    @Slot()
    def _copy(self) -> None:
        page = self._pages.currentWidget()
        assert isinstance(page, QPlainTextEdit)
        QGuiApplication.clipboard().setText(page.toPlainText())
