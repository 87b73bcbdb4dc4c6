"""Takes the figures of a comparison elsewhere: copied as TSV or Markdown, written as CSV.

Where the encodings differ is told with the text that stands there: that text is looked through for API keys first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, Slot
from PySide6.QtGui import QGuiApplication

from gui.core import exports
from gui.core.api_keys import keys_in_text
from gui.core.exports import ExportTable
from gui.core.text_chunks import HeldText
from gui.models.comparison_words import differences_table, export_table
from gui.panels.compare_panel import ComparePanel
from gui.runtime.notify import Notifier
from gui.widgets import file_choosers

if TYPE_CHECKING:
    from gui.state.storage import Storage
    from gui.tabs.compare_flow import CompareFlow
    from gui.widgets.api_key_check import KeyGuard

BOM = "\ufeff"
"""Tells spreadsheets that a CSV file is UTF-8."""


class CompareExports(QObject):
    """Fills the menu of the panel, and does what it says."""

    def __init__(
        self,
        panel: ComparePanel,
        flow: CompareFlow,
        storage: Storage,
        guard: KeyGuard,
        notifier: Notifier,
        parent: QObject,
    ) -> None:
        """``storage``: which nobody else writes with."""
        super().__init__(parent)
        self._panel, self._flow, self._storage, self._notifier = panel, flow, storage, notifier
        self._guard = guard
        storage.written.connect(self._on_written)
        storage.failed.connect(self._on_failed)
        for title, table in (
            (self.tr("Totals, scripts and kinds"), self.totals),
            (self.tr("Where they differ"), self.differences),
        ):
            menu = panel.export_menu
            menu.addSection(title)
            menu.addAction(self.tr("Copy as TSV"), partial(self._copy, table, exports.to_tsv))
            menu.addAction(self.tr("Copy as Markdown"), partial(self._copy, table, exports.to_markdown))
            menu.addAction(self.tr("Export as CSV…"), partial(self._ask, table))
        self._asked: Callable[[], ExportTable] = self.totals

    def totals(self) -> ExportTable:
        """Of the whole text, and of its parts."""
        assert self._flow.compared is not None
        return export_table(self._flow.compared.comparison, self._panel.encodings.base_number)

    def differences(self) -> ExportTable:
        """Those that are listed."""
        assert self._flow.compared is not None
        by_lines = self._panel.pages.by_lines.isChecked()
        return differences_table(self._flow.compared.comparison, by_lines=by_lines)

    def write(self, table: ExportTable, path: Path) -> None:
        """Write a CSV file."""
        self._storage.write(path, BOM + exports.to_csv(table))

    def _copy(self, table: Callable[[], ExportTable], form: Callable[[ExportTable], str]) -> None:
        if self._is_there():
            self._guarded(table, lambda made: self._put_on_clipboard(form(made)))

    def _put_on_clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._notifier.remark(self.tr("Copied: the figures of the comparison"))

    def _guarded(self, table: Callable[[], ExportTable], go: Callable[[ExportTable], None]) -> None:
        """Hand on a table as it is now; one with words of the text in it after a look through the whole text: an
        excerpt that cuts a key would not be known for one."""
        made = table()
        if table != self.differences:
            go(made)
            return
        assert self._flow.compared is not None
        look = partial(_keys_of, self._flow.compared.request.text)
        self._guard.before(self.tr("The text"), look, partial(go, made))

    def _is_there(self) -> bool:
        """Whether there is a comparison of the encodings that are listed."""
        if self._flow.settled:
            return True
        self._notifier.remark(self.tr("The comparison is not there yet."))
        return False

    def _ask(self, table: Callable[[], ExportTable]) -> None:
        if not self._is_there():
            return
        self._asked = table
        folder = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
        filters, title = [self.tr("Spreadsheet (*.csv)")], self.tr("Export the comparison")
        dialog = file_choosers.saving(self._panel.window(), "compareExportDialog", title, folder, filters)
        dialog.setDefaultSuffix("csv")
        dialog.selectFile("encodings.csv")
        dialog.fileSelected.connect(self._on_target)
        dialog.open()

    @Slot(str)
    def _on_target(self, path: str) -> None:
        if self._is_there():
            self._guarded(self._asked, lambda made: self.write(made, Path(path)))

    @Slot(object)
    def _on_written(self, path: Path) -> None:
        self._notifier.remark(self.tr("The comparison was exported to {path}.").format(path=path))

    @Slot(object, str)
    def _on_failed(self, path: Path, why: str) -> None:
        self._notifier.error(
            self.tr("The comparison could not be exported to {path}: {why}. Nothing else was changed.").format(
                path=path, why=why.rstrip(".")
            )
        )


def _keys_of(text: HeldText | str) -> tuple[str, ...]:
    return keys_in_text(text if isinstance(text, str) else text.text())
