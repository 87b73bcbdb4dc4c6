"""Spellings of split patterns in the files of other programs, and the corresponding patterns of ours.

minbpe's files have one pattern, for Python's module ``regex`` (``BY_MINBPE``). Hugging Face's files have a list of
stages, for Oniguruma, the regular expression engine of its library (``stages_of``, ``expression_of``); most of the
known patterns mean the same there, and the others are respelled.

``for_oniguruma`` translates a pattern to Oniguruma's dialect (Ruby's), which differs from that of the Rust crates:
``^`` and ``$`` match at lines, ``(?m:`` means ``(?s:``, ``{1,3}+`` repeats a repetition, and ``[a--b]`` is not a
difference. So every class is written as ranges of code points, and possessive counted repetitions as atomic groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from engine.errors import FormatError
from engine.library.formats.validation import OtherKindError, member, quoted, typed
from engine.split.expression import UnsupportedPatternError, parts_of
from engine.split.patterns import GPT2, PATTERNS
from engine.text.character_classes import CodePoints

_SURROGATES = CodePoints.between(0xD800, 0xDFFF)
_SIGNS = re.compile(r"\((?:\?(?:[:=!>]|<[=!]))?|\)|\{.*?\}|\\.|.", re.DOTALL)


def for_oniguruma(expression: str) -> str:
    """Return the pattern in Oniguruma's dialect. Raises UnsupportedPatternError."""
    written: list[str] = []
    open_groups: list[int] = []
    atom = 0  # index in `written` at which the operand of a repetition starts
    signs = list(_signs(expression))
    for place, sign in enumerate(signs):
        following = signs[place + 1] if place + 1 < len(signs) else ""
        if isinstance(sign, CodePoints):
            atom = len(written)
            written.append(_class(sign))
        elif sign.startswith("("):
            open_groups.append(len(written))
            written.append(sign)
        elif sign == ")":
            atom = open_groups.pop()
            written.append(sign)
        elif sign.startswith("{") and following in ("?", "+"):
            # There, "{2}?" would be optional, and "{2,3}+" would be repeated.
            least, _, most = sign[1:-1].partition(",")
            counts = sign if "," in sign else f"{{{least},{most or least}}}"
            if following == "+":
                written.insert(atom, "(?>")
                written.append(counts + ")")
                signs[place + 1] = ""
            else:
                written.append(counts)
        else:
            written.append(r"\z" if sign == r"\Z" else sign)
    return "".join(written)


def _signs(expression: str) -> Iterator[str | CodePoints]:
    for part in parts_of(expression):
        if isinstance(part, CodePoints):
            yield part
        else:
            yield from _SIGNS.findall(part)


def _class(points: CodePoints) -> str:
    edges = (points - _SURROGATES).edges
    if not edges:
        return "(?!)"
    firsts, stops = edges[::2], edges[1::2]
    ranges = (
        _point(first) if stop == first + 1 else f"{_point(first)}-{_point(stop - 1)}"
        for first, stop in zip(firsts, stops, strict=True)
    )
    return f"[{''.join(ranges)}]"


def _point(point: int) -> str:
    character = chr(point)
    return character if character.isascii() and character.isalnum() else rf"\x{{{point:X}}}"


WHOLE_TEXT = "(?s:.+)"
"""The pattern of a tokenizer that does not split texts."""

BY_MINBPE: Mapping[str, str] = MappingProxyType({one.minbpe: one.expression for one in PATTERNS if one.minbpe})
"""minbpe's two own patterns (minbpe/regex.py), with ours that split every text in the same way."""

_STAGES = {one.expression: one.stages for one in PATTERNS if one.stages} | {
    alike: (alike,) for alike in (r"\S+|\s+", r"[^\r\n]+|[\r\n]+")
}
_HERE = {stages[0]: here for here, stages in _STAGES.items() if len(stages) == 1}
_UNLIKE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|(?P<unlike>[$^]|\}\+|\(\?\w*[ms]\w*[:)]|&&|--)", re.DOTALL)
_BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}


def stages_of(expression: str, *, in_characters: bool = False) -> dict[str, Any] | None:
    """Return the ``pre_tokenizer`` of a tokenizer.json for a pattern, None if it needs none. ``in_characters``: the
    vocabulary does not use the letters for bytes. Raises FormatError if the pattern cannot be represented."""
    if expression == GPT2.expression and not in_characters:
        return _BYTES | {"use_regex": True}
    stages = _splits_of(expression) + ([] if in_characters else [_BYTES | {"use_regex": False}])
    if len(stages) > 1:
        return {"type": "Sequence", "pretokenizers": stages}
    return stages[0] if stages else None


def several_stages_of(expressions: Sequence[str]) -> dict[str, Any]:
    """Return the ``pre_tokenizer`` for expressions in Oniguruma's dialect, each of which splits the pieces that the
    previous ones left, and keeps text that it does not match."""
    stages = [*map(_split, expressions), _BYTES | {"use_regex": False}]
    return {"type": "Sequence", "pretokenizers": stages}


def _splits_of(expression: str) -> list[dict[str, Any]]:
    if expression == WHOLE_TEXT:
        return []
    if expression in _STAGES:
        return [_split(stage) for stage in _STAGES[expression]]
    return [_split(_spelled_anew(expression), matches_only=True)]


def _spelled_anew(expression: str) -> str:
    try:
        return for_oniguruma(expression)
    except UnsupportedPatternError as error:
        raise FormatError(f"Hugging Face's files cannot hold its split pattern: {error}") from error


def _split(expression: str, *, matches_only: bool = False) -> dict[str, Any]:
    """Return a Split stage. ``matches_only`` drops text that the pattern does not match, like tiktoken."""
    behavior = "Removed" if matches_only else "Isolated"
    return {"type": "Split", "pattern": {"Regex": expression}, "behavior": behavior, "invert": matches_only}


def expression_of(pre_tokenizer: object, *, in_characters: bool = False) -> str:
    """Return the pattern equivalent to a ``pre_tokenizer``, for a vocabulary of characters or one of letters for bytes.
    Raises OtherKindError if there is none."""
    stages = _flattened(pre_tokenizer)
    kinds = [str(stage.get("type")) for stage in stages]
    if in_characters:
        if len(kinds) > 1 or set(kinds) - {"Split"}:
            raise OtherKindError("pre_tokenizer: of BPE over characters only one Split can be opened yet")
        return _one(stages[0]) if stages else WHOLE_TEXT
    if not kinds or kinds[-1] != "ByteLevel" or set(kinds[:-1]) - {"Split"}:
        named = ", ".join(kind[:40] for kind in kinds) or "nothing"
        raise OtherKindError(f"pre_tokenizer: only Split followed by ByteLevel can be opened, this has {named}")
    last = stages.pop()
    if last.get("add_prefix_space", True):
        raise OtherKindError("pre_tokenizer: it puts a space in front of every text, which is not supported")
    cuts_again = last.get("use_regex", True)
    if not stages:
        return GPT2.expression if cuts_again else WHOLE_TEXT
    if cuts_again:
        raise OtherKindError("pre_tokenizer: it splits twice, with Split and with ByteLevel, which is not supported")
    if len(stages) > 1:
        return _several(stages)
    return _one(stages[0])


def _several(stages: Sequence[dict[str, Any]]) -> str:
    for expression, known in _STAGES.items():
        expected = [_split(stage) for stage in known]
        if [{key: stage.get(key) for key in expected[0]} for stage in stages] == expected:
            return expression
    named = " and ".join(one.name for one in PATTERNS if len(one.stages) > 1)
    raise OtherKindError(f"pre_tokenizer: it splits in {len(stages)} stages, and only those of {named} are known")


def _one(stage: dict[str, Any]) -> str:
    pattern = member(stage, "pattern", dict, "pre_tokenizer")
    literal = pattern.get("String")
    text = re.escape(literal) if isinstance(literal, str) else member(pattern, "Regex", str, "pre_tokenizer.pattern")
    how = (stage.get("behavior"), bool(stage.get("invert")))
    if how not in (("Isolated", False), ("Removed", True)):
        raise OtherKindError(f"pre_tokenizer: a Split that is {how[0]!s:.20}, inverted {how[1]}, is not supported")
    if text in _HERE:
        return _HERE[text]
    unlike = next((match["unlike"] for match in _UNLIKE.finditer(text) if match["unlike"]), None)
    if unlike is not None:
        raise OtherKindError(
            f"pre_tokenizer: {quoted(unlike)} in its pattern means something else to Hugging Face than here"
        )
    # Text that the pattern does not match is a separate piece there, but would be dropped here.
    return text if how[1] else f"(?:{text})|(?s:(?:(?!{text}).)+)"


def _flattened(stage: object) -> list[dict[str, Any]]:
    if stage is None:
        return []
    found = typed(stage, dict, "pre_tokenizer")
    if found.get("type") != "Sequence":
        return [found]
    inner = member(found, "pretokenizers", list, "pre_tokenizer")
    return [part for one in inner for part in _flattened(one)]
