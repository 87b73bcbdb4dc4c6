"""Training for the cards of the Lab, by the plain twin of the trainer: small texts, and nothing to compile first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.reference_training import PlainMerge

WORD_END = "</w>"
BYTES = tuple(bytes([value]) for value in range(256))
MOST_CHARACTERS = 40_000
"""Longer texts are for the training tab: this trainer looks at the whole text for every merge."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned from pretokens. ``symbols``: the bytes of every id, alphabet first. ``before``: tokens of the
    texts without any merge."""

    merges: tuple[PlainMerge, ...]
    symbols: tuple[bytes, ...]
    before: int

    @property
    def alphabet(self) -> int:
        """How many symbols were there before the first merge."""
        return len(self.symbols) - len(self.merges)

    @property
    def tokens(self) -> int:
        """Tokens of the texts after the last merge."""
        return self.merges[-1].tokens_left if self.merges else self.before

    def name(self, place: int) -> str:
        """What merge number ``place`` made, as text."""
        return self.symbols[self.alphabet + place].decode("utf-8", "backslashreplace")

    def steps(self) -> list[tuple[str, int]]:
        """Each merge: what it made, and how often its pair occurred."""
        return [(self.name(place), merge.count) for place, merge in enumerate(self.merges)]

    def encode(self, word: Sequence[bytes]) -> list[int]:
        """The ids of one pretoken, its merges replayed in the order in which they were learned. KeyError for a symbol
        that is not in the alphabet."""
        from engine.reference_training import merge_pair

        places = {symbol: place for place, symbol in enumerate(self.symbols[: self.alphabet])}
        ids = [places[symbol] for symbol in word]
        for place, merge in enumerate(self.merges):
            merge_pair(ids, (merge.left_id, merge.right_id), self.alphabet + place)
        return ids


def learn(
    words: Sequence[Sequence[bytes]],
    merges: int,
    *,
    alphabet: Sequence[bytes] | None = None,
    min_count: int = 1,
    first_seen: bool = False,
) -> Learned:
    """Train on pretokens, each a sequence of symbols. ``alphabet``: all symbols; None: those of the pretokens, sorted.

    ValueError for more text than this trainer is made for.
    """
    from collections import Counter

    from engine.reference_training import learn_merges

    if sum(map(len, words)) > MOST_CHARACTERS:
        raise ValueError(f"The Lab trains on up to {MOST_CHARACTERS:,} symbols. Use the training tab for more.")
    symbols = list(alphabet) if alphabet is not None else sorted({symbol for word in words for symbol in word})
    places = {symbol: place for place, symbol in enumerate(symbols)}
    counted = Counter(tuple(places[symbol] for symbol in word) for word in words)
    found = learn_merges(counted, symbols, merges, min_count=min_count, first_seen=first_seen)
    for merge in found:
        symbols.append(symbols[merge.left_id] + symbols[merge.right_id])
    return Learned(tuple(found), tuple(symbols), sum(map(len, words)))


def in_bytes(word: str) -> list[bytes]:
    """A pretoken as single bytes."""
    data = word.encode("utf-8", "surrogatepass")
    return [data[place : place + 1] for place in range(len(data))]


def in_characters(word: str, *, marked: bool = False) -> list[bytes]:
    """A pretoken as characters; ``marked``: with the sign of the end of a word behind them."""
    symbols = [character.encode("utf-8", "surrogatepass") for character in word]
    return [*symbols, WORD_END.encode()] if marked else symbols


def split_words(text: str, pattern: str) -> list[str]:
    """The pretokens of a text by a pattern known by its name."""
    from engine.pretokenize import pretokenizer
    from engine.training_splits import split_named

    return pretokenizer(split_named(pattern).expression).pretokens(text)
