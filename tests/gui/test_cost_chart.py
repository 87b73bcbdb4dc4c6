from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from PySide6.QtCore import QLocale

from gui.costs.cost_table import CostTableModel
from gui.costs.models_page import CostChart, bars_of
from gui.costs.money_text import CostText
from gui.costs.rows import Arrangement
from gui.look.theme import Theme
from tests.gui.cost_samples import TODAY, rows
from tests.patience import PATIENCE_SECONDS

# The offscreen platform says so for each window that has a least size.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


@pytest.fixture
def model(qapp):
    model = CostTableModel(CostText(QLocale(QLocale.Language.English)), TODAY)
    model.set_arrangement(Arrangement(show_retired=True, show_embedding=True, baseline="acme/large"))
    model.set_rows(rows(), 1000, TODAY, TODAY)
    return model


@pytest.fixture
def chart(qtbot, model):
    theme = Theme("light")
    chart = CostChart(theme)
    chart.theme = theme
    qtbot.addWidget(chart)
    chart.resize(420, 260)
    chart.set_rows(model.shown_rows(), model.view)
    chart.show()
    chart.start()
    qtbot.waitUntil(lambda: chart._plot is not None and chart._plot.isVisible())
    return chart


def test_bars_are_the_first_rows_with_a_known_total(model):
    bars = bars_of(model.shown_rows(), model.view, 3)
    assert [bar.model_id for bar in bars] == ["acme/large", "corp/embed", "acme/small"]
    assert [bar.pinned for bar in bars] == [True, False, False]
    every = bars_of(model.shown_rows(), model.view, 40)
    assert "corp/unknown" not in {bar.model_id for bar in every}
    opus = next(bar for bar in every if bar.model_id == "borg/opus")
    assert (opus.low, opus.middle, opus.high) == (0.0195, 0.02, 0.0205)
    assert opus.text == "≈ $0.0195–0.0205"


def test_the_chart_is_described_in_words(chart):
    assert "Acme Large: $0.006" in chart._plot.accessibleDescription()


def test_scale_and_number_of_bars_are_options_that_are_kept(chart, qtbot):
    with qtbot.waitSignal(chart.options_changed):
        chart.scale.setCurrentIndex(1)
    chart.most.setValue(2)
    assert len(chart._plot._bars) == 2
    state = chart.state()
    chart.restore_state({})
    assert chart.state() != state
    chart.restore_state(state)
    assert chart.state() == state


@pytest.mark.parametrize("log", [False, True])
def test_free_models_and_single_bars_can_be_drawn(chart, model, qtbot, log):
    free = [
        replace(row, estimate=replace(row.estimate, usd=row.estimate.usd * 0, usd_low=row.estimate.usd * 0, usd_high=0))
        for row in model.shown_rows()
        if row.estimate.usd is not None
    ]
    chart.scale.setCurrentIndex(int(log))
    for drawn in (free, free[:1], model.shown_rows(), model.shown_rows()[:1]):
        chart.set_rows(drawn, model.view)
        qtbot.waitUntil(lambda expected=drawn[0].model_id: chart._plot._bars[0].model_id == expected)
        assert not chart.grab().isNull()


def test_every_bar_asked_for_can_be_scrolled_to(chart, model, qtbot):
    bars = bars_of(model.shown_rows(), model.view, 12)
    chart.resize(420, 130)
    qtbot.waitUntil(lambda: chart.scroll.isVisible() and chart.scroll.maximum() > 0)
    assert list(chart._plot._bars) == bars
    shown = chart.scroll.pageStep()
    assert chart.scroll.maximum() + shown == len(bars)
    chart.scroll.setValue(chart.scroll.maximum())
    top, bottom = chart._plot.getViewBox().viewRange()[1]
    assert (round(top + 0.6), round(bottom + 0.4)) == (len(bars) - shown, len(bars))
    chart.resize(420, 600)
    qtbot.waitUntil(lambda: not chart.scroll.isVisible())
    top, bottom = chart._plot.getViewBox().viewRange()[1]
    assert (round(top + 0.6), round(bottom + 0.4)) == (0, len(bars))


def test_a_range_is_the_lighter_end_of_its_bar(chart, model):
    bars = bars_of(model.shown_rows(), model.view, 12)
    place = next(place for place, bar in enumerate(bars) if bar.model_id == "borg/opus")
    whole, ends = chart._plot._bar_item.opts, chart._plot._range_item.opts
    number = ends["y"].index(place)
    assert whole["x0"][place] + whole["width"][place] == bars[place].low
    assert ends["x0"][number] == bars[place].low
    assert ends["x0"][number] + ends["width"][number] == pytest.approx(bars[place].high)
    assert 0 < ends["brushes"][number].alphaF() < whole["brushes"][place].alphaF()


def test_nothing_to_draw_says_so(chart, model, qtbot):
    chart.set_rows([], model.view)
    qtbot.waitUntil(lambda: "No row shown" in chart._hint.text())
    assert not chart._plot.isVisible()
    assert chart._hint.isVisible()


def test_colours_follow_the_theme(chart, qtbot):
    for mode in ("dark", "light"):
        chart.theme.set_mode(mode)
        qtbot.waitUntil(lambda: chart._plot.backgroundBrush().color() == chart.theme.colour("base"))


def test_the_axis_is_money():
    text = CostText(QLocale(QLocale.Language.English))
    assert text.axis_mark(0.1 + 0.2) == "$0.30"
    assert text.axis_mark(10.0**-5) == "$0.00001"


def test_the_panel_imports_nothing_heavy():
    heavy = {"pyqtgraph", "numpy", "ruamel", "pricing", "concurrent.futures"}
    code = f"import sys, gui.costs.cost_controller; print(sorted({heavy} & sys.modules.keys()))"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS
    )
    assert answer.stdout.strip() == "[]"
