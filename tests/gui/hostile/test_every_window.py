"""Names that nobody would give a file, in every window that shows names of files: visible, and never obeyed."""

from __future__ import annotations

import os
import sys
import unicodedata
from pathlib import Path

import pytest
from PySide6 import QtGui
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QEvent, QModelIndex, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QMenu, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from gui.core.profile_files import suggested_file
from gui.core.token_text import visible_line
from gui.tokenizers.library.dialogs import TokenizerImportDialog
from gui.widgets.labels import PlainLabel
from gui.window.application import Application
from tests.gui.conftest import OpenWindow
from tests.thoroughness import mostly_deep

NAMES = (
    "<img src=y>\u202etxt.md",
    "<b>bold&amp;\u200b.txt",
    "&file.txt",
    "-rf.txt",
    "..two.txt",
    "line\nbreak\ttab.txt",
    "\x1b[31mred\x07.txt",
    os.fsdecode(b"bad\xff.txt"),
    "long" * 50 + ".txt",
)
TAGS = ("<img", "<b>bold", "<b>root", "<i>")
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="other systems do not let files have such names"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a name of that kind, with files of such names."""
    root = tmp_path / "<b>root\u202e"
    root.mkdir()
    for number, name in enumerate(NAMES):
        (root / name).write_text(f"some text {number}\n" * 40)
    (root / "\u202e<i>.bin").write_bytes(bytes(range(256)) * 20)
    return root


def assert_harmless(text: str, where: str) -> None:
    """Nothing in a text hides or turns what stands beside it."""
    found = {character for character in text if unicodedata.category(character) in HIDDEN} - {"\n"}
    assert not found, f"{where}: {text!r}"


def assert_plain_tip(tip: str, where: str) -> None:
    """A tool tip shows what it says: it is plain, or HTML of ours in which the tags of others are escaped."""
    assert_harmless(tip, where)
    assert tip.startswith("<p") or not QtGui.Qt.mightBeRichText(tip), f"{where}: {tip}"
    assert not any(tag in tip for tag in TAGS), f"{where}: {tip}"


def cells(model: QAbstractItemModel, parent: QModelIndex | None = None) -> list[QModelIndex]:
    """All cells of a table or a tree."""
    parent = parent or QModelIndex()
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    found = []
    for row in range(min(model.rowCount(parent), 200)):
        found += [model.index(row, column, parent) for column in range(columns)]
        found += cells(model, model.index(row, 0, parent))
    return found


def assert_window_is_harmless(root: QWidget) -> None:
    """Every label, title, tip, list and menu of a window."""
    for widget in [root, *root.findChildren(QWidget)]:
        where = f"{type(widget).__name__} {widget.objectName()}"
        assert_plain_tip(widget.toolTip(), where)
        if isinstance(widget, QLabel):
            assert_harmless(widget.text(), where)
        if widget.isWindow():
            assert_harmless(widget.windowTitle(), where)
        if isinstance(widget, QMenu):
            for action in widget.actions():
                assert_harmless(action.text(), where)
        if isinstance(widget, QAbstractItemView) and widget.model() is not None and widget.isVisible():
            for index in cells(widget.model()):
                assert_harmless(str(index.data() or ""), where)
                assert_plain_tip(str(index.data(Qt.ItemDataRole.ToolTipRole) or ""), where)


@pytest.fixture
def bench(qtbot: QtBot, open_window: OpenWindow, folder: Path) -> Application:
    """A window in which that folder is counted."""
    opened = open_window()
    opened.window.actions_by_name["focus_files"].trigger()
    opened.pages.folders.build().set_paths([folder])
    flow = opened.pages.folders
    qtbot.waitUntil(lambda: flow.shown is not None and not flow.busy)
    return opened


@pytest.mark.deep
def test_a_folder_of_them_is_counted_and_shown(qtbot: QtBot, bench: Application):
    panel, flow = bench.pages.folders.build(), bench.pages.folders
    visible_files = [name for name in NAMES if not name.startswith(".")]
    assert len(flow.shown.tree.paths) == len(visible_files), "each of them is read, whatever it is called"
    panel.tree.expandAll()
    assert_window_is_harmless(bench.window)
    treemap = panel.findChild(QWidget, "filesTreemap")
    shown = [" ".join(treemap._lines(place, node, False)) for place, node in enumerate(treemap.nodes)]
    assert any("⟨RLO⟩" in line for line in shown)
    for line in shown:
        assert_harmless(line, "treemap")
    panel.fit.limit.setValue(100)
    panel.fit.propose.click()
    qtbot.waitUntil(lambda: panel.fit.list.count() > 0)
    assert_window_is_harmless(bench.window)


@pytest.mark.deep
def test_the_map_says_names_as_they_are(qtbot: QtBot, bench: Application):
    treemap = bench.window.findChild(QWidget, "filesTreemap")
    middle = treemap._tiles[0].center().toPoint()
    QApplication.sendEvent(treemap, QHelpEvent(QEvent.Type.ToolTip, middle, treemap.mapToGlobal(middle)))
    qtbot.waitUntil(QToolTip.isVisible)
    assert_plain_tip(QToolTip.text(), "map")
    QToolTip.hideText()


@pytest.mark.deep
def test_training_on_them_begins_with_a_harmless_name(qtbot: QtBot, open_window: OpenWindow, folder: Path):
    bench = open_window()
    bench.window.actions_by_name["focus_training"].trigger()
    panel = bench.pages.training.panel
    panel.folder.set_paths([str(folder)])
    qtbot.waitUntil(lambda: "text file" in panel.survey.headline.text())
    assert panel.form.chosen_name().isprintable()
    panel.survey.details.click()
    assert_window_is_harmless(bench.window)


@pytest.mark.deep
@pytest.mark.parametrize("name", mostly_deep(NAMES, 3))
def test_one_of_them_is_opened(qtbot: QtBot, open_window: OpenWindow, folder: Path, name: str):
    bench = open_window()
    with qtbot.waitSignal(bench.files.shown):
        bench.files.open_path(folder / name)
    assert bench.window.windowTitle().startswith(visible_line(name))
    bench.files.fill_recent(bench.window.menus["recent"])
    assert_window_is_harmless(bench.window)


@pytest.mark.deep
def test_a_file_that_is_no_tokenizer_is_refused_by_its_name(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    bench: Application = open_window()
    path = tmp_path / "<img src=y>\u202enosj.json"
    path.write_text("{}")
    bench.pages.library.open_path(path)
    dialog = bench.window.findChild(TokenizerImportDialog)
    qtbot.waitUntil(lambda: dialog.says_why)
    assert_window_is_harmless(dialog)
    dialog.reject()


def test_a_label_makes_visible_what_it_is_given(qtbot: QtBot):
    label = PlainLabel()
    qtbot.addWidget(label)
    label.setText("a\u202eb\nc\u200b")
    assert label.text() == "a⟨RLO⟩b\nc⟨ZWSP⟩"


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("mine", "mine.csv"),
        ("/etc/passwd", "_etc_passwd.csv"),
        ("../../x", "_.._x.csv"),
        ("-rf", "rf.csv"),
        (".hidden", "hidden.csv"),
        ("a\u202eb\n", "a_b_.csv"),
        ("x" * 500, "x" * 80 + ".csv"),
        ("...", "tokenloupe.csv"),
    ],
)
def test_what_is_offered_as_the_name_of_a_file(name: str, offered: str):
    assert suggested_file(name, ".csv") == offered
    assert Path(offered).name == offered
