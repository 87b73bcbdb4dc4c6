"""Opening a tokenizer file of any known format, recognised by what is in it."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine import catalog
from engine.encoding import Encoding
from engine.errors import FormatError
from engine.formats import huggingface, json_document, minbpe, tekken, tiktoken_ranks
from engine.formats.tokenizer_data import TokenizerData, check
from engine.normalize import UnknownNormalizationError
from engine.preparation import preparation_with
from engine.prepared_encoding import encoding_with
from engine.training_splits import NAMED_SPLITS

LARGEST_FILE = 256 << 20


@dataclass(frozen=True, slots=True)
class OpenedTokenizer:
    """A tokenizer from a file. ``kind``: what the format is called. ``normalization`` and ``notes``: as in
    ``TokenizerData``."""

    encoding: Encoding
    kind: str
    normalization: tuple[str, ...]
    notes: tuple[str, ...]


def load(path: Path | str, *, pattern: str | None = None, name: str | None = None) -> Encoding:
    """The encoding in a file: ``.tiktoken``, ``tokenizer.json`` of byte-level BPE, ``tekken.json``, minbpe's
    ``.model``.

    ``pattern``: for a file of ranks with nothing beside it: a name as in training or of an encoding, or a regular
    expression. ``name``: what to call it, else it is called like the file. FormatError; OSError.
    """
    return open_tokenizer(path, pattern=pattern, name=name).encoding


def open_tokenizer(path: Path | str, *, pattern: str | None = None, name: str | None = None) -> OpenedTokenizer:
    """As ``load``, with what else there is to say of it. FormatError; OSError."""
    path = Path(path)
    content = _content(path)
    try:
        kind, data = _read(path, content, pattern)
        check(data)
        encoding = encoding_with(
            name or _name_of(path),
            data.pattern,
            data.ranks,
            data.special_tokens,
            preparation_with(data.normalization),
            data.byte_fallback,
        )
    except (FormatError, UnknownNormalizationError) as error:
        raise FormatError(f"{path}: {error}") from error
    except ValueError as error:  # tiktoken's engine does not take the pattern
        raise FormatError(f"{path}: its split pattern is not valid: {error}") from error
    return OpenedTokenizer(encoding, kind, data.normalization, data.notes)


def _content(path: Path) -> bytes:
    if path.is_dir():
        raise FormatError(f"{path}: it is a folder; name the file in it")
    if path.exists() and not path.is_file():
        raise FormatError(f"{path}: it is a device, pipe or socket")
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise FormatError(f"{path}: it is larger than {LARGEST_FILE >> 20} MB, which no tokenizer file is")
    if not content:
        raise FormatError(f"{path}: it is empty")
    return content


def _read(path: Path, content: bytes, pattern: str | None) -> tuple[str, TokenizerData]:
    if minbpe.looks_like(content):
        return "minbpe", minbpe.read(content)
    if content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _read_json(content)
    if b"\0" in content[:4096] or path.suffix == ".model":
        raise FormatError(
            "it looks like a SentencePiece model, which cannot be opened yet"
            if path.suffix == ".model"
            else "it is a binary file of no known format"
        )
    return "tiktoken", _with_pattern(path, content, tiktoken_ranks.read_ranks(content), pattern)


def _read_json(content: bytes) -> tuple[str, TokenizerData]:
    document = json_document.parse(content)
    readers: tuple[tuple[str, Callable[..., bool], Callable[..., TokenizerData]], ...] = (
        ("Hugging Face", huggingface.looks_like, huggingface.read),
        ("tekken", tekken.looks_like, tekken.read),
    )
    for kind, looks_like, read in readers:
        if looks_like(document):
            return kind, read(document)
    if "pattern" in document:
        raise FormatError("it only describes the ranks beside it; open that file")
    raise FormatError("it is JSON, but neither Hugging Face's tokenizer.json nor Mistral's tekken.json")


def _with_pattern(path: Path, content: bytes, ranks: dict[bytes, int], pattern: str | None) -> TokenizerData:
    companion = tiktoken_ranks.companion_of(path)
    if companion.is_file():
        try:
            described = tiktoken_ranks.read_companion(_content(companion), content)
        except FormatError as error:
            raise FormatError(f"the file beside it, {companion.name}: {error}") from error
        steps = tuple(described.get("normalization", ()))
        expression = expression_named(pattern or described["pattern"])
        specials, byte_fallback = described.get("special_tokens", {}), described.get("byte_fallback", False)
        return TokenizerData(expression, ranks, specials, steps, byte_fallback=byte_fallback)
    published = _published().get(hashlib.sha256(content).hexdigest())
    if published is not None:
        known = catalog.get_encoding(published)
        return TokenizerData(expression_named(pattern or published), ranks, dict(known._special_tokens))
    if pattern is None:
        raise FormatError(
            "it holds ranks, but not the pattern that cuts texts before them. Name the pattern, or put it into "
            f'{companion.name} beside it: {{"pattern": "cl100k_base"}}'
        )
    return TokenizerData(expression_named(pattern), ranks, {})


def expression_named(pattern: str) -> str:
    """The expression of a pattern's name, as in training or of a bundled encoding; anything else is an expression."""
    if pattern in NAMED_SPLITS:
        return NAMED_SPLITS[pattern].expression
    named = {entry.name: entry.pattern.expression for entry in catalog.ENTRIES}
    return named.get(pattern, pattern)


@functools.cache
def _published() -> dict[str, str]:
    """The encoding of each published file of ranks, by the file's SHA-256."""
    sources = json.loads((catalog.DATA_DIR / "manifest.json").read_bytes())
    encodings: dict[str, str] = {}
    for entry in catalog.ENTRIES:
        encodings.setdefault(f"{entry.ranks}.ranks", entry.name)
    return {source["raw_sha256"]: encodings[source["bundled"]] for source in sources}


def _name_of(path: Path) -> str:
    """What a file is called; one of the usual names says nothing, and its folder's is taken."""
    stem = path.name.split(".")[0] or path.stem
    usual = stem.lower() in ("tokenizer", "tekken")
    return path.absolute().parent.name or stem if usual else path.stem
