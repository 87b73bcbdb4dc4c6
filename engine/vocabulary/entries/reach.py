"""Which tokens no text is ever encoded to: encoding a token's own bytes gives other ids.

A vocabulary is learned with one split pattern, and entries are left that the pattern in use cuts apart: `` I'`` in
o200k_base is a token, but texts are cut before the apostrophe. A token that is only part of a character cannot be given
to an encoder as a text; it is reached where merging makes it. Of a tokenizer that a library runs, nothing is said: what
it makes of a token's text by itself is not what it makes of it within another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.vocabulary.entries.table import BYTE, MERGE, SPECIAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from engine.encoding.encoding import Encoding
    from engine.types import TokenParents
    from engine.vocabulary.entries.table import EntryTable

BETWEEN_REPORTS = 256
"""Tokens that are encoded before progress is told."""


def unreachable_ids(
    encoding: Encoding, entries: EntryTable, parents: TokenParents, report: Callable[[float], None] | None = None
) -> NDArray[np.bool_]:
    """bool[n], read-only: which byte and merge tokens are never reached. ``parents``: of all tokens. ``report`` is
    called with how far it is, from 0 to 1; what it raises ends it. Takes a second or two for 200,000 tokens."""
    merged = parents.left >= 0
    unreachable = np.zeros(len(entries), dtype=np.bool_)

    def is_merged(token_id: int) -> bool:
        return bool(merged[token_id])

    for first in range(0, len(entries), BETWEEN_REPORTS):
        if report is not None:
            report(first / len(entries))
        stop = min(first + BETWEEN_REPORTS, len(entries))
        for token_id, token in enumerate(entries.tokens(first, stop), first):
            if entries.kinds[token_id] in (BYTE, MERGE):
                unreachable[token_id] = not _is_reached(encoding, token_id, token, is_merged)
    unreachable.flags.writeable = False
    return unreachable


def is_reachable(encoding: Encoding, entries: EntryTable, token_id: int) -> bool | None:
    """Whether some text is encoded to an id, a special token's by its name. None for an unused id, and where that is
    not known."""
    kind = entries.kinds[token_id]
    if kind in (BYTE, MERGE):
        return _is_reached(
            encoding,
            token_id,
            entries.token_bytes(token_id),
            lambda number: encoding.parents_of(number) is not None,
        )
    return True if kind == SPECIAL else None


def _is_reached(encoding: Encoding, token_id: int, token: bytes, is_merged: Callable[[int], bool]) -> bool:
    try:
        text = token.decode("utf-8")
    except UnicodeDecodeError:
        return len(token) == 1 or is_merged(token_id)
    return encoding.encode_ordinary(text) == [token_id]
