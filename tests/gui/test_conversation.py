"""The conversation tab: figures worked out by hand, lines, and what hangs on the cost table."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QComboBox, QSpinBox, QTableView, QWidget

from gui.costs.conversation_controller import (
    LINE_STYLES,
    ConversationForm,
    ConversationPanel,
    figures_of,
    line_sample,
    show_totals,
    show_turns,
    totals_model,
    turns_model,
)
from gui.costs.conversation_service import (
    MAX_MODELS,
    ConversationChoices,
    TalkRequest,
    conversation_of,
    converse_with_all,
    talker_of,
)
from gui.costs.money_text import CostText
from gui.look.theme import Theme
from gui.runtime.jobs import Ticket
from tests.gui.cost_samples import MODELS, model, scenario

pytestmark = pytest.mark.pages("conversationTab")

LARGE, OPUS = MODELS[0], MODELS[2]
TEXT = CostText(QLocale(QLocale.Language.English))
CHOICES = ConversationChoices(turns=3, user=100, answer=400, least_cached=0)


def talk(choices: ConversationChoices = CHOICES, one=LARGE, tokens=(1_000, 1_000, 1_000), label="exact"):
    request = TalkRequest(1, (talker_of(one, tokens, label),), choices, scenario())
    (only,) = converse_with_all(request, Ticket(lambda *_: None))
    return only


def cells(table) -> list[list[str]]:
    rows, columns = range(table.rowCount()), range(table.columnCount())
    return [[table.index(row, column).data() for column in columns] for row in rows]


def test_the_sum_of_three_turns_with_and_without_a_cache():
    # $2, $8 and $0.50 cached; a write costs what input does. Prompts of 1,100, 1,600 and 2,100 tokens, 400 answered.
    found = talk()
    assert [turn.prompt_tokens for turn in found.turns] == [1_100, 1_600, 2_100]
    # 1,100 × 2 + 400 × 8 = 5,400; 1,100 × 0.5 + 500 × 2 + 3,200 = 4,750; 1,600 × 0.5 + 500 × 2 + 3,200 = 5,000
    assert [turn.total_usd for turn in found.turns] == [Decimal("0.0054"), Decimal("0.01015"), Decimal("0.01515")]
    # 5,400; 3,200 + 3,200; 4,200 + 3,200
    assert found.without[-1].total_usd == Decimal("0.0192")
    assert found.pays_from == 2
    totals, turns = totals_model(TEXT, lambda place: None), turns_model(TEXT)
    show_totals(totals, [found], TEXT)
    show_turns(turns, [found], TEXT)
    assert cells(totals) == [["Acme Large", "$0.0152", "$0.0192", "turn 2", "2,100", "yes"]]
    assert cells(turns) == [["1", "$0.00540"], ["2", "$0.01015"], ["3", "$0.01515"]]
    tip = turns.index(1, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "This turn: $0.00475. Prompt: 1,600 tokens, 1,100 cached, 500 written to the cache."


def test_it_stands_back_before_each_turn(monkeypatch: pytest.MonkeyPatch):
    asked = []
    monkeypatch.setattr(Ticket, "wait_while_busy", lambda _: asked.append(1))
    talk()
    assert len(asked) == 6, "with a cache, and without"


def test_a_pause_loses_the_cache():
    assert ConversationChoices(turns=7, pause_every=3).late_turns() == {3, 6}
    assert ConversationChoices(turns=3, pause_every=1).late_turns() == {2, 3}
    late = talk(ConversationChoices(turns=3, user=100, answer=400, least_cached=0, pause_every=3))
    assert [turn.cached_tokens for turn in late.turns] == [0, 1_100, 0]


def test_the_range_of_the_prompt_stays_and_so_does_its_label():
    found = talk(one=OPUS, tokens=(1_500, 1_400, 1_600), label="estimated")
    last = found.turns[-1]
    assert last.total_usd_low < last.total_usd < last.total_usd_high
    turns = turns_model(TEXT)
    show_turns(turns, [found], TEXT)
    assert turns.index(2, 1).data().startswith("≈ $")


def test_amounts_of_a_column_have_the_same_decimals():
    talks = [
        talk(one=model(f"acme/{price}", price, "Acme", (price, price, price)), tokens=tokens, label=label)
        for price, tokens, label in (
            ("0.05", (1_000, 1_000, 1_000), "exact"),
            ("40", (1_500, 1_400, 1_600), "estimated"),
            ("4", (1_500, 1_499, 1_501), "estimated"),
        )
    ]
    totals, turns = totals_model(TEXT, lambda place: None), turns_model(TEXT)
    show_totals(totals, talks, TEXT)
    show_turns(turns, talks, TEXT)
    amounts = ["$0.000300", "≈ $0.288000–0.312000", "≈ $0.029988–0.030012"]
    assert [row[1:3] for row in cells(totals)] == [[amount] * 2 for amount in amounts]
    assert cells(turns) == [
        ["1", "$0.0000750", "≈ $0.0760–0.0840", "≈ $0.00800"],
        ["2", "$0.0001750", "≈ $0.1720–0.1880", "≈ $0.01799–0.01801"],
        ["3", "$0.0003000", "≈ $0.2880–0.3120", "≈ $0.02999–0.03001"],
    ]


def test_an_unknown_price_is_never_nothing():
    unpriced = model("acme/x", "X", "Acme", (None, "1", None), context=None)
    totals = totals_model(TEXT, lambda place: None)
    show_totals(totals, [talk(one=unpriced)], TEXT)
    assert cells(totals)[0][1:] == ["n/a", "n/a", "n/a", "2,100", "n/a"]


def test_a_window_that_fills_up_is_told():
    small = model("acme/s", "S", "Acme", ("1", "1", "1"), context=2_000)
    totals = totals_model(TEXT, lambda place: None)
    show_totals(totals, [talk(one=small)], TEXT)
    assert cells(totals)[0][3:] == ["never", "2,100", "⚠ until turn 2"]


def test_a_prompt_that_nobody_counted_has_no_conversation():
    request = TalkRequest(1, (talker_of(LARGE, (None, None, None), None),), CHOICES, scenario())
    assert converse_with_all(request, Ticket(lambda *_: None)) == ()
    own = ConversationChoices(turns=1, system_is_prompt=False, system=10, user=0, answer=0, caching="none")
    (found,) = converse_with_all(TalkRequest(1, request.talkers, own, scenario()), Ticket(lambda *_: None))
    assert found.turns[0].total_usd == Decimal("0.00002")
    assert (found.without, found.pays_from) == ((), None)


def test_the_form_gives_what_it_shows(qtbot):
    form = ConversationForm()
    qtbot.addWidget(form)
    assert form.choices() == ConversationChoices()
    choices = ConversationChoices(
        turns=7, system_is_prompt=False, system=9, user=1, answer=2, reasoning=3, caching="hour", pause_every=4
    )
    with qtbot.waitSignal(form.changed):
        form.show_choices(choices)
    assert form.choices() == choices
    assert form.findChild(QSpinBox, "conversationSystem").isEnabled()
    form.findChild(QComboBox, "conversationCaching").setCurrentIndex(0)
    assert not form.findChild(QSpinBox, "conversationPause").isEnabled()
    for kind in (QSpinBox, QComboBox):
        assert all(control.accessibleName() for control in form.findChildren(kind))


@pytest.mark.parametrize(
    "damaged",
    [{}, {"turns": 0, "caching": "years", "system_is_prompt": 1}, {"turns": 10**9, "user": -1, "answer": "x"}],
)
def test_a_damaged_state_costs_nothing_but_itself(damaged):
    assert conversation_of(damaged) == ConversationChoices()


def test_choices_survive_json():
    choices = ConversationChoices(turns=3, caching="none", pause_every=2)
    assert conversation_of(json.loads(json.dumps(choices.plain()))) == choices


def test_lines_are_told_apart_without_colour(qapp):
    assert len(LINE_STYLES) == MAX_MODELS
    assert len({(style.dashes, style.mark) for style in LINE_STYLES}) == MAX_MODELS
    assert len({style.mark for style in LINE_STYLES}) == MAX_MODELS
    for mode in ("light", "dark"):
        assert not any(line_sample(style, Theme(mode), 2.0).isNull() for style in LINE_STYLES)


def test_an_empty_table_has_no_lines_to_draw_anew(qapp):
    """As Qt's warning about the range would say."""
    table = totals_model(TEXT, lambda _lay_out: None)
    told = []
    table.dataChanged.connect(lambda *_: told.append(1))
    table.notify_changed(0)
    assert not told
    table.show([talk()], TEXT)
    table.notify_changed(0)
    assert told


def test_a_plot_that_nobody_sees_takes_the_colours_when_it_is_seen(qtbot):
    theme = Theme("light", "normal")
    panel = ConversationPanel(theme, TEXT)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_talks([talk()], TEXT)
    plot = panel.findChild(QWidget, "conversationPlot")
    assert plot.backgroundBrush().color() == theme.colour("base")
    panel.hide()
    before = theme.colour("base")
    theme.set_mode("dark")
    assert plot.backgroundBrush().color() == before != theme.colour("base")
    panel.show()
    qtbot.waitUntil(lambda: plot.backgroundBrush().color() == theme.colour("base"))
    theme.set_mode("light")
    qtbot.waitUntil(lambda: plot.backgroundBrush().color() == theme.colour("base"))


@pytest.mark.deep
@pytest.mark.parametrize("turns", [1, 2, 400, 401, 10_000])
def test_a_line_of_many_turns_is_drawn_by_some_of_them_from_the_first_to_the_last(qtbot, turns):
    from gui.costs.plots import MAX_POINTS, ConversationPlot

    plot = ConversationPlot(Theme("light", "normal"), LINE_STYLES)
    qtbot.addWidget(plot)
    long = talk(ConversationChoices(turns=turns, user=1, answer=1))
    plot.draw([long], TEXT)
    line = next(item for item in plot.getPlotItem().items if item.getData()[0] is not None)
    xs, ys = line.getData()
    assert len(xs) == min(turns, MAX_POINTS)
    assert (xs[0], xs[-1]) == (1, turns)
    assert sorted(set(xs)) == list(xs)
    amounts = {turn.number: turn.total_usd for turn in long.turns}
    assert [Decimal(str(y)).quantize(Decimal("1e-9")) for y in ys] == [
        amounts[int(x)].quantize(Decimal("1e-9")) for x in xs
    ]


@pytest.mark.deep
def test_the_tab_follows_the_prompt_the_form_and_the_favourites(open_window, qtbot, tmp_path):
    bench = open_window()
    qtbot.waitUntil(lambda: any(row.estimate.usd for row in bench.costs.service.rows))
    bench.window.actions_by_name["focus_conversation"].trigger()
    panel = bench.pages.conversation.panel
    table = panel.findChild(QTableView, "conversationTotals")
    qtbot.waitUntil(lambda: table.model().rowCount() == 1)
    assert "The model in the header. Favourites" in panel.remark.text()
    assert panel.findChild(QTableView, "conversationCosts").model().rowCount() == 20
    bench.costs.panel.model.change(favourites=frozenset({"openai/gpt-5", "openai/gpt-5-mini"}))
    qtbot.waitUntil(lambda: table.model().rowCount() == 3)
    names = {table.model().index(row, 0).data() for row in range(3)}
    assert names == {"GPT-5", "GPT-5 mini", "GPT-5 nano"}
    panel.form.turns.setValue(5)
    qtbot.waitUntil(lambda: panel.findChild(QTableView, "conversationCosts").model().rowCount() == 5)
    before = table.model().index(0, 1).data()
    bench.prompt.replace_all("a much shorter prompt")
    qtbot.waitUntil(lambda: table.model().index(0, 1).data() not in (None, before))
    assert "GPT-5" in panel.findChild(object, "conversationPlot").accessibleDescription()
    assert bench.pages.conversation.state()["turns"] == 5
    bench.theme.set_mode("dark")
    assert not panel.grab().isNull()
    profile = bench.paths.config
    with qtbot.waitSignal(bench.window.destroyed):
        bench.window.close()
    again = open_window(profile)
    assert again.pages.conversation.build().form.turns.value() == 5


def test_the_answer_stands_first_in_figures():
    found = figures_of(talk(), TEXT)
    assert [caption for _, caption in found] == [
        "3 turns, Acme Large",
        "versus no cache",
        "cache pays off from",
        "tokens in the last prompt",
    ]
    assert [figure for figure, _ in found] == ["$0.0152", "−21%", "turn 2", "2,100"]
    uncached = figures_of(talk(replace(CHOICES, caching="none")), TEXT)
    assert [caption for _, caption in uncached] == ["3 turns, Acme Large", "tokens in the last prompt"]


def test_costs_of_turns_are_not_cut(qtbot):
    panel = ConversationPanel(Theme("light", "normal"), TEXT)
    qtbot.addWidget(panel)
    panel.resize(848, 420)
    panel.show()
    panel.show_talks([talk(one=OPUS, tokens=(345, 270, 420), label="estimated")], TEXT)
    panel.tables.setCurrentWidget(panel.turns_table)
    table, model = panel.turns_table, panel.turns
    width = table.fontMetrics().horizontalAdvance(max((row[1] for row in cells(model)), key=len))
    assert "–" in cells(model)[0][1], "a range"
    qtbot.waitUntil(lambda: table.columnWidth(1) > width)
    qtbot.waitUntil(lambda: table.columnWidth(0) + table.columnWidth(1) <= table.viewport().width())


def test_totals_fit_the_page_and_names_are_elided_before_numbers(qtbot):
    panel = ConversationPanel(Theme("light", "normal"), TEXT)
    qtbot.addWidget(panel)
    panel.resize(848, 420)
    panel.show()
    cheap = model("acme/nano", "A model with a name that is long", "Acme", ("0.05", "0.4", "0.01"))
    panel.show_talks([talk(one=cheap), talk(one=OPUS, tokens=(345, 270, 420), label="estimated")], TEXT)
    table = panel.totals_table
    metrics = table.fontMetrics()

    def are_whole() -> bool:
        texts = {column: [row[column] for row in cells(panel.totals)] for column in range(1, 6)}
        return table.horizontalHeader().length() == table.viewport().width() and all(
            table.columnWidth(column) > max(map(metrics.horizontalAdvance, [panel.totals.title(column), *shown]))
            for column, shown in texts.items()
        )

    for width in (848, 1_228, 848):
        panel.resize(width, 420)
        qtbot.waitUntil(are_whole)
        assert table.columnWidth(0) > table.iconSize().width() + metrics.horizontalAdvance("A…")
