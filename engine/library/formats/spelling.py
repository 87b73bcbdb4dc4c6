"""Spellings of tokens and split patterns in files of other programs, and the corresponding bytes and patterns here.

GPT-2's files and tokenizer.json write each byte as a printable letter: printable Latin-1 for itself, every other byte
as a letter from U+0100 on (openai/gpt-2, src/encoder.py: bytes_to_unicode). SentencePiece writes ``▁`` for a space, and
``<0x0A>`` for a byte.

A tokenizer.json of a character vocabulary with byte fallback has text as it is, and a byte as ``<0xE2>``. Source:
huggingface/tokenizers, src/models/bpe/model.rs (``byte_fallback``) and src/decoders/byte_fallback.rs. There, bytes
never merge: a character is either in the vocabulary or spelled in bytes. Here, bytes merge to characters by way of
their prefixes, which are spelled as several bytes and have no meaning there. All ASCII characters are in the
vocabulary, so their bytes need no spelling of their own.

minbpe's files have one split pattern, for Python's module ``regex`` (``BY_MINBPE``). Hugging Face's files have a list
of stages, for Oniguruma, the regular expression engine of its library (``stages_of``, ``expression_of``); most of the
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
from engine.library.formats.source import OtherKindError, member, quoted, typed
from engine.library.formats.tokenizer_data import Merge, merges_of_ranks
from engine.split.expression import UnsupportedPatternError, parts_of
from engine.split.patterns import GPT2, PATTERNS
from engine.text.character_classes import CodePoints
from engine.text.sentencepiece import is_beginning

_PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_OTHERS = tuple(value for value in range(256) if value not in _PRINTABLE)
_LETTER_OF = {value: value for value in _PRINTABLE} | {value: 0x100 + index for index, value in enumerate(_OTHERS)}
_BYTE_OF = {letter: value for value, letter in _LETTER_OF.items()}
_LETTERS = frozenset(map(chr, _BYTE_OF))


def spelled(token: bytes) -> str:
    """Return the letters of a token."""
    return token.decode("latin-1").translate(_LETTER_OF)


def unspelled(letters: str) -> bytes | None:
    """Return the bytes that letters stand for, None if a letter stands for none."""
    return letters.translate(_BYTE_OF).encode("latin-1") if _LETTERS.issuperset(letters) else None


SPACE_MARK = "▁"
"""The character that SentencePiece and similar tokenizers write for a space (U+2581)."""

_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def bytes_of_piece(piece: str, *, space_mark: str = "", byte_pieces: bool = False, byte_letters: bool = False) -> bytes:
    """Return the bytes of a piece that is not a special token; b"" if it is empty.

    ``space_mark``: the character for a space. ``byte_pieces``: whether ``<0x0A>`` is a byte. ``byte_letters``: whether
    letters stand for bytes (``unspelled``).
    """
    if byte_pieces and (match := _BYTE_PIECE.fullmatch(piece)):
        return bytes([int(match[1], 16)])
    if byte_letters and (content := unspelled(piece)) is not None:
        return content
    return (piece.replace(space_mark, " ") if space_mark else piece).encode("utf-8")


# --- tokens of a character vocabulary with byte fallback --------------------------------------------------------------


_BYTE_RUN = re.compile("(?:<0x[0-9A-Fa-f]{2}>)+")


def spelled_in_characters(token: bytes) -> str:
    """Return the spelling of a token. Raises FormatError for text that looks like spelled bytes, and for bytes that are
    not text."""
    if is_beginning(token) or (len(token) == 1 and token[0] >= 0x80):
        return "".join(f"<0x{value:02X}>" for value in token)
    try:
        text = token.decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError("its tokens are not whole characters, which byte fallback requires") from None
    if _BYTE_RUN.fullmatch(text):
        raise FormatError(
            f"Hugging Face's files cannot distinguish the token {quoted(text)} from bytes spelled the same"
        )
    return text


def unspelled_in_characters(text: str) -> bytes | None:
    """Return the bytes that a spelling stands for, None if it is invalid."""
    if _BYTE_RUN.fullmatch(text):
        return bytes.fromhex(text.replace("<0x", "").replace(">", ""))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return None


def merges_between_characters(ranks: Mapping[bytes, int]) -> list[Merge]:
    """Return the merges of a vocabulary without those that form characters from bytes."""
    contents = {token_id: token for token, token_id in ranks.items()}
    return [(pair, made) for pair, made in merges_of_ranks(ranks) if not _is_of_one_character(contents[made])]


def check_characters(ranks: Mapping[bytes, int], merges: Sequence[Merge]) -> None:
    """Raise FormatError if merging bytes by their ranks would differ from the merges of such a file."""
    behind = max((token_id for token, token_id in ranks.items() if _is_of_one_character(token)), default=0)
    before = min((token_id for token, token_id in ranks.items() if not _is_of_one_character(token)), default=behind + 1)
    missing = [token for token in ranks if any(part not in ranks for part in _beginnings(token))]
    if before < behind or missing or merges_between_characters(ranks) != list(merges):
        raise FormatError(
            "model: it is BPE over characters with byte fallback, whose ids are in another order than here: such files "
            "of other programs cannot be opened yet"
        )


def _is_of_one_character(token: bytes) -> bool:
    return len(token) == 1 or is_beginning(token) or len(token.decode("utf-8", "replace")) == 1


def _beginnings(token: bytes) -> list[bytes]:
    """Return the prefixes from which the bytes of a one-character token are merged."""
    return [token[:size] for size in range(2, len(token))] if _is_of_one_character(token) else []


# --- split patterns ---------------------------------------------------------------------------------------------------


_SURROGATES = CodePoints.between(0xD800, 0xDFFF)
_ELEMENT = re.compile(r"\((?:\?(?:[:=!>]|<[=!]))?|\)|\{.*?\}|\\.|.", re.DOTALL)


def for_oniguruma(expression: str) -> str:
    """Return the pattern in Oniguruma's dialect. Raises UnsupportedPatternError."""
    written: list[str] = []
    open_groups: list[int] = []
    atom = 0  # index in `written` at which the operand of a repetition starts
    elements = list(_elements(expression))
    for index, element in enumerate(elements):
        following = elements[index + 1] if index + 1 < len(elements) else ""
        if isinstance(element, CodePoints):
            atom = len(written)
            written.append(_class(element))
        elif element.startswith("("):
            open_groups.append(len(written))
            written.append(element)
        elif element == ")":
            atom = open_groups.pop()
            written.append(element)
        elif element.startswith("{") and following in ("?", "+"):
            # There, "{2}?" would be optional, and "{2,3}+" would be repeated.
            least, _, most = element[1:-1].partition(",")
            counts = element if "," in element else f"{{{least},{most or least}}}"
            if following == "+":
                written.insert(atom, "(?>")
                written.append(counts + ")")
                elements[index + 1] = ""
            else:
                written.append(counts)
        else:
            written.append(r"\z" if element == r"\Z" else element)
    return "".join(written)


def _elements(expression: str) -> Iterator[str | CodePoints]:
    for part in parts_of(expression):
        if isinstance(part, CodePoints):
            yield part
        else:
            yield from _ELEMENT.findall(part)


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
_INNER = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "decoder": "decoders"}
_BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}


def flattened(step: object, part: str) -> list[dict[str, Any]]:
    """Return the steps of a part of a tokenizer.json (``normalizer``, ``pre_tokenizer``, ``decoder``) in order, without
    the sequences that hold them. Raises FormatError."""
    if step is None:
        return []
    found = typed(step, dict, part)
    if found.get("type") != "Sequence":
        return [found]
    return [one for inner in member(found, _INNER[part], list, part) for one in flattened(inner, part)]


def in_sequence(steps: list[dict[str, Any]], part: str) -> dict[str, Any] | None:
    """Return the part of a tokenizer.json that has these steps, None if there are none."""
    if len(steps) > 1:
        return {"type": "Sequence", _INNER[part]: steps}
    return steps[0] if steps else None


def stages_of(expression: str, *, in_characters: bool = False) -> dict[str, Any] | None:
    """Return the ``pre_tokenizer`` of a tokenizer.json for a pattern, None if it needs none. ``in_characters``: the
    vocabulary does not use the letters for bytes. Raises FormatError if the pattern cannot be represented."""
    if expression == GPT2.expression and not in_characters:
        return _BYTES | {"use_regex": True}
    stages = _splits_of(expression) + ([] if in_characters else [_BYTES | {"use_regex": False}])
    return in_sequence(stages, "pre_tokenizer")


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
        raise FormatError(f"Hugging Face's files cannot express its split pattern: {error}") from error


def _split(expression: str, *, matches_only: bool = False) -> dict[str, Any]:
    """Return a Split stage. ``matches_only`` drops text that the pattern does not match, like tiktoken."""
    behavior = "Removed" if matches_only else "Isolated"
    return {"type": "Split", "pattern": {"Regex": expression}, "behavior": behavior, "invert": matches_only}


def expression_of(pre_tokenizer: object, *, in_characters: bool = False) -> str:
    """Return the pattern equivalent to a ``pre_tokenizer``, for a vocabulary of characters or one of letters for bytes.
    Raises OtherKindError if there is none."""
    stages = flattened(pre_tokenizer, "pre_tokenizer")
    kinds = [str(stage.get("type")) for stage in stages]
    if in_characters:
        if len(kinds) > 1 or set(kinds) - {"Split"}:
            raise OtherKindError("pre_tokenizer: with BPE over characters only one Split is supported")
        return _one(stages[0]) if stages else WHOLE_TEXT
    if not kinds or kinds[-1] != "ByteLevel" or set(kinds[:-1]) - {"Split"}:
        named = ", ".join(kind[:40] for kind in kinds) or "nothing"
        raise OtherKindError(f"pre_tokenizer: only Split followed by ByteLevel is supported, this has {named}")
    last = stages.pop()
    if last.get("add_prefix_space", True):
        raise OtherKindError("pre_tokenizer: it adds a space before every text, which is not supported")
    cuts_again = last.get("use_regex", True)
    if not stages:
        return GPT2.expression if cuts_again else WHOLE_TEXT
    if cuts_again:
        raise OtherKindError("pre_tokenizer: splitting with both Split and ByteLevel is not supported")
    if len(stages) > 1:
        return _several(stages)
    return _one(stages[0])


def _several(stages: Sequence[dict[str, Any]]) -> str:
    for expression, known in _STAGES.items():
        expected = [_split(stage) for stage in known]
        if [{key: stage.get(key) for key in expected[0]} for stage in stages] == expected:
            return expression
    named = " and ".join(one.name for one in PATTERNS if len(one.stages) > 1)
    raise OtherKindError(f"pre_tokenizer: it splits in {len(stages)} stages; only those of {named} are supported")


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
        raise OtherKindError(f"pre_tokenizer: {quoted(unlike)} in its pattern has another meaning for Hugging Face")
    # Text that the pattern does not match is a separate piece there, but would be dropped here.
    return text if how[1] else f"(?:{text})|(?s:(?:(?!{text}).)+)"
