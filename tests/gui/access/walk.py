"""Walks a window as assistive tools do: every tab, every dock, every control, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QScrollArea,
    QTabBar,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.window.application import Application
from tests.gui.access.contrast import contrast


def whole_window(qtbot: QtBot, open_window: Callable[..., Application]) -> Application:
    """A window with everything built that is usually built when somebody looks at it."""
    bench = open_window()
    parts = (bench.pages.training, bench.pages.vocabulary, bench.pages.merges, bench.pages.lab, bench.pages.pricing)
    for wiring in (*parts, bench.pages.advisor, bench.pages.versions, bench.pages.conversation, bench.pages.request):
        assert wiring is not None
        wiring.build()
    assert bench.costs is not None
    qtbot.waitUntil(lambda: bool(bench.costs.service.rows))
    return bench


def pages(bench: Application) -> Iterator[str]:
    """One tab after the other is in front; its title."""
    tabs = bench.window.pages
    for index in range(tabs.count()):
        tabs.setCurrentIndex(index)
        yield tabs.title(tabs.current_name)


def inner_pages(root: QWidget) -> Iterator[None]:
    """The tabs inside a tab, one after the other: all first ones in front, then all second ones. In a dialog also the
    pages that a segmented control switches."""
    inner = [tabs for tabs in root.findChildren(QTabWidget) if tabs.isVisible()]
    if isinstance(root, QDialog):
        bars = [bar for bar in root.findChildren(QTabBar) if bar.isVisible()]
        inner += [bar for bar in bars if not isinstance(bar.parentWidget(), QTabWidget)]
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


def is_held_by_group(widget: QWidget) -> bool:
    """Whether a control can be left out of the round because another of its group stands for it (radio buttons)."""
    return isinstance(widget, QAbstractButton) and widget.autoExclusive() and not widget.isChecked()


def reached_by_tab(window: QWidget, first: QWidget, size: int) -> set[QWidget]:
    """All controls that the Tab key comes to. Where a text takes the key itself, focus goes on as Ctrl+Tab would."""
    first.setFocus()
    if size == 1:
        return {first}  # there is nowhere to go
    seen: set[QWidget] = set()
    for _ in range(3 * size + 20):
        assert window.focusNextPrevChild(True)
        now = focus()
        assert now is not None
        if now in seen and len(seen) >= size:
            break
        seen.add(now)
    return seen


def use_keyboard(qtbot: QtBot, bench: Application) -> None:
    """Press Tab, so that from now on the window shows where the keyboard is."""
    bench.window.activateWindow()
    bench.panel.picker.setFocus()
    qtbot.keyClick(bench.panel.picker, Qt.Key.Key_Tab)
    assert focus() is not bench.panel.picker


def take_theme(qtbot: QtBot, bench: Application, mode: str, contrast: str = "normal") -> None:
    """Choose a theme, and wait until the window has it."""
    bench.theme.set_mode(mode)
    bench.theme.set_contrast(contrast)
    wanted = bench.theme.colour("page")
    qtbot.waitUntil(lambda: bench.window.palette().window().color() == wanted)
    qtbot.waitUntil(lambda: bench.window.pages.palette().window().color() == wanted)
    QApplication.processEvents()  # the sheet of the theme has everything laid out once more


def measured_ring(window: QWidget, widget: QWidget) -> float:
    """Along which part of its edge a control changes by 3 to 1 or more when it gets the focus.

    Measured a few pixels in and out of the edge, once it is scrolled into sight, as Tab would do. After
    ``use_keyboard``.
    """
    focus_elsewhere(window)
    for owner in owners(widget):
        if isinstance(owner, QScrollArea):
            owner.ensureWidgetVisible(widget)
    before = window.grab().toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    after = window.grab().toImage()
    seen = place_in(window, widget).intersected(window.rect())
    for owner in owners(widget):
        seen = seen.intersected(place_in(window, owner).adjusted(-3, -3, 3, 3))
    across, down = range(seen.left(), seen.right() + 1), range(seen.top(), seen.bottom() + 1)
    edges = [(x, y, 0, into) for y, into in ((seen.top(), 1), (seen.bottom(), -1)) for x in across]
    edges += [(x, y, into, 0) for x, into in ((seen.left(), 1), (seen.right(), -1)) for y in down]
    ratio = after.devicePixelRatio()
    steps = range(round(-2 * ratio), round(4 * ratio))  # pixels of the screen: none of them is left out
    changed = sum(
        any(differs(before, after, round(x * ratio) + right * step, round(y * ratio) + lower * step) for step in steps)
        for x, y, right, lower in edges
    )
    return changed / len(edges) if edges else 1.0


def focus_elsewhere(window: QWidget) -> None:
    """Take the focus from every control."""
    now = focus()
    if now is not None:
        now.clearFocus()
    assert focus() is None or focus() is window


def owners(widget: QWidget) -> Iterator[QWidget]:
    """The widgets around one, up to its window."""
    owner = widget.parentWidget()
    while owner is not None and not owner.isWindow():
        yield owner
        owner = owner.parentWidget()


def place_in(window: QWidget, widget: QWidget) -> QRect:
    """Where a widget is in its window."""
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def differs(before: QImage, after: QImage, x: int, y: int) -> bool:
    """Whether a pixel looks clearly other."""
    if not after.valid(x, y) or before.pixel(x, y) == after.pixel(x, y):
        return False
    return contrast(before.pixelColor(x, y).name(), after.pixelColor(x, y).name()) >= 3
