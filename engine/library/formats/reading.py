"""What is in a tokenizer file of any known format, recognised by its content; checked, but not yet made an encoding."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.encoding.prepared_encoding import PreparedEncoding
from engine.errors import FormatError
from engine.library.bundled_encodings import DATA_DIR, ENTRIES, bundled
from engine.library.formats import (
    gguf,
    huggingface,
    js_tiktoken,
    json_document,
    kept_tokenizer,
    minbpe,
    sentencepiece_model,
    tekken,
    tiktoken_ranks,
)
from engine.library.formats.huggingface_document import LONGEST_SPELLED_PATTERN
from engine.library.formats.library_data import LibraryData, of_document, of_model
from engine.library.formats.refusals import OtherKindError, PatternNeededError
from engine.library.formats.tokenizer_data import TokenizerData
from engine.split.named import NAMED_SPLITS

LARGEST_FILE = 40 << 20
"""Bytes; of a GGUF file only the header is read. The largest tokenizer files that are published have 34 MB."""


@dataclass(frozen=True, slots=True)
class ForLibrary:
    """A tokenizer.json as its own library takes it. ``notes``: as in ``LibraryData``."""

    payload: bytes
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a file holds. ``kind``: what the format is called. ``for_library``: of a tokenizer.json that our own engine
    can run, makes what the library that it is from is given; FormatError."""

    kind: str
    data: TokenizerData | LibraryData
    for_library: Callable[[], ForLibrary] | None = None


def _content(path: Path) -> bytes:
    if path.is_dir():
        raise FormatError("it is a folder; name the file in it")
    if path.exists() and not path.is_file():
        raise FormatError("it is a device, pipe or socket")
    with path.open("rb") as file:
        start = file.read(len(gguf.MAGIC))
        most = gguf.LONGEST_HEADER if gguf.looks_like(start) else LARGEST_FILE + 1
        content = start + file.read(most - len(start))
    if len(content) > LARGEST_FILE and not gguf.looks_like(start):
        raise FormatError(f"the file is larger than {LARGEST_FILE >> 20} MB, the limit for tokenizer files")
    if not content:
        raise FormatError("it is empty")
    return content


def read(path: Path, pattern: str | None, *, trusted: bool) -> Found:
    """What is in the file. ``pattern``, ``trusted``: as in ``engine.library.formats.opening.open_tokenizer``.
    FormatError, PatternNeededError, UnknownNormalizationError; OSError."""
    content = _content(path)
    if gguf.looks_like(content):
        return _read_gguf(content, pattern)
    if minbpe.looks_like(content):
        return Found("minbpe", minbpe.read(content))
    if kept_tokenizer.looks_like(path):
        return Found("kept", kept_tokenizer.read(path, content, trusted=trusted))
    if content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _read_json(content)
    is_ranks = tiktoken_ranks.looks_like(content)
    if not is_ranks and (sentencepiece_model.looks_like(content) or path.suffix == ".model"):
        return Found("SentencePiece", of_model(sentencepiece_model.read(content)))
    if b"\0" in content[:4096]:
        raise FormatError("it is a binary file of no known format")
    return Found("tiktoken", _with_pattern(path, content, tiktoken_ranks.read_ranks(content), pattern))


def _read_gguf(content: bytes, pattern: str | None) -> Found:
    values = gguf.read(content)
    kind = gguf.kind_of(values)
    if kind in gguf.BY_TOKENIZERS:
        return Found("GGUF", of_document(gguf.BY_TOKENIZERS[kind](values)))
    if kind != "gpt2":
        return Found("GGUF", of_model(gguf.sentencepiece_of(values)))
    expression = None if pattern is None else expression_named(pattern)
    if expression is not None and len(expression) > LONGEST_SPELLED_PATTERN:
        raise FormatError(f"the pattern that is named has more than {LONGEST_SPELLED_PATTERN:,} characters")
    return _read_huggingface("GGUF", gguf.document_of(values, expression))


def _read_json(content: bytes) -> Found:
    document = json_document.parse(content)
    if huggingface.looks_like(document):
        return _read_huggingface("Hugging Face", document)
    if tekken.looks_like(document):
        return Found("tekken", tekken.read(document))
    if js_tiktoken.looks_like(document):
        return Found("js-tiktoken", js_tiktoken.read(document))
    if "pattern" in document:
        raise FormatError("this file only describes a ranks file; open that one")
    raise FormatError(
        "it is JSON, but neither Hugging Face's tokenizer.json, nor Mistral's tekken.json, nor js-tiktoken's"
    )


def _read_huggingface(kind: str, document: dict[str, Any]) -> Found:
    try:
        return Found(kind, huggingface.read(document), functools.partial(_for_library, document))
    except OtherKindError as error:
        return Found(kind, of_document(document, *([error.note] if error.note else [])))
    except FormatError:
        if not document["model"].get("byte_fallback"):
            raise
        # Of these our own reader only knows those that it writes; what is wrong with one is found out once more.
        return Found(kind, of_document(document))


def _for_library(document: dict[str, Any]) -> ForLibrary:
    data = of_document(document)
    return ForLibrary(data.payload, data.notes)


def _with_pattern(path: Path, content: bytes, ranks: dict[bytes, int], pattern: str | None) -> TokenizerData:
    notes = tiktoken_ranks.notes_of(content)
    companion = tiktoken_ranks.companion_of(path)
    if companion.is_file():
        try:
            described = tiktoken_ranks.read_companion(_content(companion), content)
        except FormatError as error:
            raise FormatError(f"the file beside it, {companion.name}: {error}") from error
        steps = tuple(described.get("normalization", ()))
        expression = expression_named(pattern or described["pattern"])
        specials, byte_fallback = described.get("special_tokens", {}), described.get("byte_fallback", False)
        return TokenizerData(expression, ranks, specials, steps, notes, byte_fallback)
    published = _published().get(hashlib.sha256(content).hexdigest())
    if published is not None:
        known = bundled().get(published)
        steps = known.preparation.steps if isinstance(known, PreparedEncoding) else ()
        expression = expression_named(pattern or published)
        return TokenizerData(expression, ranks, dict(known._special_tokens), steps, notes=notes)
    if pattern is None:
        raise PatternNeededError(
            f"the file has ranks but no split pattern. Name the pattern, or put it into {companion.name} beside the "
            'file: {"pattern": "cl100k_base"}'
        )
    return TokenizerData(expression_named(pattern), ranks, {}, notes=notes)


def expression_named(pattern: str) -> str:
    """The expression of a pattern's name, as in training or of a bundled encoding; anything else is an expression."""
    if pattern in NAMED_SPLITS:
        return NAMED_SPLITS[pattern].expression
    named = {entry.name: entry.pattern.expression for entry in ENTRIES}
    return named.get(pattern, pattern)


@functools.cache
def _published() -> dict[str, str]:
    """The encoding of each published file of ranks, by the file's SHA-256."""
    sources = json.loads((DATA_DIR / "manifest.json").read_bytes())
    encodings: dict[str, str] = {}
    for entry in ENTRIES:
        encodings.setdefault(f"{entry.ranks}.ranks", entry.name)
    return {source["raw_sha256"]: encodings[source["bundled"]] for source in sources}
