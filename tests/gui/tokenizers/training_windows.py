"""A window with its training tab in front, a small folder of texts, and a run from Start to its end."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.tokenizers.train.panel import TrainingPanel
from gui.tokenizers.train.run_service import RunOutcome
from gui.window.application import Application

TEXT = "the cat sat on the mat, the cat sat. The hat and the bat: that is that.\n"


def write_texts(folder: Path, files: int = 3, text: str = TEXT) -> Path:
    """Texts, a picture and a hidden file."""
    folder.mkdir()
    for number in range(files):
        (folder / f"{number}.txt").write_text(text * 20 + f"{number}\n", encoding="utf-8")
    (folder / "picture.bin").write_bytes(bytes(range(256)) * 8)
    (folder / ".hidden").write_text("hidden")
    return folder


def panel_of(bench: Application) -> TrainingPanel:
    panel = bench.window.findChild(TrainingPanel)
    assert panel is not None
    return panel


def choose(qtbot: QtBot, panel: TrainingPanel, folder: Path) -> None:
    """Name a folder and wait for what is in it."""
    panel.folder.field.setText(str(folder))
    qtbot.waitUntil(lambda: "text file" in panel.survey.headline.text())


def train(qtbot: QtBot, bench: Application) -> RunOutcome:
    """Press Start and wait for the end of the run, which must be no failure."""
    panel, controller = panel_of(bench), bench.pages.training
    ended: list[RunOutcome] = []
    controller.finished.connect(ended.append)
    qtbot.mouseClick(panel.run_bar.start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(ended) or panel.run_bar.problem.isVisible())
    assert panel.run_bar.problem.text() == ""
    return ended[0]
