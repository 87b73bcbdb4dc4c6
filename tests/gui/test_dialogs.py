"""The dialogs, opened by their actions and used by keyboard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QTabBar,
)
from pytestqt.qtbot import QtBot

from gui.core.about import folder_size
from gui.core.profile_files import profile_paths
from gui.look.fonts import fixed_font
from gui.prompt.finder import GoToDialog
from gui.state.settings import Settings, describe, names
from gui.window.application import Application
from gui.window.command_palette import HEADING, HITS, MAX_OF_A_GROUP, CommandPalette
from gui.window.help import AboutDialog
from gui.window.preferences import PreferencesDialog
from tests.gui.conftest import OpenWindow
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.pages()


def opened(bench: Application, action: str, kind: type[QDialog]) -> Any:
    bench.window.actions_by_name[action].trigger()
    dialog = bench.window.findChild(kind)
    assert dialog is not None
    assert dialog.isVisible()
    return dialog


def rows(palette: CommandPalette) -> list[str]:
    model = palette.list.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_the_palette_runs_what_was_typed(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    palette = opened(bench, "command_palette", CommandPalette)
    assert palette.objectName() == "commandPalette"
    qtbot.waitUntil(lambda: QApplication.focusWidget() is palette.field)
    qtbot.keyClicks(palette.field, "dark")
    assert rows(palette)[0] == "Theme: Dark"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert bench.settings.values.theme == "dark"
    assert opened(bench, "command_palette", CommandPalette) is palette
    assert palette.field.text() == ">", "commands alone"
    assert rows(palette)[0] == "Theme: Dark", "used last, listed first"
    palette.reject()


def test_the_palette_knows_every_action_and_its_shortcut(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    palette = opened(bench, "command_palette", CommandPalette)
    listed = rows(palette)
    assert len(listed) == len(bench.window.every_action()) - 2
    assert len(set(listed)) == len(listed), "every name is clear on its own"
    model = palette.list.model()
    spoken = [model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(len(listed))]
    assert "Find, Ctrl+F" in spoken
    palette.reject()


def test_the_palette_finds_pages_models_and_encodings(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    qtbot.waitUntil(lambda: bench.window.header.models.count() > 0 and bench.panel.picker.findText("r50k_base") >= 0)
    palette = opened(bench, "search", CommandPalette)
    palette.field.setText("cost")
    assert rows(palette)[0] == "Cost: Models"
    palette.field.setText("claude")
    found = rows(palette)
    assert found.pop() == "Find in the prompt: “claude”"
    assert found[0].startswith("Model: Claude")
    with_name = [row for row in found if "claude" in row.casefold()]
    assert len(with_name) > 3
    assert found[: len(with_name)] == with_name
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert bench.costs.reference_model().name == found[0].removeprefix("Model: ")
    palette = opened(bench, "search", CommandPalette)
    assert rows(palette)[0] == found[0], "used last, listed first"
    palette.field.setText("r50k")
    assert rows(palette)[0] == "Encoding: r50k_base"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert bench.prompt.encoding == "r50k_base"


@pytest.mark.deep
def test_the_palette_narrows_by_a_sign(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    (tmp_path / "notes.md").write_text("a text about strawberries")
    bench.files.open_paths([tmp_path / "notes.md"])
    qtbot.waitUntil(lambda: bench.prompt.origin is not None)
    qtbot.waitUntil(lambda: bench.window.header.models.count() > 0)
    palette = opened(bench, "search", CommandPalette)
    assert palette.field.text() == ""
    kinds = {}
    for sign in ">@/":
        palette.field.setText(sign)
        kinds[sign] = {row.partition(":")[0] for row in rows(palette)}
    assert kinds["@"] == {"Model", "Encoding"}
    assert kinds["/"] == {"Recent file"}
    assert not kinds[">"] & (kinds["@"] | kinds["/"])
    palette.field.setText("#43453")
    assert rows(palette) == ["Token: #43453"]
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert bench.window.pages.current_name == "vocabularyTab"
    qtbot.waitUntil(lambda: bench.pages.vocabulary.panel.detail.token_id == 43453)
    palette = opened(bench, "search", CommandPalette)
    palette.field.setText("strawberries")
    assert rows(palette)[-1] == "Find in the prompt: “strawberries”"
    palette._select(palette.list.model().rowCount() - 1)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert bench.window.pages.current_name == "promptTab"
    qtbot.waitUntil(lambda: bench.panel.editor.selected_text() == "strawberries")


@pytest.mark.deep
def test_the_palette_groups_what_it_found(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    qtbot.waitUntil(lambda: bench.window.header.models.count() > 0 and bench.panel.picker.findText("gpt2") >= 0)
    qtbot.waitUntil(lambda: any(row.estimate.usd for row in bench.costs.panel.model.rows))
    palette = opened(bench, "search", CommandPalette)
    palette.field.setText("gpt")
    model = palette.list.model()
    found = [model.index(row, 0) for row in range(model.rowCount())]
    headings = {row: index.data(HEADING) for row, index in enumerate(found) if index.data(HEADING)}
    titles = [title for title, _rest in headings.values()]
    assert titles[0] == "Models"
    assert "Encodings" in titles
    assert titles[-1] == "Find in the prompt"
    assert len(titles) == len(set(titles)), "each kind once"
    assert next(iter(headings.values()))[1].startswith(f"{MAX_OF_A_GROUP} of "), "what is left out is said"
    assert found[0].data(Qt.ItemDataRole.AccessibleTextRole).count("$") == 1, "with the price of one call"
    assert found[0].data(HITS) == tuple(range(7, 10)), "letters in a row before those of other words"
    palette.field.setText("@gpt")
    assert model.rowCount() > MAX_OF_A_GROUP + 1
    assert not palette.list.grab().isNull()
    palette.reject()


def test_prices_in_the_palette_have_their_quality(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    qtbot.waitUntil(lambda: any(row.estimate.usd for row in bench.costs.panel.model.rows))
    qtbot.waitUntil(lambda: bool(bench.window.header.models.priced()))
    palette = opened(bench, "search", CommandPalette)
    palette.field.setText("@GPT-5 nano")
    row = palette.list.model().index(0, 0)
    assert row.data(Qt.ItemDataRole.AccessibleTextRole).endswith(", exact")
    palette.field.setText("@Nova Micro")
    assert "estimated" in palette.list.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    amber = bench.context.theme.colour("warn").rgb()
    picture = palette.list.grab().toImage()
    points = ((x, y) for x in range(picture.width() // 2, picture.width()) for y in range(picture.height()))
    assert any(picture.pixel(x, y) == amber for x, y in points), "and its dot"
    palette.reject()


def test_the_palette_by_arrows(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    palette = opened(bench, "command_palette", CommandPalette)
    qtbot.keyClicks(palette.field, "zoom")
    names = rows(palette)
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.list.currentIndex().data() == names[-1]
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentIndex().data() == names[0]
    qtbot.keyClicks(palette.field, "qqqq")
    assert rows(palette) == []
    assert palette._none.isVisible()
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_what_cannot_be_done_is_not_run(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    assert not bench.window.actions_by_name["undo"].isEnabled()
    palette = opened(bench, "command_palette", CommandPalette)
    qtbot.keyClicks(palette.field, "undo")
    assert rows(palette)[0] == "Undo"
    assert palette.list.currentIndex().data() != "Undo"
    palette.reject()


def test_preferences_show_every_setting_and_apply_at_once(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    dialog = opened(bench, "preferences", PreferencesDialog)
    for name in names():
        if describe(name) is not None:
            control = dialog.control(name)
            assert control.accessibleName(), name
            assert control.accessibleDescription(), name
    theme, size, wrap = (dialog.control(name) for name in ("theme", "font_size", "word_wrap"))
    assert isinstance(theme, QComboBox)
    assert isinstance(size, QSpinBox)
    assert isinstance(wrap, QCheckBox)
    theme.setCurrentIndex(theme.findData("dark"))
    assert bench.theme.is_dark
    size.setValue(20)
    assert bench.panel.editor.font().pointSize() == 20
    wrap.setChecked(False)
    assert bench.panel.editor.lineWrapMode() == bench.panel.editor.LineWrapMode.NoWrap
    assert not bench.window.actions_by_name["wrap"].isChecked()
    bench.window.actions_by_name["wrap"].trigger()
    assert wrap.isChecked()
    bench.settings.reset()
    assert theme.currentData() == Settings().theme
    assert size.value() == Settings().font_size
    dialog.reject()


def test_looking_at_the_preferences_changes_nothing(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    before = bench.settings.values
    with qtbot.assertNotEmitted(bench.settings.changed):
        opened(bench, "preferences", PreferencesDialog).reject()
    assert bench.settings.values == before


def test_a_font_that_is_gone_stays_the_choice(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    bench.settings.set("font_family", "No Such Mono")
    dialog = opened(bench, "preferences", PreferencesDialog)
    box = dialog.control("font_family")
    assert box.currentData() == "No Such Mono"
    assert "missing" in box.currentText()
    box.setCurrentIndex(0)
    assert bench.settings.values.font_family == ""
    dialog.reject()


def listed(dialog: PreferencesDialog) -> dict[str, str]:
    """The keys of every action on the page of shortcuts, by its title."""
    table = dialog.shortcuts.table
    return {table.item(row, 0).text(): table.item(row, 1).text() for row in range(table.rowCount())}


def test_the_page_of_shortcuts_lists_every_action(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    dialog = opened(bench, "shortcuts", PreferencesDialog)
    assert dialog.shortcuts.isVisible()
    shown = listed(dialog)
    assert shown["Command palette"] == "Ctrl+Shift+P"
    assert "Ctrl+F1" in shown["Keyboard shortcuts"]
    assert "F1" in shown["Guide"]
    with_keys = [action for action in bench.window.every_action() if action.shortcuts()]
    table = dialog.shortcuts.table
    assert sum(bool(table.item(row, 1).text()) for row in range(table.rowCount())) == len(with_keys)
    dialog.shortcuts.select("copy")
    assert not dialog.shortcuts.keys.isEnabled(), "text fields know this key themselves"
    dialog.reject()


def test_shortcuts_are_changed_and_a_conflict_is_said_first(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    page, act = opened(bench, "shortcuts", PreferencesDialog).shortcuts, bench.window.actions_by_name
    page.select("guide")
    assert not page.assign.isEnabled(), "nothing is changed"
    page.keys.setKeySequence(QKeySequence("Ctrl+C"))
    assert "fixed shortcut" in page.conflict.text()
    assert not page.assign.isEnabled()
    page.keys.setKeySequence(QKeySequence("Ctrl+Shift+P"))
    assert "“Command palette”" in page.conflict.text()
    assert act["command_palette"].shortcuts(), "not before it is confirmed"
    page.assign.click()
    assert act["guide"].shortcut() == QKeySequence("Ctrl+Shift+P")
    assert "(Ctrl+Shift+P)" in act["guide"].toolTip()
    assert not act["command_palette"].shortcuts()
    assert bench.settings.values.shortcuts == ("command_palette=", "guide=Ctrl+Shift+P")
    page.select("command_palette")
    page.reset.click()
    assert act["command_palette"].shortcut() == QKeySequence("Ctrl+Shift+P")
    assert not act["guide"].shortcuts(), "one key, one action"
    page.select("guide")
    page.reset.click()
    assert bench.settings.values.shortcuts == ()
    assert act["guide"].shortcuts() == act.default_keys("guide")


def test_changed_shortcuts_are_there_at_the_next_start(open_window: OpenWindow, tmp_path: Path):
    paths = profile_paths(tmp_path / "changed")
    paths.settings_file.parent.mkdir(parents=True, exist_ok=True)
    paths.settings_file.write_text(json.dumps({"shortcuts": ["guide=Ctrl+Alt+G", "gone=Ctrl+Alt+H"]}))
    bench = open_window(tmp_path / "changed", counted=False)
    assert bench.window.actions_by_name["guide"].shortcut() == QKeySequence("Ctrl+Alt+G")


def test_preferences_are_found_by_their_words(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    dialog = opened(bench, "preferences", PreferencesDialog)
    qtbot.keyClicks(dialog.search, "wrap")
    assert dialog.control("word_wrap").isVisible()
    assert not dialog.control("font_size").isVisible()
    titles = [dialog.pages.item(row).text() for row in range(dialog.pages.count())]
    assert any(title.startswith("Editor  (") for title in titles)
    assert titles[-1].startswith("Shortcuts  (")
    assert dialog.found.text().endswith("found")
    dialog.search.setText("no setting says this")
    assert dialog.found.text() == "0 found"
    dialog.search.clear()
    dialog.pages.setCurrentRow(1)
    assert dialog.control("font_size").isVisible()
    dialog.reject()


def test_about_names_versions_and_can_be_copied(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    dialog = opened(bench, "about", AboutDialog)
    assert dialog.copy.text() == "&Copy details"
    dialog.copy.click()
    copied = QApplication.clipboard().text()
    assert "Tokenloupe 0." in copied
    assert "PySide6-Essentials 6." in copied
    assert f"Caches: {bench.paths.cache}" in copied
    dialog.reject()


def test_about_shows_folders_and_measures_the_cache(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    bench.paths.cache.mkdir(parents=True, exist_ok=True)
    (bench.paths.cache / "some").write_bytes(bytes(3_000_000))
    dialog = opened(bench, "about", AboutDialog)
    assert not dialog.findChild(QLabel, "aboutIcon").pixmap().isNull()
    assert dialog.facts.value("Caches").text() == str(bench.paths.cache)
    assert dialog.facts.value("Caches").font().families() == fixed_font().families()
    assert dialog.facts.value("Caches").textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByKeyboard
    assert dialog.facts.value("Cache size").text() == "Measuring…", "it was measured while the window waited"
    qtbot.waitUntil(lambda: dialog.facts.value("Cache size").text().endswith("MB"))
    assert dialog.facts.value("Cache size").accessibleName().startswith("Cache size: 3")
    dialog.reject()


def test_the_size_of_a_cache(tmp_path: Path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "file").write_bytes(bytes(10))
    (tmp_path / "other").write_bytes(bytes(5))
    checks = []
    assert folder_size(tmp_path, lambda: checks.append(1)) == 15
    assert len(checks) == 2
    assert folder_size(tmp_path / "none", lambda: None) == 0


@pytest.mark.deep
def test_about_shows_the_licences_when_asked(qtbot: QtBot, open_window: OpenWindow):
    dialog = opened(open_window(counted=False), "about", AboutDialog)
    pages = dialog.findChild(QTabBar, "aboutPages")
    licences = dialog.findChild(QPlainTextEdit, "aboutLicences")
    assert licences.toPlainText() == ""
    pages.setFocus()
    qtbot.keyClick(pages, Qt.Key.Key_Right)
    assert licences.isVisible()
    assert "numba" not in licences.toPlainText(), "they were read while the window waited"
    qtbot.waitUntil(lambda: "numba" in licences.toPlainText())
    shown = licences.toPlainText()
    assert "Apache License" in shown
    assert dialog.copy.text() == "&Copy licences"
    dialog.copy.click()
    assert QApplication.clipboard().text() == shown
    dialog.reject()


@pytest.mark.parametrize(("action", "number", "selected"), [("go_to_line", 3, (8, 8)), ("go_to_token", 2, (3, 4))])
def test_go_to(qtbot: QtBot, open_window: OpenWindow, action: str, number: int, selected: tuple[int, int]):
    bench = open_window()
    bench.panel.editor.setPlainText("one\ntwo\nthree")
    qtbot.waitUntil(lambda: not bench.prompt.stale)
    dialog = opened(bench, action, GoToDialog)
    assert dialog.number.maximum() in {3, bench.prompt.counts.tokens}
    dialog.number.setValue(number)
    qtbot.keyClick(dialog.number, Qt.Key.Key_Return)
    assert bench.panel.editor.selected_range() == selected


@pytest.mark.parametrize("action", mostly_deep(["preferences", "shortcuts", "about", "go_to_line"], 2))
def test_dialogs_are_freed_on_close(qtbot: QtBot, open_window: OpenWindow, action: str):
    bench = open_window(counted=False)
    bench.window.actions_by_name[action].trigger()
    [dialog] = [child for child in bench.window.findChildren(QDialog) if child.isVisible()]
    with qtbot.waitSignal(dialog.destroyed):
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_dialogs_have_margins_and_a_button_that_closes_is_not_primary(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    sheet = opened(bench, "shortcuts", PreferencesDialog)
    margins = sheet.layout().contentsMargins()
    assert (margins.left(), margins.right()) == (16, 16)
    close = sheet.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Close)
    assert not close.isDefault(), "Enter is for the controls"
    assert close.palette().button().color() != bench.theme.colour("accent_fill")
    header = sheet.shortcuts.table.horizontalHeader()
    assert header.defaultAlignment() & Qt.AlignmentFlag.AlignLeft, "as the cells below"
    sheet.reject()


def test_the_primary_button_is_the_last_one(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    dialog = opened(bench, "go_to_line", GoToDialog)
    row = dialog.findChild(QDialogButtonBox)
    qtbot.waitUntil(lambda: row.width() > 100)
    confirm, cancel = (row.button(kind) for kind in (QDialogButtonBox.StandardButton.Ok, row.StandardButton.Cancel))
    assert confirm.isDefault()
    assert confirm.x() > cancel.x()
    dialog.reject()
    about = opened(bench, "about", AboutDialog)
    assert not [button.text() for button in about.findChildren(QPushButton) if button.autoDefault()][1:], "one at most"
    about.reject()
    assert not bench.costs.panel.popover.named.autoDefault(), "the list of scenarios is not primary"
