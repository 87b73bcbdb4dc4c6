"""The elements of an experiment of the Lab, its outcome, and how the Lab formats numbers and tokens. No engine.

A card is an experiment: a text and numbers that the user can change, and a function that runs it. As long as both are
unchanged, the outcome makes claims: an expected and an actual result. Safe on worker threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gui.core.token_text import visible, visible_text

if TYPE_CHECKING:
    from pathlib import Path

    from engine import Encoding
    from engine.training.types import TrainingCurve
    from gui.core.user_encodings import OpenEncoding


NOT_RUN, WAITING, HOLDS, FAILS, DONE, BROKEN = "not run", "waiting", "holds", "fails", "done", "broken"
"""States of a card: not run, waiting or running, all claims hold, some do not, run without claims, failed to run."""

EDITOR, MERGES, TRAINER = "editor", "merges", "trainer"
"""Destinations that the text of an experiment can be opened in."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that running a card decides. ``expected``: the true result; ``found``: the actual one."""

    says: str
    expected: str
    found: str

    @property
    def holds(self) -> bool:
        """True if the actual result is the expected one."""
        return self.expected == self.found


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows of texts under ``columns``. ``numeric``: indexes of the columns that hold numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Result of running a card. ``curve``: compression by vocabulary size. ``remark``: a sentence shown at the end."""

    claims: tuple[Claim, ...] = ()
    tables: tuple[ResultTable, ...] = ()
    curve: TrainingCurve | None = None
    remark: str = ""

    @property
    def holds(self) -> bool | None:
        """True if all claims hold; None if there are none."""
        return all(claim.holds for claim in self.claims) if self.claims else None


@dataclass(frozen=True, slots=True)
class NumberField:
    """A number of a card that the user can change."""

    key: str
    title: str
    value: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Inputs:
    """Inputs of a card: its text, and its numbers by key."""

    text: str
    numbers: tuple[tuple[str, int], ...] = ()

    def number(self, key: str) -> int:
        """Return the number with that key. Raises KeyError."""
        return dict(self.numbers)[key]


@dataclass(frozen=True, slots=True)
class Tools:
    """Environment of a running card.

    ``open_encoding``: opens an encoding by name. ``progress``: takes a fraction from 0 to 1, and raises if the user
    cancelled. ``kernels``: the folder of compiled kernels; None for the default.
    """

    open_encoding: OpenEncoding
    progress: Callable[[float], None]
    kernels: Path | None = None


Run = Callable[[Inputs, Tools, bool], Outcome]
"""Runs the experiment. The flag is True if the inputs are the card's own, for which it makes claims."""


@dataclass(frozen=True, slots=True)
class Card:
    """One experiment.

    ``key``: its permanent ID. ``subject``: the heading it is listed under. ``truth``: the lesson to learn, and the
    correction of published tutorials that say otherwise. ``takes_text``: True if the text can be changed. ``encoding``:
    the encoding to view the text with; empty for none in particular. ``trainable``: True if the text is suitable for
    training.
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
        """The original inputs of the card."""
        return Inputs(self.text, tuple((one.key, one.value) for one in self.fields))


BETWEEN = " │ "
"""Separator between the tokens of a text on one line."""


def tr(text: str) -> str:
    """Translate in the context of the Lab."""
    return QCoreApplication.translate("Lab", text)


def number(value: int) -> str:
    """Format an integer with thousands separators."""
    return f"{value:,}"


def yes_or_no(holds: bool) -> str:
    """Return the translated "yes" or "no"."""
    return tr("yes") if holds else tr("no")


def pieces(spans: Iterable[bytes | str]) -> str:
    """Return spans of a text on one line, with invisible characters made visible and invalid UTF-8 as bytes."""
    return BETWEEN.join(_shown(span) for span in spans)


def token_pieces(encoding: Encoding, ids: Sequence[int]) -> str:
    """Return tokens of an encoding on one line."""
    return pieces(encoding.decode_single_token_bytes(token_id) for token_id in ids)


def _shown(span: bytes | str) -> str:
    return visible_text(span) if isinstance(span, str) else visible(span)
