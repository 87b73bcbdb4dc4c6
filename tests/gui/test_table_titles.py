"""Titles of tables stand over what they name: at the side on which the cells are."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QAbstractTableModel, Qt

import engine
from engine.analysis.merge_steps import merge_spans, state_after, trace_of
from engine.vocabulary.entries import entries_of
from engine.vocabulary.entry_diagnostics import compare
from gui.tokenizers.merges.panel import PairsModel, StepsModel
from gui.tokenizers.vocabulary.side_pages import ComparisonModel

ALIGNMENT = Qt.ItemDataRole.TextAlignmentRole


def merges() -> tuple[PairsModel, StepsModel]:
    encoding = engine.get_encoding("cl100k_base")
    trace = trace_of(encoding, "berry")
    pairs, steps = PairsModel(), StepsModel()
    pairs.show_state(trace.content, state_after(encoding, trace, 1))
    steps.show_trace(trace, merge_spans(trace))
    return pairs, steps


def comparison() -> ComparisonModel:
    entries = entries_of(engine.get_encoding("gpt2"))
    model = ComparisonModel()
    model.set_group(compare(entries, entries), 0)
    return model


@pytest.mark.parametrize("make", [lambda: merges()[0], lambda: merges()[1], comparison], ids=["pairs", "steps", "both"])
def test_a_title_is_aligned_as_its_cells(qapp, make):
    model: QAbstractTableModel = make()
    assert model.rowCount()
    for column in range(model.columnCount()):
        title = model.headerData(column, Qt.Orientation.Horizontal, ALIGNMENT)
        assert title is not None
        assert title == model.index(0, column).data(ALIGNMENT)
