r"""Places where a text may be cut so that both sides encode apart to exactly the tokens of the whole.

A position p inside a text is a safe cut when either

1. ``text[p]`` is a space or a tab and ``text[p-1]`` is not white space, or
2. ``text[p]`` is ``\r`` or ``\n`` and ``text[p-1]`` is a letter or a number, or
3. ``text[p]`` is punctuation from a fixed list without the apostrophe, and ``text[p-1]`` is a letter or a number;

and no special token that is looked for lies across p.

Why that holds for every pattern in ``engine.split.patterns``, with A the text before p and B the rest:

* No match runs across p. No alternative of any pattern has a space or tab behind a character that is not white space
  (a space opens a match, it never continues one). Line ends continue matches of punctuation and of white space only,
  and ``/`` after them in o200k; never of letters and numbers. Behind a letter or number only letters, numbers, marks
  and the apostrophe of a contraction continue a match. So p is where a match starts, whatever comes before.
* The matches of A alone are those of the whole text up to p. A match ends where it does because of the characters it
  may take, and those stop at p either way; lookaheads and ``$`` are the exception, and every one of them stands
  behind white space, where ``text[p-1]`` is none, but for DeepSeek's run of characters outside every class, which
  asks whether a letter or mark follows: neither the end nor a space is one.
* The matches of B alone are those of the whole text from p: no pattern looks behind itself.
* Merges never leave a match.
* Special tokens found in A and in B are those found in the whole text, as no text of one lies across p; and what
  stands between two of them is a text of its own, to which all of the above applies.

The letters and numbers of rules 2 and 3 are blocks that have been letters since Unicode 3, because Python's tables and
those of the Rust crates may be of different versions. A cut that is not found costs a longer window, never a token.
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
# It begins with one set of characters: for that, ``re`` has a search, fifteen times as fast as trying each place.
CUT = re.compile(
    f"[ \\t\\r\\n{PUNCTUATION}](?:(?<=[^{WHITE_SPACE}][ \\t])|(?<=[{LETTERS_AND_NUMBERS}][\\r\\n{PUNCTUATION}]))"
)

_FIRST_WINDOW = 64
_LAST_WINDOW = 65_536
_LONG_WINDOW = 1_024
"""Before so many characters are searched, it is asked whether there is a cut at all: where there was none so far, there
may be none for a million more."""


class CutFinder:
    """Finds safe cuts in texts, for all known patterns. The ends of a text are no cuts, though as safe.

    ``special_tokens``: the texts that count as tokens of their own, if any. ``reach``: how many characters on either
    side of a position say whether it is a cut.
    """

    def __init__(self, special_tokens: Collection[str] = ()) -> None:
        self.reach = max(map(len, special_tokens), default=1)
        self._special = special_token_regex(frozenset(special_tokens)) if special_tokens else None
        first_chars = "".join(sorted({re.escape(text[0]) for text in special_tokens}))
        self._special_start = re.compile(f"[{first_chars}]") if special_tokens else None

    def first(self, text: str, char_start: int, char_end: int) -> int:
        """The first cut p with ``char_start <= p < char_end``, or -1."""
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
        """The last cut p with ``char_start <= p < char_end``, or -1."""
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
        """Cut a text into pieces (start, end) of at most ``size`` characters, more only where there is no cut."""
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
        """int64[k, 2]: ``chunks``, as an array."""
        import numpy as np

        return np.array(list(self.chunks(text, size)), dtype=np.int64).reshape(-1, 2)

    def _is_crossed(self, text: str, cut: int) -> bool:
        """Whether a special token lies across a position."""
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
    """The cuts p with ``1 <= char_start <= p < char_end``, special tokens apart."""
    if char_end - char_start >= _LONG_WINDOW and not _may_have_cut(text[char_start - 1 : char_end]):
        return ()
    return CUT.finditer(text, char_start, char_end)


def _may_have_cut(text: str) -> bool:
    """Whether there is a cut in a text, special tokens apart."""
    import numpy as np

    kinds = _kinds()[np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)]
    return bool((kinds[1:] & (kinds[:-1] >> 4)).any())


@functools.cache
def _kinds() -> NDArray[np.uint8]:
    """uint8[65536], read-only: which rules let a UTF-16 unit stand behind a cut, a bit each, and four bits higher,
    which let it stand before one. Halves of a pair are no white space, as no character beyond the basic plane is."""
    import numpy as np

    units = "".join(map(chr, range(1 << 16)))
    kinds = np.zeros(len(units), dtype=np.uint8)
    behind = (" \\t", f"\\r\\n{PUNCTUATION}")
    before = (f"^{WHITE_SPACE}", LETTERS_AND_NUMBERS)
    for bit, characters in zip((1, 2, 16, 32), (*behind, *before), strict=True):
        kinds[[match.start() for match in re.finditer(f"[{characters}]", units)]] |= bit
    kinds.flags.writeable = False
    return kinds
