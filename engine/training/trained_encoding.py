"""From merges to an Encoding, and from that to one without some of its entries."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.encoding.encoding import Encoding
from engine.encoding.preparation import Preparation
from engine.encoding.prepared_encoding import PreparedEncoding, encoding_with
from engine.errors import EngineError
from engine.kernels.train_spelling import spell
from engine.training.alphabets import Alphabet
from engine.training.settings import TrainingPlan
from engine.vocabulary import merge_replay


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


@dataclass(frozen=True, slots=True)
class EditedEncoding:
    """An encoding with fewer entries. ``removed``: ids of all entries it lacks, those that depended on one included."""

    encoding: Encoding
    removed: tuple[int, ...]


def edit_entries(
    encoding: Encoding, name: str, remove: Collection[int] = (), rename: Mapping[str, str] | None = None
) -> EditedEncoding:
    """Return an encoding without some entries, and with other texts for special tokens. All others keep their ids.

    A token that no merges lead to any more is removed, too: no text would be encoded to it. ``rename``: old and new
    text of special tokens. Raises EngineError for an entry that cannot be removed or renamed.
    """
    if encoding.no_merges:
        raise EngineError(f"Entries of {encoding.name} cannot be changed: a library runs it.")
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
            raise EngineError(f"Entry {token_id} is part of the alphabet: without it some text has no tokens.")
        else:
            gone.append(content)
            del ranks[content]
        removed.append(token_id)
    for content in sorted((one for one in ranks if any(part in one for part in gone)), key=len):
        if encoding.parents_of(ranks[content]) and merge_replay.parents_of(content, ranks) is None:
            removed.append(ranks.pop(content))
    specials = _renamed(specials, rename or {})
    preparation = encoding.preparation if isinstance(encoding, PreparedEncoding) else Preparation()
    fallback = isinstance(encoding, PreparedEncoding) and encoding.byte_fallback
    edited = encoding_with(name, encoding._pat_str, ranks, specials, preparation, byte_fallback=fallback)
    return EditedEncoding(edited, tuple(sorted(removed)))


def _renamed(specials: Mapping[str, int], rename: Mapping[str, str]) -> dict[str, int]:
    for old, new in rename.items():
        if old not in specials:
            raise EngineError(f"There is no special token {old!r}.")
        if not new or (new in specials and new != old):
            raise EngineError(f"The special token {old!r} cannot be called {new!r}.")
    return {rename.get(text, text): token_id for text, token_id in specials.items()}
