"""A trained vocabulary is at once like any other: measured, in the picker, in the editor, in files, at a next start."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot
from tiktoken import Encoding
from tiktoken.load import load_tiktoken_bpe

import engine
from engine.errors import FormatError
from engine.library import catalog
from engine.training.evaluation import evaluate, texts_of
from gui.tokenizers.train.report_service import COMPARED, ExportRequest
from gui.tokenizers.train.result import runs_counted
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window
from tests.gui.tokenizers.training_windows import choose, panel_of, train, write_texts
from tests.thoroughness import mostly_deep

WORDS = "Flurbisnark zwoqqel: the flurbisnark zwoqqels a quimble, and that is that.\n"
"""Words that no other vocabulary knows."""

pytestmark = [pytest.mark.usefixtures("trainer_is_compiled"), pytest.mark.pages("trainingTab")]


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profile"


@pytest.fixture
def trained(qtbot: QtBot, open_window: OpenWindow, profile: Path, tmp_path: Path) -> Application:
    """A window whose first run has ended: texts-290, one file of thirty held back."""
    bench = open_window(profile)
    bench.window.pages.setCurrentWidget(bench.pages.page("trainingTab"))
    panel = panel_of(bench)
    choose(qtbot, panel, write_texts(tmp_path / "texts", files=30, text=WORDS))
    panel.form.vocab_size.setValue(290)
    train(qtbot, bench)
    qtbot.waitUntil(lambda: panel.result.body.currentWidget() is panel.result.figures)
    return bench


def names_in_picker(bench: Application) -> list[str]:
    picker = bench.panel.picker
    return [picker.itemText(row) for row in range(picker.count())]


@pytest.mark.deep
def test_it_is_measured_on_texts_that_were_held_back(trained: Application):
    panel, flow = panel_of(trained), trained.pages.training
    held = flow._training.plan.held_out
    assert 1 <= len(held) <= 2
    encodings = [engine.get_encoding(name) for name in ("texts-290", *COMPARED)]
    expected = evaluate(encodings, texts_of(held))
    model = panel.result.compression.model
    shown = [model.index(0, column).data().removeprefix("✓ ") for column in range(2, 6)]
    assert shown == [f"{expected.total.bytes_per_token(index):.2f}" for index in range(4)]
    titles = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert titles == ["All texts", ".txt files", "Lines in Latin", "Lines without letters"]
    assert "held out of training" in panel.result.source.text()
    best = [column for column in range(2, 6) if model.index(0, column).data().startswith("✓")]
    assert best == [
        2 + index for index, tokens in enumerate(expected.total.tokens) if tokens == min(expected.total.tokens)
    ]


def test_the_curve_shows_the_others_until_another_folder_is_chosen(qtbot: QtBot, trained: Application, tmp_path: Path):
    panel = panel_of(trained)
    curve = panel.progress.curve
    for name in COMPARED:
        assert f"{name}: " in curve.accessibleDescription()
    assert "Dashed lines" in curve.toolTip()
    panel.show_page(panel.progress)
    qtbot.waitUntil(lambda: curve._plots is not None and len(curve._plots.references) == len(COMPARED))
    held = trained.pages.training._training.plan.held_out
    total = evaluate([engine.get_encoding(name) for name in COMPARED], texts_of(held)).total
    assert [line.value() for line in curve._plots.references] == [
        total.bytes_per_token(n) for n in range(len(COMPARED))
    ]
    choose(qtbot, panel, write_texts(tmp_path / "others", files=3, text=WORDS))
    assert "Dashed lines" not in curve.toolTip()
    panel.show_page(panel.progress)
    qtbot.waitUntil(lambda: not curve._plots.references)


def test_it_is_in_the_picker_and_counts_the_prompt(qtbot: QtBot, trained: Application):
    assert trained.window.pages.currentWidget() is trained.pages.page("trainingTab")
    qtbot.waitUntil(lambda: "texts-290" in names_in_picker(trained))
    qtbot.mouseClick(panel_of(trained).result.use, Qt.MouseButton.LeftButton)
    assert trained.window.pages.currentWidget() is trained.panel
    trained.panel.editor.setPlainText(WORDS)
    encoding = engine.get_encoding("texts-290")
    qtbot.waitUntil(lambda: trained.prompt.counts.encoding == "texts-290" and not trained.prompt.stale)
    qtbot.waitUntil(lambda: trained.prompt.counts.statistics.utf8_bytes == len(WORDS))
    assert trained.prompt.counts.tokens == encoding.count(WORDS) == trained.panel.editor.token_count


@pytest.mark.deep
def test_it_is_there_at_the_next_start_and_gone_from_the_process_in_between(
    qtbot: QtBot, open_window: OpenWindow, trained: Application, profile: Path
):
    trained.pages.training._use("texts-290")
    qtbot.waitUntil(lambda: trained.prompt.counts.encoding == "texts-290")
    tokens = engine.get_encoding("texts-290").token_byte_values()
    close_window(qtbot, trained)
    assert "texts-290" not in engine.list_encoding_names()
    again = open_window(profile)
    assert again.prompt.counts.encoding == "texts-290"
    assert "texts-290" in names_in_picker(again)
    assert engine.get_encoding("texts-290").token_byte_values() == tokens
    qtbot.waitUntil(lambda: panel_of(again).result.names.itemText(0) == "texts-290")


@pytest.mark.deep
def test_another_run_of_that_name_gets_a_name_of_its_own(qtbot: QtBot, trained: Application):
    panel = panel_of(trained)
    assert train(qtbot, trained).kept.name == "texts-290-2"
    qtbot.waitUntil(lambda: {"texts-290", "texts-290-2"} <= set(names_in_picker(trained)))
    assert panel.result.names.currentText() == "texts-290-2"
    panel.result.names.setCurrentText("texts-290")
    qtbot.waitUntil(lambda: panel.result.compression._report.request.name == "texts-290")


@pytest.mark.deep
def test_the_same_texts_and_settings_have_the_same_hash(qtbot: QtBot, trained: Application):
    first = panel_of(trained).result.summary
    short, whole = (words.rsplit(" ", 1)[1] for words in (first.text(), first.toolTip()))
    assert train(qtbot, trained).kept.hash == whole
    assert len(whole) == 64
    assert whole.startswith(short.removesuffix("…"))


@pytest.mark.deep
def test_the_tokens_that_only_it_has_can_be_listed(trained: Application):
    page = panel_of(trained).result
    page.kind.setCurrentIndex(1)
    model = page.tokens
    columns = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]
    assert columns == ["not in gpt2", "not in cl100k_base", "not in o200k_base"]
    own, others = (set(engine.get_encoding(name).token_byte_values()) for name in ("texts-290", "o200k_base"))
    listed = [model.index(row, 2).data() for row in range(model.rowCount()) if model.index(row, 2).data()]
    assert listed[0] == "·flurbisnark"
    assert len(listed) == min(100, len(own - others))


def test_long_runs_are_counted():
    assert runs_counted("·" * 128) == "·×128"
    assert runs_counted("//-------- aaaaa") == "//-×8 aaaaa"


@pytest.mark.deep
def test_side_by_side_shows_one_text_in_two_vocabularies(trained: Application):
    page = panel_of(trained).result.side_by_side
    sample = page._report.sample
    assert sample.startswith(WORDS)
    for pane, name in ((page.left, "texts-290"), (page.right, "o200k_base")):
        assert pane.choice.currentText() == name
        assert pane.figures.text() == f"{engine.get_encoding(name).count(sample):,} tokens"
    rows = page.view.rows
    assert "".join(rows.text(*rows.bounds(row)) for row in range(len(rows))) == sample
    page.right.choice.setCurrentText("gpt2")
    assert page.right.figures.text() == f"{engine.get_encoding('gpt2').count(sample):,} tokens"
    line = page.view._line(0, 1)
    assert page.view.words_at(QPointF(line.left + 3, line.top + 3)).startswith("gpt2, token 1: id ")


@pytest.mark.deep
def test_what_it_would_save_is_said_in_tokens_and_money(qtbot: QtBot, trained: Application):
    page = panel_of(trained).result.compression
    qtbot.waitUntil(lambda: bool(trained.costs.service.models))
    page.set_report(page._report)
    picker = trained.window.header.models
    picker.setCurrentIndex(picker.findText("GPT-4o"))
    assert page.calls_of.text() == "If GPT-4o used this vocabulary, a million calls of"
    page.prompt_bytes.setValue(6000)
    total = page._report.evaluation.total
    mine, theirs = (round(6000 / total.bytes_per_token(index)) for index in (0, 3))
    assert f"{mine:,} tokens per call instead of {theirs:,}" in page.savings.text()
    saved = (theirs - mine) * 1_000_000
    assert f"{round(saved, 2 - len(str(saved))):,} tokens fewer" in page.savings.text()
    assert "$" in page.savings.text()
    assert " less. " in page.savings.text()
    picker.setCurrentIndex(picker.findText("Claude", Qt.MatchFlag.MatchContains))
    assert "was not measured here" in page.savings.text()
    assert not page.question.isVisibleTo(page)


@pytest.mark.deep
@pytest.mark.parametrize("ending", mostly_deep([".tiktoken", ".json", ".model"], 1))
def test_it_can_be_saved_in_every_format(qtbot: QtBot, trained: Application, tmp_path: Path, ending: str):
    page, results = panel_of(trained).result, trained.pages.training.results
    path = tmp_path / f"mine{ending}"
    action = next(action for action in page.save.menu().actions() if action.data() == ending)
    action.trigger()
    dialog = trained.window.findChild(QFileDialog, "trainSaveDialog")
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    qtbot.waitUntil(lambda: page.remark.text().startswith("✓ Saved as"))
    assert str(path) in page.remark.text()
    again = engine.load(path)
    assert again.token_byte_values() == engine.get_encoding("texts-290").token_byte_values()
    if ending == ".tiktoken":
        ranks = load_tiktoken_bpe(str(path))
        theirs = Encoding("mine", pat_str=again._pat_str, mergeable_ranks=ranks, special_tokens={})
        assert theirs.encode(WORDS) == engine.get_encoding("texts-290").encode(WORDS)
    assert results is not None


@pytest.mark.deep
def test_a_full_disk_while_saving_loses_nothing(
    qtbot: QtBot, trained: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(encoding, path, *_rest):
        raise FormatError(f"{path} was not written: No space left on device")

    monkeypatch.setattr(engine, "save_encoding", full, raising=False)
    page, results = panel_of(trained).result, trained.pages.training.results
    path = tmp_path / "mine.tiktoken"
    results.save(ExportRequest("texts-290", path))
    qtbot.waitUntil(lambda: "No space left" in page.remark.text())
    (notice,) = (one for one in trained.window.messages.notices if one.key == "training-save")
    assert notice.text.endswith("No space left on device. It is still here.")
    monkeypatch.undo()
    notice.offers[0].act()
    qtbot.waitUntil(lambda: page.remark.text().startswith("✓ Saved as"))
    assert path.exists()
    assert not [one for one in trained.window.messages.notices if one.key == "training-save"]


@pytest.mark.deep
def test_a_profile_that_cannot_be_written_leaves_the_vocabulary_in_the_window(
    qtbot: QtBot, trained: Application, monkeypatch: pytest.MonkeyPatch
):
    def full(*_arguments):
        raise FormatError("texts-290-2.tiktoken was not written: No space left on device")

    monkeypatch.setattr(catalog, "keep_encoding", full)
    kept = train(qtbot, trained).kept
    assert kept.unkept.endswith("No space left on device")
    page = panel_of(trained).result
    assert "lost when the window closes" in page.remark.text()
    qtbot.waitUntil(lambda: kept.name in names_in_picker(trained))
    assert engine.get_encoding(kept.name).token_byte_values() == kept.encoding.token_byte_values()


@pytest.mark.deep
def test_the_cost_table_compares_with_it(qtbot: QtBot, trained: Application):
    service = trained.costs.service

    def tokens() -> int | None:
        found = (row for row in service.rows if row.model_id == "yours/texts-290" and not row.pending)
        return next((row.estimate.input_tokens for row in found), None)

    trained.panel.editor.setPlainText(WORDS)
    expected = engine.get_encoding("texts-290").count(WORDS)
    qtbot.waitUntil(lambda: tokens() == expected)
    (row,) = (row for row in service.rows if row.model_id == "yours/texts-290")
    assert (row.estimate.label, row.estimate.usd, row.model.name) == ("exact", None, "texts-290")
    assert trained.costs.panel.model.row_of_model("yours/texts-290") >= 0


@pytest.mark.deep
def test_a_price_file_may_count_with_it(qtbot: QtBot, open_window: OpenWindow, trained: Application, profile: Path):
    prices = (
        "version: 1\nmodels:\n  acme/in-house:\n    price: {input: 1, output: 1}\n    count: {tokenizer: texts-290}\n"
    )
    (profile / "prices.yaml").write_text(prices)
    trained.costs.service.reload_prices()
    qtbot.waitUntil(lambda: any(model.id == "acme/in-house" for model in trained.costs.service.models))
    assert not trained.costs.service.problems
    close_window(qtbot, trained)
    again = open_window(profile)
    qtbot.waitUntil(lambda: bool(again.costs.service.models))
    assert not again.costs.service.problems
    assert any(model.id == "acme/in-house" for model in again.costs.service.models)


@pytest.mark.deep
def test_it_can_be_removed(qtbot: QtBot, trained: Application, profile: Path):
    trained.pages.training._use("texts-290")
    trained.window.pages.setCurrentWidget(trained.pages.page("trainingTab"))
    page = panel_of(trained).result
    qtbot.mouseClick(page.remove, Qt.MouseButton.LeftButton)
    box = trained.window.findChild(QMessageBox, "trainRemoveDialog")
    delete = next(button for button in box.buttons() if button.text() == "&Delete")
    with qtbot.waitSignal(trained.pages.training.results.removed):
        qtbot.mouseClick(delete, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "texts-290" not in names_in_picker(trained))
    assert trained.prompt.encoding == "o200k_base"
    assert not list(profile.rglob("texts-290*"))
    assert page.names.count() == 0


@pytest.mark.deep
def test_a_prompt_whose_vocabulary_is_gone_is_counted_all_the_same(
    qtbot: QtBot, open_window: OpenWindow, trained: Application, profile: Path
):
    trained.pages.training._use("texts-290")
    qtbot.waitUntil(lambda: trained.prompt.counts.encoding == "texts-290")
    close_window(qtbot, trained)
    for path in profile.rglob("texts-290*"):
        path.unlink()
    again = open_window(profile)
    assert again.prompt.counts.encoding == "o200k_base"
    assert any("texts-290" in notice.text for notice in again.window.messages.notices)


@pytest.mark.deep
def test_a_window_that_looks_elsewhere_is_told(qtbot: QtBot, trained: Application):
    panel = panel_of(trained)
    qtbot.mouseClick(panel.run_bar.start, Qt.MouseButton.LeftButton)
    trained.window.pages.setCurrentWidget(trained.panel)
    qtbot.waitUntil(lambda: any(one.key == "training-ended" for one in trained.window.messages.notices))
    (notice,) = (one for one in trained.window.messages.notices if one.key == "training-ended")
    show, _use = notice.offers
    show.act()
    assert trained.window.pages.currentWidget() is trained.pages.page("trainingTab")
    assert panel.pages.currentWidget() is panel.result
