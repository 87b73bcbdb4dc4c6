"""Every control of the whole window: named, reached by Tab, seen when it has the focus, and not cut off."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QCheckBox,
    QLabel,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.widgets.labels import StatusLine
from tests.gui.access.walk import (
    controls,
    described,
    inner_pages,
    is_held_by_group,
    labels,
    measured_ring,
    owners,
    pages,
    place_in,
    reached_by_tab,
    spoken_name,
    take_theme,
    use_keyboard,
    whole_window,
)
from tests.gui.conftest import OpenWindow

SMALL = QSize(900, 600)


def test_every_control_says_what_it_is(qtbot: QtBot, open_window: OpenWindow):
    bench = whole_window(qtbot, open_window)
    walked = 0
    for title in pages(bench):
        for _ in inner_pages(bench.window.pages.currentWidget()):
            for widget in controls(bench.window):
                walked += 1
                name = spoken_name(widget)
                assert name, f"{title}: {described(widget)} has no name"
                assert name != widget.objectName(), f"{title}: {described(widget)} is called like the object"
                assert "_" not in name.split()[0], f"{title}: {described(widget)} is called {name}"
    assert walked > 200


@pytest.mark.deep
def test_every_key_of_a_label_leads_to_a_control(qtbot: QtBot, open_window: OpenWindow):
    """A label with an underlined letter has somewhere to go; a label is never taken for HTML."""
    bench = whole_window(qtbot, open_window)
    for label in labels(bench.window):
        assert label.textFormat() is Qt.TextFormat.PlainText, described(label)
        if "&" in label.text().replace("&&", "") and not is_shown_text(label):
            assert label.buddy() is not None, f"{described(label)}: {label.text()}"


def is_shown_text(label: QLabel) -> bool:
    """Whether a label shows text of others, in which & is a letter."""
    return bool(label.objectName())


@pytest.mark.deep
def test_tab_comes_round_to_every_control(qtbot: QtBot, open_window: OpenWindow):
    """From any tab of the window Tab leads to all that can be reached, and back to where it began."""
    bench = whole_window(qtbot, open_window)
    bench.window.activateWindow()
    for title in pages(bench):
        for _ in inner_pages(bench.window.pages.currentWidget()):
            wanted = {widget for widget in controls(bench.window) if not is_held_by_group(widget)}
            seen = reached_by_tab(bench.window, bench.window.menuBar(), len(wanted))
            left = wanted - seen
            assert not left, f"{title}: Tab leaves out {[described(widget) for widget in left]}"


@pytest.mark.deep
def test_the_focus_is_seen_in_every_theme(qtbot: QtBot, open_window: OpenWindow):
    """A control that has the focus has a ring that stands out by 3 to 1."""
    bench = whole_window(qtbot, open_window)
    use_keyboard(qtbot, bench)
    for mode, contrast in itertools.product(("light", "dark"), ("normal", "high")):
        take_theme(qtbot, bench, mode, contrast)
        for title in pages(bench):
            for widget in controls(bench.window):
                share = measured_ring(bench.window, widget)
                assert share > 0.5, f"{mode} {contrast}, {title}: {described(widget)}: {share:.0%}"


@pytest.mark.deep
def test_nothing_is_cut_off_in_a_small_window(qtbot: QtBot, open_window: OpenWindow):
    bench = whole_window(qtbot, open_window)
    bench.window.resize(SMALL)
    for title in pages(bench):
        for _ in inner_pages(bench.window.pages.currentWidget()):
            cut = [words for widget in controls(bench.window) if (words := cut_off(widget))]
            assert not cut, f"{title}: {cut}"


def cut_off(widget: QWidget) -> str:
    """How a button or box lacks room for its words; nothing where it has room. What can be scrolled to counts as
    seen."""
    if not isinstance(widget, QPushButton | QCheckBox | QRadioButton):
        return ""
    wanted, there = widget.minimumSizeHint(), widget.size()
    if there.width() >= wanted.width() and there.height() >= wanted.height():
        return ""
    return f"{described(widget)} wants {wanted.toTuple()}, has {there.toTuple()}"


@pytest.mark.deep
def test_no_page_is_wider_than_what_cannot_scroll_sideways(qtbot: QtBot, open_window: OpenWindow):
    bench = whole_window(qtbot, open_window)
    bench.window.resize(SMALL)

    def all_fit() -> None:
        for area in bench.window.findChildren(QScrollArea):
            never = area.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            if never and area.isVisible() and area.widget() is not None:
                assert area.widget().width() <= area.viewport().width(), described(area)

    for _ in pages(bench):
        for _ in inner_pages(bench.window.pages.currentWidget()):
            qtbot.waitUntil(all_fit)


@pytest.mark.deep
def test_no_words_are_cut_without_a_tip_in_a_small_window(qtbot: QtBot, open_window: OpenWindow):
    """A label shows all of its words, or a tool tip does."""
    bench = whole_window(qtbot, open_window)
    bench.window.resize(SMALL)

    def all_words_are_there() -> None:
        assert not [words for label in labels(bench.window) if label.isVisible() and (words := cut_words(label))]
        for line in bench.window.findChildren(StatusLine):
            wide = line.fontMetrics().horizontalAdvance(line.text()) > line.width()
            assert not (wide and line.isVisible() and not line.toolTip()), line.text()

    for _ in pages(bench):
        for _ in inner_pages(bench.window.pages.currentWidget()):
            qtbot.waitUntil(all_words_are_there)  # it is laid out in the next turn


def cut_words(label: QLabel) -> str:
    """The words of a label that has no room for them and no tool tip; nothing where it has."""
    room, words = label.contentsRect(), label.text()
    if label.wordWrap():
        fits = label.heightForWidth(label.width()) <= label.height()
    else:
        fits = label.minimumSizeHint().width() <= label.width() or label.sizeHint().width() <= room.width()
    return "" if fits or not words or label.toolTip() else f"{described(label)}: {words}"


@pytest.mark.deep
def test_no_control_is_outside_of_a_small_window(qtbot: QtBot, open_window: OpenWindow):
    """It is in the window, or in an area that scrolls."""
    bench = whole_window(qtbot, open_window)
    bench.window.resize(SMALL)

    def all_are_inside() -> None:
        for widget in controls(bench.window):
            around = list(owners(widget))
            if any(isinstance(owner, QAbstractScrollArea) for owner in around):
                continue
            place = place_in(bench.window, widget)
            for owner in (*around, bench.window):
                assert place_in(bench.window, owner).contains(place), f"{described(widget)}, {described(owner)}"

    for _ in pages(bench):
        for _ in inner_pages(bench.window.pages.currentWidget()):
            qtbot.waitUntil(all_are_inside)
