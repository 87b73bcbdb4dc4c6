"""How much a view of several encodings measures and paints again."""

from __future__ import annotations

import math
import weakref

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.analysis.comparison import row_starts
from engine.text.offsets import units_of
from gui.editor import token_geometry, token_painter
from gui.editor.aligned_tokens import AlignedRows, AlignedTokens
from gui.editor.token_spans import TokenSpans
from gui.look.theme import Theme
from gui.state.settings import SettingsStore

ROW = "字符串处理 שלום עולם naïve\n"
ROWS = 60


@pytest.fixture
def view(qtbot: QtBot, tmp_path) -> AlignedTokens:
    view = AlignedTokens(Theme("light"), SettingsStore(tmp_path / "settings.json"), "view", "Tokens")
    qtbot.addWidget(view)
    view.resize(600, 400)
    view.show()
    qtbot.waitExposed(view)
    return view


def show(view: AlignedTokens, sizes: tuple[int, ...], text: str = ROW * ROWS, columns: int = 0) -> None:
    """Show a text in as many encodings, the tokens of each of one size. ``columns``: where not those of the view."""
    units = units_of(text)
    names = tuple(f"every {size}, {number}" for number, size in enumerate(sizes))
    rows = AlignedRows(units, row_starts(units, columns or view.columns))
    view.show_tokens(names, tuple(spans_of(len(units), size) for size in sizes), rows)


def spans_of(length: int, size: int) -> TokenSpans:
    ends = np.append(np.arange(size, length, size), length).astype(np.int32)
    spans = TokenSpans(length)
    spans.apply(0, length, ends, np.arange(len(ends), dtype=np.int32), np.zeros(len(ends), np.bool_))
    return spans


class Measured:
    """How many lines were measured from now on."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        told, begin = self, token_geometry._Measured.__init__

        def counted(self: object, *arguments: object) -> None:
            told.count += 1
            begin(self, *arguments)

        patch.setattr(token_geometry._Measured, "__init__", counted)


def test_a_second_paint_measures_nothing(view, monkeypatch):
    monkeypatch.setattr(token_painter, "MEASURE_SECONDS", math.inf)  # to load a font for all its signs takes longer
    text = "".join(f"{number} {ROW}" for number in range(ROWS))
    show(view, (3, 5, 4, 7), text)
    measured = Measured(monkeypatch)
    view.viewport().repaint()
    in_sight = len(view._rows_in(0, view.viewport().height() - 1))
    assert in_sight <= measured.count <= 4 * in_sight
    measured.count = 0
    view.viewport().repaint()
    view.verticalScrollBar().setValue(3)
    view.viewport().repaint()
    view._theme.changed.emit()
    view.viewport().repaint()
    assert measured.count <= 4  # a row that came into sight
    view._settings.set("font_size", view._settings.values.font_size + 1)
    measured.count = 0
    view.viewport().repaint()
    assert measured.count > 4


def test_what_encodings_agree_on_is_measured_once(view, monkeypatch):
    text = "".join(f"{number} {ROW}" for number in range(ROWS))
    measured = Measured(monkeypatch)
    show(view, (3, 3, 3, 3), text)
    view.viewport().repaint()
    assert 0 < measured.count <= len(view._rows_in(0, view.viewport().height() - 1))


@pytest.mark.parametrize("columns", [0, 200])
def test_the_frame_of_the_focus_comes_and_goes_alone(qtbot, view, monkeypatch, columns):
    """Where rows reach under it, these are painted with it."""
    text = ROW * 2 + ("a long row " * 12 + "\n" + ROW) * ROWS
    for _ in range(2):  # names and a scroll bar take room
        show(view, (3, 5), text, columns)
        QApplication.processEvents()
    view.verticalScrollBar().setValue(7)
    view.clearFocus()
    QApplication.processEvents()
    painted: list[tuple[QRegion, list[int]]] = []
    rows_under = AlignedTokens._rows_under

    def told(self: AlignedTokens, region: QRegion) -> list[int]:
        painted.append((QRegion(region), rows_under(self, region)))
        return painted[-1][1]

    monkeypatch.setattr(AlignedTokens, "_rows_under", told)
    in_sight = view._rows_in(0, view.viewport().height() - 1)
    reaching = [row for row in in_sight if "a long row" in view.rows.shown(row)] if columns else []
    for change in (view.setFocus, view.clearFocus):
        before = view.viewport().grab()
        picture = before.toImage()
        painted.clear()
        change()
        qtbot.waitUntil(lambda: bool(painted))
        [(region, rows)] = painted
        assert rows == sorted({in_sight[0], in_sight[-1], *reaching})
        view.viewport().render(before, QPoint(), region)
        assert before.toImage() == view.viewport().grab().toImage() != picture


def test_a_hint_releases_the_tokens(view):
    text = ROW * ROWS
    units = units_of(text)
    spans = spans_of(len(units), 3)
    view.show_tokens(("one",), (spans,), AlignedRows(units, row_starts(units, view.columns)))
    view.grab()
    released = weakref.ref(spans)
    del spans
    view.show_hint("Nothing is selected.")
    assert released() is None
    view.grab()
