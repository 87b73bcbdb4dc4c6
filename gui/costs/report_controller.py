"""Controller of the report on the prompt: collects the data shown, checks the text for keys, asks, and writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, Qt, Slot
from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QFrame, QTabBar, QVBoxLayout, QWidget

from gui.core.about import our_version, version_lines
from gui.core.profile_files import write_atomic
from gui.core.reports import (
    COST,
    HTML,
    MARKDOWN,
    PRICES,
    SCENARIO,
    Report,
    Section,
    TextFacts,
    counts_section,
    facts_of,
    key_warning,
    pairs_section,
    prices_section,
    program_section,
    rendered,
    report_format,
    text_section,
)
from gui.core.text_chunks import ChunkedText, as_chunked, utf8_chunks
from gui.core.token_text import visible_line
from gui.costs.columns import CostView
from gui.costs.cost_commands import about_lines, readable_table
from gui.costs.rows import CostRow
from gui.look.quantities import figure
from gui.look.style_sheet import give_role
from gui.widgets.forms import Dialog, Remark, button_row
from gui.widgets.labels import PlainLabel, wrapped_label
from gui.widgets.tool_row import segments

if TYPE_CHECKING:
    from gui.runtime.jobs import JobFailure, JobResult, Ticket
    from gui.widgets.page_controller import AppContext
    from pricing.types import Scenario


@dataclass(frozen=True, slots=True)
class ShownCosts:
    """Immutable snapshot of the costs, taken on the GUI thread, from which a worker makes the sections of a report.

    ``when`` has a time zone. ``counts``: tokens by encoding; ``counted_as`` is the encoding of these counts,
    ``encoding`` the selected one. ``columns``: columns of the cost table, from left to right.
    """

    when: datetime
    counts: Mapping[str, int]
    counted_as: str
    encoding: str
    prices_hash: str
    scenario: Scenario
    rows: tuple[CostRow, ...]
    columns: tuple[int, ...]
    view: CostView

    def sections(self) -> tuple[Section, ...]:
        """Return the sections of a report besides the text. Runs on a worker thread, since it reads package versions
        from files and formats every cell of the table."""
        about = about_lines(self.when, our_version(), self.prices_hash, self.encoding, self.scenario)
        return (
            counts_section(self.counts, self.counted_as),
            pairs_section(SCENARIO, about[2:]),
            Section(COST, readable_table(self.rows, self.columns, self.view)),
            prices_section(((row.model_id, row.estimate) for row in self.rows), self.scenario.on),
            program_section(version_lines(), self.when),
        )


MAX_CHARACTERS = 2_000_000
"""Maximum size of a text included in a report, in characters: browsers cannot handle longer ones."""


@dataclass(frozen=True, slots=True)
class ReportChoice:
    """Format and contents of a report. ``kind``: ``HTML`` or ``MARKDOWN``. ``left_out``: titles of excluded sections.
    ``with_text``: True if the text of the prompt is included."""

    kind: str = HTML
    left_out: frozenset[str] = frozenset()
    with_text: bool = False


class ReportDialog(Dialog):
    """Dialog of a report: its format and contents. ``choice`` is the answer, once accepted."""

    def __init__(self, facts: TextFacts, models: int, parent: QWidget) -> None:
        """``models``: number of rows in the cost table."""
        super().__init__(parent)
        self.setObjectName("reportDialog")
        self.setWindowTitle(self.tr("Export report"))
        write = partial(figure, self.locale())
        self.format = QTabBar(self)
        track = segments(self.format, "reportFormat", self.tr("Format"))
        for name in (self.tr("Web page"), self.tr("Markdown")):
            self.format.addTab(name)
        rows = self.tr("Cost &table, {n} models").format(n=write(models))
        if models == 1:
            rows = self.tr("Cost &table, one model")
        self.sections = {
            COST: self._box(rows, "reportCost"),
            SCENARIO: self._box(self.tr("&Scenario"), "reportScenario"),
            PRICES: self._box(self.tr("&Price sources and dates"), "reportPrices"),
        }
        for box in self.sections.values():
            box.setChecked(True)
        self.text = self._box(self.tr("Te&xt of the prompt"), "reportText")
        if facts.characters > MAX_CHARACTERS:
            words = self.tr("Text of the prompt: longer than {most} characters")
            self.text.setText(words.format(most=write(MAX_CHARACTERS)))
            self.text.setEnabled(False)
        self.warning = Remark(self)
        self.warning.setObjectName("reportWarning")
        found = key_warning([facts])
        warning = self.tr("{warning} Anyone who receives the text can read them.").format(warning=found)
        self.warning.say(warning if found else "", "warning")
        self.about = wrapped_label("reportAbout")
        give_role(self.about, "quiet")
        self.about.setText(self._about(facts.characters))
        self._lay_out(track)

    def _lay_out(self, track: QFrame) -> None:
        title = PlainLabel(self.tr("Cost of the prompt"), self, role="section")
        buttons = button_row(self, QDialogButtonBox.StandardButton.Save, QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Save).setText(self.tr("&Export…"))
        column = QVBoxLayout(self)
        column.setSpacing(6)
        column.addWidget(title)
        column.addSpacing(6)
        column.addWidget(PlainLabel(self.tr("Format"), self, role="caption"))
        column.addWidget(track, 0, Qt.AlignmentFlag.AlignLeading)
        column.addSpacing(6)
        column.addWidget(PlainLabel(self.tr("Contents"), self, role="caption"))
        for widget in (*self.sections.values(), self.text, self.warning):
            column.addWidget(widget)
        column.addSpacing(6)
        column.addWidget(self.about)
        column.addSpacing(6)
        column.addStretch(1)
        column.addWidget(buttons)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 64)

    def _box(self, text: str, name: str) -> QCheckBox:
        return QCheckBox(text, self, objectName=name)

    def _about(self, characters: int) -> str:
        if characters == 1:
            size = self.tr("1 character")
        else:
            size = self.tr("{n} characters").format(n=figure(self.locale(), characters))
        return self.tr(
            "Every report has the token counts, the SHA-256 of the text ({size}), and the versions of Tokenloupe and "
            "its libraries."
        ).format(size=size)

    @property
    def choice(self) -> ReportChoice:
        """The chosen format and contents."""
        left_out = frozenset(title for title, box in self.sections.items() if not box.isChecked())
        return ReportChoice((HTML, MARKDOWN)[self.format.currentIndex()], left_out, self.text.isChecked())


KEY = "report"


@dataclass(frozen=True, slots=True)
class Draft:
    """Report that waits for its text: what the window shows, and the revision. The worker that checks the text adds
    ``facts`` and ``sections``."""

    revision: int
    shown: ShownCosts
    text: ChunkedText = field(default_factory=ChunkedText)
    facts: TextFacts | None = None
    sections: tuple[Section, ...] = ()
    choice: ReportChoice = field(default_factory=ReportChoice)


class ReportWriting(QObject):
    """Controller of reports, one at a time: a newer one replaces one that is not confirmed yet."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.pages)
        self._context = context
        self._wanted = self._wants_text = False
        self._draft: Draft | None = None
        self.dialog: ReportDialog | None = None
        self._lane = context.jobs.exclusive(self.tr("Exporting a report"), _do, stoppable=False)
        self._lane.finished.connect(self._on_done)
        self._lane.failed.connect(self._on_failed)
        # Whichever is last: on a slow machine prices are marked as stale until after they have arrived.
        service = context.pages.costs.service
        for change in (service.estimated, service.stale_changed, context.prompt.counted):
            change.connect(self._begin_if_requested)
        context.prompt.text_ready.connect(self._on_text)

    @Slot()
    def begin(self) -> None:
        """Offer a report of the current prompt, as soon as it is counted and priced."""
        if not self._fresh():
            self._wanted = True
            self._context.notifier.remark(self.tr("Waiting for counts and prices…"))
            return
        self._wanted = False
        prompt = self._context.prompt
        self._draft = Draft(prompt.editor.revision, self._shown())
        if prompt.stored_text is not None:
            self._check_text(prompt.stored_text)
        else:
            self._wants_text = True
            prompt.request_text()

    def _fresh(self) -> bool:
        prompt, costs = self._context.prompt, self._context.pages.costs
        counts = prompt.counts
        counted = counts is not None and not prompt.stale and counts.complete
        return counted and bool(costs.service.rows) and not costs.service.stale

    @Slot()
    def _begin_if_requested(self) -> None:
        if self._wanted and self._fresh():
            self.begin()

    @Slot(int, object)
    def _on_text(self, revision: int, text: ChunkedText) -> None:
        if not self._wants_text or self._draft is None:
            return
        self._wants_text = False
        if revision != self._draft.revision:
            self.begin()
            return
        self._check_text(text)

    def _check_text(self, text: str | ChunkedText) -> None:
        assert self._draft is not None
        self._lane.submit(partial(_with_facts, self._draft, text, self._name()))

    def _name(self) -> str:
        origin = self._context.prompt.origin
        return visible_line(origin.path.name) if origin is not None else ""

    def _shown(self) -> ShownCosts:
        """Return a snapshot of the figures that the window shows."""
        costs, prompt = self._context.pages.costs, self._context.prompt
        assert prompt.counts is not None
        panel, service = costs.panel, costs.service
        assert service.scenario is not None
        counts = {name: tokens for name, tokens in prompt.counts.by_encoding.items() if tokens is not None}
        return ShownCosts(
            when=datetime.now().astimezone(),
            counts={prompt.counts.encoding: prompt.counts.tokens, **counts},
            counted_as=prompt.counts.encoding,
            encoding=prompt.encoding,
            prices_hash=service.prices_hash,
            scenario=service.scenario,
            rows=tuple(panel.model.shown_rows()),
            columns=tuple(panel.table.visible_columns()),
            view=panel.model.view,
        )

    @Slot(object)
    def _on_done(self, result: JobResult) -> None:
        if isinstance(result.value, Path):
            self._context.notifier.remark(self.tr("Exported the report to {path}.").format(path=result.value))
        else:
            self._ask(result.value)

    def _ask(self, draft: Draft) -> None:
        assert draft.facts is not None
        self._draft = draft
        self.dialog = ReportDialog(draft.facts, len(draft.shown.rows), self._context.window)
        self.dialog.finished.connect(self.dialog.deleteLater)
        self.dialog.accepted.connect(self._ask_for_file)
        self.dialog.open()

    @Slot()
    def _ask_for_file(self) -> None:
        from gui.widgets import file_choosers

        assert self.dialog is not None
        assert self._draft is not None
        choice = self.dialog.choice
        self._draft = replace(self._draft, choice=choice)
        self.dialog = None
        formats = [(self.tr("Web page (*.html)"), "html"), (self.tr("Markdown (*.md)"), "md")]
        if choice.kind == MARKDOWN:
            formats.reverse()
        folder = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
        dialog = file_choosers.saving(
            self._context.window,
            "reportFileDialog",
            self.tr("Export report"),
            folder / f"report.{formats[0][1]}",
            [words for words, _ending in formats],
            [ending for _words, ending in formats],
        )
        dialog.fileSelected.connect(self._on_file)
        dialog.open()

    @Slot(str)
    def _on_file(self, path: str) -> None:
        self.write(Path(path))

    def write(self, path: Path) -> None:
        """Write the requested report: Markdown or HTML by the file extension, in the chosen format for any other."""
        assert self._draft is not None
        self._lane.submit(partial(_write, self._draft, path))

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self._context.notifier.error(self.tr("Could not export the report: {why}.").format(why=failure.why), key=KEY)


def _do(act: Callable[[], object], _ticket: Ticket) -> object:
    return act()


def _with_facts(draft: Draft, text: str | ChunkedText, name: str) -> Draft:
    chunks = as_chunked(text)
    return replace(draft, text=chunks, facts=facts_of(name, chunks), sections=draft.shown.sections())


def _write(draft: Draft, path: Path) -> Path:
    """Write a report and return its path. Runs on a worker thread. Raises OSError."""
    assert draft.facts is not None
    choice = draft.choice
    sections = (one for one in draft.sections if one.title not in choice.left_out)
    text = (Section("The text itself", verbatim=draft.text.text()),) if choice.with_text else ()
    report = Report("Cost of the prompt", (text_section([draft.facts]), *sections, *text))
    write_atomic(path, utf8_chunks(rendered(report, report_format(path) or choice.kind)))
    return path
