"""One odd value in ``state.json`` costs the part it belongs to, and never the window."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gui.state.session import read_state
from gui.window.application import Application
from tests.gui.conftest import OpenWindow, notices
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.pages()

HUGE = 10**30


def written(profile: Path, state: dict[str, Any]) -> Path:
    folder = profile / "data" / "sessions" / "1"
    folder.mkdir(parents=True)
    (folder / "text.txt").write_text("some words of a text")
    (folder / "state.json").write_text(json.dumps({"version": 1, "closed": True, **state}))
    return folder


def restored(open_window: OpenWindow, profile: Path) -> Application:
    bench = open_window(profile)
    assert bench.panel.editor.toPlainText() == "some words of a text"
    assert bench.costs is not None
    assert bench.report is not None
    return bench


def test_a_list_where_a_name_belongs(open_window: OpenWindow, tmp_path: Path):
    written(tmp_path, {"scenario": {"side": [], "filter": "gpt"}})
    bench = restored(open_window, tmp_path)
    assert bench.costs is not None
    assert bench.costs.panel.filter.text() == "gpt"
    assert notices(bench) == ""


@pytest.mark.parametrize(
    ("part", "state"),
    mostly_deep(
        [
            ("scenario", {"chart": {"bars": HUGE}}),
            ("scenario", {"split": [HUGE, 1]}),
            ("scenario", {"sort": [[[], True]]}),
            ("training", {"split": [HUGE, 1]}),
            ("training", {"rules": {"sample_mb": HUGE}}),
            ("training", {"settings": {"min_count": HUGE}}),
            ("merges", {"sizes": [1, HUGE]}),
            ("pricing", {"split": [1, HUGE]}),
        ],
        2,
    ),
)
def test_a_bad_part_is_set_aside_and_said(open_window: OpenWindow, tmp_path: Path, part: str, state: dict[str, Any]):
    folder = written(tmp_path, {part: state})
    bench = restored(open_window, tmp_path)
    for tab in (bench.pages.training, bench.pages.merges, bench.pages.pricing):
        assert tab is not None
        tab.build()
    assert f"“{part}” of the last session could not be restored" in notices(bench)
    kept = folder / f"state-{part}.json.damaged"
    assert json.loads(kept.read_text()) == state
    assert str(kept) in notices(bench)


def test_numbers_that_qt_does_not_take_are_left_out(tmp_path: Path):
    folder = written(tmp_path, {"scroll": HUGE, "caret_utf16": -HUGE, "zoom": 2})
    state = read_state(folder)
    assert (state.scroll, state.caret_utf16, state.zoom) == (0, 0, 2)


def test_a_fault_of_one_step_leaves_the_others(open_window: OpenWindow, tmp_path: Path):
    bench = open_window(tmp_path)
    taken = []

    def fail() -> None:
        raise ZeroDivisionError

    bench._steps = [fail, lambda: taken.append("the next")]
    with pytest.raises(ZeroDivisionError):
        bench._take_step()
    bench._take_step()
    assert taken == ["the next"]
