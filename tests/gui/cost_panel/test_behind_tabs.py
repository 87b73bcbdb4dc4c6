"""Chart and explanation show the newest figures, also those that came while another tab was in front."""

from __future__ import annotations

import pytest

from gui.panels.cost_panel import CostPanel
from tests.gui.cost_samples import Counts

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


def count_while_hidden(qtbot, panel: CostPanel, tokens: int) -> None:
    """Price another text while the panel is not on the screen, and show it again."""
    panel.hide()
    with qtbot.waitSignal(panel.service.estimated):
        panel.service.set_counts(Counts(revision=2, tokens=tokens, by_encoding={"o200k_base": tokens}))
    panel.show()


def test_the_chart_draws_what_was_priced_behind_another_tab(panel, qtbot):
    panel.chart_button.click()
    qtbot.waitUntil(lambda: "Acme Large: $0.006" in described(panel))
    count_while_hidden(qtbot, panel, 2_000)
    qtbot.waitUntil(lambda: "Acme Large: $0.008" in described(panel))


def test_the_chart_draws_what_was_priced_before_it_was_seen(panel, qtbot):
    panel.hide()
    panel.restore_state({"side": "chart"})
    count_while_hidden(qtbot, panel, 2_000)
    qtbot.waitUntil(lambda: "Acme Large: $0.008" in described(panel))


def test_the_explanation_is_of_what_was_priced_behind_another_tab(panel, qtbot):
    panel.table.show_model("acme/large")
    panel.explain_button.click()
    assert "One call: $0.006" in panel.explanation.lines.toPlainText()
    count_while_hidden(qtbot, panel, 2_000)
    assert "One call: $0.008" in panel.explanation.lines.toPlainText()
    panel.hide()
    panel.table.show_model("acme/small")
    panel.show()
    assert panel.explanation.title.text() == "Acme Small"


def described(panel: CostPanel) -> str:
    plot = panel.chart._plot
    return plot.accessibleDescription() if plot is not None else ""
