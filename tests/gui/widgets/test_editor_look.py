"""A view of tokens looks as the prompt does."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from gui.editor.token_editor import EditorLook, TokenEditor, TokenView
from gui.look.theme import Theme
from gui.state.settings import SettingsStore


@pytest.fixture
def settings(qapp, tmp_path: Path) -> SettingsStore:
    return SettingsStore(tmp_path / "settings.json")


@pytest.fixture
def theme(qapp) -> Theme:
    return Theme("light")


def test_a_view_follows_the_settings_from_the_beginning(qtbot, settings: SettingsStore, theme: Theme):
    settings.set("font_size", 17)
    settings.set("word_wrap", False)
    view = TokenView(theme, settings)
    qtbot.addWidget(view)
    assert view.isReadOnly()
    assert view.font().pointSize() == 17
    assert view.lineWrapMode() == QPlainTextEdit.LineWrapMode.NoWrap
    settings.set("font_size", 9)
    settings.set("word_wrap", True)
    shown = []
    view.set_show_whitespace = shown.append
    settings.set("show_whitespace", True)
    assert view.font().pointSize() == 9
    assert view.lineWrapMode() == QPlainTextEdit.LineWrapMode.WidgetWidth
    assert shown == [True]


def test_colours_are_those_of_the_theme_and_the_settings(qtbot, settings: SettingsStore, theme: Theme):
    view = TokenView(theme, settings)
    qtbot.addWidget(view)
    given = []
    view.set_palette = given.append
    settings.set("token_colours", "none")
    theme.set_mode("dark")
    assert given[0] == theme_palette("light", "none")
    assert given[-1] == theme_palette("dark", "none")


def theme_palette(mode: str, colours: str) -> object:
    return Theme(mode).token_palette(colours)


def test_a_hidden_view_keeps_the_colours_of_the_theme(qtbot, qapp, settings: SettingsStore, theme: Theme):
    """It gets them before the style sheet polishes it, which restores the palette of its first time."""
    theme.apply(qapp)
    page = QWidget()
    qtbot.addWidget(page)
    view = TokenView(theme, settings, page)
    page.show()
    page.hide()
    for mode in ("dark", "light"):
        theme.set_mode(mode)
        page.show()
        palette = theme.token_palette()
        for colours in (view.palette(), view.viewport().palette()):
            assert colours.color(QPalette.ColorRole.Base) == palette.base
            assert colours.color(QPalette.ColorRole.Text) == palette.text
            assert colours.color(QPalette.ColorRole.Highlight) == palette.selection
        page.hide()
    theme.release()


def test_a_change_of_theme_keeps_font_and_zoom(qtbot, qapp, settings: SettingsStore, theme: Theme):
    theme.apply(qapp)
    view = TokenView(theme, settings)
    qtbot.addWidget(view)
    view.show()
    settings.set("font_size", 17)
    view.zoom_by(6)
    theme.set_mode("dark")
    assert view.font().pointSize() == 23
    theme.release()


def test_the_least_height_goes_with_the_font(qtbot, settings: SettingsStore, theme: Theme):
    editor = TokenEditor()
    qtbot.addWidget(editor)
    EditorLook(editor, theme, settings, least_lines=4)
    assert not editor.isReadOnly()
    low = editor.minimumHeight()
    settings.set("font_size", 30)
    assert editor.minimumHeight() == 4 * editor.fontMetrics().lineSpacing() > low > 0
