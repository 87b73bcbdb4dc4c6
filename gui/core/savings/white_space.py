"""White space that could go. Every search leaves line ends as they are, CRLF or LF."""

from __future__ import annotations

import re

from gui.core.savings.matching import BEFORE_WORDS, matches
from gui.core.savings.searched_text import Prompt
from gui.core.savings.types import Edit

_TRAILING = re.compile(r"(?<![ \t])[ \t]++(?=\r?\n|\Z)")
_BLANK_RUN = re.compile(r"(?:^[ \t]*+\r?\n){2,}+", re.MULTILINE)
_INDENTATION = re.compile(r"^[ \t]++(?=[^ \t\r\n])", re.MULTILINE)
_DELIMITER_ROW = re.compile(
    r"^[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+\r?$", re.MULTILINE
)
_CELL_PADDING = re.compile(r"(?<=[^ \\|]) {2,}+(?=\|)|(?<=\|) {2,}+(?!\|)")
_DASHES = re.compile(r"-{4,}+")

_BRACE_LANGUAGES = (
    *("c", "c++", "cpp", "cs", "csharp", "css", "dart", "go", "java", "javascript", "js", "jsx", "kotlin", "kt"),
    *("less", "php", "rs", "rust", "scala", "scss", "sql", "swift", "ts", "tsx", "typescript"),
)
"""Languages whose blocks are not told by indentation. Of any other it is not known."""


def json_white_space(prompt: Prompt) -> list[Edit]:
    """All between the tokens of JSON. Of lines of JSON each is a block, so the ends of lines stay."""
    blocks = prompt.watch.over(prompt.json_blocks)
    return [Edit(start, end, "") for block in blocks for start, end in block.gaps]


def trailing_spaces(prompt: Prompt) -> list[Edit]:
    """At ends of lines of prose, but for two spaces or more that break a line of a Markdown paragraph."""
    text, edits = prompt.text, []
    for match in prompt.watch.over(matches(_TRAILING, text)):
        start, end = match.span()
        if match.group().startswith("  ") and start > 0 and text[start - 1] != "\n" and _goes_on(text, end):
            continue
        edits.append(Edit(start, end, ""))
    return prompt.in_prose(edits)


def blank_lines(prompt: Prompt) -> list[Edit]:
    """Of several blank lines one stays."""
    edits = []
    for match in prompt.watch.over(matches(_BLANK_RUN, prompt.text, BEFORE_WORDS)):
        keep = "\r\n" if match.group().endswith("\r\n") else "\n"
        edits.append(Edit(match.start(), match.end(), keep))
    return prompt.in_prose(edits)


def indentation(prompt: Prompt) -> list[Edit]:
    """Of fenced code, only in languages in which it means nothing to the compiler."""
    return [
        Edit(match.start(), match.end(), "")
        for fence in prompt.fences
        if fence.language in _BRACE_LANGUAGES
        for match in prompt.watch.over(matches(_INDENTATION, prompt.text, start=fence.body_start, stop=fence.body_end))
    ]


def table_padding(prompt: Prompt) -> list[Edit]:
    """Spaces that only align the cells of Markdown tables, and dashes beyond three below their heads.

    A table is a row that has pipes, a row of dashes, and the rows below it that have pipes (GitHub Flavored Markdown
    0.29, section 4.10).
    """
    text, edits, done = prompt.text, [], 0
    for row in prompt.watch.over(matches(_DELIMITER_ROW, text)):
        head_start = text.rfind("\n", done, max(row.start() - 1, done)) + 1 or done
        if row.start() < done or "|" not in row.group() or "|" not in text[head_start : row.start()]:
            continue
        done = _end_of_table(text, row.end())
        for start, end, pattern, instead in (
            (head_start, row.start(), _CELL_PADDING, " "),
            (row.start(), row.end(), _DASHES, "---"),
            (row.end(), done, _CELL_PADDING, " "),
        ):
            edits += (Edit(*match.span(), instead) for match in matches(pattern, text, start=start, stop=end))
    return prompt.in_prose(edits)


def _goes_on(text: str, line_end: int) -> bool:
    """Whether another line of text follows at once."""
    start = text.find("\n", line_end, line_end + 2) + 1
    stop = text.find("\n", start)
    return start > 0 and bool(text[start : len(text) if stop < 0 else stop].strip())


def _end_of_table(text: str, place: int) -> int:
    while (start := text.find("\n", place, place + 2) + 1) > 0:
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        if "|" not in text[start:stop]:
            break
        place = stop
    return place
