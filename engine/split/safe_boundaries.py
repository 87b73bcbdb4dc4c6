r"""Safe boundaries: offsets at which a text may be divided so that both sides encode to the tokens of the whole.

An offset p inside a text is a safe boundary if either

1. ``text[p]`` is a space or a tab and ``text[p-1]`` is not whitespace, or
2. ``text[p]`` is ``\r`` or ``\n`` and ``text[p-1]`` is a letter or a number, or
3. ``text[p]`` is punctuation from a fixed list without the apostrophe, and ``text[p-1]`` is a letter or a number;

and no recognized special token spans p.

Why this holds for every pattern in ``engine.split.patterns``, with A the text before p and B the rest:

* No match crosses p. No alternative of any pattern has a space or tab after a non-whitespace character (a space starts
  a match, it never continues one). Line ends continue only matches of punctuation and of whitespace, and ``/`` after
  them in o200k; never of letters and numbers. After a letter or number, only letters, numbers, marks and the apostrophe
  of a contraction continue a match. So a match starts at p, whatever precedes it.
* The matches of A alone are those of the whole text up to p. The end of a match depends on the characters that it may
  include, and those stop at p in both cases. Lookaheads and ``$`` are the exception, but all of them follow whitespace,
  which ``text[p-1]`` is not. DeepSeek's run of characters outside every class checks whether a letter or mark follows:
  neither the end of the text nor ``text[p]`` is one.
* The matches of B alone are those of the whole text from p on: no pattern has a look-behind.
* Merges never leave a match.
* The special tokens found in A and in B are those found in the whole text, as none of them spans p. The text between
  two of them is separate, and all of the above applies to it.

The letters and numbers of rules 2 and 3 are blocks that have been letters since Unicode 3, because Python's tables and
those of the Rust crates may have different versions. A boundary that is missed costs a longer window, never a token.

``BoundaryFinder`` finds them with regular expressions, ``QuickBoundaryFinder`` with kernels, a hundred times as fast
where they are rare. Kernels look up the properties of UTF-16 units in the table ``unit_properties``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from engine.kernels import block_layout as layout
from engine.split.special_text import special_token_regex

# Members of character classes of ``re``.
WHITE_SPACE = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
LETTERS_AND_NUMBERS = (
    "0-9A-Za-z"
    "\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u021f"  # Latin
    "\\u0391-\\u03a1\\u03a3-\\u03ce\\u0410-\\u044f"  # Greek, Cyrillic
    "\\u05d0-\\u05ea\\u0621-\\u063a\\u0641-\\u064a"  # Hebrew, Arabic
    "\\u0e01-\\u0e30\\u10d0-\\u10f0"  # Thai, Georgian
    "\\u3041-\\u3094\\u30a1-\\u30fa\\u4e00-\\u9fa5\\uac00-\\ud7a3"  # kana, Han, Hangul
)
PUNCTUATION = "!-&(-/:-@\\[-`{-~\\u3001\\u3002\\u3008-\\u3011\\uff01\\uff08\\uff09\\uff0c\\uff0e\\uff1a\\uff1b\\uff1f"
# The expression begins with a single set of characters: ``re`` searches for that fifteen times as fast as it tries each
# offset.
CUT = re.compile(
    f"[ \\t\\r\\n{PUNCTUATION}](?:(?<=[^{WHITE_SPACE}][ \\t])|(?<=[{LETTERS_AND_NUMBERS}][\\r\\n{PUNCTUATION}]))"
)
_LINES = re.compile(r"\n(?<=[^\n]\n)")

_FIRST_WINDOW = 64
_LAST_WINDOW = 65_536
_LONG_WINDOW = 1_024
"""Minimum window, in characters, for which the existence of any boundary is checked before searching: where none was
found so far, there may be none in a million more."""


class BoundaryFinder:
    """Finds safe boundaries in texts, for all known patterns. The ends of a text are safe, but not reported.

    ``special_tokens``: the texts that are recognized as special tokens, if any. ``reach``: number of characters on
    either side of an offset that decide whether it is a boundary.
    """

    def __init__(self, special_tokens: Collection[str] = ()) -> None:
        self.reach = max(map(len, special_tokens), default=1)
        self._special = special_token_regex(frozenset(special_tokens)) if special_tokens else None
        first_chars = "".join(sorted({re.escape(text[0]) for text in special_tokens}))
        self._special_start = re.compile(f"[{first_chars}]") if special_tokens else None

    def first(self, text: str, char_start: int, char_end: int) -> int:
        """Return the first boundary p with ``char_start <= p < char_end``, or -1."""
        position = max(char_start, 1)
        window = _FIRST_WINDOW
        while position < char_end:
            stop = min(position + window, char_end)
            for match in self._cuts(text, position, stop):
                if not self._is_crossed(text, match.start()):
                    return match.start()
            position, window = stop, min(window * 4, _LAST_WINDOW)
        return -1

    def last(self, text: str, char_start: int, char_end: int) -> int:
        """Return the last boundary p with ``char_start <= p < char_end``, or -1."""
        stop = char_end
        window = _FIRST_WINDOW
        lowest = max(char_start, 1)
        while stop > lowest:
            position = max(stop - window, lowest)
            cuts = [match.start() for match in self._cuts(text, position, stop)]
            for cut in reversed(cuts):
                if not self._is_crossed(text, cut):
                    return cut
            stop, window = position, min(window * 4, _LAST_WINDOW)
        return -1

    def chunks(self, text: str, size: int) -> Iterator[tuple[int, int]]:
        """Yield the (start, end) of chunks of at most ``size`` characters, longer only if there is no boundary."""
        start = 0
        while len(text) - start > size:
            cut = self.last(text, start + 1, start + size + 1)
            if cut < 0:
                cut = self.first(text, start + size + 1, len(text))
            if cut < 0:
                break
            yield start, cut
            start = cut
        if start < len(text):
            yield start, len(text)

    def spans(self, text: str, size: int) -> NDArray[np.int64]:
        """Return ``chunks`` as int64[k, 2]."""
        return np.array(list(self.chunks(text, size)), dtype=np.int64).reshape(-1, 2)

    def _cuts(self, text: str, char_start: int, char_end: int) -> Iterable[re.Match[str]]:
        """Return the boundaries p with ``1 <= char_start <= p < char_end``, ignoring special tokens."""
        if char_end - char_start >= _LONG_WINDOW and not _may_have_cut(text[char_start - 1 : char_end]):
            return ()
        return CUT.finditer(text, char_start, char_end)

    def _is_crossed(self, text: str, cut: int) -> bool:
        """Return True if a special token spans an offset."""
        if self._special is None or self._special_start is None:
            return False
        start = max(0, cut - self.reach + 1)
        while found := self._special_start.search(text, start, cut):
            match = self._special.match(text, found.start())
            if match and match.end() > cut:
                return True
            start = found.start() + 1
        return False


class LineBoundaryFinder(BoundaryFinder):
    """Finds the starts of runs of line feeds. These are the safe boundaries of SentencePiece's pieces, as such a run is
    a pretoken of its own."""

    def _cuts(self, text: str, char_start: int, char_end: int) -> Iterable[re.Match[str]]:
        return _LINES.finditer(text, char_start, char_end)


def _may_have_cut(text: str) -> bool:
    """Return True if a text has a boundary, ignoring special tokens."""
    flags = _flags()[np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)]
    before, behind = flags[:-1], flags[1:]
    is_blank_after_text = ((behind & layout.BLANK) != 0) & ((before & layout.WHITE) == 0)
    ends_word = (behind & (layout.LINE_END | layout.PUNCTUATION)) != 0
    return bool((is_blank_after_text | (ends_word & ((before & layout.LETTER_OR_NUMBER) != 0))).any())


# --- properties of UTF-16 units, for kernels (``engine.kernels.block_layout``) ----------------------------------------


@functools.lru_cache(maxsize=1)
def _flags() -> NDArray[np.uint8]:
    """Return uint8[65536]: the flags that are the same for every encoding."""
    units = "".join(map(chr, range(layout.PAIR_COUNT_AT)))
    flags = np.zeros(len(units), dtype=np.uint8)
    for flag, members in (
        (layout.WHITE, re.findall(f"[{WHITE_SPACE}]", units)),
        (layout.LETTER_OR_NUMBER, re.findall(f"[{LETTERS_AND_NUMBERS}]", units)),
        (layout.PUNCTUATION, re.findall(f"[{PUNCTUATION}]", units)),
        (layout.BLANK, " \t"),
        (layout.LINE_END, "\r\n"),
        (layout.SEPARATOR, [unit for unit in units if unit.isspace()]),
        (layout.NEWLINE, "\n"),
    ):
        flags[list(map(ord, members))] |= flag
    return flags


def unit_properties(special_tokens: Collection[str]) -> NDArray[np.uint8]:
    """Return uint8[n], read-only: flags of every unit, and the beginnings of special tokens, none of which is empty."""
    flags = _flags().copy()
    pairs = set()
    for text in special_tokens:
        units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2").tolist()
        flags[units[0]] |= layout.SPECIAL_START
        pairs.add(units[0] << 16 | (units[1] if len(units) > 1 else layout.ANY_UNIT))
    count = np.array([len(pairs)], dtype=np.int32)
    properties = np.concatenate([flags, count.view(np.uint8), np.array(sorted(pairs), dtype=np.uint32).view(np.uint8)])
    properties.flags.writeable = False
    return properties


# --- boundaries found by kernels --------------------------------------------------------------------------------------


class QuickBoundaryFinder(BoundaryFinder):
    """Finds safe boundaries in texts in which special tokens are not recognized."""

    def __init__(self) -> None:
        from engine.kernels import edit_window  # importing numba takes a while

        super().__init__()
        self._kernels = edit_window
        self._properties = unit_properties(())

    def first(self, text: str, char_start: int, char_end: int) -> int:
        """Return the first boundary p with ``char_start <= p < char_end``, or -1."""
        start, end = max(char_start, 1), min(char_end, len(text))
        return self._kernels.first_cut_in(text, start, end, self._properties) if start < end else -1

    def last(self, text: str, char_start: int, char_end: int) -> int:
        """Return the last boundary p with ``char_start <= p < char_end``, or -1."""
        start, end = max(char_start, 1), min(char_end, len(text))
        return self._kernels.last_cut_in(text, start, end, self._properties) if start < end else -1

    def spans(self, text: str, size: int) -> NDArray[np.int64]:
        """Return ``chunks`` as int64[k, 2]."""
        return self._kernels.find_chunks(text, size, self._properties)


@functools.lru_cache(maxsize=1)
def text_boundaries() -> BoundaryFinder:
    """Return the fastest available finder for texts without special tokens."""
    from engine.kernels._jit import COMPILED

    return QuickBoundaryFinder() if COMPILED else BoundaryFinder()


def warm_up() -> None:
    """Compile the kernels, or load them from the code cache."""
    from engine.kernels._jit import COMPILED

    if COMPILED:
        from engine.kernels.edit_window import find_chunks, first_cut_in, last_cut_in

        properties = np.zeros(layout.PAIR_COUNT_AT, dtype=np.uint8)
        properties.flags.writeable = False
        first_cut_in("warm", 1, 4, properties)
        last_cut_in("warm", 1, 4, properties)
        find_chunks("warm", 4, properties)
