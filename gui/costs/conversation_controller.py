"""Page Conversation: its form, the costs of its turns as curves and as tables, and its controller.

The controller recalculates it when the prompt, prices, scenario or favourites change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QCoreApplication,
    QEvent,
    QObject,
    QPointF,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QIcon, QPainter, QPainterPath, QPen, QPixmap, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHeaderView,
    QScrollArea,
    QSpinBox,
    QSplitter,
    QTableView,
    QWidget,
)

from gui.costs.conversation_service import (
    MAX_MODELS,
    MAX_TURNS,
    ConversationChoices,
    Talk,
    TalkRequest,
    conversation_of,
    converse_with_all,
    talker_of,
)
from gui.costs.cost_service import HOUR, MINUTES
from gui.costs.money_text import CostText, total_places, total_text
from gui.look.theme import Theme
from gui.runtime.event_loop import PlotTurn, WhenShown
from gui.runtime.loading import Loading
from gui.widgets.forms import PageTabs, Remark, SpinBox, column_of, labelled, row_of, tokens_box
from gui.widgets.labels import FigureStrip, PlainLabel
from gui.widgets.table_model import Column, TableModel
from gui.widgets.tables import ROW_PADDING, FittedTable, set_up_rows

if TYPE_CHECKING:
    from gui.costs.rows import CostRow
    from gui.runtime.jobs import JobFailure, JobResult
    from gui.widgets.page_controller import AppContext
    from pricing.scenarios import Turn


# --- lines of a chart -------------------------------------------------------------------------------------------------

LINE_WIDTH = 2
SAMPLE_WIDTH, SAMPLE_HEIGHT = 34, 14


class LineStyle(NamedTuple):
    """Style of a line: colour, dashes and marker shape, each sufficient alone.

    ``role``: colour role; ``mark``: name of a pyqtgraph symbol; ``size``: of the mark, in pixels.
    """

    role: str
    dashes: Qt.PenStyle
    mark: str
    size: int = 8

    def pen(self, theme: Theme) -> QPen:
        """Return the pen of the line."""
        pen = QPen(theme.colour(self.role), LINE_WIDTH, self.dashes)
        pen.setCosmetic(True)
        return pen


LINE_STYLES: tuple[LineStyle, ...] = (
    LineStyle("bar", Qt.PenStyle.SolidLine, "o"),
    LineStyle("syntax_number", Qt.PenStyle.DashLine, "s"),
    LineStyle("success", Qt.PenStyle.DotLine, "t1"),
    LineStyle("bar_pinned", Qt.PenStyle.DashDotLine, "d"),
    LineStyle("error", Qt.PenStyle.DashDotDotLine, "t"),
    LineStyle("text", Qt.PenStyle.SolidLine, "+"),
)
"""The largest set of lines that can be told apart."""

_SHAPES: dict[str, tuple[tuple[float, float], ...]] = {
    "s": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "t1": ((0, -1), (1, 1), (-1, 1)),
    "t": ((0, 1), (1, -1), (-1, -1)),
    "d": ((0, -1.2), (0.8, 0), (0, 1.2), (-0.8, 0)),
}


def line_sample(style: LineStyle, theme: Theme, ratio: float) -> QIcon:
    """Return a sample of the line with its marker, for a legend. ``ratio``: device pixels per point."""
    picture = QPixmap(round(SAMPLE_WIDTH * ratio), round(SAMPLE_HEIGHT * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(style.pen(theme))
        middle = SAMPLE_HEIGHT / 2
        painter.drawLine(QPointF(0, middle), QPointF(SAMPLE_WIDTH, middle))
        painter.setPen(QPen(theme.colour(style.role), 1.5))
        painter.setBrush(theme.colour(style.role))
        painter.drawPath(_mark(style, QPointF(SAMPLE_WIDTH / 2, middle)))
    return QIcon(picture)


def _mark(style: LineStyle, centre: QPointF) -> QPainterPath:
    path = QPainterPath()
    half = style.size / 2
    if style.mark == "o":
        path.addEllipse(centre, half, half)
    elif style.mark == "+":
        for across, down in ((half, 0.0), (0.0, half)):
            path.moveTo(centre - QPointF(across, down))
            path.lineTo(centre + QPointF(across, down))
    else:
        corners = [centre + QPointF(x, y) * half for x, y in _SHAPES[style.mark]]
        path.moveTo(corners[0])
        for corner in (*corners[1:], corners[0]):
            path.lineTo(corner)
    return path


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("ConversationTable", text)


def _pays_text(talk: Talk, text: CostText) -> str:
    if not talk.without:
        return tr("no cache")
    if talk.pays_from is not None:
        return tr("turn {number}").format(number=text.number(talk.pays_from))
    return text.unknown() if talk.turns[-1].total_usd is None else tr("never")


def _fits_text(talk: Talk, text: CostText) -> str:
    if talk.full_at == 1:
        return tr("⚠ no")
    if talk.full_at is not None:
        return tr("⚠ until turn {number}").format(number=text.number(talk.full_at - 1))
    return tr("yes") if talk.model.context is not None else text.unknown()


# --- figures and tables -----------------------------------------------------------------------------------------------


def figures_of(talk: Talk, text: CostText) -> list[tuple[str, str]]:
    """Return the key figures with their captions: the cost of the conversation, and the savings of the cache."""
    last = talk.turns[-1]
    turns = text.number(len(talk.turns))
    found = [(total_text(last, text), tr("{turns} turns, {model}").format(turns=turns, model=talk.model.name))]
    without = talk.without[-1].total_usd if talk.without else None
    if without and last.total_usd is not None:
        saving = text.localised(f"{last.total_usd / without - 1:+.0%}".replace("-", "−"))
        found.append((saving, tr("versus no cache")))
        found.append((_pays_text(talk, text), tr("cache pays off from")))
    found.append((text.number(last.prompt_tokens), tr("tokens in the last prompt")))
    return found


def _turns_columns(talks: Sequence[Talk], text: CostText) -> tuple[Column, ...]:
    """Return a column for the number of a turn, and one for each model with the cost up to this turn."""
    number = Column(
        "turn",
        QT_TRANSLATE_NOOP("ConversationTable", "Turn"),
        "",
        lambda index, text: text.number(index + 1),
        numeric=True,
    )
    return (number, *(_turns_column(talk, text) for talk in talks))


def _turns_column(talk: Talk, text: CostText) -> Column:
    places = total_places(talk.turns[:1], text)  # the costs only rise

    def details(index: int, text: CostText) -> str:
        return _details(talk.turns[index], text)

    return Column(
        talk.model.id,
        talk.model.name,
        "",
        lambda index, text: total_text(talk.turns[index], text, places),
        numeric=True,
        tip=details,
        described=details,
    )


def _details(turn: Turn, text: CostText) -> str:
    estimate = turn.estimate
    usd = text.usd(estimate.usd_label, estimate.usd, estimate.usd_low, estimate.usd_high)
    words = tr("This turn: {usd}. Prompt: {prompt} tokens, {cached} cached, {written} written to the cache.")
    return words.format(
        usd=usd,
        prompt=text.number(turn.prompt_tokens),
        cached=text.number(turn.cached_tokens),
        written=text.number(turn.written_tokens),
    )


def _summary(key: str, title: str, text: Callable[[Talk, CostText], str], hint: str = "", **more: Any) -> Column:
    """Return a column of the totals, with a tooltip since it may be too narrow for its text."""
    return Column(key, title, hint, text, tip=text, **more)


TOTALS: dict[str, Callable[[Talk], Turn]] = {
    "total": lambda talk: talk.turns[-1],
    "without": lambda talk: (talk.without or talk.turns)[-1],
}
"""The last turn in each column of amounts."""


def _total_text(key: str, places: int | None) -> Callable[[Talk, CostText], str]:
    return lambda talk, text: total_text(TOTALS[key](talk), text, places)


SUMMARY = (
    _summary("model", QT_TRANSLATE_NOOP("ConversationTable", "Model"), lambda talk, text: talk.model.name),
    _summary("total", QT_TRANSLATE_NOOP("ConversationTable", "Total"), _total_text("total", None), numeric=True),
    _summary(
        "without", QT_TRANSLATE_NOOP("ConversationTable", "Without cache"), _total_text("without", None), numeric=True
    ),
    _summary(
        "pays",
        QT_TRANSLATE_NOOP("ConversationTable", "Pays off"),
        _pays_text,
        hint=QT_TRANSLATE_NOOP("ConversationTable", "Turn from which the prompt cache costs less than none"),
        numeric=True,
    ),
    _summary(
        "prompt",
        QT_TRANSLATE_NOOP("ConversationTable", "Last prompt"),
        lambda talk, text: text.number(talk.turns[-1].prompt_tokens),
        numeric=True,
    ),
    _summary(
        "fits",
        QT_TRANSLATE_NOOP("ConversationTable", "Fits"),
        _fits_text,
        hint=QT_TRANSLATE_NOOP("ConversationTable", "Whether every prompt and its answer fit the context window"),
    ),
)


def totals_model(text: CostText, line: Callable[[Talk], QIcon], parent: QObject | None = None) -> TableModel:
    """Return a model with a row for each conversation; ``line`` draws a sample of its curve."""
    first = replace(SUMMARY[0], roles={Qt.ItemDataRole.DecorationRole: lambda talk, _text: line(talk)})
    return TableModel((first, *SUMMARY[1:]), text, parent, context="ConversationTable", visible=False)


def show_totals(model: TableModel, talks: Sequence[Talk], text: CostText) -> None:
    """Show these conversations, a row each. All amounts have the same number of decimals."""
    places = total_places((last(talk) for talk in talks for last in TOTALS.values()), text)
    amounts = {key: _total_text(key, places) for key in TOTALS}
    columns = [
        replace(column, text=amounts[column.key], tip=amounts[column.key]) if column.key in amounts else column
        for column in model.columns
    ]
    model.show(talks, text, columns)


def turns_model(text: CostText, parent: QObject | None = None) -> TableModel:
    """Return a model with a row for each turn and a column for each model."""
    return TableModel((), text, parent, context="ConversationTable", visible=False)


def show_turns(model: TableModel, talks: Sequence[Talk], text: CostText) -> None:
    """Show the cost of these conversations up to each turn. All of them have the same number of turns."""
    model.show(range(len(talks[0].turns)) if talks else (), text, _turns_columns(talks, text) if talks else ())


def _table(name: str, spoken: str, model: TableModel) -> QTableView:
    table = FittedTable(name)
    table.setModel(model)
    table.setProperty("kind", "flat")
    table.setAccessibleName(spoken)
    set_up_rows(table)
    table.setIconSize(QSize(SAMPLE_WIDTH, SAMPLE_HEIGHT))
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + ROW_PADDING)
    return table


def _count_box(name: str, spoken: str) -> QSpinBox:
    box = SpinBox(objectName=name, accessibleName=spoken)
    box.setRange(0, MAX_TURNS)
    return box


# --- the page ---------------------------------------------------------------------------------------------------------


class ConversationForm(QWidget):
    """Form for ``ConversationChoices``.

    Signals: ``changed()`` at each change of a control.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.turns = _count_box("conversationTurns", self.tr("Number of turns"))
        self.turns.setMinimum(1)
        self.system_is_prompt = QComboBox(objectName="conversationSystemSource")
        self.system_is_prompt.addItem(self.tr("editor text"), True)
        self.system_is_prompt.addItem(self.tr("token count:"), False)
        self.system_is_prompt.setAccessibleName(self.tr("Source of the system prompt"))
        self.system = tokens_box("conversationSystem", self.tr("Tokens of the system prompt"))
        self.user = tokens_box("conversationUser", self.tr("User tokens per turn"))
        self.answer = tokens_box("conversationAnswer", self.tr("Tokens per answer"))
        self.reasoning = tokens_box("conversationReasoning", self.tr("Reasoning tokens per answer"))
        self.reasoning.setToolTip(self.tr("Reasoning is billed as output and not sent again."))
        self.caching = QComboBox(objectName="conversationCaching")
        self.caching.addItem(self.tr("none"), "none")
        self.caching.addItem(self.tr("{number} minutes").format(number=MINUTES), "minutes")
        self.caching.addItem(self.tr("{number} minutes").format(number=HOUR), "hour")
        self.caching.setAccessibleName(self.tr("Lifetime of the prompt cache"))
        self.caching.setToolTip(
            self.tr("Each prompt ends with a breakpoint: the next turn reads up to it and writes the rest.")
        )
        self.pause_every = _count_box("conversationPause", self.tr("Cache expires before every n-th turn"))
        self.pause_every.setSpecialValueText(self.tr("never"))
        self.pause_every.setSuffix(self.tr(" turns"))
        self.pause_every.setToolTip(self.tr("Before every n-th turn the user is away longer than the cache lifetime."))
        self.least_cached = tokens_box("conversationLeastCached", self.tr("Minimum cacheable prompt, in tokens"))
        self.least_cached.setToolTip(self.tr("Vendors cache only prompts above a minimum length, which differs."))
        self._lay_out()
        for box in (
            self.turns,
            self.system,
            self.user,
            self.answer,
            self.reasoning,
            self.pause_every,
            self.least_cached,
        ):
            box.valueChanged.connect(self._on_changed)
        for combo in (self.system_is_prompt, self.caching):
            combo.currentIndexChanged.connect(self._on_changed)
        self.show_choices(ConversationChoices())

    def choices(self) -> ConversationChoices:
        """Return the choices that the controls show."""
        chosen: dict[str, Any] = {}
        for field in fields(ConversationChoices):
            control = getattr(self, field.name)
            chosen[field.name] = control.currentData() if isinstance(control, QComboBox) else control.value()
        return ConversationChoices(**chosen)

    def show_choices(self, choices: ConversationChoices) -> None:
        """Show these choices and emit ``changed``."""
        for field in fields(ConversationChoices):
            control, value = getattr(self, field.name), getattr(choices, field.name)
            blocker = QSignalBlocker(control)
            if isinstance(control, QComboBox):
                control.setCurrentIndex(control.findData(value))
            else:
                control.setValue(value)
            blocker.unblock()
        self._on_changed()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        for index, (text, control) in enumerate(
            (
                (self.tr("Tu&rns"), self.turns),
                (self.tr("Reason&ing"), self.reasoning),
                (self.tr("&System prompt"), self.system_is_prompt),
                (self.tr("System tokens"), self.system),
                (self.tr("&User, per turn"), self.user),
                (self.tr("&Answer, per turn"), self.answer),
                (self.tr("&Cache lifetime"), self.caching),
                (self.tr("Cache minimum"), self.least_cached),
                (self.tr("Cache l&ost every"), self.pause_every),
            )
        ):
            control.setMaximumWidth(QWIDGETSIZE_MAX)  # as wide as the column
            grid.addWidget(labelled(text, control, control), index // 2, index % 2)
        for column in (0, 1):
            grid.setColumnStretch(column, 1)

    @Slot()
    def _on_changed(self) -> None:
        self.system.setEnabled(not self.system_is_prompt.currentData())
        for box in (self.pause_every, self.least_cached):
            box.setEnabled(self.caching.currentData() != "none")
        self.changed.emit()


QWIDGETSIZE_MAX = 2**24 - 1
"""Qt's maximum widget size, which means no limit."""
SIDE_WIDTH = 278


class ConversationPanel(QWidget):
    """View of conversations that are computed elsewhere; ``form`` defines them."""

    def __init__(self, theme: Theme, text: CostText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._text = theme, text
        self._talks: Sequence[Talk] = ()
        self.form = ConversationForm()
        self.remark = Remark()
        self.remark.setObjectName("conversationRemark")
        self.totals = totals_model(text, self._sample, self)
        self.turns = turns_model(text, self)
        self.totals_table = _table(
            "conversationTotals", self.tr("Cost of the whole conversation, by model"), self.totals
        )
        # Names are elided before numbers, and the tooltip has them.
        self.totals_table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.turns_table = _table("conversationCosts", self.tr("Cost so far, by turn and model"), self.turns)
        self._plot: Any = None
        self._is_drawn = True
        self._hint = PlainLabel(self.tr("Calculating…"), alignment=Qt.AlignmentFlag.AlignCenter)
        self.figures = FigureStrip("talkTotal", "talkSaving", "talkPaysFrom", "talkLastPrompt")
        self._lay_out()
        self._turn = PlotTurn(theme, self, self._draw)
        theme.changed.connect(WhenShown(self, self._redraw).ask)

    def show_talks(self, talks: Sequence[Talk], text: CostText) -> None:
        """Show these conversations, in their order. Loading pyqtgraph has succeeded or failed by then."""
        self._talks, self._text = talks, text
        show_totals(self.totals, talks, text)
        show_turns(self.turns, talks, text)
        self.figures.show_figures(*(figures_of(talks[0], text) if talks else ()))
        if self._plot is not None:
            self._turn.ask()
        elif self._make_plot():
            self._turn.ask_later()

    def _lay_out(self) -> None:
        """Lay out the form at the left, and at the right the key figures, the curves, and the tables below them."""
        settings = QWidget(objectName="plain")
        column_of(self.form, self.remark, 1, parent=settings, margins=(16, 10, 12, 10), spacing=10)
        side = self._side = QScrollArea()
        side.setWidgetResizable(True)
        side.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        side.setWidget(settings)
        self._fit_side()
        side.setAccessibleName(self.tr("Conversation settings"))
        self.tables = PageTabs("conversationTables", self.tr("Costs by model and by turn"))
        self.tables.tabBar().setAccessibleName(self.tables.accessibleName())
        self.tables.addTab(self.totals_table, self.tr("By model"))
        self.tables.addTab(self.turns_table, self.tr("By turn"))
        self.splitter = QSplitter(Qt.Orientation.Vertical, objectName="conversationSplitter")
        self.splitter.addWidget(self._hint)
        self.splitter.addWidget(self.tables)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        results = QFrame()
        results.setProperty("kind", "surface")
        column_of(self.figures, (self.splitter, 1), parent=results, margins=(16, 8, 0, 0), spacing=6)
        line = QFrame()
        line.setProperty("kind", "vline")
        line.setFrameShape(QFrame.Shape.VLine)
        row_of(side, line, (results, 1), parent=self, spacing=0)

    def _fit_side(self) -> None:
        """Give the form the width that its words need in this font, beside its scroll bar."""
        bar = self._side.verticalScrollBar().sizeHint().width()
        self._side.setFixedWidth(max(SIDE_WIDTH, self._side.widget().minimumSizeHint().width() + bar))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_side()
        if event.type() == QEvent.Type.FontChange:
            self._redraw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_drawn:
            self._redraw()

    def _make_plot(self) -> bool:
        """Create the plot. Returns False if pyqtgraph cannot be imported."""
        try:
            from gui.costs.plots import ConversationPlot
        except ImportError as error:
            self._hint.setText(self.tr("Could not draw the curves: {reason}").format(reason=error))
            return False
        self._plot = ConversationPlot(self._theme, LINE_STYLES)
        self.splitter.replaceWidget(0, self._plot)
        self._hint.deleteLater()
        height = max(3, self.splitter.height())
        self.splitter.setSizes([height * 3 // 5, height * 2 // 5])
        return True

    @Slot()
    def _redraw(self) -> None:
        """Redraw in the current colours and font; if the page is hidden, when it is next visible."""
        self._is_drawn = self.isVisible()
        if self._plot is not None and self._is_drawn:
            self.totals.notify_changed(0)
            self._turn.ask()

    @Slot()
    def _draw(self) -> None:
        self._plot.draw(self._talks, self._text)
        self._is_drawn = True

    def _sample(self, talk: Talk) -> QIcon:
        return line_sample(LINE_STYLES[self._talks.index(talk)], self._theme, self.devicePixelRatioF())


# --- controller -------------------------------------------------------------------------------------------------------

DELAY_MS = 80
"""Time within which changes (by typing) are calculated together, in milliseconds."""


class ConversationController(QObject):
    """Controller of the page Conversation. Created with the cost table; uses its favourites, prices and scenario."""

    def __init__(self, context: AppContext, state: dict[str, Any]) -> None:
        """``state``: as returned by ``state()``."""
        runner, costs = context.jobs, context.pages.costs
        super().__init__(context.pages)
        assert costs is not None
        self._context, self._costs, self._state = context, costs.panel, state
        self._reference = costs.reference
        self.panel: ConversationPanel | None = None
        self._revision = 0
        self._loading = Loading(self)
        self._lane = runner.conflated(self.tr("Calculating a conversation"), converse_with_all)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay.timeout.connect(self._submit)
        costs.panel.model.arranged.connect(self._touch)
        costs.panel.scenario.changed.connect(self._touch)
        costs.reference_changed.connect(self._touch)
        self._page = context.pages.page("conversationTab")
        context.pages.when_page_shown("conversationTab", (), self._on_shown)

    def state(self) -> dict[str, Any]:
        """Return the user's choices for the conversation as JSON data."""
        return self._state if self.panel is None else self.panel.form.choices().plain()

    def build(self) -> ConversationPanel:
        """Build the page unless it exists."""
        if self.panel is not None:
            return self.panel
        self.panel = panel = ConversationPanel(self._context.theme, self._costs.model.view.text)
        panel.form.show_choices(conversation_of(self._state))
        self._page.fill(panel)
        self._page.focus_first(panel.form.turns)
        panel.form.changed.connect(self._touch)
        panel.form.changed.connect(self._context.session.touch)
        self._touch()
        return panel

    def focus(self) -> None:
        """Show the page and focus its first control."""
        self._page.bring_to_front()
        self.build().form.turns.setFocus()

    @Slot()
    def _on_shown(self) -> None:
        self.build()
        self._touch()

    @Slot()
    def _touch(self) -> None:
        if self.panel is not None and self._page.is_in_front() and not self._delay.isActive():
            self._delay.start()

    @Slot()
    def _submit(self) -> None:
        assert self.panel is not None
        scenario = self._costs.scenario.scenario()
        rows, words = self._chosen()
        self.panel.remark.say(words)
        self._revision += 1
        talkers = tuple(
            talker_of(
                row.model,
                (row.estimate.input_tokens, row.estimate.input_low, row.estimate.input_high),
                row.estimate.label,
            )
            for row in rows
        )
        self._lane.submit(TalkRequest(self._revision, talkers, self.panel.form.choices(), scenario))

    def _chosen(self) -> tuple[list[CostRow], str]:
        """Return the rows to draw, and a sentence that names them."""
        table = self._costs.model
        chosen = self._reference.rows_to_compare(table.rows, table.arrangement, len(table.rows))
        if len(chosen) == 1:
            words = self.tr("The model in the header. Favourites are added: mark them with Space in the cost table.")
            return chosen, words
        if len(chosen) > MAX_MODELS:
            words = self.tr("The model in the header, and the first {number} of your favourites.")
            return chosen[:MAX_MODELS], words.format(number=MAX_MODELS - 1)
        return chosen, self.tr("The model in the header, your favourites and the baseline.")

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        self._loading.when_loaded(("gui.costs.plots",), partial(self._show, result))

    def _show(self, result: JobResult) -> None:
        if self.panel is None or result.request.revision != self._revision:
            return
        talks: tuple[Talk, ...] = result.value
        self.panel.show_talks(talks, self._costs.model.view.text)
        if not talks:
            self.panel.remark.say(self.tr("No model shown can count the text in the editor."), "warning")

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        if self.panel is not None:
            self.panel.remark.say(
                self.tr("Could not calculate the conversation: {why}.").format(why=failure.why), "error"
            )
