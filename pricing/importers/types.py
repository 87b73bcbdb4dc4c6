"""What importing gives: candidates, what could not be taken over, and differences. Frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from pricing.types import Price, PricingError


class ImportFileError(PricingError):
    """A file that is none of the tables that can be read, or is damaged. The text is a plain sentence."""


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A value of a table that has no place in ours, and why."""

    key: str
    why: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """An entry of a table that was not taken over, and why."""

    source_id: str
    why: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """What one table says about one model, in our form and in US dollars per million tokens.

    ``model_id`` is the id that the model would have here, ``names`` others that the table gives it; ``source_id`` is
    its own id there. ``doubts`` are values that were taken over but may mean something else, by path (``context``).
    """

    source_id: str
    model_id: str
    price: Price
    name: str = ""
    names: tuple[str, ...] = ()
    context: int | None = None
    max_input: int | None = None
    max_output: int | None = None
    retires: date | None = None
    checked: date | None = None
    source: str = ""
    unmapped: tuple[Unmapped, ...] = ()
    doubts: tuple[Unmapped, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """A table as read. ``table`` is its name, ``as_of`` the day it gives for itself."""

    table: str
    candidates: tuple[Candidate, ...]
    skipped: tuple[Skipped, ...] = ()
    as_of: date | None = None


State = Literal["adds", "differs", "yours"]
"""``adds``: nothing is known here. ``differs``: the built-in value is another. ``yours``: the user has a value of their
own, which no import touches."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One field in which a table differs from what is in force. Values are as a price file would write them, in US
    dollars; None where there is none. ``model_id`` is ours; ``is_new``: we have no such model.
    """

    table: str
    model_id: str
    path: str
    bundled: object
    yours: object
    theirs: object
    state: State
    is_new: bool = False
    doubt: str = ""
    source: str = ""
    checked: date | None = None

    @property
    def applicable(self) -> bool:
        """Whether it may be picked."""
        return self.state != "yours"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One field for which tables give different values: each value by the name of the table that gives it."""

    model_id: str
    path: str
    values: tuple[tuple[str, object], ...]
