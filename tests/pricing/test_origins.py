"""Every value knows who set it, and where."""

from __future__ import annotations

from pathlib import Path

import pricing
from pricing.catalog import bundled_position, origin_of

DATA = Path(pricing.__file__).parent / "data"


def test_values_of_the_user_have_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("version: 1\nmodels:\n  openai/o3:\n    price: {input: 1,\n      cached: null}\n    context: 5k\n")
    model = pricing.load_catalog(path).find("o3")
    assert origin_of(model, "price.input") == ("yours", pricing.Position(str(path), 4, 20))
    assert origin_of(model, "price.cached") == ("yours", pricing.Position(str(path), 5, 15))
    assert str(origin_of(model, "context")[1]) == f"{path}:6:14"
    assert origin_of(model, "price.reasoning") is None


def test_built_in_values_have_theirs() -> None:
    model = pricing.load_catalog().find("o3")
    origin, place = origin_of(model, "price.output")
    assert origin == "bundled"
    lines = (DATA / place.file).read_text(encoding="utf-8").splitlines()
    assert lines[place.line - 1][place.column - 1 :] == str(model.price.output)
    assert "openai/o3:" in "".join(lines[place.line - 6 : place.line])


def test_every_built_in_value_has_a_place() -> None:
    for model in pricing.load_catalog().models:
        for path in model.origin:
            assert bundled_position(model.id, path) is not None, (model.id, path)
    assert bundled_position("nobody/none", "price.input") is None
