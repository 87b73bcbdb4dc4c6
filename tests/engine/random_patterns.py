"""Random split patterns, and texts to try them on."""

from __future__ import annotations

import random

_ATOMS = (
    *("a", "b", "c", " ", ",", "é", "字", "😀", ".", r"\s", r"\S", r"\w", r"\W", r"\d", r"\n", r"\p{L}", r"\p{Lu}"),
    *("[ab]", "[^a]", r"[^\s]", r"[a-c字]", r"[^\r\n]", "(?s:.)", "(?i:s)", "[ab1]"),
)
_ANCHORS = (r"\b", r"\B", "^", "$", r"\A", r"\z", "(?m:^)", "(?m:$)")
_BOUNDED = ("", "", "", "?", "??", "?+", "{2}", "{1,3}", "{0,2}", "{1,3}?")
_UNBOUNDED = ("+", "+", "*", "+?", "*?", "++", "*+", "{2,}")
_LOOPS = ("(?:ab|c)", "(?:a |b)", "(?:[ab],|c)", "(?:aé|字)", "(?:a(?=b)|b)", r"(?:\s\w)")
_ALPHABETS = ("ab", "abc ,\n", "aA1sſ S", "a字é😀 ", "a b\n", "abcé字😀 ,1\n\r\tsS")


class _Maker:
    """Makes one pattern. Few repetitions without a limit, none of them inside another: matching must not take long."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._loops_left = 3

    def _quantifier(self) -> str:
        if self._loops_left > 0 and self._rng.random() < 0.4:
            self._loops_left -= 1
            return self._rng.choice(_UNBOUNDED)
        return self._rng.choice(_BOUNDED)

    def _piece(self, depth: int) -> str:
        rng = self._rng
        kind = rng.random()
        if kind < 0.08:
            return rng.choice(_ANCHORS)
        if kind < 0.2:
            return f"(?{rng.choice('=!')}{self._sequence(depth - 1)})"
        if kind < 0.32:
            return f"(?<{rng.choice('=!')}{''.join(rng.choices(_ATOMS, k=rng.choice((1, 1, 2))))})"
        if kind < 0.38:
            return rng.choice(_LOOPS) + self._quantifier()
        if kind < 0.5 and depth > 0:
            return f"({rng.choice(('', '?:', '?>'))}{self.choice(depth - 1)})" + self._group_quantifier()
        return rng.choice(_ATOMS) + self._quantifier()

    def _group_quantifier(self) -> str:
        return "" if self._loops_left < 3 else self._rng.choice(_BOUNDED)

    def _sequence(self, depth: int) -> str:
        return "".join(self._piece(depth) for _ in range(self._rng.choice((1, 1, 2, 3))))

    def choice(self, depth: int) -> str:
        return "|".join(self._sequence(depth) for _ in range(self._rng.choice((1, 2, 3))))


def random_pattern(rng: random.Random) -> str:
    """A pattern that may match nothing, little or everything; one that tiktoken refuses is possible, too."""
    return _Maker(rng).choice(2) + rng.choice(("", "", r"|\s+", "|(?s:.)"))


def random_text(rng: random.Random, longest: int = 40) -> str:
    """A text of few different characters, in runs."""
    alphabet = rng.choice(_ALPHABETS)
    text = ""
    while len(text) < longest and rng.random() < 0.95:
        text += rng.choice(alphabet) * rng.choice((1, 1, 1, 2, 5))
    return text
