"""A cost panel with a handful of models, counted and priced."""

from __future__ import annotations

import pytest

from gui.costs import prices_service as price_files
from gui.costs.cost_controller import CostPanel
from gui.costs.cost_service import CostService
from gui.costs.prices_service import LoadedPrices
from gui.look.theme import Theme
from gui.runtime.notify import Notifier
from gui.state.storage import Storage
from tests.gui.cost_samples import MODELS, TODAY, Counts


@pytest.fixture
def notifier(qapp):
    return Notifier()


@pytest.fixture
def make_panel(qtbot, runner, notifier, monkeypatch):
    monkeypatch.setattr(price_files, "_loaded", lambda file, names: LoadedPrices(MODELS))
    theme = Theme("light")

    def make() -> CostPanel:
        service = CostService(today=lambda: TODAY)
        panel = CostPanel(service, theme, notifier, "1.2.3")
        panel.start(Storage(runner, "Exporting"))
        panel.theme, panel.service = theme, service
        qtbot.addWidget(panel)
        panel.resize(1200, 400)
        with qtbot.waitSignal(service.prices_changed):
            service.start(runner)
        with qtbot.waitSignal(service.estimated, check_params_cb=lambda rows: rows[0].estimate.usd is not None):
            service.set_counts(Counts())
        panel.show()
        qtbot.waitExposed(panel)
        return panel

    return make


@pytest.fixture
def panel(make_panel):
    return make_panel()


@pytest.fixture
def page(panel, qtbot):
    """The full view of the panel, in a window of its own."""
    page = panel.page
    page.setParent(None)
    qtbot.addWidget(page)
    page.resize(1300, 500)
    with qtbot.waitExposed(page):
        page.show()
    return page
