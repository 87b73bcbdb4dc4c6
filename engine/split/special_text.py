"""Special tokens in a text: finding them, refusing them, and splitting at them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import regex


_MAX_NESTED = 20
"""Maximum nesting of groups; the library refuses expressions with too many levels."""

_FEW = 100
"""Expressions of more texts than this have a smaller cache: each text takes some 300 bytes. Some encodings have a
thousand, and each pair of an encoding and a chat template has an expression of its own."""


def special_token_regex(texts: frozenset[str]) -> regex.Pattern[str]:
    """Return an expression that finds any of the texts, the longest if several match. ``texts`` is not empty."""
    return _of_few(texts) if len(texts) <= _FEW else _of_many(texts)


def _compiled(texts: frozenset[str]) -> regex.Pattern[str]:
    import regex

    # The library would cache up to 500 of them.
    return regex.compile(_any_of(sorted(texts), 0), cache_pattern=False)


_of_few = functools.lru_cache(maxsize=128)(_compiled)
_of_many = functools.lru_cache(maxsize=12)(_compiled)


def _any_of(texts: Sequence[str], nested: int) -> str:
    """Return an expression for any of these sorted texts that matches the longest.

    Common prefixes are written once: a thousand special tokens that begin with ``<`` are not all tried at each ``<`` of
    a page of HTML, and the expression compiles in a third of the time.
    """
    import regex

    if len(texts) == 1:
        return str(regex.escape(texts[0]))
    if nested == _MAX_NESTED:
        return "|".join(map(regex.escape, sorted(texts, key=len, reverse=True)))
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(texts[0], texts[-1], strict=False))
    prefix = "".join(character for character, _ in alike)
    rests = [text[len(prefix) :] for text in texts]
    longer = itertools.groupby(filter(None, rests), key=lambda rest: rest[0])
    branches = "|".join(_any_of(list(group), nested + 1) for _, group in longer)
    return f"{regex.escape(prefix)}(?:{branches}){'' if rests[0] else '?'}"


def split_at_specials(text: str, allowed: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield the text as pairs (plain text, special token after it); the last special token is ``""``."""
    start = 0
    if allowed:
        for match in special_token_regex(frozenset(allowed)).finditer(text, concurrent=True):
            yield text[start : match.start()], match.group()
            start = match.end()
    yield text[start:], ""


def raise_disallowed(text: str) -> NoReturn:
    """Raise ValueError for a text with a special token that the caller did not allow."""
    raise ValueError(
        f"The text contains the special token {text!r}, which is not allowed here. "
        f"To encode it as that token, pass allowed_special={{{text!r}}}; to encode it as plain text, "
        f"leave it out of disallowed_special, or pass disallowed_special=()."
    )
