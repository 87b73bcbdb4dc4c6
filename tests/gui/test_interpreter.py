"""When the garbage collector rests, and what it looks at afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from gui.interpreter import rest_collector, settle_collector


class Knot:
    """An object that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def generations() -> Iterator[list[int]]:
    """The generations that are looked at from now on; afterwards the collector is as it was."""
    looked_at: list[int] = []

    def note(phase: str, about: dict[str, int]) -> None:
        if phase == "start":
            looked_at.append(about["generation"])

    threshold = gc.get_threshold()
    gc.collect()
    gc.callbacks.append(note)
    yield looked_at
    gc.callbacks.remove(note)
    gc.unfreeze()
    gc.set_threshold(*threshold)
    gc.enable()


def test_what_is_there_after_the_start_is_left_alone_without_a_look_at_it(generations):
    rest_collector()
    knot = Knot()
    before = ref(knot)
    del knot
    settle_collector()
    assert generations == []
    assert gc.isenabled()
    later = ref(Knot())
    gc.collect()
    assert later() is None
    assert before() is not None


def test_what_is_young_is_collected_before_more_is_left_alone(generations):
    settle_collector()
    old = Knot()
    gc.collect()
    generations.clear()
    weak_old, weak_young = ref(old), ref(Knot())
    del old
    settle_collector()
    assert weak_young() is None
    assert weak_old() is not None, "for this all objects would have been looked at"
    assert max(generations) == 1
