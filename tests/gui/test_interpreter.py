"""When the garbage collector rests, and what it looks at afterwards."""

from __future__ import annotations

import gc
from weakref import ref

from gui.interpreter import rest_collector, settle_collector


class Knot:
    """An object that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


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
