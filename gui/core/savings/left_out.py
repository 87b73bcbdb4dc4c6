"""Whole passages that could go: what is said twice, and comments."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gui.core.savings.edits import united_edits
from gui.core.savings.matching import matches
from gui.core.savings.searched_text import Prompt
from gui.core.savings.structure import Span, paragraphs
from gui.core.savings.types import Edit

SHORTEST_REPEATED = 40
"""Characters. Shorter lines come twice by chance: headings, labels, closing words."""

SHORTEST_LINE = 8
_STRUCTURE = re.compile(r"[#|>]|[-*_=+\d]|.*[:{}\[\]()<>|]$")
"""How lines begin or end that have to come again: headings, tables, lists, labels, code."""

_LINE = re.compile(r"[^\n]+\n?")


def repeated_passages(prompt: Prompt) -> list[Edit]:
    """Paragraphs that stood in the text before, word by word, and then lines of prose. The first of each stays."""
    text = prompt.text
    whole = paragraphs(text, prompt.solid_spans)
    nexts = [*(start for start, _end in whole), len(text)][1:]
    again = [Edit(span[0], after, "") for span, after in _repeated(prompt, zip(whole, nexts, strict=True))]
    lines = ((match.span(), match.end()) for match in matches(_LINE, text))
    line_edits = [Edit(span[0], after, "") for span, after in _repeated(prompt, lines)]
    return list(united_edits([again, prompt.in_prose(line_edits)]))


def repeated_lines(prompt: Prompt) -> list[Edit]:
    """Short lines of several words that stood in the text before. The first stays."""
    lines = ((match.span(), match.end()) for match in matches(_LINE, prompt.text))
    again = _repeated(prompt, lines, SHORTEST_LINE, SHORTEST_REPEATED)
    return prompt.in_prose(
        [
            Edit(start, after, "")
            for (start, end), after in again
            if " " in (words := prompt.text[start:end].strip()) and _STRUCTURE.match(words) is None
        ]
    )


def comments(prompt: Prompt) -> list[Edit]:
    """HTML comments in prose; with their line where they have it for themselves."""
    text, edits, place = prompt.text, [], 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        if len(edits) % 1024 == 0:
            prompt.watch.look()
        place = end + 3
        if (start == 0 or text[start - 1] == "\n") and text[place : place + 2] == "\r\n":
            place += 2
        elif (start == 0 or text[start - 1] == "\n") and text[place : place + 1] == "\n":
            place += 1
        edits.append(Edit(start, place, ""))
    return prompt.in_prose(edits)


def _repeated(
    prompt: Prompt, spans: Iterable[tuple[Span, int]], least: int = SHORTEST_REPEATED, below: int | None = None
) -> list[tuple[Span, int]]:
    """Those of the spans, each with where the next begins, whose text came before. By hash: no two are compared that
    differ. ``least``, ``below``: how long they are, in characters."""
    seen: set[str] = set()
    found = []
    for (start, end), after in prompt.watch.over(spans):
        words = prompt.text[start:end].strip()
        if len(words) < least or (below is not None and len(words) >= below):
            continue
        if words in seen:
            found.append(((start, end), after))
        seen.add(words)
    return found
