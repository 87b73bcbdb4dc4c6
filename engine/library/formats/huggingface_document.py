"""Validated ``tokenizer.json`` for Hugging Face's library, reduced to the parts that determine tokens, and run there.

The library trusts the file completely: a replacement that doubles a text thirty times, a piece length of 0. So only
known kinds of steps are passed on to it (``steps_of``), with parameters that cannot make it fail or fill the memory.
The effects of its regular expressions are tested in a child process (``engine.library.formats.isolated_check``).

``read`` creates the document for the library. It omits truncation and padding, which change the count of a text, and
the post-processor that puts special tokens around a text.

Source: huggingface/tokenizers, src/normalizers, src/pre_tokenizers, src/decoders, src/models (0.23).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.errors import FormatError
from engine.library.formats.sentencepiece_model import check_charsmap_base64
from engine.library.formats.source import LibraryData, giving_up, member, parse_json, quoted, refusing, typed
from engine.library.formats.spelling import SPACE_MARK, bytes_of_piece, flattened, in_sequence
from engine.library.formats.tokenizer_data import LONGEST_PATTERN, MAX_TOKENS, check_dense, check_id
from engine.runtime.cancellation import interruptible

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_STEPS = 40
LONGEST_SPELLED_PATTERN = 10_000
"""Maximum length of a pattern in characters, with ``[...]`` counted as one, since a class may be spelled out as a
thousand ranges (``engine.library.formats.spelling``)."""

LONGEST_REPLACEMENT = 64
MAX_GROWTH = 64
"""Maximum factor by which all replacements together may lengthen a text."""

_CLASS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL)

_NORMALIZERS = (
    *("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Strip", "BertNormalizer", "Nmt", "ByteLevel"),
    *("Replace", "Prepend", "Precompiled"),
)
_PRE_TOKENIZERS = (
    *("BertPreTokenizer", "ByteLevel", "CharDelimiterSplit", "Digits", "FixedLength", "Metaspace", "Punctuation"),
    *("Split", "UnicodeScripts", "Whitespace", "WhitespaceSplit"),
)
_DECODERS = (*("BPEDecoder", "ByteFallback", "ByteLevel", "CTC", "Fuse", "Metaspace", "Replace", "Strip", "WordPiece"),)
_KNOWN = {"normalizer": _NORMALIZERS, "pre_tokenizer": _PRE_TOKENIZERS, "decoder": _DECODERS}
_LONGEST_TEXTS = {"prepend": 64, "replacement": 16, "prefix": 64, "suffix": 64, "delimiter": 4, "content": 64}


def steps_of(document: dict[str, Any], part: str) -> list[dict[str, Any]]:
    """Return the steps of a part (``normalizer``, ``pre_tokenizer``, ``decoder``) in order, each validated. Raises
    FormatError."""
    steps = flattened(document.get(part), part)
    if len(steps) > MAX_STEPS:
        raise FormatError(f"{part}: {len(steps)} steps; the limit is {MAX_STEPS}")
    growth = 1
    for step in steps:
        _check(step, part)
        if step["type"] == "Replace":
            growth *= max(1, len(step["content"]))
    if growth > MAX_GROWTH:
        raise FormatError(f"{part}: its replacements could make a text {growth:,} times as long")
    return steps


def _check(step: dict[str, Any], part: str) -> None:
    kind = str(step.get("type"))
    if kind not in _KNOWN[part]:
        raise FormatError(f"{part}: unknown step type {kind:.40}")
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
        check_charsmap_base64(step.get("precompiled_charsmap"), where)


def _check_pattern(pattern: dict[str, Any], where: str) -> None:
    text = pattern.get("String", pattern.get("Regex"))
    if not isinstance(text, str) or not text:
        raise FormatError(f"{where}: it has no pattern")
    if len(text) > LONGEST_PATTERN:
        raise FormatError(f"{where}: its pattern has more than {LONGEST_PATTERN:,} characters")
    if len(text) > LONGEST_SPELLED_PATTERN and len(_CLASS.sub("x", text)) > LONGEST_SPELLED_PATTERN:
        raise FormatError(f"{where}: its pattern has more than {LONGEST_SPELLED_PATTERN:,} characters")


LONGEST_PIECE = 4_096
"""Maximum length of a token in characters. A library may examine this many for every character of a text. The longest
published token, of an old tokenizer of Claude, has 1,024."""

LONGEST_WORD = 1_000
"""Maximum length of a word, in characters, in which WordPiece searches for tokens. Its time is quadratic in the
length."""

_MODEL_KEYS = {
    "BPE": (
        *("unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", "byte_fallback"),
        *("ignore_merges", "merges"),
    ),
    "WordPiece": ("unk_token", "continuing_subword_prefix", "max_input_chars_per_word"),
    "Unigram": ("unk_id", "byte_fallback"),
    "WordLevel": ("unk_token",),
}


@dataclass(frozen=True, slots=True)
class LibraryDocument:
    """A validated document. ``content``: the document for the library. ``model``: the kind of its model. ``pieces``:
    spelling of each ID's token there, including added tokens. ``tokens``: the bytes of each ID from 0 on, ``b""`` for
    unused ones. ``special_tokens``: text to ID. ``normalizers``: the types of the steps that change a text first.
    ``notes``: remarks for the user, in full sentences."""

    content: bytes
    model: str
    pieces: dict[int, str]
    tokens: list[bytes]
    special_tokens: dict[str, int]
    normalizers: tuple[str, ...]
    notes: tuple[str, ...]


def read(document: dict[str, Any]) -> LibraryDocument:
    """Return the document for the library. Raises FormatError, with the position."""
    model = member(document, "model", dict)
    kind = _kind_of(model)
    ids = _vocabulary(model, kind)
    added, specials = _added_tokens(document, ids)
    pieces = {token_id: piece for piece, token_id in (ids | added).items()}
    if not pieces:
        raise FormatError("model.vocab is empty")
    check_dense(pieces)
    normalizers = steps_of(document, "normalizer")
    pre_tokenizers, decoders = steps_of(document, "pre_tokenizer"), steps_of(document, "decoder")
    kept = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": document.get("added_tokens") or [],
        "normalizer": in_sequence(normalizers, "normalizer"),
        "pre_tokenizer": in_sequence(pre_tokenizers, "pre_tokenizer"),
        "post_processor": None,
        "decoder": in_sequence(decoders, "decoder"),
        "model": {"type": kind, "vocab": model["vocab"]}
        | {key: model[key] for key in _MODEL_KEYS[kind] if key in model},
    }
    notes = []
    if document.get("truncation") or document.get("padding"):
        notes.append("It truncates or pads texts. Here they are counted at their full length.")
    return LibraryDocument(
        _content(kept),
        kind,
        pieces,
        _tokens(pieces, set(added), kept),
        specials,
        tuple(step["type"] for step in normalizers),
        tuple(notes),
    )


def _content(document: dict[str, Any]) -> bytes:
    try:
        return json.dumps(document, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        near = error.object[max(0, error.start - 40) : error.start]
        raise FormatError(f"after {quoted(near)} it has half of a surrogate pair") from None


def _kind_of(model: dict[str, Any]) -> str:
    kind = model.get("type")
    if kind is None:  # like the library for old files
        kind = "BPE" if "merges" in model else "Unigram" if "unk_id" in model else "WordPiece"
    if not isinstance(kind, str) or kind not in _MODEL_KEYS:
        raise FormatError(f"model.type: unknown type {kind!s:.40}")
    if model.get("dropout"):
        raise FormatError("model.dropout is set: the tokenizer would split the same text differently each time")
    return kind


def _vocabulary(model: dict[str, Any], kind: str) -> dict[str, int]:
    """Return the ID of each piece, after checking all pieces and the model's requirements."""
    if kind == "Unigram":
        return _unigram(model)
    ids: dict[str, int] = {}
    for piece, token_id in interruptible(member(model, "vocab", dict, "model").items()):
        where = f"model.vocab: {quoted(piece)}"
        _check_piece(piece, where)
        ids[piece] = check_id(token_id, where)
    if len(set(ids.values())) < len(ids):
        raise FormatError("model.vocab: two tokens have the same id")
    unknown = model.get("unk_token")
    if (unknown is not None or kind != "BPE") and (not isinstance(unknown, str) or unknown not in ids):
        raise FormatError(f"model.unk_token: {quoted(unknown)} is not in the vocabulary")
    for key in ("continuing_subword_prefix", "end_of_word_suffix"):
        if len(typed(model.get(key) or "", str, f"model.{key}")) > 16:
            raise FormatError(f"model.{key} has more than 16 characters")
    if kind == "WordPiece":
        longest = typed(model.get("max_input_chars_per_word", 100), int, "model.max_input_chars_per_word")
        if not 0 < longest <= LONGEST_WORD:
            raise FormatError(f"model.max_input_chars_per_word is {longest}; the limit is {LONGEST_WORD:,}")
    if kind == "BPE":
        _check_merges(model, ids)
    return ids


def _unigram(model: dict[str, Any]) -> dict[str, int]:
    vocabulary = member(model, "vocab", list, "model")
    ids: dict[str, int] = {}
    for number, entry in enumerate(interruptible(vocabulary)):
        where = f"model.vocab[{number}]"
        if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], str):
            raise FormatError(f"{where} is not a token and its score")
        _check_piece(entry[0], where)
        if type(entry[1]) not in (int, float) or not math.isfinite(entry[1]):
            raise FormatError(f"{where}: {quoted(entry[1])} is not a score")
        ids[entry[0]] = check_id(number, where)  # the last of equal ones is used, as in the library
    unknown = model.get("unk_id")
    if type(unknown) is not int or not 0 <= unknown < len(vocabulary):
        raise FormatError(
            f"model.unk_id: {quoted(unknown)} is not the id of a token, and one for unknown text is needed"
        )
    return ids


def _check_piece(piece: str, where: str) -> None:
    if len(piece) > LONGEST_PIECE:
        raise FormatError(f"{where} has {len(piece):,} characters; tokens have up to {LONGEST_PIECE:,}")
    try:
        piece.encode("utf-8")
    except UnicodeEncodeError:
        raise FormatError(f"{where} is half of a surrogate pair") from None


def pair_of(merge: object, where: str) -> tuple[str, str]:
    """Return the two tokens of a merge, which are a list, or a text with a space between them. Raises FormatError."""
    words = merge.split(" ") if isinstance(merge, str) else merge
    if not isinstance(words, list) or len(words) != 2 or not all(isinstance(word, str) for word in words):
        raise FormatError(f"{where} is not a pair of tokens")
    return words[0], words[1]


def _check_merges(model: dict[str, Any], ids: dict[str, int]) -> None:
    prefix = model.get("continuing_subword_prefix") or ""
    for number, merge in enumerate(interruptible(member(model, "merges", list, "model"))):
        where = f"model.merges[{number}]"
        left, right = pair_of(merge, where)
        if left not in ids or right not in ids or left + right[len(prefix) :] not in ids:
            raise FormatError(f"{where}: {quoted(f'{left} and {right}')} are not tokens that merge into a token")


def _added_tokens(document: dict[str, Any], ids: dict[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Return all added tokens, and the special ones among them: text to ID."""
    added: dict[str, int] = {}
    specials: dict[str, int] = {}
    entries = typed(document.get("added_tokens") or [], list, "added_tokens")
    if len(entries) > MAX_TOKENS:
        raise FormatError(f"added_tokens: there are {len(entries):,}")
    for number, entry in enumerate(entries):
        where = f"added_tokens[{number}]"
        token = typed(entry, dict, where)
        text = member(token, "content", str, where)
        _check_piece(text, where)
        token_id = check_id(member(token, "id", int, where), where)
        if not text or text in added:
            raise FormatError(f"{where}: {f'duplicate token {quoted(text)}' if text else 'empty token'}")
        if ids.get(text, token_id) != token_id:
            raise FormatError(f"{where}: the token {quoted(text)} has another id in model.vocab")
        added[text] = token_id
        if token.get("special"):
            specials[text] = token_id
    others = set(ids.values())
    taken = [text for text, token_id in added.items() if token_id in others and text not in ids]
    if taken or len(set(added.values())) < len(added):
        raise FormatError(f"added_tokens: the id of {quoted((taken or list(added))[0])} is that of another token")
    return added, specials


def _tokens(pieces: dict[int, str], added: set[str], document: dict[str, Any]) -> list[bytes]:
    steps = json.dumps([document["normalizer"], document["pre_tokenizer"]], ensure_ascii=False)
    has_letters = '"ByteLevel"' in steps
    mark = SPACE_MARK if SPACE_MARK in steps else ""
    has_bytes = bool(document["model"].get("byte_fallback"))
    tokens = [b""] * (max(pieces) + 1)
    for token_id, piece in interruptible(pieces.items()):
        if piece in added:
            tokens[token_id] = piece.encode("utf-8")
        else:
            tokens[token_id] = bytes_of_piece(piece, space_mark=mark, byte_pieces=has_bytes, byte_letters=has_letters)
    return tokens


# --- the library ------------------------------------------------------------------------------------------------------


def library_data_of(document: dict[str, Any], *notes: str) -> LibraryData:
    """Return a ``tokenizer.json`` as a tokenizer to be run by Hugging Face's library. Raises FormatError."""
    checked = read(document)
    return LibraryData(
        "tokenizers",
        checked.content,
        checked.tokens,
        partial(HuggingFaceTokenizer, checked),
        checked.normalizers,
        (*checked.notes, *notes),
        special_tokens=tuple(checked.special_tokens),
    )


class HuggingFaceTokenizer:
    """A ``LibraryTokenizer`` (``engine.encoding.library_encoding``) for a validated document. Text of a non-special
    added token always becomes that token, as in the library. Text of a special token is plain text here, unless
    ``LibraryEncoding`` was told to recognize it."""

    reader = "tokenizers"

    def __init__(self, document: LibraryDocument) -> None:
        """Load a document into the library. Raises FormatError if the library rejects it."""
        import tokenizers

        self.payload = document.content
        self.library = f"tokenizers {tokenizers.__version__}"
        self.model = document.model
        self.special_tokens = document.special_tokens
        self.tokens: Sequence[bytes] = document.tokens
        self._tokenizer = library_tokenizer(document.content)
        with refusing(self.library):
            theirs = self._tokenizer.get_vocab(with_added_tokens=True)
        for token_id, piece in document.pieces.items():
            if theirs.get(piece) != token_id:
                raise FormatError(
                    f"{self.library} gives the token {quoted(piece)} another id, {token_id}, than the file"
                )

    @classmethod
    def from_payload(cls, payload: bytes) -> HuggingFaceTokenizer:
        """Implement ``LibraryTokenizer``."""
        return cls(read(parse_json(payload)))

    def ids(self, text: str) -> list[int]:
        """Implement ``LibraryTokenizer``."""
        with giving_up(self.library):
            return self._tokenizer.encode(text, add_special_tokens=False).ids

    def ids_and_ends(self, text: str) -> tuple[list[int], list[int]]:
        """Implement ``LibraryTokenizer``."""
        with giving_up(self.library):
            encoded = self._tokenizer.encode(text, add_special_tokens=False)
            return encoded.ids, [end for _, end in encoded.offsets]

    def decode(self, ids: Sequence[int]) -> str:
        """Implement ``LibraryTokenizer``."""
        with giving_up(self.library):
            return self._tokenizer.decode(list(ids), skip_special_tokens=False)


def library_tokenizer(payload: bytes) -> Tokenizer:
    """Return the library's tokenizer, which treats special tokens in texts as plain text. Raises FormatError if the
    library rejects the payload."""
    import tokenizers

    with refusing("tokenizers"):
        tokenizer = tokenizers.Tokenizer.from_str(payload.decode("utf-8"))
        tokenizer.encode_special_tokens = True
    return tokenizer
