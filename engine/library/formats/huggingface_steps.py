"""Which steps of a ``tokenizer.json`` are handed on to Hugging Face's library, and within which bounds.

The library takes the file's word for everything: a replacement that doubles a text thirty times over, a piece length of
nothing. So only kinds of steps that are known here go on to it, with parameters that cannot make it fail or fill the
memory. What its regular expressions do to it is found out in a process of its own (``engine.library.formats.trial``).

Source: huggingface/tokenizers, src/normalizers, src/pre_tokenizers, src/decoders (0.23).
"""

from __future__ import annotations

import re
from typing import Any

from engine.errors import FormatError
from engine.library.formats import charsmap
from engine.library.formats.json_document import member, typed
from engine.library.formats.tokenizer_data import LONGEST_PATTERN

MOST_STEPS = 40
LONGEST_SPELLED_PATTERN = 10_000
"""Characters of a pattern as people write it: ``[...]`` counts as one, since a class may be spelled out as a thousand
ranges (``engine.library.formats.oniguruma``)."""

LONGEST_REPLACEMENT = 64
MOST_GROWTH = 64
"""A text may become so many times as long, by all replacements together."""

_CLASS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL)

_NORMALIZERS = (
    *("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Strip", "BertNormalizer", "Nmt", "ByteLevel"),
    *("Replace", "Prepend", "Precompiled", "Sequence"),
)
_PRE_TOKENIZERS = (
    *("BertPreTokenizer", "ByteLevel", "CharDelimiterSplit", "Digits", "FixedLength", "Metaspace", "Punctuation"),
    *("Split", "UnicodeScripts", "Whitespace", "WhitespaceSplit", "Sequence"),
)
_DECODERS = (
    *("BPEDecoder", "ByteFallback", "ByteLevel", "CTC", "Fuse", "Metaspace", "Replace", "Strip", "WordPiece"),
    "Sequence",
)
_INNER = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "decoder": "decoders"}
_KNOWN = {"normalizer": _NORMALIZERS, "pre_tokenizer": _PRE_TOKENIZERS, "decoder": _DECODERS}
_LONGEST_TEXTS = {"prepend": 64, "replacement": 16, "prefix": 64, "suffix": 64, "delimiter": 4, "content": 64}


def steps_of(document: dict[str, Any], part: str) -> list[dict[str, Any]]:
    """The steps of a part (``normalizer``, ``pre_tokenizer``, ``decoder``) in order, each checked. FormatError."""
    steps = _flattened(document.get(part), part)
    if len(steps) > MOST_STEPS:
        raise FormatError(f"{part}: it has {len(steps)} steps; up to {MOST_STEPS} are taken")
    growth = 1
    for step in steps:
        _check(step, part)
        if step["type"] == "Replace":
            growth *= max(1, len(step["content"]))
    if growth > MOST_GROWTH:
        raise FormatError(f"{part}: its replacements could make a text {growth:,} times as long")
    return steps


def _flattened(step: object, part: str) -> list[dict[str, Any]]:
    if step is None:
        return []
    found = typed(step, dict, part)
    kind = str(found.get("type"))
    if kind not in _KNOWN[part]:
        raise FormatError(f"{part}: a step of the type {kind:.40} is not known")
    if kind != "Sequence":
        return [found]
    return [one for inner in member(found, _INNER[part], list, part) for one in _flattened(inner, part)]


def _check(step: dict[str, Any], part: str) -> None:
    kind = step["type"]
    where = f"{part}, {kind}"
    for key, longest in _LONGEST_TEXTS.items():
        if key in step and len(typed(step[key], str, f"{where}: {key}")) > longest:
            raise FormatError(f"{where}: {key} has more than {longest} characters")
    if kind in ("Replace", "Split"):
        _check_pattern(member(step, "pattern", dict, where), where)
    if kind == "Replace":
        member(step, "content", str, where)
    if kind == "FixedLength" and not 0 < member(step, "length", int, where) < 1 << 31:
        raise FormatError(f"{where}: pieces cannot be {step['length']} characters long")
    if kind == "Strip" and part == "decoder":
        for key in ("start", "stop"):
            if not 0 <= member(step, key, int, where) < 1 << 16:
                raise FormatError(f"{where}: {key} is {step[key]}")
    if kind == "Precompiled":
        charsmap.check_base64(step.get("precompiled_charsmap"), where)


def _check_pattern(pattern: dict[str, Any], where: str) -> None:
    text = pattern.get("String", pattern.get("Regex"))
    if not isinstance(text, str) or not text:
        raise FormatError(f"{where}: it has no pattern")
    if len(text) > LONGEST_PATTERN:
        raise FormatError(f"{where}: its pattern has more than {LONGEST_PATTERN:,} characters")
    if len(text) > LONGEST_SPELLED_PATTERN and len(_CLASS.sub("x", text)) > LONGEST_SPELLED_PATTERN:
        raise FormatError(f"{where}: its pattern has more than {LONGEST_SPELLED_PATTERN:,} characters")
