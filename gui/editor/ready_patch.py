"""The tokens of a big text, laid out by the worker as the editor keeps them. No Qt in here.

To copy three million tokens into arrays of one's own takes the GUI thread tens of milliseconds, most of them for memory
that nobody has touched yet. So a worker makes these arrays, and the editor takes them over.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from engine.types import TokenPatch

if TYPE_CHECKING:
    from gui.editor.token_spans import TokenSpans

MANY_TOKENS = 1 << 16
"""From so many on the arrays are made beforehand."""

ROOM = 1 << 16
"""For tokens of edits to come. More would be memory that nobody touched before the first edit far from the last one."""


@dataclass(frozen=True, slots=True)
class ReadyPatch(TokenPatch):
    """A patch of a whole text with ``spans``, the same tokens; they are empty once an editor took them over."""

    spans: TokenSpans


def ready_patch(patch: TokenPatch) -> TokenPatch:
    """A patch of a whole text, ready to be shown: itself where there are few tokens. For a worker thread."""
    count = len(patch.ids)
    if count < MANY_TOKENS:
        return patch
    from gui.editor.token_spans import TokenSpans

    length = patch.utf16_new_end
    spans = TokenSpans(length)
    spans.make_room(count + ROOM)
    spans.apply(0, length, patch.utf16_ends, patch.ids, patch.continues)
    spans.move_gap(0)  # a text that was just opened is edited at its start first
    return ReadyPatch(*(getattr(patch, field.name) for field in fields(patch)), spans)
