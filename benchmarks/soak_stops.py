"""Stops that the watchdog of a soak reported, by code location."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gui.runtime.watchdog import Stop

ROOT = Path(__file__).resolve().parents[1]
FRAMES = 4
"""Number of innermost functions of ours that identify a location."""
_FRAME = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<function>.+)$', re.MULTILINE)
_END = "the window did not answer for"


@dataclass(frozen=True, slots=True)
class Place:
    """A code location with its stops, and the stacks of the longest of them."""

    name: str
    stops: tuple[Stop, ...]
    stacks: str

    @property
    def longest(self) -> float:
        """The longest stop of the window itself, in seconds."""
        return max(stop.own for stop in self.stops)


def places(stops: Sequence[Stop], said: str) -> list[Place]:
    """Return the locations of all stops, longest first. ``said``: the watchdog's output from its first stop on."""
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
    """Return our innermost functions in the last stack of a stop: alarms also go off just before a stop begins."""
    last = stack.rpartition("Stack (")[2]
    ours = []
    for frame in _FRAME.finditer(last):
        path = Path(frame["file"])
        if path.is_relative_to(ROOT):
            ours.append(f"{path.relative_to(ROOT)}:{frame['line']} {frame['function']}")
    return " < ".join(ours[:FRAMES]) or "outside of our own code"
