"""The inspector: the token at the caret, the bill of the selected model, and what leads on from both."""

from __future__ import annotations

from decimal import Decimal

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gui.costs.columns import CostView
from gui.costs.cost_service import PriceRequest, price_rows
from gui.costs.inspector import BillPart, bill_lines, remarks, why_not_exact
from gui.costs.money_text import CostText
from gui.costs.rows import CostRow
from gui.look.theme import Theme
from pricing.types import CallMix
from tests.gui.conftest import OpenWindow
from tests.gui.cost_samples import COUNTS, MODELS, TODAY, rows, scenario

VIEW = CostView(CostText(QLocale(QLocale.Language.English)), TODAY, TODAY)


def row(model_id: str, **scenario: object) -> CostRow:
    return next(one for one in rows(**scenario) if one.model_id == model_id)


def bill(model_id: str, **scenario: object) -> list[tuple[str, str, str]]:
    lines = bill_lines(row(model_id, **scenario), VIEW)
    return [(line.name, line.detail, "".join(run.text for run in line.amount)) for line in lines]


def test_a_bill_adds_up_line_by_line_with_aligned_decimals():
    assert bill("acme/large", cached_tokens=400, factor=Decimal("1.1"), calls=1_000) == [
        ("Input", "600 × $2.00", "$0.00120"),
        ("Cached", "400 × $0.50", "$0.00020"),
        ("Output", "500 × $8.00", "$0.00400"),
        ("Multiplier", "× 1.1", ""),
        ("One call", "", "$0.00594"),
        ("Per month", "1,000 calls", "$5.94"),
    ]


def test_the_range_of_a_count_is_in_the_line_of_the_prompt():
    lines = bill("borg/opus", calls=1)
    assert lines[0] == ("Input", "1,400–1,600 × $5.00", "$0.0070–80")
    assert lines[-1] == ("One call", "", "$0.0195–0.0205")


def test_a_range_of_output_is_in_its_line_if_it_is_the_only_one():
    assert bill("acme/large", calls=1, output_range=(0, 2_000))[1:] == [
        ("Output", "0–2,000 × $8.00", "$0.0000–0.0160"),
        ("One call", "", "$0.0020–0.0180"),
    ]
    both = bill("acme/large", calls=1, output_range=(0, 2_000), reasoning_tokens=100)
    assert [detail for name, detail, _ in both if name in ("Output", "Reasoning")] == ["500 × $8.00", "100 × $8.00"]


def mixed() -> CostRow:
    """Return a row of a model without a price of cache writes; half of the calls hit the cache."""
    mix = CallMix(hit_rate=Decimal("0.5"))
    asked = PriceRequest(1, MODELS, COUNTS, frozenset(), scenario(cached_tokens=400), mix=mix)
    return next(one for one in price_rows(asked) if one.model_id == "acme/large")


def test_a_note_on_a_price_names_its_lines():
    assert "Cache write: no published price; the input price is used" in remarks(mixed(), VIEW)


def test_the_heading_of_a_kind_of_calls_takes_no_space_from_the_lines(qtbot: QtBot):
    part = BillPart(Theme("light"))
    qtbot.addWidget(part)
    part.resize(310, 700)
    part.show_row(row("acme/large", cached_tokens=400), VIEW)
    part.show_row(mixed(), VIEW)
    part.show()
    headings = [name for name, detail, amount in part.labels if detail.isHidden() and amount.isHidden()]
    assert [name.text() for name in headings if not name.isHidden()] == [
        "50% of calls, cache hits",
        "50% of calls, cache writes",
    ]
    assert all(name.height() < 2 * name.fontMetrics().height() for name in headings)
    details = [detail for _, detail, _ in part.labels if detail.isVisible() and detail.text()]
    assert len(details) == 7
    assert all(detail.fontMetrics().horizontalAdvance(detail.text()) <= detail.width() for detail in details)
    part.show_row(row("borg/opus", cached_tokens=400), VIEW)
    qtbot.waitUntil(lambda: part.labels[0][1].height() >= 2 * part.fontMetrics().height())
    assert part.labels[0][1].text() == "1,000–1,200 × $5.00", "too long for one line"
    part.show_row(row("acme/large"), VIEW)
    assert [name.text() for name, _, amount in part.labels if not amount.isHidden()] == [
        "Input",
        "Output",
        "One call",
        "Per month",
    ]


def test_what_is_not_known_has_no_amount():
    lines = bill("corp/unknown", calls=1)
    assert lines[0] == ("Input", "1,200 × unknown price", "n/a")
    assert "No known price for input." in remarks(row("corp/unknown"), VIEW)
    assert bill_lines(row("dark/none"), VIEW) == []


@pytest.mark.parametrize(
    ("model_id", "title", "words"),
    [
        ("acme/large", "Exact count", "vendor's own tokenizer, o200k_base"),
        ("acme/small", "Why assumed?", "Reliable sources say it is o200k_base"),
        ("borg/opus", "Why a range?", "1.40 to 1.60 times the count of"),
        ("dark/none", "Why is there no cost?", "No tokenizer is known"),
    ],
)
def test_one_sentence_says_how_sure_a_count_is(model_id, title, words):
    heading, sentence = why_not_exact(row(model_id), VIEW)
    assert heading == title
    assert words in sentence


@pytest.mark.pages
def test_token_and_bill_follow_caret_and_selection(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    window, costs = bench.window, bench.costs
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: bool(costs.panel.model.shown_rows()) and costs.service.rows[0].estimate.usd is not None)
    inspector = costs.inspector
    qtbot.waitUntil(inspector.isVisible)

    def said(name: str) -> str:
        return inspector.findChild(QLabel, name).text()

    current = costs.reference_row()
    qtbot.waitUntil(lambda: said("inspectorModel") == current.model.name)
    assert not inspector.bill.use.isVisible(), "it is the current model"
    other = next(one for one in costs.panel.model.shown_rows() if one.model_id != current.model_id)
    costs.panel.table.show_model(other.model_id)
    qtbot.waitUntil(lambda: said("inspectorModel") == other.model.name)
    inspector.bill.copy.click()
    assert QGuiApplication.clipboard().text().startswith(other.model_id)
    inspector.bill.use.click()
    assert costs.reference.chosen == other.model_id
    assert costs.panel.model.view.current == other.model_id
    qtbot.waitUntil(lambda: not inspector.bill.use.isVisible())

    editor = bench.panel.editor
    qtbot.waitUntil(lambda: not bench.prompt.stale and editor.token_count > 2)
    editor.setFocus()
    editor.select_range(5, 5)
    token = editor.token_at(5)
    qtbot.waitUntil(lambda: said("inspectorTokenTitle").startswith(f"Token {token.index + 1} of"))
    inspector.token.copy.click()
    assert QGuiApplication.clipboard().text() == str(token.token_id)
    qtbot.keyClick(editor, Qt.Key.Key_F9)
    qtbot.waitUntil(lambda: not inspector.isVisible())


@pytest.mark.pages
def test_the_place_of_the_caret_is_that_of_the_text(qtbot: QtBot, open_window: OpenWindow):
    """Long lines are several blocks of the editor, and some characters two of Qt's."""
    bench = open_window()
    assert bench.costs is not None
    editor, token = bench.panel.editor, bench.costs.inspector.token
    bench.window.resize(1280, 800)
    qtbot.waitUntil(token.isVisible)
    editor.setPlainText("🙂" + "word " * 20_000)
    qtbot.waitUntil(lambda: not bench.prompt.stale)
    editor.select_range(50_001, 50_001)
    qtbot.waitUntil(lambda: token.position.text() == "Line 1, column 50,001")
