"""The window as a whole, driven as a person would."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QObject, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QPlainTextEdit,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.app import create_window
from gui.state.session import SAMPLE
from gui.window.application import Application
from gui.window.workspaces import all_pages
from tests.gui.conftest import OpenWindow, close_window
from tests.patience import PATIENCE_SECONDS

pytestmark = pytest.mark.pages()

CONTRACT = (
    (QPlainTextEdit, "promptEditor"),
    (QComboBox, "encodingPicker"),
    (QLabel, "tokenCount"),
    (QWidget, "tokenCard"),
    (QWidget, "contextMeter"),
    (QTableView, "costTable"),
    (QWidget, "costFilter"),
    (QWidget, "outputTokens"),
    (QWidget, "cachedTokens"),
    (QWidget, "callsPerMonth"),
    (QWidget, "batchToggle"),
    (QWidget, "costFactor"),
    (QWidget, "costDate"),
    (QWidget, "commandPalette"),
    (QWidget, "statusJobs"),
)


def settled(bench: Application) -> bool:
    return bench.prompt.counts is not None and not bench.prompt.stale


def tokens(bench: Application) -> int:
    label = bench.window.findChild(QLabel, "tokenCount")
    assert label is not None
    return int("".join(filter(str.isdigit, label.text())))


def test_the_first_start_shows_a_sample_with_figures_and_a_filled_table(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    assert bench.panel.editor.toPlainText() == SAMPLE
    assert tokens(bench) == bench.prompt.counts.tokens > 100
    table = bench.window.findChild(QTableView, "costTable")
    assert table is not None
    qtbot.waitUntil(lambda: table.model().rowCount() > 20)
    assert bench.panel.editor.token_count == tokens(bench)


def test_a_window_is_whole_before_it_is_shown(qtbot: QtBot, qapp: QApplication, tmp_path: Path):
    window = create_window(tmp_path)
    assert all(window.findChild(kind, name) is not None for kind, name in CONTRACT)
    editor, count = window.findChild(QPlainTextEdit, "promptEditor"), window.findChild(QLabel, "tokenCount")
    assert editor is not None
    assert count is not None
    editor.setPlainText("one two three four five six seven")
    qtbot.waitUntil(lambda: count.text().startswith("7 "))
    with qtbot.waitSignal(window.destroyed):
        window.close()


def test_every_name_of_the_contract_is_there_with_a_phrase_for_the_ear(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    for kind, name in CONTRACT:
        widget = bench.window.findChild(kind, name)
        assert widget is not None, name
        assert widget.accessibleName(), name
        assert widget.accessibleName() != name


def test_typing_counts(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    editor = bench.panel.editor
    editor.setPlainText("")
    qtbot.waitUntil(lambda: settled(bench) and tokens(bench) == 0)
    qtbot.keyClicks(editor, "Tokenization is the first step in any LLM pipeline.")
    bench.panel.picker.setCurrentText("cl100k_base")
    qtbot.waitUntil(lambda: settled(bench) and tokens(bench) == 12)


def test_choosing_an_encoding_changes_figures_and_colours(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    before = tokens(bench)
    qtbot.waitUntil(lambda: bench.panel.picker.count() >= 10)
    bench.panel.picker.setCurrentText("gpt2")
    qtbot.waitUntil(lambda: settled(bench) and bench.prompt.counts.encoding == "gpt2")
    assert tokens(bench) > before
    assert bench.panel.editor.token_count == tokens(bench)


def test_special_tokens_are_text_until_asked(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bench.panel.editor.setPlainText("Hello <|endoftext|>")
    qtbot.waitUntil(lambda: settled(bench))
    as_text = tokens(bench)
    banner = bench.panel.banners.special
    assert banner.isVisible()
    assert str(as_text) in banner.text
    button = next(button for button in banner._buttons if button.isVisible())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: settled(bench) and tokens(bench) == 3)
    assert bench.window.actions_by_name["special_tokens"].isChecked()
    bench.panel.editor.setPlainText("Hello")
    qtbot.waitUntil(lambda: settled(bench) and not banner.isVisible())


def test_a_dropped_file_is_opened_as_stored(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    path = tmp_path / "windows.txt"
    path.write_bytes(b"one\r\ntwo\r\n")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    editor = bench.panel.editor
    place = QPointF(editor.viewport().rect().center())
    drop = QDropEvent(place, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    with qtbot.waitSignal(bench.files.shown):
        editor.dropEvent(drop)
    qtbot.waitUntil(lambda: settled(bench))
    assert editor.toPlainText() == "one\ntwo\n"
    assert bench.prompt.counts.counted_as_stored
    assert bench.panel.banners.stored.isVisible()
    assert "windows.txt" in bench.window.windowTitle()
    origin, ends = (bench.window.findChild(QLabel, name) for name in ("statusOrigin", "statusLineEnds"))
    assert origin is not None
    assert ends is not None
    assert (origin.text(), ends.text()) == ("UTF-8", "CRLF")
    stored = tokens(bench)
    qtbot.keyClick(editor, Qt.Key.Key_End)
    qtbot.keyClicks(editor, "x")
    qtbot.waitUntil(lambda: settled(bench))
    assert not bench.prompt.counts.counted_as_stored
    assert not bench.panel.banners.stored.isVisible()
    assert tokens(bench) != stored or editor.toPlainText() == "onex\ntwo\n"
    assert str(path) in bench.settings.values.recent


@pytest.mark.deep
def test_the_caret_and_the_selection_are_described(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    editor = bench.panel.editor
    editor.setPlainText("Hello world")
    qtbot.waitUntil(lambda: settled(bench))
    editor.select_range(8, 8)
    qtbot.waitUntil(lambda: "“·world”" in bench.panel.readout.text)
    assert "20 77 6f 72 6c 64" in bench.panel.readout.text
    editor.select_range(0, 11)
    selection = bench.window.findChild(QLabel, "selectionTokens")
    assert selection is not None
    qtbot.waitUntil(lambda: selection.isVisible() and selection.text() == "2 tokens selected")


@pytest.mark.deep
def test_changing_the_theme_recolours_every_pane(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bench.settings.set("theme", "light")
    table = bench.window.findChild(QTableView, "costTable")
    assert table is not None

    def grounds() -> list[int]:
        panes = (bench.window, bench.panel.editor.viewport(), table.viewport(), bench.window.menuBar())
        return [pane.grab().toImage().pixelColor(pane.width() - 3, pane.height() - 3).lightness() for pane in panes]

    qtbot.waitUntil(lambda: min(grounds()) > 150)
    bench.window.actions_by_name["theme_dark"].trigger()
    qtbot.waitUntil(lambda: max(grounds()) < 100)
    bench.window.actions_by_name["theme_light"].trigger()
    qtbot.waitUntil(lambda: min(grounds()) > 150)


def test_pages_can_join(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    pages = bench.window.pages
    assert pages.names == tuple(page.name for page in all_pages())
    pages.add(QWidget(), "oneMorePage", "One more")
    assert pages.title("oneMorePage") == "One more"
    assert pages.show_page("oneMorePage")
    assert pages.current_name == "oneMorePage"


@pytest.mark.deep
def test_nothing_is_left_after_closing(qtbot: QtBot, qapp: QApplication, open_window: OpenWindow, tmp_path: Path):
    """Five windows, one after the other; the look of the application, its widgets and timers are as before."""
    palette, style = qapp.palette(), qapp.style().objectName()
    gc.collect()  # earlier tests may have left something to it, such as the menus of a chart
    widgets = len(qapp.topLevelWidgets())
    hook = sys.excepthook
    for _ in range(5):
        bench = open_window(counted=False)
        timers = bench.window.findChildren(QTimer)
        assert timers
        close_window(qtbot, bench)
        del bench, timers
        gc.collect()
        qtbot.waitUntil(lambda: qapp.style().objectName() == style)
        assert len(qapp.topLevelWidgets()) == widgets
        assert not qapp.styleSheet()
        assert qapp.palette() == palette
        assert qapp.style().objectName() == style
    # By type and not by isinstance, which asks the objects: a weak proxy of some library may be of one that is gone.
    kinds = (QTimer, Application)
    alive = [found for found in gc.get_objects() if issubclass(type(found), kinds) and is_alive(found)]
    assert not [found for found in alive if isinstance(found, Application)]
    assert not [timer for timer in alive if isinstance(timer, QTimer) and timer.isActive()]
    assert sys.excepthook is hook


def is_alive(found: QObject) -> bool:
    import shiboken6

    return shiboken6.isValid(found)


@pytest.mark.deep
def test_two_windows_at_once_do_not_share_a_session(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    first = open_window(tmp_path / "p")
    first.panel.editor.setPlainText("first")
    second = open_window(tmp_path / "p")
    assert (first.slot.number, second.slot.number) == (1, 2)
    assert any("already open" in notice.text for notice in second.window.messages.notices)
    second.panel.editor.setPlainText("second")
    close_window(qtbot, second)
    close_window(qtbot, first)
    again = open_window(tmp_path / "p")
    assert again.panel.editor.toPlainText() == "first"


def test_nothing_heavy_is_imported_before_the_first_picture(tmp_path: Path):
    code = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
app = QApplication(["test"])
from gui.core.profile_files import profile_paths
from gui.window.application import Application
window = Application(profile_paths(Path(sys.argv[1]))).window
heavy = {"numpy", "pyqtgraph", "tiktoken", "numba", "regex", "ruamel", "engine.encoding.encoding", "pricing.load",
         "concurrent.futures", "tomllib", "gui.runtime.jobs", "gui.prompt.finder", "gui.prompt.file_actions",
         "gui.prompt.find_service"}
seen = []
def look():
    seen.append(sorted(heavy & set(sys.modules)))
    window.close()
    app.quit()
window.first_painted.connect(look)
window.show()
app.exec()
print(seen)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[[]]", done.stderr


def test_no_two_actions_share_a_shortcut(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    seen: dict[str, str] = {}
    for action in bench.window.every_action():
        if action.shortcutContext() == Qt.ShortcutContext.WidgetShortcut:
            continue  # belongs to one widget, and works only there
        for key in action.shortcuts():
            name = key.toString(QKeySequence.SequenceFormat.PortableText)
            assert name not in seen, f"{name}: {action.text()} and {seen[name]}"
            seen[name] = action.text()


def test_copy_goes_where_the_focus_is(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    table = bench.window.findChild(QTableView, "costTable")
    assert table is not None
    qtbot.waitUntil(lambda: table.model().rowCount() > 5)
    bench.window.activateWindow()
    table.setFocus()
    table.selectRow(0)
    QApplication.clipboard().clear()
    qtbot.keySequence(table, QKeySequence.StandardKey.Copy)
    assert "\t" in QApplication.clipboard().text()
    editor = bench.panel.editor
    editor.setFocus()
    editor.select_range(0, 3)
    qtbot.keySequence(editor, QKeySequence.StandardKey.Copy)
    assert QApplication.clipboard().text() == "You"
    bench.panel.find_bar.open_bar(replace=False, selected="abc")
    qtbot.keySequence(bench.panel.find_bar.pattern, QKeySequence.StandardKey.Copy)
    assert QApplication.clipboard().text() == "abc"
    editor.setFocus()
    editor.select_range(4, 7)
    bench.window.actions_by_name["copy"].trigger()
    assert QApplication.clipboard().text() == "are"


def test_the_cost_table_is_reached_by_key(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bench.costs.panel.fold.click()
    bench.window.activateWindow()
    qtbot.keyClick(bench.panel.editor, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert bench.costs.panel.page.table.isVisible()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    assert QApplication.focusWidget().objectName() == "costFilter"


def test_the_application_runs_shows_files_and_ends(tmp_path: Path):
    (tmp_path / "named.txt").write_text("named on the command line")
    code = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import gui.app
from gui.window.application import Application
folder = Path(sys.argv[1])
def look():
    window = next((w for w in QApplication.topLevelWidgets() if w.objectName() == "mainWindow"), None)
    bench = window.findChild(Application) if window else None
    if bench and bench.prompt.origin and bench.prompt.counts and not bench.prompt.stale:
        print(bench.panel.editor.toPlainText(), window.windowTitle())
        window.close()
    else:
        QTimer.singleShot(20, look)
real = gui.app.Application
def make(paths, **options):
    QTimer.singleShot(0, look)
    return real(paths, **options)
gui.app.Application = make
sys.exit(gui.app.run([folder / "named.txt"], folder / "profile"))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "named on the command line named.txt[*] – Tokenloupe"


def test_every_control_has_a_phrase_for_the_ear(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    names = [widget for widget in bench.window.findChildren(QWidget) if widget.focusPolicy() & Qt.FocusPolicy.TabFocus]
    silent = [
        widget
        for widget in names
        if not widget.accessibleName()
        and not getattr(widget, "text", lambda: "")()
        and not widget.objectName().startswith("qt_")
        and not isinstance(widget.parent(), QComboBox)
        and widget.isVisible()
    ]
    assert not silent, [(type(widget).__name__, widget.objectName(), widget.parent()) for widget in silent]


def test_tab_goes_round_without_a_trap(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    bench.window.activateWindow()
    bench.panel.picker.setFocus()
    seen = []
    for _ in range(60):
        focus = QApplication.focusWidget()
        if focus is bench.panel.editor:
            break
        seen.append(focus)
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is bench.panel.editor, seen
    bench.window.actions_by_name["focus_prompt"].trigger()
    assert QApplication.focusWidget() is bench.panel.editor


@pytest.mark.deep
def test_the_card_of_a_token_comes_by_keyboard(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    assert bench.inspector is not None
    bench.panel.editor.setPlainText("Hello 🚀")
    qtbot.waitUntil(lambda: settled(bench))
    bench.panel.editor.select_range(2, 2)
    bench.window.actions_by_name["show_card"].trigger()
    card = bench.window.findChild(QWidget, "tokenCard")
    assert card is not None
    assert card.isVisible()
    assert "Hello" in card.text()
    card.dismiss()
    bench.panel.editor.token_hovered.emit(bench.panel.editor.token_at(7), QPoint(10, 10))
    assert card.isVisible()
    assert "Shares a character" in card.text()
    bench.settings.set("hover_card", False)
    bench.panel.editor.token_hovered.emit(bench.panel.editor.token_at(0), QPoint(10, 10))
    assert not card.isVisible()


def test_the_window_has_an_icon_of_its_own(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    picture = bench.window.windowIcon().pixmap(32, 32).toImage()
    shades = {picture.pixel(x, y) for x in range(32) for y in range(32)}
    assert len(shades) > 4, "drawn, in more than one colour"


@pytest.mark.deep
def test_the_first_window_fits_the_screen(qtbot: QtBot, open_window: OpenWindow):
    window = open_window(counted=False).window
    room = window.screen().availableSize()
    assert window.width() < room.width()
    assert window.height() < room.height()


def test_what_the_buttons_of_the_cost_panel_do_is_a_command_too(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    actions = {action.objectName(): action for action in bench.window.every_action()}
    panel = bench.costs.panel
    assert panel.page.chart_button.isChecked()
    actions["costChart"].trigger()
    assert panel.page.isVisible(), "the page comes to the front"
    assert not panel.page.chart_button.isChecked()
    actions["costChart"].trigger()
    assert panel.page.chart_button.isChecked()
    usual = panel.popover.output.value()
    panel.popover.output.setValue(usual + 7)
    actions["costResetScenario"].trigger()
    assert panel.popover.output.value() == usual
    table = panel.page.table
    table.setColumnHidden(2, not table.isColumnHidden(2))
    before = table.isColumnHidden(2)
    actions["costResetColumns"].trigger()
    assert table.isColumnHidden(2) != before
