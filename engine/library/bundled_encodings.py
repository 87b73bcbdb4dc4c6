"""Encodings that are bundled with Tokenloupe: their descriptions, and opening them from engine/data.

``warm_up`` calls every encoding kernel, so that all are compiled: see ``engine.encoding.compiling``.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.encoding.encoding import Encoding
from engine.errors import DamagedVocabularyError, UnknownEncodingError
from engine.split import patterns
from engine.split.patterns import NAMED_SPLITS, SplitPattern
from engine.text.sentencepiece import SIGNS_AS_SPACES
from engine.vocabulary import special_tokens
from engine.vocabulary.bundle import BundledVocabulary

DATA_DIR = Path(__file__).parents[1] / "data"


@dataclass(frozen=True, slots=True)
class EncodingEntry:
    """One bundled encoding.

    ``ranks``: name of its ranks file in engine/data, without the extension. ``special``: returns its special tokens;
    None if they are bundled with the ranks. ``vendor``: its maker. ``vendor_normalization``: the step of
    ``engine.text.normalization`` that the vendor's own tokenizer applies to a text before encoding it, and so does this
    encoding. ``unicode``: the version of Unicode that defines letters, marks and numbers for its split pattern; ``""``
    if the pattern does not depend on it. ``pieces``: True if it has SentencePiece pieces.
    """

    name: str
    vendor: str
    ranks: str
    pattern: SplitPattern
    special: Callable[[], dict[str, int]] | None
    description: str
    vendor_normalization: str | None = None
    unicode: str = "16.0"
    pieces: bool = False

    @property
    def kind(self) -> str:
        """``bundled``, in contrast to user encodings."""
        return "bundled"


def _copy_of(table: Mapping[str, int]) -> Callable[[], dict[str, int]]:
    return lambda: dict(table)


ENTRIES: tuple[EncodingEntry, ...] = (
    EncodingEntry(
        "o200k_base", "OpenAI", "o200k", patterns.O200K, _copy_of(special_tokens.O200K),
        "GPT-4o, GPT-4.1, o1, o3, o4-mini, GPT-5",
    ),
    EncodingEntry(
        "o200k_harmony", "OpenAI", "o200k", patterns.O200K, special_tokens.o200k_harmony,
        "gpt-oss: o200k_base with the special tokens of the harmony format",
    ),
    EncodingEntry(
        "cl100k_base", "OpenAI", "cl100k", patterns.CL100K, _copy_of(special_tokens.CL100K),
        "GPT-4, GPT-3.5, text-embedding-3 and ada-002",
    ),
    EncodingEntry(
        "p50k_base", "OpenAI", "p50k", patterns.GPT2, _copy_of(special_tokens.R50K),
        "Codex, text-davinci-002 and 003",
    ),
    EncodingEntry(
        "p50k_edit", "OpenAI", "p50k", patterns.GPT2, _copy_of(special_tokens.P50K_EDIT),
        "text-davinci-edit-001: p50k_base with special tokens for fill-in-the-middle",
    ),
    EncodingEntry(
        "r50k_base", "OpenAI", "r50k", patterns.GPT2, _copy_of(special_tokens.R50K),
        "GPT-3: davinci, curie, babbage, ada",
    ),
    EncodingEntry("gpt2", "OpenAI", "r50k", patterns.GPT2, _copy_of(special_tokens.R50K), "GPT-2"),
    EncodingEntry(
        "qwen", "Alibaba", "qwen", patterns.QWEN, _copy_of(special_tokens.QWEN),
        "Qwen 1 to 3; the special tokens are those of Qwen 3",
        vendor_normalization="NFC",
    ),
    EncodingEntry(
        "qwen3_5", "Alibaba", "qwen3_5", patterns.QWEN3_5, _copy_of(special_tokens.QWEN3_5),
        "Qwen 3.5 to 3.8, as far as their tokenizers are published",
        vendor_normalization="NFC",
    ),
    EncodingEntry(
        "kimi", "Moonshot AI", "kimi", patterns.KIMI, special_tokens.kimi,
        "Kimi K2 to K3; the special tokens are those of K2",
    ),
    EncodingEntry("deepseek", "DeepSeek", "deepseek", patterns.DEEPSEEK, None, "DeepSeek V3 and R1"),
    EncodingEntry(
        "gemma", "Google", "gemma", patterns.GEMMA, None,
        "Gemma 4; Google's SDK counts Gemini 3.1 and 3.5 with it",
        vendor_normalization=SIGNS_AS_SPACES,
        unicode="",
        pieces=True,
    ),
    EncodingEntry(
        "gemma3", "Google", "gemma", patterns.GEMMA3, _copy_of(special_tokens.GEMMA3),
        "Gemma 3: gemma with single tokens for HTML tags; Google's SDK counts Gemini 2.0 to 3 with it",
        vendor_normalization=SIGNS_AS_SPACES,
        unicode="",
        pieces=True,
    ),
    EncodingEntry(
        "tekken", "Mistral", "tekken", patterns.TEKKEN, special_tokens.tekken,
        "Mistral Tekken v3 (Nemo, Ministral, Pixtral); its first 1,000 ids are special tokens",
    ),
)  # fmt: skip


class Catalog:
    """Encodings of one data folder, each opened at most once. Thread-safe."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._entries = {entry.name: entry for entry in ENTRIES}
        self._lock = threading.RLock()
        self._encodings: dict[str, Encoding] = {}
        self._vocabularies: dict[str, BundledVocabulary] = {}

    def names(self) -> list[str]:
        """Return the names of all encodings."""
        return list(self._entries)

    def entry(self, name: str) -> EncodingEntry:
        """Return the entry of an encoding. Raises UnknownEncodingError, which lists the known names."""
        try:
            return self._entries[name]
        except (KeyError, TypeError):
            raise UnknownEncodingError(
                f"Unknown encoding {name!r}. Available: {', '.join(sorted(self._entries))}."
            ) from None

    def get(self, name: str) -> Encoding:
        """Return the encoding with this name, the same object each time. Raises UnknownEncodingError, and
        DamagedVocabularyError if its file is missing. The content of the file is read, and damage detected, on first
        use."""
        entry = self.entry(name)
        with self._lock:
            if name not in self._encodings:
                if entry.ranks not in self._vocabularies:
                    self._vocabularies[entry.ranks] = BundledVocabulary(self._data_dir / f"{entry.ranks}.ranks")
                vocabulary = self._vocabularies[entry.ranks]
                special = entry.special or vocabulary.special_tokens
                self._encodings[name] = _opened(entry, vocabulary, special)
            return self._encodings[name]

    def opened(self) -> list[Encoding]:
        """Return the encodings that were opened so far."""
        with self._lock:
            return list(self._encodings.values())


def _opened(entry: EncodingEntry, vocabulary: BundledVocabulary, special: Callable[[], dict[str, int]]) -> Encoding:
    if entry.vendor_normalization is None:
        return Encoding.from_bundle(entry.name, entry.pattern, vocabulary, special)
    steps = (entry.vendor_normalization,)
    if entry.pieces:
        from engine.encoding.piece_encoding import PieceEncoding

        return PieceEncoding.bundled(entry.name, entry.pattern, vocabulary, special, steps)
    from engine.encoding.preprocessing_encoding import PreprocessingEncoding

    return PreprocessingEncoding.bundled(entry.name, entry.pattern, vocabulary, special, steps)


@functools.cache
def bundled() -> Catalog:
    """Return the catalog of the bundled encodings."""
    return Catalog(DATA_DIR)


def expression_named(pattern: str) -> str:
    """Return the expression of a named pattern, as in training or of a bundled encoding; return any other text
    unchanged."""
    if pattern in NAMED_SPLITS:
        return NAMED_SPLITS[pattern].expression
    named = {entry.name: entry.pattern.expression for entry in ENTRIES}
    return named.get(pattern, pattern)


def warm_up() -> None:
    """Compile or load all encoding kernels, and build the tables of all bundled vocabularies."""
    from engine.text.digests import ContentDigests
    from engine.vocabulary.bundle import table_from_ranks
    from engine.vocabulary.tables import build_tables, fingerprint_of

    # The tables of the bundled vocabularies may exist already; then they would not call the kernels that build tables.
    bytes_and_a_merge = {bytes([value]): value for value in range(256)} | {b"ab": 256}
    table = table_from_ranks(bytes_and_a_merge)
    build_tables(table, fingerprint_of(table))
    encodings = Catalog(DATA_DIR)
    for name in encodings.names():
        with contextlib.suppress(DamagedVocabularyError):  # reported when that encoding is used; the others work
            encoding = encodings.get(name)
            encoding.use_kernels()
            native = encoding.native
            if native is not None and native.can_scan:  # rarely needed, so ``use_kernels`` does not load them
                nothing, nowhere = np.frombuffer(b"", dtype=np.uint8), np.empty((0, 2), dtype=np.int64)
                native.count_texts(nothing, nowhere)
                ContentDigests(b"", native.sum_blocks).of_many(nothing, nowhere)
