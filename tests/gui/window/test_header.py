"""The header: the document, the one model, and the key figures that follow it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gui.core.figures import NO_MODEL, Run
from gui.window.application import Application
from gui.window.header import ContextMeter, KeyFigure
from tests.gui.conftest import OpenWindow, close_window

pytestmark = pytest.mark.pages()


def priced(qtbot: QtBot, bench: Application) -> None:
    qtbot.waitUntil(lambda: any(row.estimate.usd for row in bench.costs.service.rows) and not bench.costs.service.stale)


def choose(bench: Application, model: str) -> None:
    picker = bench.window.findChild(QComboBox, "modelPicker")
    assert picker is not None
    picker.setCurrentIndex(picker.findData(model))


def test_figures_are_those_of_the_model(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    header = bench.window.header
    bench.panel.editor.setPlainText("one two three four five six seven")
    qtbot.waitUntil(lambda: header.tokens.text == "7")
    priced(qtbot, bench)
    qtbot.waitUntil(lambda: header.cost.text.startswith("$0.0"))
    assert header.tokens.quality == header.cost.quality == "exact"
    assert header.tokens.accessibleName() == "7 tokens"
    assert header.tokens.toolTip() == "exact", "what the dot says in words"
    assert header.context.text == "<0.1%"
    assert header.context.caption == "of 272k input limit"
    ranged = next(row for row in bench.costs.service.rows if row.has_range and row.estimate.usd)
    choose(bench, ranged.model_id)
    assert header.tokens.quality == "estimated"
    assert "–" in header.tokens.text
    assert "estimated" in header.tokens.accessibleDescription()
    bench.window.pages.show_page("labTab")
    assert header.isVisible(), "on every page"
    for name in ("headerTokens", "headerCost", "headerContext", "searchField", "contextMeter", "modelPicker"):
        widget = bench.window.findChild(QWidget, name)
        assert widget.isVisible(), name
        assert widget.accessibleName(), name
        assert not widget.grab().isNull()


def test_late_prices_bring_no_earlier_number_back(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    tokens, service = bench.window.header.tokens, bench.costs.service
    priced(qtbot, bench)
    earlier = SimpleNamespace(
        value=service.rows, request=SimpleNamespace(models=service.models, revision=service.priced_revision)
    )
    bench.panel.editor.setPlainText("one two three four five six seven")
    qtbot.waitUntil(lambda: tokens.text == "7")
    service._on_priced(earlier)
    assert tokens.text == "7"


@pytest.mark.deep
def test_an_encoding_without_a_model(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    header = bench.window.header
    priced(qtbot, bench)
    choose(bench, NO_MODEL)
    assert (header.cost.text, header.context.text) == ("n/a", "–")
    assert header.tokens.text == str(bench.prompt.counts.tokens)
    bench.prompt.set_encoding("gpt2")
    qtbot.waitUntil(lambda: header.tokens.text == str(bench.prompt.counts.tokens) and not bench.prompt.stale)
    assert bench.prompt.counts.encoding == "gpt2"
    assert not header.models.grab().isNull()
    close_window(qtbot, bench)
    again = open_window(profile)
    qtbot.waitUntil(lambda: bool(again.costs.service.models))
    assert again.costs.reference_model() is None
    assert again.window.header.models.currentData() == NO_MODEL


def test_the_list_of_models_is_searched_by_key(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    priced(qtbot, bench)
    picker = bench.window.header.models
    bench.costs.panel.model.change(favourites=frozenset({"anthropic/claude-haiku-4-5"}))
    picker.setFocus()
    qtbot.keyClick(picker, Qt.Key.Key_Return)
    popover = picker.popover
    rows = popover.model.rows
    assert popover.isVisible()
    assert rows[0] == "Favourites"
    assert rows[1].key == "anthropic/claude-haiku-4-5"
    providers = [row for row in rows[2:] if isinstance(row, str)]
    assert providers == sorted(set(providers), key=str.lower), "a heading for each provider"
    taken = popover.model.choice(popover.list.currentIndex().row())
    assert taken.key == "openai/gpt-5-nano", "opens on the model in use"
    assert "$0.0" in popover.field.accessibleDescription(), "said, as the field keeps the keyboard"
    assert popover.field.accessibleDescription().startswith("GPT-5 nano, OpenAI, o200k_base, ")
    assert not popover.list.grab().isNull()
    qtbot.keyClicks(popover.field, "deepseek flash")
    found = popover.model.choice(popover.list.currentIndex().row())
    assert found.provider == "DeepSeek"
    qtbot.keyClick(popover.field, Qt.Key.Key_Return)
    assert not popover.isVisible()
    assert picker.currentData() == bench.costs.reference.chosen == found.key
    qtbot.keyClick(picker, Qt.Key.Key_Q)
    assert popover.isVisible(), "a letter begins the search"
    assert popover.field.text() == "q"
    popover.field.setText("no such model")
    assert not popover.model.rows
    qtbot.keyClick(popover.field, Qt.Key.Key_Return)
    assert popover.isVisible()
    qtbot.keyClick(popover.field, Qt.Key.Key_Escape)
    assert not popover.isVisible()
    assert picker.currentData() == found.key
    picker.open_list("gemini")
    for _ in range(sum(popover.model.choice(row) is not None for row in range(popover.model.rowCount()))):
        qtbot.keyClick(popover.field, Qt.Key.Key_Down)
    assert popover.focusWidget() is popover.no_model
    qtbot.keyClick(popover.no_model, Qt.Key.Key_Return)
    assert picker.currentData() == NO_MODEL


def test_a_star_is_clicked_in_the_list(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    priced(qtbot, bench)
    picker = bench.window.header.models
    picker.open_list("claude haiku 4.5")
    popover = picker.popover
    view = popover.list
    row = view.visualRect(popover.model.index(popover.model.row_of("anthropic/claude-haiku-4-5")))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=row.topLeft() + QPoint(18, 14))
    assert "anthropic/claude-haiku-4-5" in bench.costs.panel.model.arrangement.favourites
    assert popover.model.rows[0] == "Favourites"
    assert popover.isVisible()
    assert picker.currentData() != "anthropic/claude-haiku-4-5"
    row = view.visualRect(popover.model.index(1))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
    assert picker.currentData() == "anthropic/claude-haiku-4-5"


def test_the_document_says_whether_it_is_saved(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    name, state = (bench.window.findChild(QLabel, which) for which in ("headerDocument", "headerState"))
    assert (name.text(), state.text()) == ("Untitled prompt", "Not saved")
    bench.panel.editor.setPlainText("")
    assert state.text() == "Empty"
    qtbot.keyClicks(bench.panel.editor, "x")
    assert state.text() == "Edited, not saved"
    path = tmp_path / "mine.txt"
    path.write_text("mine")
    bench.files.open_paths([path])
    qtbot.waitUntil(lambda: name.text() == "mine.txt")
    assert state.text() == "Saved"
    bench.privacy.go_private()
    assert state.accessibleName() == "Private, not saved"


def test_search_and_theme_are_buttons(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    bench.settings.set("theme", "light")
    toggle, search = (
        bench.window.findChild(QToolButton, "themeToggle"),
        bench.window.findChild(QPushButton, "searchField"),
    )
    assert toggle.accessibleName() == "Use the dark theme"
    qtbot.mouseClick(toggle, Qt.MouseButton.LeftButton)
    assert bench.theme.is_dark
    assert toggle.accessibleName() == "Use the light theme"
    qtbot.mouseClick(search, Qt.MouseButton.LeftButton)
    palette = bench.wiring.palette()
    assert palette.isVisible()
    palette.reject()
    bench.window.activateWindow()
    qtbot.keyClick(bench.panel.editor, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert palette.isVisible()
    palette.reject()


def test_figures_are_never_cut(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    header = bench.window.header
    priced(qtbot, bench)
    bench.window.resize(900, 600)
    qtbot.waitUntil(lambda: header.document.isVisible() and header.context.isVisible())

    def whole() -> bool:
        figures = (header.tokens, header.cost, header.context)
        return all(figure.width() >= figure.end_of_number() for figure in figures if figure.isVisible())

    header.tokens.show_figure((Run("90,000–130,000"),), "estimated")
    header.cost.show_figure((Run("$0.", strong=False), Run("78–1.07")), "estimated")
    qtbot.waitUntil(lambda: not header.document.isVisible())
    qtbot.waitUntil(whole)
    assert header.context.isVisible(), "the document makes room first"
    bench.window.resize(700, 500)
    qtbot.waitUntil(lambda: not header.context.isVisible())
    bench.window.resize(1280, 800)
    qtbot.waitUntil(lambda: header.document.isVisible() and header.context.isVisible())
    qtbot.waitUntil(whole)


def test_a_number_without_room_is_drawn_smaller(qtbot: QtBot, open_window: OpenWindow):
    figure = KeyFigure(open_window().context.theme, "figure", "tokens")
    qtbot.addWidget(figure)
    figure.show_figure((Run("90,000–130,000"),), "estimated")
    figure.resize(figure.sizeHint())
    figure.setFixedWidth(int(figure.end_of_number() / 2))
    line = figure.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    height = range(int(figure._metrics[figure._strong.weight()].height()))
    ground = line.pixel(0, 0)
    ends = [any(line.pixel(x, y) != ground for y in height) for x in range(line.width())]
    assert not ends[-1], "a dot at the end, and after it nothing"
    assert True in ends[-18:], "the dot is there"


@pytest.mark.parametrize(
    ("window", "caption"),
    [(272_000, "of 272k context"), (1_000_000, "of 1M context"), (1_048_576, "of 1,048,576 context")],
)
def test_the_context_window_is_short(qtbot: QtBot, open_window: OpenWindow, window: int, caption: str):
    meter = ContextMeter(open_window().context.theme)
    qtbot.addWidget(meter)
    meter.set_model("a model", window)
    assert meter.caption == caption
