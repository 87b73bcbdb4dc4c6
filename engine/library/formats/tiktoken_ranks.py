"""``.tiktoken``: ranks only. Each line has the token in base64, a space and its ID (tiktoken/load.py).

The split pattern and the special tokens are stored in a small JSON file beside it, ``NAME.tiktoken.json``.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from engine.encoding.preprocessing_encoding import PreprocessingEncoding
from engine.errors import FormatError
from engine.library.bundled_encodings import DATA_DIR, ENTRIES, bundled, expression_named
from engine.library.formats.source import (
    Found,
    PatternNeededError,
    Source,
    content_of,
    member,
    parse_json,
    quoted,
    refuse_newer,
    typed,
)
from engine.library.formats.tokenizer_data import TokenizerData, check_id, token_in_base64
from engine.runtime.cancellation import interruptible

COMPANION_SUFFIX = ".json"
_FIRST_LINE = re.compile(rb"\s*[A-Za-z0-9+/]+={0,2} [0-9]{1,20}[ \t]*(?:[\r\n]|\Z)")
"""A token in base64 and its ID."""
_EMPTY = re.compile(rb"^=+ ([0-9]{1,20})\r?$", re.MULTILINE)
_FORMAT = "tokenloupe ranks"
_ID_ROOM = 32
"""Bytes at the end of a file of ranks that hold the last ID: at most 20 digits, and the line end."""


def companion_of(path: Path) -> Path:
    """Return the path of the JSON file that belongs to a ranks file."""
    return path.with_name(path.name + COMPANION_SUFFIX)


def read_source(source: Source) -> Found | None:
    """Return the content of the file, None if it does not begin like ranks, whatever its name (Llama 3, Llama 4 and
    Kimi K2 are published as ``tokenizer.model``). Raises FormatError, with the line; PatternNeededError."""
    return read_ranks_of(source) if _FIRST_LINE.match(source.content) else None


def read_ranks_of(source: Source) -> Found:
    """Return the ranks in any text, with their split pattern: from the companion file, that of the published file with
    the same content, or the one that the caller names. Raises FormatError, with the line; PatternNeededError."""
    path, content, pattern = source.path, source.content, source.pattern
    ranks, notes = read_ranks(content), notes_of(content)
    companion = companion_of(path)
    if companion.is_file():
        try:
            described = read_companion(content_of(companion), content)
        except FormatError as error:
            raise FormatError(f"the accompanying file {companion.name}: {error}") from error
        steps = tuple(described.get("normalization", ()))
        expression = expression_named(pattern or described["pattern"])
        specials, byte_fallback = described.get("special_tokens", {}), described.get("byte_fallback", False)
        return Found(TokenizerData(expression, ranks, specials, steps, notes, byte_fallback))
    published = _published().get(hashlib.sha256(content).hexdigest())
    if published is not None:
        known = bundled().get(published)
        steps = known.preparation.steps if isinstance(known, PreprocessingEncoding) else ()
        expression = expression_named(pattern or published)
        return Found(TokenizerData(expression, ranks, dict(known._special_tokens), steps, notes=notes))
    if pattern is None:
        raise PatternNeededError(
            f"the file has ranks but no split pattern. Choose a pattern, or put it into {companion.name} beside the "
            'file: {"pattern": "cl100k_base"}'
        )
    return Found(TokenizerData(expression_named(pattern), ranks, {}, notes=notes))


@functools.cache
def _published() -> dict[str, str]:
    """Return the encoding of each published ranks file by its SHA-256."""
    sources = json.loads((DATA_DIR / "manifest.json").read_bytes())
    encodings: dict[str, str] = {}
    for entry in ENTRIES:
        encodings.setdefault(f"{entry.ranks}.ranks", entry.name)
    return {source["raw_sha256"]: encodings[source["bundled"]] for source in sources}


def notes_of(content: bytes) -> tuple[str, ...]:
    """Return sentences about IDs that ``read_ranks`` skips."""
    return tuple(
        f"The id {int(found[1]):,} belongs to an empty token, which no text produces; it is left out."
        for found in _EMPTY.finditer(content)
    )


def read_ranks(content: bytes) -> dict[bytes, int]:
    """Return the ID of each token. An empty token, written ``=``, is skipped: Whisper's multilingual file has one,
    which tiktoken accepts but never produces. Raises FormatError, with the line."""
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(interruptible(content.splitlines()), 1):
        if not line:
            continue
        words = line.split(b" ")
        if len(words) != 2:
            raise FormatError(f"line {number}: expected a token in base64, a space and a number")
        if words[0] and not words[0].strip(b"=") and words[1].isdigit():
            continue
        token = token_in_base64(words[0], f"line {number}")
        if not words[1].isdigit() or len(words[1]) > 20:
            raise FormatError(f"line {number}: {quoted(words[1])} is not an id")
        if token in ranks:
            raise FormatError(f"line {number}: duplicate token")
        ranks[token] = check_id(int(words[1]), f"line {number}: the token")
    if not ranks:
        raise FormatError("the file is empty")
    return ranks


def read_companion(content: bytes, ranks_content: bytes) -> dict[str, Any]:
    """Return the validated content of the JSON file beside the ranks. Only ``pattern`` is required. Raises FormatError.

    If a process was killed after it had written this file but not yet the ranks, returns the previous content, stored
    as ``before``.
    """
    document = parse_json(content)
    refuse_newer(document)
    found = hashlib.sha256(ranks_content).hexdigest()
    before = document.get("before")
    if isinstance(before, dict) and before.get("sha256") == found != document.get("sha256"):
        document = before
    if document.get("sha256") not in (None, found):
        raise FormatError("it belongs to other ranks: their SHA-256 differs")
    if not member(document, "pattern", str):
        raise FormatError("the pattern is empty, so it matches no text")
    specials = typed(document.get("special_tokens", {}), dict, "special_tokens")
    for text, token_id in specials.items():
        check_id(token_id, f"the special token {quoted(text)}")
    steps = typed(document.get("normalization", []), list, "normalization")
    for step in steps:
        typed(step, str, "a step of normalization")
    typed(document.get("byte_fallback", False), bool, "byte_fallback")
    return document


def size_of_saved(described: dict[str, Any], ranks_content: bytes) -> int:
    """Return the ``n_vocab`` of ranks that this program saved, without reading them: their IDs are in ascending order.
    0 if another program saved them.

    ``described``: the content of their companion file, as ``read_companion`` returns it.
    """
    end = ranks_content[-_ID_ROOM:].split()
    if described.get("format") != _FORMAT or not end or not end[-1].isdigit():
        return 0
    specials: dict[str, int] = described.get("special_tokens", {})
    return max(int(end[-1]), *specials.values(), 0) + 1


def write_files(data: TokenizerData, path: Path, name: str, kind: str) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the ranks and the companion file, as in ``engine.library.formats.table.Writer``."""
    ranks, companion = write(data, name, kind)
    beside = companion_of(path).name
    what = "The split pattern and the special tokens"
    if data.normalization:
        what = "The split pattern, the special tokens and the normalization"
    return {path.name: ranks, beside: companion}, (f"{what} are in {beside}: this format cannot store them.",)


def write(data: TokenizerData, name: str, kind: str) -> tuple[bytes, bytes]:
    """Return the content of the ranks file, and of the companion file. ``kind``: ``trained`` or ``imported``."""
    tokens, ids = list(data.ranks), np.fromiter(data.ranks.values(), dtype=np.int64, count=len(data.ranks))
    order = np.argsort(ids)  # sorting pairs would block every other thread
    in_order = zip(order.tolist(), ids[order].tolist(), strict=True)
    ranks = b"".join(base64.b64encode(tokens[index]) + b" %d\n" % token_id for index, token_id in in_order)
    document: dict[str, Any] = {
        "format": _FORMAT,
        "name": name,
        "kind": kind,
        "sha256": hashlib.sha256(ranks).hexdigest(),
        "pattern": data.pattern,
        "special_tokens": data.special_tokens,
    }
    if data.normalization:
        document["normalization"] = list(data.normalization)
    if data.byte_fallback:
        document["byte_fallback"] = True
    return ranks, (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def with_before(companion: bytes, path: Path) -> bytes:
    """Return the companion file with its previous content included, for ranks that replace those in ``path``: the two
    files cannot be replaced in one step, and this way either combination is valid. Raises OSError."""
    there = companion_of(path)
    if not there.is_file() or not path.is_file():
        return companion
    try:
        before = read_companion(there.read_bytes(), path.read_bytes())
    except FormatError:
        return companion
    before.pop("before", None)
    document = parse_json(companion) | {"before": before}
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()
