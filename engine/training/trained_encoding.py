"""Conversion of merges to an encoding: the alphabet that merging starts from, and editing of learned entries.

An ``Alphabet`` is the symbols that merging starts from, and a ``WrittenCorpus`` is the corpus as a sequence of them.
There are two kinds of alphabet:

*Bytes* (``byte_alphabet``): all 256 of them; a symbol's id is its value.

*Characters* (``character_alphabet``): those of the corpus. The encoding is still an ordinary byte-pair encoding, so it
encodes every text and decodes it exactly. First come the 256 bytes, which are the ASCII characters and the fallback for
unknown characters. Then come the proper prefixes of the characters of three and four bytes, through which bytes merge
into characters. Last come all characters beyond ASCII in the order of their code points. Merging bytes in the order of
these ids always gives characters first, because no character's bytes begin inside another one's.

Ids decide ties. ``huggingface`` orders the bytes differently (those that GPT-2 prints as themselves come first). That
order is used only inside the trainer.

``build_encoding`` makes an encoding from symbols, merges and special tokens. ``edit_entries`` removes entries of an
encoding.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.encoding.encoding import Encoding
from engine.encoding.preprocessing_encoding import Preparation, PreprocessingEncoding, encoding_with
from engine.errors import EngineError, TrainingError
from engine.kernels.train_table import CountTable, fill_slots, mark_characters, measure_slots, spell
from engine.text.sentencepiece import is_beginning
from engine.training.settings import TrainingPlan
from engine.vocabulary.tokens import parents_of

MAX_SLOTS = 1 << 28
"""Maximum number of slots, roughly the bytes of unique pretokens. Merging needs a dozen bytes of memory for each."""

_CODE_POINTS = 0x110000


@dataclass(frozen=True, slots=True, eq=False)
class Alphabet:
    """Symbols of an encoding. ``symbols``: the bytes of each, by id. ``inner``: int64[n], their ids in the trainer."""

    symbols: tuple[bytes, ...]
    inner: NDArray[np.int64]

    def __len__(self) -> int:
        """Number of symbols."""
        return len(self.symbols)

    @property
    def characters(self) -> tuple[bytes, ...]:
        """Symbols beyond ASCII that are whole characters."""
        return tuple(symbol for symbol in self.symbols[256:] if not is_beginning(symbol))

    def inner_symbols(self) -> list[bytes]:
        """Return the bytes of each symbol, by inner id."""
        return [self.symbols[symbol] for symbol in self.outer(np.arange(len(self))).tolist()]

    def outer(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return int64[n]: the ids of the symbols and merged tokens with these inner ids."""
        outer_ids = np.empty(len(self), dtype=np.int64)
        outer_ids[self.inner] = np.arange(len(self))
        return np.where(ids < len(self), outer_ids[np.minimum(ids, len(self) - 1)], ids)


def byte_alphabet(tie_order: str = "bytes") -> Alphabet:
    """Return the 256 bytes, for one of the tie orders."""
    inner = np.arange(256, dtype=np.int64)
    if tie_order == "huggingface":
        printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
        inner[printable + sorted(set(range(256)) - set(printable))] = np.arange(256)
    return Alphabet(tuple(bytes([value]) for value in range(256)), inner)


def character_alphabet(code_points: NDArray[np.int64]) -> Alphabet:
    """Return the bytes and the symbols needed for these characters, which are sorted by code point."""
    characters = [chr(point).encode("utf-8") for point in code_points.tolist() if point >= 0x80]
    beginnings = {character[:size] for character in characters for size in range(2, len(character))}
    symbols = [*(bytes([value]) for value in range(256)), *sorted(beginnings, key=lambda one: (len(one), one))]
    symbols += characters
    return Alphabet(tuple(symbols), np.arange(len(symbols), dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class WrittenCorpus:
    """A corpus in symbols. ``slots``: as in ``engine.kernels.train_merge``. ``symbols``, ``text_bytes``: its size in
    symbols and in UTF-8 bytes."""

    alphabet: Alphabet
    slots: NDArray[np.uint32]
    symbols: int
    text_bytes: int


def write_in_bytes(table: CountTable, tie_order: str) -> WrittenCorpus:
    """Return counted pretokens as byte symbols. Raises TrainingError."""
    alphabet = byte_alphabet(tie_order)
    return _written(table, alphabet, alphabet.inner.astype(np.uint32), in_characters=False)


def write_in_characters(table: CountTable, always: str = "") -> WrittenCorpus:
    """Return counted pretokens as character symbols. ``always``: characters that are in the alphabet even if they do
    not occur. Raises TrainingError."""
    seen = np.zeros(_CODE_POINTS, dtype=np.uint8)
    mark_characters(table, seen)
    seen[[ord(character) for character in always]] = 1
    code_points = np.flatnonzero(seen)
    alphabet = character_alphabet(code_points)
    ids = np.zeros(_CODE_POINTS, dtype=np.uint32)
    ids[:128] = np.arange(128)
    beyond = code_points[code_points >= 0x80]
    ids[beyond] = np.arange(len(alphabet) - len(beyond), len(alphabet))
    return _written(table, alphabet, ids, in_characters=True)


def _written(table: CountTable, alphabet: Alphabet, ids: NDArray[np.uint32], *, in_characters: bool) -> WrittenCorpus:
    slot_count, symbols, text_bytes = measure_slots(table, int(in_characters))
    if slot_count > MAX_SLOTS:
        raise TrainingError(
            f"The distinct pretokens of this corpus have {slot_count / 1e6:,.0f} MB together; "
            f"more than {MAX_SLOTS / 1e6:,.0f} MB are not supported. Train on a sample, or split the text more."
        )
    slots = np.empty(slot_count, dtype=np.uint32)
    fill_slots(table, int(in_characters), ids, slots)
    return WrittenCorpus(alphabet, slots, symbols, text_bytes)


def spell_tokens(alphabet: Alphabet, merges: NDArray[np.int64]) -> tuple[bytes, NDArray[np.int64]]:
    """Return the concatenated bytes of all tokens, and int64[n + 1]: the start of each token in bytes, and the last
    end.

    merges: int64[n, 4], left id and right id first.
    """
    offsets = np.zeros(len(alphabet) + len(merges) + 1, dtype=np.int64)
    np.cumsum([len(symbol) for symbol in alphabet.symbols], out=offsets[1 : len(alphabet) + 1])
    symbols = np.frombuffer(b"".join(alphabet.symbols), dtype=np.uint8)
    return spell(symbols, np.ascontiguousarray(merges), offsets).tobytes(), offsets


def build_encoding(name: str, plan: TrainingPlan, alphabet: Alphabet, merges: NDArray[np.int64]) -> Encoding:
    """Build an encoding of the symbols of the alphabet, the merged tokens and the special tokens, in this order.

    A token's bytes identify it, because no two merges of a run spell the same. When a token is made, nothing has merged
    across its ends before, so its bytes have gone through the same merges as everywhere else where nothing crossed
    their ends. So all of these occurrences became the first such token together.
    """
    blob, offsets = spell_tokens(alphabet, merges)
    ends = offsets.tolist()
    ranks = {blob[start:end]: token_id for token_id, (start, end) in enumerate(itertools.pairwise(ends))}
    specials = {text: len(ends) - 1 + number for number, text in enumerate(plan.settings.special_tokens)}
    return encoding_with(name, plan.expression, ranks, specials, plan.preparation, byte_fallback=plan.byte_fallback)


@dataclass(frozen=True, slots=True)
class EditedEncoding:
    """An encoding with fewer entries. ``removed``: ids of the removed entries and of those that depended on them."""

    encoding: Encoding
    removed: tuple[int, ...]


def edit_entries(
    encoding: Encoding, name: str, remove: Collection[int] = (), rename: Mapping[str, str] | None = None
) -> EditedEncoding:
    """Return an encoding without some entries, and with other texts for special tokens. All others keep their ids.

    A token that merges no longer reach is also removed, because no text would be encoded to it. ``rename``: old and new
    text of special tokens. Raises EngineError for an entry that cannot be removed or renamed.
    """
    if encoding.no_merges:
        raise EngineError(f"Entries of {encoding.name} cannot be changed, because a library runs it.")
    ranks, specials = dict(encoding._mergeable_ranks), dict(encoding._special_tokens)
    removed = []
    gone: list[bytes] = []
    for token_id in sorted(set(remove)):
        texts = [text for text, special in specials.items() if special == token_id]
        content = b"" if texts or not 0 <= token_id < encoding.n_vocab else encoding.token_info(token_id).token_bytes
        if texts:
            del specials[texts[0]]
        elif not content:
            raise EngineError(f"{encoding.name} has no entry {token_id}.")
        elif encoding.parents_of(token_id) is None:
            raise EngineError(f"Entry {token_id} is part of the alphabet: without it, some texts could not be encoded.")
        else:
            gone.append(content)
            del ranks[content]
        removed.append(token_id)
    for content in sorted((one for one in ranks if any(part in one for part in gone)), key=len):
        if encoding.parents_of(ranks[content]) and parents_of(content, ranks) is None:
            removed.append(ranks.pop(content))
    specials = _renamed(specials, rename or {})
    preparation = encoding.preparation if isinstance(encoding, PreprocessingEncoding) else Preparation()
    fallback = isinstance(encoding, PreprocessingEncoding) and encoding.byte_fallback
    edited = encoding_with(name, encoding._pat_str, ranks, specials, preparation, byte_fallback=fallback)
    return EditedEncoding(edited, tuple(sorted(removed)))


def _renamed(specials: Mapping[str, int], rename: Mapping[str, str]) -> dict[str, int]:
    for old, new in rename.items():
        if old not in specials:
            raise EngineError(f"There is no special token {old!r}.")
        if not new or (new in specials and new != old):
            raise EngineError(f"The special token {old!r} cannot be renamed to {new!r}.")
    return {rename.get(text, text): token_id for text, token_id in specials.items()}
