r"""Split a text without tiktoken, for users' own patterns on which the Rust engine fails.

``engine.split.pretokenization`` matches nearly all of them exactly as the Rust crates do. The others go unchanged to
Python's ``regex`` module, which reads the dialect as Rust does (``\s`` is White_Space, ``(?i:s)`` matches ``ſ``,
possessive loops) except for ``$``, which in Rust matches only at the end of the text. Its Unicode version may be newer,
so characters assigned since may be classified differently. The bundled patterns never reach this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.errors import UnsupportedTextError

_SECONDS = 30.0
_ESCAPE_CLASS_OR_END = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", re.DOTALL)


def split_apart(pattern: str, text: str) -> Iterator[str]:
    """Yield the pretokens of a text without surrogates. Raises UnsupportedTextError if the pattern takes too long."""
    from engine.split.expression import UnsupportedPatternError
    from engine.split.pretokenization import pretoken_chunks, pretokenizer

    try:
        known = pretokenizer(pattern)
    except UnsupportedPatternError:
        yield from split_with_regex(pattern, text)
        return
    for stretch in pretoken_chunks(known, text):
        for start, end in stretch.char_spans.tolist():
            yield stretch.text[start:end]


def translated(pattern: str) -> str:
    r"""Return the pattern with ``$`` replaced by ``\Z``, except where it is escaped or in a class."""
    return _ESCAPE_CLASS_OR_END.sub(lambda match: r"\Z" if match.group() == "$" else match.group(), pattern)


def split_with_regex(pattern: str, text: str) -> Iterator[str]:
    """Yield the pretokens of a text. Raises UnsupportedTextError if the pattern takes more than 30 seconds."""
    import regex  # type: ignore[import-untyped]

    try:
        for match in regex.finditer(translated(pattern), text, timeout=_SECONDS):
            if match.group():
                yield match.group()
    except TimeoutError as error:
        raise UnsupportedTextError("The pattern of this encoding takes too long on this text.") from error
