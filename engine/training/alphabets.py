"""The symbols that merging begins with, and the corpus written in them.

*Bytes*: the 256 of them; a symbol's id is its value.

*Characters*: those of the corpus. Their encoding is a byte-pair encoding like any other, so that it knows every text
and gives it back exactly: first come the 256 bytes, which are the characters of ASCII and what unknown characters are
written in; then the beginnings of the characters of three and four bytes, through which bytes become characters; then
all characters beyond ASCII in the order of their code points. Merging bytes in the order of these ids always gives
characters first, because no character's bytes begin inside another one's.

Ids decide ties. ``huggingface`` has the bytes in another order (those that GPT-2 prints as themselves come first); that
order is used inside the trainer alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import TrainingError
from engine.kernels.train_slots import fill_slots, mark_characters, measure_slots
from engine.kernels.train_table import CountTable
from engine.text.byte_fallback import is_beginning

MOST_SLOTS = 1 << 28
"""Bytes of different pretokens, roughly: merging needs a dozen bytes of memory for each."""

_CODE_POINTS = 0x110000


@dataclass(frozen=True, slots=True, eq=False)
class Alphabet:
    """``symbols``: the bytes of each symbol, by id. ``inner``: int64[n], the id by which the trainer knows each."""

    symbols: tuple[bytes, ...]
    inner: NDArray[np.int64]

    def __len__(self) -> int:
        """Number of symbols."""
        return len(self.symbols)

    @property
    def characters(self) -> tuple[bytes, ...]:
        """The symbols beyond ASCII that are characters."""
        return tuple(symbol for symbol in self.symbols[256:] if not is_beginning(symbol))

    def inner_symbols(self) -> list[bytes]:
        """The bytes of each symbol, by inner id."""
        return [self.symbols[symbol] for symbol in self.outer(np.arange(len(self))).tolist()]

    def outer(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[n]: the ids of symbols and merged tokens that the trainer knows by these ids."""
        outer_ids = np.empty(len(self), dtype=np.int64)
        outer_ids[self.inner] = np.arange(len(self))
        return np.where(ids < len(self), outer_ids[np.minimum(ids, len(self) - 1)], ids)


def byte_alphabet(tie_order: str = "bytes") -> Alphabet:
    """The 256 bytes, for one of the orders of ties."""
    inner = np.arange(256, dtype=np.int64)
    if tie_order == "huggingface":
        printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
        inner[printable + sorted(set(range(256)) - set(printable))] = np.arange(256)
    return Alphabet(tuple(bytes([value]) for value in range(256)), inner)


def character_alphabet(code_points: NDArray[np.int64]) -> Alphabet:
    """The bytes, and what is needed for these characters, which are in the order of their code points."""
    characters = [chr(point).encode("utf-8") for point in code_points.tolist() if point >= 0x80]
    beginnings = {character[:size] for character in characters for size in range(2, len(character))}
    symbols = [*(bytes([value]) for value in range(256)), *sorted(beginnings, key=lambda one: (len(one), one))]
    symbols += characters
    return Alphabet(tuple(symbols), np.arange(len(symbols), dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class WrittenCorpus:
    """A corpus in symbols: ``slots`` as in ``engine.kernels.train_layout``, how many symbols and UTF-8 bytes it has."""

    alphabet: Alphabet
    slots: NDArray[np.uint32]
    symbols: int
    text_bytes: int


def write_in_bytes(table: CountTable, tie_order: str) -> WrittenCorpus:
    """Counted pretokens, written in bytes. TrainingError."""
    alphabet = byte_alphabet(tie_order)
    return _written(table, alphabet, alphabet.inner.astype(np.uint32), in_characters=False)


def write_in_characters(table: CountTable, always: str = "") -> WrittenCorpus:
    """Counted pretokens, written in characters. ``always``: characters of the alphabet, whether they occur or not.
    TrainingError."""
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
    if slot_count > MOST_SLOTS:
        raise TrainingError(
            f"The pretokens of this corpus that differ have {slot_count / 1e6:,.0f} MB together; "
            f"more than {MOST_SLOTS / 1e6:,.0f} MB do not fit. Train on a sample, or choose a split that cuts more."
        )
    slots = np.empty(slot_count, dtype=np.uint32)
    fill_slots(table, int(in_characters), ids, slots)
    return WrittenCorpus(alphabet, slots, symbols, text_bytes)
