"""What entries are looked for: a query, and the reading of its text."""

from __future__ import annotations

import string
from dataclasses import dataclass, field
from typing import Literal

from engine.errors import EngineError
from engine.vocabulary.entries.table import KINDS

Mode = Literal["text", "hex", "regex"]

MODES: tuple[Mode, ...] = ("text", "hex", "regex")


class QueryError(EngineError):
    """What was asked for cannot be looked for. The text says why, in a sentence."""


@dataclass(frozen=True, slots=True)
class EntryQuery:
    """Entries have all of this.

    ``text`` is read by ``mode``: characters that an entry has in it, bytes in hexadecimal, or a regular expression of
    the ``regex`` module that is found in the entry's text, in which bytes outside of characters are U+FFFD. Nothing
    finds everything. ``match_case``: for text and expressions.
    ``first_id``, ``last_id``: ids, both included; ``shortest``, ``longest``: bytes. ``longest`` and ``last_id`` None:
    no limit. ``kinds``: some of ``engine.vocabulary.entries.table.KINDS``. ``script``: a place in
    ``engine.text.scripts.SCRIPT_NAMES``; ``finding``: one in ``engine.vocabulary.entries.diagnostics.FINDINGS``; None
    for any. Both need a diagnosis.
    """

    text: str = ""
    mode: Mode = "text"
    match_case: bool = False
    kinds: frozenset[str] = field(default=frozenset(KINDS))
    first_id: int = 0
    last_id: int | None = None
    shortest: int = 0
    longest: int | None = None
    script: int | None = None
    finding: int | None = None

    @property
    def needs_diagnosis(self) -> bool:
        """Whether it asks for something that only a diagnosis tells."""
        return self.script is not None or self.finding is not None


def read_hex(text: str) -> bytes:
    """The bytes that hexadecimal digits spell; white space, commas and ``0x`` or ``\\x`` before a byte are left out.
    QueryError."""
    digits = text.lower().replace("0x", " ").replace("\\x", " ").replace(",", " ")
    digits = "".join(digits.split())
    strange = next((one for one in digits if one not in string.hexdigits), None)
    if strange is not None:
        raise QueryError(f"{strange!r} is no hexadecimal digit: bytes are written with 0 to 9 and a to f, as in c3 a9.")
    if len(digits) % 2:
        raise QueryError("Each byte has two hexadecimal digits: one is missing.")
    return bytes.fromhex(digits)
