"""The second half of training: counted pretokens become merges, and merges an encoding."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.encoding.encoding import Encoding
from engine.text.space_signs import SIGN
from engine.training.alphabets import (
    Alphabet,
    WrittenCorpus,
    byte_alphabet,
    character_alphabet,
    write_in_bytes,
    write_in_characters,
)
from engine.training.checkpoint import Arrays, Facts
from engine.training.counting import Counting
from engine.training.merge_list import MergeList
from engine.training.merge_loop import Merger
from engine.training.settings import TrainingPlan, most_merges
from engine.training.trained_encoding import build_encoding, spell_tokens
from engine.training.types import Merge, TrainingCurve

_BUDGET = 100_000
"""Places that are merged between two looks at the clock: about a millisecond."""

_CURVE_POINTS = 2048


class CorpusMerging:
    """Merges the pretokens of a corpus, a slice at a time, and says what was learned."""

    def __init__(self, plan: TrainingPlan, corpus: WrittenCorpus, merges: NDArray[np.int64] | None = None) -> None:
        """merges: those that the corpus has had already, as from ``pack``. TrainingError."""
        self._plan = plan
        self._alphabet = corpus.alphabet
        self._text_bytes = corpus.text_bytes
        self.merges_wanted = most_merges(plan.settings, len(corpus.alphabet))
        self._merger = Merger(
            corpus.slots,
            corpus.alphabet.inner_symbols(),
            self.merges_wanted,
            corpus.symbols,
            min_count=plan.settings.min_count,
            max_token_bytes=plan.settings.max_token_bytes,
            merges=merges,
        )

    @classmethod
    def of(cls, counting: Counting, plan: TrainingPlan) -> CorpusMerging:
        """What was counted, ready for merging. TrainingError."""
        table = counting.gathered().table
        if plan.writes_characters:
            corpus = write_in_characters(table, SIGN if plan.byte_fallback else "")
        else:
            corpus = write_in_bytes(table, plan.settings.tie_order)
        return cls(plan, replace(corpus, text_bytes=corpus.text_bytes - counting.sign_bytes))

    def advance(self, deadline: float) -> bool:
        """Merge until ``time.perf_counter()`` reaches ``deadline``. Whether all is merged."""
        while not self._merger.is_done:
            self._merger.advance(_BUDGET)
            if time.perf_counter() >= deadline:
                break
        return self._merger.is_done

    # What it knows

    @property
    def merged(self) -> int:
        """Merges done."""
        return self._merger.merged

    @property
    def tokens(self) -> int:
        """Tokens of the corpus."""
        return self._merger.tokens

    @property
    def bytes_per_token(self) -> float:
        """Compression of the corpus."""
        return self._text_bytes / self.tokens if self.tokens else 0.0

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary, with special tokens."""
        return len(self._alphabet) + self.merged + len(self._plan.settings.special_tokens)

    @property
    def why_done(self) -> str:
        """Why it ended before the vocabulary was full, or ""."""
        if not self._merger.is_done or self.vocab_size == self._plan.settings.vocab_size:
            return ""
        times = self._plan.settings.min_count
        return f"No pair is left that occurs {'more than once' if times == 2 else f'{times:,} times or more'}."

    @property
    def last_merge(self) -> Merge | None:
        """The newest merge."""
        if not self.merged:
            return None
        index = self.merged - 1
        left, right, count, tokens = self.merge_table(index)[0].tolist()
        content = self._content(left) + self._content(right)
        return Merge(index, left, right, len(self._alphabet) + index, content, count, tokens)

    def _content(self, token_id: int) -> bytes:
        """The bytes of a token."""
        first_id, merges = len(self._alphabet), self._merger.merges
        parts, waiting = [], [token_id]
        while waiting:
            token_id = waiting.pop()
            if token_id < first_id:
                parts.append(self._alphabet.symbols[token_id])
            else:
                waiting += self._alphabet.outer(merges[token_id - first_id, :2])[::-1].tolist()
        return b"".join(parts)

    def merge_table(self, since: int = 0) -> NDArray[np.int64]:
        """int64[n, 4], read-only: of each merge from number ``since`` on the left id, the right id, how often the pair
        occurred, and the tokens of the corpus afterwards."""
        table = self._merger.merges[since:].copy()
        table[:, :2] = self._alphabet.outer(table[:, :2])
        table.flags.writeable = False
        return table

    def merges(self, since: int = 0) -> MergeList:
        """The merges from number ``since`` on."""
        table = self.merge_table()
        since = min(since, len(table))
        blob, offsets = spell_tokens(self._alphabet, table)
        first_id = len(self._alphabet)
        ends = offsets[first_id + since :]
        return MergeList(table[since:].copy(), blob[int(ends[0]) :], ends - ends[0], since, first_id + since)

    def curve(self) -> TrainingCurve:
        """Compression against vocabulary size, so far."""
        merges = self._merger.merges
        points = np.linspace(0, max(len(merges) - 1, 0), min(len(merges), _CURVE_POINTS))
        chosen = np.unique(points.astype(np.int64))
        sizes = chosen + (len(self._alphabet) + 1 + len(self._plan.settings.special_tokens))
        values = self._text_bytes / np.maximum(merges[chosen, 3], 1)
        sizes.flags.writeable = values.flags.writeable = False
        return TrainingCurve(sizes, values)

    def encoding(self, name: str) -> Encoding:
        """What has been learned so far."""
        return build_encoding(name, self._plan, self._alphabet, self.merge_table())

    # Checkpoints

    def pack(self) -> tuple[Facts, Arrays]:
        """All that is needed to go on."""
        characters = "".join(symbol.decode() for symbol in self._alphabet.characters)
        facts = {
            "text_bytes": self._text_bytes,
            "tokens": self.tokens,
            "characters": characters,
            "merging_is_done": self._merger.is_done,
        }
        return facts, {"slots": self._merger.packed_slots(), "merges": self._merger.merges}

    @classmethod
    def unpack(cls, plan: TrainingPlan, facts: dict[str, Any], arrays: Arrays) -> CorpusMerging:
        """What was packed. Where that is not whole: KeyError, ValueError, TypeError, IndexError."""
        alphabet: Alphabet = byte_alphabet(plan.settings.tie_order)
        if plan.writes_characters:
            alphabet = character_alphabet(np.array([ord(one) for one in facts["characters"]], dtype=np.int64))
        corpus = WrittenCorpus(alphabet, arrays["slots"], int(facts["tokens"]), int(facts["text_bytes"]))
        merging = cls(plan, corpus, arrays["merges"])
        merging._merger.is_done |= bool(facts["merging_is_done"])
        return merging
