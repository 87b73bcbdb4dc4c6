"""The encoders to compare with ours, prepared for the same vocabulary. Missing ones are listed.

pip install quicktok-v1 gigatoken fastokens tokenizers
"""

from __future__ import annotations

import base64
import importlib.util
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tiktoken

from engine.encoding.encoding import Encoding
from engine.split import patterns, reference

Fresh = Callable[[], Callable[[str, bytes], Any]]
"""Creates a new encoder; returns its function of a text and the same text as UTF-8."""


@dataclass(frozen=True)
class Peer:
    """An encoder to compare. ``fresh``: creates one.

    ``gives``: type of its result, IDs (list or array) or a count. ``most_bytes``: maximum size of texts for encoders
    that are a hundred times slower. ``remembers``: True if it may cache texts that it has seen. ``alone``: True if it
    gets a copy of a long text that no other encoder has seen.
    """

    name: str
    gives: str  # "list", "array" or "count"
    fresh: Fresh
    most_bytes: int | None = None
    remembers: bool = True
    alone: bool = False


def _same(result: Any, expected: list[int], gives: str) -> bool:
    if gives == "count":
        return bool(result == len(expected))
    return len(result) == len(expected) and bool((np.asarray(result) == np.asarray(expected)).all())


def difference(peer: Peer, texts: Sequence[str], expected: Sequence[list[int]]) -> str:
    """Return how the IDs of a peer differ from tiktoken's, or its error; empty if they are equal."""
    encode = peer.fresh()
    try:
        same = all(
            _same(encode(text, text.encode()), ids, peer.gives) for text, ids in zip(texts, expected, strict=True)
        )
    except Exception as error:  # noqa: BLE001  a peer's failure is a result
        return f"fails: {type(error).__name__}"
    return "" if same else "different ids"


def tiktoken_peer(encoding: Encoding) -> Peer:
    """Return tiktoken itself, with our copy of the vocabulary."""

    def fresh() -> Callable[[str, bytes], Any]:
        core = tiktoken.Encoding(
            encoding.name, pat_str=encoding._pat_str, mergeable_ranks=encoding._mergeable_ranks, special_tokens={}
        )
        return lambda text, _: core.encode_ordinary(text)

    return Peer("tiktoken", "list", fresh, remembers=False)


def _quicktok(encoding: Encoding, folder: Path) -> list[Peer]:
    import quicktok

    core = quicktok.get_encoding({"qwen": "qwen3"}.get(encoding.name, encoding.name))
    return [
        Peer("quicktok", "list", lambda: lambda text, _: core.encode_ordinary(text)),
        Peer("quicktok count", "count", lambda: lambda text, _: core.count(text)),
    ]


def _rank_file(encoding: Encoding, folder: Path) -> Path:
    path = folder / f"{encoding.name}.tiktoken"
    lines = (base64.b64encode(token) + b" %d\n" % rank for token, rank in encoding._mergeable_ranks.items())
    path.write_bytes(b"".join(lines))
    return path


def _gigatoken(encoding: Encoding, folder: Path) -> list[Peer]:
    import gigatoken

    kinds = {"r50k_base": "gpt2", "cl100k_base": "cl100k", "o200k_base": "o200k", "qwen": "qwen2"}
    if encoding.name not in kinds:
        return []
    path = _rank_file(encoding, folder)

    def fresh() -> Callable[[str, bytes], Any]:
        core = gigatoken.Tokenizer.from_tiktoken(path, pretokenizer=kinds[encoding.name])
        return lambda text, _: core.encode(text)

    return [Peer("gigatoken", "array", fresh)]


def _byte_letters() -> dict[int, str]:
    """Return the characters that Hugging Face represents bytes with."""
    kept = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [value for value in range(256) if value not in kept]
    return {value: chr(value) for value in kept} | {value: chr(256 + place) for place, value in enumerate(rest)}


def _tokenizer_json(encoding: Encoding) -> str:
    """Return the vocabulary in the format of Hugging Face's tokenizers, with merges derived from the ranks."""
    ranks = encoding._mergeable_ranks
    letters = _byte_letters()

    def written(token: bytes) -> str:
        return "".join(letters[value] for value in token)

    tokens = {rank: token for token, rank in ranks.items()}
    merges = []
    for _, token in sorted(tokens.items()):
        if len(token) > 1:
            last = reference.merge_steps(token, ranks)[-1]
            merges.append([written(tokens[last.left_id]), written(tokens[last.right_id])])
    split = {"type": "Split", "pattern": {"Regex": _for_oniguruma(encoding)}, "behavior": "Isolated", "invert": False}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    model = {"type": "BPE", "vocab": {written(token): rank for token, rank in ranks.items()}, "merges": merges}
    model |= {"dropout": None, "unk_token": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": True}
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [],
            "normalizer": None,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
            "post_processor": None,
            "decoder": byte_level,
            "model": model,
        }
    )


def _for_oniguruma(encoding: Encoding) -> str:
    """Return the pattern as in Hugging Face's files, without syntax that Oniguruma lacks."""
    published = {patterns.CL100K.expression: patterns.LLAMA3.expression}
    return published.get(encoding._pat_str, encoding._pat_str).replace("++", "+").replace("$", r"\z")


def _read_by_hugging_face(encoding: Encoding, folder: Path) -> Path:
    path = folder / f"{encoding.name}.json"
    if not path.exists():
        path.write_text(_tokenizer_json(encoding), encoding="utf-8")
    return path


def _tokenizers(encoding: Encoding, folder: Path) -> list[Peer]:
    import tokenizers

    path = _read_by_hugging_face(encoding, folder)

    def fresh() -> Callable[[str, bytes], Any]:
        core = tokenizers.Tokenizer.from_file(str(path))
        return lambda text, _: core.encode_batch_fast([text])[0].ids

    return [Peer("tokenizers, the first MB", "list", fresh, most_bytes=1_000_000, remembers=False)]


def _fastokens(encoding: Encoding, folder: Path) -> list[Peer]:
    import fastokens

    path = _read_by_hugging_face(encoding, folder)

    def fresh() -> Callable[[str, bytes], Any]:
        core = fastokens.Tokenizer.from_file(str(path))
        return lambda text, _: core.encode_ordinary(text)

    return [Peer("fastokens", "list", fresh)]


PEERS: Mapping[str, Callable[[Encoding, Path], list[Peer]]] = {
    "quicktok": _quicktok,
    "gigatoken": _gigatoken,
    "fastokens": _fastokens,
    "tokenizers": _tokenizers,
}
"""Functions that prepare a peer, by the name of its module."""


def peers_of(encoding: Encoding) -> tuple[list[Peer], dict[str, str]]:
    """Return all installed peers that support an encoding, and by name the reasons why others are missing."""
    peers: list[Peer] = []
    missing: dict[str, str] = {}
    folder = Path(tempfile.mkdtemp(prefix="tokenloupe-peers-"))
    for name, make in PEERS.items():
        if importlib.util.find_spec(name) is None:
            missing[name] = "not installed"
            continue
        try:
            made = make(encoding, folder)
        except Exception as error:  # noqa: BLE001  a peer that cannot be made ready is named
            missing[name] = f"{type(error).__name__}: {error}"
        else:
            peers += made
            if not made:
                missing[name] = "does not know this encoding"
    return peers, missing
