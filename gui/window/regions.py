"""F6 and Shift+F6 move the keyboard from one region of the window to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget


class Regions(QObject):
    """The regions in their order, each with the control that had the keyboard last.

    ``regions`` returns the widgets that are regions now; those that are hidden or without a control are left out.
    """

    def __init__(self, regions: Callable[[], Sequence[QWidget | None]], parent: QWidget) -> None:
        super().__init__(parent)
        self._regions = regions
        self._last: dict[str, QWidget] = {}

    def step(self, step: int) -> None:
        """Go to the next region that can take the keyboard, or with -1 to the one before."""
        regions = [region for region in self._regions() if region is not None and region.isVisible()]
        now = QApplication.focusWidget()
        at = next((number for number, region in enumerate(regions) if now and region.isAncestorOf(now)), None)
        if at is not None and now is not None:
            self._last[regions[at].objectName()] = now
        first = (at if at is not None else -1 if step > 0 else 0) + step
        for turn in range(len(regions)):
            region = regions[(first + turn * step) % len(regions)]
            control = self._control(region)
            if control is not None:
                region.window().setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
                control.setFocus(Qt.FocusReason.TabFocusReason)
                return

    def _control(self, region: QWidget) -> QWidget | None:
        """Where the keyboard was in this region, or else its first control."""
        last = self._last.get(region.objectName())
        if last is not None and region.isAncestorOf(last) and takes_keys(last):
            return last
        widget = region.nextInFocusChain()
        while widget is not region:
            if region.isAncestorOf(widget) and takes_keys(widget):
                return widget
            widget = widget.nextInFocusChain()
        return None


def takes_keys(widget: QWidget) -> bool:
    """Return True if the Tab key would stop at this control."""
    there = widget.isVisible() and widget.isEnabled() and widget.focusProxy() is None
    return there and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
