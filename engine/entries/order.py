"""The order of many tokens by their bytes.

``sorted`` would hold every other thread up for a tenth of a second over the 200,000 tokens of a vocabulary. numpy sorts
without the interpreter: by the first eight bytes as one number, which leaves few tokens that begin alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.still_wanted import while_wanted

_BEGINNING = 8


def order_of_bytes(tokens: Sequence[bytes]) -> list[int]:
    """The places of the tokens in the order of their bytes; of equal ones, the first comes first."""
    beginnings = b"".join(token[:_BEGINNING].ljust(_BEGINNING, b"\0") for token in while_wanted(tokens))
    keys = np.frombuffer(beginnings, dtype=">u8").astype(np.uint64)
    by_key = np.argsort(keys, kind="stable")
    keys = keys[by_key]
    starts = np.concatenate([[0], np.flatnonzero(keys[1:] != keys[:-1]) + 1])
    stops = np.append(starts[1:], len(keys))
    alike = stops - starts > 1
    order: list[int] = by_key.tolist()
    for start, stop in while_wanted(zip(starts[alike].tolist(), stops[alike].tolist(), strict=True)):
        order[start:stop] = sorted(order[start:stop], key=tokens.__getitem__)
    return order
