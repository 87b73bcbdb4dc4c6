"""The page Library: all tokenizers, details of the selected one, and tokenizers found on this computer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QLocale, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gui.core.token_text import visible_line
from gui.core.user_encodings import LocalTokenizer
from gui.look.fonts import STRONG, set_weight
from gui.look.icons import Icons
from gui.look.quantities import TrainingText, figure
from gui.look.style_sheet import give_role
from gui.look.theme import Theme
from gui.tokenizers.library.service import BUNDLED, IMPORTED, TRAINED, Details, LibraryEntry
from gui.widgets.delegates import TextDelegate
from gui.widgets.forms import button_of_kind, column_of, row_of, separator
from gui.widgets.labels import PlainLabel, plain_tip
from gui.widgets.table_model import RowsModel
from gui.widgets.tables import ROW_PADDING, FittedTable, set_up_list
from gui.widgets.tool_row import Chip, ToolRow

NAME, ORIGIN, ENTRIES, MODELS, PROMPT, USED_FOR = range(6)
DETAILS_WIDTH = 290
FILTER_WIDTH = 260
MODELS_SHOWN = 12
FOUND_ROWS = 5
_DATA = Qt.ItemDataRole.UserRole


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("Library", text)


def origin_text(origin: str) -> str:
    """Return the origin of a tokenizer as text."""
    return {BUNDLED: tr("Built in"), TRAINED: tr("Trained"), IMPORTED: tr("Imported")}[origin]


class LibraryCells(TextDelegate):
    """Cells with names in semibold and uses dimmed."""

    def __init__(self, model: LibraryModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(model, parent)
        self._theme = theme

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        option.font = self.parent().font()
        if index.column() == NAME:
            set_weight(option.font, STRONG)
        elif index.column() in (ORIGIN, USED_FOR):
            option.palette.setColor(QPalette.ColorRole.Text, self._theme.colour("stale"))
            option.palette.setColor(QPalette.ColorRole.HighlightedText, self._theme.colour("stale"))


class LibraryModel(RowsModel):
    """One row for each tokenizer; ``show_only`` filters by origin and search words."""

    COLUMNS = 6
    FIGURES = (ENTRIES, MODELS, PROMPT)

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self._all: tuple[LibraryEntry, ...] = ()
        self._origins: frozenset[str] = frozenset((BUNDLED, TRAINED, IMPORTED))
        self._words: tuple[str, ...] = ()
        self._models: Mapping[str, Sequence[str]] = {}
        self._counts: Mapping[str, int | None] = {}

    def show_entries(self, entries: Sequence[LibraryEntry]) -> None:
        """Show these tokenizers."""
        self._all = tuple(entries)
        self._filter()

    def show_models(self, models: Mapping[str, Sequence[str]]) -> None:
        """Show which models are counted with each tokenizer. ``models``: by its name."""
        if models != self._models:
            self._models = models
            self._filter()

    def show_counts(self, counts: Mapping[str, int | None]) -> None:
        """Show the token counts of the prompt by tokenizer; None while one is being counted."""
        if counts != self._counts:
            self._counts = counts
            self.notify_column(PROMPT)

    def prompt_text(self, name: str) -> str:
        """Return the token count of the prompt in a tokenizer; a dash if nothing is counted with it."""
        if name not in self._counts:
            return "–"
        tokens = self._counts[name]
        return "…" if tokens is None else figure(self._locale, tokens)

    def show_only(self, origins: frozenset[str], words: str) -> None:
        """Show the tokenizers of these origins whose name, use or models contain all search words."""
        self._origins, self._words = origins, tuple(words.casefold().split())
        self._filter()

    def show_size(self, name: str, entries: int) -> None:
        """Show the number of entries of a tokenizer."""
        if entries:
            self._all = tuple(replace(one, entries=entries) if one.name == name else one for one in self._all)
        row = self.row_of(name)
        if row >= 0:
            self.rows = tuple(one for one in self._all if self._wanted(one))
            self.notify_column(ENTRIES)

    def models_of(self, name: str) -> Sequence[str]:
        """Return the models that are counted with a tokenizer."""
        return self._models.get(name, ())

    def row_of(self, name: str) -> int:
        """Return the row of a tokenizer, -1 if it is not shown."""
        return next((row for row, entry in enumerate(self.rows) if entry.name == name), -1)

    def _filter(self) -> None:
        self.set_rows(tuple(entry for entry in self._all if self._wanted(entry)))

    def _wanted(self, entry: LibraryEntry) -> bool:
        if entry.origin not in self._origins:
            return False
        text = " ".join((entry.name, entry.used_for, entry.vendor, *self.models_of(entry.name))).casefold()
        return all(word in text for word in self._words)

    def titles(self) -> tuple[str, ...]:
        return tr("Tokenizer"), tr("Origin"), tr("Entries"), tr("Models"), tr("Prompt"), tr("Used for")

    def cell(self, row: LibraryEntry, column: int) -> str:
        if column == NAME:
            return visible_line(row.name)
        if column == ORIGIN:
            return origin_text(row.origin)
        if column == ENTRIES:
            return figure(self._locale, row.entries) if row.entries else "–"
        if column == MODELS:
            models = self.models_of(row.name)
            return figure(self._locale, len(models)) if models else "–"
        if column == PROMPT:
            return self.prompt_text(row.name)
        return visible_line(row.used_for)


class DetailsPane(QFrame):
    """Details of the selected tokenizer, and its actions.

    Signals, with the name of the tokenizer: ``use_asked``, ``vocabulary_asked``, ``rename_asked``, ``remove_asked``,
    ``assign_asked``.
    """

    use_asked = Signal(str)
    vocabulary_asked = Signal(str)
    rename_asked = Signal(str)
    remove_asked = Signal(str)
    assign_asked = Signal(str)

    def __init__(self, text: TrainingText) -> None:
        super().__init__(objectName="libraryDetails")
        self._text = text
        self.name = ""
        self.setProperty("kind", "inspector")
        self.setAccessibleName(tr("About the selected tokenizer"))
        self.setFixedWidth(DETAILS_WIDTH)
        self.origin = PlainLabel(objectName="libraryOrigin")
        self.title = PlainLabel(objectName="libraryName")
        self.about = _line("libraryAbout", "tableQuiet")
        self.facts = QVBoxLayout()
        self.models = _line("libraryModels", "tableQuiet")
        give_role(self.origin, "pill")
        give_role(self.title, "section")
        self.use = self._button(tr("&Use in the editor"), "tokenizersUse", "primary", self.use_asked)
        self.vocabulary = self._button(tr("Show vo&cabulary"), "libraryVocabulary", "secondary", self.vocabulary_asked)
        self.assign = self._button(tr("&Assign to models…"), "tokenizersAssign", "secondary", self.assign_asked)
        self.rename = self._button(tr("Re&name…"), "tokenizersRename", "quiet", self.rename_asked)
        self.remove = self._button(tr("Re&move…"), "tokenizersRemove", "quiet", self.remove_asked)
        self._lay_out()

    def _button(self, text: str, name: str, kind: str, asked: object) -> QPushButton:
        button = button_of_kind(name, text, kind)
        button.clicked.connect(lambda: asked.emit(self.name))
        return button

    def _lay_out(self) -> None:
        inside = QWidget()
        head = row_of(self.origin, 1)
        own = row_of(self.rename, self.remove, 1)
        self.facts.setSpacing(6)
        used = PlainLabel(tr("Models counted with it"), role="strong")
        column_of(
            head,
            self.title,
            self.about,
            self.use,
            self.vocabulary,
            own,
            separator(),
            self.facts,
            separator(),
            used,
            self.models,
            self.assign,
            1,
            parent=inside,
            margins=(16, 14, 16, 14),
            spacing=8,
        )
        scroll = QScrollArea()
        scroll.setWidget(inside)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column_of(scroll, parent=self)

    def show_entry(self, entry: LibraryEntry | None, models: Sequence[str], details: Details | None) -> None:
        """Show a tokenizer; None for none. ``details``: facts that need its vocabulary, None until it is opened."""
        self.name = entry.name if entry is not None else ""
        own = entry is not None and entry.origin != BUNDLED
        for button in (self.use, self.vocabulary):
            button.setEnabled(entry is not None)
        for button in (self.rename, self.remove, self.assign):
            button.setVisible(own)
        self.origin.setVisible(entry is not None)
        self._clear()
        if entry is None:
            self.title.setText(tr("No tokenizer selected"))
            self.about.setText("")
            self.models.setText("")
            return
        self.origin.setText(origin_text(entry.origin))
        self.title.setText(visible_line(entry.name))
        self.about.setText(visible_line(entry.used_for))
        for title, words in self._facts(entry, details):
            if words:
                self._add(title, words)
        self.models.setText(self._models(models, own=own))

    def _facts(self, entry: LibraryEntry, details: Details | None) -> tuple[tuple[str, str], ...]:
        write = self._text
        entries = details.entries if details is not None else entry.entries
        size = write.number(entries) if entries else ""
        if details is not None and details.special:
            special = write.number(details.special)
            size = tr("{entries}, {special} of them special").format(entries=size, special=special)
        return (
            (tr("Vendor"), entry.vendor),
            (tr("Licence"), entry.licence),
            (tr("Entries"), size),
            (tr("Split pattern"), visible_line((details.split if details is not None else "") or entry.split)),
            (tr("Unicode"), entry.unicode),
            (tr("Normalization"), entry.normalization),
            (tr("File"), visible_line(entry.file)),
            (tr("File size"), write.size(entry.file_bytes) if entry.file_bytes else ""),
            (tr("Engine"), (details.runs or tr("Tokenloupe")) if details is not None and not details.why else ""),
            (tr("Problem"), details.why if details is not None else ""),
        )

    def _models(self, models: Sequence[str], *, own: bool) -> str:
        if not models:
            if own:
                return tr("None yet. Assign it to a model to count that model with it.")
            return tr("None of the models in the price table.")
        shown = ", ".join(models[:MODELS_SHOWN])
        left = len(models) - MODELS_SHOWN
        return tr("{models} and {n} more").format(models=shown, n=left) if left > 0 else shown

    def _clear(self) -> None:
        while self.facts.count():
            widget = self.facts.takeAt(0).widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _add(self, title: str, words: str) -> None:
        row = QWidget()
        name, value = PlainLabel(title), PlainLabel(words)
        name.setFixedWidth(86)
        give_role(name, "tableQuiet")
        give_role(value, "table")
        value.setWordWrap(True)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row_of((name, 0, Qt.AlignmentFlag.AlignTop), (value, 1), parent=row, spacing=8)
        self.facts.addWidget(row)

    def fact(self, title: str) -> str:
        """Return the text under a title; empty if there is none."""
        for index in range(self.facts.count()):
            labels = self.facts.itemAt(index).widget().findChildren(QLabel)
            if labels[0].text() == title:
                return labels[1].text()
        return ""


class LibraryPage(QWidget):
    """Page of all tokenizers, with a search for those of other programs.

    Signals: ``import_asked()``; ``find_asked()``; ``found_chosen(Path)``; ``selected(str)`` with the name of a
    tokenizer.
    """

    import_asked = Signal()
    find_asked = Signal()
    found_chosen = Signal(object)
    selected = Signal(str)

    def __init__(self, theme: Theme, icons: Icons) -> None:
        super().__init__()
        self.setObjectName("libraryPage")
        self._details: dict[str, Details] = {}
        self.model = LibraryModel(self.locale(), self)
        self.details = DetailsPane(TrainingText(self.locale()))
        self.filter = QLineEdit(objectName="libraryFilter", placeholderText=tr("Find a tokenizer or a model"))
        self.filter.setAccessibleName(tr("Find a tokenizer or a model"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(FILTER_WIDTH)
        self.chips = {
            origin: Chip(f"library_{origin}", origin_text(origin), spoken)
            for origin, spoken in (
                (BUNDLED, tr("Show the built-in tokenizers")),
                (TRAINED, tr("Show tokenizers you trained")),
                (IMPORTED, tr("Show tokenizers you imported")),
            )
        }
        self.table = self._make_table(theme)
        self.found = QListWidget(objectName="tokenizersFound")
        self.found.setProperty("kind", "flat")
        self.found.setAccessibleName(tr("Tokenizers found on this computer"))
        self.about_found = _line("tokenizersAboutFound", "tableQuiet")
        self.about_found.setText(
            tr(
                "Other programs keep tokenizers on this computer: Hugging Face, Ollama, LM Studio, llama.cpp. Nothing "
                "is searched until you ask, and nothing is downloaded."
            )
        )
        self.take_found = button_of_kind("tokenizersImportFound", tr("Im&port selected…"), "secondary")
        self.tools = self._make_tools(icons)
        self._lay_out()
        self._connect()
        self._show_choice()

    def _make_table(self, theme: Theme) -> FittedTable:
        table = FittedTable("libraryTable")
        table.setAccessibleName(tr("Tokenizers"))
        table.setModel(self.model)
        table.setItemDelegate(LibraryCells(self.model, theme, table))
        set_up_list(table)
        table.setAlternatingRowColors(False)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.horizontalHeader().setStretchLastSection(True)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return table

    def _make_tools(self, icons: Icons) -> ToolRow:
        tools = ToolRow("libraryTools", tr("Library"), self)
        self.find = button_of_kind("tokenizersFind", tr("Fin&d on this computer"), "quiet")
        self.find.setToolTip(tr("Find tokenizers that other programs keep on this computer"))
        self.take = button_of_kind("tokenizersImport", tr("&Import a tokenizer…"), "secondary")
        self.take.setToolTip(tr("Add a tokenizer file to the library"))
        tools.add_button(self.find, icons.icon("find"))
        tools.add_button(self.take, icons.icon("open"))
        return tools

    def _lay_out(self) -> None:
        for chip in self.chips.values():
            chip.setChecked(True)
        top = row_of((self.filter, 1), *self.chips.values(), 1, margins=(16, 9, 16, 7), spacing=6)
        foot = row_of((self.about_found, 1), self.take_found, margins=(16, 6, 16, 8), spacing=8)
        surface = QFrame()
        surface.setProperty("kind", "surface")
        table = row_of(self.table, margins=(12, 0, 4, 0))
        column_of(top, (table, 1), separator(), self.found, foot, parent=surface, spacing=0)
        for widget in (self.found, self.take_found):
            widget.hide()
        row_of((surface, 1), self.details, parent=self, spacing=0)
        pane = self.details
        order = (self.filter, *self.chips.values(), self.table, self.found, self.take_found)
        for before, after in pairwise(
            (*order, pane.use, pane.vocabulary, pane.rename, pane.remove, pane.assign, self.find, self.take)
        ):
            QWidget.setTabOrder(before, after)

    def _connect(self) -> None:
        self.filter.textChanged.connect(self._on_filter)
        for chip in self.chips.values():
            chip.toggled.connect(self._on_filter)
        self.table.selectionModel().currentChanged.connect(self._on_current)
        self.table.doubleClicked.connect(self._on_activated)
        self.take.clicked.connect(self.import_asked)
        self.find.clicked.connect(self._find)
        self.take_found.clicked.connect(self._choose_found)
        self.found.itemActivated.connect(self._choose_found)
        self.found.currentItemChanged.connect(self._show_found_choice)

    # --- display ------------------------------------------------------------------------------------------------------

    def show_entries(self, entries: Sequence[LibraryEntry]) -> None:
        """Show these tokenizers; keeps the selection."""
        name = self.chosen
        self._details.clear()
        self.model.show_entries(entries)
        self._select_or_first(name)

    def show_models(self, models: Mapping[str, Sequence[str]]) -> None:
        """Show which models are counted with each tokenizer."""
        name = self.chosen
        self.model.show_models(models)
        self._select_or_first(name)

    def show_counts(self, counts: Mapping[str, int | None]) -> None:
        """Show the token counts of the prompt by tokenizer."""
        self.model.show_counts(counts)

    def show_details(self, details: Details) -> None:
        """Show facts from the vocabulary of a tokenizer."""
        self._details[details.name] = details
        self.model.show_size(details.name, details.entries)
        if details.name == self.chosen:
            self._show_choice()

    def select(self, name: str) -> None:
        """Select a tokenizer; clears the filters if they hide it."""
        if self.model.row_of(name) < 0:
            self.filter.clear()
            for chip in self.chips.values():
                chip.setChecked(True)
        self._select_or_first(name)

    def _select_or_first(self, name: str) -> None:
        row = max(self.model.row_of(name), 0)
        if row < self.model.rowCount():
            self.table.setCurrentIndex(self.model.index(row, NAME))
            self.table.scrollTo(self.model.index(row, NAME))
        self._show_choice()

    @property
    def chosen(self) -> str:
        """The name of the selected tokenizer; empty if there is none."""
        return self.details.name

    def show_found(self, tokenizers: Sequence[LocalTokenizer]) -> None:
        """Show the results of the search."""
        self.find.setEnabled(True)
        self.found.clear()
        for one in tokenizers:
            item = QListWidgetItem(visible_line(f"{one.title}   ({one.owner})"), self.found)
            item.setData(_DATA, one.path)
            item.setToolTip(plain_tip(str(one.path)))
        self.found.setFixedHeight(min(len(tokenizers), FOUND_ROWS) * (self.fontMetrics().height() + ROW_PADDING) + 8)
        self.found.setVisible(bool(tokenizers))
        self.take_found.setVisible(bool(tokenizers))
        self.about_found.setText(
            tr("Found on this computer: {number}. A file is read only when you import it.").format(
                number=len(tokenizers)
            )
            if tokenizers
            else tr("No tokenizers of other programs found on this computer.")
        )
        if tokenizers:
            self.found.setCurrentRow(0)
            self.found.setFocus()
        self._show_found_choice()

    def show_stopped(self) -> None:
        """Allow a new search after the last one was cancelled."""
        self.find.setEnabled(True)

    # --- user actions -------------------------------------------------------------------------------------------------

    @Slot()
    def _on_filter(self) -> None:
        name = self.chosen
        origins = frozenset(origin for origin, chip in self.chips.items() if chip.isChecked())
        self.model.show_only(origins, self.filter.text())
        self._select_or_first(name)

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self) -> None:
        self._show_choice()

    def _show_choice(self) -> None:
        row = self.table.currentIndex().row()
        entry = self.model.rows[row] if 0 <= row < self.model.rowCount() else None
        before = self.chosen
        name = entry.name if entry is not None else ""
        self.details.show_entry(entry, self.model.models_of(name), self._details.get(name))
        if name and (name != before or name not in self._details):
            self.selected.emit(name)

    @Slot(QModelIndex)
    def _on_activated(self) -> None:
        if self.chosen:
            self.details.use_asked.emit(self.chosen)

    @Slot()
    def _show_found_choice(self) -> None:
        self.take_found.setEnabled(self.found.currentItem() is not None)

    @Slot()
    def _find(self) -> None:
        self.find.setEnabled(False)
        self.about_found.setText(tr("Searching…"))
        self.find_asked.emit()

    @Slot()
    def _choose_found(self) -> None:
        item = self.found.currentItem()
        if item is not None:
            self.found_chosen.emit(item.data(_DATA))


def _line(name: str, role: str) -> QLabel:
    label = PlainLabel(objectName=name)
    label.setWordWrap(True)
    give_role(label, role)
    return label
