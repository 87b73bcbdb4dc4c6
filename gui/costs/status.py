"""Texts around the cost table: legend, number of models, age of the prices, remarks on the scenario."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from gui.core.exports import plain
from gui.core.figures import ASSUMED, ESTIMATED, EXACT
from gui.costs import prices_service as price_files
from gui.costs.cells import Dot
from gui.costs.columns import excess, excess_text
from gui.costs.cost_model import CostTableModel
from gui.costs.cost_service import CostService
from gui.costs.money_text import age_tone
from gui.look.plain_text import PlainLabel, as_written
from gui.look.theme import Theme
from gui.widgets.labels import RemarkLabel

if TYPE_CHECKING:
    from pricing.types import Scenario

MAX_NAMED = 2
"""Maximum number of models over budget that are named; the others are counted."""


class Foot(QFrame):
    """Line below a cost table: legend of its marks, number of models shown, and age of their prices."""

    def __init__(self, status: CostStatus, theme: Theme) -> None:
        super().__init__(objectName="foot")
        self._words: list[PlainLabel] = []
        self._count = status.count
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 12, 5)
        row.setSpacing(4)
        for quality, words in (
            (EXACT, self.tr("Exact")),
            (ESTIMATED, self.tr("Estimated range")),
            (ASSUMED, self.tr("Assumed")),
            ("", self.tr("Current model")),
        ):
            label = PlainLabel(words)
            label.setProperty("role", "caption")
            dot = Dot(quality, theme)
            dot.setToolTip(words)
            row.addWidget(dot)
            row.addWidget(label)
            row.addSpacing(8)
            self._words.append(label)
        row.addStretch(1)
        row.addWidget(status.count)
        row.addSpacing(8)
        row.addWidget(status.remark)
        self.setMinimumWidth(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the words of the legend if the number of models would not fit; each dot has its tooltip."""
        super().resizeEvent(event)
        needed = self._count.sizeHint().width() + sum(label.sizeHint().width() + 28 for label in self._words) + 24
        for label in self._words:
            label.setVisible(needed <= self.width())


class CostStatus(QObject):
    """Three labels: ``count`` (23 of 91 models), ``remark`` (age of prices, or a problem), ``note`` (scenario)."""

    def __init__(
        self, model: CostTableModel, service: CostService, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._service, self._theme = model, service, theme
        self._tone, self._note_tone = "", "information"
        self._wanted_currency = "USD"
        self._of_request = False
        self.count = PlainLabel(objectName="costCount")
        self.remark = RemarkLabel("costRemark")
        self.remark.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.note = PlainLabel(objectName="scenarioNote")
        self.note.setWordWrap(True)
        self.note.hide()
        for label in (self.count, self.remark, self.note):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setProperty("role", "caption")
        service.stale_changed.connect(self.refresh)
        theme.changed.connect(self._colour)
        self.refresh()

    def set_wanted_currency(self, code: str) -> None:
        """Set the currency wanted. ``refresh`` then reports a missing rate."""
        self._wanted_currency = code

    def set_of_request(self, on: bool) -> None:
        """Show whether the costs are those of the request on the page Chat or of the text."""
        self._of_request = on
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Update all labels."""
        count = self._count_text()
        self.count.setText(count)
        self.count.setToolTip(as_written(count))
        text, self._tone = self._remark()
        self.remark.setText(text)
        problems = (str(problem) for problem in self._service.problems)
        self.remark.setToolTip(as_written("\n".join([text, *problems, *self._service.notices])))
        warning = self._budget_warning()
        self._note_tone = "warning" if warning else "information"
        whose = (self.tr("Cost of the request on the Chat page."),) if self._of_request else ()
        note = " ".join((*whose, *warning, *self._scenario_notes()))
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self._colour()

    def problem_sentence(self) -> str:
        """Return a sentence on the problem in the user's price file, and the prices in effect instead."""
        number = len(self._service.problems)
        wrong = (
            self.tr("Your price file has a problem.")
            if number == 1
            else self.tr("Your price file has {number} problems.").format(number=self._number(number))
        )
        in_force = {
            price_files.KEPT: self.tr("The previous prices stay in use."),
            price_files.LAST_GOOD: self.tr("Its last valid version is in use."),
            price_files.BUNDLED: self.tr("The built-in prices are in use."),
        }
        return f"{wrong} {in_force.get(self._service.instead, '')}".strip()

    def _count_text(self) -> str:
        result = self._model.result
        text = self.tr("{shown} of {total} models").format(
            shown=self._number(len(result.order)), total=self._number(result.total)
        )
        arrangement = self._model.arrangement
        if result.hidden and not arrangement.show_hidden:
            text += self.tr(" · {number} hidden").format(number=self._number(result.hidden))
        if result.retired and not arrangement.show_retired:
            text += self.tr(" · {number} retired").format(number=self._number(result.retired))
        if result.embedding and not arrangement.show_embedding:
            text += self.tr(" · {number} embedding").format(number=self._number(result.embedding))
        return text

    def _remark(self) -> tuple[str, str]:
        """Return the most important remark and its tone."""
        if self._service.problems:
            return self.problem_sentence(), "error"
        if self._service.stale:
            return self.tr("Counting… Figures are for the previous text."), "stale"
        if not self._model.rows:
            return self.tr("Loading prices…"), "stale"
        checked = [row.estimate.price_checked for row in self._model.shown_rows()]
        days = [day for day in checked if day is not None]
        if not days:
            return "", ""
        return self._age(min(days), max(days)), age_tone(min(days), self._service.today)

    def _age(self, oldest: date, newest: date) -> str:
        text, today = self._model.view.text, self._service.today
        age = text.age(oldest, today)
        if oldest == newest:
            return self.tr("Prices checked {age}").format(age=age)
        first = self._number(max(0, (today - newest).days))
        return self.tr("Prices checked {newest} to {oldest}").format(newest=first, oldest=age)

    def _budget_warning(self) -> tuple[str, ...]:
        """Return a warning that names the visible models over budget, the first with its excess; empty if none is."""
        view = self._model.view
        if view.budget is None or not self._model.rows:
            return ()
        over = [(row, by) for row in self._model.shown_rows() if (by := excess(row, view)) is not None]
        if not over:
            return ()
        surely = [(row, by) for row, by in over if by[0] > 0]
        words = self.tr("⚠ Over the monthly budget of {usd}: {number} of the models shown.")
        said = [words.format(usd=view.text.amount(view.budget), number=self._number(len(surely)))]
        if surely:
            named = [
                self.tr("{model} by {usd}").format(model=row.model.name, usd=excess_text(row, view, by))
                for row, by in surely[:MAX_NAMED]
            ]
            rest = len(surely) - len(named)
            more = self.tr(", {number} more").format(number=self._number(rest)) if rest else ""
            said.append(", ".join(named) + more + ".")
        perhaps = len(over) - len(surely)
        if perhaps:
            said.append(self.tr("{number} more may be.").format(number=self._number(perhaps)))
        return tuple(said)

    def _scenario_notes(self) -> list[str]:
        rows, scenario = self._model.shown_rows(), self._service.scenario
        notes: list[str] = []
        if scenario is None:
            return notes
        if any(row.cached_cut for row in rows):
            notes.append(
                self.tr("The scenario caches more tokens than some prompts have; those count as fully cached.")
            )
        if scenario.on != self._service.today:
            day = self._model.view.text.day(scenario.on)
            unpriced = sum(not row.model.has_price_on(scenario.on) for row in rows)
            if unpriced < len(rows):
                notes.append(self.tr("Prices of {day}, as known today.").format(day=day))
            if unpriced:
                number = self._number(unpriced)
                words = self.tr("No known price on {day} for {number} of the models shown.")
                notes.append(words.format(day=day, number=number))
        missing = sum(
            1 for row in rows if scenario.batch and any(name.startswith("batch") for name in row.estimate.unknown)
        )
        if missing:
            notes.append(
                self.tr("No known batch price for {number} of the models shown.").format(number=self._number(missing))
            )
        unsold = sum(f"services.{scenario.service}" in row.estimate.unknown for row in rows)
        if unsold:
            words = self.tr("No known {service} price for {number} of the models shown.")
            notes.append(words.format(service=scenario.service, number=self._number(unsold)))
        return [*notes, *self._hidden_choices(scenario)]

    def _hidden_choices(self, scenario: Scenario) -> list[str]:
        """Return the settings of the scenario dialog that the bar does not show."""
        text, mix, said = self._model.view.text, self._service.mix, []
        for ends, words in (
            (scenario.output_range, self.tr("Output: {low} to {high} tokens.")),
            (scenario.reasoning_range, self.tr("Reasoning: {low} to {high} tokens.")),
        ):
            if ends is not None:
                said.append(words.format(low=self._number(ends[0]), high=self._number(ends[1])))
        if mix is not None and mix.hit_rate is not None:
            share = text.percent(mix.hit_rate, mix.hit_rate)
            said.append(self.tr("Cache hit rate {share}; the other calls write the cache.").format(share=share))
        elif scenario.cache_write_tokens or scenario.cache_write_1h_tokens:
            tokens = self._number(scenario.cache_write_tokens + scenario.cache_write_1h_tokens)
            said.append(self.tr("Each call writes {tokens} tokens to the cache.").format(tokens=tokens))
        if mix is not None and mix.batch_share is not None:
            share = text.percent(mix.batch_share, mix.batch_share)
            said.append(self.tr("Batch share of calls: {share}.").format(share=share))
        if self._wanted_currency not in ("USD", text.currency.code):
            words = self.tr("Your price file has no exchange rate for {code}: amounts are in US dollars.")
            said.append(words.format(code=self._wanted_currency))
        if not text.currency.is_dollar:
            rate = "$" + text.localised(plain(text.currency.usd))
            said.append(self.tr("1 {code} = {usd}, from your price file.").format(code=text.currency.code, usd=rate))
        return said

    def _number(self, number: int) -> str:
        return self._model.view.text.number(number)

    @Slot()
    def _colour(self) -> None:
        for label, role in (
            (self.remark, self._tone or "stale"),
            (self.count, "stale"),
            (self.note, self._note_tone),
        ):
            palette = QPalette(label.palette())
            palette.setColor(QPalette.ColorRole.WindowText, self._theme.colour(role))
            label.setPalette(palette)
