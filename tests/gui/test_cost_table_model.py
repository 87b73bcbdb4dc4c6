from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from PySide6.QtCore import QLocale, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from gui.costs.columns import COLUMN_INDEX, COLUMNS
from gui.costs.cost_table import CostTableModel
from gui.costs.inspector import explanation
from gui.costs.money_text import SIGNS, CostText
from gui.costs.rows import SortKey
from gui.widgets.table_model import TableRole
from pricing.types import LABELS, Change, OffPeak, Service
from tests.gui.cost_samples import MODELS, TODAY, rows
from tests.pricing.build import rates

ENGLISH = CostText(QLocale(QLocale.Language.English))


@pytest.fixture
def model(qapp):
    model = CostTableModel(ENGLISH, TODAY)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_rows(rows(), 1000, TODAY, TODAY)
    yield model
    tester.deleteLater()


def ids(model: CostTableModel) -> list[str]:
    return [row.model_id for row in model.shown_rows()]


def text(model: CostTableModel, model_id: str, column: str, role=Qt.ItemDataRole.DisplayRole) -> object:
    return model.index(model.row_of_model(model_id), COLUMN_INDEX[column]).data(role)


def header(model: CostTableModel, column: str) -> str:
    return model.headerData(COLUMN_INDEX[column], Qt.Orientation.Horizontal)


def test_cells_say_what_the_estimate_says(model):
    assert text(model, "acme/large", "tokens") == "1,000"
    # 1,000 × $2 + 500 × $8, per million
    assert text(model, "acme/large", "input_cost") == "$0.002"
    assert text(model, "acme/large", "output_cost") == "$0.004"
    assert text(model, "acme/large", "total") == "$0.006"
    assert text(model, "acme/large", "calls") == "$6.00"
    assert text(model, "acme/large", "context") == "0.8%"
    assert text(model, "acme/small", "tokens") == "~ 1,000"
    assert text(model, "acme/small", "label") == "~ assumed"


def test_estimates_are_ranges_in_tokens_and_in_money(model):
    assert text(model, "borg/opus", "tokens") == "≈ 1,400–1,600"
    # 1,400 to 1,600 × $5 + 500 × $25, per million: 0.0195 to 0.0205
    assert text(model, "borg/opus", "total") == "≈ $0.0195–0.0205"
    assert text(model, "borg/opus", "input_cost") == "≈ $0.0070–0.0080"
    assert text(model, "borg/opus", "calls") == "≈ $19.50–20.50"


def test_the_unknown_is_not_nought(model):
    model.change(show_embedding=True)
    assert text(model, "corp/unknown", "input_cost") == "n/a"
    assert text(model, "corp/unknown", "total") == "n/a"
    assert text(model, "corp/unknown", "output_cost") == "$0.0015"
    assert text(model, "corp/unknown", "notes") == "no known price for input"
    assert text(model, "dark/none", "tokens") == "n/a"
    assert text(model, "dark/none", "context") == "n/a"
    assert text(model, "dark/none", "label") == "not counted"
    assert text(model, "corp/embed", "output_cost") == "$0"


def test_a_prompt_that_does_not_fit_says_so_in_words(model):
    model.set_rows(rows({"o200k_base": 3_800}), 1000, TODAY, TODAY)
    assert text(model, "acme/small", "context") == "95%, over with output"
    assert text(model, "acme/small", "context", TableRole.TONE) == "error"
    model.set_rows(rows({"o200k_base": 4_100}), 1000, TODAY, TODAY)
    assert text(model, "acme/small", "context") == "102%, over"
    model.set_rows(rows({"o200k_base": 86_000}), 1000, TODAY, TODAY)
    assert text(model, "borg/opus", "context") == "94–108%, possibly over"


def test_the_header_names_the_columns_and_the_calls(model):
    titles = [header(model, column.key) for column in COLUMNS]
    assert len(set(titles)) == len(titles)
    assert {"Model", "Provider", "Tokenizer", "Input tokens", "Input cost", "Output cost", "One call"} <= set(titles)
    model.set_rows(rows(calls=25_000), 25_000, TODAY, TODAY)
    hint = model.headerData(COLUMN_INDEX["calls"], Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert hint.startswith("Total cost of 25,000 calls.")


def test_sorting_is_by_number_not_by_text(model):
    model.change(show_retired=True)
    model.sort(COLUMN_INDEX["total"], Qt.SortOrder.DescendingOrder)
    assert ids(model)[:3] == ["borg/opus", "borg/opus-9", "acme/large"]
    assert ids(model)[-2:] == ["corp/unknown", "dark/none"]
    model.sort(COLUMN_INDEX["model"])
    assert ids(model)[2:4] == ["borg/opus-9", "borg/opus"]


@pytest.mark.deep
def test_every_column_sorts_both_ways(model):
    model.change(show_retired=True, show_embedding=True, baseline="acme/large")
    for column in range(len(COLUMNS)):
        for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
            model.sort(column, order)
            assert model.rowCount() == 7
            assert model.sort_keys() == [(column, order)]


def test_shift_adds_a_column_and_turns_it(model):
    model.sort(COLUMN_INDEX["provider"])
    model.sort_also(COLUMN_INDEX["total"])
    assert model.arrangement.sort == (SortKey("provider"), SortKey("total"))
    model.sort_also(COLUMN_INDEX["total"])
    assert model.arrangement.sort == (SortKey("provider"), SortKey("total", True))


def test_indexes_follow_their_model_when_the_order_changes(model):
    kept = {row.model_id: QPersistentModelIndex(model.index(place, 1)) for place, row in enumerate(model.shown_rows())}
    model.sort(COLUMN_INDEX["model"], Qt.SortOrder.DescendingOrder)
    assert all(model.row_at(index.row()).model_id == model_id for model_id, index in kept.items())


def test_new_figures_in_the_same_order_only_change_cells(model, qtbot):
    resets = []
    model.modelReset.connect(lambda: resets.append(1))
    with qtbot.waitSignal(model.dataChanged):
        model.set_rows(rows({"o200k_base": 2_000, "cl100k_base": 2_400}), 1000, TODAY, TODAY)
    assert not resets
    assert text(model, "acme/large", "tokens") == "2,000"


def test_the_ratio_is_to_the_pinned_row(model):
    assert text(model, "acme/large", "ratio") == ""
    model.change(baseline="acme/large")
    assert text(model, "acme/large", "ratio") == "baseline"
    assert text(model, "acme/large", "model") == "Acme Large (baseline)"
    assert text(model, "acme/small", "ratio") == "×0.0500"
    assert text(model, "borg/opus", "ratio") == "×3.25–3.42"
    assert text(model, "corp/unknown", "ratio") == "n/a"
    assert model.index(model.row_of_model("acme/small"), COLUMN_INDEX["ratio"]).data(TableRole.SORT) == Decimal("0.05")


def test_stale_figures_carry_a_sign_besides_the_colour(model):
    model.set_stale(True)
    assert text(model, "acme/large", "total", TableRole.TONE) == "stale"
    assert text(model, "acme/large", "provider", TableRole.TONE) == ""
    assert "earlier text" in text(model, "acme/large", "total", Qt.ItemDataRole.AccessibleTextRole)
    model.set_stale(False)
    assert text(model, "acme/large", "total", TableRole.TONE) == ""


def test_rows_whose_encoding_is_still_counted_are_marked(model):
    model.set_rows(rows({"o200k_base": 10}, frozenset({"cl100k_base"})), 1000, TODAY, TODAY)
    assert text(model, "corp/unknown", "tokens") == "counting…"
    assert text(model, "corp/unknown", "tokens", TableRole.TONE) == "stale"
    assert text(model, "acme/large", "tokens", TableRole.TONE) == ""


def test_screen_readers_hear_the_label_and_the_column(model):
    spoken = text(model, "borg/opus", "tokens", Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "≈ 1,400–1,600, ≈ estimated"
    described = text(model, "borg/opus", "tokens", Qt.ItemDataRole.AccessibleDescriptionRole)
    assert described == "Input tokens of Borg Opus 10"
    assert text(model, "borg/opus", "favourite", Qt.ItemDataRole.AccessibleTextRole) == "Not a favourite"


def test_age_retirement_and_announced_changes_are_in_words(model):
    model.change(show_embedding=True)
    assert "13 days ago" in text(model, "acme/large", "checked")
    assert text(model, "corp/embed", "checked").endswith("201 days ago, old")
    assert text(model, "corp/embed", "checked", TableRole.TONE) == "error"
    assert text(model, "corp/embed", "retires").startswith("retires on ")
    assert text(model, "corp/embed", "notes").startswith("price changes on ")
    model.change(show_retired=True)
    assert text(model, "borg/opus-9", "model") == "Borg Opus 9 (retired)"


def sums(model: CostTableModel, model_id: str) -> str:
    """What the inspector says of a model, line by line."""
    return "\n".join(explanation(model.row_at(model.row_of_model(model_id)), model.view))


def test_tool_tips_are_one_sentence_and_the_inspector_has_the_sum(model):
    tip = Qt.ItemDataRole.ToolTipRole
    assert text(model, "acme/large", "model", tip) == "acme/large"
    assert text(model, "acme/large", "total", tip) == "Acme Large, One call: $0.006"
    lines = sums(model, "acme/large")
    assert "Uncached input: 1,000 tokens × $2 / million = $0.002" in lines
    assert "https://prices.example/acme/large" in lines


def test_the_tool_tip_of_a_missing_figure_says_which_price_is_missing(model):
    assert "No known price for input." in text(model, "corp/unknown", "total", Qt.ItemDataRole.ToolTipRole)
    assert "No price is known" not in text(model, "corp/unknown", "output_cost", Qt.ItemDataRole.ToolTipRole)


def test_a_limit_on_the_input_below_the_window_counts(model):
    limited = tuple(replace(one, max_input=900) for one in MODELS)
    model.set_rows(rows(models=limited), 1000, TODAY, TODAY)
    assert text(model, "acme/large", "context") == "0.8%, over"
    assert text(model, "acme/large", "context", TableRole.TONE) == "error"


def test_another_locale_changes_the_numbers(model):
    model.set_text(CostText(QLocale(QLocale.Language.German, QLocale.Country.Germany)))
    assert text(model, "acme/large", "tokens") == "1.000"
    assert text(model, "acme/large", "total") == "$0,006"
    tip = sums(model, "acme/large")
    assert "1.000 tokens × $2 / million = $0,002" in tip
    assert "https://prices.example/acme/large" in tip


def test_prices_that_are_not_sure_are_said_and_are_ranges(model):
    assert list(SIGNS) == list(LABELS)
    by_hour = replace(MODELS[0], price=replace(MODELS[0].price, off_peak=OffPeak(Decimal("0.5"), note="at noon")))
    change = Change(TODAY, rates(input="4"), assumed=True)
    assumed = replace(MODELS[0], id="acme/promoted", price=replace(MODELS[0].price, changes=(change,)))
    model.set_rows(rows(models=(by_hour, assumed)), 1_000, TODAY, TODAY)
    assert text(model, "acme/large", "tokens") == "1,000", "the count is exact, the money is not"
    assert text(model, "acme/large", "total") == "≈ $0.0030–0.0060"
    assert text(model, "acme/large", "output_cost") == "≈ $0.0020–0.0040"
    assert "peak price (at noon), half that at other times" in text(model, "acme/large", "notes")
    assert text(model, "acme/large", "input_price") == "$1–$2", "both prices"
    for hours, price, total in (("peak", "$2", "$0.006"), ("off-peak", "$1", "$0.003")):
        model.set_rows(rows(models=(by_hour,), hours=hours), 1_000, TODAY, TODAY)
        assert text(model, "acme/large", "input_price") == price
        assert text(model, "acme/large", "total") == total
    model.set_rows(rows(models=(by_hour, assumed)), 1_000, TODAY, TODAY)
    assert text(model, "acme/promoted", "total") == "~ $0.0060–0.0080"
    assert text(model, "acme/promoted", "notes").startswith("assumed price")
    tip = sums(model, "acme/large")
    assert "At one possible price: $0.003 to $0.006" in tip
    assert "Peak price (at noon), half that at other times." in tip


def test_prices_are_those_of_the_service_tier(model):
    services = (Service("flex", Decimal("0.5")), Service("fast", rates=rates(input="6")))
    sold = replace(MODELS[0], price=replace(MODELS[0].price, services=services))
    model.set_rows(rows(models=(sold, replace(MODELS[0], id="acme/plain")), service="flex"), 1_000, TODAY, TODAY)
    assert [text(model, "acme/large", name) for name in ("input_price", "total")] == ["$1", "$0.003"]
    assert [text(model, "acme/plain", name) for name in ("input_price", "total")] == ["n/a", "n/a"]
    assert text(model, "acme/plain", "notes") == "no known price for the flex tier · no flex service known"
    model.set_rows(rows(models=(sold,), service="fast"), 1_000, TODAY, TODAY)
    assert [text(model, "acme/large", name) for name in ("input_price", "output_price")] == ["$6", "n/a"]
