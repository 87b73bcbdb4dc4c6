"""From merges to an Encoding."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from engine.encoding import Encoding
from engine.kernels.train_spelling import spell
from engine.prepared_encoding import encoding_with
from engine.training_alphabets import Alphabet
from engine.training_settings import TrainingPlan


def spell_tokens(alphabet: Alphabet, merges: NDArray[np.int64]) -> tuple[bytes, NDArray[np.int64]]:
    """The bytes of all tokens one after the other, and int64[n + 1]: where each begins and the last ends.

    merges: int64[n, 4], left id and right id first.
    """
    offsets = np.zeros(len(alphabet) + len(merges) + 1, dtype=np.int64)
    np.cumsum([len(symbol) for symbol in alphabet.symbols], out=offsets[1 : len(alphabet) + 1])
    symbols = np.frombuffer(b"".join(alphabet.symbols), dtype=np.uint8)
    return spell(symbols, np.ascontiguousarray(merges), offsets).tobytes(), offsets


def build_encoding(name: str, plan: TrainingPlan, alphabet: Alphabet, merges: NDArray[np.int64]) -> Encoding:
    """An encoding of the symbols of the alphabet, the merged tokens and the special tokens, in this order.

    Tokens can be told by their bytes: no two merges of a run spell the same. For whenever a token is made, nothing has
    merged across its ends before, so its bytes have gone through the same merges as everywhere else where nothing
    crossed their ends; and all of those places became the first such token together.
    """
    blob, offsets = spell_tokens(alphabet, merges)
    ends = offsets.tolist()
    ranks = {blob[start:end]: token_id for token_id, (start, end) in enumerate(itertools.pairwise(ends))}
    specials = {text: len(ends) - 1 + number for number, text in enumerate(plan.settings.special_tokens)}
    return encoding_with(name, plan.expression, ranks, specials, plan.preparation, byte_fallback=plan.byte_fallback)
