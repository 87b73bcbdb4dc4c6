"""How the tests of the scanners call them."""

from __future__ import annotations

import random

import numpy as np

from engine.split import patterns, scanners
from engine.split.scanners import PADDING, KnownSplit, Scanner

SPLITS: dict[str, tuple[KnownSplit, str]] = {
    "gpt2": (scanners.GPT2, patterns.GPT2.expression),
    "cl100k": (scanners.CL100K, patterns.CL100K.expression),
    "llama3": (scanners.LLAMA3, patterns.LLAMA3_EXPRESSION),
    "qwen": (scanners.QWEN, patterns.QWEN.expression),
    "qwen3_5": (scanners.QWEN3_5, patterns.QWEN3_5.expression),
    "o200k": (scanners.O200K, patterns.O200K.expression),
    "kimi": (scanners.KIMI, patterns.KIMI.expression),
    "tekken": (scanners.TEKKEN, patterns.TEKKEN.expression),
    "deepseek": (scanners.DEEPSEEK, patterns.DEEPSEEK.expression),
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
