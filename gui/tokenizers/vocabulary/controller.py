"""Controller of the page Vocabulary: opens, searches, compares and exports the entries of an encoding."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QStandardPaths, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog

from gui.core.profile_files import suggested_file
from gui.look.quantities import figure
from gui.runtime.notify import Offer
from gui.tokenizers.vocabulary.service import (
    ExportRequest,
    SearchRequest,
    VocabularyService,
    export_entries,
    keys_among,
    query_of,
    spelled,
)
from gui.tokenizers.vocabulary.table import LENGTH, SORT_KEYS
from gui.widgets import file_choosers
from gui.widgets.page_controller import KeyGuard, PageBuilding, PageController

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.vocabulary.entry_diagnostics import Comparison
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner
    from gui.runtime.notify import Notifier
    from gui.tokenizers.vocabulary.detail import TokenController
    from gui.tokenizers.vocabulary.panel import VocabularyPanel
    from gui.tokenizers.vocabulary.service import Diagnosed, Found, OpenedVocabulary, TokenDetail
    from gui.tokenizers.vocabulary.side_pages import ComparePage, LengthsPage
    from gui.widgets.page_controller import AppContext

FAILED = "vocabulary-failed"
RANGE = re.compile(r"(\d{1,9})(?:\s*(?:-|–|\.\.)\s*(\d{1,9}))?", re.ASCII)


def typed_ids(typed: str, last: int) -> int | tuple[int, int] | None:
    """Parse an ID from 0 to ``last``, or first and last ID of a range that starts with one. Return None if invalid."""
    match = RANGE.fullmatch(typed.replace(",", "").replace("\u202f", ""))
    if match is None or int(match[1]) > last:
        return None
    ends = sorted((int(match[1]), int(match[2] or match[1])))
    return ends[0] if match[2] is None else (ends[0], ends[1])


class VocabularyBrowser(QObject):
    """Opens encodings and shows the entries found: connects the panel with the service.

    Signals: ``opened(OpenedVocabulary)``: its entries are shown; ``diagnosed(Diagnosed)``;
    ``token_shown(TokenDetail)``.
    """

    opened = Signal(object)
    diagnosed = Signal(object)
    token_shown = Signal(object)

    def __init__(
        self, panel: VocabularyPanel, service: VocabularyService, notifier: Notifier, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._panel, self._service, self._notifier = panel, service, notifier
        self._opened: OpenedVocabulary | None = None
        self._shown: OpenedVocabulary | None = None
        self._column, self._descending = 0, False
        self._searches = self._answered = 0
        self._to_top = False
        self._wanted_id = -1
        self._opening = False
        self._typed_id: str | None = None
        self._progress = self._refusal = ""
        self._said = self._first = self._otherwise = ""
        panel.filters.encoding.chosen.connect(self.open)
        panel.filters.changed.connect(self._on_filters)
        panel.filters.go_asked.connect(self.go)
        panel.filters.longest_asked.connect(self.show_longest)
        panel.model.sort_asked.connect(self._on_sort)
        panel.table.current_id_changed.connect(self._on_current)
        panel.table.opened.connect(self._on_entry_opened)
        panel.detail.token_asked.connect(self.go_to)
        service.opened.connect(self._on_opened)
        service.found.connect(self._on_found)
        service.diagnosed.connect(self._on_diagnosed)
        service.diagnosing.connect(self._on_diagnosing)
        service.token_ready.connect(self._on_token)
        service.failed.connect(self._on_failed)
        service.stopped.connect(self._on_stopped)
        panel.detail.show_nothing(self.tr("Select an entry to see how it is built."))

    @property
    def vocabulary(self) -> OpenedVocabulary | None:
        """The vocabulary shown; None before the first."""
        return self._shown

    @Slot(str)
    def open(self, name: str) -> None:
        """Show the vocabulary of an encoding."""
        self._notifier.withdraw(FAILED)
        self._open(name)

    def _open(self, name: str) -> None:
        self._first = self._refusal = ""
        self._opening, self._typed_id = True, None
        self._panel.filters.encoding.show_name(name)
        self._say(self.tr("Opening {name}…").format(name=name))
        self._service.open(name)

    def _say(self, words: str) -> None:
        """Show the status of the vocabulary, and why the last request failed."""
        self._panel.say(words)
        if self._refusal:
            self._panel.show_problem(self._refusal)

    def begin_with(self, name: str, token_id: int, otherwise: str) -> None:
        """Set the encoding and ID (-1 for none) to open when the page is shown or searched.

        ``otherwise``: the encoding to open if that one fails.
        """
        self._first, self._otherwise = name, otherwise
        self._wanted_id = token_id
        self._panel.filters.encoding.show_name(name)

    @Slot()
    def begin(self) -> None:
        """Open the first encoding, unless one was opened already."""
        if self._first:
            self.open(self._first)

    @Slot(str)
    def go(self, typed: str) -> None:
        """Go to an ID, or show a range of IDs, as typed: ``43453``, ``100-200``; an empty text shows all IDs again.

        If a vocabulary is being opened, this is done afterwards.
        """
        if self._shown is None:
            self.begin()
        if self._opening or self._shown is None:
            self._typed_id = typed
            return
        self._refusal = ""
        if not typed:
            self._panel.filters.set_range(0, None)
            return
        last = len(self._shown.entries) - 1
        found = typed_ids(typed, last)
        if found is None:
            words = self.tr("“{typed}” is not an ID of {name} (0 to {last}). Write a range as 100-200.")
            self._refusal = words.format(typed=typed[:40], name=self._shown.name, last=last)
            self._panel.show_problem(self._refusal)
        elif isinstance(found, int):
            self.go_to(found)
            self._panel.table.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._panel.filters.set_range(*found)

    @Slot(int)
    def go_to(self, token_id: int) -> None:
        """Show the entry of an ID; clear the search if it hides the entry."""
        is_shown = self._panel.table.show_id(token_id)
        if is_shown and self._answered == self._searches:
            return
        self._wanted_id = token_id
        if not is_shown:
            self._panel.filters.clear()

    @Slot()
    def show_longest(self) -> None:
        """Sort by length, longest first, and scroll to the top."""
        self._to_top = True
        self._panel.table.sortByColumn(LENGTH, Qt.SortOrder.DescendingOrder)

    @Slot(int, bool)
    def _on_sort(self, column: int, descending: bool) -> None:
        self._column, self._descending = column, descending
        self._search()

    @Slot()
    def _on_filters(self) -> None:
        self._refusal = ""
        self._search()

    @Slot()
    def _search(self) -> None:
        if self._opened is None:
            self.begin()
            return
        self._searches += 1
        key = SORT_KEYS[self._column]
        query = query_of(self._panel.filters.wanted)
        self._service.search(SearchRequest(self._opened, self._searches, query, key, self._descending))

    @Slot(object)
    def _on_opened(self, opened: OpenedVocabulary) -> None:
        self._opened = opened
        self._search()

    @Slot(object)
    def _on_found(self, found: Found) -> None:
        panel, opened = self._panel, found.request.opened
        self._answered = found.request.number
        is_new = opened is not self._shown
        ids = found.ids
        if ids is None and is_new:
            ids = opened.search.all_ids()
        if ids is not None:
            if is_new:
                self._shown = opened
                panel.model.set_vocabulary(opened.entries, ids)
                panel.filters.set_diagnosed(False)
                self._service.diagnose(opened)
                self.opened.emit(opened)
            else:
                panel.model.set_ids(ids)
            self._show_requested(is_new)
        self._show_found(found)
        if is_new:
            self._opening = False
            typed, self._typed_id = self._typed_id, None
            if typed is not None:
                self.go(typed)

    def _show_requested(self, is_new: bool) -> None:
        """Go to the requested entry. In another vocabulary the same ID is another token: read its details again."""
        table = self._panel.table
        if self._to_top and self._panel.model.rowCount():
            self._to_top = False
            table.selectRow(0)
            table.scrollToTop()
        wanted, self._wanted_id = self._wanted_id, -1
        if wanted < 0 and is_new:
            wanted = table.current_id
        if wanted >= 0 and not table.show_id(wanted):
            if not is_new:
                self.go_to(wanted)  # a search that was under way hides it
            elif self._panel.model.rowCount():
                table.selectRow(0)
        if is_new and wanted >= 0 and table.currentIndex().isValid():
            self._on_current(table.current_id)

    def _show_found(self, found: Found) -> None:
        panel = self._panel
        if found.ids is None:
            kept = self.tr("The table shows the previous results.")
            panel.show_problem(f"{found.why} {kept}")
            return
        total, count = len(found.request.opened.entries), len(found.ids)
        number = figure(panel.locale(), count)
        if count == total:
            self._said = self.tr("{count} entries.").format(count=number)
        else:
            self._said = self.tr("{count} of {total} entries.").format(
                count=number, total=figure(panel.locale(), total)
            )
        panel.table.set_empty_text("" if count else self.tr("No matching entry. “Show all” clears the filters."))
        self._say(f"{self._said} {self._progress}".strip())

    @Slot(float, str)
    def _on_diagnosing(self, fraction: float, _note: str) -> None:
        percent = figure(self._panel.locale(), int(100 * max(0.0, fraction)))
        self._progress = self.tr("Analysing: {percent}%").format(percent=percent)
        self._say(f"{self._said} {self._progress}")

    @Slot(object)
    def _on_diagnosed(self, diagnosed: Diagnosed) -> None:
        shown = self._shown
        if shown is None or diagnosed.opened is not shown:
            return
        self._progress = ""
        self._panel.model.set_diagnosis(diagnosed.diagnosis)
        self._panel.filters.set_diagnosed(True)
        if diagnosed.uncached:
            words = self.tr("Could not cache the analysis of {name}: {why}.")
            self._notifier.remark(words.format(name=shown.name, why=diagnosed.uncached))
        self._search()
        if self._panel.detail.token_id >= 0:
            self._service.look_at(shown, self._panel.detail.token_id)
        self.diagnosed.emit(diagnosed)

    @Slot(int)
    def _on_current(self, token_id: int) -> None:
        if self._shown is not None:
            self._service.look_at(self._shown, token_id)

    @Slot(int)
    def _on_entry_opened(self, token_id: int) -> None:
        self._panel.side.setCurrentWidget(self._panel.detail)
        self._on_current(token_id)

    @Slot(object)
    def _on_token(self, detail: TokenDetail) -> None:
        if detail.request.opened is self._shown:
            self._panel.detail.show_token(detail)
            self._panel.state_changed.emit()
            self.token_shown.emit(detail)

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        """Show an error of the engine. The vocabulary shown before stays."""
        self._progress = ""
        self._opening, self._typed_id = False, None
        if self._shown is not None:
            self._panel.filters.encoding.show_name(self._shown.name)
        self._panel.show_problem(why)
        self._notifier.error(why, key=FAILED)
        otherwise, self._otherwise = self._otherwise, ""
        if self._opened is None and otherwise:
            self._open(otherwise)

    @Slot(str)
    def _on_stopped(self, words: str) -> None:
        self._progress = ""
        self._say(words)


EXPORT = "vocabulary-export"


class VocabularySaving(QObject):
    """Export of the entries shown."""

    def __init__(
        self,
        panel: VocabularyPanel,
        browser: VocabularyBrowser,
        runner: JobRunner,
        guard: KeyGuard,
        notifier: Notifier,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._panel, self._browser, self._guard, self._notifier = panel, browser, guard, notifier
        self.lane = runner.exclusive(self.tr("Exporting the vocabulary"), export_entries, stoppable=False)
        self.lane.finished.connect(self._on_written)
        self.lane.failed.connect(self._on_failed)
        panel.filters.export_asked.connect(self.ask)

    @Slot()
    def ask(self) -> None:
        """Ask for the target file of an export."""
        shown = self._browser.vocabulary
        if shown is None:
            return
        folder = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
        start = str(folder / suggested_file(shown.name, ".csv"))
        filters = [self.tr("Spreadsheet (*.csv)"), self.tr("JSON (*.json)")]
        title = self.tr("Export entries shown")
        dialog = file_choosers.saving(self._panel.window(), "vocabExportDialog", title, start, filters)
        dialog.selectFile(start)
        dialog.fileSelected.connect(self._on_target)
        dialog.open()

    @Slot(str)
    def _on_target(self, path: str) -> None:
        target = Path(path)
        if not target.suffix:
            dialog = self.sender()
            is_json = isinstance(dialog, QFileDialog) and "json" in dialog.selectedNameFilter()
            target = target.with_suffix(".json" if is_json else ".csv")
        self.write(target)

    def write(self, path: Path) -> None:
        """Export the entries shown; the file suffix selects the format."""
        shown, ids = self._browser.vocabulary, self._panel.model.ids
        if shown is not None and ids is not None:
            request = ExportRequest(shown.search, ids, path)
            look = partial(keys_among, request)
            self._guard.before(self.tr("The vocabulary"), look, partial(self.lane.submit, request))

    @Slot(object)
    def _on_written(self, result: JobResult) -> None:
        request: ExportRequest = result.request
        self._notifier.withdraw(EXPORT)
        number = figure(self._panel.locale(), len(request.ids))
        self._notifier.remark(self.tr("Exported {count} entries to {path}.").format(count=number, path=request.path))

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        path = failure.request.path
        self._notifier.error(
            self.tr("Could not export the entries to {path}: {why}. Nothing else was changed.").format(
                path=path, why=failure.why.rstrip(".")
            ),
            key=EXPORT,
            offers=(Offer(self.tr("Try again"), lambda: self.write(path)),),
        )


NEEDS = (
    "gui.tokenizers.vocabulary.detail",
    "gui.tokenizers.vocabulary.side_pages",
    "gui.tokenizers.vocabulary.panel",
)
"""Modules to import before the page is built."""


class VocabularyController(PageController["VocabularyPanel"]):
    """Controller of the page. Created with the worker threads, after the first paint.

    Signals: ``encoding_chosen(str)``: the user chose the encoding to inspect.
    """

    encoding_chosen = Signal(str)

    # Set when the page is built.
    token: TokenController
    lengths: LengthsPage
    compare: ComparePage
    saving: VocabularySaving

    def __init__(self, context: AppContext, state: dict[str, Any]) -> None:
        """``state``: as from ``state()``."""
        super().__init__(context, state)
        self._wanted = "", -1
        self.browser: VocabularyBrowser | None = None
        self._building = PageBuilding(self._steps, self._context.window.closed, self)
        self._context.pages.when_page_shown("vocabularyTab", NEEDS, self._on_shown)

    def build(self) -> VocabularyBrowser:
        """Build the page now, unless it exists. It starts with the last session's vocabulary, or else the prompt's."""
        self._building.finish()
        assert self.browser is not None
        return self.browser

    def _steps(self) -> Iterator[None]:
        from gui.tokenizers.vocabulary.detail import TokenController
        from gui.tokenizers.vocabulary.panel import VocabularyPanel
        from gui.tokenizers.vocabulary.side_pages import ComparePage, LengthsPage

        context = self._context
        panel = VocabularyPanel(context.theme, spelled)
        yield from panel.make()
        yield
        self.lengths, self.compare = LengthsPage(context.theme), ComparePage()
        yield
        context.session.restore("vocabulary", panel.restore_state, self._state)
        self._show_encodings(panel)
        self._service = VocabularyService(self._runner, self._open, context.paths.cache, self)
        browser = VocabularyBrowser(panel, self._service, context.notifier, self)
        self.token = TokenController(panel.detail, context, self)
        browser.token_shown.connect(self.token.set_token)
        browser.opened.connect(self._on_opened, Qt.ConnectionType.QueuedConnection)
        self.token.shown_in_prompt.connect(self._show_prompt)
        self.token.edited.connect(self._on_edited)
        panel.state_changed.connect(context.session.touch)
        self._add_pages(panel, browser)
        self._open_first(browser)
        self.panel, self.browser = panel, browser
        yield
        panel.filters.encoding.chosen.connect(self.encoding_chosen)
        panel.tools.use_asked.connect(self._use)
        context.pages.page("vocabularyTab").fill(panel)
        context.window.view_bar.add_tools("vocabularyTab", panel.tools)

    def _add_pages(self, panel: VocabularyPanel, browser: VocabularyBrowser) -> None:
        panel.add_page(self.lengths, self.tr("Lengths"))
        panel.add_page(self.compare, self.tr("Comparison"))
        browser.opened.connect(self._show_statistics)
        self._service.compared.connect(self._on_compared)
        self.compare.compare_asked.connect(self._on_compare)
        self.compare.token_asked.connect(browser.go_to)
        panel.compare.clicked.connect(self._choose_other)
        guard = KeyGuard(self._runner, self._context.notifier, panel, self)
        self.saving = VocabularySaving(panel, browser, self._runner, guard, self._context.notifier, self)

    @Slot(object)
    def _show_statistics(self, opened: OpenedVocabulary) -> None:
        """Update the pages on lengths and comparison."""
        self.lengths.set_lengths(opened.name, opened.lengths)
        self.compare.show_hint()
        self._on_compare(self.compare.other.currentText())

    @Slot(str)
    def _on_compare(self, other: str) -> None:
        assert self.browser is not None
        shown = self.browser.vocabulary
        if shown is not None and other:
            self.compare.words.setText(self.tr("Comparing…"))
            self._service.compare(shown, other)

    @Slot(object)
    def _on_compared(self, comparison: Comparison) -> None:
        assert self.browser is not None
        shown = self.browser.vocabulary
        if shown is not None and comparison.first is shown.entries:
            self.compare.show_comparison(comparison)

    @Slot(str)
    def _on_edited(self, name: str) -> None:
        assert self.browser is not None
        self._context.encodings.refresh()
        self.browser.open(name)

    @Slot()
    def _choose_other(self) -> None:
        """Show the comparison; open its picker if nothing is compared yet."""
        assert self.panel is not None
        self.panel.side.setCurrentWidget(self.compare)
        self.compare.other.setFocus(Qt.FocusReason.OtherFocusReason)
        if not self.compare.other.currentText():
            self.compare.other.showPopup()

    def _open_first(self, browser: VocabularyBrowser) -> None:
        name, token_id = self._state.get("encoding"), self._state.get("id")
        now = self._context.prompt.encoding
        browser.begin_with(
            name if isinstance(name, str) and name else now, token_id if isinstance(token_id, int) else -1, now
        )

    def focus(self) -> None:
        """Show the page and focus its search field."""
        self._context.pages.page("vocabularyTab").bring_to_front()
        self.build().begin()
        assert self.panel is not None
        self.panel.focus()

    def focus_go_to(self) -> None:
        """Show the page and focus its field for IDs."""
        self.focus()
        assert self.panel is not None
        self.panel.focus_go_to()

    @Slot(str)
    def follow_encoding(self, name: str) -> None:
        """Show this encoding, which was chosen on another page, when the page is shown next."""
        if self.browser is None:
            self._state = {**self._state, "encoding": name, "id": -1}
        elif self.browser.vocabulary is None or self.browser.vocabulary.name != name:
            self.browser.begin_with(name, -1, self._context.prompt.encoding)

    @Slot(str)
    def show_encoding(self, name: str) -> None:
        """Show the page with the entries of an encoding."""
        browser = self.build()
        if browser.vocabulary is None or browser.vocabulary.name != name:
            browser.begin_with(name, -1, self._context.prompt.encoding)
        self._context.pages.page("vocabularyTab").bring_to_front()
        browser.begin()

    @Slot(str, int)
    def show_token(self, encoding: str, token_id: int) -> None:
        """Show the page with an entry of an encoding."""
        browser = self.build()
        shown = browser.vocabulary
        if shown is not None and shown.name == encoding:
            browser.go_to(token_id)
        else:
            self._wanted = encoding, token_id
            browser.begin_with(encoding, token_id, self._context.prompt.encoding)
        self._context.pages.page("vocabularyTab").bring_to_front()
        browser.begin()

    @Slot(object)
    def _on_opened(self, opened: OpenedVocabulary) -> None:
        """Go to the wanted entry after the first entries are shown: the search may hide it."""
        encoding, token_id = self._wanted
        self._wanted = "", -1
        if opened.name == encoding and self.browser is not None:
            self.browser.go_to(token_id)

    @Slot()
    def _on_shown(self) -> None:
        self._building.when_built(self._look)

    def _look(self) -> None:
        if self._context.pages.page("vocabularyTab").is_in_front():
            self.build().begin()
            self.token.look()

    def _show_encodings(self, panel: VocabularyPanel) -> None:
        panel.filters.encoding.fill(self._listed)
        self.compare.fill(self._listed)

    @Slot()
    def _show_prompt(self) -> None:
        self._context.pages.show_prompt()
