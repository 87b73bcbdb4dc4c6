"""A process that is killed while it trains leaves a run that the next start of its window offers, and no other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import engine
from engine.kernels.cache_folder import VARIABLE, current_folder
from engine.training.types import TrainingSettings
from gui.runtime.notify import Notice
from gui.tokenizers.train.run_service import TrainingPlan, find_checkpoint, save_checkpoint
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, close_window
from tests.gui.tokenizers.training_windows import panel_of, write_texts
from tests.patience import PATIENCE_SECONDS
from tests.thoroughness import as_deep

pytestmark = [pytest.mark.usefixtures("trainer_is_compiled"), pytest.mark.pages("trainingTab")]

SIZE = 2000
SOURCES = Path(__file__).parent

KILLED = """
import os, signal, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from engine.encoding import compiling
from engine.training import merging
from gui.app import create_window
from gui.runtime import kernel_build
from gui.tokenizers.train import run_service as training_worker
from gui.window.application import Application

profile, folder, moment, size = sys.argv[1:]
saves = 0

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def save(to, plan, run, merges, seconds):
    global saves
    saves += 1
    if moment == "saving" and merges and saves > 1:
        training_worker.write_atomic = lambda *_: die()
    save_checkpoint(to, plan, run, merges, seconds)
    if moment == "reading" or (moment == "merging" and merges):
        die()

save_checkpoint, training_worker.save_checkpoint = training_worker.save_checkpoint, save
# A checkpoint after every slice, and slices of a few merges: whatever the speed, there is one at each moment.
training_worker.SLICE_SECONDS = training_worker.CHECKPOINT_SECONDS = 0.0
training_worker.CHECKPOINT_SHARE = float("inf")
merging._BUDGET = 1
kernel_build.PATIENCE_MS = 2**30
compiling.is_compiled = lambda *_: True

app = QApplication([])
window = create_window(Path(profile))
panel = window.findChild(Application).pages.training.panel
panel.survey.hold_back.setChecked(False)
panel.form.thread_count.setValue(1)
panel.form.vocab_size.setValue(int(size))
panel.folder.set_paths([folder])
window.findChild(Application).pages.training.start()
window.show()
app.exec()
"""


def offers(bench: Application) -> list[Notice]:
    return [notice for notice in bench.window.messages.notices if notice.key.startswith("training-interrupted")]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """More than is read in one slice."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for source in sorted(SOURCES.glob("*.py"))[:12]:
        (folder / source.name).write_bytes(source.read_bytes())
    return folder


@pytest.mark.deep
@pytest.mark.parametrize("moment", [as_deep("reading"), "merging", as_deep("saving")])
def test_a_kill_costs_nothing_of_the_run(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, texts: Path, moment: str
):
    profile = tmp_path / "profile"
    kept = current_folder()
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(profile), str(texts), moment, str(SIZE)],
        check=False,
        timeout=PATIENCE_SECONDS,
        env=os.environ | {VARIABLE: "" if kept is None else str(kept.parent)},
    )
    assert done.returncode == -signal.SIGKILL
    checkpoint = find_checkpoint(profile / "data" / "sessions" / "1")
    assert checkpoint is not None
    assert (checkpoint.merges > 0) == (moment == "merging")
    bench = open_window(profile, counted=False)
    (notice,) = offers(bench)
    assert "Training of texts-2000 was interrupted after" in notice.text
    with qtbot.waitSignal(bench.pages.training.finished):
        notice.offers[0].act()
    expected = engine.train([texts], SIZE, threads=1)
    assert engine.get_encoding("texts-2000").token_byte_values() == expected.token_byte_values()
    assert panel_of(bench).progress.model.rowCount() == SIZE - 256
    assert find_checkpoint(bench.slot.folder) is None


@pytest.mark.deep
@pytest.mark.parametrize("slot", [1, 2])
def test_of_two_windows_the_one_whose_run_it_was_offers_it(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, slot: int
):
    texts, profile = write_texts(tmp_path / "texts"), tmp_path / "profile"
    plan = TrainingPlan("left-behind", (texts,), TrainingSettings(vocab_size=280), threads=1)
    run = engine.TrainingRun([texts], 280, threads=1)
    save_checkpoint(profile / "data" / "sessions" / str(slot), plan, run, 0, 0.0)
    first, second = open_window(profile, counted=False), open_window(profile, counted=False)
    assert [bench.slot.number for bench in (first, second)] == [1, 2]
    assert [len(offers(bench)) for bench in (first, second)] == [slot == 1, slot == 2]
    close_window(qtbot, second)
    close_window(qtbot, first)
