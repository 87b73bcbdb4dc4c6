"""Every dialog and every menu by keyboard: named, reached by Tab, left by Escape, and no key for two things."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QDialogButtonBox,
    QGroupBox,
    QLabel,
    QMenu,
    QMessageBox,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from gui.core.reports import TextFacts
from gui.costs.report_controller import ReportDialog
from gui.costs.scenario_book import ScenarioName
from gui.look.focus_ring import WIDTH
from gui.prompt.file_actions import EncodingChooser
from gui.prompt.file_service import Candidate, UndecidedFile
from gui.tokenizers.library.dialogs import TokenizerModelsDialog, TokenizerNameDialog
from gui.window.application import Application
from gui.window.lifecycle import CrashDialog
from tests.gui.access.walk import controls as controls_of
from tests.gui.access.walk import (
    described,
    inner_pages,
    is_held_by_group,
    measured_ring,
    pages,
    reached_by_tab,
    spoken_name,
    take_theme,
    use_keyboard,
    whole_window,
)
from tests.gui.conftest import OpenWindow
from tests.thoroughness import mostly_deep

Opener = Callable[[Application], None]


def by_action(name: str) -> Opener:
    return lambda bench: bench.window.actions_by_name[name].trigger()


def with_dialog(make: Callable[[Application], QDialog]) -> Opener:
    def open_it(bench: Application) -> None:
        dialog = make(bench)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    return open_it


def undecided(bench: Application) -> QDialog:
    candidates = (Candidate("cp1252", "Western", "café"), Candidate("koi8-r", "Russian", "caf И"))
    return EncodingChooser(UndecidedFile(Path("some.txt"), "It is no UTF-8.", candidates), bench.window)


OPENERS: dict[str, Opener] = {
    "preferences": by_action("preferences"),
    "guide": by_action("guide"),
    "dots": by_action("dots"),
    "shortcuts": by_action("shortcuts"),
    "about": by_action("about"),
    "palette": by_action("command_palette"),
    "line": by_action("go_to_line"),
    "token": by_action("go_to_token"),
    "calibration": by_action("calibrate"),
    "price import": lambda bench: bench.pages.pricing.import_prices(),
    "scenario": lambda bench: bench.costs.panel.show_scenario(),
    "removal": lambda bench: bench.pages.training.results._on_remove("some"),
    "tokenizer removal": lambda bench: bench.pages.library._ask_removal("some"),
    "fault": with_dialog(lambda bench: CrashDialog("a report", bench.window)),
    "undecided file": with_dialog(undecided),
    "scenario name": with_dialog(lambda bench: ScenarioName("Name", "", frozenset(), lambda _: None, bench.window)),
    "tokenizer name": with_dialog(lambda bench: TokenizerNameDialog("a", ("b",), lambda *_: None, bench.window)),
    "models": with_dialog(lambda bench: TokenizerModelsDialog("a", (("a/b", "B", "c"),), bench.window)),
    "report": with_dialog(
        lambda bench: ReportDialog(TextFacts("", "00", 1, 1, 1, ()), 1, bench.window),
    ),
}


@pytest.fixture(scope="module")
def shared_bench(shared_qtbot: QtBot, open_shared_window: OpenWindow) -> Application:
    whole = whole_window(shared_qtbot, open_shared_window)
    # The user's file is read: nothing is imported before.
    shared_qtbot.waitUntil(lambda: not whole.pages.pricing.why_not_changed())
    return whole


@pytest.fixture
def bench(qtbot: QtBot, shared_bench: Application) -> Iterator[Application]:
    """One window for all dialogs: every test closes its own, and the first page is in front again."""
    shared_bench.window.pages.setCurrentIndex(0)
    use_keyboard(qtbot, shared_bench)
    before = shown_windows()
    yield shared_bench
    qtbot.waitUntil(lambda: shown_windows() <= before)


def shown_windows() -> set[QWidget]:
    return {one for one in QApplication.topLevelWidgets() if one.isVisible()}


def shown_dialog(qtbot: QtBot, bench: Application, before: set[QWidget]) -> QDialog:
    """The dialog that has come."""

    def new() -> list[QWidget]:
        return [one for one in shown_windows() - before if isinstance(one, QDialog)]

    qtbot.waitUntil(lambda: bool(new()))
    [dialog] = new()
    dialog.activateWindow()
    qtbot.waitUntil(lambda: dialog.isActiveWindow() and QApplication.focusWidget() is not None)
    return dialog


def mnemonics(root: QWidget) -> dict[str, list[str]]:
    """The letters that Alt takes in what is shown, and what each leads to."""
    found = defaultdict(list)
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or widget.window() is not root:
            continue
        text = ""
        if isinstance(widget, QAbstractButton) or (isinstance(widget, QLabel) and widget.buddy() is not None):
            text = widget.text()
        elif isinstance(widget, QGroupBox):
            text = widget.title()
        key = QKeySequence.mnemonic(text).toString()
        if key:
            found[key].append(text)
    return found


@pytest.mark.parametrize("name", mostly_deep(OPENERS, 2))
def test_a_dialog_by_keyboard(qtbot: QtBot, bench: Application, name: str):
    before = shown_windows()
    OPENERS[name](bench)
    dialog = shown_dialog(qtbot, bench, before)
    assert dialog.windowTitle(), name
    first = QApplication.focusWidget()
    assert first.window() is dialog, "the keyboard is in the dialog at once"
    for _ in inner_pages(dialog):
        there = controls_of(dialog)
        for widget in there:
            assert spoken_name(widget), f"{described(widget)} has no name"
        for label in dialog.findChildren(QLabel):
            if label.text() and not isinstance(dialog, QMessageBox):
                assert label.textFormat() is Qt.TextFormat.PlainText, described(label)
        left = {one for one in there if not is_held_by_group(one)} - reached_by_tab(dialog, first, len(there))
        assert not left, f"Tab leaves out {[described(widget) for widget in left]}"
        for widget in there:
            share = measured_ring(dialog, widget)
            assert share > 0.5, f"{described(widget)}: the ring is seen along {share:.0%} of the edge"
        clashes = {key: texts for key, texts in mnemonics(dialog).items() if len(texts) > 1}
        assert not clashes, clashes
    first.setFocus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not dialog.isVisible())


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("calibration", "calibrationUsage"),
        ("palette", "commandField"),
        ("line", "goToNumber"),
        ("scenario name", "scenarioName"),
        ("tokenizer name", "tokenizerName"),
        ("report", "reportFormat"),
    ],
)
def test_the_keyboard_begins_where_the_work_does(qtbot: QtBot, bench: Application, name: str, first: str):
    before = shown_windows()
    OPENERS[name](bench)
    dialog = shown_dialog(qtbot, bench, before)
    qtbot.waitUntil(lambda: QApplication.focusWidget().objectName() == first)
    dialog.reject()


@pytest.mark.parametrize("name", OPENERS)
def test_enter_does_what_stands_first(qtbot: QtBot, bench: Application, name: str):
    """At most one button of a dialog is the default, it is shown and enabled, and it destroys nothing."""
    before = shown_windows()
    OPENERS[name](bench)
    dialog = shown_dialog(qtbot, bench, before)
    defaults = [button for button in dialog.findChildren(QPushButton) if button.isDefault() and button.isVisible()]
    assert len(defaults) <= 1, [button.text() for button in defaults]
    for button in defaults:
        box = button.parentWidget()
        if isinstance(box, QDialogButtonBox):
            assert box.buttonRole(button) is not QDialogButtonBox.ButtonRole.DestructiveRole, button.text()
    dialog.reject()


def every_menu(bench: Application) -> Iterator[tuple[str, QMenu]]:
    """The menus of the window and of its buttons, filled."""
    for menu in bench.window.findChildren(QMenu):
        menu.aboutToShow.emit()
        owner = menu.parentWidget()
        title = menu.title() or (owner.objectName() if owner is not None else "")
        if menu.actions():
            yield title, menu


def test_no_key_of_a_menu_stands_for_two_things(bench: Application):
    walked = 0
    for title, menu in every_menu(bench):
        keys = defaultdict(list)
        for action in menu.actions():
            key = QKeySequence.mnemonic(action.text()).toString()
            if key and not action.isSeparator():
                keys[key].append(action.text())
        walked += 1
        assert not {key: texts for key, texts in keys.items() if len(texts) > 1}, title
    assert walked > 8


def test_no_key_of_a_page_stands_for_two_things(bench: Application):
    """Neither within a page nor with the menus of the window."""
    menus = {QKeySequence.mnemonic(action.text()).toString() for action in bench.window.menuBar().actions()}
    for title in pages(bench):
        for _ in inner_pages(bench.window.pages.currentWidget()):
            found = mnemonics(bench.window)
            clashes = {key: texts for key, texts in found.items() if len(texts) > 1 or key in menus}
            assert not clashes, f"{title}: {clashes}"


@pytest.mark.deep
def test_the_ring_goes_with_the_theme_and_the_dialog(qtbot: QtBot, open_window: OpenWindow):
    """Thick enough, in the colour of the theme, and there again after a dialog took it along."""
    bench = open_window()
    use_keyboard(qtbot, bench)
    before = shown_windows()
    OPENERS["about"](bench)
    dialog = shown_dialog(qtbot, bench, before)
    assert measured_ring(dialog, QApplication.focusWidget()) > 0.5
    with qtbot.waitSignal(dialog.destroyed):
        dialog.reject()
    bench.window.activateWindow()
    qtbot.waitUntil(bench.window.isActiveWindow)
    take_theme(qtbot, bench, "dark")
    assert measured_ring(bench.window, bench.panel.picker) > 0.9
    assert WIDTH == 2


@pytest.mark.deep
def test_what_the_ring_was_around_stays_when_the_ring_goes(qtbot: QtBot, bench: Application):
    editor = bench.panel.editor
    document = editor.document()
    measured_ring(bench.window, editor)
    before = shown_windows()
    OPENERS["about"](bench)
    dialog = shown_dialog(qtbot, bench, before)
    measured_ring(dialog, QApplication.focusWidget())  # the same ring, which is a part of the dialog now
    with qtbot.waitSignal(dialog.destroyed):
        dialog.reject()
    assert isValid(document)
