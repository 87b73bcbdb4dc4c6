r"""Splitting a text with Python's ``regex`` module, for patterns of the user's own that the Rust engine gives up on.

``regex`` reads the dialect as Rust does (``\s`` is White_Space, ``(?i:s)`` matches ``ſ``, possessive loops) but for
``$``, which in Rust is the very end of the text. Its Unicode version may be newer, so characters assigned since may be
classed differently; the bundled patterns never come here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.errors import UnsupportedTextError

_SECONDS = 30.0
_ESCAPE_CLASS_OR_END = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", re.DOTALL)


def translated(pattern: str) -> str:
    r"""The pattern with ``$`` written as ``\Z``, but not where it is escaped or in a class."""
    return _ESCAPE_CLASS_OR_END.sub(lambda match: r"\Z" if match.group() == "$" else match.group(), pattern)


def split_with_regex(pattern: str, text: str) -> Iterator[str]:
    """The pretokens of a text. UnsupportedTextError when the pattern takes more than half a minute."""
    import regex  # type: ignore[import-untyped]

    try:
        for match in regex.finditer(translated(pattern), text, timeout=_SECONDS):
            if match.group():
                yield match.group()
    except TimeoutError as error:
        raise UnsupportedTextError("The pattern of this encoding takes too long on this text.") from error
