"""What a report says, section by section: for the window and for the command line. No Qt."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from gui.core.api_keys import FoundKey, find_keys, key_sentence
from gui.core.exports import ExportTable, Value
from gui.core.report import Section
from gui.core.text_chunks import HeldText

if TYPE_CHECKING:
    from pricing.types import CostEstimate


@dataclass(frozen=True, slots=True)
class TextFacts:
    """A text in figures. ``sha256`` is of its UTF-8. ``keys``: what looks like an API key in it."""

    name: str
    sha256: str
    size: int
    characters: int
    lines: int
    keys: tuple[FoundKey, ...]


def facts_of(name: str, text: HeldText) -> TextFacts:
    """The figures of a text."""
    digest = hashlib.sha256()
    for piece in text:
        digest.update(piece)
    whole = text.text()
    return TextFacts(name, digest.hexdigest(), sum(map(len, text)), len(whole), whole.count("\n") + 1, find_keys(whole))


def text_section(facts: Sequence[TextFacts]) -> Section:
    """Which texts these figures are of."""
    columns = ("text", "sha256", "bytes", "characters", "lines")
    rows: list[tuple[Value, ...]] = [(one.name, one.sha256, one.size, one.characters, one.lines) for one in facts]
    return Section("Text", ExportTable(columns, tuple(rows), numeric=frozenset(columns[2:])))


def counts_section(counts: Mapping[str, int], shown: str = "") -> Section:
    """Tokens by encoding; ``shown``: the encoding of the window."""
    rows = tuple((name, tokens, "shown in the window" if name == shown else "") for name, tokens in counts.items())
    table = ExportTable(("encoding", "tokens", "remark"), rows, numeric=frozenset({"tokens"}))
    words = "Counted here with each vocabulary itself. How sure a count is for a model stands in the cost table."
    return Section("Tokens", table, (words,))


def pairs_section(title: str, pairs: Iterable[tuple[str, Value]]) -> Section:
    """Names and values."""
    return Section(title, ExportTable(("name", "value"), tuple((name, value) for name, value in pairs)))


def prices_section(rows: Iterable[tuple[str, CostEstimate]], on: date) -> Section:
    """When the prices of every model in the table were checked, and where they come from."""
    table = ExportTable(
        ("model", "prices checked", "source"),
        tuple((name, estimate.price_checked or "never", estimate.source) for name, estimate in rows),
    )
    return Section("Prices", table, (f"Prices in force on {on.isoformat()}, in US dollars.",))


def program_section(versions: Sequence[str], when: datetime) -> Section:
    """What made the report. ``when`` has a time zone."""
    return Section("Program", sentences=(f"Written {when.isoformat(timespec='seconds')}.", *versions))


def key_warning(facts: Iterable[TextFacts]) -> str:
    """A sentence about what looks like API keys, empty where nothing does."""
    places = [
        f"{key.issuer} (line {key.line} of {one.name})" if one.name else f"{key.issuer} (line {key.line})"
        for one in facts
        for key in one.keys
    ]
    return key_sentence("The text", places) if places else ""
