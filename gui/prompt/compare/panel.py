"""Page Compare: the prompt in several encodings, aligned, with the list of differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale, QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QHeaderView,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTableView,
    QWidget,
)

from gui.core.token_text import visible, visible_line
from gui.editor.aligned_tokens import AlignedRows, AlignedTokens
from gui.look.icons import Icons
from gui.look.quantities import figure
from gui.look.style_sheet import give_role, plain_corner
from gui.look.theme import Theme
from gui.prompt.compare.service import PROMPT, SELECTION, SOURCES, TYPED, premium_percent
from gui.state.settings import SettingsStore
from gui.widgets.forms import PageTabs, button_of_kind, column_of, row_of, splitter_of
from gui.widgets.labels import FigureStrip, PlainLabel, plain_tip
from gui.widgets.table_model import RowsModel
from gui.widgets.tables import FittedTable, set_up_list
from gui.widgets.tool_row import EncodingPicker, ToolRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.analysis.comparison import Difference, Part, TextComparison
    from gui.prompt.compare.service import Compared

_NAMES = {
    "letters": QT_TRANSLATE_NOOP("Comparison", "letters"),
    "digits": QT_TRANSLATE_NOOP("Comparison", "digits"),
    "punctuation": QT_TRANSLATE_NOOP("Comparison", "punctuation"),
    "symbols": QT_TRANSLATE_NOOP("Comparison", "symbols and emoji"),
    "white space": QT_TRANSLATE_NOOP("Comparison", "whitespace"),
    "no letters": QT_TRANSLATE_NOOP("Comparison", "no letters"),
    "other scripts": QT_TRANSLATE_NOOP("Comparison", "other scripts"),
}
"""Names of parts of a text; a script that is not listed is shown by its own name."""
FIRST_ENCODINGS = ("o200k_base", "cl100k_base", "gpt2")
MAX_ENCODINGS = 12
"""Maximum number of encodings, limited by the room for their rows."""
MAX_KEPT = 100_000
"""Maximum size of a typed text saved with the session, in characters."""
MIN_ROWS = 3
TYPED_LINES = 4
ENCODING, TOKENS, RATIO, PREMIUM = range(4)
LINE, TEXT = range(2)
"""Columns of the differences, before those of the encodings."""


def tr(text: str) -> str:
    """Translate in the context of comparisons."""
    return QCoreApplication.translate("Comparison", text)


def name_of(key: str) -> str:
    """Return the name of a script or a kind of characters."""
    return tr(_NAMES[key]) if key in _NAMES else key


def premium_text(tokens: int, base_tokens: int) -> str:
    """Return ``premium_percent`` as text with its sign; a dash if there is none."""
    percent = premium_percent(tokens, base_tokens)
    if percent is None:
        return "–"
    if percent == 0:
        return "±0%" if tokens == base_tokens else "±0.0%"
    return f"{percent:+,}%".replace("-", "\N{MINUS SIGN}")


def ratio_text(n_bytes: int, tokens: int) -> str:
    """Return bytes per token, to a hundredth."""
    return f"{n_bytes / tokens:.2f}" if tokens else "–"


class EncodingRow(NamedTuple):
    """Row of an encoding; ``tokens`` and ``utf8_bytes`` are None until they are counted."""

    name: str
    tokens: int | None = None
    utf8_bytes: int | None = None


class EncodingRowsModel(RowsModel):
    """Encodings that are compared, in order, with the count of the whole text in each."""

    COLUMNS = 4
    FIGURES = (TOKENS, RATIO, PREMIUM)

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self.base = 0

    def show_encodings(self, rows: Sequence[EncodingRow], base: int) -> None:
        """Show the encodings; ``base``: index of the baseline."""
        self.base = base
        self.set_rows(tuple(rows))

    def titles(self) -> tuple[str, ...]:
        return tr("Encoding"), tr("Tokens"), tr("Bytes per token"), tr("vs. base")

    def cell(self, row: EncodingRow, column: int) -> str:
        if column == ENCODING:
            return visible_line(row.name)
        if row.tokens is None or row.utf8_bytes is None:
            return "…"
        if column == TOKENS:
            return figure(self._locale, row.tokens)
        if column == RATIO:
            return ratio_text(row.utf8_bytes, row.tokens)
        base = self.rows[self.base]
        return tr("base") if row is base else premium_text(row.tokens, base.tokens or 0)


class PartsModel(RowsModel):
    """Scripts or kinds: bytes, then tokens in each encoding with the premium over the baseline."""

    def __init__(self, locale: QLocale, title: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale, self._title = locale, title
        self._names: tuple[str, ...] = ()
        self._base = 0
        self.COLUMNS, self.FIGURES = 2, (1,)

    def show_parts(self, parts: Sequence[Part], names: tuple[str, ...], base: int) -> None:
        """Show these parts; ``base``: index of the baseline."""
        self._names, self._base = names, base
        self.COLUMNS = 2 + len(names)
        self.FIGURES = tuple(range(1, self.COLUMNS))
        self.set_rows(tuple(parts))

    def titles(self) -> tuple[str, ...]:
        return self._title, tr("Bytes"), *map(visible_line, self._names)

    def cell(self, part: Part, column: int) -> str:
        if column == 0:
            return name_of(part.key)
        if column == 1:
            return figure(self._locale, part.utf8_bytes)
        tokens = part.tokens[column - 2]
        words = figure(self._locale, tokens)
        if column - 2 == self._base:
            return words
        return f"{words} ({premium_text(tokens, part.tokens[self._base])})"


class DifferencesModel(RowsModel):
    """Line, text, and tokens in each encoding; the largest differences come first."""

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self._names: tuple[str, ...] = ()
        self.COLUMNS, self.FIGURES = 2, (LINE,)

    def show_differences(self, found: Sequence[Difference], names: tuple[str, ...]) -> None:
        """Show these differences, in their order."""
        self._names = names
        self.COLUMNS = 2 + len(names)
        self.FIGURES = (LINE, *range(2, 2 + len(names)))
        self.set_rows(found)

    def titles(self) -> tuple[str, ...]:
        return tr("Line"), tr("Text"), *(visible_line(name).removesuffix("_base") for name in self._names)

    def cell(self, one: Difference, column: int) -> str:
        if column == LINE:
            return figure(self._locale, one.line)
        if column == TEXT:
            return visible(one.beginning.encode())
        return figure(self._locale, one.tokens[column - 2])

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.ToolTipRole and section > TEXT and orientation is Qt.Orientation.Horizontal:
            return plain_tip(tr("Tokens in {name}").format(name=visible_line(self._names[section - 2])))
        return super().headerData(section, orientation, role)


class CompareEncodings(QWidget):
    """List of the encodings to compare. Signals: ``changed()``: other encodings or order; ``base_changed()``."""

    changed = Signal()
    base_changed = Signal()

    def __init__(self, names: tuple[str, ...]) -> None:
        """``names``: encodings to begin with; the first is the baseline."""
        super().__init__()
        self._names, self._base = names, names[0]
        self.model = EncodingRowsModel(self.locale(), self)
        self.table = FittedTable("compareEncodings")
        self.table.setAccessibleName(self.tr("Compared encodings; Enter makes one the base"))
        self.picker = EncodingPicker()
        self.picker.setObjectName("compareAdd")
        self.picker.setAccessibleName(self.tr("Add an encoding to the comparison"))
        self.picker.setPlaceholderText(self.tr("Add an encoding"))
        self.picker.setMinimumContentsLength(10)
        self.remove = self._button("compareRemove", self.tr("&Remove"), self.tr("Remove this encoding (Delete)"))
        self.up = self._button("compareUp", self.tr("&Up"), self.tr("Move this encoding up (Alt+Up)"))
        self.down = self._button("compareDown", self.tr("Do&wn"), self.tr("Move this encoding down (Alt+Down)"))
        self.set_base = self._button(
            "compareBase", self.tr("Set as &base"), self.tr("Compare the others with this encoding (Enter)")
        )
        self._set_up_table()
        self._lay_out()
        self._connect()
        self._show()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the encodings, in order."""
        return self._names

    @property
    def base(self) -> str:
        """Name of the baseline."""
        return self._base

    @property
    def base_number(self) -> int:
        """Index of the baseline among ``names``."""
        return self._names.index(self._base)

    def set_names(self, names: Iterable[str], base: str = "") -> None:
        """Compare these encodings, at least one, without duplicates."""
        chosen = tuple(dict.fromkeys(names))[:MAX_ENCODINGS]
        if not chosen:
            return
        self._names = chosen
        self._base = base if base in chosen else self._base if self._base in chosen else chosen[0]
        self._show()
        self.changed.emit()

    def fill(self, encodings: tuple[tuple[str, str], ...]) -> None:
        """Set the encodings to choose from: name and description of each."""
        self.picker.fill(encodings)
        self.picker.show_name("")

    def show_totals(self, tokens: tuple[int, ...], utf8_bytes: int) -> None:
        """Show the token count of the text in each encoding, in order."""
        self._show([EncodingRow(name, count, utf8_bytes) for name, count in zip(self._names, tokens, strict=True)])

    # --- changes ------------------------------------------------------------------------------------------------------

    @Slot(str)
    def add(self, name: str) -> None:
        """Append another encoding."""
        if name not in self._names:
            self.set_names((*self._names, name))
        self.picker.show_name("")
        self._go_to(self._names.index(name) if name in self._names else len(self._names) - 1)

    @Slot()
    def remove_current(self) -> None:
        """Remove the current encoding, unless it is the only one."""
        row = self.table.currentIndex().row()
        if row >= 0 and len(self._names) > 1:
            self.set_names(self._names[:row] + self._names[row + 1 :])
            self._go_to(min(row, len(self._names) - 1))

    @Slot()
    def move_up(self) -> None:
        """Move the current encoding up."""
        self._move(-1)

    @Slot()
    def move_down(self) -> None:
        """Move the current encoding down."""
        self._move(1)

    @Slot()
    def make_base(self) -> None:
        """Make the current encoding the baseline."""
        row = self.table.currentIndex().row()
        if row >= 0:
            self._base = self._names[row]
            self._show(self.model.rows)
            self._go_to(row)
            self.base_changed.emit()

    def _move(self, by: int) -> None:
        row = self.table.currentIndex().row()
        if row < 0 or not 0 <= row + by < len(self._names):
            return
        names = list(self._names)
        names.insert(row + by, names.pop(row))
        self.set_names(names)
        self._go_to(row + by)

    def _go_to(self, row: int) -> None:
        self.table.setCurrentIndex(self.model.index(row, ENCODING))

    def _show(self, rows: Iterable[EncodingRow] | None = None) -> None:
        row = self.table.currentIndex().row()
        shown = [EncodingRow(name) for name in self._names] if rows is None else list(rows)
        self.model.show_encodings(shown, self.base_number)
        self._go_to(min(max(row, 0), len(shown) - 1))
        self._show_buttons()

    @Slot()
    def _show_buttons(self) -> None:
        row, rows = self.table.currentIndex().row(), len(self._names)
        self.remove.setEnabled(row >= 0 and rows > 1)
        self.up.setEnabled(row > 0)
        self.down.setEnabled(0 <= row < rows - 1)
        self.set_base.setEnabled(0 <= row != self.base_number)
        self.picker.setEnabled(rows < MAX_ENCODINGS)

    # --- layout -------------------------------------------------------------------------------------------------------

    def _button(self, name: str, words: str, tip: str) -> QPushButton:
        button = button_of_kind(name, words, "quiet")
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        return button

    def _set_up_table(self) -> None:
        table = self.table
        table.setModel(self.model)
        set_up_list(table)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(ENCODING, QHeaderView.ResizeMode.Stretch)
        table.setMinimumHeight(table.verticalHeader().defaultSectionSize() * (MIN_ROWS + 1))

    def _connect(self) -> None:
        self.picker.chosen.connect(self.add)
        self.table.selectionModel().currentRowChanged.connect(self._show_buttons)
        self.table.activated.connect(self.make_base)
        for button, key, act in (
            (self.remove, "Del", self.remove_current),
            (self.up, "Alt+Up", self.move_up),
            (self.down, "Alt+Down", self.move_down),
        ):
            button.clicked.connect(act)
            shortcut = QShortcut(QKeySequence(key), self.table)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(act)
        self.set_base.clicked.connect(self.make_base)

    def _lay_out(self) -> None:
        buttons = row_of(self.picker, self.set_base, self.up, self.down, self.remove, 1, spacing=6)
        column_of((self.table, 1), buttons, parent=self, spacing=6)


class ComparePages(PageTabs):
    """Tabs with the parts and the differences.

    Signals: ``span_chosen(int, int)``, ``stretch_opened(int, int)``: UTF-16 offsets, in the compared text, of a row
    that became current, and of one that was double-clicked or opened with Enter.
    """

    span_chosen = Signal(int, int)
    stretch_opened = Signal(int, int)

    def __init__(self) -> None:
        super().__init__("comparePages", tr("Pages of the comparison"))
        self._comparison: TextComparison | None = None
        self.differences = DifferencesModel(self.locale(), self)
        self.by_lines = QCheckBox(self.tr("Whole &lines"), objectName="compareByLines")
        self.by_lines.setToolTip(self.tr("Rank whole lines, not the spans between boundaries that all encodings share"))
        self.table = self._table(self.differences, "compareDifferences", self.tr("Where the encodings differ most"))
        self.table.setToolTip(self.tr("Click to show the place below; double-click or Enter to show it in the prompt"))
        self.scripts = PartsModel(self.locale(), self.tr("Script of the line"), self)
        self.kinds = PartsModel(self.locale(), self.tr("Kind of characters"), self)
        page = QWidget()
        column_of(row_of(self.by_lines, margins=(12, 0, 12, 0)), (self.table, 1), parent=page, margins=(0, 6, 0, 0))
        self.addTab(page, self.tr("Where they differ"))
        self.addTab(self._table(self.scripts, "compareScripts", self.tr("Tokens by script")), self.tr("By script"))
        self.addTab(self._table(self.kinds, "compareKinds", self.tr("Tokens by kind")), self.tr("By kind"))
        self.by_lines.toggled.connect(self._show_differences)
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        self.table.clicked.connect(self._on_clicked)
        self.table.activated.connect(self._on_activated)

    def show_comparison(self, comparison: TextComparison, base: int) -> None:
        """Show a comparison; ``base``: index of the baseline."""
        if comparison is not self._comparison:
            self._comparison = comparison
            self._show_differences()
        self.scripts.show_parts(comparison.scripts, comparison.names, base)
        self.kinds.show_parts(comparison.kinds, comparison.names, base)

    @Slot()
    def _show_differences(self) -> None:
        found = self._comparison
        if found is not None:
            shown = found.lines if self.by_lines.isChecked() else found.spans
            self.differences.show_differences(shown, found.names)
            self.table.horizontalHeader().setSectionResizeMode(TEXT, QHeaderView.ResizeMode.Stretch)

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self._on_clicked(current)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        one = self.differences.rows[index.row()]
        self.span_chosen.emit(one.utf16_start, one.utf16_end)

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        one = self.differences.rows[index.row()]
        self.stretch_opened.emit(one.utf16_start, one.utf16_end)

    def _table(self, model: RowsModel, name: str, spoken: str) -> QTableView:
        table = FittedTable(name)
        table.setAccessibleName(spoken)
        table.setModel(model)
        set_up_list(table)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setStretchLastSection(model is not self.differences)
        return table


class ComparePanel(QFrame):
    """Page Compare; ``tools`` are for the view bar of the window.

    Signals: ``text_wanted()``: another source, or other encodings; ``state_changed()``; ``stop_asked()``.
    """

    text_wanted = Signal()
    state_changed = Signal()
    stop_asked = Signal()

    def __init__(self, theme: Theme, settings: SettingsStore, icons: Icons) -> None:
        super().__init__(objectName="comparePanel")
        self.setProperty("kind", "surface")
        self.setAccessibleName(self.tr("Comparison of encodings"))
        self.source = QComboBox(objectName="compareSource", accessibleName=self.tr("Text to compare"))
        for key, words in (
            (PROMPT, self.tr("The prompt")),
            (SELECTION, self.tr("Selection in the prompt")),
            (TYPED, self.tr("Text typed here")),
        ):
            self.source.addItem(words, key)
        self.typed = QPlainTextEdit(objectName="compareText", accessibleName=self.tr("Text to compare encodings on"))
        self.typed.setPlaceholderText(self.tr("Type or paste a text"))
        self.typed.setTabChangesFocus(True)
        self.typed.setCornerWidget(plain_corner(self.typed))
        self.typed.setMaximumHeight(self.typed.fontMetrics().lineSpacing() * TYPED_LINES + 12)
        self.status = PlainLabel(objectName="compareStatus", wordWrap=True)
        self.stop = QPushButton(self.tr("Stop"), objectName="compareStop", accessibleName=self.tr("Stop comparing"))
        self.export = QPushButton(self.tr("&Copy or export"), objectName="compareExport")
        self.export.setProperty("kind", "secondary")
        self.export_menu = QMenu(self.export)
        self.export.setMenu(self.export_menu)
        self.encodings = CompareEncodings(FIRST_ENCODINGS)
        self.pages = ComparePages()
        self.view = AlignedTokens(theme, settings, "compareTokens", self.tr("The text in every encoding"))
        self.strip = FigureStrip("compareFigureBase", "compareFigureFewest", "compareFigureMost")
        self.tools = ToolRow("compareTools", self.tr("Comparison"))
        self.tools.add_caption(self.tr("Te&xt"), self.source)
        self.tools.add(self.source, self.stop)
        self.tools.add_button(self.export, icons.icon("export"))
        self._lay_out()
        self.source.currentIndexChanged.connect(self._on_source)
        self.encodings.changed.connect(self._on_change)
        self.encodings.base_changed.connect(self._on_base)
        self.pages.currentChanged.connect(self.state_changed)
        self.pages.by_lines.toggled.connect(self.state_changed)
        self.typed.textChanged.connect(self._on_change)
        self.pages.span_chosen.connect(self.view.show_span)
        self.stop.clicked.connect(self.stop_asked)
        self.show_running(False)
        self._show_source()

    def focus(self) -> None:
        """Focus the list of encodings."""
        self.encodings.table.setFocus()

    def show_rows(self, compared: Compared, starts: NDArray[np.int32]) -> None:
        """Show the tokens in rows that begin at these UTF-16 offsets."""
        found = compared.comparison
        self.view.show_tokens(found.names, compared.spans, AlignedRows(found.units, starts))

    def show_compared(self, compared: Compared) -> None:
        """Show totals, parts and differences."""
        found = compared.comparison
        self.encodings.show_totals(found.tokens, found.utf8_bytes)
        self.pages.show_comparison(found, self.encodings.base_number)
        self.view.set_base(self.encodings.base_number)
        self._show_figures(found.tokens)

    def _show_figures(self, tokens: Sequence[int]) -> None:
        """Show the baseline, and the encodings with the fewest and the most tokens."""
        names, base = self.encodings.names, self.encodings.base_number
        if len(names) != len(tokens) or not tokens:
            self.strip.show_figures()
            return
        caption = self.tr("tokens in {base}, the base").format(base=visible_line(names[base]))
        figures = [(figure(self.locale(), tokens[base]), caption)]
        for index, words in (
            (min(range(len(names)), key=lambda number: tokens[number]), self.tr("fewest tokens: {name}, {n}")),
            (max(range(len(names)), key=lambda number: tokens[number]), self.tr("most tokens: {name}, {n}")),
        ):
            if tokens[index] != tokens[base]:
                caption = words.format(name=visible_line(names[index]), n=figure(self.locale(), tokens[index]))
                figures.append((premium_text(tokens[index], tokens[base]), caption))
        self.strip.show_figures(*figures)

    def show_running(self, running: bool) -> None:
        """Show whether a comparison is running."""
        self.stop.setVisible(running)

    def state(self) -> dict[str, Any]:
        """Return the user's choices as JSON data; without the typed text if it is too long."""
        document = self.typed.document()
        return {
            "encodings": list(self.encodings.names),
            "base": self.encodings.base,
            "source": self.source.currentData(),
            "page": self.pages.currentIndex(),
            "by_lines": self.pages.by_lines.isChecked(),
            "text": self.typed.toPlainText() if document.characterCount() <= MAX_KEPT else "",
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned; invalid values are ignored."""
        names, base, source, page, text = (state.get(key) for key in ("encodings", "base", "source", "page", "text"))
        if isinstance(names, list):
            self.encodings.set_names([name for name in names if isinstance(name, str) and name], str(base))
        if isinstance(text, str):
            self.typed.setPlainText(text)
        if source in SOURCES:
            self.source.setCurrentIndex(SOURCES.index(source))
        if isinstance(page, int) and 0 <= page < self.pages.count():
            self.pages.setCurrentIndex(page)
        self.pages.by_lines.setChecked(state.get("by_lines") is True)

    @Slot()
    def _on_base(self) -> None:
        self.view.set_base(self.encodings.base_number)
        self._show_figures([row.tokens for row in self.encodings.model.rows if row.tokens is not None])
        self.state_changed.emit()

    @Slot()
    def _on_source(self) -> None:
        self._show_source()
        self._on_change()

    def _show_source(self) -> None:
        self.typed.setVisible(self.source.currentData() == TYPED)

    @Slot()
    def _on_change(self) -> None:
        self.text_wanted.emit()
        self.state_changed.emit()

    def _lay_out(self) -> None:
        give_role(self.status, "caption")
        head = QWidget()
        column_of(
            self.strip, self.status, self.typed, (self.encodings, 1), parent=head, margins=(16, 8, 16, 0), spacing=6
        )
        left = QSplitter(Qt.Orientation.Vertical, objectName="compareLists", childrenCollapsible=False)
        left.addWidget(head)
        texts = QWidget()
        # The margin aligns names of encodings with those of the table.
        column_of(self.view, parent=texts, margins=(10, 0, 0, 0))
        left.addWidget(texts)
        left.setSizes([270, 400])
        whole = splitter_of("compareSplitter", left, self.pages, (620, 340))
        whole.setStretchFactor(0, 1)
        column_of(whole, parent=self)
