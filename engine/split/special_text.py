"""Text of special tokens inside a text: found, refused, or cut out."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import regex  # type: ignore[import-untyped]


_MOST_NESTED = 20
"""Groups within each other; an expression of too many is refused."""

_FEW = 100
"""Of an expression of more texts fewer are kept: it takes some 300 bytes for each. Some encodings have a thousand, and
each pair of one and a chat template has an expression of its own."""


def special_token_regex(texts: frozenset[str]) -> regex.Pattern[str]:
    """An expression that finds any of the texts, the longest where several start. ``texts`` is not empty."""
    return _of_few(texts) if len(texts) <= _FEW else _of_many(texts)


def _compiled(texts: frozenset[str]) -> regex.Pattern[str]:
    import regex

    # The library would keep up to 500 of them.
    return regex.compile(_any_of(sorted(texts), 0), cache_pattern=False)


_of_few = functools.lru_cache(maxsize=128)(_compiled)
_of_many = functools.lru_cache(maxsize=12)(_compiled)


def _any_of(texts: Sequence[str], nested: int) -> str:
    """An expression for any of these texts, which are in order, that takes the longest.

    What several begin with is written once: of a thousand special tokens that all begin with ``<``, not each is tried
    at each ``<`` of a page of HTML, and the expression is compiled in a third of the time.
    """
    import regex

    if len(texts) == 1:
        return str(regex.escape(texts[0]))
    if nested == _MOST_NESTED:
        return "|".join(map(regex.escape, sorted(texts, key=len, reverse=True)))
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(texts[0], texts[-1], strict=False))
    prefix = "".join(character for character, _ in alike)
    rests = [text[len(prefix) :] for text in texts]
    longer = itertools.groupby(filter(None, rests), key=lambda rest: rest[0])
    branches = "|".join(_any_of(list(group), nested + 1) for _, group in longer)
    return f"{regex.escape(prefix)}(?:{branches}){'' if rests[0] else '?'}"


def split_at_specials(text: str, allowed: Set[str]) -> Iterator[tuple[str, str]]:
    """The text as pairs (plain text, special token behind it); the last pair's special token is ``""``."""
    start = 0
    if allowed:
        for match in special_token_regex(frozenset(allowed)).finditer(text, concurrent=True):
            yield text[start : match.start()], match.group()
            start = match.end()
    yield text[start:], ""


def raise_disallowed(text: str) -> NoReturn:
    """ValueError for a text with a special token in it that the caller did not allow."""
    raise ValueError(
        f"The text contains the special token {text!r}, which is not allowed here. "
        f"To encode it as that token, pass allowed_special={{{text!r}}}; to encode it as plain text, "
        f"leave it out of disallowed_special, or pass disallowed_special=()."
    )
