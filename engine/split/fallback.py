r"""Split a text without tiktoken, for the user's own patterns that the Rust engine gives up on.

``engine.split.pretokenization`` reads nearly all of them exactly as the Rust crates do. The others go to Python's
``regex`` module as they are, which reads the dialect as Rust does (``\s`` is White_Space, ``(?i:s)`` matches ``ſ``,
possessive loops) except for ``$``, which in Rust is the very end of the text. Its Unicode version may be newer, so
characters assigned since may be classed differently; the bundled patterns never come here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.errors import UnsupportedTextError

_SECONDS = 30.0
_ESCAPE_CLASS_OR_END = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", re.DOTALL)


def split_apart(pattern: str, text: str) -> Iterator[str]:
    """The pretokens of a text without surrogates. UnsupportedTextError when the pattern takes too long."""
    from engine.split.pretokenization import UnsupportedPatternError, pretokenizer, stretches

    try:
        known = pretokenizer(pattern)
    except UnsupportedPatternError:
        yield from split_with_regex(pattern, text)
        return
    for stretch in stretches(known, text):
        for start, end in stretch.char_spans.tolist():
            yield stretch.text[start:end]


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
