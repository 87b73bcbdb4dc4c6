"""Take the screenshots of the README: ``python packaging/take_screenshots.py``.

Opens windows on fresh profiles, in the light and the dark theme: the sample prompt, a training on the sources of this
checkout, the vocabulary of r50k_base, the merges of a few words, and some other pages. Needs a display (or Xvfb: the
pictures are the same, with the fonts of that machine).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QTableView

if TYPE_CHECKING:
    from gui.window.application import Application

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SIZE = (1280, 860)
SETTLE_MS = 1500
"""Delay after the last figure until bars, marks and scroll bars stop moving, in milliseconds."""
POLL_MS = 20
CORPUS = ("benchmarks", "commands", "engine", "gui", "packaging", "pricing")
"""Folders of this checkout to train on."""
VOCAB_SIZE, SHOWN_MERGES = 8_192, 4_600
"""Vocabulary size of the run, and the number of merges at which it is shown."""
LISTED_ENCODING, SEARCHED, MAX_FOUND, SELECTED_ROW = "r50k_base", "gold", 100, 10
"""A vocabulary, a search in it, an upper bound for its results, and the row to select."""
MERGED, MERGED_ENCODING, MERGED_STEP = "How many r are in strawberry", "cl100k_base", 7
"""A text whose merges are shown, and the number of merges shown of its last word."""


def wait(milliseconds: int) -> None:
    """Run the event loop for a while."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def until(condition: Callable[[], bool]) -> None:
    """Run the event loop until the condition holds."""
    while not condition():
        wait(POLL_MS)


@contextmanager
def opened(theme: str) -> Iterator[Application]:
    """Open a window on a temporary profile; close it at the end."""
    from gui.app import create_window
    from gui.core.profile_files import profile_paths
    from gui.prompt.prompt_panel import CARDS
    from gui.window.application import Application

    with tempfile.TemporaryDirectory() as folder:
        paths = profile_paths(Path(folder))
        settings = {"theme": theme, "dismissed_cards": [card.key for card in CARDS]}
        paths.settings_file.write_text(json.dumps(settings), encoding="utf-8")
        window = create_window(Path(folder))
        window.resize(*SIZE)
        window.show()
        yield window.findChild(Application)
        window.close()
        wait(POLL_MS)


def take_prompt(theme: str, target: Path) -> None:
    """Show the sample prompt and its cost."""
    with opened(theme) as bench:
        table = bench.window.findChild(QTableView, "costTable")
        until(lambda: table.model().rowCount() >= 10 and not bench.prompt.stale and not bench.runner.busy)
        wait(SETTLE_MS)
        bench.window.grab().save(str(target))


def take_training(theme: str, target: Path) -> None:
    """Show a run in the middle of its merges."""
    with opened(theme) as bench, tempfile.TemporaryDirectory() as home:
        write_corpus(Path(home) / "projects" / "tokenloupe")
        os.environ["HOME"] = home  # the path is visible: use a short and anonymous one
        bench.window.pages.setCurrentWidget(bench.pages.page("trainingTab"))
        panel, training = bench.pages.training.panel, bench.pages.training._training
        panel.folder.field.setText("~/projects/tokenloupe")
        panel.form.vocab_size.setValue(VOCAB_SIZE)
        until(lambda: "of memory" in panel.survey.forecast.text() and not bench.runner.busy)
        shown = []

        def show(_snapshot: object) -> None:
            if not shown:
                shown.append(bench.window.grab())

        panel.run_bar.start.click()
        until(lambda: training.state == "paused")  # so that the curve is loaded and drawn
        wait(SETTLE_MS)
        training.advanced.connect(show)
        panel.run_bar.pause.click()
        until(lambda: training.state == "idle" and not bench.runner.busy)
        shown[0].save(str(target))


def take_vocabulary(theme: str, target: Path) -> None:
    """Show a token that a search found, after the analysis of the vocabulary."""
    with opened(theme) as bench:
        bench.pages.vocabulary.focus()
        panel, flow = bench.pages.vocabulary.panel, bench.pages.vocabulary.browser
        flow.open(LISTED_ENCODING)
        until(lambda: panel.filters.finding.isEnabled() and not bench.runner.busy)
        panel.filters.search.setText(SEARCHED)
        until(lambda: 0 < panel.model.rowCount() < MAX_FOUND and not bench.runner.busy)
        panel.table.selectRow(SELECTED_ROW)
        until(lambda: panel.detail.token_id >= 0 and not bench.runner.busy)
        wait(SETTLE_MS)
        bench.window.grab().save(str(target))


def take_merges(theme: str, target: Path) -> None:
    """Show one of several words, in the middle of its merges."""
    with opened(theme) as bench:
        bench.pages.merges.show_text(MERGED, MERGED_ENCODING)
        panel = bench.pages.merges.panel
        until(lambda: panel.player.step.value() > 0 and not bench.runner.busy)
        last = MERGED.rindex(" ") + 1
        panel.strip.select_range(last, last)
        until(lambda: panel.player.step.value() > MERGED_STEP and not bench.runner.busy)
        panel.player.step.setValue(MERGED_STEP)
        until(lambda: panel.player.step.value() == MERGED_STEP and not bench.runner.busy)
        wait(SETTLE_MS)
        bench.window.grab().save(str(target))


def take_page(theme: str, page: str, target: Path) -> None:
    """Show a page as in a new profile, with the sample prompt. ``page``: its object name."""
    with opened(theme) as bench:
        bench.pages.page(page).bring_to_front()
        until(lambda: not bench.prompt.stale and not bench.runner.busy)
        wait(SETTLE_MS)
        bench.window.grab().save(str(target))


def pause_in_the_middle() -> None:
    """Pause every run after ``SHOWN_MERGES`` merges: it would end before a button could be pressed."""
    from engine.training import merging
    from gui.tokenizers.train import run_service as training_worker

    ending = training_worker._ending

    def ending_or_pause(run: object, request: object, ticket: object) -> object:
        is_there = request.run is None and run.progress().merges >= SHOWN_MERGES
        return "paused" if is_there else ending(run, request, ticket)

    training_worker._ending = ending_or_pause
    training_worker.SLICE_SECONDS = training_worker.SNAPSHOT_SECONDS = 0.001
    merging._BUDGET = 2000


def write_corpus(folder: Path) -> None:
    """Copy the sources to train on, without files that runs of the program left there."""
    for name in CORPUS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "data"))


def compile_kernels() -> None:
    """Compile kernels into the user's cache, and use it for windows on fresh profiles."""
    from engine.encoding import compiling
    from engine.kernels import cache_folder

    folder = cache_folder.current_folder()
    if folder is not None:
        os.environ[cache_folder.VARIABLE] = str(folder.parent)
        missing = [family for family in compiling.FAMILIES if not compiling.is_compiled(None, family)]
        if missing:
            compiling.compile_in_child(None, missing, lambda: None)


def main() -> None:
    """Take all screenshots."""
    app = QApplication(["tokenloupe", "-style", "fusion"])
    compile_kernels()
    pause_in_the_middle()
    for theme in ("light", "dark"):
        take_prompt(theme, ROOT / "docs" / f"window-{theme}.png")
        take_vocabulary(theme, ROOT / "docs" / f"vocabulary-{theme}.png")
        take_merges(theme, ROOT / "docs" / f"merges-{theme}.png")
        take_page(theme, "requestTab", ROOT / "docs" / f"request-{theme}.png")
        take_page(theme, "compareTab", ROOT / "docs" / f"compare-{theme}.png")
        take_page(theme, "conversationTab", ROOT / "docs" / f"conversation-{theme}.png")
        take_page(theme, "modelsPage", ROOT / "docs" / f"models-{theme}.png")
        take_training(theme, ROOT / "docs" / f"training-{theme}.png")
    app.quit()


if __name__ == "__main__":
    main()
