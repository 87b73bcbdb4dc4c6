"""Controller of the page Compare: takes the text, requests the comparison, and exports the figures.

The list of differences quotes the text, so its export first searches the whole text for API keys.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QStandardPaths, QTimer, Slot
from PySide6.QtGui import QGuiApplication

from gui.core import exports
from gui.core.api_keys import keys_in_text
from gui.core.exports import ExportTable
from gui.core.text_chunks import ChunkedText
from gui.look.quantities import figure
from gui.prompt.compare.service import (
    SELECTION,
    TYPED,
    Compared,
    CompareRequest,
    RowsRequest,
    compare_text,
    cut_rows,
    differences_table,
    export_table,
)
from gui.runtime.jobs import NewestRequest
from gui.widgets import file_choosers
from gui.widgets.page_controller import KeyGuard, PageController

if TYPE_CHECKING:
    from gui.prompt.compare.panel import ComparePanel
    from gui.runtime.jobs import JobFailure, JobResult
    from gui.widgets.page_controller import AppContext

NEEDS = ("gui.prompt.compare.panel", "gui.state.storage")
"""Modules loaded when the page is built."""

BOM = "\ufeff"
"""Byte order mark, which tells spreadsheets that a CSV file is UTF-8."""

DELAY_MS = 60
"""Delay before a comparison, in milliseconds, so that changes in quick succession cause one. While the user types, the
prompt's own count goes first."""

LONGEST_READ = 65_536
"""Maximum length of a selection read from the editor at once, in UTF-16 units; a longer one is sliced by the worker."""

ROWS_AT_ONCE = 300
"""Maximum number of full rows computed without a worker, in 1 to 2 ms, so a new width never shows outdated rows."""

FAILED = "compare-failed"


class CompareController(PageController["ComparePanel"]):
    """Controller between panel, prompt and jobs. The page is built when it is first shown."""

    _panel: ComparePanel

    def __init__(self, context: AppContext, state: dict[str, Any]) -> None:
        """``state``: as returned by ``state()``."""
        super().__init__(context, state)
        self._prompt, self._notifier = self._context.prompt, self._context.notifier
        self.compared: Compared | None = None
        self._revision = 0
        self._awaits_text = self._awaits_rows = self._goes = False
        self._part: tuple[int, int] | None = None
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay.timeout.connect(self._take_text)
        self._context.pages.when_page_shown("compareTab", NEEDS, self._on_shown)

    def build(self) -> None:
        """Build the page if that is not done yet."""
        if self.panel is not None:
            return
        from gui.prompt.compare.panel import ComparePanel
        from gui.state.storage import Storage

        context = self._context
        self.panel = self._panel = panel = ComparePanel(context.theme, context.settings, context.icons)
        context.pages.page("compareTab").fill(panel)
        context.window.view_bar.add_tools("compareTab", panel.tools)
        self._show_encodings(panel)
        context.session.restore("compare", panel.restore_state, self._state)
        lane = self._runner.conflated(self.tr("Comparing encodings"), partial(compare_text, self._open))
        panel.stop_asked.connect(lane.cancel)
        self._comparing = NewestRequest(lane)
        self._cutting = self._runner.conflated(self.tr("Splitting a text into rows"), cut_rows)
        self._storage = Storage(self._runner, self.tr("Exporting the comparison"), self)
        self._guard = KeyGuard(self._runner, context.notifier, panel, self)
        self._connect()
        self._fill_export_menu()

    def _connect(self) -> None:
        panel, prompt, comparing = self._panel, self._prompt, self._comparing
        panel.text_wanted.connect(self.refresh)
        panel.encodings.base_changed.connect(self._show_base)
        panel.view.columns_changed.connect(self._cut)
        panel.pages.stretch_opened.connect(self._go_to)
        panel.state_changed.connect(self._context.session.touch)
        prompt.changed.connect(self._on_prompt)
        prompt.editor.selectionChanged.connect(self._on_selection)
        prompt.text_ready.connect(self._on_text)
        comparing.answered.connect(self._on_compared)
        comparing.failed.connect(self._on_failed)
        comparing.cancelled.connect(self._on_stopped)
        comparing.progressed.connect(self._on_progress)
        self._cutting.finished.connect(self._on_cut)
        self._cutting.failed.connect(self._on_not_cut)
        self._storage.written.connect(self._on_written)
        self._storage.failed.connect(self._on_not_written)

    def focus(self) -> None:
        """Show the page and focus its first control."""
        self._context.pages.page("compareTab").bring_to_front()
        self.build()
        self._panel.focus()

    def _show_encodings(self, panel: ComparePanel) -> None:
        panel.encodings.fill(self._listed)

    @Slot()
    def _on_shown(self) -> None:
        """Compare if the comparison is outdated."""
        self.build()
        if self.compared is None or self.compared.request.revision != self._revision:
            self._delay.start()

    @property
    def settled(self) -> bool:
        """True if the page shows the newest comparison requested."""
        waits = self._delay.isActive() or self._awaits_text or self._awaits_rows
        return not waits and self.compared is not None and self.compared.request.revision == self._revision

    @Slot()
    def refresh(self) -> None:
        """Compare again soon, or when the page is next shown."""
        self._revision += 1
        if self._panel.isVisible():
            self._delay.start()

    # --- text ---------------------------------------------------------------------------------------------------------

    @Slot()
    def _on_prompt(self) -> None:
        if self._source != TYPED:
            self.refresh()

    @Slot()
    def _on_selection(self) -> None:
        if self._source == SELECTION and not self._goes:
            self.refresh()

    @property
    def _source(self) -> str:
        return str(self._panel.source.currentData())

    @Slot()
    def _take_text(self) -> None:
        self._panel.show_running(True)
        self._awaits_text = False  # a prompt requested for the previous choice may still arrive
        if self._source == TYPED:
            self._compare(self._panel.typed.toPlainText(), None)
        elif self._source == SELECTION:
            start, end = self._prompt.editor.selected_range()
            if end - start <= LONGEST_READ:
                self._compare(self._prompt.editor.text_between(start, end), start)
            else:
                self._ask_for_text((start, end))
        else:
            self._ask_for_text(None)

    def _ask_for_text(self, part: tuple[int, int] | None) -> None:
        self._awaits_text, self._part = True, part
        self._prompt.request_text()

    @Slot(int, object)
    def _on_text(self, revision: int, text: ChunkedText) -> None:
        if self._awaits_text and revision == self._prompt.editor.revision:
            self._awaits_text = False
            self._compare(text, self._part[0] if self._part else 0, self._part)

    def _compare(self, text: ChunkedText | str, first: int | None, part: tuple[int, int] | None = None) -> None:
        revision = self._prompt.editor.revision
        names = self._panel.encodings.names
        self._comparing.submit(CompareRequest(self._revision, text, names, first, revision, part))

    # --- results ------------------------------------------------------------------------------------------------------

    @Slot(object)
    def _on_compared(self, compared: Compared) -> None:
        if compared.request.names != self._panel.encodings.names:
            return  # other encodings were chosen in the meantime and are already requested
        self._notifier.withdraw(FAILED)
        self.compared = compared
        self._panel.show_running(False)
        self._panel.show_compared(compared)
        n_bytes = figure(self._panel.locale(), compared.comparison.utf8_bytes)
        self._panel.status.setText(self.tr("{n} bytes").format(n=n_bytes))
        if not compared.comparison.utf8_bytes:
            self._panel.status.clear()
            self._panel.view.show_hint(self._nothing())
        else:
            self._cut()

    def _nothing(self) -> str:
        if self._source == SELECTION:
            return self.tr("Nothing is selected in the prompt.")
        if self._source == TYPED:
            return self.tr("Type a text above to see it in every encoding.")
        return self.tr("The prompt is empty.")

    @Slot()
    def _cut(self) -> None:
        if self.compared is not None and self.compared.comparison.utf8_bytes:
            request = RowsRequest(self.compared, self._panel.view.columns)
            if len(self.compared.comparison.units) <= ROWS_AT_ONCE * request.columns:
                self._awaits_rows = False
                self._panel.show_rows(self.compared, cut_rows(request))
            else:
                self._awaits_rows = True
                self._cutting.submit(request)

    @Slot(object)
    def _on_cut(self, result: JobResult) -> None:
        request: RowsRequest = result.request
        if request.compared is not self.compared or not self._awaits_rows:
            return  # outdated: of another text, or of a width whose rows were computed at once since
        self._awaits_rows = request.columns != self._panel.view.columns
        self._panel.show_rows(request.compared, result.value)

    @Slot()
    def _show_base(self) -> None:
        if self.compared is not None and self.compared.request.names == self._panel.encodings.names:
            self._panel.show_compared(self.compared)

    @Slot(float)
    def _on_progress(self, fraction: float) -> None:
        self._panel.status.setText(self.tr("Comparing… {n}%").format(n=round(100 * fraction)))

    @Slot()
    def _on_stopped(self) -> None:
        self._panel.show_running(False)
        self._panel.status.setText(self.tr("Stopped. Change anything to compare again."))

    @Slot(object)
    def _on_not_cut(self, failure: JobFailure) -> None:
        self._on_failed(failure.why)

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self._panel.show_running(False)
        self._panel.status.setText(self.tr("Not compared."))
        words = self.tr("Could not compare the encodings: {why}.").format(why=why.rstrip("."))
        self._notifier.error(words, key=FAILED)

    @Slot(int, int)
    def _go_to(self, utf16_start: int, utf16_end: int) -> None:
        self._panel.view.show_span(utf16_start, utf16_end)
        if self.compared is None or self.compared.request.first is None:
            return
        request = self.compared.request
        if request.prompt_revision != self._prompt.editor.revision:
            self._notifier.remark(self.tr("The prompt has changed, so the position may be off."))
            return
        self._goes = True  # the selection that this makes is not the user's
        self._context.pages.show_in_prompt(request.first + utf16_start, request.first + utf16_end)
        self._goes = False

    # --- export -------------------------------------------------------------------------------------------------------

    def _fill_export_menu(self) -> None:
        for title, table in (
            (self.tr("Totals, scripts and kinds"), self.totals),
            (self.tr("Where they differ"), self.differences),
        ):
            menu = self._panel.export_menu
            menu.addSection(title)
            menu.addAction(self.tr("Copy as TSV"), partial(self._copy, table, exports.to_tsv))
            menu.addAction(self.tr("Copy as Markdown"), partial(self._copy, table, exports.to_markdown))
            menu.addAction(self.tr("Export as CSV…"), partial(self._ask, table))
        self._asked: Callable[[], ExportTable] = self.totals

    def totals(self) -> ExportTable:
        """Return the totals of the text and of its parts."""
        assert self.compared is not None
        return export_table(self.compared.comparison, self._panel.encodings.base_number)

    def differences(self) -> ExportTable:
        """Return the differences listed."""
        assert self.compared is not None
        by_lines = self._panel.pages.by_lines.isChecked()
        return differences_table(self.compared.comparison, by_lines=by_lines)

    def write(self, table: ExportTable, path: Path) -> None:
        """Write a CSV file."""
        self._storage.write(path, BOM + exports.to_csv(table))

    def _copy(self, table: Callable[[], ExportTable], form: Callable[[ExportTable], str]) -> None:
        if self._is_ready():
            self._check_for_keys(table, lambda made: self._put_on_clipboard(form(made)))

    def _put_on_clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._notifier.remark(self.tr("Copied the comparison"))

    def _check_for_keys(self, table: Callable[[], ExportTable], go: Callable[[ExportTable], None]) -> None:
        """Call ``go`` with the current table. A table that quotes the text is first checked for API keys, in the whole
        text: a key cut by an excerpt would not be recognized."""
        made = table()
        if table != self.differences:
            go(made)
            return
        assert self.compared is not None
        look = partial(keys_in_text, self.compared.request.text)
        self._guard.before(self.tr("The text"), look, partial(go, made))

    def _is_ready(self) -> bool:
        """Return True if the encodings listed have been compared; otherwise show a remark."""
        if self.settled:
            return True
        self._notifier.remark(self.tr("The comparison is not ready yet."))
        return False

    def _ask(self, table: Callable[[], ExportTable]) -> None:
        if not self._is_ready():
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
        if self._is_ready():
            self._check_for_keys(self._asked, lambda made: self.write(made, Path(path)))

    @Slot(object)
    def _on_written(self, path: Path) -> None:
        self._notifier.remark(self.tr("Exported the comparison to {path}.").format(path=path))

    @Slot(object, str)
    def _on_not_written(self, path: Path, why: str) -> None:
        self._notifier.error(
            self.tr("Could not export the comparison to {path}: {why}. Nothing else was changed.").format(
                path=path, why=why.rstrip(".")
            )
        )
