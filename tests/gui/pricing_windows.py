"""What tests of the pricing tab do with a window."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.costs.prices_page import PricingPanel
from gui.window.application import Application

GOOD = "# mine\nversion: 1\nmodels:\n  openai/gpt-4o:\n    price:\n      input: 2.00  # negotiated\n"


def panel_of(qtbot: QtBot, bench: Application) -> PricingPanel:
    """The tab, in front, when it shows its file and the built-in prices are there."""
    bench.window.actions_by_name["focus_pricing"].trigger()
    panel = bench.window.findChild(PricingPanel)
    assert panel is not None
    qtbot.waitUntil(lambda: panel.form.picker.count() > 50)
    qtbot.waitUntil(lambda: bool(bench.costs.service.models))
    return panel


def input_price(bench: Application, model_id: str = "openai/gpt-4o") -> Decimal:
    """The price in force."""
    return next(model for model in bench.costs.service.models if model.id == model_id).price.input


def write(qtbot: QtBot, panel: PricingPanel, text: str) -> None:
    """Put a text into the editor and wait for what is said of it."""
    panel.show_problems(())
    panel.editor.setPlainText(text)
    qtbot.waitUntil(lambda: "No problems found" in panel.status.text() or panel.problems.rowCount() > 0)


def save(qtbot: QtBot, panel: PricingPanel) -> None:
    qtbot.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not panel.editor.unsaved)
