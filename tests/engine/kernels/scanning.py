"""How the tests of the scanners call them."""

from __future__ import annotations

import random

import numpy as np

from engine.kernels.text_bytes import PADDING
from engine.split import patterns
from engine.split.patterns import KnownSplit
from engine.split.scanners import Scanner

SPLITS: dict[str, tuple[KnownSplit, str]] = {
    known.name: (known.scan, known.expression) for known in patterns.PATTERNS if known.scan is not None
}
"""Each split, and the pattern that tiktoken is to follow."""


def padded(content: bytes, rng: random.Random | None = None) -> np.ndarray:
    """The text as scanners take it. The bytes behind its end, which must not matter, are random or zero."""
    behind = rng.randbytes(PADDING) if rng else bytes(PADDING)
    return np.frombuffer(content + behind, dtype=np.uint8)


def all_ends(scanner: Scanner, text: np.ndarray, n_bytes: int, room: int = 4096, start: int = 0) -> list[int]:
    """All ends from ``start`` on, in calls with room for ``room`` of them."""
    found: list[int] = []
    ends = np.empty(room, dtype=np.int32)
    while start < n_bytes:
        number = scanner(text, n_bytes, start, ends)
        assert 0 < number <= room
        found += ends[:number].tolist()
        start = found[-1]
    return found


def ends_of(scanner: Scanner, text: str) -> list[int]:
    """All ends of a text."""
    content = text.encode()
    return all_ends(scanner, padded(content), len(content))
