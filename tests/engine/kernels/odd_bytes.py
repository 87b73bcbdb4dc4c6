"""Random bytes, most of them no UTF-8."""

from __future__ import annotations

import random

from tests.engine.kernels.odd_pieces import odd_piece
from tests.engine.kernels.odd_texts import odd_text

LONE_BYTES = b"\x80\xbf\xc0\xc1\xc2\xdf\xe0\xe2\xe4\xed\xef\xf0\xf4\xf5\xf8\xff"


def odd_bytes(rng: random.Random) -> bytes:
    """Random bytes, bytes of the kinds that UTF-8 is made of, or a text that was damaged or cut off."""
    kind = rng.randrange(5)
    if kind == 0:
        return rng.randbytes(rng.choice((1, 2, 15, 16, 63, 64, 65, 200, 513, 3000)))
    if kind == 1:
        return bytes(rng.choices(LONE_BYTES + b" \n'a1!", k=rng.choice((1, 3, 64, 200, 600, 1500))))
    if kind == 2:
        return bytes([rng.choice(LONE_BYTES)]) * rng.choice((1, 31, 64, 100, 511, 512, 513, 5000))
    content = bytearray("".join(odd_text(rng) + odd_piece(rng, 200) for _ in range(rng.randrange(1, 4))).encode())
    if kind == 3:
        return bytes(content[rng.randrange(len(content)) :][: rng.randrange(1, len(content) + 1)])
    for _ in range(rng.randrange(1, 20)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    return bytes(content)
