"""The program's icons: single-colour SVG files, tinted from the palette when painted.

So an icon follows the theme, is sharp at every scale, and costs nothing before it is visible. In the files the colour
is ``currentColor``.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap

from gui.look.theme import Theme

FOLDER = Path(__file__).parent / "icons"


class Icons(QObject):
    """Icons by name, tinted by the theme."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sources: dict[str, str] = {}

    def icon(self, name: str) -> QIcon:
        """Return the icon ``name`` (a file in ``icons/``)."""
        return QIcon(_TintedIcon(name, self))

    def draw(self, painter: QPainter, name: str, area: QRect, role: str) -> None:
        """Draw an icon in the colour of a role of the theme."""
        from PySide6.QtCore import QByteArray
        from PySide6.QtSvg import QSvgRenderer

        if name not in self._sources:
            self._sources[name] = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
        source = self._sources[name].replace("currentColor", self._theme.colour(role).name())
        renderer = QSvgRenderer(QByteArray(source.encode()))
        renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
        renderer.render(painter, QRectF(area))


class _TintedIcon(QIconEngine):
    """An SVG drawn in the theme's current colour."""

    def __init__(self, name: str, icons: Icons) -> None:
        super().__init__()
        self._name = name
        self._icons = icons

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        roles = {QIcon.Mode.Disabled: "disabled_text", QIcon.Mode.Selected: "highlighted_text"}
        self._icons.draw(painter, self._name, rect, roles.get(mode, "button_text"))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        if pixmap.isNull():  # empty: requested for a button squeezed to nothing
            return pixmap
        pixmap.fill(Qt.GlobalColor.transparent)
        with QPainter(pixmap) as painter:
            self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        return pixmap

    def clone(self) -> QIconEngine:
        return _TintedIcon(self._name, self._icons)
