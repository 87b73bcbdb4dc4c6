"""What the cards of the Lab are made of, and what running one gives. Frozen, no Qt, no engine.

A card is an experiment: a text and some numbers that anybody may change, and a function that does it. As long as both
are as the card brings them, the outcome makes claims: what is expected and what was found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.training_types import TrainingCurve
    from gui.services.own_encodings import OpenEncoding


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that running a card decides: ``expected`` is what is true, ``found`` what came out."""

    says: str
    expected: str
    found: str

    @property
    def holds(self) -> bool:
        """Whether what came out is what is expected."""
        return self.expected == self.found


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows of texts under ``columns``; those in ``numeric`` (places of columns) are numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What running a card gave. ``curve``: compression against the size of the vocabulary. ``remark``: a sentence under
    it all."""

    claims: tuple[Claim, ...] = ()
    tables: tuple[ResultTable, ...] = ()
    curve: TrainingCurve | None = None
    remark: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether all claims hold; None where there are none."""
        return all(claim.holds for claim in self.claims) if self.claims else None


@dataclass(frozen=True, slots=True)
class NumberField:
    """A number of a card that may be changed."""

    key: str
    title: str
    value: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a card is run with: its text, and its numbers by key."""

    text: str
    numbers: tuple[tuple[str, int], ...] = ()

    def number(self, key: str) -> int:
        """The number of that key. KeyError."""
        return dict(self.numbers)[key]


@dataclass(frozen=True, slots=True)
class Tools:
    """What a card works with. ``open_encoding`` opens one by name; ``progress`` takes a fraction from 0 to 1, and
    raises when the user wants the card to end."""

    open_encoding: OpenEncoding
    progress: Callable[[float], None]


Run = Callable[[Inputs, Tools, bool], Outcome]
"""Does the experiment; the flag says whether the inputs are the card's own, so that its claims are made."""


@dataclass(frozen=True, slots=True)
class Card:
    """One experiment.

    ``key`` names it for good. ``subject``: the heading it stands under. ``question``: what it asks. ``truth``: what is
    to be learned from it, and where a published tutorial says otherwise, what is true. ``takes_text``: whether its text
    may be changed. ``encoding``: the one to look at the text with; empty: none in particular. ``trainable``: whether
    its text is something to train on.
    """

    key: str
    subject: str
    title: str
    question: str
    truth: str
    run: Run
    text: str = ""
    fields: tuple[NumberField, ...] = field(default=())
    takes_text: bool = True
    encoding: str = ""
    trainable: bool = False

    @property
    def inputs(self) -> Inputs:
        """What the card brings."""
        return Inputs(self.text, tuple((one.key, one.value) for one in self.fields))
