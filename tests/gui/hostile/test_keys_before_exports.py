"""Whatever leaves the window with words of the prompt, or with tokens that were learned: keys are pointed out first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from engine import Encoding
from engine.library import catalog
from gui.core.api_keys import key_sentence, keys_in_text, keys_in_tokens
from gui.window.application import Application
from tests.gui.conftest import OpenWindow
from tests.gui.tokenizers.vocabulary_windows import browse

pytestmark = pytest.mark.pages()

KEY = "AI" + "za" + "x" * 35


@pytest.fixture
def learned() -> Iterator[str]:
    """The name of a vocabulary in which a key is a token."""
    ranks = {bytes([value]): value for value in range(256)}
    ranks |= {KEY[:size].encode(): 254 + size for size in range(2, len(KEY) + 1)}
    name = "learned-a-key"
    catalog.register(Encoding(name, pat_str=r"\w+|\W", mergeable_ranks=ranks, special_tokens={}))
    yield name
    catalog.forget_encoding(name)


def question(qtbot: QtBot, bench: Application) -> QMessageBox:
    """What is asked before an export, once it is asked."""
    qtbot.waitUntil(lambda: any(box.isVisible() for box in bench.window.findChildren(QMessageBox, "keyWarning")))
    [box] = [box for box in bench.window.findChildren(QMessageBox, "keyWarning") if box.isVisible()]
    assert KEY not in box.text()
    assert box.textFormat() is Qt.TextFormat.PlainText
    assert box.defaultButton() is box.button(QMessageBox.StandardButton.Cancel)
    return box


def answer(qtbot: QtBot, box: QMessageBox, *, anyway: bool) -> None:
    """Answer by keyboard."""
    qtbot.waitUntil(box.isActiveWindow)  # its mnemonics are for the active window alone
    with qtbot.waitSignal(box.destroyed):
        if anyway:
            qtbot.keyClick(box, Qt.Key.Key_E, Qt.KeyboardModifier.AltModifier)
        else:
            qtbot.keyClick(box, Qt.Key.Key_Return)


def compared(qtbot: QtBot, bench: Application, text: str) -> None:
    """The tab of comparisons, with a text in it."""
    bench.prompt.replace_all(text)
    bench.window.actions_by_name["focus_compare"].trigger()
    qtbot.waitUntil(lambda: bench.pages.compare.panel is not None and bench.pages.compare.settled)


def chosen(bench: Application, name: str, path: Path) -> None:
    """Choose a file in the dialog that asks for one."""
    dialog = bench.window.findChild(QFileDialog, name)
    dialog.fileSelected.emit(str(path))
    dialog.reject()


@pytest.mark.deep
def test_where_encodings_differ_is_not_copied_with_a_key_in_it(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    compared(qtbot, bench, f"one\n{KEY} Привет\n")
    bench.pages.compare.panel.pages.by_lines.setChecked(True)
    exports = bench.pages.compare
    QGuiApplication.clipboard().setText("before")
    listed = bench.pages.compare.panel.export_menu.actions()
    whole, differences = (action for action in listed if action.text() == "Copy as TSV")
    differences.trigger()
    box = question(qtbot, bench)
    assert box.text() == "The text may contain API keys: Google (line 2)."
    answer(qtbot, box, anyway=False)
    assert QGuiApplication.clipboard().text() == "before"
    differences.trigger()
    answer(qtbot, question(qtbot, bench), anyway=True)
    assert "AIza" in QGuiApplication.clipboard().text()
    whole.trigger()
    assert "AIza" not in QGuiApplication.clipboard().text(), "figures hold no text, and nothing is asked"

    path = tmp_path / "out.csv"
    exports._ask(exports.differences)
    chosen(bench, "compareExportDialog", path)
    box = question(qtbot, bench)
    assert not path.exists()
    with qtbot.waitSignal(exports._storage.written):
        answer(qtbot, box, anyway=True)
    assert "AIza" in path.read_text(encoding="utf-8-sig")


@pytest.mark.deep
def test_a_vocabulary_that_learned_a_key_is_not_handed_on(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, learned: str
):
    bench = open_window()
    browse(qtbot, bench, learned)
    path = tmp_path / "entries.csv"
    bench.pages.vocabulary.saving.write(path)
    box = question(qtbot, bench)
    assert box.text() == f"The vocabulary may contain API keys: Google (token {254 + len(KEY)})."
    answer(qtbot, box, anyway=False)
    bench.pages.vocabulary.saving.write(path)
    box = question(qtbot, bench)
    assert not path.exists()
    with qtbot.waitSignal(bench.pages.vocabulary.saving.lane.finished):
        answer(qtbot, box, anyway=True)
    assert KEY in path.read_text(encoding="utf-8-sig")


@pytest.mark.deep
def test_a_trained_tokenizer_that_learned_a_key_is_not_handed_on(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, learned: str
):
    bench = open_window()
    bench.pages.training.build()
    results, path = bench.pages.training.results, tmp_path / "mine.tiktoken"
    results._on_save(learned, ".tiktoken")
    chosen(bench, "trainSaveDialog", path)
    box = question(qtbot, bench)
    assert f"Google (token {254 + len(KEY)})" in box.text()
    assert not path.exists()
    with qtbot.waitSignal(results._saving.finished):
        answer(qtbot, box, anyway=True)
    assert path.exists()


def test_what_is_looked_for():
    assert keys_in_text(f"a\nb {KEY}\n") == ("Google (line 2)",)
    assert keys_in_tokens([(1, b"short"), (2, KEY.encode()), (3, KEY[:-1].encode())]) == ("Google (token 2)",)
    assert key_sentence("It", ("a",) * 7) == "It may contain API keys: a, a, a, a, a and 2 more."
