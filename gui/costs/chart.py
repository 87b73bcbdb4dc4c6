"""Bar chart of the totals. pyqtgraph is loaded when the chart is first shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollBar, QSpinBox, QTabBar, QToolTip, QVBoxLayout, QWidget

from gui.costs.columns import COLUMN_INDEX, COLUMNS, CostView, drawn_runs
from gui.costs.rows import CostRow, usd_middle
from gui.look.plain_text import PlainLabel, as_written, plain_tip
from gui.look.theme import Theme
from gui.runtime.event_loop import in_next_turn
from gui.runtime.loading import Loading
from gui.widgets.plot_turn import PlotTurn

MAX_BARS = 40
DEFAULT_BARS = 12
REDRAW_MS = 150
"""Time within which changes (of figures or of the window's size) are drawn together, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Bar of the chart: lengths as floats in the currency shown, the text as in the table, and the text as drawn."""

    model_id: str
    name: str
    text: str
    middle: float
    low: float
    high: float
    pinned: bool
    figure: str = ""


def bars_of(rows: Sequence[CostRow], view: CostView, most: int) -> list[Bar]:
    """Return bars for the first ``most`` rows with a known total, in the order given."""
    bars: list[Bar] = []
    for row in rows:
        middle, estimate = usd_middle(row), row.estimate
        if middle is None or estimate.usd_low is None or estimate.usd_high is None:
            continue
        pinned = row.model_id == (view.current if view.baseline is None else view.baseline.model_id)
        text = view.text.usd(estimate.usd_label, estimate.usd, estimate.usd_low, estimate.usd_high)
        bars.append(
            Bar(
                row.model_id,
                row.model.name.removesuffix(f" ({row.model.provider})"),
                text,
                *(float(view.text.converted(usd)) for usd in (middle, estimate.usd_low, estimate.usd_high)),
                pinned,
                "".join(run.text for run in drawn_runs(COLUMNS[COLUMN_INDEX["total"]], row, view)),
            )
        )
        if len(bars) == most:
            break
    return bars


class CostChart(QWidget):
    """Bars for the first rows of the table, with their ranges.

    Signals: ``options_changed()`` when the number of bars or the scale changed.
    """

    options_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("costChart")
        self._theme = theme
        self._rows: Sequence[CostRow] = ()
        self._view: CostView | None = None
        self._plot: Any = None
        self._hint = PlainLabel(self.tr("Loading the chart…"), alignment=Qt.AlignmentFlag.AlignCenter)
        self._hint.setWordWrap(True)
        self._place()
        self.scale.currentChanged.connect(self._on_options)
        self.most.valueChanged.connect(self._on_options)
        self._turn = PlotTurn(theme, self, self._refresh)
        theme.changed.connect(self._turn.ask)
        self._loading: Loading | None = None
        self._redraw = QTimer(self, singleShot=True, interval=REDRAW_MS)
        self._redraw.timeout.connect(self._turn.ask)

    def _place(self) -> None:
        options = self._make_options()
        self._body = QVBoxLayout(self)
        self._body.setContentsMargins(12, 0, 12, 8)
        self._body.setSpacing(4)
        self._body.addLayout(options)
        self._body.addWidget(self._hint, 1)
        self.scroll = QScrollBar(Qt.Orientation.Vertical, objectName="chartScroll")
        self.scroll.setAccessibleName(self.tr("Bars shown"))
        self.scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scroll.hide()
        self.scroll.valueChanged.connect(self._show_bars)
        self._field = QHBoxLayout()
        self._field.setSpacing(0)
        self._field.addWidget(self.scroll)
        self._body.addLayout(self._field, 1)

    def _make_options(self) -> QHBoxLayout:
        """Return a row with title, number of bars and scale."""
        title = PlainLabel(self.tr("One call"))
        title.setProperty("role", "strong")
        self.scale = QTabBar(objectName="chartScale")
        self.scale.setProperty("kind", "segments")
        self.scale.setDrawBase(False)
        self.scale.setExpanding(False)
        self.scale.setUsesScrollButtons(False)
        self.scale.setAccessibleName(self.tr("Scale of the chart"))
        for number, (text, tip) in enumerate(
            (
                (self.tr("Linear"), self.tr("A bar twice as long costs twice as much")),
                (self.tr("Log"), self.tr("Each grid line is ten times the one before")),
            )
        ):
            self.scale.addTab(text)
            self.scale.setTabToolTip(number, tip)
        self.most = QSpinBox(objectName="chartBars")
        self.most.setRange(1, MAX_BARS)
        self.most.setValue(DEFAULT_BARS)
        self.most.setSuffix(self.tr(" bars"))
        self.most.setAccessibleName(self.tr("Number of bars"))
        self.most.setToolTip(self.tr("Maximum number of bars, from the top of the table"))
        track = QFrame()
        track.setProperty("kind", "track")
        inner = QHBoxLayout(track)
        inner.setContentsMargins(2, 2, 2, 2)
        inner.addWidget(self.scale)
        options = QHBoxLayout()
        options.setContentsMargins(0, 0, 0, 0)
        options.addWidget(title)
        options.addStretch(1)
        options.addWidget(self.most)
        options.addWidget(track)
        return options

    @property
    def is_log(self) -> bool:
        """True if the scale is logarithmic."""
        return self.scale.currentIndex() == 1

    def start(self) -> None:
        """Start loading pyqtgraph if the chart is visible, else when it is first shown."""
        self._loading = Loading(self)
        if self.isVisible():
            self._load()

    def set_rows(self, rows: Sequence[CostRow], view: CostView) -> None:
        """Draw these rows soon, or when the chart is next shown."""
        self._rows, self._view = rows, view
        if self.isVisible() and not self._redraw.isActive():
            self._redraw.start()

    def state(self) -> dict[str, Any]:
        """Return the options as JSON data."""
        return {"log": self.is_log, "bars": self.most.value()}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore what ``state`` returned."""
        self.scale.setCurrentIndex(1 if state.get("log") is True else 0)
        bars = state.get("bars")
        self.most.setValue(bars if isinstance(bars, int) and not isinstance(bars, bool) else DEFAULT_BARS)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._plot is not None:
            self._turn.ask_later()
        else:
            self._load()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._plot is not None:
            self._redraw.start()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange) and self._plot is not None:
            self._turn.ask()

    def _load(self) -> None:
        if self._loading is not None:
            self._loading.when_loaded(("gui.costs.bars",), self._make_plot)

    @Slot()
    def _make_plot(self) -> None:
        if self._plot is not None:
            return
        try:
            from gui.costs.bars import BarPlot
        except ImportError as error:
            self._hint.setText(self.tr("Could not load the chart: {reason}").format(reason=error))
            return
        self._plot = BarPlot(self._theme, self)
        self._plot.bar_hovered.connect(self._on_hovered)
        self._plot.hide()
        self._plot.wheel_turned.connect(self._on_wheel)
        self._field.insertWidget(0, self._plot, 1)
        in_next_turn(self, self._turn.ask)  # creating and drawing at once would block the window

    @Slot()
    def _on_options(self) -> None:
        self._refresh()
        self.options_changed.emit()

    @Slot()
    def _refresh(self) -> None:
        self._redraw.stop()
        if not self.isVisible() or self._plot is None or self._view is None:
            return
        bars = bars_of(self._rows, self._view, self.most.value())
        self._hint.setVisible(not bars)
        self._plot.setVisible(bool(bars))
        if not bars:
            self.scroll.hide()
            self._hint.setText(self.tr("No row shown has a known total."))
            self.setAccessibleDescription(self._hint.text())
            return
        room = self._room()
        self.scroll.setRange(0, max(0, len(bars) - room))
        self.scroll.setPageStep(room)
        self.scroll.setVisible(len(bars) > room)
        self._plot.draw(bars, self.is_log, self._view.text)
        self._show_bars()
        described = "; ".join(as_written(f"{bar.name}: {bar.text}") for bar in bars)
        self._plot.setAccessibleName(self.tr("Total cost of one call"))
        self._plot.setAccessibleDescription(described)

    @Slot()
    def _show_bars(self) -> None:
        if self._plot is not None:
            self._plot.show_from(self.scroll.value(), self._room())

    @Slot(object)
    def _on_wheel(self, event: QWheelEvent) -> None:
        if self.scroll.isVisible():
            QCoreApplication.sendEvent(self.scroll, event)

    def _room(self) -> int:
        """Return the number of bars that fit with readable names."""
        line = self.fontMetrics().height()
        return max(1, (self.height() - self.most.height() - 3 * line) // line)

    @Slot(object, QPointF)
    def _on_hovered(self, bar: Bar | None, place: QPointF) -> None:
        if bar is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(place.toPoint(), plain_tip(f"{bar.name}: {bar.text}"), self._plot)
