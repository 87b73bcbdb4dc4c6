"""The stops that the watchdog of a soak saw, by the place at which each was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gui.runtime.watchdog import Stop

ROOT = Path(__file__).resolve().parents[1]
FRAMES = 4
"""So many of the innermost functions of ours name a place."""
_FRAME = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<function>.+)$', re.MULTILINE)
_END = "the window did not answer for"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the window was during ``stops``: the stacks of the longest of them."""

    name: str
    stops: tuple[Stop, ...]
    stacks: str

    @property
    def longest(self) -> float:
        """Seconds of the window's own, of the longest."""
        return max(stop.own for stop in self.stops)


def places(stops: Sequence[Stop], said: str) -> list[Place]:
    """The places of all stops, that of the longest first. ``said``: what the watchdog wrote, from its first stop on."""
    stacks = [part.partition("\n")[2] if number else part for number, part in enumerate(said.split(_END))]
    found: dict[str, list[tuple[Stop, str]]] = {}
    for stop, stack in zip(stops, stacks, strict=False):
        found.setdefault(_name(stack), []).append((stop, stack))
    named = [
        Place(name, tuple(stop for stop, _ in those), max(those, key=lambda pair: pair[0].own)[1])
        for name, those in found.items()
    ]
    return sorted(named, key=lambda place: -place.longest)


def _name(stack: str) -> str:
    """The innermost functions of ours in the last stack of a stop: alarms also go off just before one begins."""
    last = stack.rpartition("Stack (")[2]
    ours = []
    for frame in _FRAME.finditer(last):
        path = Path(frame["file"])
        if path.is_relative_to(ROOT):
            ours.append(f"{path.relative_to(ROOT)}:{frame['line']} {frame['function']}")
    return " < ".join(ours[:FRAMES]) or "outside of our own code"
