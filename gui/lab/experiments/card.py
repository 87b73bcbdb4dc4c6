"""The parts of an experiment of the Lab, its result, and how the Lab writes numbers and tokens. No engine.

A card is an experiment: a text and numbers that can be changed, and a function that runs it. As long as both are
unchanged, the outcome makes claims: what is expected and what was found. Safe on worker threads.
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
"""How a card stands: not run, waiting or running, all claims hold, some do not, run without claims, failed to run."""

EDITOR, MERGES, TRAINER = "editor", "merges", "trainer"
"""Where the text of an experiment can be taken."""


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
    raises when the user wants the card to end. ``kernels``: the folder of compiled kernels; None: the usual one."""

    open_encoding: OpenEncoding
    progress: Callable[[float], None]
    kernels: Path | None = None


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


BETWEEN = " │ "
"""Stands between the tokens of a text that is shown in one line."""


def tr(text: str) -> str:
    """Translate in the context of the Lab."""
    return QCoreApplication.translate("Lab", text)


def number(value: int) -> str:
    """A whole number with marks between its thousands."""
    return f"{value:,}"


def yes_or_no(holds: bool) -> str:
    """Whether something is so, in a word."""
    return tr("yes") if holds else tr("no")


def pieces(parts: Iterable[bytes | str]) -> str:
    """Parts of a text in one line, what cannot be seen made visible, and what is no text as its bytes."""
    return BETWEEN.join(_shown(part) for part in parts)


def token_pieces(encoding: Encoding, ids: Sequence[int]) -> str:
    """Tokens of an encoding in one line."""
    return pieces(encoding.decode_single_token_bytes(token_id) for token_id in ids)


def _shown(part: bytes | str) -> str:
    return visible_text(part) if isinstance(part, str) else visible(part)
