"""Edits of a prompt that save tokens. Every offered saving was counted on the edited text. No Qt."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.runtime.cancellation import ENTRIES, interruptible
from engine.text.offsets import utf16_length
from gui.core.text_structure import (
    BEFORE_WORDS,
    Fence,
    JsonBlock,
    OutOfTime,
    Span,
    Watch,
    fences,
    json_blocks,
    json_regions,
    matches,
    paragraphs,
    united,
)
from gui.core.token_text import ADDED, REMOVED, Run, Runs, visible_text

if TYPE_CHECKING:
    import regex


class Edit(NamedTuple):
    """A replacement of the text between two character offsets by ``replacement``; never an insertion."""

    char_start: int
    char_end: int
    replacement: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of proposal. ``lossless``: True if the edits preserve the meaning for every reader."""

    name: str
    lossless: bool


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of edits, in tokens of one prompt.

    ``edits``: sorted, not overlapping, of the analysed text. The effect is that of all of them together.
    """

    edits: tuple[Edit, ...]
    tokens_before: int
    tokens_after: int

    @property
    def tokens_saved(self) -> int:
        """Tokens saved per prompt; negative if the edits add tokens."""
        return self.tokens_before - self.tokens_after


@dataclass(frozen=True, slots=True)
class Proposal:
    """Edits of one kind that save at least one token."""

    kind: Kind
    effect: Effect


@dataclass(frozen=True, slots=True)
class Advice:
    """Proposals, sorted by tokens saved, largest first. ``unfinished``: kinds whose search ran out of time."""

    tokens: int
    proposals: tuple[Proposal, ...]
    unfinished: tuple[Kind, ...]


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits, which are sorted and do not overlap."""
    chunks: list[str] = []
    parts: list[str] = []
    done = 0
    for start, end, replacement in interruptible(edits):
        parts += (text[done:start], replacement)
        done = end
        if len(parts) > ENTRIES:
            chunks.append("".join(parts))
            parts.clear()
    return "".join((*chunks, *parts, text[done:]))


def apart_from(edits: Sequence[Edit], spans: Sequence[tuple[Any, ...]]) -> list[Edit]:
    """Return the edits that overlap no span. Spans begin with (start, end), are sorted and do not overlap."""
    if not edits or not spans:
        return list(edits)
    starts, ends = (np.array([span[side] for span in spans], dtype=np.int64) for side in (0, 1))
    edit_starts, edit_ends = (np.array([edit[side] for edit in edits], dtype=np.int64) for side in (0, 1))
    first = np.searchsorted(ends, edit_starts, "right")  # the first span that ends after the start of the edit
    overlaps = np.append(starts, np.iinfo(np.int64).max)[first] < edit_ends
    return [edits[number] for number in np.flatnonzero(~overlaps).tolist()]


def united_edits(rows: Iterable[Sequence[Edit]]) -> tuple[Edit, ...]:
    """Merge rows of edits into one sorted row. Of overlapping edits, that of the earlier row is kept whole."""
    merged: list[Edit] = []
    for row in rows:
        if added := apart_from(row, merged):
            merged = sorted(merged + added)  # both lists are sorted, so this is a merge
    return tuple(merged)


class Prompt:
    """A text and the watch of its search. Its structure is found once and cached."""

    def __init__(self, text: str, watch: Watch) -> None:
        self.text, self.watch = text, watch

    @cached_property
    def fences(self) -> list[Fence]:
        """Fenced code blocks."""
        return fences(self.text)

    @cached_property
    def fence_spans(self) -> list[Span]:
        """Spans of the fenced code blocks, in characters."""
        return [(fence.char_start, fence.char_end) for fence in self.fences]

    @cached_property
    def json_blocks(self) -> list[JsonBlock]:
        """JSON objects and arrays. Raises OutOfTime."""
        return json_blocks(self.text, json_regions(self.text, self.fences), self.watch)

    @cached_property
    def solid_spans(self) -> list[Span]:
        """Spans that are not prose: fenced code and JSON."""
        return united([*self.fence_spans, *((block.char_start, block.char_end) for block in self.json_blocks)])

    def in_prose(self, edits: list[Edit]) -> list[Edit]:
        """Return the edits that touch neither fenced code nor JSON."""
        return apart_from(edits, self.solid_spans)


# --- searches ---------------------------------------------------------------------------------------------------------

MIN_CHUNK = 4096
"""Minimum size of a chunk, in characters."""
LONGEST_CLUSTER = 64
"""Maximum length of a cluster, in characters. Longer ones are not text (UAX #15 allows 30 marks) and slow to sort.
"""

_LOOK_ALIKES = {
    chr(point): unicodedata.normalize("NFKC", chr(point))
    for first, last in ((0xFB00, 0xFB06), (0xFF10, 0xFF19), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A))
    for point in range(first, last + 1)
}
"""Latin ligatures, and full-width digits and letters. Full-width punctuation is standard in Chinese and Japanese; other
compatibility characters (², ½, ™) carry meaning."""

_TYPOGRAPHIC = {
    **dict.fromkeys("“”„‟", '"'),
    **dict.fromkeys("‘’‚‛", "'"),
    **dict.fromkeys("‐‑‒–—―", "-"),
    "…": "...",
    "\xa0": " ",
    "\u202f": " ",
}

_INVISIBLE = dict.fromkeys("\u00ad\u200b\u2060\ufeff", "")
"""Without the joiners U+200C and U+200D: removing them would change words of Persian and Indic languages, and emoji."""


def decomposed(prompt: Prompt) -> list[Edit]:
    """Compose characters with separate combining marks, by NFC."""
    edits: list[Edit] = []
    if prompt.text.isascii():
        return edits
    for start, end in _chunks(prompt.text):
        prompt.watch.look()
        if _is_composed(prompt.text[start:end]):
            continue  # every part is composed too
        for match in prompt.watch.over(_may_change().finditer(prompt.text, start, end)):
            cluster = match.group()
            if len(cluster) <= LONGEST_CLUSTER and (composed := unicodedata.normalize("NFC", cluster)) != cluster:
                edits.append(Edit(match.start(), match.end(), composed))
    return edits


def look_alikes(prompt: Prompt) -> list[Edit]:
    """Replace ligatures and full-width letters and digits."""
    return prompt.in_prose(_replaced(prompt, _LOOK_ALIKES))


def typographic(prompt: Prompt) -> list[Edit]:
    """Replace typographic quotation marks, dashes, ellipses and spaces."""
    return prompt.in_prose(_replaced(prompt, _TYPOGRAPHIC))


def invisible(prompt: Prompt) -> list[Edit]:
    """Remove zero-width characters that join nothing."""
    return prompt.in_prose(_replaced(prompt, _INVISIBLE))


def _replaced(prompt: Prompt, table: dict[str, str]) -> list[Edit]:
    if prompt.text.isascii():
        return []
    found = matches(re.compile("[" + "".join(table) + "]"), prompt.text)
    return [Edit(*match.span(), table[match.group()]) for match in prompt.watch.over(found)]


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """Yield chunks that can be normalized separately: a line feed composes with nothing."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + MIN_CHUNK) + 1 or len(text)
        yield start, end
        start = end


def _is_composed(text: str) -> bool:
    """Return True if NFC changes nothing. The check is fast except for letters with thousands of marks, so long chunks
    are not checked."""
    return len(text) <= 4 * MIN_CHUNK and unicodedata.is_normalized("NFC", text)


@cache
def _may_change() -> regex.Pattern[str]:
    """Return a pattern for text that NFC can change: characters that it replaces by themselves, and any followed by a
    mark or by a Hangul vowel or final consonant."""
    import regex

    alone = "".join(
        character
        for character in map(chr, interruptible(range(0x300, sys.maxunicode + 1)))
        if not unicodedata.is_normalized("NFC", character)
    )
    marks = r"[\p{M}\u1161-\u1175\u11a8-\u11c2]"
    return regex.compile(rf"(?s:.){marks}++|[{alone}]")


SHORTEST_REPEATED = 40
"""Minimum length of a repeated passage, in characters. Shorter ones repeat by chance: headings, labels, greetings."""

SHORTEST_LINE = 8
_STRUCTURE = re.compile(r"[#|>]|[-*_=+\d]|.*[:{}\[\]()<>|]$")
"""Starts or ends of lines that repeat by design: headings, tables, lists, labels, code."""

_LINE = re.compile(r"[^\n]+\n?")


def repeated_passages(prompt: Prompt) -> list[Edit]:
    """Remove paragraphs, then lines of prose, that repeat an earlier one exactly. The first of each stays."""
    text = prompt.text
    whole = paragraphs(text, prompt.solid_spans)
    nexts = [*(start for start, _end in whole), len(text)][1:]
    again = [Edit(span[0], after, "") for span, after in _repeated(prompt, zip(whole, nexts, strict=True))]
    lines = ((match.span(), match.end()) for match in matches(_LINE, text))
    line_edits = [Edit(span[0], after, "") for span, after in _repeated(prompt, lines)]
    return list(united_edits([again, prompt.in_prose(line_edits)]))


def repeated_lines(prompt: Prompt) -> list[Edit]:
    """Remove repeated short lines of several words. The first stays."""
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
    """Remove HTML comments in prose, with their line if nothing else is on it."""
    text, end = prompt.text, 0
    edits: list[Edit] = []
    while (start := text.find("<!--", end)) >= 0 and (closing := text.find("-->", start + 4)) >= 0:
        if len(edits) % 1024 == 0:
            prompt.watch.look()
        end = closing + 3
        if (start == 0 or text[start - 1] == "\n") and text[end : end + 2] == "\r\n":
            end += 2
        elif (start == 0 or text[start - 1] == "\n") and text[end : end + 1] == "\n":
            end += 1
        edits.append(Edit(start, end, ""))
    return prompt.in_prose(edits)


def _repeated(
    prompt: Prompt, spans: Iterable[tuple[Span, int]], least: int = SHORTEST_REPEATED, below: int | None = None
) -> list[tuple[Span, int]]:
    """Return the spans whose text occurred before, each with the start of the next span. Uses hashes, so that different
    texts are never compared. ``least``, ``below``: bounds of their length, in characters."""
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


SHORTEST_BASE64 = 100
DIGITS_KEPT = 8

_BASE64 = re.compile(
    r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{60,}+(?:\r?\n[A-Za-z0-9+/]{60,}+)*+(?:\r?\n[A-Za-z0-9+/]{2,}+={1,2}|={1,2})?"
)
_NAMES = re.compile(
    r"(?<![0-9A-Za-z_-])(?:[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-fA-F]{32,128})(?![0-9A-Za-z_-])"
)
_NO_BASE64, _NO_NAME = re.compile(r"[^A-Za-z0-9+/=\r\n]"), re.compile(r"[^0-9A-Za-z_-]")


def base64_blobs(prompt: Prompt) -> list[Edit]:
    """Replace long Base64 (RFC 4648): upper and lower case letters and digits without a space."""
    edits = []
    for match in prompt.watch.over(matches(_BASE64, prompt.text, _NO_BASE64)):
        blob = match.group()
        if len(blob) >= SHORTEST_BASE64 and all(re.search(kind, blob) for kind in ("[A-Z]", "[a-z]", "[0-9]")):
            signs = len(blob) - blob.count("\n") - blob.count("\r") - blob.count("=")
            edits.append(Edit(*match.span(), f"[{signs * 3 // 4} bytes of base64 left out]"))
    return edits


def long_names(prompt: Prompt) -> list[Edit]:
    """Shorten UUIDs and hexadecimal digests to their first eight digits, unless others in the text share these."""
    names = list(prompt.watch.over(matches(_NAMES, prompt.text, _NO_NAME)))
    beginning_so: defaultdict[str, set[str]] = defaultdict(set)
    for match in names:
        beginning_so[match.group()[:DIGITS_KEPT].lower()].add(match.group().lower())
    return [
        Edit(match.start() + DIGITS_KEPT, match.end(), "")
        for match in names
        if len(beginning_so[match.group()[:DIGITS_KEPT].lower()]) == 1
    ]


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
"""Languages in which indentation has no meaning. Unlisted languages are left alone."""


def json_white_space(prompt: Prompt) -> list[Edit]:
    """Remove whitespace between the tokens of JSON. In JSON Lines each line is a block, so line ends stay."""
    blocks = prompt.watch.over(prompt.json_blocks)
    return [Edit(start, end, "") for block in blocks for start, end in block.gaps]


def trailing_spaces(prompt: Prompt) -> list[Edit]:
    """Remove trailing spaces in prose, except two or more spaces that break a line of a Markdown paragraph."""
    text, edits = prompt.text, []
    for match in prompt.watch.over(matches(_TRAILING, text)):
        start, end = match.span()
        if match.group().startswith("  ") and start > 0 and text[start - 1] != "\n" and _continues(text, end):
            continue
        edits.append(Edit(start, end, ""))
    return prompt.in_prose(edits)


def blank_lines(prompt: Prompt) -> list[Edit]:
    """Collapse several blank lines into one."""
    edits = []
    for match in prompt.watch.over(matches(_BLANK_RUN, prompt.text, BEFORE_WORDS)):
        keep = "\r\n" if match.group().endswith("\r\n") else "\n"
        edits.append(Edit(match.start(), match.end(), keep))
    return prompt.in_prose(edits)


def indentation(prompt: Prompt) -> list[Edit]:
    """Remove the indentation of fenced code, only in languages in which it has no meaning."""
    return [
        Edit(match.start(), match.end(), "")
        for fence in prompt.fences
        if fence.language in _BRACE_LANGUAGES
        for match in prompt.watch.over(matches(_INDENTATION, prompt.text, start=fence.body_start, stop=fence.body_end))
    ]


def table_padding(prompt: Prompt) -> list[Edit]:
    """Remove spaces that only align the cells of Markdown tables, and shorten delimiter rows to three dashes per cell.

    A table is a row with pipes, a delimiter row, and the rows with pipes below it (GitHub Flavored Markdown 0.29,
    section 4.10).
    """
    text, done = prompt.text, 0
    edits: list[Edit] = []
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


def _continues(text: str, line_end: int) -> bool:
    """Return True if a non-empty line follows directly."""
    start = text.find("\n", line_end, line_end + 2) + 1
    stop = text.find("\n", start)
    return start > 0 and bool(text[start : len(text) if stop < 0 else stop].strip())


def _end_of_table(text: str, end: int) -> int:
    while (start := text.find("\n", end, end + 2) + 1) > 0:
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        if "|" not in text[start:stop]:
            break
        end = stop
    return end


LONGEST_BLOCK = 1 << 20
"""Maximum size of a list, in characters. Parsing a longer one holds the GIL for too long."""
FEWEST_ROWS = 2
FEWEST_CAPITALS = 8
"""Minimum number of letters. Shorter sequences are often adjacent abbreviations."""
_FENCE_WORDS = ("json", "jsonl", "ndjson")
_ALONE = re.compile(r"\bi\b")
_OPENING = " \t*_\"'“‘("
_LOOKED_BACK = 64


def json_as_csv(prompt: Prompt) -> list[Edit]:
    """Convert lists of flat objects with the same names, and lines of such objects, to CSV.

    Numbers stay as written. A fence labelled as JSON is relabelled as CSV.
    """
    edits = []
    for start, end, rows in _lists(prompt):
        table = _table(prompt, rows)
        if table is None:
            continue
        edits += _renamed_fence(prompt, start, end)
        edits.append(Edit(start, end, table))
    return edits


def _lists(prompt: Prompt) -> Iterator[tuple[int, int, list[Any]]]:
    """Yield the spans of lists, and their values; objects on consecutive lines form one list."""
    text = prompt.text
    lines: list[Any] = []
    start = end = 0
    for block in prompt.watch.over(prompt.json_blocks):
        value = _read(text, block)
        if isinstance(value, list):
            yield block.char_start, block.char_end, value
        elif isinstance(value, _Object):
            if lines and text[end : block.char_start] in ("\n", "\r\n"):
                lines.append(value)
            else:
                if len(lines) >= FEWEST_ROWS:
                    yield start, end, lines
                lines, start = [value], block.char_start
            end = block.char_end
    if len(lines) >= FEWEST_ROWS:
        yield start, end, lines


class _Object(dict[str, Any]):
    """An object without duplicate names."""


class _Literal(str):
    """A number, as written."""


def _read(text: str, block: JsonBlock) -> Any:
    if block.char_end - block.char_start > LONGEST_BLOCK:
        return None
    try:
        return json.loads(
            text[block.char_start : block.char_end],
            object_pairs_hook=_object,
            parse_int=_Literal,
            parse_float=_Literal,
        )
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, Any]]) -> Any:
    made = _Object(pairs)
    return made if len(made) == len(pairs) else None


def _table(prompt: Prompt, rows: list[Any]) -> str | None:
    """Return the rows as CSV with a header; None if they differ in structure."""
    if len(rows) < FEWEST_ROWS or not isinstance(rows[0], _Object) or not rows[0]:
        return None
    names = list(rows[0])
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(names)
    for row in prompt.watch.over(rows):
        if not isinstance(row, _Object) or row.keys() != rows[0].keys():
            return None
        cells = [_cell(row[name]) for name in names]
        if None in cells:
            return None
        writer.writerow(cells)
    return buffer.getvalue().removesuffix("\n")


def _cell(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return value if isinstance(value, str) else None


def _renamed_fence(prompt: Prompt, start: int, end: int) -> list[Edit]:
    text = prompt.text
    for fence in prompt.fences:
        if fence.body_start <= start and end <= fence.body_end:
            whole = not text[fence.body_start : start].strip() and not text[end : fence.body_end].strip()
            offset = text.find(fence.language, fence.char_start, fence.body_start) if whole else -1
            if fence.language in _FENCE_WORDS and offset >= 0:
                return [Edit(offset, offset + len(fence.language), "csv")]
    return []


def capitals(prompt: Prompt) -> list[Edit]:
    """Lower-case consecutive words in capitals. A single word may be an abbreviation."""
    text, edits = prompt.text, []
    for match in prompt.watch.over(matches(_capitals(), text)):
        if sum(map(str.isalpha, match.group())) < FEWEST_CAPITALS:
            continue
        before = text[max(0, match.start() - _LOOKED_BACK) : match.start()].rstrip(_OPENING)[-1:]
        words = match.group().lower()
        if before in ("", "\n", ".", "!", "?", ":", "#", "-"):
            words = words[:1].upper() + words[1:]
        words = _ALONE.sub("I", words)
        if words != match.group():
            edits.append(Edit(*match.span(), words))
    return prompt.in_prose(edits)


@cache
def _capitals() -> regex.Pattern[str]:
    """Return a pattern for two or more words in capitals, not inside a name such as MAX_SIZE, and not in code."""
    import regex

    word = r"\p{Lu}[\p{Lu}'’]*+"
    return regex.compile(rf"(?<![\w`$<{{/.\-]){word}(?:[ ,;]++{word})++(?![\w`>}}/])")


# --- suggestions ------------------------------------------------------------------------------------------------------

MAX_SECONDS = 20.0

Count = Callable[[str], int]
"""Counts the tokens of a text in the encoding in use, such as ``Encoding.count``."""

KINDS: tuple[tuple[Kind, Callable[[Prompt], list[Edit]]], ...] = (
    (Kind("repeated", lossless=False), repeated_passages),
    (Kind("repeated_lines", lossless=False), repeated_lines),
    (Kind("comments", lossless=False), comments),
    (Kind("base64", lossless=False), base64_blobs),
    (Kind("names", lossless=False), long_names),
    (Kind("json_csv", lossless=False), json_as_csv),
    (Kind("json", lossless=True), json_white_space),
    (Kind("table", lossless=True), table_padding),
    (Kind("blank_lines", lossless=True), blank_lines),
    (Kind("trailing", lossless=True), trailing_spaces),
    (Kind("indentation", lossless=False), indentation),
    (Kind("invisible", lossless=False), invisible),
    (Kind("nfc", lossless=True), decomposed),
    (Kind("look_alikes", lossless=False), look_alikes),
    (Kind("typographic", lossless=False), typographic),
    (Kind("capitals", lossless=False), capitals),
)
"""In order of precedence where their edits overlap."""


def advise(
    text: str, count: Count, watch: Watch | None = None, begin: Callable[[float, str], None] = lambda share, name: None
) -> Advice:
    """Return all proposals for a text, each with its effect if applied alone. Ties keep the order of ``KINDS``.

    ``begin`` is called with the share of the work that is done and the name of the next kind. Exceptions of ``count``
    and of the check of ``watch`` propagate.
    """
    watch = watch or Watch(MAX_SECONDS)
    before = count(text)
    prompt = Prompt(text, watch)
    proposals, unfinished = [], []
    for number, (kind, search) in enumerate(KINDS):
        begin(number / len(KINDS), kind.name)
        try:
            watch.look()
            found = search(prompt)
        except OutOfTime:
            unfinished.append(kind)
            continue
        effect = _effect(text, found, before, count)
        if effect.tokens_saved > 0:
            proposals.append(Proposal(kind, effect))
    proposals.sort(key=lambda proposal: -proposal.effect.tokens_saved)
    return Advice(before, tuple(proposals), tuple(unfinished))


def together(text: str, proposals: Iterable[Proposal], count: Count) -> Effect:
    """Return the combined effect of several proposals for this text, recounted.

    Where edits overlap, the proposal whose kind comes first in ``KINDS`` keeps its edit whole; the order of
    ``proposals`` does not matter.
    """
    order = [kind for kind, _search in KINDS]
    rows = sorted(proposals, key=lambda proposal: order.index(proposal.kind))
    return _effect(text, united_edits(one.effect.edits for one in rows), count(text), count)


def _effect(text: str, edits: Sequence[Edit], before: int, count: Count) -> Effect:
    return Effect(tuple(edits), before, count(edited(text, edits)) if edits else before)


# --- previews ---------------------------------------------------------------------------------------------------------

MAX_EDITS = 200
AROUND = 16
LONGEST_SHOWN = 60
"""Maximum number of characters shown before and after an edit; and of its removed or added text."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Preview of an edit: its line (from 1), its UTF-16 span, and the change in context, with visible characters."""

    line: int
    utf16_start: int
    utf16_end: int
    change: Runs


def previews(text: str, edits: Sequence[Edit]) -> tuple[Preview, ...]:
    """Return previews of the first ``MAX_EDITS`` edits."""
    made, line, offset, utf16 = [], 1, 0, 0
    for edit in interruptible(edits[:MAX_EDITS], every=1):
        between = text[offset : edit.char_start]
        line, offset, utf16 = line + between.count("\n"), edit.char_start, utf16 + utf16_length(between)
        utf16_end = utf16 + utf16_length(text[edit.char_start : edit.char_end])
        made.append(Preview(line, utf16, utf16_end, _change(text, edit)))
    return tuple(made)


def _change(text: str, edit: Edit) -> Runs:
    left = Run(visible_text(text[max(0, edit.char_start - AROUND) : edit.char_start]))
    right = Run(visible_text(text[edit.char_end : edit.char_end + AROUND]))
    gone = Run(_shortened(text, edit.char_start, edit.char_end), REMOVED)
    new = Run(_shortened(edit.replacement, 0, len(edit.replacement)), ADDED)
    return (left, gone, new, right) if edit.replacement else (left, gone, right)


def _shortened(text: str, start: int, end: int) -> str:
    """Return a span of a text, with its middle elided if it is long."""
    if end - start <= LONGEST_SHOWN:
        return visible_text(text[start:end])
    half = LONGEST_SHOWN // 2
    return f"{visible_text(text[start : start + half])} … {visible_text(text[end - half : end])}"
