r"""The ways in which training cuts texts into pretokens, by the names that users know them by.

The published patterns are those of ``engine.split.patterns``. Three more are of our own:

* ``whitespace``: words and the white space between them, apart.
* ``sentencepiece``: lines and line ends, in which spaces are ``▁`` (``engine.text.space_signs``). Words may join within
  a line, as in SentencePiece without its own split at spaces; it never sees line ends, so there they are apart.
* ``none``: each file or text is one pretoken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.split import safe_cuts
from engine.split.patterns import PATTERNS, TRAINED

_WHITE = safe_cuts.WHITE_SPACE

_AT_CUTS = safe_cuts.CUT
_AT_SPACES = re.compile(f"(?<=[^{_WHITE}])[ \\t\\r\\n]")
_AT_LINE_ENDS = re.compile(r"(?<=[^\r\n])[\r\n]")
_BEHIND_LINES = re.compile(r"(?<=\n)[^\n]")


@dataclass(frozen=True, slots=True)
class TrainingSplit:
    """One way to cut texts. ``expression``: the split pattern. ``cuts``: what is matched at a place where a text may be
    cut in two without changing its pretokens; None where there is no such place."""

    name: str
    expression: str
    cuts: re.Pattern[str] | None


def _named() -> dict[str, TrainingSplit]:
    published = {known.trained_as: known.expression for known in TRAINED}
    splits = {name: TrainingSplit(name, expression, _AT_CUTS) for name, expression in published.items()}
    splits["whitespace"] = TrainingSplit("whitespace", r"\S+|\s+", _AT_SPACES)
    splits["sentencepiece"] = TrainingSplit("sentencepiece", r"[^\r\n]+|[\r\n]+", _AT_LINE_ENDS)
    splits["none"] = TrainingSplit("none", r"(?s:.+)", None)
    return splits


NAMED_SPLITS: Mapping[str, TrainingSplit] = MappingProxyType(_named())
"""Splits by name."""


def split_named(pattern: str) -> TrainingSplit:
    """The split of a name, or of a regular expression. For a pattern of the user's own no safe cuts are known:
    it sees long files in blocks that begin behind a line end."""
    if pattern in NAMED_SPLITS:
        return NAMED_SPLITS[pattern]
    known = any(pattern == split.expression for split in PATTERNS)
    return TrainingSplit(pattern, pattern, _AT_CUTS if known else _BEHIND_LINES)
