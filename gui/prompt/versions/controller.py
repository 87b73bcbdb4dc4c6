"""Controller of the page Versions: saves the prompt, compares it with saved versions, and restores them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from gui.core import version_store as store
from gui.core.text_chunks import ChunkedText
from gui.core.version_store import SavedVersions, Version
from gui.costs.cost_service import ChangeRequest, CostChange, PricedModel, cost_changes
from gui.costs.money_text import CostText, money_text
from gui.editor.text_transfer import PieceWriter
from gui.prompt.versions.service import (
    PROMPT,
    Compared,
    CompareRequest,
    Restored,
    RestoreRequest,
    SaveRequest,
    Side,
    compare_texts,
    restore,
    run,
    save,
)

if TYPE_CHECKING:
    from gui.prompt.versions.panel import VersionsPanel
    from gui.runtime.jobs import JobFailure, JobResult
    from gui.widgets.page_controller import AppContext

NEEDS = ("gui.prompt.versions.panel",)
"""Modules loaded when the page is built."""

PROBLEMS = "versions"

COMPARE_DELAY_MS = 600
"""Pause in typing after which a changed prompt is compared again, in milliseconds."""


class VersionsController(QObject):
    """Controller between panel, prompt and jobs. The page is built when it is first shown."""

    _panel: VersionsPanel

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.pages)
        self._context, self._prompt = context, context.prompt
        self._costs, self._notifier = context.pages.costs, context.notifier
        self.panel: VersionsPanel | None = None
        self._folder, self._open = context.paths.versions, context.encodings.open
        jobs, compare = context.jobs, partial(compare_texts, self._folder, self._open)
        self._storing = jobs.exclusive(self.tr("Saving versions"), run, stoppable=False)
        self._comparing = jobs.conflated(self.tr("Comparing versions"), compare)
        self._pricing = jobs.conflated(self.tr("Pricing versions"), cost_changes)
        self._waiting: list[Callable[[int, str | ChunkedText], None]] = []
        self._saved = SavedVersions(())
        self._new_key = ""
        self._awaited: CompareRequest | None = None
        self.compared: Compared | None = None
        self._again = QTimer(self, singleShot=True, interval=COMPARE_DELAY_MS)
        self._again.timeout.connect(self._compare_again)
        context.pages.when_page_shown("versionsTab", NEEDS, self._on_shown)

    def build(self) -> None:
        """Build the page if that is not done yet."""
        if self.panel is not None:
            return
        from gui.prompt.versions.panel import VersionsPanel

        context = self._context
        self.panel = self._panel = panel = VersionsPanel(context.theme, context.icons)
        page = context.pages.page("versionsTab")
        page.fill(panel)
        context.window.view_bar.add_tools("versionsTab", panel.comparison.tools)
        page.focus_first(panel.list.name)
        self._writer = PieceWriter(self._prompt.editor, self)
        self._writer.finished.connect(self._on_written)
        self._connect()

    def _connect(self) -> None:
        panel, costs = self._panel, self._costs
        panel.list.save_asked.connect(self._save)
        panel.list.restore_asked.connect(self._restore)
        panel.list.rename_asked.connect(self._rename)
        panel.list.delete_asked.connect(self._delete)
        panel.list.current_changed.connect(self.compare)
        panel.comparison.other_changed.connect(self.compare)
        self._prompt.text_ready.connect(self._on_text)
        self._prompt.changed.connect(self._on_prompt_changed)
        self._storing.finished.connect(self._on_done)
        self._comparing.finished.connect(self._on_compared)
        self._comparing.cancelled.connect(self._on_stopped)
        self._pricing.finished.connect(self._on_priced)
        for lane in (self._storing, self._comparing, self._pricing):
            lane.failed.connect(self._on_failed)
        costs.service.estimated.connect(self.reprice)
        costs.panel.model.arranged.connect(self.reprice)
        costs.reference_changed.connect(self.reprice)

    def focus(self) -> None:
        """Show the page and focus the name of a new version."""
        self._context.pages.page("versionsTab").bring_to_front()
        self.build()
        self._panel.list.name.setFocus()

    @Slot()
    def _on_shown(self) -> None:
        """Read the saved versions again, since another window may have saved more, and update the amounts of money."""
        self.build()
        self._list()
        self.reprice()

    def _list(self) -> None:
        self._storing.submit(partial(store.saved_versions, self._folder))

    @Slot(object)
    def _on_done(self, result: JobResult) -> None:
        act = result.request
        if act.func is store.saved_versions:
            self._on_listed(result.value)
        elif act.func is restore:
            self._on_restored(result.value, act.args[-1])
        elif act.func is save:
            self._on_saved(result.value)

    @Slot()
    def compare(self) -> None:
        """Compare the current version with the other text."""
        self._awaited = self.compared = None
        self._again.stop()
        version = self._panel.list.current
        self._panel.comparison.show_nothing()
        if version is None:
            self._panel.comparison.words.say("")
            return
        self._panel.comparison.words.say(self.tr("Comparing…"))
        key = self._panel.comparison.other_key
        if key == PROMPT:
            self._with_text(partial(self._compare_with_prompt, version))
            return
        other = next((one for one in self._saved.versions if one.key == key), None)
        if other is not None:
            self._submit(version, Side(other, None, other.counts), -1)

    def _compare_with_prompt(self, version: Version, revision: int, text: str | ChunkedText) -> None:
        self._submit(version, Side(None, text, self._known_counts(revision)), revision)

    def _submit(self, version: Version, other: Side, revision: int) -> None:
        first = Side(version, None, version.counts)
        needed = tuple(self._costs.service.encodings_needed())
        self._awaited = CompareRequest(first, other, self._prompt.encoding, needed, revision)
        self._comparing.submit(self._awaited)

    @Slot()
    def reprice(self) -> None:
        """Update the amounts of money for new prices or another scenario. A hidden page is updated when it is shown."""
        if not self._panel.isVisible():
            return
        self._panel.list.model.set_cost(self._one_call)
        self._panel.list.model.set_share(self._share)
        service, compared = self._costs.service, self.compared
        if compared is not None and service.scenario is not None:
            models = tuple(row.model for row in service.rows) or service.models
            self._pricing.submit(ChangeRequest(models, compared.before, compared.after, service.scenario, service.mix))

    def _one_call(self, version: Version) -> str:
        """Return the cost of one call with a version, for the reference model."""
        row, scenario = self._costs.reference_row(), self._costs.service.scenario
        tokenizer = row.model.count.tokenizer if row is not None else None
        if row is None or scenario is None or tokenizer not in version.counts:
            return self._text.unknown()
        month = PricedModel(row.model, scenario, self._costs.service.mix).month(tokenizer, version.counts[tokenizer])
        return self._text.usd(month.label, month.usd, month.usd_low, month.usd_high)

    def _share(self, version: Version) -> float | None:
        """Return a version's share of the reference model's context window; None if unknown."""
        row = self._costs.reference_row()
        tokenizer = row.model.count.tokenizer if row is not None else None
        window = None if row is None else row.model.max_input or row.model.context
        return version.counts[tokenizer] / window if window and tokenizer in version.counts else None

    @property
    def _text(self) -> CostText:
        return self._costs.panel.model.view.text

    # --- text of the prompt -----------------------------------------------------------------------------------------

    def _with_text(self, act: Callable[[int, str | ChunkedText], None]) -> None:
        """Call ``act`` with the revision and the text of the prompt, as stored if it is unedited."""
        stored = self._prompt.stored_text
        if stored is not None:
            act(self._prompt.editor.revision, stored)
            return
        self._waiting.append(act)
        self._prompt.request_text()

    @Slot(int, object)
    def _on_text(self, revision: int, text: ChunkedText) -> None:
        waiting, self._waiting = self._waiting, []
        for act in waiting:
            act(revision, text)

    def _known_counts(self, revision: int) -> Mapping[str, int]:
        """Return the known token counts by encoding; empty if they are not of this revision."""
        counts = self._prompt.counts
        if counts is None or counts.revision != revision:
            return {}
        known = {name: tokens for name, tokens in counts.by_encoding.items() if tokens is not None}
        return {**known, counts.encoding: counts.tokens_plain}

    @Slot()
    def _on_prompt_changed(self) -> None:
        request = self._awaited
        shown = self.compared is not None or request is not None
        if shown and self._panel.comparison.other_key == PROMPT:
            self._panel.comparison.words.say(self.tr("The prompt has changed. Comparing again…"), "warning")
            self._again.start()

    @Slot()
    def _compare_again(self) -> None:
        """Compare with the current prompt. The outdated result stays, marked, until then. A hidden page is compared
        when it is shown."""
        version = self._panel.list.current
        if version is not None and self._panel.isVisible() and self._panel.comparison.other_key == PROMPT:
            self._with_text(partial(self._compare_with_prompt, version))

    # --- saving and restoring ---------------------------------------------------------------------------------------

    @Slot(str)
    def _save(self, name: str) -> None:
        self._with_text(partial(self._save_text, name))

    def _save_text(self, name: str, revision: int, text: str | ChunkedText) -> None:
        needed = tuple(self._costs.service.encodings_needed())
        request = SaveRequest(name, text, self._prompt.encoding, needed, self._known_counts(revision))
        self._storing.submit(partial(save, self._folder, self._open, request))

    @Slot(object, str)
    def _rename(self, version: Version, name: str) -> None:
        self._storing.submit(partial(store.rename, self._folder, version, name))
        self._list()

    @Slot(object)
    def _delete(self, version: Version) -> None:
        self._storing.submit(partial(store.delete, self._folder, version))
        self._list()

    def _on_saved(self, version: Version) -> None:
        self._new_key = version.key
        self._list()
        self._notifier.remark(self.tr("Saved version “{name}”.").format(name=version.name))

    def _on_listed(self, saved: SavedVersions) -> None:
        self._saved = saved
        self._panel.comparison.show_versions(saved.versions)
        self._panel.list.model.set_cost(self._one_call)
        self._panel.list.model.set_share(self._share)
        self._panel.list.show_versions(saved, self._new_key)
        self._new_key = ""
        if saved.problems:
            words = self.tr("Some versions could not be read. Their files were not changed.")
            self._notifier.warning(words, "\n".join(saved.problems), key=PROBLEMS)

    @Slot(object)
    def _restore(self, version: Version) -> None:
        self._waiting.append(partial(self._restore_text, version))
        self._prompt.request_text()

    def _restore_text(self, version: Version, revision: int, text: ChunkedText) -> None:
        self._storing.submit(partial(restore, self._folder, RestoreRequest(version, revision, text)))

    def _on_restored(self, restored: Restored, request: RestoreRequest) -> None:
        if not self._writer.can_write(request.revision):
            self._notifier.warning(self.tr("The text changed in the meantime, so nothing was restored."), key=PROBLEMS)
            return
        self._writer.write(request.revision, restored.pieces)
        if restored.line_ends:
            self._notifier.information(
                self.tr("This version has CRLF line endings. The editor counts it with LF."),
                key=PROBLEMS,
            )

    @Slot(bool)
    def _on_written(self, whole: bool) -> None:
        if whole:
            self._notifier.remark(self.tr("Restored this version. Undo reverts it."))
            self.compare()

    # --- comparing --------------------------------------------------------------------------------------------------

    @Slot(object)
    def _on_compared(self, result: JobResult) -> None:
        compared, request = result.value, result.request
        if request is not self._awaited:
            return
        self._awaited, self.compared = None, compared
        self._panel.comparison.show_nothing()  # amounts of the previous texts do not belong to these tokens
        self._panel.comparison.show_comparison(compared.comparison, request.encoding)
        if request.revision not in (-1, self._prompt.editor.revision):
            self._on_prompt_changed()
        self.reprice()

    @Slot(object)
    def _on_priced(self, result: JobResult) -> None:
        changes, request = result.value, result.request
        if self.compared is not None and request.before is self.compared.before:
            current = self._costs.panel.model.view.current
            self._panel.comparison.changes.set_changes(changes, self._text, request.scenario.calls, current)
            self._panel.comparison.show_cost(self._change_of_one_call(changes))

    def _change_of_one_call(self, changes: tuple[CostChange, ...]) -> tuple[str, str] | None:
        row = self._costs.reference_row()
        change = next((one for one in changes if row is not None and one.model.id == row.model.id), None)
        if change is None or change.change.usd is None:
            return None
        words = self.tr("one call, {model}").format(model=change.model.name)
        return money_text(self._text, change.change, plus=True), words

    @Slot()
    def _on_stopped(self) -> None:
        if self._awaited is not None:
            self._awaited = None
            self._panel.comparison.words.say(self.tr("Stopped."))

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self._notifier.error(self.tr("Could not update saved versions: {why}.").format(why=failure.why))
        if self._awaited is not None:
            self._awaited = None
            self._panel.comparison.words.say(self.tr("Not compared."))
