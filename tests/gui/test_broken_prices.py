"""No broken price file of the collection changes the prices in force, the copy of the last good one, or itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui.services.price_files import KEPT, LAST_GOOD, LoadRequest, load_prices
from tests.thoroughness import mostly_deep

BROKEN = sorted((Path(__file__).parents[1] / "pricing" / "broken").glob("*.yaml"))
GOOD = b"version: 1\nmodels:\n  acme/mine: {price: {input: 2}}\n"


@pytest.mark.parametrize("path", mostly_deep(BROKEN, 12), ids=lambda path: path.stem)
def test_the_last_good_prices_stay(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    copy = tmp_path / "good.yaml"
    copy.write_bytes(GOOD)
    running = load_prices(LoadRequest(path, copy, have_prices=True))
    assert (running.models, running.instead) == (None, KEPT)
    assert running.problems
    starting = load_prices(LoadRequest(path, copy, have_prices=False))
    assert starting.instead == LAST_GOOD
    assert starting.problems == running.problems
    assert "acme/mine" in {model.id for model in starting.models}
    assert (path.read_bytes(), copy.read_bytes()) == (before, GOOD)
