"""The bundled Unicode tables are those of the installed tiktoken, for every code point."""

from __future__ import annotations

import importlib.util
import types
from pathlib import Path

import numpy as np
import pytest

from engine.text import character_classes
from engine.text.character_classes import CATEGORIES, N_CODE_POINTS, WHITE_SPACE


@pytest.fixture(scope="module")
def probe() -> types.ModuleType:
    """The script that reads the tables out of tiktoken."""
    path = Path(__file__).resolve().parents[3] / "packaging" / "probe_unicode.py"
    spec = importlib.util.spec_from_file_location("probe_unicode", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.deep
def test_every_category_is_tiktokens(probe):
    ours = character_classes.load().categories()
    differing = np.flatnonzero(ours != probe.probe_categories())
    assert len(ours) == N_CODE_POINTS == 0x110000
    assert [hex(point) for point in differing[:20]] == []


@pytest.mark.deep
def test_case_folding_and_version_are_tiktokens(probe):
    assert list(character_classes.load().orbits) == probe.probe_orbits()
    assert character_classes.load().version == probe.probe_version()


def test_only_long_s_and_the_kelvin_sign_fold_to_ascii():
    beyond = {
        chr(point)
        for orbit in character_classes.load().orbits
        if any(other < 0x80 for other in orbit)
        for point in orbit
        if point >= 0x80
    }
    assert beyond == {"\u017f", "\u212a"}


def test_surrogates_count_as_the_replacement_character():
    categories = character_classes.load().categories()
    assert set(categories[0xD800:0xE000].tolist()) == {int(categories[0xFFFD])}


def test_white_space_is_separators_and_six_controls():
    table = character_classes.load()
    separators = np.flatnonzero(table.members(["Zs", "Zl", "Zp"])).tolist()
    assert sorted({*separators, *range(9, 14), 0x85}) == sorted(WHITE_SPACE)


def test_a_file_comes_back_as_it_was_packed():
    rng = np.random.default_rng(7)
    categories = rng.integers(0, len(CATEGORIES), 16).astype(np.uint8)[rng.integers(0, 16, 40).repeat(27_853)]
    categories = np.resize(categories, N_CODE_POINTS)
    table = character_classes.unpack(character_classes.pack((15, 1), categories, [(65, 97), (75, 107, 0x212A)]))
    assert table.version == (15, 1)
    assert table.orbits == ((65, 97), (75, 107, 0x212A))
    assert (table.categories() == categories).all()


@pytest.mark.deep
@pytest.mark.parametrize("damage", [b"", b"junk", "short", "cut"])
def test_a_damaged_file_is_refused(damage):
    import zlib

    content = character_classes.pack((16, 0), np.zeros(N_CODE_POINTS, dtype=np.uint8), [])
    if damage == "short":
        damage = zlib.compress(b"TL")
    elif damage == "cut":
        damage = zlib.compress(zlib.decompress(content)[:-1])
    with pytest.raises(ValueError, match=r"zlib|short|Unicode"):
        character_classes.unpack(damage)
