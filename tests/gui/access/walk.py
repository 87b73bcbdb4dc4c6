"""Walks a window as assistive tools do: every tab, every dock, every control, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QTabBar,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.workbench import Workbench


def whole_window(qtbot: QtBot, open_window: Callable[..., Workbench]) -> Workbench:
    """A window with everything built that is usually built when somebody looks at it."""
    bench = open_window()
    parts = (bench.training, bench.vocabulary, bench.merges, bench.lab, bench.pricing)
    for wiring in (*parts, bench.advisor, bench.versions, bench.conversation, bench.request):
        assert wiring is not None
        wiring.build()
    assert bench.costs is not None
    qtbot.waitUntil(lambda: bool(bench.costs.service.rows))
    return bench


def pages(bench: Workbench) -> Iterator[str]:
    """One tab after the other is in front; its title."""
    tabs = bench.window.tabs
    for index in range(tabs.count()):
        tabs.setCurrentIndex(index)
        yield tabs.tabText(index)


def inner_pages(root: QWidget) -> Iterator[None]:
    """The tabs inside a tab, one after the other: all first ones in front, then all second ones."""
    inner = [tabs for tabs in root.findChildren(QTabWidget) if tabs.isVisible()]
    for index in range(max((tabs.count() for tabs in inner), default=1)):
        for tabs in inner:
            tabs.setCurrentIndex(min(index, tabs.count() - 1))
        yield


def is_part(widget: QWidget) -> bool:
    """Whether a widget is a part of a control, which speaks for it: the field of a spin box, the list of a box."""
    owner = widget.parentWidget()
    while owner is not None and not owner.isWindow():
        if isinstance(owner, QAbstractSpinBox | QComboBox):
            return True
        owner = owner.parentWidget()
    return owner is not None and type(owner).__name__ in ("QComboBoxPrivateContainer", "QFrame")


def controls(root: QWidget) -> list[QWidget]:
    """What the Tab key can stand on, as far as it is there to be seen."""
    found = [
        widget
        for widget in root.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisible()
        and widget.isEnabled()
        and widget.focusProxy() is None
        and not is_part(widget)
    ]
    return [widget for widget in found if widget.window() is root.window()]


def spoken_name(widget: QWidget) -> str:
    """What a screen reader calls a control: its accessible name, or the words on it."""
    name = widget.accessibleName()
    if not name and isinstance(widget, QTabBar) and widget.parentWidget() is not None:
        name = widget.parentWidget().accessibleName()
    if not name and not isinstance(widget, QLineEdit):
        name = getattr(widget, "text", lambda: "")()
    return str(name).replace("&", "").strip()


def described(widget: QWidget) -> str:
    """A control for the message of a failed test."""
    place, owner = [], widget
    while owner is not None and len(place) < 4:
        place.append(f"{type(owner).__name__} {owner.objectName()}".strip())
        owner = owner.parentWidget()
    return " in ".join(place)


def focus() -> QWidget | None:
    """Where the keys go."""
    return QApplication.focusWidget()


def labels(root: QWidget) -> list[QLabel]:
    """All labels, shown or not."""
    return root.findChildren(QLabel)
