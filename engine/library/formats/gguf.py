"""The tokenizer in the header of a GGUF file, llama.cpp's model format.

``read`` parses the keys and values of the header and returns those of the tokenizer. The tensors after the header are
never read. The other functions convert the values to the format from which the tokenizer was made.

llama.cpp stores the vocabulary, but only a name for the split pattern; names whose pattern is known here are supported
(``SPLITS``). A vocabulary of kind "llama" is that of a SentencePiece model (``sentencepiece_of``), one of kind "gpt2"
that of a tokenizer.json (``document_of``).

Source: ggml-org/ggml, docs/gguf.md (versions 2 and 3); ggml-org/llama.cpp, src/llama-vocab.cpp
(llama_vocab::impl::load).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from engine.errors import FormatError
from engine.library.bundled_encodings import expression_named
from engine.library.formats import huggingface_document
from engine.library.formats import sentencepiece_model as models
from engine.library.formats.huggingface import found_in
from engine.library.formats.source import Found, PatternNeededError, Source, quoted
from engine.library.formats.spelling import SPACE_MARK, several_stages_of, stages_of
from engine.library.formats.tokenizer_data import MAX_TOKENS
from engine.runtime.cancellation import interruptible
from engine.split.patterns import PATTERNS

MAGIC = b"GGUF"
LONGEST_HEADER = 64 << 20
"""Maximum size of a header in bytes. That of a model with 260,000 tokens and 600,000 merges has 20 MB."""
MAX_KEYS = 10_000
MAX_TEXTS = 2_500_000
"""Maximum number of texts in all lists together."""

_TEXT, _LIST = 8, 9
_NUMBERS: Mapping[int, str] = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_KEPT = ("tokenizer.ggml.", "general.name", "general.architecture")


def read_source(source: Source) -> Found | None:
    """Return the tokenizer of the header, None for another format. Raises FormatError, PatternNeededError."""
    if not source.content.startswith(MAGIC):
        return None
    values = read(source.content)
    kind = kind_of(values)
    if kind in BY_TOKENIZERS:
        return Found(huggingface_document.library_data_of(BY_TOKENIZERS[kind](values)))
    if kind != "gpt2":
        return Found(models.library_data_of(sentencepiece_of(values)))
    expression = None if source.pattern is None else expression_named(source.pattern)
    if expression is not None and len(expression) > huggingface_document.LONGEST_SPELLED_PATTERN:
        raise FormatError(
            f"the named pattern has more than {huggingface_document.LONGEST_SPELLED_PATTERN:,} characters"
        )
    return found_in(document_of(values, expression))


def read(header: bytes) -> dict[str, Any]:
    """Return the values that concern the tokenizer by key: numbers, texts (bytes), and lists of these.

    ``header``: the file from its start; it may end anywhere after the last value. Raises FormatError, with the
    position.
    """
    version, _, keys = _Reader(header, 4).numbers("<IQQ")
    if version >> 16:
        raise FormatError("big-endian, which is not supported")
    if version not in (2, 3):
        raise FormatError(f"unknown format version {version}; versions 2 and 3 can be read")
    if keys > MAX_KEYS:
        raise FormatError(f"the header has {keys:,} keys; the limit is {MAX_KEYS:,}")
    reader = _Reader(header, 24)
    values: dict[str, Any] = {}
    for _ in range(keys):
        key = reader.text().decode("utf-8", "replace")
        kept = key.startswith(_KEPT)
        value = reader.value(kept, f"the value of {quoted(key)}")
        if kept:
            if key in values:
                raise FormatError(f"duplicate key {quoted(key)}")
            values[key] = value
    return values


class _Reader:
    """Reads forward, never past the end."""

    def __init__(self, content: bytes, offset: int) -> None:
        self._content = content
        self._offset = offset
        self._texts = 0

    def numbers(self, form: str) -> tuple[Any, ...]:
        start = self._skip(struct.calcsize(form))
        return struct.unpack_from(form, self._content, start)

    def text(self) -> bytes:
        (size,) = self.numbers("<Q")
        start = self._skip(size)
        return self._content[start : start + size]

    def value(self, kept: bool, what: str) -> object:
        (kind,) = self.numbers("<I")
        if kind in _NUMBERS:
            return self.numbers("<" + _NUMBERS[kind])[0]
        if kind == _TEXT:
            return self.text()
        if kind != _LIST:
            raise FormatError(f"{what} has unknown type {kind}")
        kind, count = self.numbers("<IQ")
        if kind in _NUMBERS:
            size = struct.calcsize("<" + _NUMBERS[kind])
            start = self._skip(size * count)
            return struct.unpack_from(f"<{count}{_NUMBERS[kind]}", self._content, start) if kept else None
        if kind != _TEXT:
            raise FormatError(f"{what} is a list of unknown type {kind}")
        self._texts += count
        if self._texts > MAX_TEXTS:
            raise FormatError(f"{what}: its lists have more than {MAX_TEXTS:,} strings")
        texts = [self.text() for _ in interruptible(range(count))]
        return texts if kept else None

    def _skip(self, size: int) -> int:
        """Advance by ``size`` bytes, and return the offset at which they start."""
        start = self._offset
        if size > len(self._content) - start:
            if len(self._content) >= LONGEST_HEADER:
                raise FormatError(f"the header has more than {LONGEST_HEADER >> 20} MB, the limit for headers")
            raise FormatError(
                f"the file ends at offset {len(self._content):,}, before {size:,} bytes at offset {start:,}"
            )
        self._offset += size
        return start


# --- from metadata to a tokenizer -------------------------------------------------------------------------------------

_GGML = "tokenizer.ggml."
_GPT2_SPLIT = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
_DIGITS_FIRST = (r"\p{N}", _GPT2_SPLIT)
_SENTENCEPIECE = {"llama": models.BPE, "t5": models.UNIGRAM}
_PADDING = re.compile(r"\[PAD\d*\]")
_CONTROL, _USER_DEFINED = models.CONTROL, models.USER_DEFINED

_DEEPSEEK_WORDS = (
    r"\s?["
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373"
    "\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481"
    "\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b"
    "\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b"
    "\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb"
    "\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128"
    "\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4"
    "\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf"
    "\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3"
    "\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2\U000118a0-\U000118df"
    "\U0001e900-\U0001e943"
    "]+"
)
"""Letters of scripts that have upper and lower case."""

_DEEPSEEK_SIGNS = r"\s?" "[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+"
_HAN_HANGUL = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"

SPLITS: Mapping[str, str | tuple[str, ...]] = MappingProxyType(
    {
        **{name: known.expression for known in PATTERNS for name in known.gguf},
        **dict.fromkeys(("command-r", "starcoder", "refact"), _DIGITS_FIRST),
        "falcon": (r"[\p{P}\$\+<=>\^~\|`]+", _GPT2_SPLIT, "[0-9][0-9][0-9]"),
        "deepseek-llm": ("[\r\n]", _DEEPSEEK_WORDS, _DEEPSEEK_SIGNS, r"\s+$", _HAN_HANGUL, r"\p{N}+"),
        "deepseek-coder": ("[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _HAN_HANGUL, r"\p{N}"),
        "default": (r"[\p{P}\$\+<=>\^~\|]+", _GPT2_SPLIT, r"\p{N}+", "[0-9][0-9][0-9]"),
    }
)
"""Split pattern by its name in the file (tokenizer.ggml.pre), or several, each of which splits the pieces that the
previous ones left. From llama.cpp's src/llama-vocab.cpp, llm_tokenizer_bpe; "default" is its fallback for unknown
names."""

_WHOLE_FIRST = ("llama3", "llama-v3", "llama-bpe", "falcon3", "tekken")
"""Names for which a pretoken that is in the vocabulary becomes that token, whatever its merges."""


def kind_of(values: Mapping[str, Any]) -> str:
    """Return llama.cpp's name for the kind of tokenizer. Raises FormatError."""
    kind = _text(values.get(_GGML + "model"))
    if kind is None:
        raise FormatError("the file has no tokenizer: tokenizer.ggml.model is missing")
    if kind != "gpt2" and kind not in _SENTENCEPIECE and kind not in BY_TOKENIZERS:
        raise FormatError(
            f"its tokenizer has the type {quoted(kind)}, for which a GGUF file is not sufficient; open "
            "the tokenizer file of the model"
        )
    return kind


def sentencepiece_of(values: Mapping[str, Any]) -> models.SentencePieceModel:
    """Return the model of a vocabulary of a SentencePiece kind. Raises FormatError."""
    tokens, kinds = _tokens(values)
    scores = values.get(_GGML + "scores")
    if not isinstance(scores, tuple) or len(scores) != len(tokens):
        raise FormatError("tokenizer.ggml.scores is not as long as the list of tokens")
    kinds = _with_one_unknown(tokens, kinds)
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


def _with_one_unknown(tokens: list[str], kinds: list[int]) -> list[int]:
    """Return the kinds with padding as unused: early converters wrote ``[PAD32011]``, which fills a vocabulary up to a
    round size, as a further unknown piece (Phi-3)."""
    padding = [
        number for number, kind in enumerate(kinds) if kind == models.UNKNOWN and _PADDING.fullmatch(tokens[number])
    ]
    kinds = list(kinds)
    for number in padding:
        kinds[number] = models.UNUSED
    if models.UNKNOWN not in kinds and "<unk>" in tokens:  # written as a control piece
        kinds[tokens.index("<unk>")] = models.UNKNOWN
    return kinds


def document_of(values: Mapping[str, Any], pattern: str | None) -> dict[str, Any]:
    """Return the ``tokenizer.json`` of a vocabulary of kind "gpt2". ``pattern``: its split pattern; by default the one
    named in the file. Raises FormatError, or PatternNeededError if the pattern is not known here."""
    tokens, kinds = _tokens(values)
    ids, merges = _ids(tokens), _merges(values)
    named = _text(values.get(_GGML + "pre")) or "default"
    if pattern is None and named not in SPLITS:
        raise PatternNeededError(
            f"the split pattern {quoted(named)} is unknown here. Name the pattern, or "
            "open the tokenizer.json of the model"
        )
    return {
        "version": "1.0",
        "added_tokens": _added(tokens, kinds),
        "normalizer": None,
        "pre_tokenizer": _stages(SPLITS[named] if pattern is None else pattern),
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE",
            "ignore_merges": named in _WHOLE_FIRST,
            "vocab": ids,
            "merges": merges,
        },
    }


def _bert_document(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``tokenizer.json`` of a vocabulary of kind "bert", which is WordPiece.

    llama.cpp's converter writes "##ing" as "ing" and "the" as "▁the" (convert_hf_to_gguf.py, phantom), and its
    tokenizer converts to lower case and strips accents (llm_tokenizer_wpm_session::preprocess).
    """
    tokens, kinds = _tokens(values)
    pieces = [_word_piece(token, kind) for token, kind in zip(tokens, kinds, strict=True)]
    unknown_id = values.get(_GGML + "unknown_token_id")
    known = isinstance(unknown_id, int) and 0 <= unknown_id < len(pieces)
    return {
        "version": "1.0",
        "added_tokens": _added(pieces, kinds),
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": bool(values.get(_GGML + "normalizer.strip_accents", True)),
            "lowercase": bool(values.get(_GGML + "normalizer.lowercase", True)),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False},
        "model": {
            "type": "WordPiece",
            "unk_token": pieces[unknown_id] if isinstance(unknown_id, int) and known else "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": _ids(pieces),
        },
    }


def _word_piece(token: str, kind: int) -> str:
    if token.startswith(SPACE_MARK):
        return token[1:]
    if kind in (_CONTROL, models.UNKNOWN) or (len(token) > 2 and token[0] == "[" and token[-1] == "]"):
        return token
    return "##" + token


def _gemma4_document(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``tokenizer.json`` of a vocabulary of kind "gemma4": BPE over characters with byte fallback, spaces as
    ▁, split only at line ends (llama.cpp, LLAMA_VOCAB_PRE_TYPE_GEMMA4)."""
    tokens, kinds = _tokens(values)
    split = {"type": "Split", "pattern": {"Regex": r"[^\n]+|[\n]+"}, "behavior": "Isolated", "invert": False}
    space = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE_MARK}
    back = {"type": "Replace", "pattern": {"String": SPACE_MARK}, "content": " "}
    return {
        "version": "1.0",
        "added_tokens": _added(tokens, kinds),
        "normalizer": space,
        "pre_tokenizer": split,
        "decoder": {"type": "Sequence", "decoders": [back, {"type": "ByteFallback"}, {"type": "Fuse"}]},
        "model": {
            "type": "BPE",
            "unk_token": next(
                (token for token, kind in zip(tokens, kinds, strict=True) if kind == models.UNKNOWN), None
            ),
            "fuse_unk": True,
            "byte_fallback": models.BYTE in kinds,
            "ignore_merges": False,
            "vocab": _ids(tokens),
            "merges": _merges(values),
        },
    }


BY_TOKENIZERS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = MappingProxyType(
    {"bert": _bert_document, "gemma4": _gemma4_document}
)
"""Kinds that Hugging Face's library runs, with the function that returns their ``tokenizer.json`` and raises
FormatError."""


def _ids(tokens: list[str]) -> dict[str, int]:
    ids = {token: number for number, token in enumerate(tokens)}
    if len(ids) < len(tokens):
        raise FormatError("two tokens are the same")
    return ids


def _merges(values: Mapping[str, Any]) -> list[str]:
    merges = values.get(_GGML + "merges")
    if not isinstance(merges, list):
        raise FormatError("tokenizer.ggml.merges is missing, or is not a list of texts")
    return [_decoded(merge, f"merge {number:,}") for number, merge in enumerate(interruptible(merges))]


def _added(tokens: list[str], kinds: list[int]) -> list[dict[str, Any]]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return [
        {"id": number, "content": tokens[number], "special": kind == _CONTROL} | flags
        for number, kind in enumerate(kinds)
        if kind in (_CONTROL, _USER_DEFINED)
    ]


def _stages(split: str | tuple[str, ...]) -> dict[str, Any] | None:
    return stages_of(split) if isinstance(split, str) else several_stages_of(split)


def _tokens(values: Mapping[str, Any]) -> tuple[list[str], list[int]]:
    """Return the tokens by ID, and the kind of each."""
    tokens = values.get(_GGML + "tokens")
    if not isinstance(tokens, list) or not tokens:
        raise FormatError("tokenizer.ggml.tokens is missing, or is not a list of texts")
    if len(tokens) > MAX_TOKENS:
        raise FormatError(f"the file has {len(tokens):,} tokens; the limit is {MAX_TOKENS:,}")
    kinds = values.get(_GGML + "token_type", (models.NORMAL,) * len(tokens))
    if not isinstance(kinds, tuple) or len(kinds) != len(tokens):
        raise FormatError("tokenizer.ggml.token_type is not as long as the list of tokens")
    return [_decoded(token, f"token {number:,}") for number, token in enumerate(interruptible(tokens))], [
        int(kind) for kind in kinds
    ]


def _decoded(content: bytes, what: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError(f"{what} is not UTF-8") from None


def _text(value: object) -> str | None:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else None
