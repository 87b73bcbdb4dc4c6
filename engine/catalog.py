"""Which encodings exist, and opening them by name. Nothing is ever fetched: all vocabularies are in engine/data."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine import patterns, special_tokens
from engine.bundle_format import RankTable, unpack
from engine.encoding import Encoding
from engine.errors import DamagedVocabularyError, UnknownEncodingError, UnknownModelError
from engine.patterns import SplitPattern

DATA_DIR = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class EncodingEntry:
    """One bundled encoding.

    ``ranks``: the file of its ranks in engine/data, without ending. ``special``: gives its special tokens; None where
    they are bundled beside the ranks. ``vendor``: who made it. ``vendor_normalization``: what the vendor's own
    tokenizer does to a text before encoding it, and this encoding does not: ids here are those of the text as it is.
    """

    name: str
    vendor: str
    ranks: str
    pattern: SplitPattern
    special: Callable[[], dict[str, int]] | None
    description: str
    vendor_normalization: str | None = None


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
        "text-davinci-edit-001: p50k_base with special tokens for filling in",
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
    EncodingEntry("deepseek", "DeepSeek", "deepseek", patterns.DEEPSEEK, None, "DeepSeek V3 and R1"),
    EncodingEntry(
        "tekken", "Mistral", "tekken", patterns.TEKKEN, special_tokens.tekken,
        "Mistral Tekken v3 (Nemo, Ministral, Pixtral); its first 1,000 ids are special tokens",
    ),
)  # fmt: skip


class Catalog:
    """Encodings of one data folder, each opened at most once. Safe to use from several threads."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._entries = {entry.name: entry for entry in ENTRIES}
        self._lock = threading.RLock()
        self._encodings: dict[str, Encoding] = {}
        self._tables: dict[str, tuple[RankTable, dict[str, int]]] = {}

    def names(self) -> list[str]:
        """The names of all encodings."""
        return list(self._entries)

    def entry(self, name: str) -> EncodingEntry:
        """What is known of an encoding. UnknownEncodingError lists what exists."""
        try:
            return self._entries[name]
        except (KeyError, TypeError):
            raise UnknownEncodingError(
                f"There is no encoding named {name!r}. These exist: {', '.join(sorted(self._entries))}."
            ) from None

    def get(self, name: str) -> Encoding:
        """The encoding of that name, the same object each time. UnknownEncodingError, DamagedVocabularyError."""
        entry = self.entry(name)
        with self._lock:
            if name not in self._encodings:
                table, bundled_special = self._read(entry.ranks)
                special = entry.special() if entry.special else bundled_special
                self._encodings[name] = Encoding.from_table(name, entry.pattern, table, special)
            return self._encodings[name]

    def opened(self) -> list[Encoding]:
        """The encodings that were opened so far."""
        with self._lock:
            return list(self._encodings.values())

    def _read(self, ranks: str) -> tuple[RankTable, dict[str, int]]:
        if ranks not in self._tables:
            path = self._data_dir / f"{ranks}.ranks"
            try:
                self._tables[ranks] = unpack(ranks, path.read_bytes())
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else error
                raise DamagedVocabularyError(
                    f"The bundled vocabulary file {path} cannot be used: {why}. "
                    "Install Tokenloupe again, or restore that file; encodings of other files still work."
                ) from error
        return self._tables[ranks]


@functools.cache
def bundled() -> Catalog:
    """The catalog of the encodings that come with Tokenloupe."""
    return Catalog(DATA_DIR)


def get_encoding(name: str) -> Encoding:
    """The encoding of that name, the same object each time.

    UnknownEncodingError (a ValueError) lists what exists; DamagedVocabularyError names the file.
    """
    return bundled().get(name)


def opened_encodings() -> list[Encoding]:
    """The encodings that were opened so far."""
    return bundled().opened()


def list_encoding_names() -> list[str]:
    """The names of all encodings."""
    return bundled().names()


def encoding_entries() -> tuple[EncodingEntry, ...]:
    """What is known of each bundled encoding: vendor, description, and what its vendor does to a text beforehand."""
    return ENTRIES


def encoding_name_for_model(model_id: str) -> str:
    """The encoding of an OpenAI model, as tiktoken's table says. UnknownModelError (a KeyError)."""
    from tiktoken.model import encoding_name_for_model as name_for_model

    try:
        return name_for_model(model_id)
    except KeyError:
        raise UnknownModelError(
            f"No encoding is known for the model {model_id!r}. Choose one by name: {', '.join(list_encoding_names())}."
        ) from None


def encoding_for_model(model_id: str) -> Encoding:
    """The encoding of an OpenAI model. UnknownModelError (a KeyError) where tiktoken's table has none."""
    return get_encoding(encoding_name_for_model(model_id))
