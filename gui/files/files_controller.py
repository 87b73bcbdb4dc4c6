"""Controller of the page Files: connects it with the services that count, price, watch and export a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from gui.files.file_tree import FileChoice
from gui.files.folder_service import (
    FORMATS,
    FilePrices,
    FitRequest,
    FolderFit,
    FolderScan,
    FolderWatch,
    ManifestRequest,
    ScannedFolder,
    ScanRequest,
    manifest_text,
)
from gui.state.storage import Storage
from gui.widgets import file_choosers
from gui.widgets.page_controller import PageController

if TYPE_CHECKING:
    from gui.files.file_tree import Proposal, Sums
    from gui.files.files_page import FilesPage
    from gui.runtime.jobs import JobFailure, JobResult
    from gui.widgets.page_controller import AppContext

NEEDS = ("gui.files.files_page",)
"""Modules to import before the page is built."""

MAX_MODELS = 4
DELAY_MS = 80
"""Debounce interval of changes of the cost table, in milliseconds."""


class FilesController(PageController["FilesPage"]):
    """Controller of the page. Created with the worker threads, after the first paint; builds the page on demand."""

    def __init__(self, context: AppContext, state: dict[str, Any]) -> None:
        """``state``: as from ``state()``."""
        super().__init__(context, state)
        context = self._context
        costs = context.pages.costs
        self._costs, self._reference, self._encoding = costs.panel, costs.reference, context.prompt.encoding
        self._scan = FolderScan(self._runner, self._open, context.paths.counts_file, self)
        self._fit = FolderFit(self._runner, self)
        self._watch = FolderWatch(self)
        self._list = self._runner.exclusive(self.tr("Listing the files"), manifest_text)
        self._storage = Storage(self._runner, self.tr("Exporting the file list"), self)
        self.shown: ScannedFolder | None = None
        self._asked: tuple[Path, ...] = ()
        self._missed = self._failed = False
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        context.pages.when_page_shown("filesTab", NEEDS, self._on_shown)

    @property
    def _page(self) -> FilesPage:
        assert self.panel is not None
        return self.panel

    def build(self) -> FilesPage:
        """Return the page; create it on the first call."""
        if self.panel is not None:
            return self.panel
        from gui.files.files_page import FilesPage

        context = self._context
        self.panel = page = FilesPage(context.theme, context.icons, self._costs.model.view.text)
        context.session.restore("files", page.restore_state, self._state)
        self._encoding = context.prompt.encoding
        self._connect_page(page)
        self._connect_services()
        self._price()
        context.pages.page("filesTab").fill(page)
        context.pages.page("filesTab").focus_first(page.folder.field)
        return page

    def _connect_page(self, page: FilesPage) -> None:
        page.scan_asked.connect(self.count)
        page.stop_asked.connect(self._scan.stop)
        page.folder.paths_changed.connect(self._show_counted)
        page.file_opened.connect(self._on_file_opened)
        page.state_changed.connect(self._context.session.touch)
        page.model.chosen.connect(self._on_chosen)
        page.fit.fit_asked.connect(self._propose)
        page.least_changed.connect(self._show_total)
        page.export_asked.connect(self.export_list)
        page.fit.taken.connect(self._on_taken)
        page.fit.left.connect(self._fit.withdraw)

    def _connect_services(self) -> None:
        context, scan, fit = self._context, self._scan, self._fit
        context.prompt.encoding_changed.connect(self._on_encoding)
        for changed in (
            self._costs.model.arranged,
            self._costs.scenario.changed,
            context.pages.costs.reference_changed,
        ):
            changed.connect(self._touch)
        self._delay.timeout.connect(self._price)
        scan.scanned.connect(self._on_scanned)
        scan.failed.connect(self._on_failed)
        scan.stopped.connect(self._on_stopped)
        scan.progressed.connect(self._on_progressed)
        scan.busy_changed.connect(self._on_busy)
        fit.proposed.connect(self._on_proposed)
        fit.failed.connect(self._on_not_proposed)
        self._watch.changed.connect(self._count_again)
        self._watch.watching.connect(self._show_watching)
        self._list.finished.connect(self._on_listed_files)
        self._list.failed.connect(self._on_list_failed)
        self._storage.written.connect(self._on_list_written)
        self._storage.failed.connect(self._on_list_not_written)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.applicationStateChanged.connect(self._on_application_state)

    def focus(self) -> FilesPage:
        """Show the page and focus the field for a folder."""
        self._context.pages.page("filesTab").bring_to_front()
        page = self.build()
        page.folder.field.setFocus()
        return page

    def count_paths(self, paths: list[Path]) -> None:
        """Show the page and count these files and folders."""
        self.focus().set_paths(paths)

    @Slot()
    def _on_shown(self) -> None:
        self.build()

    @Slot(Qt.ApplicationState)
    def _on_application_state(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self.look_again()

    @property
    def prices(self) -> FilePrices | None:
        """The models shown, with their prices."""
        return self._page.model.prices

    @property
    def busy(self) -> bool:
        """True while a folder is counted."""
        return self._scan.busy

    @property
    def current(self) -> bool:
        """True if the results belong to the folder in the field and, as far as is known, are up to date."""
        return self.shown is not None and not self._failed and self._named

    @property
    def _named(self) -> bool:
        return self.shown is not None and self._page.folder.paths() == self.shown.request.roots

    @Slot()
    def _on_encoding(self) -> None:
        name = self._context.prompt.encoding
        if name != self._encoding:
            self._encoding = name
            if self.shown is not None and not self._named and not self._scan.busy:
                self._submit(self.shown.request.roots, quiet=True)  # the field's current text was not requested
            elif self.shown is not None or self._scan.busy:
                self.count()

    @Slot()
    def count(self) -> None:
        """Count the folder in the field."""
        paths = self._page.folder.paths()
        if not paths:
            self._page.remark.say(self.tr("Choose a folder first."), "warning")
            return
        self._submit(paths, quiet=False)

    @Slot()
    def look_again(self) -> None:
        """Count changed files again, unless every file is watched anyway."""
        if self._watch.unwatched:
            self._count_again()

    @Slot()
    def _count_again(self) -> None:
        self._missed = self._scan.busy
        if self.shown is not None and not self._missed:
            self._submit(self.shown.request.roots, quiet=True)

    @Slot(bool)
    def _on_busy(self, busy: bool) -> None:
        self._page.set_busy(busy)
        self._show_counted()
        if self._missed and not busy:
            self._count_again()  # files may have changed after the scan read them

    def _submit(self, paths: tuple[Path, ...], *, quiet: bool) -> None:
        self._asked = paths
        names = (self._encoding, *self._other_encodings())
        self._scan.scan(ScanRequest(paths, names, self._page.rules(), quiet, self.shown if quiet else None))
        if not quiet:
            self._page.remark.say(self.tr("Scanning the folder…"))

    def _other_encodings(self) -> list[str]:
        """Return the encodings of the models shown, without the encoding in use."""
        prices = self.prices
        names = [prices.encoding_of(model) for model in range(len(prices.models))] if prices is not None else []
        return sorted({name for name in names if name} - {self._encoding})

    # --- results of a scan --------------------------------------------------------------------------------------------

    @Slot(str)
    def _on_progressed(self, note: str) -> None:
        if note and self._page.remark.isVisibleTo(self._page):
            self._page.remark.say(self.tr("Counting: {note}").format(note=note))

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self._failed = self.shown is not None and self._asked == self.shown.request.roots
        self._page.remark.say(why, "warning")
        self._show_counted()

    @Slot()
    def _on_stopped(self) -> None:
        self._page.remark.say(self.tr("Stopped. Partial counts are not shown."), "warning")

    @Slot(object)
    def _on_scanned(self, scanned: ScannedFolder) -> None:
        panel, before = self._page, self.shown
        self._watch.watch(scanned.tree)
        self._failed = False
        if scanned is before:
            self._show_counted()
            return  # nothing has changed
        choice = FileChoice(scanned.tree)
        if before is not None and panel.model.choice is not None and before.request.roots == scanned.request.roots:
            choice.take_over(panel.model.choice)
        self.shown = scanned
        if not scanned.request.quiet:
            self._fit.withdraw()
            panel.fit.withdraw()
        panel.model.show(choice)
        self._renew_suggestion()
        panel.open_again()
        panel.show_left_out(scanned.left_out)
        self._show_counted()
        if self._named or not scanned.request.quiet:
            self._say(scanned)
        if panel.folder.field.hasFocus() and not scanned.request.quiet:
            panel.tree.setFocus()
        self._show_total()
        if set(self._other_encodings()) - set(scanned.tree.encodings):
            self._submit(scanned.request.roots, quiet=True)  # another model was chosen during the scan

    def _say(self, scanned: ScannedFolder) -> None:
        panel = self._page
        if not scanned.tree.paths:
            left_out = len(scanned.left_out.skipped)
            words = self.tr("No text files to count; {n} skipped.") if left_out else self.tr("The folder is empty.")
            panel.remark.say(words.format(n=panel.text.number(left_out)), "warning")
        else:
            panel.remark.say(scanned.problem, "warning" if scanned.problem else "")

    @Slot()
    def _show_counted(self) -> None:
        """Show which folder the results belong to, and disable results of another folder."""
        if self.shown is None:
            return
        folders = ", ".join(map(str, self.shown.request.roots))
        if self.current:
            words = self.tr("Results for {folders}")
        elif self._named:
            words = self.tr("The results below are from an earlier count of {folders}. The last count failed.")
        elif self._scan.busy and self._page.folder.paths() == self._asked:
            words = self.tr("The results below are for {folders} until this count is complete.")
        elif self._page.folder.paths():
            words = self.tr("The results below are for {folders}. Click Count to count the folder named above.")
        else:
            words = self.tr("The results below are for {folders}. No folder is named above.")
        self._page.show_counted(words.format(folders=folders), current=self.current)

    @Slot()
    def _show_watching(self) -> None:
        unwatched = self._watch.unwatched
        if unwatched == 1:
            words = self.tr(
                "Too many files to watch: 1 file or folder is checked when you return to this window, or click Count."
            )
        else:
            words = self.tr(
                "Too many files to watch: {n} files and folders are checked when you return to this window, or click "
                "Count."
            )
        self._page.watching.say(words.format(n=self._page.text.number(unwatched)) if unwatched else "")

    # --- prices and sums ----------------------------------------------------------------------------------------------

    @Slot()
    def _touch(self) -> None:
        if not self._delay.isActive():
            self._delay.start()

    @Slot()
    def _price(self) -> None:
        table = self._costs.model
        chosen = self._reference.rows_to_compare(table.rows, table.arrangement, MAX_MODELS)
        prices = FilePrices([row.model for row in chosen], self._costs.scenario.scenario())
        before = self.prices
        if before is not None and before.models == prices.models and before.scenario == prices.scenario:
            return
        self._page.model.set_prices(prices, table.view.text)
        self._page.open_again()
        self._show_total()
        if self.shown is not None and set(self._other_encodings()) - set(self.shown.tree.encodings):
            self._count_again()

    @Slot()
    def _show_total(self) -> None:
        panel, choice, prices = self._page, self._page.model.choice, self.prices
        if choice is None or prices is None:
            panel.total.setText(self.tr("Nothing counted yet."))
            return
        sums, write = choice.sums(), panel.text
        parts = [
            self.tr("Checked: {files} of {all} files").format(
                files=write.number(sums.files), all=write.number(len(choice.tree.paths))
            ),
            write.size(sums.file_bytes),
            self.tr("{tokens} tokens in {encoding}").format(
                tokens=write.number(sums.tokens[0]), encoding=choice.tree.encodings[0]
            ),
        ]
        counts = dict(zip(choice.tree.encodings, sums.tokens, strict=True))
        money = self._costs.model.view.text
        for index, model in enumerate(prices.models):
            price = prices.price(index, counts)
            usd = money.usd(price.usd_label, price.usd, price.usd_low, price.usd_high)
            parts.append(self.tr("{model} {usd}").format(model=model.name, usd=usd))
        hidden = panel.model.hidden_files
        if hidden:
            parts.append(self.tr("{n} small files not shown").format(n=write.number(hidden)))
        panel.total.setText("  ·  ".join(parts))
        panel.fit.show_tokens(sums.tokens[0])
        self._show_figures(sums, counts)

    def _show_figures(self, sums: Sums, counts: dict[str, int]) -> None:
        """Show the tokens, the cost and the share of the context window of the checked files at the current model."""
        page, prices = self._page, self.prices
        number = page.text.number
        files = self.tr("tokens in 1 checked file") if sums.files == 1 else self.tr("tokens in {n} checked files")
        figures = [(number(sums.tokens[0]), files.format(n=number(sums.files)))]
        if prices is not None and prices.models:
            model, price = prices.models[0], prices.price(0, counts)
            usd = self._costs.model.view.text.usd(price.usd_label, price.usd, price.usd_low, price.usd_high)
            figures.append((usd, self.tr("as input, {model}").format(model=model.name)))
            limit = model.max_input or model.context
            if limit and price.tokens is not None:
                share = self.tr("{n}%").format(n=page.text.decimal(100 * price.tokens / limit, 1))
                context = self.tr("of {context} context").format(context=number(limit))
                figures.append((share, context))
        page.figures.show_figures(*figures)

    # --- suggestions --------------------------------------------------------------------------------------------------

    @Slot()
    def _propose(self) -> None:
        if self.current:
            self._request_suggestion(quiet=False)

    def _request_suggestion(self, *, quiet: bool) -> None:
        choice, fit = self._page.model.choice, self._page.fit
        if choice is not None:
            limit, way = fit.limit.value(), fit.way.currentData()
            self._fit.ask(FitRequest(choice.tree, choice.checked.copy(), limit, way, quiet))

    def _renew_suggestion(self) -> None:
        """Replace a pending or visible suggestion: the files or their check marks changed."""
        if self._fit.waited_for or self._page.fit.there:
            self._page.fit.outdate()
            self._request_suggestion(quiet=not self._fit.is_requested)

    @Slot()
    def _on_chosen(self) -> None:
        self._renew_suggestion()
        self._show_total()

    @Slot(object, object)
    def _on_proposed(self, request: FitRequest, proposal: Proposal) -> None:
        self._page.fit.show_proposal(request.tree, proposal)
        if not request.quiet:
            self._page.fit.take_focus()

    @Slot(str)
    def _on_not_proposed(self, why: str) -> None:
        self._page.fit.withdraw()
        self._page.remark.say(why, "warning")

    @Slot(object)
    def _on_taken(self, proposal: Proposal) -> None:
        self._page.model.check(proposal.nodes, False)
        self._page.tree.setFocus()

    @Slot(int)
    def _on_file_opened(self, node: int) -> None:
        tree = self._page.model.tree
        if tree is not None:
            self._context.pages.show_prompt()
            self._context.pages.file_asked.emit(tree.path_of(node))

    # --- the list of files --------------------------------------------------------------------------------------------

    @Slot()
    def export_list(self) -> None:
        """Ask for the target file of the list."""
        filters = [self.tr("Spreadsheet (*.csv)"), self.tr("JSON (*.json)"), self.tr("Markdown (*.md)")]
        title, proposed = self.tr("Export file list"), Path.home() / "files.csv"
        dialog = file_choosers.saving(self._page.window(), "filesExportDialog", title, proposed, filters)
        dialog.fileSelected.connect(self._on_target)
        dialog.open()

    @Slot(str)
    def _on_target(self, path: str) -> None:
        target, dialog = Path(path), self.sender()
        if not target.suffix:
            chosen = dialog.selectedNameFilter() if isinstance(dialog, QFileDialog) else ""
            target = target.with_suffix(next((suffix for suffix in FORMATS if f"*{suffix})" in chosen), ".csv"))
        self.write_list(target)

    def write_list(self, path: Path) -> None:
        """Export the list; the file suffix selects the format."""
        shown, choice, prices = self.shown, self._page.model.choice, self.prices
        if shown is None or choice is None or prices is None:
            return
        skipped = shown.left_out.skipped
        self._list.submit(
            ManifestRequest(path, choice.tree, choice.checked.copy(), skipped, prices.models, prices.scenario)
        )

    @Slot(object)
    def _on_listed_files(self, result: JobResult) -> None:
        self._storage.write(result.request.path, result.value)

    @Slot(object)
    def _on_list_failed(self, failure: JobFailure) -> None:
        self._on_list_not_written(failure.request.path, failure.why)

    @Slot(object)
    def _on_list_written(self, path: Path) -> None:
        self._context.notifier.remark(self.tr("Exported the file list to {path}.").format(path=path))

    @Slot(object, str)
    def _on_list_not_written(self, path: Path, why: str) -> None:
        words = self.tr("Could not export the file list to {path}: {why}.")
        self._context.notifier.error(words.format(path=path, why=why.rstrip(".")))
