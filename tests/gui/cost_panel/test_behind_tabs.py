"""The chart shows the newest figures, also those that came while another page was in front."""

from __future__ import annotations

import pytest

from gui.costs.cost_controller import CostPanel
from gui.costs.models_page import ModelsPage
from tests.gui.cost_samples import Counts

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


def count_while_hidden(qtbot, panel: CostPanel, page: ModelsPage, tokens: int) -> None:
    """Price another text while the page is not on the screen, and show it again."""
    page.hide()
    with qtbot.waitSignal(panel.service.estimated):
        panel.service.set_counts(Counts(revision=2, tokens=tokens, by_encoding={"o200k_base": tokens}))
    page.show()


def test_the_chart_draws_what_was_priced_behind_another_page(panel, page, qtbot):
    qtbot.waitUntil(lambda: "Acme Large: $0.006" in described(page))
    count_while_hidden(qtbot, panel, page, 2_000)
    qtbot.waitUntil(lambda: "Acme Large: $0.008" in described(page))


def test_the_chart_draws_what_was_priced_before_it_was_seen(panel, page, qtbot):
    page.chart_button.click()
    assert not page.chart.isVisible()
    count_while_hidden(qtbot, panel, page, 2_000)
    page.chart_button.click()
    qtbot.waitUntil(lambda: "Acme Large: $0.008" in described(page))


def described(page: ModelsPage) -> str:
    plot = page.chart._plot
    return plot.accessibleDescription() if plot is not None else ""
