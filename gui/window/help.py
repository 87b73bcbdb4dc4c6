"""The guide (F1), which explains each page and the quality dots, and the About dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.core.about import overview, version_lines
from gui.core.figures import ASSUMED, ESTIMATED, EXACT
from gui.core.paths import ProfilePaths
from gui.costs.cells import dot_colour, draw_dot
from gui.look.fonts import fixed_font, set_weight
from gui.look.plain_text import PlainLabel
from gui.look.theme import Theme
from gui.widgets.forms import button_row
from gui.widgets.layouts import PageTabs

if TYPE_CHECKING:
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket

HEADING_PIXELS = 15


class Dot(QWidget):
    """The dot of one count quality."""

    def __init__(self, theme: Theme, quality: str, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._quality = theme, quality
        self.setAccessibleName(words)
        self.setFixedSize(QSize(20, 20))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            draw_dot(painter, QPointF(10, 10), self._quality, dot_colour(self._theme, self._quality))


class Guide(QDialog):
    """A scrollable page. ``show_dots`` scrolls to the explanation of the dots."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("guide")
        self.setWindowTitle(self.tr("Guide"))
        page = QWidget(self)
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(24, 16, 24, 24)
        self._column.setSpacing(6)
        for heading, text in self._sections():
            self._add_section(heading, text)
        self._dots = self._add_section(
            self.tr("What do the dots mean?"),
            self.tr("The shape and colour of the dot show how reliable each count is."),
        )
        for quality, words in self._qualities():
            self._add_dot(quality, words)
        self._column.addStretch(1)
        self.scroll = QScrollArea(self)
        self.scroll.setObjectName("guideText")
        self.scroll.setAccessibleName(self.tr("Guide"))
        self.scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scroll.setWidgetResizable(True)
        self.scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll.setWidget(page)
        column = QVBoxLayout(self)
        column.addWidget(self.scroll, 1)
        column.addWidget(button_row(self, QDialogButtonBox.StandardButton.Close))
        self.resize(620, 560)

    def show_dots(self) -> None:
        """Scroll to the explanation of the dots."""
        self.layout().activate()
        self.scroll.widget().layout().activate()
        bar = self.scroll.verticalScrollBar()
        bar.setRange(0, max(bar.maximum(), self.scroll.widget().sizeHint().height() - self.scroll.viewport().height()))
        bar.setValue(self._dots.y() - 8)

    def _sections(self) -> tuple[tuple[str, str], ...]:
        return (
            (
                self.tr("Prompt"),
                self.tr(
                    "Paste or open a text. Every token is coloured; the header shows their number, the cost of one "
                    "call, and the share of the context window. Chat counts whole requests with messages, tools and "
                    "images. Compare shows one text in several encodings. Savings finds edits that save tokens. "
                    "Versions saves and compares copies of the prompt."
                ),
            ),
            (
                self.tr("One model"),
                self.tr(
                    "The model in the header sets the figures for a single model on every page. Choose “Encoding "
                    "only” to count without a model."
                ),
            ),
            (
                self.tr("Cost"),
                self.tr(
                    "Models compares the cost of all models for one scenario: output, cache, calls and budget. "
                    "Conversation adds up a chat of many turns. Prices holds your own prices, which replace the "
                    "built-in ones field by field."
                ),
            ),
            (
                self.tr("Files"),
                self.tr("Drop a folder to count its files and choose what fits into the context window."),
            ),
            (
                self.tr("Tokenizers"),
                self.tr(
                    "Train a tokenizer on your own texts, search the vocabulary of an encoding, and follow how a word "
                    "is merged step by step."
                ),
            ),
            (
                self.tr("Lab"),
                self.tr("Small experiments on tokens: change their text, run them, and compare with what is expected."),
            ),
            (
                self.tr("Find anything"),
                self.tr(
                    "Ctrl+K searches models, encodings, pages, recent files and the text. Start with > for commands, "
                    "# for a token ID, @ for models, / for recent files. F6 moves from region to region."
                ),
            ),
            (
                self.tr("Offline"),
                self.tr("Everything happens on this computer. Tokenloupe never uses the network."),
            ),
        )

    def _qualities(self) -> tuple[tuple[str, str], ...]:
        return (
            (EXACT, self.tr("Exact: counted with the tokenizer that the provider publishes, or by the provider.")),
            (
                ESTIMATED,
                self.tr(
                    "Range: the provider publishes no tokenizer. Measured ratios give the lowest and the highest count."
                ),
            ),
            (
                ASSUMED,
                self.tr("Assumed: very likely the right tokenizer or rule, but the provider does not confirm it."),
            ),
        )

    def _add_section(self, heading: str, text: str) -> PlainLabel:
        title = PlainLabel(heading, self)
        title.setProperty("role", "section")
        font = QFont(title.font())
        font.setPixelSize(HEADING_PIXELS)
        set_weight(font)
        title.setFont(font)
        body = PlainLabel(text, self)
        body.setWordWrap(True)
        self._column.addSpacing(8)
        self._column.addWidget(title)
        self._column.addWidget(body)
        return title

    def _add_dot(self, quality: str, words: str) -> None:
        label = PlainLabel(words, self)
        label.setWordWrap(True)
        row = QHBoxLayout()
        row.addWidget(Dot(self._theme, quality, words, self), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(label, 1)
        self._column.addLayout(row)


# --- about the program ------------------------------------------------------------------------------------------------


class LicenceReading(QObject):
    """Background reading of the licences. Signals: ``read(str)`` with the text, or a sentence on why it failed."""

    read = Signal(str)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.conflated(self.tr("Reading the licences"), _read)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    @Slot()
    def ask(self) -> None:
        """Start reading."""
        self._lane.submit(None)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self.read.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.read.emit(self.tr("Could not read the licences: {why}").format(why=failure.why))


def _read(_request: None, ticket: Ticket) -> str:
    """Return the licence overview. On a worker thread."""
    return overview(ticket.yield_to_gui)


class AboutDialog(QDialog):
    """Name, licence, versions and folders, which can be copied."""

    def __init__(
        self, paths: ProfilePaths, encoder: str, licences: LicenceReading | None, parent: QWidget | None = None
    ) -> None:
        """``encoder``: describes the active encoder; empty before there is one. ``licences``: None before it can
        run."""
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
