"""The tokenizer in the header of a GGUF file, as one of the formats that it was made from.

llama.cpp keeps the vocabulary, but only a name for the split pattern; of those, the ones whose pattern is known here
are taken. A vocabulary of the kind "llama" is a SentencePiece model's, one of the kind "gpt2" that of a tokenizer.json.

Source: ggml-org/llama.cpp, src/llama-vocab.cpp (llama_vocab::impl::load); ggml-org/ggml, docs/gguf.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from engine import patterns
from engine.errors import FormatError
from engine.formats import sentencepiece_model as models
from engine.formats.quoting import quoted
from engine.formats.refusals import PatternNeededError
from engine.formats.splits import stages_of
from engine.formats.tokenizer_data import MOST_TOKENS
from engine.still_wanted import while_wanted

_GGML = "tokenizer.ggml."
_SENTENCEPIECE = {"llama": models.BPE, "t5": models.UNIGRAM}
_CONTROL, _USER_DEFINED = models.CONTROL, models.USER_DEFINED

SPLITS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("llama3", "llama-v3", "llama-bpe", "falcon3"), patterns.LLAMA3_EXPRESSION),
        **dict.fromkeys(("gpt-2", "phi-2", "roberta-bpe", "mpt", "olmo", "jais", "exaone4"), patterns.GPT2.expression),
        **dict.fromkeys(("qwen2", "megrez", "deepseek-r1-qwen"), patterns.QWEN.expression),
        **dict.fromkeys(("gpt-4o", "llama4"), patterns.O200K.expression),
        "deepseek-v3": patterns.DEEPSEEK.expression,
        "tekken": patterns.TEKKEN.expression,
    }
)
"""Split pattern by its name there (tokenizer.ggml.pre)."""

_WHOLE_FIRST = ("llama3", "llama-v3", "llama-bpe", "falcon3", "tekken")
"""Of these a pretoken that is a token is that token, whatever its merges."""


def kind_of(values: Mapping[str, Any]) -> str:
    """The kind of its tokenizer, as llama.cpp calls it. FormatError."""
    kind = _text(values.get(_GGML + "model"))
    if kind is None:
        raise FormatError("it has no tokenizer: tokenizer.ggml.model is missing")
    if kind != "gpt2" and kind not in _SENTENCEPIECE:
        raise FormatError(
            f"its tokenizer is of the kind {quoted(kind)}, of which a GGUF file does not keep all that is needed; open "
            "the tokenizer file of the model"
        )
    return kind


def sentencepiece_of(values: Mapping[str, Any]) -> models.SentencePieceModel:
    """The model of a vocabulary of a kind of SentencePiece's. FormatError."""
    tokens, kinds = _tokens(values)
    scores = values.get(_GGML + "scores")
    if not isinstance(scores, tuple) or len(scores) != len(tokens):
        raise FormatError("tokenizer.ggml.scores is not as long as the list of tokens")
    pieces = [models.Piece(token, float(score), kind) for token, score, kind in zip(tokens, scores, kinds, strict=True)]
    rules = values.get(_GGML + "precompiled_charsmap", ())
    if not isinstance(rules, tuple) or not all(isinstance(one, int) for one in rules):
        raise FormatError("tokenizer.ggml.precompiled_charsmap is not a list of bytes")
    model = models.SentencePieceModel(
        pieces,
        _SENTENCEPIECE[kind_of(values)],
        byte_fallback=models.BYTE in kinds,
        rules=bytes(one & 0xFF for one in rules),
        space_first=bool(values.get(_GGML + "add_space_prefix", True)),
        spaces_joined=bool(values.get(_GGML + "remove_extra_whitespaces", False)),
    )
    models.check(model)
    return model


def document_of(values: Mapping[str, Any], pattern: str | None) -> dict[str, Any]:
    """The ``tokenizer.json`` of a vocabulary of the kind "gpt2". ``pattern``: its split pattern, else the one that the
    file names. FormatError, PatternNeededError for one that is not known here."""
    tokens, kinds = _tokens(values)
    ids = {token: number for number, token in enumerate(tokens)}
    if len(ids) < len(tokens):
        raise FormatError("two tokens are the same")
    merges = values.get(_GGML + "merges")
    if not isinstance(merges, list):
        raise FormatError("tokenizer.ggml.merges is missing, or is not a list of texts")
    named = _text(values.get(_GGML + "pre")) or "default"
    if pattern is None and named not in SPLITS:
        raise PatternNeededError(
            f"it calls its split pattern {quoted(named)}, and what that is is not known here. Name the pattern, or "
            "open the tokenizer.json of the model"
        )
    special = [number for number, kind in enumerate(kinds) if kind in (_CONTROL, _USER_DEFINED)]
    added = [
        {"id": number, "content": tokens[number], "special": kinds[number] == _CONTROL, "normalized": False}
        | dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
        for number in special
    ]
    return {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": stages_of(SPLITS[named] if pattern is None else pattern),
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE",
            "ignore_merges": named in _WHOLE_FIRST,
            "vocab": ids,
            "merges": [_decoded(merge, f"merge {number:,}") for number, merge in enumerate(while_wanted(merges))],
        },
    }


def _tokens(values: Mapping[str, Any]) -> tuple[list[str], list[int]]:
    """The tokens by id, and the kind of each."""
    tokens = values.get(_GGML + "tokens")
    if not isinstance(tokens, list) or not tokens:
        raise FormatError("tokenizer.ggml.tokens is missing, or is not a list of texts")
    if len(tokens) > MOST_TOKENS:
        raise FormatError(f"it has {len(tokens):,} tokens; up to {MOST_TOKENS:,} can be opened")
    kinds = values.get(_GGML + "token_type", (models.NORMAL,) * len(tokens))
    if not isinstance(kinds, tuple) or len(kinds) != len(tokens):
        raise FormatError("tokenizer.ggml.token_type is not as long as the list of tokens")
    return [_decoded(token, f"token {number:,}") for number, token in enumerate(while_wanted(tokens))], [
        int(kind) for kind in kinds
    ]


def _decoded(content: bytes, what: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError(f"{what} is not UTF-8") from None


def _text(value: object) -> str | None:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else None
