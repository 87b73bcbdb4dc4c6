"""Every control of the whole window: named, reached by Tab, seen when it has the focus, and not cut off."""

from __future__ import annotations

import itertools

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QCheckBox,
    QLabel,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.gui.access.walk import (
    controls,
    described,
    focus,
    inner_pages,
    labels,
    pages,
    spoken_name,
    whole_window,
)
from tests.gui.conftest import OpenWindow

SMALL = QSize(900, 600)


def test_every_control_says_what_it_is(qtbot: QtBot, open_window: OpenWindow):
    bench = whole_window(qtbot, open_window)
    walked = 0
    for title in pages(bench):
        for _ in inner_pages(bench.window.tabs.currentWidget()):
            for widget in controls(bench.window):
                walked += 1
                name = spoken_name(widget)
                assert name, f"{title}: {described(widget)} has no name"
                assert name != widget.objectName(), f"{title}: {described(widget)} is called like the object"
                assert "_" not in name.split()[0], f"{title}: {described(widget)} is called {name}"
    assert walked > 200


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


def test_tab_comes_round_to_every_control(qtbot: QtBot, open_window: OpenWindow):
    """From any tab of the window Tab leads to all that can be reached, and back to where it began."""
    bench = whole_window(qtbot, open_window)
    bench.window.activateWindow()
    for title in pages(bench):
        for _ in inner_pages(bench.window.tabs.currentWidget()):
            wanted = {widget for widget in controls(bench.window) if not keeps_tab(widget)}
            seen = round_of_tab(qtbot, bench.window, len(wanted))
            left = wanted - seen
            assert not left, f"{title}: Tab leaves out {[described(widget) for widget in left]}"


def keeps_tab(widget: QWidget) -> bool:
    """Whether a control can be left out of the round because another of its group stands for it (radio buttons)."""
    return isinstance(widget, QAbstractButton) and widget.autoExclusive() and not widget.isChecked()


def round_of_tab(qtbot: QtBot, window: QWidget, size: int) -> set[QWidget]:
    """All controls that the Tab key comes to. Where a text takes the key itself, focus goes on as Ctrl+Tab would."""
    window.menuBar().setFocus()
    seen: set[QWidget] = set()
    for _ in range(3 * size + 20):
        assert window.focusNextPrevChild(True)
        now = focus()
        assert now is not None
        if now in seen and len(seen) >= size:
            break
        seen.add(now)
    return seen


def test_the_focus_is_seen_in_every_theme(qtbot: QtBot, open_window: OpenWindow):
    """A control that has the focus looks other than without it."""
    bench = whole_window(qtbot, open_window)
    bench.window.activateWindow()
    for mode, contrast in itertools.product(("light", "dark"), ("normal", "high")):
        bench.theme.set_mode(mode)
        bench.theme.set_contrast(contrast)
        for title in pages(bench):
            for widget in controls(bench.window):
                assert looks_other_with_focus(bench.window, widget), f"{mode} {contrast}, {title}: {described(widget)}"


def looks_other_with_focus(window: QWidget, widget: QWidget) -> bool:
    """Whether its picture changes, that of what surrounds it included: some frames are drawn by the parent.

    A list without a current row and an area that only scrolls have nothing to mark.
    """
    if isinstance(widget, QAbstractItemView) and not widget.currentIndex().isValid():
        return True
    if type(widget) is QScrollArea:
        return True
    area = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size()).adjusted(-3, -3, 3, 3)
    window.setFocus()
    before = window.grab(area).toImage(), widget.grab().toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)  # as a press of Tab does
    return before != (window.grab(area).toImage(), widget.grab().toImage())


def test_nothing_is_cut_off_in_a_small_window(qtbot: QtBot, open_window: OpenWindow):
    bench = whole_window(qtbot, open_window)
    bench.window.resize(SMALL)
    for title in pages(bench):
        for _ in inner_pages(bench.window.tabs.currentWidget()):
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
