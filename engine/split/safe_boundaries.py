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
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from engine.split.special_text import special_token_regex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
            for match in _cuts(text, position, stop):
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
            cuts = [match.start() for match in _cuts(text, position, stop)]
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
        import numpy as np

        return np.array(list(self.chunks(text, size)), dtype=np.int64).reshape(-1, 2)

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


def _cuts(text: str, char_start: int, char_end: int) -> Iterable[re.Match[str]]:
    """Return the boundaries p with ``1 <= char_start <= p < char_end``, ignoring special tokens."""
    if char_end - char_start >= _LONG_WINDOW and not _may_have_cut(text[char_start - 1 : char_end]):
        return ()
    return CUT.finditer(text, char_start, char_end)


def _may_have_cut(text: str) -> bool:
    """Return True if a text has a boundary, ignoring special tokens."""
    import numpy as np

    kinds = _kinds()[np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)]
    return bool((kinds[1:] & (kinds[:-1] >> 4)).any())


@functools.cache
def _kinds() -> NDArray[np.uint8]:
    """Return uint8[65536], read-only: for each UTF-16 unit one bit per rule that allows it after a boundary, and four
    bits higher, one per rule that allows it before. Surrogates are not whitespace, as no character beyond the basic
    plane is."""
    import numpy as np

    units = "".join(map(chr, range(1 << 16)))
    kinds = np.zeros(len(units), dtype=np.uint8)
    behind = (" \\t", f"\\r\\n{PUNCTUATION}")
    before = (f"^{WHITE_SPACE}", LETTERS_AND_NUMBERS)
    for bit, characters in zip((1, 2, 16, 32), (*behind, *before), strict=True):
        kinds[[match.start() for match in re.finditer(f"[{characters}]", units)]] |= bit
    kinds.flags.writeable = False
    return kinds
