"""Hugging Face's ``tokenizer.json`` of the byte-level BPE kind: GPT-2's letters for bytes, merges in order.

Character vocabularies with byte fallback are supported in the form that our own training produces
(``engine.library.formats.spelling``).

Source: huggingface/tokenizers, src/tokenizer/serialization.rs and src/models/bpe. There, text of an added token always
becomes that token; here only if special tokens are allowed.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.errors import FormatError
from engine.library.formats import spelling
from engine.library.formats.huggingface_document import library_data_of, pair_of
from engine.library.formats.source import ForLibrary, Found, OtherKindError, Source, member, quoted, typed
from engine.library.formats.tokenizer_data import (
    LONGEST_TOKEN,
    Merge,
    TokenizerData,
    agree,
    agree_where_words_are_first,
    check_id,
    merges_of_ranks,
)
from engine.runtime.cancellation import interruptible
from engine.text.normalization import STEPS
from engine.text.sentencepiece import SIGN, SIGN_IN_FRONT, SPACES_AS_SIGNS, signs_of

_STEPS = {
    "NFC": "NFC",
    "NFD": "NFD",
    "NFKC": "NFKC",
    "NFKD": "NFKD",
    "Lowercase": "lowercase",
    "StripAccents": "strip accents",
}
_SIGN_STEPS: dict[str, dict[str, Any]] = {
    SIGN_IN_FRONT: {"type": "Prepend", "prepend": SIGN},
    SPACES_AS_SIGNS: {"type": "Replace", "pattern": {"String": " "}, "content": SIGN},
}
_WRITTEN = {name: {"type": kind} for kind, name in _STEPS.items()} | _SIGN_STEPS


def steps_of(normalizer: object) -> tuple[str, ...]:
    """Return the names of the normalizer's steps in order. Raises OtherKindError for an unsupported step."""
    steps = tuple(_step_of(found) for found in spelling.flattened(normalizer, "normalizer"))
    if set(_SIGN_STEPS).intersection(signs_of(steps)[0]):
        raise OtherKindError(f"normalizer: Prepend and Replace of {SIGN} are only supported last, in this order")
    return steps


def _step_of(found: dict[str, Any]) -> str:
    for name, step in _SIGN_STEPS.items():
        if found == step:
            return name
    kind = str(found.get("type"))
    if kind not in _STEPS:
        raise OtherKindError(f"normalizer: a step of the type {kind:.40} is not supported")
    return _STEPS[kind]


def normalizer_of(steps: Sequence[str]) -> dict[str, Any] | None:
    """Return the ``normalizer`` for steps of these names. Raises FormatError for a step that it cannot represent."""
    if any(step not in _WRITTEN for step in steps):
        raise FormatError("Hugging Face's files cannot express how this encoding processes words")
    return spelling.in_sequence([_WRITTEN[step] for step in steps], "normalizer")


def decoders_of(steps: Sequence[str]) -> list[dict[str, Any]]:
    """Return the ``decoder`` stages that convert ``▁`` back to spaces in a text that is already joined."""
    stages: list[dict[str, Any]] = []
    if SPACES_AS_SIGNS in steps:
        stages.append({"type": "Replace", "pattern": {"String": SIGN}, "content": " "})
    if SIGN_IN_FRONT in steps:
        stages.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return stages


_OTHER_UNICODE = (
    "Hugging Face's library normalizes by the Unicode version that it was built with: recently added characters may "
    "come out otherwise there."
)

_IN_NO_TEXT = frozenset({0xC0, 0xC1, *range(0xF5, 0x100)})
"""Bytes that never occur in UTF-8. GPT-NeoX, MPT and DeepSeek LLM have no tokens for them."""


def read_source(source: Source) -> Found | None:
    """Return the content of the file, None for another format. Raises FormatError, with the position."""
    document = source.document
    is_own = isinstance(document.get("model"), dict) and "pre_tokenizer" in document
    return found_in(document) if is_own else None


def found_in(document: dict[str, Any]) -> Found:
    """Return the content of a document: a tokenizer for our own engine, or else for its library. Raises FormatError."""
    try:
        return Found(read(document), functools.partial(_for_library, document))
    except OtherKindError as error:
        return Found(library_data_of(document, *([error.note] if error.note else [])))
    except FormatError:
        if not document["model"].get("byte_fallback"):
            raise
        # Our own reader only supports the files that it writes itself; any error is detected again here.
        return Found(library_data_of(document))


def _for_library(document: dict[str, Any]) -> ForLibrary:
    data = library_data_of(document)
    return ForLibrary(data.payload, data.notes)


def read(document: dict[str, Any]) -> TokenizerData:
    """Return the tokenizer. Raises FormatError, with the position; OtherKindError if it is valid but our engine does
    not support its kind."""
    model = member(document, "model", dict)
    _check_kind(model)
    in_characters = bool(model.get("byte_fallback"))
    unspelled = spelling.unspelled_in_characters if in_characters else spelling.unspelled
    specials, notes = _added_tokens(document)
    ranks = _tokens(member(model, "vocab", dict, "model"), specials, unspelled)
    merges = _merges(member(model, "merges", list, "model"), ranks, unspelled)
    if in_characters:
        spelling.check_characters(ranks, merges)
    else:
        _check_bytes(ranks)
        if not model.get("ignore_merges"):
            notes += _leave_out_unmade(ranks, merges)
        if not (agree_where_words_are_first if model.get("ignore_merges") else agree)(merges, ranks):
            raise OtherKindError("model: no order of the ids reproduces its merges, so it cannot be opened")
    steps = steps_of(document.get("normalizer"))
    if _adds_tokens(document.get("post_processor")):
        notes.append("It adds special tokens around each text. They are framing and are not counted here.")
    expression = spelling.expression_of(document.get("pre_tokenizer"), in_characters=in_characters)
    return TokenizerData(expression, ranks, specials, steps, tuple(notes), in_characters)


def _check_bytes(ranks: dict[bytes, int]) -> None:
    """Raise OtherKindError if a byte has no token. Our engine needs all of them; the library drops such bytes."""
    missing = [value for value in range(256) if bytes([value]) not in ranks]
    lost = [value for value in missing if value not in _IN_NO_TEXT]
    note = ""
    if lost:
        others = f" and {len(lost) - 1} other bytes" if len(lost) > 1 else ""
        note = f"It has no token for the byte 0x{lost[0]:02x}{others}: they are lost from texts."
    if missing:
        raise OtherKindError(f"model.vocab: it has no token for {len(missing)} bytes", note)


def _check_kind(model: dict[str, Any]) -> None:
    kind = model.get("type", "BPE" if "merges" in model else None)
    if kind != "BPE":
        raise OtherKindError(f"model.type is {kind!s:.40}, not BPE")
    if model.get("continuing_subword_prefix") or model.get("end_of_word_suffix"):
        raise OtherKindError("model: it is BPE over characters with marks in words")
    if model.get("dropout"):
        raise FormatError("model.dropout is set: the tokenizer would split the same text differently each time")


def _added_tokens(document: dict[str, Any]) -> tuple[dict[str, int], list[str]]:
    specials: dict[str, int] = {}
    choosy = 0
    for number, entry in enumerate(typed(document.get("added_tokens") or [], list, "added_tokens")):
        where = f"added_tokens[{number}]"
        token = typed(entry, dict, where)
        text = member(token, "content", str, where)
        if text in specials:
            raise FormatError(f"{where}: duplicate token {quoted(text)}")
        specials[text] = check_id(member(token, "id", int, where), where)
        choosy += any(token.get(flag) for flag in ("single_word", "lstrip", "rstrip"))
    if len(set(specials.values())) < len(specials):
        raise FormatError("added_tokens: two tokens have the same id")
    if not choosy:
        return specials, []
    return specials, [f"{choosy} added tokens include adjacent whitespace or match only whole words; not here."]


def _tokens(
    vocabulary: dict[str, Any], specials: dict[str, int], unspelled: Callable[[str], bytes | None]
) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    for letters, token_id in interruptible(vocabulary.items()):
        if letters in specials:
            if specials[letters] != token_id:
                raise FormatError(f"model.vocab: {quoted(letters)} has another id than in added_tokens")
            continue
        token = unspelled(letters)
        if token is None:  # e.g. an emoji in Command R+: no text produces it, and the library accepts it
            raise OtherKindError(f"model.vocab: {quoted(letters)} is not a token in the byte alphabet")
        if not token or len(token) > LONGEST_TOKEN:
            raise FormatError(f"model.vocab: {quoted(letters)} is not a token in the byte alphabet")
        if token in ranks:
            raise FormatError(f"model.vocab: {quoted(letters)} and another token are spelled alike in bytes")
        ranks[token] = check_id(token_id, f"model.vocab: {quoted(letters)}")
    return ranks


def _merges(merges: list[Any], ranks: dict[bytes, int], unspelled: Callable[[str], bytes | None]) -> list[Merge]:
    found: list[Merge] = []
    for number, merge in enumerate(interruptible(merges)):
        where = f"model.merges[{number}]"
        words = pair_of(merge, where)
        parts = (unspelled(words[0]) or b"", unspelled(words[1]) or b"")
        left_id, right_id, token_id = (ranks.get(token, -1) for token in (*parts, b"".join(parts)))
        if min(left_id, right_id, token_id) < 0:
            raise FormatError(f"{where}: {quoted(' and '.join(words))} are not tokens that merge into a token")
        if found and token_id < found[-1][1]:
            raise OtherKindError(f"{where}: the ids do not follow the order of the merges, which is required here")
        found.append(((left_id, right_id), token_id))
    return found


def _leave_out_unmade(ranks: dict[bytes, int], merges: list[Merge]) -> list[str]:
    """Remove tokens that no merge forms, and return a note if there are any. The library never produces them from
    text."""
    made = {token_id for _, token_id in merges}
    unmade = [token for token, token_id in ranks.items() if len(token) > 1 and token_id not in made]
    for token in unmade:
        del ranks[token]
    return [f"{len(unmade):,} tokens that no merge produces are left out."] if unmade else []


def _adds_tokens(post_processor: object) -> bool:
    if not isinstance(post_processor, dict):
        return False
    if post_processor.get("type") == "Sequence":
        return any(map(_adds_tokens, typed(post_processor.get("processors") or [], list, "post_processor.processors")))
    return post_processor.get("type") != "ByteLevel"


def write_files(data: TokenizerData, path: Path, _name: str, _kind: str) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the content of the single file, as in ``engine.library.formats.table.Writer``. Raises FormatError."""
    content, losses = write(data)
    return {path.name: content}, losses


def write(data: TokenizerData) -> tuple[bytes, tuple[str, ...]]:
    """Return the content, and sentences about losses. Raises FormatError if the format cannot represent the data."""
    if len(set(data.special_tokens.values())) < len(data.special_tokens):
        raise FormatError("Hugging Face's files cannot contain two special tokens with the same id")
    in_characters = data.byte_fallback
    spelled = spelling.spelled_in_characters if in_characters else spelling.spelled
    tokens = {token_id: spelled(token) for token, token_id in data.ranks.items()}
    spellings = set(tokens.values())
    for text, token_id in data.special_tokens.items():
        if text in spellings:
            raise FormatError(
                f"Hugging Face's files cannot distinguish the special token {quoted(text)} from one spelled the same"
            )
        # They must be in the vocabulary too: otherwise a reader renumbers them after the last token.
        tokens[token_id] = text
    merges = spelling.merges_between_characters if in_characters else merges_of_ranks
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added_token(text, token_id) for text, token_id in _by_id(data.special_tokens)],
        "normalizer": normalizer_of(data.normalization),
        "pre_tokenizer": spelling.stages_of(data.pattern, in_characters=in_characters),
        "post_processor": None,
        "decoder": _decoder(data.normalization, in_characters=in_characters),
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": in_characters,
            # A pretoken that is in the vocabulary becomes that token. With characters, its merges always lead to
            # it, and "<0xE2>" in a text must not become a token.
            "ignore_merges": not in_characters,
            "vocab": {text: token_id for token_id, text in sorted(tokens.items())},
            "merges": [f"{tokens[left]} {tokens[right]}" for (left, right), _ in merges(data.ranks)],
        },
    }
    losses = (_OTHER_UNICODE,) if set(data.normalization) & set(STEPS) else ()
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8"), losses


def _decoder(steps: Sequence[str], *, in_characters: bool) -> dict[str, Any] | None:
    stages: list[dict[str, Any]] = [
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    ]
    if in_characters:
        stages = [{"type": "ByteFallback"}, {"type": "Fuse"}]
    return spelling.in_sequence(stages + decoders_of(steps), "decoder")


def _added_token(text: str, token_id: int) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": token_id, "content": text, **flags, "special": True}


def _by_id(tokens: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(tokens.items(), key=lambda item: item[1])
