"""Any split pattern, by a general engine of regular expressions: text to pretokens, plain and slow.

The kernels know a few patterns by heart (``engine.scanners``). Every other one, such as a user's own, goes this way,
and the tests compare the two. It gives the pretokens that tiktoken would, which drops text that no match covers.

A hostile pattern can take time that grows without bounds: a limit in seconds ends it.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError, UnsupportedTextError
from engine.split_expression import UnsupportedPatternError, rewrite
from engine.tiktoken_core import byte_core

SECONDS = 10.0
"""How long one text may take, unless the caller says otherwise."""


class InvalidPatternError(EngineError, ValueError):
    """A split pattern is not a valid one. The text says why."""


class SplitTimeoutError(UnsupportedTextError):
    """Cutting a text with a pattern took longer than allowed."""


class Pretokenizer:
    """Cuts texts with one split pattern. Safe to use from several threads at once, which do not wait for each other."""

    def __init__(self, expression: str) -> None:
        """InvalidPatternError; UnsupportedPatternError."""
        import regex  # type: ignore[import-untyped]

        try:
            byte_core(expression)
        except ValueError as error:
            raise InvalidPatternError(f"The split pattern is not valid: {error}") from error
        rewritten = rewrite(expression)
        self._letters = rewritten.letters
        self._regex: Any = regex.compile(rewritten.expression, regex.VERSION0)

    def char_spans(self, text: str, seconds: float = SECONDS) -> NDArray[np.int64]:
        """int64[n, 2]: where each pretoken starts and ends, in characters. None is empty; text that the pattern does
        not match is in none of them. SplitTimeoutError."""
        letters = self._in_letters(text)
        try:
            # In one call, without the interpreter lock. Lengths are enough where the matches cover the text.
            sizes = np.array(
                [len(one) for one in self._regex.findall(letters, timeout=seconds, concurrent=True)], np.int64
            )
            ends = np.cumsum(sizes, dtype=np.int64)
            if len(text) == (ends[-1] if len(ends) else 0):
                return np.stack([ends - sizes, ends], axis=1)[sizes > 0]
            found = [match.span() for match in self._regex.finditer(letters, timeout=seconds, concurrent=True)]
        except TimeoutError as error:
            raise SplitTimeoutError(f"The split pattern took more than {seconds:g} seconds on this text.") from error
        spans = np.array(found, dtype=np.int64).reshape(-1, 2)
        return spans[spans[:, 1] > spans[:, 0]]

    def byte_spans(self, text: str, seconds: float = SECONDS) -> NDArray[np.int64]:
        """int64[n, 2]: where each pretoken starts and ends, in bytes of UTF-8; lone surrogates count as U+FFFD, which
        has three bytes. SplitTimeoutError."""
        points = _code_points(text)
        sizes = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
        byte_offsets = np.concatenate([[0], np.cumsum(sizes)])
        spans: NDArray[np.int64] = byte_offsets[self.char_spans(text, seconds)]
        return spans

    def pretokens(self, text: str, seconds: float = SECONDS) -> list[str]:
        """The pretokens themselves. SplitTimeoutError."""
        return [text[start:end] for start, end in self.char_spans(text, seconds).tolist()]

    def _in_letters(self, text: str) -> str:
        letters = self._letters[_code_points(text)]
        if letters.max(initial=0) < 0x100:
            return letters.astype(np.uint8).tobytes().decode("latin-1")
        return letters.astype("<u2").tobytes().decode("utf-16-le")


def _code_points(text: str) -> NDArray[np.uint32]:
    """uint32[n]: the characters of a text, lone surrogates as U+FFFD."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return np.where((points >= 0xD800) & (points < 0xE000), np.uint32(0xFFFD), points)


@functools.lru_cache(maxsize=32)
def pretokenizer(expression: str) -> Pretokenizer:
    """The pretokenizer of a pattern, made once. InvalidPatternError; UnsupportedPatternError."""
    return Pretokenizer(expression)


__all__ = [
    "SECONDS",
    "InvalidPatternError",
    "Pretokenizer",
    "SplitTimeoutError",
    "UnsupportedPatternError",
    "pretokenizer",
]
