"""Import of published prices: the dialog that compares them with those in effect, and its controller.

The user selects in it the values to import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QCoreApplication,
    QObject,
    QStandardPaths,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QTableView,
    QTabWidget,
    QWidget,
)

from gui.core.token_text import visible_line
from gui.costs.model_prices import field_text
from gui.costs.price_import_service import (
    CHANGES,
    EVERYTHING,
    KEPT,
    NEW_MODELS,
    UNTOUCHED,
    ApplyRequest,
    FilterRequest,
    Preview,
    PreviewRequest,
    ReadTable,
    apply,
    filter_rows,
    installed,
    preview,
)
from gui.costs.prices_service import amount_text
from gui.look.icons import Icons
from gui.look.quantities import figure
from gui.look.style_sheet import give_tone
from gui.look.theme import Theme
from gui.widgets import file_choosers
from gui.widgets.file_choosers import DroppedFiles
from gui.widgets.forms import Dialog, button_row, column_of, row_of
from gui.widgets.labels import EmptyState, PlainLabel
from gui.widgets.table_model import Column, TableModel
from gui.widgets.tables import ROW_PADDING, set_up_rows

if TYPE_CHECKING:
    from gui.costs.prices_controller import PricesController
    from gui.costs.prices_page import PricingPanel
    from gui.runtime.jobs import JobFailure, JobResult
    from gui.widgets.page_controller import AppContext
    from pricing.importers import Difference


# --- rows -------------------------------------------------------------------------------------------------------------

MODEL, FIELD, BUILT_IN, YOURS, THEIRS, TABLE, OUTCOME = range(7)


class ImportRows(TableModel):
    """Rows of a preview that are shown, and the set of all checked rows. A table row holds an index into all rows.

    Signals: ``ticked_changed()``.
    """

    ticked_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, parent=parent, context="ImportRows")
        self._all: tuple[Difference, ...] = ()
        self._rivals: Mapping[int, tuple[int, ...]] = {}
        self._ticked: set[int] = set()
        self.check_changed.connect(self._on_check_changed)

    @property
    def view(self) -> ImportRows:
        return self

    @property
    def rows(self) -> tuple[Difference, ...]:
        """All rows, in the order of the models' IDs."""
        return self._all

    @property
    def ticked(self) -> tuple[Difference, ...]:
        """Checked rows, shown or not."""
        return tuple(self._all[index] for index in sorted(self._ticked))

    @property
    def ticked_count(self) -> int:
        """Number of checked rows."""
        return len(self._ticked)

    def set_preview(self, preview: Preview) -> None:
        """Replace the rows, none of which is shown yet. Rows that were checked before and still exist stay checked."""
        before = {_key(row) for row in self.ticked}
        self.show(())
        self._all, self._rivals = preview.rows, preview.rivals or {}
        self._ticked = {index for index, row in enumerate(self._all) if _key(row) in before} if before else set()
        self.ticked_changed.emit()

    def tick_shown(self, on: bool) -> None:
        """Check every row that is shown and applicable, or uncheck all rows shown. If several tables have a value for
        the same field, the first is checked."""
        if on:
            for index in self._rows:
                taken = any(rival in self._ticked for rival in self._rivals.get(index, ()))
                if self._all[index].applicable and not taken:
                    self._ticked.add(index)
        else:
            self._ticked.difference_update(self._rows)
        self._ticks_changed()

    def tick(self, shown_rows: Iterable[int], on: bool) -> None:
        """Check or uncheck some of the rows shown."""
        for index in (self._rows[row] for row in shown_rows):
            if not on:
                self._ticked.discard(index)
            elif self._all[index].applicable:
                self._ticked.difference_update(self._rivals.get(index, ()))  # a field has one value
                self._ticked.add(index)
        self._ticks_changed()

    def is_ticked(self, shown_row: int) -> bool:
        """Return True if a row that is shown is checked."""
        return self._rows[shown_row] in self._ticked

    def check_of(self, index: int) -> bool | None:
        """Return True if the row at an index into all rows is checked; None if it cannot be."""
        return index in self._ticked if self._all[index].applicable else None

    @Slot(object, str, bool)
    def _on_check_changed(self, index: int, _key: str, on: bool) -> None:
        self.tick([self._rows.index(index)], on)

    def _ticks_changed(self) -> None:
        self.notify_changed(MODEL)
        self.ticked_changed.emit()


def _key(row: Difference) -> tuple[str, str, str]:
    return row.table, row.model_id, row.path


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("ImportRows", text)


def value_text(value: Any) -> str:
    """Return a value as text, as a price file writes it. Amounts are US dollars per million tokens."""
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return amount_text(value)
    if isinstance(value, list):
        return "; ".join(map(value_text, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {_part_text(item)}" for name, item in value.items())
    if isinstance(value, int):
        return f"{value:,}"
    return value.isoformat() if isinstance(value, date) else str(value)


def _part_text(item: Any) -> str:
    if item is None:
        return tr("n/a")
    words = value_text(item)
    return f"({words})" if isinstance(item, (list, dict)) else words


def _text(row: Difference, column: int) -> str:
    if column == OUTCOME:
        return _outcome(row)
    if column == FIELD:
        return field_text(row.path)
    if column in (BUILT_IN, YOURS, THEIRS):
        return value_text({BUILT_IN: row.bundled, YOURS: row.yours, THEIRS: row.theirs}[column])
    return row.table if column == TABLE else row.model_id


def _outcome(row: Difference) -> str:
    if not row.applicable:
        return tr("keeps yours")
    if row.is_new:
        words = tr("adds a new model")
    elif row.state == "adds":
        words = tr("adds a missing value")
    else:
        words = tr("replaces the built-in value")
    return tr("{words}; doubtful").format(words=words) if row.doubt else words


def _tip(row: Difference, column: int) -> str:
    lines = [_text(row, column)]
    if row.doubt:
        lines.append(tr("Doubtful: {why}.").format(why=row.doubt))
    if row.source:
        lines.append(tr("Source: {source}").format(source=row.source))
    if row.checked is not None:
        lines.append(tr("Checked {day}").format(day=row.checked.isoformat()))
    if not row.applicable:
        lines.append(
            tr("An import never overwrites your own values. Remove the value from your file to import this one.")
        )
    return "\n".join(filter(None, lines))


def _accessible_row(index: int, rows: ImportRows) -> str:
    row = rows.rows[index]
    parts = (_text(row, part) for part in (MODEL, FIELD, THEIRS, OUTCOME))
    return ", ".join((*parts, tr("checked") if rows.check_of(index) else tr("not checked")))


def _column(column: int, key: str, title: str, **more: Any) -> Column:
    return Column(
        key,
        title,
        "",
        lambda index, rows: _text(rows.rows[index], column),
        tip=lambda index, rows: _tip(rows.rows[index], column),
        numeric=column in (BUILT_IN, YOURS, THEIRS),
        **more,
    )


_COLUMNS = (
    _column(
        MODEL,
        "model",
        QT_TRANSLATE_NOOP("ImportRows", "Model"),
        check=lambda index, rows: rows.check_of(index),
        spoken=_accessible_row,
    ),
    _column(FIELD, "field", QT_TRANSLATE_NOOP("ImportRows", "Field")),
    _column(BUILT_IN, "built_in", QT_TRANSLATE_NOOP("ImportRows", "Built in")),
    _column(YOURS, "yours", QT_TRANSLATE_NOOP("ImportRows", "Yours")),
    _column(THEIRS, "imported", QT_TRANSLATE_NOOP("ImportRows", "Imported")),
    _column(TABLE, "table", QT_TRANSLATE_NOOP("ImportRows", "Table")),
    _column(OUTCOME, "outcome", QT_TRANSLATE_NOOP("ImportRows", "Effect")),
)


def _read_column(key: str, title: str, text: Callable[[Any, object], str]) -> Column:
    """Return a column with a tooltip, since it may be too narrow for its text."""
    return Column(key, title, "", text, tip=text)


_SUBJECT = (
    _read_column("model", QT_TRANSLATE_NOOP("ImportRows", "Model"), lambda row, _view: row[0]),
    _read_column("field", QT_TRANSLATE_NOOP("ImportRows", "Field"), lambda row, _view: field_text(row[1])),
)
"""First columns of values on which the sources disagree; a column for each source follows."""
_NOT_TAKEN = (
    _read_column("table", QT_TRANSLATE_NOOP("ImportRows", "Table"), lambda one, _view: one.table),
    _read_column("entry", QT_TRANSLATE_NOOP("ImportRows", "Entry"), lambda one, _view: one.source_id),
    _read_column("value", QT_TRANSLATE_NOOP("ImportRows", "Value"), lambda one, _view: one.key),
    _read_column("why", QT_TRANSLATE_NOOP("ImportRows", "Reason"), lambda one, _view: one.why),
)


# --- dialog -----------------------------------------------------------------------------------------------------------

SIZE = (1040, 620)


class PriceImportDialog(Dialog):
    """Dialog that asks for files and shows their values; accepted with checked rows, which the caller imports.

    Signals: ``files_chosen(list[Path])``; ``browse_asked()``; ``filter_asked(FilterRequest)``.
    """

    files_chosen = Signal(list)
    browse_asked = Signal()
    filter_asked = Signal(object)

    def __init__(
        self,
        theme: Theme,
        icons: Icons,
        parent: QWidget | None = None,
        installed: Sequence[tuple[str, Path]] = (),
    ) -> None:
        """``installed``: tables of installed packages, as package name with version, and file."""
        super().__init__(parent)
        self._installed = tuple(installed)
        self.setObjectName("priceImportDialog")
        self.setWindowTitle(self.tr("Import prices"))
        DroppedFiles(self).dropped.connect(self.files_chosen)
        self._theme = theme
        self._preview = Preview(())
        self.rows = ImportRows(self)
        self._make_top()
        self._make_filters()
        self._make_tabs()
        self._make_bottom()
        self._make_empty(icons)
        self._lay_out()
        self._connect()
        self.show_preview(self._preview)
        available = parent.window().size() if parent is not None else self.size()
        self.resize(min(SIZE[0], max(available.width() - 40, 560)), min(SIZE[1], max(available.height() - 60, 420)))

    def show_reading(self) -> None:
        """Show that files are being read."""
        self.about.setText(self.tr("Reading…"))
        self.empty.say(self.tr("Reading…"))
        self._allow_files(False)
        self.add_installed.setEnabled(False)
        self._show_choice()

    @Slot()
    def _choose_installed(self) -> None:
        read = {table.path for table in self._preview.tables}
        self.files_chosen.emit([path for _, path in self._installed if path not in read])

    def show_stopped(self) -> None:
        """Show the results from before the cancelled reading again."""
        self.show_preview(self._preview)

    def show_preview(self, preview: Preview) -> None:
        """Show the results; rows that were checked stay checked."""
        self._preview = preview
        self._allow_files(True)
        read = {table.path for table in preview.tables}
        self.add_installed.setEnabled(any(path not in read for _, path in self._installed))
        self.about.setText(self._about(preview.tables))
        self.empty.say(self._invitation())
        if any(table.imported is not None for table in preview.tables):
            self._leave_empty()
        self._show_faults(preview)
        chosen = self.provider.currentData()
        self.provider.clear()
        self.provider.addItem(self.tr("All providers"), "")
        for name in preview.providers:
            self.provider.addItem(visible_line(name), name)
        self.provider.setCurrentIndex(max(self.provider.findData(chosen), 0))
        self.rows.set_preview(preview)
        self._show_disagreements(preview)
        self.differing_table.setColumnWidth(MODEL, self._widen)
        self.left_out.show(preview.not_taken)
        self._name_tabs()
        self._ask_filter()

    def show_filtered(self, indices: Sequence[int], request: FilterRequest) -> None:
        """Show the rows that passed, unless the filter has changed in the meantime."""
        if request == self._request():
            self.rows.show(indices)
            self._show_choice()

    def _make_top(self) -> None:
        self.add = QPushButton(self.tr("&Add a file…"), objectName="priceImportAdd", autoDefault=False)
        self.add.setToolTip(self.tr("Read a published price table from a file, or drop it here"))
        self.add.setAccessibleName(self.add.toolTip())
        self.add_installed = QPushButton(self.tr("Add insta&lled tables"), objectName="priceImportInstalled")
        names = ", ".join(name for name, _ in self._installed)
        self.add_installed.setToolTip(self.tr("Read price tables from installed packages: {names}").format(names=names))
        self.add_installed.setAccessibleName(self.add_installed.toolTip())
        self.add_installed.setAutoDefault(False)
        self.add_installed.setVisible(bool(self._installed))
        self.about = PlainLabel(objectName="priceImportAbout")
        self.faults = PlainLabel(objectName="priceImportFaults")
        give_tone(self.faults, "error")
        for label in (self.about, self.faults):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def _make_empty(self, icons: Icons) -> None:
        self.empty = EmptyState(
            "priceImportEmpty", "open", self._invitation(), self.tr("&Add a file…"), icons, self._theme
        )
        assert self.empty.button is not None
        self.empty.button.setAutoDefault(False)
        self.empty.button.setAccessibleName(self.add.accessibleName())
        self.empty.button.clicked.connect(self.browse_asked)
        self.empty.add_action(self.add_installed)

    def _invitation(self) -> str:
        return self.tr(
            "No price tables yet. Add a published one or drop it here: LiteLLM's map of models, llm-prices, "
            "models.dev or genai-prices. Nothing changes until you check values and import them."
        )

    def _allow_files(self, allowed: bool) -> None:
        assert self.empty.button is not None
        for button in (self.add, self.empty.button):
            button.setEnabled(allowed)

    def _leave_empty(self) -> None:
        """Show the tables in place of the empty state."""
        if self._pages.currentWidget() is self.empty:
            self._top.insertWidget(0, self.add_installed, 0, Qt.AlignmentFlag.AlignTop)
            self.setTabOrder(self.add_installed, self.add)
            self._pages.setCurrentIndex(1)
            self.table.setFocus()

    def _make_filters(self) -> None:
        self.words = QLineEdit(objectName="priceImportFilter", placeholderText=self.tr("Filter"))
        self.words.setAccessibleName(self.tr("Filter models and values"))
        self.words.setToolTip(self.words.accessibleName())
        self.words.setClearButtonEnabled(True)
        self.kind = QComboBox(objectName="priceImportKind", accessibleName=self.tr("Which differences are shown"))
        for text, kind in (
            (self.tr("All differences"), EVERYTHING),
            (self.tr("Only changes of known models"), CHANGES),
            (self.tr("Only new models"), NEW_MODELS),
            (self.tr("Only where yours is kept"), KEPT),
        ):
            self.kind.addItem(text, kind)
        self.provider = QComboBox(objectName="priceImportProvider", minimumContentsLength=14)
        self.provider.setAccessibleName(self.tr("Provider whose models are shown"))
        self.all = QPushButton(self.tr("&Check all shown"), objectName="priceImportAll")
        self.none = QPushButton(self.tr("&Uncheck all shown"), objectName="priceImportNone")
        for button in (self.all, self.none):
            button.setAutoDefault(False)

    def _make_tabs(self) -> None:
        self.table = _TickTable(objectName="priceImportTable")
        self.table.setModel(self.rows)
        self.table.setAccessibleName(self.tr("Differences; Space checks the selected rows"))
        width = self.fontMetrics().averageCharWidth()
        widths = {MODEL: 32, FIELD: 17, BUILT_IN: 11, YOURS: 10, THEIRS: 11, TABLE: 13}
        for column, characters in widths.items():
            self.table.setColumnWidth(column, width * characters)
        self.differing = TableModel(_SUBJECT, parent=self, context="ImportRows")
        self.left_out = TableModel(_NOT_TAKEN, parent=self, context="ImportRows")
        self.differing_table = _plain_table(self.differing, "priceImportDisagreements")
        self.differing_table.setAccessibleName(self.tr("Values where the sources disagree"))
        self.left_out_table = _plain_table(self.left_out, "priceImportNotTaken")
        self.left_out_table.setAccessibleName(self.tr("Not imported, with the reason"))
        self.differing_table.horizontalHeader().setDefaultSectionSize(width * 16)
        self.left_out_table.horizontalHeader().setDefaultSectionSize(width * 34)
        self._widen = width * 30
        self.tabs = QTabWidget(objectName="priceImportTabs", accessibleName=self.tr("Contents of the tables"))
        for table in (self.table, self.differing_table, self.left_out_table):
            table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)
            table.horizontalHeader().setStretchLastSection(True)
            table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            self.tabs.addTab(table, "")
        self.tabs.setDocumentMode(True)

    def _make_bottom(self) -> None:
        self.choice = QLabel(objectName="priceImportChoice", wordWrap=True)
        self.choice.setTextFormat(Qt.TextFormat.PlainText)
        self.buttons = button_row(self, QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Cancel)
        self.take = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.take.setObjectName("priceImportTake")

    def _lay_out(self) -> None:
        self._top = row_of((self.add, 0, Qt.AlignmentFlag.AlignTop), (self.about, 1))
        filters = row_of((self.words, 1), self.kind, self.provider, self.all, self.none)
        tables = QWidget(self)
        column_of(self._top, filters, (self.tabs, 1), parent=tables)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(tables)
        bottom = row_of((self.choice, 1), self.buttons)
        column_of(self.faults, (self._pages, 1), bottom, parent=self, margins=None)

    def _connect(self) -> None:
        self.add.clicked.connect(self.browse_asked)
        self.add_installed.clicked.connect(self._choose_installed)
        self.words.textChanged.connect(self._ask_filter)
        self.kind.currentIndexChanged.connect(self._ask_filter)
        self.provider.activated.connect(self._ask_filter)
        self.all.clicked.connect(self._tick_all)
        self.none.clicked.connect(self._untick_all)
        self.rows.ticked_changed.connect(self._show_choice)

    def _about(self, tables: Sequence[ReadTable]) -> str:
        read = [table for table in tables if table.imported is not None]
        words = self.tr("{table}: {number} models, from {file}")
        return "\n".join(
            words.format(
                table=table.imported.table,
                number=figure(self.locale(), len(table.imported.candidates)),
                file=visible_line(table.path.name),
            )
            for table in read
            if table.imported is not None
        )

    def _show_faults(self, preview: Preview) -> None:
        unread = [table for table in preview.tables if table.imported is None]
        words = [
            self.tr("Could not read {file}: {why}.").format(file=visible_line(one.path.name), why=one.why)
            for one in unread
        ]
        if preview.problems:
            words.append(self.tr("Your price file has errors. Fix them first."))
        self.faults.setText("\n".join(f"✗ {sentence}" for sentence in words))
        self.faults.setVisible(bool(words))

    def _show_disagreements(self, preview: Preview) -> None:
        tables = (table.imported.table for table in preview.tables if table.imported is not None)
        names = [UNTOUCHED, *tables] if preview.disagreements else []
        rows = [(one.model_id, one.path, dict(one.values)) for one in preview.disagreements]

        def column(name: str) -> Column:
            def words(row: tuple[str, str, dict[str, object]], _view: object) -> str:
                return value_text(row[2].get(name))

            return Column(name, self.tr("Built in") if name == UNTOUCHED else name, "", words, tip=words)

        self.differing.show(rows, columns=(*_SUBJECT, *map(column, names)))

    def _name_tabs(self) -> None:
        preview, locale = self._preview, self.locale()
        for index, (words, number) in enumerate(
            (
                (self.tr("Differences ({number})"), len(preview.rows)),
                (self.tr("Sources disagree ({number})"), len(preview.disagreements)),
                (self.tr("Not imported ({number})"), len(preview.not_taken)),
            )
        ):
            self.tabs.setTabText(index, words.format(number=figure(locale, number)))

    def _request(self) -> FilterRequest:
        return FilterRequest(
            self.rows.rows, self.words.text(), str(self.provider.currentData() or ""), self.kind.currentData()
        )

    @Slot()
    def _ask_filter(self) -> None:
        self.filter_asked.emit(self._request())

    @Slot()
    def _tick_all(self) -> None:
        self.rows.tick_shown(True)

    @Slot()
    def _untick_all(self) -> None:
        self.rows.tick_shown(False)

    @Slot()
    def _show_choice(self) -> None:
        locale, ticked, shown = self.locale(), self.rows.ticked_count, self.rows.rowCount()
        self.take.setText(self.tr("&Import {number} values").format(number=figure(locale, ticked)))
        if ticked == 1:
            self.take.setText(self.tr("&Import one value"))
        elif not ticked:
            self.take.setText(self.tr("&Import"))
        self.take.setEnabled(bool(ticked) and self.add.isEnabled())
        self.all.setEnabled(bool(shown))
        self.none.setEnabled(bool(shown))
        words = self.tr("{shown} of {all} differences shown, {ticked} checked.")
        if not self.rows.rows:
            read = any(table.imported is not None for table in self._preview.tables)
            words = self.tr("Nothing differs from your prices.") if read and not self._preview.problems else ""
        self.choice.setText(
            words.format(
                shown=figure(locale, shown), all=figure(locale, len(self.rows.rows)), ticked=figure(locale, ticked)
            )
        )


class _TickTable(QTableView):
    """Table in which Space checks the selected rows, or unchecks them if all are checked."""

    def __init__(self, *, objectName: str) -> None:
        super().__init__(objectName=objectName)
        set_up_rows(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        model = self.model()
        if event.key() != Qt.Key.Key_Space or not isinstance(model, ImportRows):
            super().keyPressEvent(event)
            return
        rows = [index.row() for index in self.selectionModel().selectedRows()]
        model.tick(rows, not all(model.is_ticked(row) for row in rows))


def _plain_table(model: TableModel, name: str) -> QTableView:
    table = QTableView(objectName=name)
    set_up_rows(table)
    table.setModel(model)
    return table


# --- controller -------------------------------------------------------------------------------------------------------

IMPORT = "price-import"


class PriceImportController(QObject):
    """Controller of the import dialog, for the text on the page Prices. One dialog at a time."""

    def __init__(self, panel: PricingPanel, prices: PricesController, context: AppContext) -> None:
        super().__init__(prices)
        self._panel, self._prices, self._context, self._notifier = panel, prices, context, context.notifier
        self._user_encodings = context.encodings.user.names  # called on a worker thread
        self._file_name = context.paths.prices_file.name
        self._dialog: PriceImportDialog | None = None
        self._tables: tuple[ReadTable, ...] = ()
        self._folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
        panel.import_asked.connect(self.open)
        panel.tables_dropped.connect(self.open)
        self._previewing = context.jobs.exclusive(self.tr("Reading price tables"), preview)
        self._filtering = context.jobs.conflated(self.tr("Filtering price tables"), filter_rows)
        self._applying = context.jobs.exclusive(self.tr("Importing prices"), apply)
        for lane, receiver in (
            (self._previewing, self._on_previewed),
            (self._filtering, self._on_filtered),
            (self._applying, self._on_applied),
        ):
            lane.finished.connect(receiver)
            lane.failed.connect(self._on_failed)
            lane.cancelled.connect(self._on_stopped)

    @Slot()
    @Slot(list)
    def open(self, paths: Sequence[Path] = ()) -> None:
        """Show the dialog; ``paths``: files to read at once."""
        why = self._prices.why_not_changed()
        if why:
            self._notifier.warning(self.tr("Cannot import now: {why}").format(why=why), key=IMPORT)
            return
        self._notifier.withdraw(IMPORT)
        if self._dialog is None:
            self._tables = ()
            self._dialog = dialog = PriceImportDialog(
                self._context.theme, self._context.icons, self._panel.window(), installed()
            )
            dialog.browse_asked.connect(self._browse)
            dialog.files_chosen.connect(self._read)
            dialog.filter_asked.connect(self._filtering.submit)
            dialog.finished.connect(self._on_finished)
            dialog.open()
        if paths:
            self._read(list(paths))

    @Slot()
    def _browse(self) -> None:
        filters = [self.tr("Price tables (*.json *.py)"), self.tr("All files (*)")]
        title = self.tr("Published price tables")
        chooser = file_choosers.opening(self._dialog, "priceImportFiles", title, self._folder, filters, several=True)
        chooser.filesSelected.connect(self._on_files)
        chooser.open()

    @Slot(list)
    def _on_files(self, names: list[str]) -> None:
        self._folder = str(Path(names[0]).parent)
        self._read([Path(name) for name in names])

    @Slot(list)
    def _read(self, paths: list[Path]) -> None:
        if self._dialog is None:
            return
        self._dialog.show_reading()
        self._previewing.submit(
            PreviewRequest(
                tuple(paths),
                self._tables,
                self._panel.editor.text(),
                self._file_name,
                self._context.pages.costs.service.today,
                self._user_encodings,
            )
        )

    @Slot(object)
    def _on_previewed(self, result: JobResult) -> None:
        answer: Preview = result.value
        self._tables = tuple(table for table in answer.tables if table.imported is not None)
        if self._dialog is not None:
            self._dialog.show_preview(answer)

    @Slot(object)
    def _on_filtered(self, result: JobResult) -> None:
        if self._dialog is not None:
            self._dialog.show_filtered(result.value, result.request)

    @Slot(int)
    def _on_finished(self, result: int) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is None:
            return
        if result == PriceImportDialog.DialogCode.Accepted and dialog.rows.ticked_count:
            editor, picked = self._panel.editor, dialog.rows.ticked
            request = ApplyRequest(editor.revision, editor.text(), self._file_name, picked, self._user_encodings)
            self._applying.submit(request)
        dialog.deleteLater()

    @Slot(object)
    def _on_applied(self, result: JobResult) -> None:
        applied, request = result.value, result.request
        first, _, rest = applied.why.partition("\n")
        if first:
            words = self.tr("Nothing was imported: {why}.").format(why=first)
            self._notifier.warning(words, rest, key=IMPORT)
        elif applied.splice is not None:
            models, locale = len({row.model_id for row in request.picked}), self._panel.locale()
            words = self.tr("Imported into your price file. Values: {values}; models: {models}.")
            words = words.format(values=figure(locale, len(request.picked)), models=figure(locale, models))
            if not self._prices.put(applied.splice, request.revision, words):
                self._notifier.warning(self.tr("The text changed in the meantime. Nothing was imported."), key=IMPORT)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        words = self.tr("The import failed: {why}. Nothing was changed.")
        self._notifier.error(words.format(why=failure.why), key=IMPORT)
        self._on_stopped()

    @Slot()
    def _on_stopped(self) -> None:
        """Show the previous results again."""
        if self._dialog is not None:
            self._dialog.show_stopped()
