"""The text that is advised on, and what several searches need to know of it."""

from __future__ import annotations

from functools import cached_property

from gui.core.savings.edits import apart_from
from gui.core.savings.json_blocks import JsonBlock, json_blocks
from gui.core.savings.structure import Fence, Span, fences, json_regions, united
from gui.core.savings.types import Edit
from gui.core.savings.watch import Watch


class Prompt:
    """A text and how long may be searched in it. What is known of it is found once."""

    def __init__(self, text: str, watch: Watch) -> None:
        self.text, self.watch = text, watch

    @cached_property
    def fences(self) -> list[Fence]:
        """Fenced code blocks."""
        return fences(self.text)

    @cached_property
    def fence_spans(self) -> list[Span]:
        """Where they are, in characters."""
        return [(fence.char_start, fence.char_end) for fence in self.fences]

    @cached_property
    def json_blocks(self) -> list[JsonBlock]:
        """JSON objects and arrays. OutOfTime."""
        return json_blocks(self.text, json_regions(self.text, self.fences), self.watch)

    @cached_property
    def solid_spans(self) -> list[Span]:
        """What is one thing: fenced code and JSON."""
        return united([*self.fence_spans, *((block.char_start, block.char_end) for block in self.json_blocks)])

    def in_prose(self, edits: list[Edit]) -> list[Edit]:
        """The edits that touch neither fenced code nor JSON."""
        return apart_from(edits, self.solid_spans)
