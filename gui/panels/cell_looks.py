"""How the cells of the cost table looked when they were last painted.

New figures come several times a second while someone types, and most of them look like the ones before: one token more
in a quarter of a million shows in a single column. Painting a cell takes Qt fifty times as long as comparing it.
"""

from __future__ import annotations

from typing import NamedTuple

from gui.models.cost_columns import COLUMNS, context_ends
from gui.models.cost_table import CostTableModel

_BAR_STEPS = 2000
"""Steps of a bar that are told apart: finer than the pixels of any cell."""


class Look(NamedTuple):
    """What a cell is drawn from. ``bar``: low and high end of its bar in steps, none where it has none."""

    text: str
    tone: str
    bar: tuple[int, ...] = ()


class CellLooks:
    """Remembers looks by place. What is painted for another reason than new data is painted as it was remembered."""

    def __init__(self, model: CostTableModel) -> None:
        self._model = model
        self._painted: dict[tuple[int, int], Look] = {}

    def paint(self, row: int, column: int) -> Look:
        """The look in which a cell is about to be painted."""
        look = self._painted[row, column] = self._look(row, column)
        return look

    def differs(self, row: int, column: int) -> bool:
        """Whether a cell looks different from when it was last painted."""
        return self._painted.get((row, column)) != self._look(row, column)

    def _look(self, place: int, column: int) -> Look:
        row = self._model.row_at(place)
        text, tone = self._model.cell_text(row, column), self._model.tone(row, column)
        ends = context_ends(row) if COLUMNS[column].painted == "share" else None
        return Look(text, tone) if ends is None else Look(text, tone, tuple(round(end * _BAR_STEPS) for end in ends))
