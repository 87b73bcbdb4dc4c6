"""Each fuzzer for a moment. ``python -m benchmarks.fuzz`` runs them for long, with other seeds."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from engine.library import catalog
from tests.engine.library.formats.damage import worse_bytes
from tests.fuzzing.fuzzers import FUZZERS, OF_JSON, chosen
from tests.fuzzing.judging import MAX_SECONDS, Fuzzer, cases_of
from tests.thoroughness import mostly_deep

CASES = 60
FEWER = {"templates": 8, "patterns": 20, "price edits": 20, "searches": 20, "scenarios": 20, "profiles": 8}
"""What takes a process, or a search through a vocabulary, for each."""

TOKENIZERS = "tokenizers, "
"""Damaged bytes of these: ``tests.engine.library.formats.test_hostile_files``. Here are those whose values are others,
each tried in a process."""
FEWER |= {f"{TOKENIZERS}{importer}": 8 for importer in OF_JSON}
EVERY_DAY = 0.25
"""The part of these cases that is tried outside of the deep run."""
FEWEST = 8


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    yield
    catalog.own.cache_clear()


@pytest.mark.parametrize("share", [EVERY_DAY, pytest.param(1, marks=pytest.mark.deep)], ids=["some", "all"])
@pytest.mark.parametrize(
    "name", mostly_deep([name for name in FUZZERS if not name.startswith(TOKENIZERS) or name in FEWER], 2)
)
def test_nothing_is_found(name: str, share: float, tmp_path: Path, qapp: QApplication):
    number = max(FEWEST, int(share * FEWER.get(name, CASES)))
    cases = list(itertools.islice(cases_of(FUZZERS[name], tmp_path, seed=7), number))
    # How long it took is for the long runs to judge, on a machine that does nothing else.
    assert [case.finding for case in cases if case.finding and not case.finding.startswith("took")] == []
    assert len({case.content for case in cases}) > 5


def test_good_things_are_read(tmp_path: Path, qapp: QApplication):
    """Or nothing but the first look at them would be tested."""
    of_profile = ("session", "settings", "checkpoints", "own encodings", "own encodings, kept")
    for name in ("prices", "usage", "bodies, Gemini", "images", *of_profile, "ids", "typed ids"):
        fuzzer = FUZZERS[name]
        good = fuzzer.good(tmp_path)[0]
        assert list(fuzzer.feed(good, tmp_path) or ()) == [], name


def test_the_same_seed_is_the_same_case(tmp_path: Path):
    fuzzer = FUZZERS["usage"]
    first = [case.content for case in itertools.islice(cases_of(fuzzer, tmp_path, seed=3), 5)]
    assert next(cases_of(fuzzer, tmp_path, seed=3, first=4)).content == first[4]
    assert next(cases_of(fuzzer, tmp_path, seed=4)).content != first[0]


class OwnError(Exception):
    """The reader's own."""


def broken(content: bytes, _folder: Path) -> list[str]:
    """A reader that does everything wrong."""
    chance = random.Random(content)
    way = chance.randrange(6)
    if way == 0:
        raise KeyError("x")
    if way == 1:
        raise OwnError("Traceback (most recent call last)")
    if way == 2:
        raise OwnError("")
    if way == 3:
        raise OwnError("it is wrong somewhere")
    return ["x" * 2000] if way == 4 else ["line 1: it is wrong"]


def test_a_broken_reader_is_found(tmp_path: Path):
    fuzzer = Fuzzer(lambda _: [b"abcdefgh" * 9], (worse_bytes,), broken, (OwnError,), place=r"line \d")
    found = {case.finding for case in itertools.islice(cases_of(fuzzer, tmp_path, seed=1), 80)}
    assert {one.partition(" (")[0] for one in found} == {
        "",
        "KeyError: 'x'",
        "poor sentence: 'Traceback",
        "poor sentence: ''",
        "poor sentence: 'it is wrong somewhere'",
        f"poor sentence: {'x' * 300!r}",
    }


def test_a_slow_reader_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    clock = itertools.count(step=MAX_SECONDS + 0.5)
    monkeypatch.setattr("tests.fuzzing.judging._processor_seconds", lambda: float(next(clock)))
    fuzzer = Fuzzer(lambda _: [b"a"], (worse_bytes,), lambda *_: None)
    assert next(cases_of(fuzzer, tmp_path, seed=1)).finding == "took 2.5 s"


def test_fuzzers_are_chosen_by_their_name_or_the_first_part_of_it():
    assert list(chosen("prices")) == ["prices"]
    assert {name.partition(",")[0] for name in chosen("bodies")} == {"bodies"}
    assert len(chosen("bodies")) == 5
    assert all(list(chosen(name)) == [name] for name in FUZZERS), "a process for each ends"
    assert chosen("") == FUZZERS
    assert chosen("nothing") == {}
