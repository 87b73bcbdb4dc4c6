"""The guide (F1), which explains each page and the quality dots, and the About dialog."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from gui.core.about import (
    folder_size,
    our_version,
    overview,
    package_versions,
    python_version,
    system_name,
    version_lines,
)
from gui.core.figures import ASSUMED, ESTIMATED, EXACT
from gui.core.profile_files import ProfilePaths
from gui.costs.cost_table import dot_colour, draw_dot
from gui.look.fonts import fixed_font, set_weight
from gui.look.icons import Icons
from gui.look.quantities import TrainingText
from gui.look.style_sheet import give_role
from gui.look.theme import Theme
from gui.widgets.forms import Dialog, button_row
from gui.widgets.labels import PlainLabel
from gui.widgets.tool_row import segments

if TYPE_CHECKING:
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket

HEADING_PIXELS = 15
ICON = QSize(56, 56)
"""Size of the program's icon in the About dialog."""


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


class Guide(Dialog):
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
        self.scroll = QScrollArea(self, objectName="guideText")
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
        title = PlainLabel(heading, self, role="section")
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


class AboutReading(QObject):
    """Background reading for the About dialog.

    Signals: ``licences_read(str)`` with their text, or a sentence on why it failed; ``cache_measured(object)`` with the
    size of the cache folder in bytes, None if it is unknown.
    """

    licences_read = Signal(str)
    cache_measured = Signal(object)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._licences = runner.conflated(self.tr("Reading the licences"), _read)
        self._licences.finished.connect(self._on_read)
        self._licences.failed.connect(self._on_failed)
        self._cache = runner.background(self.tr("Measuring the cache folder"), _measure)
        self._cache.finished.connect(self._on_measured)
        self._cache.failed.connect(self._on_not_measured)

    def read_licences(self) -> None:
        """Start reading the licences."""
        self._licences.submit(None)

    def measure(self, folder: Path) -> None:
        """Start measuring the cache folder."""
        self._cache.submit(folder)

    @Slot(object)
    def _on_read(self, result: JobResult) -> None:
        self.licences_read.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.licences_read.emit(self.tr("Could not read the licences: {why}").format(why=failure.why))

    @Slot(object)
    def _on_measured(self, result: JobResult) -> None:
        self.cache_measured.emit(result.value)

    @Slot(object)
    def _on_not_measured(self, _failure: JobFailure) -> None:
        self.cache_measured.emit(None)


def _read(_request: None, ticket: Ticket) -> str:
    """Return the licence overview. On a worker thread."""
    return overview(ticket.yield_to_gui)


def _measure(folder: Path, ticket: Ticket) -> int:
    """Return the size of a folder in bytes. On a worker thread."""
    return folder_size(folder, partial(ticket.progress, -1.0))


class FactRows(QScrollArea):
    """Rows of a name and a value that can be selected; paths are in the fixed font."""

    def __init__(self, spoken: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("aboutFacts")
        self.setAccessibleName(spoken)
        self.setWidgetResizable(True)
        self._values: dict[str, QLabel] = {}
        rows = QWidget(self)
        self._grid = QGridLayout(rows)
        self._grid.setContentsMargins(0, 4, 8, 4)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self.setWidget(rows)

    def add(self, name: str, value: str, *, path: bool = False) -> QLabel:
        """Add a row and return the label of its value. A path is also selected by keyboard."""
        row = self._grid.rowCount()
        title, words = PlainLabel(name), PlainLabel(value)
        give_role(title, "tableQuiet")
        words.setWordWrap(True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if path:
            words.setFont(fixed_font())
            words.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        else:
            give_role(words, "table")
        words.setAccessibleName(f"{name}: {words.text()}")
        self._values[name] = words
        self._grid.setRowMinimumHeight(row, self.fontMetrics().height())
        self._grid.addWidget(title, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(words, row, 1)
        return words

    def value(self, name: str) -> QLabel:
        """Return the label of a value by the name of its row. Raises KeyError."""
        return self._values[name]

    def end(self) -> None:
        """Keep the rows together at the top."""
        self._grid.setRowStretch(self._grid.rowCount(), 1)


class AboutDialog(Dialog):
    """Name, version and icon of the program; pages of versions and folders, and of licences, both to be copied."""

    def __init__(
        self,
        paths: ProfilePaths,
        encoder: str,
        icons: Icons,
        reading: AboutReading | None,
        parent: QWidget | None = None,
    ) -> None:
        """``encoder``: describes the active encoder; empty before there is one. ``reading``: None before it can run."""
        super().__init__(parent)
        self._paths, self._encoder, self._reading = paths, encoder, reading
        self.setObjectName("aboutDialog")
        self.setWindowTitle(self.tr("About Tokenloupe"))
        self.facts = self._make_facts()
        self._licences = QPlainTextEdit(self, objectName="aboutLicences")
        self._licences.setReadOnly(True)
        self._licences.setTabChangesFocus(True)
        self._licences.setAccessibleName(self.tr("Licences"))
        self._licences.setFont(fixed_font())
        self._pages = QStackedWidget(self)
        self.choice = QTabBar(self)
        track = segments(self.choice, "aboutPages", self.tr("Facts and licences"))
        for page, title in ((self.facts, self.tr("Versions and folders")), (self._licences, self.tr("Licences"))):
            self._pages.addWidget(page)
            self.choice.addTab(title)
        self.choice.setTabEnabled(1, reading is not None)
        self.choice.currentChanged.connect(self._on_page)
        buttons = button_row(self, QDialogButtonBox.StandardButton.Close)
        self.copy = QPushButton(objectName="aboutCopy")
        self.copy.setAutoDefault(False)
        self.copy.clicked.connect(self._copy)
        buttons.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addLayout(self._make_head(icons))
        column.addWidget(track, 0, Qt.AlignmentFlag.AlignLeading)
        column.addWidget(self._pages, 1)
        column.addWidget(buttons)
        self._name_copy()
        self.resize(640, 540)
        if reading is not None:
            reading.licences_read.connect(self._licences.setPlainText)
            reading.cache_measured.connect(self._show_cache)
            reading.measure(paths.cache)

    def _make_head(self, icons: Icons) -> QGridLayout:
        picture = QLabel(self, objectName="aboutIcon")
        picture.setPixmap(icons.icon("tokenloupe").pixmap(ICON))
        title = PlainLabel("Tokenloupe", self, role="hero")
        version = PlainLabel(self.tr("Version {number}, MIT licence").format(number=our_version()), self)
        version.setObjectName("aboutVersion")
        give_role(version, "quiet")
        words = PlainLabel(
            self.tr("See the tokens of a prompt and what they cost, offline: nothing you type leaves this computer."),
            self,
        )
        words.setWordWrap(True)
        words.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        head = QGridLayout()
        head.setHorizontalSpacing(16)
        head.setVerticalSpacing(0)
        head.setColumnStretch(1, 1)
        head.addWidget(picture, 0, 0, 2, 1)
        head.addWidget(title, 0, 1)
        head.addWidget(version, 1, 1)
        head.setRowMinimumHeight(2, 12)
        head.addWidget(words, 3, 0, 1, 2)
        return head

    def _make_facts(self) -> FactRows:
        rows = FactRows(self.tr("Versions and folders"), self)
        rows.add(self.tr("Python"), python_version())
        rows.add(self.tr("System"), system_name())
        for package, version in package_versions():
            rows.add(package, version)
        if self._encoder:
            rows.add(self.tr("Encoder"), self._encoder)
        for name, folder in self._folders():
            rows.add(name, str(folder), path=True)
        self._cache_size = rows.add(self.tr("Cache size"), self.tr("Measuring…") if self._reading is not None else "–")
        rows.end()
        return rows

    def _folders(self) -> tuple[tuple[str, Path], ...]:
        paths = self._paths
        return (
            (self.tr("Settings and prices"), paths.config),
            (self.tr("Session"), paths.sessions),
            (self.tr("Caches"), paths.cache),
        )

    @Slot(object)
    def _show_cache(self, size_bytes: int | None) -> None:
        words = self.tr("unknown") if size_bytes is None else TrainingText(self.locale()).size(size_bytes)
        self._cache_size.setText(words)
        self._cache_size.setAccessibleName(self.tr("Cache size: {size}").format(size=words))

    @Slot(int)
    def _on_page(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        self._name_copy()
        if self._pages.currentWidget() is self._licences and self._licences.document().isEmpty():
            self._licences.setPlainText(self.tr("Loading…"))
            assert self._reading is not None
            self._reading.read_licences()

    def _name_copy(self) -> None:
        licences = self._pages.currentWidget() is self._licences
        self.copy.setText(self.tr("&Copy licences") if licences else self.tr("&Copy details"))

    @Slot()
    def _copy(self) -> None:
        """Copy the page that is shown: versions and folders for a bug report, or the licences."""
        licences = self._pages.currentWidget() is self._licences
        QGuiApplication.clipboard().setText(self._licences.toPlainText() if licences else self._details())

    def _details(self) -> str:
        counting = [self.tr("Encoder: {encoder}").format(encoder=self._encoder), ""] if self._encoder else []
        folders = [f"{name}: {folder}" for name, folder in self._folders()]
        return "\n".join([*version_lines(), "", *counting, *folders])
