"""The advisor as a newcomer uses it: it looks at the text, edits are checked, applied and taken back."""

from __future__ import annotations

from decimal import Decimal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QProgressBar, QPushButton, QTableView
from pytestqt.qtbot import QtBot

from gui.prompt.savings import controller as advice_module
from gui.prompt.savings.controller import SavingsController
from gui.prompt.savings.panel import (
    BEGINNING,
    CHANGE,
    EFFECT,
    LINE,
    SAVED_MONEY,
    SAVED_TOKENS,
    SHARE,
    WHAT,
    SavingsPanel,
)
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, count_o200k, notices

pytestmark = pytest.mark.pages("savingsTab")

JSON = '{\n    "name": "Anna",\n    "age": 30,\n    "city": "Rome"\n}\n'
TEXT = f"# Data\n\n{JSON}\n\n\n\nWhat is the ﬁnal oﬃce?   \n"


def advised(
    qtbot: QtBot, bench: Application, text: str = TEXT, model: str = "openai/gpt-4o"
) -> tuple[SavingsPanel, SavingsController]:
    """The advisor, opened by its action on a text, when everything is counted and priced for the reference model."""
    bench.prompt.replace_all(text)
    bench.costs.choose_model(model)
    prompt = bench.prompt
    qtbot.waitUntil(lambda: prompt.counts is not None and prompt.counts.revision == prompt.editor.revision)
    qtbot.waitUntil(lambda: not prompt.stale)
    qtbot.waitUntil(lambda: bool(bench.costs.service.rows) and not bench.costs.service.stale)
    bench.window.actions_by_name["advisor"].trigger()
    panel, controller = bench.pages.advisor.panel, bench.pages.advisor
    qtbot.waitUntil(lambda: controller.fresh and not panel.run.isHidden())
    return panel, controller


def combined(qtbot: QtBot, controller: SavingsController, panel: SavingsPanel) -> None:
    qtbot.waitUntil(lambda: controller.combination is not None)
    qtbot.waitUntil(lambda: controller.combination.names == panel.savings.model.chosen)


def check(panel: SavingsPanel, title: str) -> None:
    """Press Space in the row of a proposal."""
    row = titles(panel).index(title)
    panel.savings.table.setCurrentIndex(panel.savings.model.index(row, WHAT))
    QTest.keyClick(panel.savings.table, Qt.Key.Key_Space)


def titles(panel: SavingsPanel) -> list[str]:
    model = panel.savings.model
    return [model.index(row, WHAT).data() for row in range(model.rowCount())]


def test_it_is_found_by_its_names(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    advised(qtbot, bench)
    assert bench.window.pages.currentWidget().objectName() == "savingsTab"
    for kind, name in (
        (QPushButton, "advisorRun"),
        (QProgressBar, "advisorProgress"),
        (QTableView, "advisorProposals"),
        (QTableView, "advisorPreview"),
        (QPushButton, "advisorApply"),
        (QTableView, "advisorRanking"),
        (QComboBox, "advisorBy"),
    ):
        found = bench.window.findChild(kind, name)
        assert found is not None
        assert found.accessibleName() != ""


def test_what_loses_nothing_is_checked_and_the_rest_says_so(qtbot: QtBot, open_window: OpenWindow):
    panel, _controller = advised(qtbot, open_window())
    model = panel.savings.model
    rows = {model.index(row, WHAT).data(): row for row in range(model.rowCount())}
    lossless = rows["Minify JSON"]
    lossy = rows["Replace ligatures and wide letters"]
    for row, state, word in (
        (lossless, Qt.CheckState.Checked, "Same meaning"),
        (lossy, Qt.CheckState.Unchecked, "Check the wording"),
    ):
        assert Qt.CheckState(model.index(row, WHAT).data(Qt.ItemDataRole.CheckStateRole)) == state
        assert model.index(row, EFFECT).data() == word
    saved = count_o200k(TEXT) - count_o200k(TEXT.replace(JSON, '{"name":"Anna","age":30,"city":"Rome"}\n'))
    assert model.index(lossless, SAVED_TOKENS).data() == f"−{saved}"
    # 2.50 dollars for a million tokens of input, a thousand calls a month
    assert model.index(lossless, SAVED_MONEY).data() == f"${saved * Decimal('0.0025'):f}"


def test_the_preview_shows_what_goes_and_leads_there(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel, _controller = advised(qtbot, bench)
    row = titles(panel).index("Replace ligatures and wide letters")
    panel.savings.table.setCurrentIndex(panel.savings.model.index(row, WHAT))
    assert "original letter forms are lost" in panel.savings.why.text()
    shown = panel.savings.preview
    assert shown.index(0, CHANGE).data() == "⏎⏎⏎⏎What·is·the·[−ﬁ][+fi]nal·oﬃce?···⏎"
    assert "After: ⏎⏎⏎⏎What·is·the·final·oﬃce?···⏎" in shown.index(0, CHANGE).data(Qt.ItemDataRole.ToolTipRole)
    panel.savings.changes.setCurrentIndex(shown.index(0, CHANGE))
    QTest.keyClick(panel.savings.changes, Qt.Key.Key_Return)
    assert bench.window.pages.currentWidget() is bench.panel
    assert bench.panel.editor.selected_text() == "ﬁ"


def test_what_is_applied_is_what_was_counted_and_one_undo_takes_it_back(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel, controller = advised(qtbot, bench)
    check(panel, "Replace ligatures and wide letters")
    combined(qtbot, controller, panel)
    promised = controller.combination.tokens_after
    outcome, share, money = (figure for figure in panel.strip.figures)
    assert outcome.value.text() == f"{count_o200k(TEXT)} → {promised}"
    assert outcome.caption.text() == f"tokens, with the {len(panel.savings.model.chosen)} selected"
    assert share.value.text().startswith("−")
    assert money.value.text().startswith("$")
    assert "less per month, GPT-4o" in money.caption.text()
    qtbot.mouseClick(panel.savings.apply, Qt.MouseButton.LeftButton)
    editor = bench.panel.editor
    after = '# Data\n\n{"name":"Anna","age":30,"city":"Rome"}\n\n\n\n\nWhat is the final office?\n'
    qtbot.waitUntil(lambda: editor.toPlainText() == after)
    assert count_o200k(after) == promised
    qtbot.waitUntil(lambda: controller.fresh and panel.run.isVisible())
    assert controller.findings.advice.tokens == promised
    assert f"{promised} tokens in o200k_base" in panel.status.text()
    (notice,) = (notice for notice in bench.window.messages.notices if notice.key == "savings")
    notice.offers[0].act()
    assert editor.toPlainText() == TEXT


@pytest.mark.deep
def test_a_text_that_changed_is_not_edited_but_looked_at_again(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel, controller = advised(qtbot, bench)
    combined(qtbot, controller, panel)
    bench.prompt.editor.replace_range(0, 0, "More. ")
    assert "has changed" in panel.status.text()
    assert not panel.savings.apply.isEnabled()
    controller.apply()  # as by a click that was on its way
    assert bench.panel.editor.toPlainText() == "More. " + TEXT
    assert "nothing was edited" in notices(bench)
    qtbot.waitUntil(lambda: controller.fresh)
    combined(qtbot, controller, panel)
    assert panel.savings.apply.isEnabled()


def test_nothing_checked_is_nothing_to_apply(qtbot: QtBot, open_window: OpenWindow):
    panel, controller = advised(qtbot, open_window())
    combined(qtbot, controller, panel)
    for title in titles(panel):
        row = titles(panel).index(title)
        if (
            title
            and Qt.CheckState(panel.savings.model.index(row, WHAT).data(Qt.ItemDataRole.CheckStateRole))
            == Qt.CheckState.Checked
        ):
            check(panel, title)
    assert panel.savings.total.text().startswith("0 of ")
    assert not panel.savings.apply.isEnabled()
    panel.savings.safe.click()
    combined(qtbot, controller, panel)
    lossless = {one.kind.name for one in controller.findings.advice.proposals if one.kind.lossless}
    assert panel.savings.model.chosen == lossless


def test_parts_are_ranked_and_lead_to_their_place(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    panel, _controller = advised(qtbot, bench, "short\n\nthe very long line of many words, the longest of all\n")
    model = panel.ranking.model
    assert model.index(0, LINE).data() == "3"
    assert model.index(0, BEGINNING).data().startswith("the·very·long")
    assert model.index(0, SHARE).data().endswith("%")
    panel.ranking.table.setCurrentIndex(model.index(0, 0))
    QTest.keyClick(panel.ranking.table, Qt.Key.Key_Return)
    assert bench.panel.editor.selected_text() == "the very long line of many words, the longest of all\n"
    bench.window.pages.setCurrentWidget(bench.pages.page("savingsTab"))
    panel.ranking.by.setCurrentIndex(panel.ranking.by.findData("json"))
    assert model.rowCount() == 0
    assert panel.ranking.nothing.isVisible()


def test_an_empty_prompt_has_nothing_to_save(qtbot: QtBot, open_window: OpenWindow):
    panel, _controller = advised(qtbot, open_window(), "")
    assert "0 tokens" in panel.status.text()
    assert "No savings found" in panel.status.text()
    assert panel.savings.model.rowCount() == panel.ranking.model.rowCount() == 0


@pytest.mark.deep
def test_it_counts_as_the_reference_model_does(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    costs = bench.costs
    qtbot.waitUntil(lambda: bool(costs.panel.model.shown_rows()))
    other = next(row for row in costs.panel.model.shown_rows() if row.model.count.tokenizer not in (None, "o200k_base"))
    panel, controller = advised(qtbot, bench)
    assert controller.findings.request.encoding == "o200k_base"
    costs.choose_model(other.model_id)
    qtbot.waitUntil(lambda: controller.fresh and panel.run.isVisible())
    assert controller.findings.request.encoding == other.model.count.tokenizer
    assert other.model.name in panel.status.text()


def test_it_is_priced_when_somebody_looks_at_it(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch):
    bench = open_window()
    _panel, controller = advised(qtbot, bench)
    priced: list[int] = []
    reprice = controller.reprice
    monkeypatch.setattr(controller, "reprice", lambda: priced.append(1) or reprice())
    bench.pages.show_prompt()
    bench.costs.service.estimated.emit(bench.costs.service.rows)
    assert priced == []
    bench.window.pages.setCurrentWidget(bench.pages.page("savingsTab"))
    assert priced == [1]
    bench.costs.service.estimated.emit(bench.costs.service.rows)
    assert len(priced) > 1


def test_it_can_be_stopped(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch):
    from gui.runtime.jobs import JobCancelled

    def endless(*args: object) -> None:
        ticket = args[-1]
        while True:
            try:
                ticket.progress(0.5, "nothing")
            except JobCancelled:
                raise

    monkeypatch.setattr(advice_module, "look", endless)
    bench = open_window()
    bench.window.actions_by_name["advisor"].trigger()
    panel = bench.pages.advisor.panel
    assert panel.stop.isVisible()
    qtbot.waitUntil(lambda: "nothing" in panel.status.text())
    qtbot.mouseClick(panel.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(panel.run.isVisible)
    assert isinstance(panel.status, QLabel)
    assert "Finds what costs tokens" in panel.status.text()


def test_special_tokens_are_counted_as_the_window_counts_them(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bench.prompt.set_special_as_tokens(True)
    panel, controller = advised(qtbot, bench, "a<|endoftext|>b   \n")
    assert controller.findings.advice.tokens == bench.prompt.counts.tokens
    assert panel.ranking.model.rowCount() == 1
