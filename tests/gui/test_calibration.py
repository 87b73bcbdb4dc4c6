"""Calibration: a usage is pasted, kept, seen in the cost table, there at the next start, and taken out again."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.costs.calibration_controller import CalibrationDialog
from gui.costs.calibration_service import Calibrations
from gui.costs.columns import COLUMN_INDEX
from gui.costs.inspector import explanation
from gui.costs.rows import CostRow
from gui.runtime.jobs import JobRunner
from gui.state.storage import Storage
from gui.window.application import Application
from pricing.calibration import Sample
from tests.gui.conftest import OpenWindow, close_window
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.pages()

MODEL = "anthropic/claude-opus-5-5"
ENGLISH = "It is not only that the cat was in the house, but that it was there with the dog and the bird. " * 40


def row_of(bench: Application) -> CostRow | None:
    return next((row for row in bench.costs.service.rows if row.model_id == MODEL), None)


def with_english(qtbot: QtBot, bench: Application) -> int:
    """Show the text, and wait for its tokens in the encoding that the model is estimated with."""
    bench.panel.editor.setPlainText(ENGLISH)
    size = len(ENGLISH)

    def counted() -> bool:
        counts = bench.prompt.counts
        if counts is None or counts.statistics.utf16_units != size:
            return False
        return counts.complete and "o200k_base" in counts.by_encoding

    qtbot.waitUntil(lambda: bool(bench.costs.service.models))
    qtbot.waitUntil(counted)
    return bench.prompt.counts.by_encoding["o200k_base"]


def opened(bench: Application) -> CalibrationDialog:
    bench.window.actions_by_name["calibrate"].trigger()
    dialog = bench.window.findChild(CalibrationDialog)
    assert dialog is not None
    names = [dialog.model.itemData(place).id for place in range(dialog.model.count())]
    dialog.model.setCurrentIndex(names.index(MODEL))
    return dialog


def keep(qtbot: QtBot, dialog: CalibrationDialog, billed: int) -> None:
    dialog.usage.setPlainText(json.dumps({"usage": {"input_tokens": billed, "output_tokens": 3}}))
    qtbot.waitUntil(lambda: "tokens billed" in dialog.result.text())
    qtbot.mouseClick(dialog.keep, Qt.MouseButton.LeftButton)


@pytest.mark.deep
def test_a_sample_narrows_the_estimate_says_so_stays_and_goes(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    counted = with_english(qtbot, bench)
    # The row may still be that of the sample prompt, which is a fourth as long.
    qtbot.waitUntil(lambda: row_of(bench) is not None and (row_of(bench).estimate.input_tokens or 0) >= counted)
    before = row_of(bench).estimate
    dialog = opened(bench)
    billed = round(counted * 1.6)
    keep(qtbot, dialog, billed)
    qtbot.waitUntil(lambda: row_of(bench).calibrated)
    row = row_of(bench)
    assert row.estimate.label == "estimated"
    assert abs(row.estimate.input_tokens - billed) <= 1
    assert row.estimate.input_low < billed < row.estimate.input_high
    assert row.estimate.input_high - row.estimate.input_low < before.input_high - before.input_low
    table = bench.costs.panel.model
    place = table.row_of_model(MODEL)
    assert table.index(place, COLUMN_INDEX["label"]).data() == "≈ estimated, calibrated"
    assert any("your own ratio to o200k_base, from one text" in line for line in explanation(row, table.view))
    cells = [dialog.samples.index(0, column).data() for column in range(6)]
    assert cells == [MODEL, "English", f"{counted:,}", f"{billed:,}", "1.600", str(bench.costs.service.today)]
    assert dialog.usage.toPlainText() == ""
    dialog.reject()
    close_window(qtbot, bench)
    again = open_window(profile)
    with_english(qtbot, again)
    qtbot.waitUntil(lambda: row_of(again) is not None and row_of(again).calibrated)
    dialog = opened(again)
    assert not dialog.remove.isEnabled()
    dialog.table.selectRow(0)
    qtbot.mouseClick(dialog.remove, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not row_of(again).calibrated)
    assert row_of(again).estimate.input_high == before.input_high
    assert dialog.samples.rowCount() == 0
    dialog.reject()


@pytest.mark.deep
def test_texts_of_another_kind_are_estimated_as_before(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    counted = with_english(qtbot, bench)
    dialog = opened(bench)
    keep(qtbot, dialog, round(counted * 1.6))
    qtbot.waitUntil(lambda: row_of(bench) is not None and row_of(bench).calibrated)
    dialog.reject()
    bench.panel.editor.setPlainText("Кто знает, что будет завтра, тот не спрашивает. " * 30)
    qtbot.waitUntil(lambda: not row_of(bench).calibrated)


@pytest.mark.parametrize(
    ("pasted", "why"),
    mostly_deep(
        [
            ('{\n "usage": {"input_tokens": 1,,}}', "line 2, column"),
            ('{"id": 5}', "No usage found"),
            ('{"usage": {"input_tokens": 900000}}', "is it the usage of another request?"),
            ('{"usage": {"input_tokens": 3}}', "at least 50 tokens are needed"),
        ],
        1,
    ),
)
def test_what_teaches_nothing_is_told_and_cannot_be_kept(
    qtbot: QtBot, open_window: OpenWindow, profile: Path, pasted: str, why: str
):
    bench = open_window(profile)
    with_english(qtbot, bench)
    dialog = opened(bench)
    dialog.usage.setPlainText(pasted)
    qtbot.waitUntil(lambda: why in dialog.result.text())
    assert not dialog.keep.isEnabled()
    dialog.reject()
    assert not (profile / "calibration.json").exists()


def test_a_sample_goes_to_the_model_that_the_usage_names_or_asks(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    counted = with_english(qtbot, bench)
    qtbot.waitUntil(lambda: row_of(bench) is not None)
    bench.costs.panel.table.selectRow(bench.costs.panel.model.row_of_model(MODEL))
    bench.window.actions_by_name["calibrate"].trigger()
    dialog = bench.window.findChild(CalibrationDialog)
    assert dialog.model.currentIndex() == -1  # not the row that happens to be selected

    def paste(**more: object) -> None:
        dialog.usage.setPlainText(json.dumps({**more, "usage": {"input_tokens": counted * 2, "output_tokens": 3}}))

    def says(words: str) -> None:
        qtbot.waitUntil(lambda: words in dialog.result.text())

    paste()
    says("The usage names no model: choose the billed one")
    assert not dialog.keep.isEnabled()
    paste(model="claude-sonnet-4-5-20250929")
    says("It will be saved for Claude Sonnet 4.5.")
    assert dialog.model.currentText() == "Claude Sonnet 4.5"
    paste(model="gpt-4o")
    says("Nothing to calibrate: openai/gpt-4o is counted with its vendor's own tokenizer")
    paste(model="claude-sonnet-4-5-20250929")
    says("It will be saved for Claude Sonnet 4.5.")
    paste()  # the model of the usage before is not that of this one
    says("The usage names no model")
    assert dialog.model.currentIndex() == -1
    paste(model="nobody-7")
    says("The usage is for nobody-7, which is not in the price table: choose the billed model")
    place = next(place for place in range(dialog.model.count()) if dialog.model.itemData(place).id == MODEL)
    dialog.model.setCurrentIndex(place)
    says(f"It will be saved for {dialog.model.currentText()}.")
    paste(model="claude-sonnet-4-5-20250929")
    says("It will be saved for Claude Sonnet 4.5.")
    qtbot.mouseClick(dialog.keep, Qt.MouseButton.LeftButton)
    (sample,) = bench.calibration.calibrations.samples
    assert sample.model_id == "anthropic/claude-sonnet-4-5"
    dialog.reject()


def test_tokens_around_the_text_are_taken_off(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench = open_window(profile)
    counted = with_english(qtbot, bench)
    dialog = opened(bench)
    dialog.framing.setValue(100)
    dialog.kind.setCurrentIndex(dialog.kind.findData("code"))
    keep(qtbot, dialog, counted * 2 + 100)
    (sample,) = bench.calibration.calibrations.samples
    assert (sample.framing, sample.billed, sample.kind) == (100, counted * 2, "code")
    dialog.reject()


def test_a_damaged_file_is_told_and_counts_are_as_without_it(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    (profile / "calibration.json").write_text("{]")
    bench = open_window(profile)
    qtbot.waitUntil(lambda: any("calibration" in notice.text for notice in bench.window.messages.notices))
    (said,) = [notice.text for notice in bench.window.messages.notices if "calibration" in notice.text]
    assert f"{profile / 'calibration.json'} was not changed." in said
    with_english(qtbot, bench)
    qtbot.waitUntil(lambda: row_of(bench) is not None)
    assert not row_of(bench).calibrated


def sample_of(billed: int) -> Sample:
    return Sample(MODEL, "english", "o200k_base", 1000, billed, date(2026, 11, 22))


@pytest.fixture
def open_samples(qapp, profile: Path):
    runner = JobRunner()
    path = profile / "calibration.json"
    yield lambda: Calibrations(path, runner, Storage(runner, "Saving"))
    runner.shutdown()


def test_of_two_windows_each_keeps_its_samples(qtbot: QtBot, open_samples):
    first, second = open_samples(), open_samples()
    with qtbot.waitSignal(first._file.written):
        first.add(sample_of(1100))
    with qtbot.waitSignal(second._file.written):
        second.add(sample_of(1200))
    assert second.samples == (sample_of(1100), sample_of(1200))
    with qtbot.waitSignal(second._file.written):
        second.remove([0])
    with qtbot.waitSignal(first._file.written):
        first.add(sample_of(1300))
    assert first.samples == (sample_of(1200), sample_of(1300))


def test_samples_of_a_newer_version_are_left_as_they_are(qtbot: QtBot, open_samples, profile: Path):
    content = json.dumps({"version": 2, "samples": []})
    (profile / "calibration.json").write_text(content)
    calibrations = open_samples()
    with qtbot.waitSignal(calibrations.failed) as told:
        pass
    assert "newer version" in told.args[0]
    with qtbot.waitSignal(calibrations.failed):
        calibrations.add(sample_of(1100))
    assert (profile / "calibration.json").read_text() == content


def test_damaged_samples_are_kept_beside_when_more_come(qtbot: QtBot, open_samples, profile: Path):
    content = json.dumps({"version": 1, "samples": [{"kind": "english"}]})
    (profile / "calibration.json").write_text(content)
    calibrations = open_samples()
    with qtbot.waitSignal(calibrations.failed):
        pass
    with qtbot.waitSignal(calibrations._file.written):
        calibrations.add(sample_of(1100))
    assert (profile / "calibration.json.damaged").read_text() == content
    assert calibrations.samples == (sample_of(1100),)
