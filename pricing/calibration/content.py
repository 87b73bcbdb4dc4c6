"""What kind of text this is, as far as it matters for counting: its script, and whether it is code or JSON."""

from __future__ import annotations

import re
from collections import Counter
from typing import Literal, get_args

Kind = Literal[
    "code", "json", "english", "latin", "chinese", "japanese", "korean", "cyrillic", "arabic", "devanagari", "other"
]
"""``latin``: prose in Latin letters that is not English. ``other``: another script, a mixture, too little to tell."""

KINDS: tuple[Kind, ...] = get_args(Kind)
SAMPLE = 20_000
"""How many characters are looked at, from the beginning."""

LEAST_LETTERS = 20
_MOST = 0.6
_KANA_OF_JAPANESE = 0.1
_CODE_LINES = 0.2
"""Of the lines of prose, fewer than 0.1 look like code; of those of Python files, more than 0.2 (49 of 50 of ours)."""

_JSON_MARKS = 0.02
_ENGLISH_WORDS = 0.12

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("latin", re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")),
    ("han", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")),
    ("kana", re.compile("[\u3040-\u30ff]")),
    ("korean", re.compile("[\u1100-\u11ff\uac00-\ud7af]")),
    ("cyrillic", re.compile("[\u0400-\u052f]")),
    ("arabic", re.compile("[\u0600-\u06ff\u0750-\u077f]")),
    ("devanagari", re.compile("[\u0900-\u097f]")),
)
_LETTER = re.compile(r"[^\W\d_]")
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
_JSON_MARK = re.compile(r'"\s*:|[{}\[\]],?\s*$|^\s*"', re.MULTILINE)


def kind_of(text: str) -> Kind:
    """The kind of a text, from its first 20,000 characters."""
    text = text[:SAMPLE]
    if _is_json(text):
        return "json"
    if _is_code(text):
        return "code"
    letters = len(_LETTER.findall(text))
    if letters < LEAST_LETTERS:
        return "other"
    counts = Counter({name: len(pattern.findall(text)) for name, pattern in _SCRIPTS})
    if counts["kana"] + counts["han"] >= _MOST * letters:
        return "japanese" if counts["kana"] >= _KANA_OF_JAPANESE * letters else "chinese"
    name, most = counts.most_common(1)[0]
    if most < _MOST * letters:
        return "other"
    if name == "latin":
        return "english" if _is_english(text) else "latin"
    return next((kind for kind in KINDS if kind == name), "other")


def _is_json(text: str) -> bool:
    start = text.lstrip()[:1]
    return start in {"{", "["} and len(_JSON_MARK.findall(text)) >= max(2, _JSON_MARKS * len(text))


def _is_code(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) >= 2 and sum(bool(_CODE_LINE.search(line)) for line in lines) >= _CODE_LINES * len(lines)


def _is_english(text: str) -> bool:
    words = [word.lower() for word in _WORD.findall(text)]
    return sum(word in _ENGLISH for word in words) >= _ENGLISH_WORDS * len(words)
