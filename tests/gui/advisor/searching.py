"""What one search of the advisor makes of a text."""

from __future__ import annotations

from gui.core.savings import KINDS, Edit, Prompt, edited
from gui.core.text_structure import Watch


def found(name: str, text: str) -> list[Edit]:
    search = next(search for kind, search in KINDS if kind.name == name)
    edits = search(Prompt(text, Watch(float("inf"))))
    place = 0
    for edit in edits:
        assert place <= edit.char_start < edit.char_end <= len(text)
        assert text[edit.char_start : edit.char_end] != edit.replacement
        place = edit.char_end
    return edits


def after(name: str, text: str) -> str:
    return edited(text, found(name, text))
