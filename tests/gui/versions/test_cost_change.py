from __future__ import annotations

from datetime import date
from decimal import Decimal

from PySide6.QtCore import QLocale, Qt

from gui.costs.cost_service import ChangeRequest, Money, PricedModel, cost_changes, difference
from gui.costs.money_text import CostText, money_text
from gui.prompt.versions.comparison import CALLS, COST_BEFORE, COST_CHANGE, MODEL, PER_CENT, CostChangesModel
from pricing import Scenario, load_catalog

DAY = date(2026, 11, 22)
MODELS = {model.id: model for model in load_catalog().models}
GPT, CLAUDE = MODELS["openai/gpt-4o"], MODELS["anthropic/claude-opus-4-5"]


def cells(model_id: str, before: dict[str, int], after: dict[str, int]) -> list[str]:
    request = ChangeRequest((MODELS[model_id],), before, after, Scenario(on=DAY, calls=1000), None)
    table = CostChangesModel(CostText(QLocale.c()))
    table.set_changes(cost_changes(request), CostText(QLocale.c()), 1000)
    return [table.index(0, column).data() for column in (COST_BEFORE, COST_CHANGE, PER_CENT, CALLS)]


def test_fewer_tokens_cost_less():
    # 2.50 dollars for a million tokens: 1000 cost 0.0025, 100 less 0.00025
    assert cells(GPT.id, {"o200k_base": 1000}, {"o200k_base": 900}) == ["$0.0025", "−$0.00025", "−10%", "−$0.25"]


def test_nothing_changes():
    assert cells(GPT.id, {"o200k_base": 10}, {"o200k_base": 10})[1:] == ["$0", "0%", "$0"]


def test_what_is_not_known_is_said():
    assert cells(GPT.id, {"o200k_base": 10}, {}) == ["$0.000025", "n/a", "n/a", "n/a"]
    assert cells(GPT.id, {}, {})[0] == "n/a"


def test_the_range_of_an_estimate_goes_into_the_change():
    (change,) = cost_changes(
        ChangeRequest((CLAUDE,), {"o200k_base": 1000}, {"o200k_base": 2000}, Scenario(on=DAY), None)
    )
    money = change.change
    assert money.low < money.usd < money.high
    assert change.share == Decimal(1)
    assert money_text(CostText(QLocale.c()), money, plus=True).startswith("≈ +$")


def test_a_saving_is_what_the_month_costs_less():
    priced = PricedModel(GPT, Scenario(on=DAY, calls=1000, output_tokens=50))
    assert priced.saving("o200k_base", 1000, 400).usd == Decimal("1.5")
    assert priced.prompt("o200k_base", 1000).share(1, 4).usd == Decimal("0.625")
    assert priced.saving("cl100k_base", 1000, 400).usd is None


def test_the_reference_model_comes_first_in_any_order():
    counts = {"o200k_base": 1000}
    changes = cost_changes(ChangeRequest((CLAUDE, GPT), counts, {"o200k_base": 900}, Scenario(on=DAY), None))
    table = CostChangesModel(CostText(QLocale.c()))
    table.set_changes(changes, CostText(QLocale.c()), 1)
    names = lambda: [table.index(row, MODEL).data() for row in range(2)]  # noqa: E731
    assert names() == [CLAUDE.name, GPT.name]
    table.set_changes(changes, CostText(QLocale.c()), 1, GPT.id)
    for column in (MODEL, COST_BEFORE, PER_CENT):
        for order in Qt.SortOrder:
            table.sort(column, order)
            assert names() == [GPT.name, CLAUDE.name]
    assert table.index(0, MODEL).data(Qt.ItemDataRole.AccessibleTextRole) == f"{GPT.name}, current model"
    assert table.index(1, MODEL).data(Qt.ItemDataRole.AccessibleTextRole) != f"{CLAUDE.name}, current model"


def test_amounts_are_signed():
    text = CostText(QLocale.c())
    one, two = Decimal(1), Decimal(2)
    assert money_text(text, Money(-two, -two, -one, "estimated")) == "≈ −$1.00–2.00"
    assert money_text(text, Money(one, -one, two, "estimated"), plus=True) == "−$1.00 – +$2.00"
    assert money_text(text, Money(None, None, None, None)) == "n/a"
    assert difference("exact", (one, None, one), (two, one, two)) == Money(-one, None, None, "exact")
