"""Kinds of text as far as they matter for counting: its script, and whether it is code, JSON, other data or prose.

``kinds_of`` classifies short pieces separately, so a text that is partly prose and partly code counts as both. A text
that is too long to be examined completely is represented by a ``TextSample``: pieces spread evenly over it.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

PIECES = 40
PIECE_UTF16 = 1_000
"""A text of at most ``PIECES`` pieces of this length, in UTF-16 units, is examined completely."""


@dataclass(frozen=True, slots=True)
class TextSample:
    """Pieces of a text, in order. ``whole``: the pieces cover the whole text."""

    pieces: tuple[str, ...] = ()
    whole: bool = True


def sample_of(utf16_units: int, text_between: Callable[[int, int], str]) -> TextSample:
    """Return the sample of a text. ``text_between`` returns the text between two UTF-16 offsets."""
    spans = _spans(utf16_units)
    whole = utf16_units <= PIECES * PIECE_UTF16
    return TextSample(tuple(text_between(start, end) for start, end in spans), whole)


def sample_of_texts(texts: Sequence[str]) -> TextSample:
    """Return the sample of several texts, concatenated."""
    if len(texts) == 1 and texts[0].isascii():
        return sample_of(len(texts[0]), lambda start, end: texts[0][start:end])
    stored = b"".join(text.encode("utf-16-le", "surrogatepass") for text in texts)
    return sample_of(
        len(stored) // 2, lambda start, end: stored[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")
    )


def _spans(units: int) -> Iterator[tuple[int, int]]:
    """Yield the UTF-16 start and end of each piece."""
    if units <= PIECES * PIECE_UTF16:
        for start in range(0, units, PIECE_UTF16):
            yield start, min(units, start + PIECE_UTF16)
        return
    for number in range(PIECES):
        start = number * (units - PIECE_UTF16) // (PIECES - 1)
        yield start, start + PIECE_UTF16


# --- kinds ------------------------------------------------------------------------------------------------------------

Kind = Literal[
    "code",
    "json",
    "structured",
    "english",
    "latin",
    "chinese",
    "japanese",
    "korean",
    "cyrillic",
    "arabic",
    "devanagari",
    "other",
]
"""``structured``: keys and values, rows of a table, logs. ``latin``: prose in Latin letters, not English. ``other``:
another script, a mixture, or too little text."""

KINDS: tuple[Kind, ...] = get_args(Kind)

MIN_LETTERS = 20
_MOST = 0.6
_KANA_OF_JAPANESE = 0.1
_CODE_LINES = 0.2
"""Minimum share of lines that look like code: under 0.1 of the lines of prose do, over 0.2 of those of Python files (49
of 50 of this project's)."""

_MIN_QUOTES = 2
_JSON_QUOTES = 0.02
_QUOTES_IN_PLACE = 0.9
_KEYS = 0.1
_ENGLISH_WORDS = 0.12
_LETTERS_OF_PROSE = 0.8
_LONGEST_WORDS = 20
"""Maximum average length of a word in prose, in characters. Base64 and hashes exceed it."""

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("latin", re.compile("[\u00c0-\u024f\u1e00-\u1eff]+")),
    ("han", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")),
    ("kana", re.compile("[\u3040-\u30ff]+")),
    ("korean", re.compile("[\u1100-\u11ff\uac00-\ud7af]+")),
    ("cyrillic", re.compile("[\u0400-\u052f]+")),
    ("arabic", re.compile("[\u0600-\u06ff\u0750-\u077f]+")),
    ("devanagari", re.compile("[\u0900-\u097f]+")),
)
"""Runs of non-ASCII letters, by script."""

_LETTERS = re.compile(r"[^\W\d_]+")
_ASCII = re.compile("[\0-\x7f]+")
_NO_ASCII_LETTERS = bytes(code for code in range(256) if not chr(code).isalpha() or code > 127)
_WORD = re.compile(r"[A-Za-z']+")
_ENGLISH = frozenset(
    {
        *("the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "was"),
        *("with", "be", "by", "on", "not", "this", "are", "or", "from", "at", "which", "an"),
    }
)
_CODE_LINE = re.compile(
    r"[;{}]\s*$|^\s*(def|class|return|import|from\s+\S+\s+import|if\s*\(|for\s*\(|while\s*\(|else|elif|func|fn|let|var"
    r"|const|public|private|static|#include|#define|package|using|function|end$|//|/\*|\*/)\b|^\s*[\w.\[\]]+\s*(=|\+=|:=)"
    r"\s*\S|\)\s*:\s*$|=>|->"
)
_DATA_LINE = re.compile(
    r"^\s*(- +)?[\"']?[\w./-]+[\"']?(:(\s|$)|=(?!=))(?!.*[,;{(\[]\s*$)|^\s*#|^\[[^\]]+\]\s*$"
    r"|^.{0,40}?\b(\d{4}-\d\d-\d\d\b|\d{1,2}:\d\d:\d\d\b)|^\S*\b(DEBUG|INFO|WARN|WARNING|ERROR)\b"
)
"""A key and value as in YAML, INI files and headers; a comment or section header beside them; or a line of a log."""

_DATA_LINES = 0.6
_MIN_LINES = 4
_MIN_SEPARATORS = 2
_SEPARATORS = ",;\t|"
_QUOTE_IN_PLACE = re.compile(r'(?<=[{\[,:])"|"(?=[:,}\]])')


@dataclass(frozen=True, slots=True)
class TextKinds:
    """UTF-8 bytes of the examined text by kind, and the number of its bytes that are ASCII."""

    bytes_by_kind: tuple[tuple[Kind, int], ...]
    ascii_bytes: int


def kinds_of(pieces: Iterable[str]) -> TextKinds:
    """Return the kinds of a text given in pieces, largest first. The kinds of recent pieces are cached."""
    sizes: Counter[Kind] = Counter()
    plain = 0
    for piece in pieces:
        kind, size, ascii_bytes = _kind_and_sizes(piece)
        sizes[kind] += size
        plain += ascii_bytes
    return TextKinds(tuple((kind, size) for kind, size in sizes.most_common() if size), plain)


@functools.lru_cache(maxsize=128)
def _kind_and_sizes(piece: str) -> tuple[Kind, int, int]:
    """Return the kind, the bytes and the ASCII bytes of a piece."""
    size = len(piece) if piece.isascii() else len(piece.encode("utf-8", "surrogatepass"))
    return kind_of(piece), size, len(piece.encode("ascii", "ignore"))


def kind_of(text: str) -> Kind:
    """Return the kind of a text of some thousand characters. Examines all of them."""
    if _is_json(text):
        return "json"
    if _is_structured(text):
        return "structured"
    if _is_code(text):
        return "code"
    plain = _ascii_letters(text)
    others = "" if text.isascii() else _ASCII.sub("", text)
    letters = plain + _found(_LETTERS, others)
    if letters < MIN_LETTERS:
        return "other"
    counts = Counter({name: _found(pattern, others) for name, pattern in _SCRIPTS})
    counts["latin"] += plain
    if counts["kana"] + counts["han"] >= _MOST * letters:
        return "japanese" if counts["kana"] >= _KANA_OF_JAPANESE * letters else "chinese"
    name, most = counts.most_common(1)[0]
    if most < _MOST * letters:
        return "other"
    if name == "latin":
        return _latin(text, letters)
    return next((kind for kind in KINDS if kind == name), "other")


def _ascii_letters(text: str) -> int:
    """Return the number of ASCII letters in a text."""
    return len(text.encode("ascii", "ignore").translate(None, _NO_ASCII_LETTERS))


def _found(runs: re.Pattern[str], text: str) -> int:
    """Return the number of characters in a text that belong to the runs a pattern matches."""
    return sum(map(len, runs.findall(text))) if text else 0


def _is_json(text: str) -> bool:
    """Return True if quotes are placed as in JSON and some of them end a key. The text may start in mid-document."""
    quotes = text.count('"')
    if quotes < _MIN_QUOTES:
        return False
    dense = "".join(text.split())
    return (
        quotes >= _JSON_QUOTES * len(dense)
        and len(_QUOTE_IN_PLACE.findall(dense)) >= _QUOTES_IN_PLACE * (quotes - 1)
        and dense.count('":') >= _KEYS * quotes
    )


def _is_structured(text: str) -> bool:
    """Return True if most lines are data: keys and values, log lines, or rows with the same number of separators."""
    lines = [line for line in text.splitlines() if line.strip()]
    enough = _DATA_LINES * len(lines)
    if len(lines) < _MIN_LINES:
        return False
    if sum(bool(_DATA_LINE.search(line)) for line in lines) >= enough:
        return True
    for separator in _SEPARATORS:
        columns, rows = Counter(line.count(separator) for line in lines).most_common(1)[0]
        if columns >= _MIN_SEPARATORS and rows >= enough:
            return True
    return False


def _is_code(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) >= 2 and sum(bool(_CODE_LINE.search(line)) for line in lines) >= _CODE_LINES * len(lines)


def _latin(text: str, letters: int) -> Kind:
    if len(text) > _LONGEST_WORDS * max(1, len(text.split())):
        return "other"
    words = [word.lower() for word in _WORD.findall(text)]
    if sum(map(_ENGLISH.__contains__, words)) >= _ENGLISH_WORDS * len(words):
        return "english"
    signs = sum(map(len, text.split()))
    return "latin" if letters >= _LETTERS_OF_PROSE * signs else "structured"
