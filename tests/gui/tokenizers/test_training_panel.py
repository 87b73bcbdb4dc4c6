"""The training tab of a real window with the real engine, driven by mouse and keyboard on a small folder."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

import engine
from engine.encoding import compiling
from gui.tokenizers.train.panel import TrainingPanel
from gui.tokenizers.train.run_service import IDLE
from gui.widgets.forms import Remark
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window
from tests.gui.dropping import drop
from tests.gui.tokenizers.training_windows import choose, panel_of, train, write_texts
from tests.patience import PATIENCE_SECONDS
from tests.thoroughness import mostly_deep

pytestmark = [pytest.mark.usefixtures("trainer_is_compiled"), pytest.mark.pages("trainingTab")]

CONTRACT = (
    (QWidget, "trainingTab"),
    (QLineEdit, "trainFolder"),
    (QWidget, "trainPattern"),
    (QSpinBox, "trainVocabSize"),
    (QPushButton, "trainStart"),
    (QPushButton, "trainPause"),
    (QPushButton, "trainCancel"),
    (QProgressBar, "trainProgress"),
    (QWidget, "trainCurve"),
    (QTableView, "trainFeed"),
)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_texts(tmp_path / "texts")


@pytest.fixture
def bench(open_window: OpenWindow) -> Application:
    bench = open_window(counted=False)
    bench.window.pages.setCurrentWidget(bench.pages.page("trainingTab"))
    return bench


def merges_of(panel: TrainingPanel) -> list[bytes]:
    return [merge.token_bytes for merge in panel.progress.model.merges]


def test_every_name_of_the_contract_is_there_before_the_tab_is_seen(open_window: OpenWindow):
    bench = open_window(counted=False)
    for kind, name in CONTRACT:
        widget = bench.window.findChild(kind, name)
        assert widget is not None, name
        assert widget.accessibleName(), name


def reached(qtbot: QtBot, first: QWidget) -> list[str]:
    """The names of what the Tab key reaches, from one widget on until the panel is left."""
    first.setFocus()
    panel, found = panel_of(first.window().findChild(Application)), []
    while panel.isAncestorOf(widget := QApplication.focusWidget()):
        name = widget.objectName() if widget.objectName() != "qt_tabwidget_tabbar" else widget.parent().objectName()
        assert name not in found, "the keyboard goes round in circles"
        assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name), name
        found.append(name)
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    return found


@pytest.mark.deep
def test_the_keyboard_reaches_everything_in_the_order_of_the_eye(qtbot: QtBot, bench: Application, texts: Path):
    panel = panel_of(bench)
    panel.form.vocab_size.setValue(270)
    choose(qtbot, panel, texts)
    train(qtbot, bench)
    qtbot.waitUntil(lambda: panel.result.body.currentWidget() is panel.result.figures)
    for button in (panel.run_bar.pause, panel.run_bar.cancel):
        button.setEnabled(True)
        button.show()
    form = ["trainFolder", "trainChoose", "trainSkippedButton", "trainInclude", "trainVocabSize", "trainPattern"]
    for page, inside in (
        (panel.preview, ["trainPreviewFile", "trainPreview"]),
        (panel.progress, ["trainFollow", "trainCurve", "trainFeed"]),
        (panel.result, ["trainResultName", "trainUse", "trainSave", "trainRemove", "trainSheets", "trainCompression"]),
    ):
        panel.show_page(page)
        found = reached(qtbot, panel.folder.field)
        wanted = [*form, "trainStart", "trainPause", "trainCancel", "trainProgress", "trainPages", *inside]
        assert [name for name in found if name in wanted] == wanted


@pytest.mark.deep
def test_the_curve_is_read_by_keyboard(qtbot: QtBot, bench: Application, texts: Path):
    panel = panel_of(bench)
    panel.form.vocab_size.setValue(270)
    choose(qtbot, panel, texts)
    train(qtbot, bench)
    panel.show_page(panel.progress)
    curve = panel.progress.curve
    qtbot.waitUntil(lambda: curve._plots is not None and curve._plots.isVisible())
    curve.setFocus()
    assert curve.accessibleDescription().startswith("270 entries: ")
    for key, size in ((Qt.Key.Key_Left, 269), (Qt.Key.Key_Home, 257), (Qt.Key.Key_Right, 258), (Qt.Key.Key_End, 270)):
        qtbot.keyClick(curve, key)
        assert curve.accessibleDescription().startswith(f"{size} entries: ")
    qtbot.keyClick(curve, Qt.Key.Key_Left)
    panel.progress.feed.setFocus()
    assert curve.accessibleDescription().startswith("270 entries: ")


def test_a_folder_is_looked_through_and_its_texts_are_split(qtbot: QtBot, bench: Application, texts: Path):
    panel = panel_of(bench)
    assert not panel.run_bar.start.isEnabled()
    assert panel.run_bar.words.text() == panel.run_bar.start.toolTip() == "Choose a folder of text to begin."
    choose(qtbot, panel, texts)
    assert panel.run_bar.words.text() == ""
    assert panel.survey.headline.text().startswith("3 text files, ")
    assert panel.survey.details.text() == "Skipped: 2"
    qtbot.mouseClick(panel.survey.details, Qt.MouseButton.LeftButton)
    assert panel.survey.tree.isVisible()
    assert {panel.survey.model.index(row, 0).data() for row in range(2)} == {"Not text: 1", "Hidden: 1"}
    qtbot.waitUntil(lambda: "pretokens" in panel.preview.figures.text())
    assert panel.preview.view.toPlainText().startswith("the cat sat")
    assert panel.preview.view.token_count > 100
    assert panel.run_bar.start.isEnabled()


def test_a_run_from_the_first_click_to_the_vocabulary(qtbot: QtBot, bench: Application, texts: Path):
    panel = panel_of(bench)
    choose(qtbot, panel, texts)
    panel.survey.hold_back.setChecked(False)
    panel.form.vocab_size.setValue(280)
    encoding = train(qtbot, bench).kept.encoding
    expected = engine.train([texts], 280, "texts-280")
    assert encoding.token_byte_values() == expected.token_byte_values()
    assert encoding.name == "texts-280"
    assert panel.progress.model.rowCount() == 24
    assert merges_of(panel) == [expected.decode_single_token_bytes(256 + index) for index in range(24)]
    assert panel.run_bar.bar.value() == panel.run_bar.bar.maximum()
    assert panel.run_bar.words.text().startswith("Done: 280 entries, ")
    assert panel.run_bar.start.isVisible()
    assert not panel.run_bar.pause.isVisible()
    assert panel.pages.currentWidget() is panel.result
    qtbot.waitUntil(panel.result.strip.isVisible)
    captions = [figure.caption.text() for figure in panel.result.strip.figures]
    assert captions == ["bytes per token", "vs. gpt2", "vs. cl100k_base", "vs. o200k_base"]
    total = panel.result._report.evaluation.total
    assert panel.result.strip.figures[0].value.text() == f"{total.bytes_per_token(0):.2f}"
    percent = round(100 * (total.bytes_per_token(0) / total.bytes_per_token(1) - 1))
    assert panel.result.strip.figures[1].value.text() == f"{percent:+}%".replace("-", "−")


@pytest.mark.deep
def test_start_may_be_pressed_before_the_folder_has_been_looked_through(qtbot: QtBot, bench: Application, texts: Path):
    panel = panel_of(bench)
    panel.form.vocab_size.setValue(270)
    panel.folder.field.setText(str(texts))
    train(qtbot, bench)
    assert panel.progress.model.rowCount() == 14


@pytest.mark.deep
def test_a_folder_can_be_dropped_anywhere_on_the_tab(qtbot: QtBot, bench: Application, texts: Path):
    panel = panel_of(bench)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(texts))])
    for target in (panel, panel.preview.view.viewport()):
        panel.folder.field.clear()
        assert drop(target, data)
        assert panel.folder.paths() == (texts,)
    qtbot.waitUntil(panel.run_bar.start.isEnabled)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("files", "sentence"),
    mostly_deep(
        [
            ({}, "This folder has no files."),
            ({"a.bin": b"\0\1\2" * 50, ".b": b"x"}, "No text to train on here. Skipped: "),
            ({"empty.txt": b""}, "No text to train on here. Skipped: 1 empty."),
        ],
        1,
    ),
)
def test_a_folder_without_text_is_told_in_place(
    qtbot: QtBot, bench: Application, tmp_path: Path, files: dict[str, bytes], sentence: str
):
    folder = tmp_path / "nothing"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    panel = panel_of(bench)
    panel.folder.field.setText(str(folder))
    qtbot.waitUntil(lambda: sentence in panel.survey.remark.text())
    assert panel.survey.remark.isVisible()
    assert sentence in panel.preview.hint.text()
    assert not panel.run_bar.start.isEnabled()
    assert panel.survey.details.isVisible() == bool(files)
    assert panel.survey.details.text() == f"Skipped: {len(files)}" or not files


@pytest.mark.deep
def test_what_a_folder_before_was_told_of_is_not_said_of_the_next(
    qtbot: QtBot, bench: Application, tmp_path: Path, texts: Path
):
    panel = panel_of(bench)
    panel.folder.field.setText(str(tmp_path / "gone"))
    qtbot.waitUntil(lambda: "No such file or folder" in panel.preview.hint.text())
    panel.folder.field.setText(str(texts))
    assert panel.preview.hint.text() == "Scanning files"
    panel.folder.field.clear()
    qtbot.waitUntil(lambda: panel.preview.hint.text().startswith("Choose a folder of texts, or drop"))


@pytest.mark.deep
def test_what_the_first_run_on_a_computer_waits_for_is_told(
    qtbot: QtBot, bench: Application, texts: Path, monkeypatch: pytest.MonkeyPatch
):
    compiled = Event()
    monkeypatch.setattr(compiling, "keeps_nothing", lambda *_: False)
    monkeypatch.setattr(compiling, "is_compiled", lambda *_: False)
    monkeypatch.setattr(compiling, "compile_in_child", lambda *_: compiled.wait(PATIENCE_SECONDS))
    panel = panel_of(bench)
    panel.form.vocab_size.setValue(270)
    choose(qtbot, panel, texts)
    qtbot.mouseClick(panel.run_bar.start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Compiling the trainer for this computer" in panel.run_bar.words.text())
    assert panel.run_bar.bar.maximum() == 0
    with qtbot.waitSignal(bench.pages.training.finished):
        compiled.set()
    assert panel.run_bar.words.text().startswith("Done: 270 entries")


@pytest.mark.deep
def test_the_end_of_a_run_is_told_to_who_looks_elsewhere_until_they_come(qtbot: QtBot, bench: Application, texts: Path):
    def told() -> list[str]:
        return [notice.text for notice in bench.window.messages.notices if notice.key == "training-ended"]

    panel = panel_of(bench)
    panel.form.vocab_size.setValue(270)
    choose(qtbot, panel, texts)
    with qtbot.waitSignal(bench.pages.training.finished):
        qtbot.mouseClick(panel.run_bar.start, Qt.MouseButton.LeftButton)
        bench.window.pages.setCurrentWidget(bench.panel)
    assert len(told()) == 1
    assert told()[0].startswith("Trained texts-270. Done: 270 entries")
    bench.window.pages.setCurrentWidget(bench.pages.page("trainingTab"))
    assert not told()
    assert panel.pages.currentWidget() is panel.result


@pytest.mark.deep
def test_a_change_of_the_split_is_seen_at_once_unless_a_run_is(qtbot: QtBot, bench: Application, texts: Path):
    panel, form = panel_of(bench), panel_of(bench).form
    choose(qtbot, panel, texts)
    form.vocab_size.setValue(270)
    for change in (
        lambda: form.pattern.setCurrentText("gpt2"),
        lambda: form.normalization.setCurrentIndex(1),
        form.lowercase.toggle,
        form.strip_accents.toggle,
        lambda: form.pattern.setCurrentText("sentencepiece"),
        form.dummy_prefix.toggle,
        lambda: form.alphabet.setCurrentIndex(2),
    ):
        panel.show_page(panel.result)
        change()
        assert panel.pages.currentWidget() is panel.preview
    panel.show_page(panel.result)
    form.vocab_size.setValue(275)
    assert panel.pages.currentWidget() is panel.result
    qtbot.waitUntil(panel.run_bar.start.isEnabled)
    qtbot.mouseClick(panel.run_bar.start, Qt.MouseButton.LeftButton)
    assert bench.pages.training.run_state != IDLE
    form.pattern.setCurrentText("whitespace")
    assert panel.pages.currentWidget() is panel.progress
    with qtbot.waitSignal(bench.pages.training.finished):
        pass


@pytest.mark.deep
def test_the_sign_for_a_space_is_shown_and_trained_with(qtbot: QtBot, bench: Application, texts: Path):
    panel, form = panel_of(bench), panel_of(bench).form
    choose(qtbot, panel, texts)
    assert not form.dummy_prefix.isVisible()
    form.pattern.setCurrentText("sentencepiece")
    assert form.dummy_prefix.isVisible()
    qtbot.waitUntil(lambda: panel.preview.view.toPlainText().startswith("▁the▁cat▁sat"))
    form.dummy_prefix.click()
    qtbot.waitUntil(lambda: panel.preview.view.toPlainText().startswith("the▁cat▁sat"))
    form.vocab_size.setValue(290)
    train(qtbot, bench)
    encoding = engine.get_encoding(form.chosen_name())
    assert "▁".encode() in encoding.token_byte_values()
    assert encoding.decode(encoding.encode("the cat")) == "the cat"
    form.alphabet.setCurrentIndex(form.alphabet.findData("characters+</w>"))
    assert not form.dummy_prefix.isVisible(), "spaces are no signs beside marks at the ends of words"


@pytest.mark.deep
def test_why_there_is_no_forecast_is_said(qtbot: QtBot, bench: Application, texts: Path, monkeypatch):
    from engine.training import forecast

    def fail(*_: object) -> None:
        raise engine.EngineError("the sample took too long.")

    panel = panel_of(bench)
    choose(qtbot, panel, texts)
    qtbot.waitUntil(lambda: "of memory" in panel.survey.forecast.text())
    monkeypatch.setattr(forecast, "forecast", fail)
    panel.form.vocab_size.setValue(300)
    qtbot.waitUntil(lambda: panel.survey.forecast.text() == "⚠ No forecast: the sample took too long.")
    panel.form.vocab_size.setValue(10)
    qtbot.waitUntil(panel.survey.forecast.isHidden)


@pytest.mark.deep
def test_a_path_that_leads_nowhere_is_told_in_place(qtbot: QtBot, bench: Application, tmp_path: Path):
    panel = panel_of(bench)
    panel.folder.field.setText(str(tmp_path / "gone"))
    qtbot.waitUntil(lambda: "No such file or folder" in panel.survey.remark.text())
    assert not panel.run_bar.start.isEnabled()


@pytest.mark.deep
def test_a_vocabulary_without_room_is_told_in_place(qtbot: QtBot, bench: Application, texts: Path):
    panel = panel_of(bench)
    choose(qtbot, panel, texts)
    panel.form.vocab_size.setValue(100)
    assert "at least 257 entries" in panel.form.remarks["vocab_size"].text()
    assert "at least 257 entries" in panel.run_bar.problem.text()
    assert not panel.run_bar.start.isEnabled()
    panel.form.special.setPlainText("<a>\n<b>\n")
    panel.form.vocab_size.setValue(258)
    assert "at least 259 entries" in panel.run_bar.problem.text()
    panel.form.vocab_size.setValue(259)
    assert panel.run_bar.start.isEnabled()
    assert not panel.run_bar.problem.isVisible()


@pytest.mark.deep
def test_an_expression_of_ones_own_is_checked_as_it_is_typed(qtbot: QtBot, bench: Application, texts: Path):
    panel = panel_of(bench)
    choose(qtbot, panel, texts)
    field = panel.form.pattern.lineEdit()
    field.selectAll()
    qtbot.keyClicks(field, r"\w+|(")
    qtbot.waitUntil(lambda: panel.form.problem() != "")
    assert not panel.run_bar.start.isEnabled()
    assert panel.form.remarks["pattern"].text().startswith("⚠ The split pattern")
    field.selectAll()
    qtbot.keyClicks(field, r"\w+|\W")
    view = panel.preview.view
    qtbot.waitUntil(lambda: view.token_at(0) is not None and panel.run_bar.start.isEnabled())
    assert view.text_between(0, view.token_at(0).utf16_end) == "the"
    assert panel.form.settings().pattern == r"\w+|\W"
    assert panel.form.own_pattern
    assert train(qtbot, bench).kept is not None
    assert all(b" " not in token for token in merges_of(panel))


@pytest.mark.deep
def test_a_vocabulary_that_the_text_does_not_give_ends_early_and_says_why(
    qtbot: QtBot, bench: Application, texts: Path
):
    panel = panel_of(bench)
    choose(qtbot, panel, texts)
    panel.form.vocab_size.setValue(100_000)
    assert train(qtbot, bench).ending == "done"
    assert "No remaining pair" in panel.run_bar.words.text()
    assert bench.pages.training.run_state == IDLE


@pytest.mark.deep
def test_what_was_chosen_is_there_at_the_next_start(qtbot: QtBot, open_window: OpenWindow, texts: Path):
    bench = open_window(counted=False)
    panel = panel_of(bench)
    panel.folder.field.setText(str(texts))
    panel.survey.exclude.setText("*.bin")
    panel.form.vocab_size.setValue(1234)
    panel.form.pattern.setCurrentText("gpt2")
    panel.form.special.setPlainText("<end>")
    panel.form.dummy_prefix.setChecked(False)
    panel.form.more.setChecked(True)
    state = panel.state()
    close_window(qtbot, bench)
    panel = panel_of(open_window(counted=False))
    assert panel.state() | {"split": None} == state | {"split": None}
    assert panel.form.settings().special_tokens == ("<end>",)
    qtbot.waitUntil(lambda: "3 text files" in panel.survey.headline.text())


@pytest.mark.deep
def test_the_tab_is_built_when_it_is_first_seen(qtbot: QtBot, tmp_path: Path, qapp):
    from gui.core.profile_files import profile_paths

    bench = Application(profile_paths(tmp_path / "profile"))
    with qtbot.waitSignal(bench.started):
        bench.window.show()
    assert bench.window.findChild(QPlainTextEdit, "trainPreview") is None
    bench.window.pages.setCurrentWidget(bench.pages.page("trainingTab"))
    qtbot.waitUntil(lambda: bench.window.findChild(QPlainTextEdit, "trainPreview") is not None)
    close_window(qtbot, bench)


@pytest.mark.deep
def test_a_built_program_says_that_it_has_no_dask(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("gui.tokenizers.train.form.is_built", lambda: True)
    bench = open_window(counted=False)
    bench.window.pages.setCurrentWidget(bench.pages.page("trainingTab"))
    form = panel_of(bench).form
    form.more.setChecked(True)
    words = form.cluster.toolTip()
    assert not form.cluster.isEnabled()
    assert "does not include Dask" in words
    assert form.cluster.accessibleDescription() == words
    assert words in {label.text() for label in form.finer.findChildren(Remark) if label.isVisible()}
