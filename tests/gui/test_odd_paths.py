"""What somebody may type or leave where a path belongs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gui.core.profile_files import is_newer, read_document
from gui.costs.prices_service import BUNDLED, LoadRequest, ReadRequest, load_prices, read_price_text
from gui.state.session import read_session
from pricing import check_file
from tests.gui.conftest import OpenWindow


@pytest.mark.deep
@pytest.mark.parametrize("text", ["1" * 400, "a\0b", "~nobody-of-that-name/x"])
def test_no_text_in_a_folder_field_is_a_fault(open_window: OpenWindow, text: str):
    bench = open_window(counted=False)
    assert bench.pages.training is not None
    bench.pages.training.build()
    assert bench.pages.training.panel is not None
    bench.pages.training.panel.folder.field.setText(text)
    assert len(bench.pages.training.panel.folder.paths()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes on Windows")
def test_a_pipe_in_place_of_a_profile_file_is_not_waited_for(tmp_path: Path):
    for name in ("state.json", "text.txt"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(OSError, match="not a regular file"):
        read_document(tmp_path / "state.json")
    restored = read_session(tmp_path, 100)
    assert restored.text is None
    assert len(restored.problems) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes on Windows")
def test_a_pipe_in_place_of_the_price_file_is_not_waited_for(tmp_path: Path):
    path = tmp_path / "prices.yaml"
    os.mkfifo(path)
    (problem,) = check_file(path)
    assert str(problem) == f"{path}: this file cannot be read: a device, pipe or socket, not a file"
    with pytest.raises(OSError, match="not a regular file"):
        read_price_text(ReadRequest(path, None, -1))
    loaded = load_prices(LoadRequest(path, None, have_prices=False, user_encodings=tuple))
    assert loaded.models
    assert loaded.instead == BUNDLED


def test_a_version_between_two_is_newer():
    assert is_newer({"version": 1.5}, 1)
    assert not is_newer({"version": 1.0}, 1)
    assert not is_newer({"version": "2"}, 1)
