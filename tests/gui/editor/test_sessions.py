"""Random sessions: see sessions.py. Hundreds of them were run once; these few are for every day."""

from __future__ import annotations

import pytest

from gui.editor import soft_document, text_transfer
from tests.gui.editor import sessions
from tests.thoroughness import mostly_deep


@pytest.mark.parametrize("seed", mostly_deep(range(40)))
def test_session(qapp, seed: int) -> None:
    sessions.run(seed, steps=50)


@pytest.mark.parametrize("seed", mostly_deep(range(1000, 1004), 1))
def test_session_with_the_real_limit(qapp, seed: int) -> None:
    sessions.run(seed, steps=30, limit=4096)


@pytest.mark.parametrize("seed", mostly_deep([32, 105, 107, 226, 456, 989, 1335, 2435]))
def test_sessions_that_failed_once(qapp, seed: int) -> None:
    sessions.run(seed, steps=80)


@pytest.mark.parametrize("seed", mostly_deep(range(2000, 2008), 2))
def test_sessions_whose_text_is_read_from_its_copy(qapp, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(soft_document, "_LONG", 0)
    sessions.run(seed, steps=50)


@pytest.mark.deep
@pytest.mark.parametrize("seed", mostly_deep(range(3000, 3020), 3))
def test_sessions_in_which_every_removal_is_a_large_step(qapp, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    for name in ("MUCH_UNITS", "FIRST_PART", "_SMALLEST_PART", "_LARGEST_PART"):
        monkeypatch.setattr(text_transfer, name, 7)
    sessions.run(seed, steps=50)
