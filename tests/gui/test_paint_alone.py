"""Qt paints with the GUI thread only, unless somebody asked for something else."""

from __future__ import annotations

import os

import pytest

from gui.app import paint_alone

VARIABLE = "QT_NO_GUI_THREADPOOL"


@pytest.mark.parametrize(("given", "left"), [(None, "1"), ("0", "0")])
def test_qt_is_told_before_it_paints(monkeypatch: pytest.MonkeyPatch, given: str | None, left: str) -> None:
    monkeypatch.setenv(VARIABLE, given or "")
    if given is None:
        monkeypatch.delenv(VARIABLE)
    paint_alone()
    assert os.environ[VARIABLE] == left
