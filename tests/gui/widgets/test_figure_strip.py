"""Key figures side by side: numbers are shown whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.labels import FigureStrip

FIGURES = (("≈ $1.17–1.18", "20 turns, a model with a long name"), ("−57%", "versus no cache"), ("12,848", "tokens"))


@pytest.fixture
def strip(qtbot: QtBot) -> Iterator[FigureStrip]:
    page = QWidget()
    qtbot.addWidget(page)
    strip = FigureStrip("first", "second", "third")
    strip.setParent(page)
    strip.show_figures(*FIGURES)
    page.show()
    strip.show()
    yield strip
    page.close()


def shown(strip: FigureStrip) -> list[str]:
    return [figure.value.shown_text() for figure in strip.figures if figure.isVisible()]


def test_captions_are_elided_before_numbers(strip: FigureStrip):
    strip.resize(1_000, 60)
    assert shown(strip) == [value for value, _caption in FIGURES]
    caption = strip.figures[0].caption
    assert caption.shown_text() == FIGURES[0][1]
    strip.resize(strip.row.minimumSize().width(), 60)
    assert shown(strip) == [value for value, _caption in FIGURES]
    assert caption.shown_text().endswith("…")
    assert caption.toolTip() == FIGURES[0][1]


def test_the_last_numbers_are_hidden_where_they_do_not_fit(qtbot: QtBot, strip: FigureStrip):
    strip.resize(strip.row.minimumSize().width() - 1, 60)
    assert shown(strip) == [value for value, _caption in FIGURES[:2]]
    assert [line.isVisible() for line in strip._lines] == [True, False]
    strip.show_figures(("1", "one"), *FIGURES[1:])
    qtbot.waitUntil(lambda: shown(strip) == ["1", "−57%", "12,848"])
    strip.show_figures(("1", "one"))
    assert shown(strip) == ["1"]
