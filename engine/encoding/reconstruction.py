"""Tokens of a text by ctok, a third party's reconstruction of Claude's tokenizers, if it is installed.

https://github.com/sanderland/ctok (MIT) needs Python 3.12 and carries its tables, so nothing is downloaded. Of 272
recorded answers of Anthropic's counting service that were held out, it gave all 272, for both vocabularies. It knows
none of the models after 4.8; that they count like 4.8 is Anthropic's statement. It is written in Python and processes
0.2 to 0.4 MB/s, so of a sample only a few pieces are counted.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType

from engine.encoding.encoding import Encoding
from engine.errors import EngineError
from engine.text.kinds import TextSample

FRAMES: Mapping[str, int] = MappingProxyType({"3.0": 7, "4.8": 6})
"""Versions that can be asked for, each the first of a vocabulary, and the tokens that ctok counts around a message:
``message_overhead`` of its tables, 1.3.0."""

MOST_PIECES = 10
"""A text of no more pieces is counted as a whole."""


class ReconstructionError(EngineError):
    """ctok is there, but failed, or is not the one that is known here."""


def is_installed() -> bool:
    """Whether there is a ctok. Does not import it."""
    return find_spec("ctok") is not None


def counted_pairs(sample: TextSample, version: str, encoding: Encoding) -> tuple[list[tuple[int, int]], bool]:
    """Tokens by ctok and by ``encoding``, without special tokens: one pair for a whole short text, else one for each
    of some of its pieces; and whether it is the whole text. Pieces without tokens are left out.

    ``version``: of ``FRAMES``. Raises ReconstructionError.
    """
    whole = sample.whole and len(sample.pieces) <= MOST_PIECES
    if not sample.pieces:
        return [], whole
    texts = ["".join(sample.pieces)] if whole else _some(sample.pieces)
    try:
        ctok = importlib.import_module("ctok")
        pairs = [(int(ctok.token_count(text, version)) - FRAMES[version], encoding.count(text)) for text in texts]
    except Exception as error:
        raise ReconstructionError(f"ctok failed: {type(error).__name__}: {error}") from error
    return [pair for pair in pairs if min(pair) > 0], whole


def _some(pieces: tuple[str, ...]) -> list[str]:
    """``MOST_PIECES`` of the pieces or fewer, from the first to the last."""
    if len(pieces) <= MOST_PIECES:
        return list(pieces)
    return [pieces[number * (len(pieces) - 1) // (MOST_PIECES - 1)] for number in range(MOST_PIECES)]
