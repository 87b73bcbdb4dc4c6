"""The list of models on the page Prices: search, keys, marks, ages, and the way to what needs checking."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.costs.prices_page import PricingPanel, next_to_check
from gui.costs.prices_service import ListedModel, is_web_address
from tests.gui.conftest import OpenWindow, notices
from tests.gui.pricing_windows import GOOD, panel_of, write

pytestmark = pytest.mark.pages("pricingTab")

TODAY = date(2026, 11, 28)
OWN = "  acme/in-house:\n    name: Acme\n    price: {input: 1, output: 1}\n"


def wide_panel(qtbot: QtBot, open_window: OpenWindow, profile: Path) -> PricingPanel:
    """The page with its list, in a window that is wide enough for it."""
    bench = open_window(profile)
    bench.window.resize(1280, 800)
    panel = panel_of(qtbot, bench)
    qtbot.waitUntil(lambda: panel.models.isVisible() and panel.models.model.rowCount() > 50)
    return panel


def names(panel: PricingPanel) -> list[str]:
    return [panel.models.model.index(row, 0).data() for row in range(panel.models.model.rowCount())]


def shows(panel: PricingPanel, model_id: str) -> bool:
    """Whether form and list are at a model."""
    rows = panel.models.table.selectionModel().selectedRows()
    chosen = [panel.models.model.row_at(row.row()).id for row in rows]
    facts = panel.form._facts
    return chosen == [model_id] and facts is not None and facts.model_id == model_id == panel.form.model_id


def test_the_model_of_the_list_is_that_of_the_form(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    panel = wide_panel(qtbot, open_window, profile)
    assert names(panel) == sorted(names(panel), key=str.casefold)
    panel.form.choose("openai/gpt-4o")
    qtbot.waitUntil(lambda: shows(panel, "openai/gpt-4o"))
    assert panel.form.heading.text() == "GPT-4o"
    assert panel.form.identifier.text() == "openai/gpt-4o"
    assert not panel.form.picker.isVisible()
    following = panel.models.model.row_at(panel.models.table.currentIndex().row() + 1)
    panel.models.table.setFocus()
    QTest.keyClick(panel.models.table, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: shows(panel, following.id))
    QTest.keyClick(panel.models.table, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: shows(panel, "openai/gpt-4o"))


def test_a_search_leaves_the_model_until_another_is_taken(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    panel = wide_panel(qtbot, open_window, profile)
    panel.form.choose("openai/gpt-4o")
    qtbot.waitUntil(lambda: shows(panel, "openai/gpt-4o"))
    QTest.keyClick(panel.models.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert panel.window().focusWidget() is panel.models.find
    QTest.keyClicks(panel.models.find, "anthropic haiku")
    assert names(panel)
    assert all("Haiku" in name for name in names(panel))
    assert panel.form.model_id == "openai/gpt-4o"
    first = panel.models.model.row_at(0).id
    QTest.keyClick(panel.models.find, Qt.Key.Key_Down)
    assert panel.window().focusWidget() is panel.models.table
    qtbot.waitUntil(lambda: shows(panel, first))
    panel.models.find.setText("no such model")
    assert not names(panel)
    assert panel.models._none.isVisible()
    panel.form.choose("openai/gpt-4o")  # as the cost table does
    qtbot.waitUntil(lambda: shows(panel, "openai/gpt-4o"))
    assert panel.models.find.text() == ""


def test_what_is_of_the_users_file_is_marked_and_said(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    prices.write_text(GOOD + OWN + "  openai/o1: null\n")
    panel = wide_panel(qtbot, open_window, profile)
    qtbot.waitUntil(lambda: "Acme" in names(panel))
    said = {
        panel.models.model.row_at(row).id: panel.models.model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        for row in range(panel.models.model.rowCount())
    }
    assert said["openai/gpt-4o"].startswith("GPT-4o, OpenAI, yours, checked ")
    assert "yours" not in said["openai/gpt-4o-mini"]
    assert said["acme/in-house"] == "Acme, acme, yours, prices never checked"
    assert said["openai/o1"] == "openai/o1, hidden by your file"
    ages = {panel.models.model.row_at(row).id: panel.models.model.index(row, 1).data() for row in range(len(said))}
    assert (ages["acme/in-house"], ages["openai/o1"]) == ("unknown", "")


def test_the_summary_leads_to_what_needs_checking(qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path):
    panel = wide_panel(qtbot, open_window, profile)
    number = len(panel.models.in_order)
    assert panel.ages.title.text() == f"Age of {number} prices"
    assert not panel.ages.next.isVisible()
    today = panel._today()
    days = {"openai/gpt-4o": 40, "openai/o3": 100}
    text = "".join(f"  {name}:\n    checked: {today - timedelta(age)}\n" for name, age in days.items())
    write(qtbot, panel, "version: 1\nmodels:\n" + text + OWN)
    qtbot.waitUntil(panel.ages.next.isVisible)
    words = f"Age of {number + 1} prices: {number - 2} up to 1 month, 1 up to 3 months, 1 older, 1 unknown"
    assert panel.ages.bar.accessibleName() == words
    assert panel.ages.next.text() == "Next of 2 to check"
    panel.form.choose("openai/gpt-4o")
    for model_id in ("openai/o3", "acme/in-house", "openai/o3"):
        qtbot.mouseClick(panel.ages.next, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda model_id=model_id: shows(panel, model_id))
    header = panel.models.table.horizontalHeader()
    header.setSortIndicator(1, Qt.SortOrder.DescendingOrder)
    assert [model.id for model in panel.models.in_order][:2] == ["openai/o3", "openai/gpt-4o"]
    assert shows(panel, "openai/o3")


def test_what_needs_checking_is_served_and_old_or_of_unknown_age():
    old, day = TODAY - timedelta(90), timedelta(1)
    models = (
        ListedModel("a", "A", checked=old + day),
        ListedModel("b", "B", checked=old),
        ListedModel("c", "C", checked=old, retires=TODAY),
        ListedModel("d", "D", hidden=True),
        ListedModel("e", "E"),
    )
    assert [next_to_check(models, after, TODAY) for after in ("", "a", "b", "c", "e")] == ["b", "b", "e", "e", "b"]
    assert next_to_check(models[:1], "", TODAY) == ""
    assert next_to_check(models[1:2], "b", TODAY) == "b"


def test_a_narrow_window_has_a_box_in_place_of_the_list(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    panel = wide_panel(qtbot, open_window, profile)
    panel.columns.setSizes([300, panel.columns.width() - 300])
    width = panel.columns.sizes()[0]
    panel.window().resize(900, 600)
    qtbot.waitUntil(panel.form.picker.isVisible)
    assert not panel.models.isVisible()
    assert panel.state()["list"] == width
    place = panel.form.picker.findData("openai/gpt-4o")
    panel.form.picker.setCurrentIndex(place)
    panel.form.picker.activated.emit(place)
    qtbot.waitUntil(lambda: shows(panel, "openai/gpt-4o"))
    panel.window().resize(1280, 800)
    qtbot.waitUntil(panel.models.isVisible)
    assert abs(panel.columns.sizes()[0] - width) <= 1
    assert not panel.form.picker.isVisible()


def test_only_an_address_of_the_web_becomes_a_link(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path, monkeypatch: pytest.MonkeyPatch
):
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: bool(opened.append(url)))
    bench = open_window(profile)
    bench.window.resize(1280, 800)
    panel = panel_of(qtbot, bench)
    text = GOOD + "    source: https://example.org/a?b=1&c=2\n"
    write(qtbot, panel, text)
    panel.form.choose("openai/gpt-4o")
    qtbot.waitUntil(panel.form.source.isVisible)
    qtbot.waitUntil(lambda: panel.form.source.accessibleName() == "Source: https://example.org/a?b=1&c=2")
    qtbot.mouseClick(panel.form.source, Qt.MouseButton.LeftButton)
    assert opened == [QUrl("https://example.org/a?b=1&c=2")]
    assert "Could not open https://example.org/a?b=1&c=2." in notices(bench)
    write(qtbot, panel, text.replace("https:", "file:"))
    qtbot.waitUntil(lambda: not panel.form.source.isVisible())
    assert panel.form.about.text() == "Source: file://example.org/a?b=1&c=2"


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("https://openai.com/api/pricing/", True),
        ("http://localhost:8000?x=%20#y", True),
        ("file:///etc/passwd", False),
        ("javascript:alert(1)", False),
        ("https://", False),
        ("https://openai.com@example.org/", False),
        ("https://example.org\\@openai.com", False),
        ("https://example.org/\u202egnp", False),
        ("https://ex\u0430mple.org/", False),
        ("https://example.org/ a", False),
        ("our contract", False),
        ("", False),
    ],
)
def test_addresses_that_a_browser_may_open(text: str, opens: bool):
    assert is_web_address(text) is opens


def test_values_of_another_model_do_not_stay_beside_an_error(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    panel = wide_panel(qtbot, open_window, profile)
    panel.form.choose("openai/gpt-4o")
    qtbot.waitUntil(lambda: shows(panel, "openai/gpt-4o"))
    write(qtbot, panel, "version: 1\nmodels: x\n")
    assert panel.form.facts.rowCount() > 0
    panel.form.choose("openai/o3")
    assert panel.form.heading.text() == "o3"
    qtbot.waitUntil(lambda: panel.form.facts.rowCount() == 0)
    assert panel.form.remark.text() == "Fix the text to see prices here."
    assert names(panel)


def test_the_key_for_save_saves_prices_from_everywhere_on_the_page(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, prices: Path
):
    panel = wide_panel(qtbot, open_window, profile)
    for control, price in ((panel.models.find, "1.5"), (panel.import_button, "1.25")):
        text = GOOD.replace("2.00", price)
        write(qtbot, panel, text)
        control.setFocus()
        QTest.keyClick(control, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda text=text: prices.exists() and prices.read_text() == text)
