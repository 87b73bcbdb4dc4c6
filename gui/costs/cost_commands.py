"""Actions on rows of the cost table: favourites, hiding, pinning, copying, exporting; and the exported tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject, QPoint, QStandardPaths, Qt, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu

from gui.core import exports
from gui.core.exports import ExportTable, Value
from gui.costs.columns import COLUMNS, CostView, title_of
from gui.costs.cost_service import CostService
from gui.costs.cost_table import CostTableModel
from gui.costs.cost_view import CostTable
from gui.costs.money_text import CostText
from gui.costs.prices_service import OWN_VENDOR
from gui.costs.rows import CostRow
from gui.runtime.notify import Notifier
from gui.widgets import file_choosers, table_model

if TYPE_CHECKING:
    from gui.state.storage import Storage
    from pricing.types import CallMix, Scenario


def exact_table(rows: Sequence[CostRow], columns: Sequence[int], view: CostView) -> ExportTable:
    """Return exact values under stable English names; ``columns`` are indices into ``COLUMNS``."""
    return table_model.exact_table([COLUMNS[column] for column in columns], rows, view)


def readable_table(rows: Sequence[CostRow], columns: Sequence[int], view: CostView) -> ExportTable:
    """Return the texts of the cells under the titles of the columns, with English numbers in any locale."""
    plain, chosen = replace(view, text=CostText(QLocale.c())), [COLUMNS[column] for column in columns]
    return table_model.readable_table(chosen, [title_of(column, plain) for column in chosen], rows, plain)


def about_lines(
    when: datetime, version: str, prices_hash: str, encoding: str, scenario: Scenario, mix: CallMix | None = None
) -> tuple[tuple[str, Value], ...]:
    """Return the context that makes an export understandable later on. ``when`` has a time zone."""
    return (
        ("exported", when.isoformat(timespec="seconds")),
        ("application", f"Tokenloupe {version}".strip()),
        ("prices", f"bundled, with a file of your own, sha256 {prices_hash}" if prices_hash else "bundled"),
        ("encoding", encoding),
        ("prices_of", scenario.on),
        ("output_tokens", scenario.output_tokens),
        ("reasoning_tokens", scenario.reasoning_tokens),
        *_range_lines("output", scenario.output_range),
        *_range_lines("reasoning", scenario.reasoning_range),
        ("cached_tokens", scenario.cached_tokens),
        ("cached_share", scenario.cached_share),
        ("cache_write_tokens", scenario.cache_write_tokens),
        ("cache_write_1h_tokens", scenario.cache_write_1h_tokens),
        ("batch", scenario.batch),
        ("service", scenario.service or "standard"),
        *((("hours", scenario.hours),) if scenario.hours else ()),
        ("calls", scenario.calls),
        ("factor", scenario.factor),
        *_mix_lines(mix),
        ("unit", "US dollars"),
    )


def _range_lines(name: str, ends: tuple[int, int] | None) -> tuple[tuple[str, Value], ...]:
    return () if ends is None else ((f"{name}_tokens_low", ends[0]), (f"{name}_tokens_high", ends[1]))


def _mix_lines(mix: CallMix | None) -> tuple[tuple[str, Value], ...]:
    """Return how calls differ; empty if they do not."""
    lines: list[tuple[str, Value]] = []
    if mix is not None and mix.hit_rate is not None:
        lines += [("cache_hit_rate", mix.hit_rate), ("cache_for_an_hour", mix.for_an_hour)]
    if mix is not None and mix.batch_share is not None:
        lines.append(("batch_share", mix.batch_share))
    return tuple(lines)


BOM = "\ufeff"
"""Byte order mark. Without it, spreadsheets read a CSV file in the system's legacy 8-bit encoding."""


class CostCommands(QObject):
    """Actions of the cost table, and its menu.

    Signals: ``edit_asked(str)`` with the ID of the model whose prices are to be edited; ``undo_asked()`` when the last
    price edited in a cell is to be restored.
    """

    edit_asked = Signal(str)
    undo_asked = Signal()

    def __init__(
        self,
        table: CostTable,
        model: CostTableModel,
        service: CostService,
        notifier: Notifier,
        version: str,
    ) -> None:
        super().__init__(table)
        self._table, self._model, self._service = table, model, service
        self._notifier, self._version = notifier, version
        self._storage: Storage | None = None
        self._tables = [table]
        self._make_row_actions()
        self._make_copy_actions()
        self._make_view_actions()
        table.menu_asked.connect(self.show_menu)
        table.star_clicked.connect(self.toggle_star)
        model.arranged.connect(self._show_choices)
        table.selectionModel().selectionChanged.connect(self._show_targets)
        table.current_model_changed.connect(self._show_targets)
        for action in (self.export_csv, self.export_json):
            action.setEnabled(False)
        self._show_choices()

    def add_table(self, table: CostTable) -> None:
        """Add another view of the same rows, which shares the selection of the first."""
        self._tables.append(table)
        table.addActions(self._table.actions())
        table.menu_asked.connect(self.show_menu)
        table.star_clicked.connect(self.toggle_star)

    @property
    def front(self) -> CostTable:
        """View that is visible."""
        return next((table for table in self._tables if table.isVisible()), self._table)

    def use_storage(self, storage: Storage) -> None:
        """Enable exports and write them with ``storage``, which has no other writer."""
        self._storage = storage
        storage.written.connect(self._on_written)
        storage.failed.connect(self._on_write_failed)
        for action in (self.export_csv, self.export_json):
            action.setEnabled(True)

    def all_actions(self) -> list[QAction]:
        """Return all actions, for menus and the command palette."""
        return [
            *(self.favourite, self.pin, self.unpin, self.hide, self.explain, self.edit_prices, self.undo_price),
            *(self.copy_tsv, self.copy_markdown, self.copy_json, self.copy_cell, self.export_csv, self.export_json),
            *(self.show_hidden, self.show_retired, self.show_embedding, self.reload),
        ]

    def view_menu(self, menu: QMenu) -> None:
        """Fill a menu with display options: hidden, retired and embedding models, columns."""
        menu.clear()
        menu.addActions([self.show_hidden, self.show_retired, self.show_embedding])
        menu.addSection(self.tr("Columns"))
        menu.addActions(self.front.column_actions(menu))
        menu.addSeparator()
        menu.addAction(self.tr("&Reset columns"), self.front.reset_columns)
        menu.addSeparator()
        menu.addAction(self.reload)

    def export_menu(self, menu: QMenu) -> None:
        """Fill a menu with copy and export actions."""
        menu.addActions([self.copy_tsv, self.copy_markdown, self.copy_json])
        menu.addSeparator()
        menu.addActions([self.export_csv, self.export_json])

    @Slot(object)
    def show_menu(self, position: QPoint) -> None:
        """Show the menu of the selected rows at a global position."""
        rows = self._table.selected_rows()
        menu = QMenu(self.front)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if rows:
            menu.addActions([self.favourite, self.pin, self.unpin, self.hide, self.explain, self.edit_prices])
            menu.addSeparator()
            self._add_sorting(menu)
            menu.addSeparator()
            menu.addActions([self.copy_tsv, self.copy_markdown, self.copy_json, self.copy_cell])
            menu.addSeparator()
        menu.addActions([self.export_csv, self.export_json])
        menu.addSeparator()
        menu.addActions([self.show_hidden, self.show_retired, self.show_embedding])
        menu.popup(position)

    def selection(self, build: Callable[..., ExportTable]) -> ExportTable:
        """Return the selected rows (all visible rows if none is selected) in the visible columns."""
        rows = self._table.selected_rows() or self._model.shown_rows()
        return build(rows, self.front.visible_columns(), self._model.view)

    def everything(self) -> ExportTable:
        """Return all visible rows in every column, with metadata about their origin."""
        table = exact_table(self._model.shown_rows(), range(len(COLUMNS)), self._model.view)
        prompt, scenario = self._service.prompt, self._service.scenario
        if scenario is None:
            return table
        encoding = prompt.encoding if prompt is not None else ""
        now = datetime.now().astimezone()
        about = about_lines(now, self._version, self._service.prices_hash, encoding, scenario, self._service.mix)
        return ExportTable(table.columns, table.rows, about)

    def write(self, path: Path) -> None:
        """Export to a file: JSON if it ends in ``.json``, else CSV. Needs ``use_storage``."""
        if self._storage is None:
            return
        if path.suffix.casefold() == ".json":
            self._storage.write(path, exports.to_json(self.everything()))
        else:
            self._storage.write(path, BOM + exports.to_csv(self.everything()))

    def _make_row_actions(self) -> None:
        self.favourite = self._action("costFavourite", self.toggle_favourite, "Space")
        self.pin = self._action("costPin", self.pin_baseline, "Ctrl+B")
        self.unpin = self._action("costUnpin", self.unpin_baseline)
        self.hide = self._action("costHide", self.toggle_hidden, "Del")
        self.explain = self._action("costExplain", None)
        self.edit_prices = self._action("costEditPrices", self._edit_prices, "F2")
        keys = QKeySequence.keyBindings(QKeySequence.StandardKey.Undo)[:1]
        self.undo_price = self._action("costUndoPrice", self.undo_asked.emit, *keys)
        bill = self.tr("Show the bill of the selected model in the inspector")
        file = self.tr("Set the prices of the current model in your price file")
        undo = self.tr("Revert the last price changed in the cost table")
        for action, text, tip in (
            (self.favourite, "", self.tr("Add the selected models to your favourites, or remove them")),
            (self.pin, self.tr("&Pin as baseline"), self.tr("Compare all models with the current one")),
            (self.unpin, self.tr("&Unpin the baseline"), self.tr("Stop comparing with a baseline")),
            (self.hide, "", self.tr("Hide or show the selected models")),
            (self.explain, self.tr("&Explain this cost"), bill),
            (self.edit_prices, self.tr("Edit its pr&ices…"), file),
            (self.undo_price, self.tr("Undo price chan&ge"), undo),
        ):
            action.setText(text)
            action.setStatusTip(tip)

    def _make_copy_actions(self) -> None:
        exact = self.tr("Copy the selected rows with exact values, for a spreadsheet")
        readable = self.tr("Copy the selected rows as shown, as a Markdown table")
        typed = self.tr("The selected rows of the cost table with exact values, for a program")
        cell = self.tr("The text of the current cell of the cost table")
        # The bindings after these are keys that few keyboards have, such as F16 and Copy.
        keys = QKeySequence.keyBindings(QKeySequence.StandardKey.Copy)[:2]
        self.copy_tsv = self._action("costCopyTsv", lambda: self._copy_rows(exports.to_tsv, exact_table), *keys)
        self.copy_markdown = self._action(
            "costCopyMarkdown", lambda: self._copy_rows(exports.to_markdown, readable_table)
        )
        self.copy_json = self._action("costCopyJson", lambda: self._copy_rows(exports.to_json, exact_table))
        self.copy_cell = self._action("costCopyCell", self._copy_cell)
        self.export_csv = self._action(
            "costExportCsv", lambda: self._ask_and_write("csv", self.tr("Spreadsheet (*.csv)"))
        )
        self.export_json = self._action("costExportJson", lambda: self._ask_and_write("json", self.tr("JSON (*.json)")))
        for action, text, tip in (
            (self.copy_tsv, self.tr("&Copy rows (TSV)"), exact),
            (self.copy_markdown, self.tr("Copy rows as &Markdown"), readable),
            (self.copy_json, self.tr("Copy rows as &JSON"), typed),
            (self.copy_cell, self.tr("Copy ce&ll"), cell),
            (self.export_csv, self.tr("Export as CS&V…"), self.tr("Save the cost table to a file for a spreadsheet")),
            (self.export_json, self.tr("Export as JS&ON…"), self.tr("Save the cost table to a file for a program")),
        ):
            action.setText(text)
            action.setStatusTip(tip)

    def _make_view_actions(self) -> None:
        change = self._model.change
        self.show_hidden = self._action("costShowHidden", None)
        self.show_retired = self._action("costShowRetired", None)
        self.show_embedding = self._action("costShowEmbedding", None)
        retired = self.tr("Models no longer served by their vendor")
        embedding = self.tr("Embedding models: billed for input only, so they would rank cheapest")
        for action, tip, act in (
            (self.show_hidden, self.tr("Models you have hidden"), lambda on: change(show_hidden=on)),
            (self.show_retired, retired, lambda on: change(show_retired=on)),
            (self.show_embedding, embedding, lambda on: change(show_embedding=on)),
        ):
            action.setStatusTip(tip)
            action.setCheckable(True)
            action.toggled.connect(act)
        self.reload = self._action("costReload", self._service.reload_prices)
        self.reload.setText(self.tr("Reload prices"))
        file = self._service.prices_file
        words = self.tr("Reload your price file, {file}") if file is not None else self.tr("Reload prices")
        self.reload.setStatusTip(words.format(file=file))

    def _action(self, name: str, act: Callable[[], object] | None, *shortcuts: str | QKeySequence) -> QAction:
        action = QAction(self._table, objectName=name)
        action.setShortcuts([QKeySequence(shortcut) for shortcut in shortcuts])
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        if act is not None:
            action.triggered.connect(act)
        self._table.addAction(action)
        return action

    def _add_sorting(self, menu: QMenu) -> None:
        """Add sorting by keyboard: by the column of the current cell, alone or after the present sort columns."""
        column = self._table.currentIndex().column()
        if column < 0:
            return
        title, model = title_of(COLUMNS[column], self._model.view), self._model
        for text, act in (
            (self.tr("Sort &by {column}, ascending"), lambda: model.sort(column)),
            (self.tr("Sort b&y {column}, descending"), lambda: model.sort(column, Qt.SortOrder.DescendingOrder)),
            (self.tr("&Then sort by {column}"), lambda: model.sort_also(column)),
        ):
            menu.addAction(text.format(column=title), act)

    @Slot()
    def toggle_favourite(self) -> None:
        """Make the selected models favourites; if all of them are, make them no longer favourites."""
        self._toggle("favourites", [row.model_id for row in self._table.selected_rows()])

    @Slot()
    def toggle_hidden(self) -> None:
        """Hide the selected models; if all of them are hidden, show them."""
        self._toggle("hidden", [row.model_id for row in self._table.selected_rows()])

    @Slot()
    def pin_baseline(self) -> None:
        """Make the current row the baseline for all rows."""
        row = self._table.current_row()
        if row is not None:
            self._model.change(baseline=row.model_id)
            self.front.show_column("ratio")

    @Slot()
    def unpin_baseline(self) -> None:
        """Remove the baseline."""
        self._model.change(baseline=None)

    @Slot()
    def _edit_prices(self) -> None:
        """Edit the price in the current cell if it is one, else open the form."""
        row = self._table.current_row()
        if row is not None and not self.front.edit_price(self._table.currentIndex()):
            self.edit_asked.emit(row.model_id)

    def _toggle(self, choice: str, ids: list[str]) -> None:
        chosen: frozenset[str] = getattr(self._model.arrangement, choice)
        self._model.change(**{choice: chosen - set(ids) if set(ids) <= chosen else chosen | set(ids)})

    @Slot(str)
    def toggle_star(self, model_id: str) -> None:
        """Toggle whether a model is a favourite."""
        self._toggle("favourites", [model_id])

    @Slot()
    def _show_choices(self) -> None:
        arrangement, result = self._model.arrangement, self._model.result
        self.show_hidden.setText(self.tr("Show hidden models ({number})").format(number=result.hidden))
        self.show_retired.setText(self.tr("Show retired models ({number})").format(number=result.retired))
        self.show_embedding.setText(self.tr("Show embedding models ({number})").format(number=result.embedding))
        self.show_hidden.setChecked(arrangement.show_hidden)
        self.show_retired.setChecked(arrangement.show_retired)
        self.show_embedding.setChecked(arrangement.show_embedding)
        self.unpin.setEnabled(arrangement.baseline is not None)
        self._show_targets()

    @Slot()
    def _show_targets(self) -> None:
        """Name the actions after their effect on the selected rows."""
        arrangement = self._model.arrangement
        ids = {row.model_id for row in self._table.selected_rows()}
        starred, hidden = ids and ids <= arrangement.favourites, ids and ids <= arrangement.hidden
        self.favourite.setText(self.tr("Remove from &favourites") if starred else self.tr("Add to &favourites"))
        self.hide.setText(self.tr("Un&hide") if hidden else self.tr("&Hide from the cost table"))
        for action in (self.favourite, self.pin, self.hide, self.explain, self.copy_cell):
            action.setEnabled(bool(ids))
        current = self._table.current_row()
        # A user tokenizer has a row, but no prices.
        self.edit_prices.setEnabled(current is not None and current.model.vendor != OWN_VENDOR)

    def _copy_rows(self, written: Callable[[ExportTable], str], build: Callable[..., ExportTable]) -> None:
        self._copy(written(self.selection(build)))

    @Slot()
    def _copy_cell(self) -> None:
        row = self._table.current_row()
        if row is not None:
            self._copy(self._model.cell_text(row, self._table.currentIndex().column()))

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._notifier.remark(self.tr("Copied to the clipboard."))

    def _ask_and_write(self, suffix: str, kind: str) -> None:
        folder = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
        title, proposed = self.tr("Export the cost table"), folder / f"costs.{suffix}"
        dialog = file_choosers.saving(self._table.window(), "costExportDialog", title, proposed, [kind])
        dialog.setDefaultSuffix(suffix)
        dialog.fileSelected.connect(self._on_target)
        dialog.open()

    @Slot(str)
    def _on_target(self, path: str) -> None:
        self.write(Path(path))

    @Slot(object)
    def _on_written(self, path: Path) -> None:
        self._notifier.remark(self.tr("Exported to {path}.").format(path=path))

    @Slot(object, str)
    def _on_write_failed(self, path: Path, reason: str) -> None:
        text = self.tr("Could not export the table to {path}.").format(path=path)
        self._notifier.error(text, reason, key="cost-export")
