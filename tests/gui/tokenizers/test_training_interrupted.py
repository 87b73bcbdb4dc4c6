"""A run that a crash or a closed window cut off is offered at the next start, and ends as if nothing had happened."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import engine
from engine.corpus.types import SkippedFile
from engine.training.types import TrainingSettings
from gui.runtime.notify import Notice
from gui.tokenizers.train import run_service as training_worker
from gui.tokenizers.train.run_service import (
    PLAN,
    STATE,
    TrainingPlan,
    TrainingSnapshot,
    find_checkpoint,
    find_checkpoints,
    free_folder,
    save_checkpoint,
)
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window
from tests.gui.tokenizers.training_samples import curve, progress
from tests.gui.tokenizers.training_windows import choose, panel_of, train, write_texts

pytestmark = [pytest.mark.usefixtures("trainer_is_compiled"), pytest.mark.pages("trainingTab")]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_texts(tmp_path / "texts")


@pytest.fixture
def interrupted(tmp_path: Path, texts: Path) -> Path:
    """A profile with a run that was cut off while it was reading."""
    plan = TrainingPlan("left-behind", (texts,), TrainingSettings(vocab_size=280, pattern="gpt2"), threads=1)
    run = engine.TrainingRun([texts], 280, pattern="gpt2", threads=1)
    run.advance(0.0)
    assert run.progress().stage == "counting"
    save_checkpoint(tmp_path / "profile" / "data" / "sessions" / "1", plan, run, 0, 3.0)
    return tmp_path / "profile"


def offers_of(bench: Application) -> list[Notice]:
    return [one for one in bench.window.messages.notices if one.key.startswith("training-interrupted")]


def offer_of(bench: Application) -> Notice:
    (notice,) = offers_of(bench)
    return notice


def test_it_can_go_on(qtbot: QtBot, open_window: OpenWindow, interrupted: Path, texts: Path):
    bench = open_window(interrupted, counted=False)
    notice = offer_of(bench)
    assert "left-behind was interrupted" in notice.text
    go_on, _forget = notice.offers
    with qtbot.waitSignal(bench.pages.training.finished):
        go_on.act()
    assert bench.window.pages.currentWidget() is bench.pages.page("trainingTab")
    expected = engine.train([texts], 280, pattern="gpt2", threads=1)
    assert engine.get_encoding("left-behind").token_byte_values() == expected.token_byte_values()
    panel = panel_of(bench)
    assert panel.progress.model.rowCount() == len(list(panel.progress.model.merges)) == 280 - 256
    assert panel.folder.paths() == (texts,)
    assert panel.form.settings() == TrainingSettings(vocab_size=280, pattern="gpt2")
    assert find_checkpoint(bench.slot.folder) is None
    assert not offers_of(bench)


@pytest.mark.deep
def test_it_can_be_forgotten(qtbot: QtBot, open_window: OpenWindow, interrupted: Path):
    bench = open_window(interrupted, counted=False)
    offer_of(bench).offers[1].act()
    assert not list(interrupted.rglob(STATE))
    assert not list(interrupted.rglob(PLAN))
    close_window(qtbot, bench)
    again = open_window(interrupted, counted=False)
    assert not offers_of(again)


@pytest.mark.deep
def test_another_run_does_not_cost_it(
    qtbot: QtBot, open_window: OpenWindow, interrupted: Path, texts: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("SLICE_SECONDS", "CHECKPOINT_SECONDS"):
        monkeypatch.setattr(training_worker, name, 0.0)
    bench = open_window(interrupted, counted=False)
    bench.pages.training.show()
    panel = panel_of(bench)
    choose(qtbot, panel, texts)
    panel.form.vocab_size.setValue(270)
    train(qtbot, bench)
    assert [one.plan.name for one in find_checkpoints(bench.slot.folder)] == ["left-behind"]
    with qtbot.waitSignal(bench.pages.training.finished):
        offer_of(bench).offers[0].act()
    assert engine.get_encoding("left-behind").n_vocab == 280
    assert not find_checkpoints(bench.slot.folder)


@pytest.mark.deep
def test_it_waits_while_another_run_goes_on(qtbot: QtBot, open_window: OpenWindow, interrupted: Path, texts: Path):
    bench = open_window(interrupted, counted=False)
    bench.pages.training.show()
    panel = panel_of(bench)
    choose(qtbot, panel, texts)
    with qtbot.waitSignal(bench.pages.training.finished):
        panel.run_bar.start.click()
        offer_of(bench).offers[0].act()
    assert offer_of(bench)
    assert find_checkpoint(bench.slot.folder).plan.name == "left-behind"


@pytest.mark.deep
def test_all_that_wait_are_offered(open_window: OpenWindow, interrupted: Path, texts: Path):
    session = interrupted / "data" / "sessions" / "1"
    plan = TrainingPlan("the-other", (texts,), TrainingSettings(vocab_size=280))
    save_checkpoint(free_folder(session), plan, engine.TrainingRun([texts], 280), 0, 0.0)
    notices = offers_of(open_window(interrupted, counted=False))
    assert ["the-other" in one.text for one in notices] == [True, False]
    notices[1].offers[1].act()
    assert [one.plan.name for one in find_checkpoints(session)] == ["the-other"]


@pytest.mark.deep
def test_texts_that_have_changed_meanwhile_are_told_in_place(
    qtbot: QtBot, open_window: OpenWindow, interrupted: Path, texts: Path
):
    (texts / "2.txt").write_text("another text altogether")
    bench = open_window(interrupted, counted=False)
    panel = panel_of(bench)
    offer_of(bench).offers[0].act()
    qtbot.waitUntil(lambda: panel.run_bar.problem.isVisible() or panel.progress.model.rowCount() > 0)
    problems = [one for one in bench.window.messages.notices if one.key == "training-problems"]
    assert "2.txt" in panel.run_bar.problem.text() or any("2.txt" in one.details for one in problems)


@pytest.mark.deep
def test_a_checkpoint_of_nonsense_is_told_in_place(qtbot: QtBot, open_window: OpenWindow, interrupted: Path):
    (state,) = interrupted.rglob(STATE)
    state.write_bytes(b"nonsense")
    bench = open_window(interrupted, counted=False)
    offer_of(bench).offers[0].act()
    panel = panel_of(bench)
    qtbot.waitUntil(panel.run_bar.problem.isVisible)
    assert "damaged" in panel.run_bar.problem.text()
    qtbot.waitUntil(panel.run_bar.start.isEnabled)


def test_a_disk_that_is_full_is_told_once_and_settled(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    flow = bench.pages.training
    snapshot = TrainingSnapshot(progress(merges=3), (), curve(3), 1.0, "No space left on device")

    def told() -> list[Notice]:
        return [one for one in bench.window.messages.notices if one.key == "training-unsaved"]

    for _ in range(3):
        flow._on_advanced(snapshot)
    assert len(told()) == 1
    assert "No space left on device" in told()[0].text
    flow._on_advanced(replace(snapshot, unsaved=""))
    assert not told()


def test_files_that_vanish_while_they_are_read_are_told(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window(counted=False)
    gone = SkippedFile(Path("a.txt"), "vanished", "it was deleted")
    bench.pages.training._report_problems((gone, gone))
    (notice,) = (one for one in bench.window.messages.notices if one.key == "training-problems")
    assert notice.text.startswith("2 files could not be read")
    assert "a.txt: it was deleted" in notice.details
