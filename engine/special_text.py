"""Text of special tokens inside a text: found, refused, or cut out."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import regex  # type: ignore[import-untyped]


@functools.lru_cache(maxsize=128)
def special_token_regex(texts: frozenset[str]) -> regex.Pattern[str]:
    """An expression that finds any of the texts, the longest where several start. ``texts`` is not empty."""
    import regex

    longest_first = sorted(texts, key=lambda text: (-len(text), text))
    return regex.compile("|".join(map(regex.escape, longest_first)))


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
