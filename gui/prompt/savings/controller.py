"""Controller of the page Savings: searches the prompt, counts the checked edits, and applies them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from gui.costs.cost_service import PricedModel
from gui.costs.money_text import money_text
from gui.editor.text_transfer import PieceWriter
from gui.prompt.savings.service import AdviceRequest, Combination, CombineRequest, Findings, combine, kind_text, look
from gui.runtime.notify import Offer
from gui.widgets.page_controller import PageBuilding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.core.text_chunks import ChunkedText
    from gui.prompt.savings.panel import SavingsPanel
    from gui.runtime.jobs import JobFailure, JobProgress, JobResult
    from gui.widgets.page_controller import AppContext

NEEDS = ("gui.prompt.savings.panel",)
"""Modules loaded when the page is built."""


class SavingsController(QObject):
    """Controller between panel, prompt and jobs. The page is built when it is first shown."""

    _panel: SavingsPanel

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.pages)
        self._context, self._prompt = context, context.prompt
        self._costs, self._notifier = context.pages.costs, context.notifier
        self.panel: SavingsPanel | None = None
        self._has_old_prices = False
        self.findings: Findings | None = None
        self.combination: Combination | None = None
        self._awaits_text = self._looking = False
        self._awaited: CombineRequest | None = None
        self._building = PageBuilding(self._steps, context.window.closed, self)
        jobs, open_encoding = context.jobs, context.encodings.open
        self._searching = jobs.conflated(self.tr("Finding savings"), partial(look, open_encoding))
        self._combining = jobs.conflated(self.tr("Counting combined savings"), partial(combine, open_encoding))
        context.pages.when_page_shown("savingsTab", NEEDS, self._on_shown)

    def build(self) -> None:
        """Build the page now if that is not done yet."""
        self._building.finish()

    def _steps(self) -> Iterator[None]:
        from gui.prompt.savings.panel import SavingsPanel

        context = self._context
        panel = SavingsPanel(context.theme, context.icons)
        yield from panel.make()
        yield
        self.panel = self._panel = panel
        self._writer = PieceWriter(self._prompt.editor, self)
        self._writer.finished.connect(self._on_written)
        self._connect()
        self._show_status()
        yield
        page = context.pages.page("savingsTab")
        page.fill(panel)
        context.window.view_bar.add_tools("savingsTab", panel.tools)
        page.focus_first(panel.run)
        yield

    def _connect(self) -> None:
        panel, prompt, searching, costs = self._panel, self._prompt, self._searching, self._costs
        panel.run_asked.connect(self.run)
        panel.stop_asked.connect(searching.cancel)
        panel.savings.chosen_changed.connect(self._combine)
        panel.savings.apply_asked.connect(self.apply)
        for page in (panel.savings, panel.ranking):
            page.span_requested.connect(self._go_to)
        prompt.changed.connect(self._show_status)
        prompt.text_ready.connect(self._on_text)
        searching.finished.connect(self._on_found)
        searching.progressed.connect(self._on_progress)
        searching.cancelled.connect(self._end)
        self._combining.finished.connect(self._on_combined)
        for lane in (searching, self._combining):
            lane.failed.connect(self._on_failed)
        for change in (costs.service.estimated, costs.panel.model.arranged, costs.reference_changed):
            change.connect(self._reprice)

    def focus(self) -> None:
        """Show the page and focus it."""
        self._context.pages.page("savingsTab").bring_to_front()
        self.build()
        self._panel.focus()

    def _priced(self) -> PricedModel | None:
        costs = self._costs
        row, scenario = costs.reference_row(), costs.service.scenario
        return None if row is None or scenario is None else PricedModel(row.model, scenario, costs.service.mix)

    @Slot()
    def _reprice(self) -> None:
        """Update the amounts of money, but only while the page is shown: dozens of amounts are too slow for each key
        typed in the prompt."""
        self._has_old_prices = not self._context.pages.page("savingsTab").is_in_front()
        if self._has_old_prices:
            return
        self._panel.set_text(self._costs.panel.model.view.text)
        self.reprice()

    @Slot()
    def _on_shown(self) -> None:
        """Search the current text, once the page is built and shown."""
        self._building.when_built(self._look)

    def _look(self) -> None:
        if not self._context.pages.page("savingsTab").is_in_front():
            return
        if self._has_old_prices:
            self._reprice()
        if not self.fresh:
            self.run()

    @property
    def fresh(self) -> bool:
        """True if the findings belong to the current text, in the encoding of the reference model."""
        return self._of_this_text and not self._in_another_encoding

    @property
    def _of_this_text(self) -> bool:
        return self.findings is not None and self.findings.request.revision == self._prompt.editor.revision

    @property
    def _in_another_encoding(self) -> bool:
        return self.findings is not None and self.findings.request.encoding != self._encoding()

    @Slot()
    def run(self) -> None:
        """Search the current prompt."""
        self._awaits_text = self._looking = True
        self._panel.show_running(True)
        self._show_status()
        self._prompt.request_text()

    @Slot()
    def reprice(self) -> None:
        """Update the amounts of money for new prices, scenario or reference model."""
        findings, priced = self.findings, self._priced()
        if findings is None:
            return
        savings, ranking = self._panel.savings, self._panel.ranking
        if priced is None:
            savings.model.set_money({})
            ranking.model.set_money(None)
        else:
            encoding = findings.request.encoding
            effects = {one.kind.name: one.effect for one in findings.advice.proposals}
            savings.model.set_money(
                {
                    name: priced.saving(encoding, effect.tokens_before, effect.tokens_after)
                    for name, effect in effects.items()
                }
            )
            ranking.model.set_money(priced.prompt(encoding, findings.advice.tokens))
        self._show_total()
        self._show_status()
        if self._of_this_text and self._in_another_encoding and self._panel.isVisible() and not self._looking:
            self.run()

    @Slot()
    def apply(self) -> None:
        """Apply the checked edits as they were counted."""
        done = self.combination
        if done is None or not self._writer.can_write(done.revision):
            self._notifier.warning(
                self.tr("The text changed in the meantime, so nothing was edited. Searching again."),
                key="advisor",
            )
            self.run()
            return
        self._writer.write(done.revision, done.pieces)

    @Slot(int, object)
    def _on_text(self, revision: int, text: ChunkedText) -> None:
        if not self._awaits_text:
            return
        self._awaits_text = False
        self._searching.submit(AdviceRequest(revision, text, self._encoding(), self._prompt.special_as_tokens))

    def _encoding(self) -> str:
        """Return the encoding of the reference model, so that tokens and money agree; else that of the prompt."""
        priced = self._priced()
        return (priced.model.count.tokenizer if priced is not None else None) or self._prompt.encoding

    @Slot(object)
    def _on_found(self, result: JobResult) -> None:
        self._end()
        findings: Findings = result.value
        self.findings, self.combination = findings, None
        self._panel.ranking.show_rankings(findings.rankings, findings.advice.tokens)
        self._panel.savings.show_proposals(findings.advice.proposals, findings.previews)
        self.reprice()

    @Slot()
    def _combine(self) -> None:
        """Recount the checked edits together: adjacent edits save less together than apart."""
        self.combination = self._awaited = None
        if self.findings is not None and self._panel.savings.model.chosen:
            self._awaited = CombineRequest(self.findings, self._panel.savings.model.chosen)
            self._combining.submit(self._awaited)
        self._show_total()

    @Slot(object)
    def _on_combined(self, result: JobResult) -> None:
        if result.request is self._awaited:
            self._awaited, self.combination = None, result.value
            self._show_total()

    @Slot(bool)
    def _on_written(self, whole: bool) -> None:
        done = self.combination
        if not whole or done is None:
            return
        saved = self._panel.text.localised(f"{done.tokens_before - done.tokens_after:,}")
        self._notifier.done(
            self.tr("Saved {tokens} tokens.").format(tokens=saved),
            key="savings",
            offers=(Offer(self.tr("Undo"), self._undo),),
        )
        self.run()

    def _undo(self) -> None:
        self._notifier.withdraw("savings")
        self._prompt.editor.undo()
        self.run()

    @Slot(int, int)
    def _go_to(self, utf16_start: int, utf16_end: int) -> None:
        if self._of_this_text:
            self._context.pages.show_in_prompt(utf16_start, utf16_end)
        else:
            self._notifier.remark(self.tr("The text has changed, so positions may be off. Search again."))

    @Slot(object)
    def _on_progress(self, progress: JobProgress) -> None:
        self._panel.show_progress(progress.fraction)
        if progress.note:
            self._panel.status.say(self.tr("Searching: {what}…").format(what=progress.note))

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self._end()
        self._notifier.error(self.tr("Could not search the text: {why}.").format(why=failure.why))

    @Slot()
    def _end(self) -> None:
        self._looking = False
        self._panel.show_running(False)
        self._show_status()

    # --- status texts -----------------------------------------------------------------------------------------------

    @Slot()
    def _show_status(self) -> None:
        """Show the state of the findings: outdated text, encoding, and the model of the prices."""
        findings, panel = self.findings, self._panel
        panel.savings.apply.setEnabled(self.combination is not None and self.fresh and not self._looking)
        if self._looking:
            panel.status.say(self.tr("Searching the text…"))
        elif findings is None:
            panel.status.say(self.tr("Finds what costs tokens, and counts every edit before suggesting it."))
        elif not self._of_this_text:
            panel.status.say(self.tr("The text has changed. Search again to update the figures."), "warning")
        else:
            panel.status.say(" ".join(self._sentences(findings)))

    def _sentences(self, findings: Findings) -> list[str]:
        advice, encoding = findings.advice, findings.request.encoding
        tokens = self._panel.text.localised(f"{advice.tokens:,}")
        words = [self.tr("{tokens} tokens in {encoding}.").format(tokens=tokens, encoding=encoding)]
        if not advice.proposals:
            words.append(self.tr("No savings found."))
        if advice.unfinished:
            names = ", ".join(kind_text(kind.name).title for kind in advice.unfinished)
            words.append(self.tr("Timed out: {names}. Try a part of the text.").format(names=names))
        priced = self._priced()
        if priced is not None:
            calls = self._panel.text.localised(f"{priced.scenario.calls:,}")
            words.append(
                self.tr("Money: {model}, {calls} calls per month.").format(model=priced.model.name, calls=calls)
            )
            if self._in_another_encoding:
                words.append(self.tr("The encoding has changed. Search again to update the figures."))
        return words

    def _show_total(self) -> None:
        """Show the total of the checked edits."""
        savings, strip, done = self._panel.savings, self._panel.strip, self.combination
        savings.apply.setEnabled(done is not None and self.fresh and not self._looking)
        savings.empty.say(self.tr("No savings found.") if self.findings is not None else "")
        chosen, rows = len(savings.model.chosen), len(savings.model.rows)
        savings.total.setText(
            self.tr("{chosen} of {rows} selected. Undo reverts all of them.").format(chosen=chosen, rows=rows)
            if rows
            else ""
        )
        if self.findings is None:
            strip.show_figures()
            return
        localised = self._panel.text.localised
        if done is None:
            tokens = localised(f"{self.findings.advice.tokens:,}")
            waits = self._awaited is not None
            strip.show_figures((tokens, self.tr("tokens, counting the selection…") if waits else self.tr("tokens")))
            return
        saved = done.tokens_before - done.tokens_after
        before, after = (localised(f"{tokens:,}") for tokens in (done.tokens_before, done.tokens_after))
        share = localised(f"{saved / max(done.tokens_before, 1) * 100:.1f}")
        with_chosen = self.tr("tokens, with the {n} selected").format(n=localised(f"{chosen:,}"))
        figures = [(f"{before} → {after}", with_chosen), (f"−{share}%", self.tr("of the prompt"))]
        priced = self._priced()
        if priced is not None:
            money = priced.saving(self.findings.request.encoding, done.tokens_before, done.tokens_after)
            words = self.tr("less per month, {model}").format(model=priced.model.name)
            figures.append((money_text(self._panel.text, money), words))
        strip.show_figures(*figures)
