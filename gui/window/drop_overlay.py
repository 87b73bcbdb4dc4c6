"""Overlay that tells, while files are dragged over the window, what dropping them will do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QDropEvent, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.core.local_tokenizers import looks_like_tokenizer
from gui.core.token_text import shown, visible_line
from gui.look.fonts import set_weight
from gui.widgets.file_choosers import local_paths

if TYPE_CHECKING:
    from gui.look.icons import Icons
    from gui.look.theme import Theme
    from gui.window.main_window import MainWindow

TITLE_PIXELS, ICON_SIDE, MARGIN = 18, 48, 12
OPACITY = 0.97
LOOKED_AT = 20
"""Maximum number of dragged files inspected during the drag."""


class DropOverlay(QObject):
    """Overlay shown while local files are dragged over the window. It accepts no events itself."""

    def __init__(self, window: MainWindow, theme: Theme, icons: Icons) -> None:
        super().__init__(window)
        self._window, self._theme, self._icons = window, theme, icons
        self.cover: Cover | None = None
        handle = window.windowHandle()
        if handle is not None:
            # The native window, since widgets that accept drops consume drag events.
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.DragEnter and isinstance(event, QDropEvent):
            paths = local_paths(event)
            if paths:
                self._show(paths)
        elif kind in (QEvent.Type.DragLeave, QEvent.Type.Drop) and self.cover is not None:
            self.cover.hide()
        return super().eventFilter(watched, event)

    def _show(self, paths: list[Path]) -> None:
        if self.cover is None:
            self.cover = Cover(self._theme, self._icons, self._window)
        self.cover.say(*self._words(paths), visible_line(", ".join(path.name for path in paths[:3])))
        window = self._window
        below = window.header.mapTo(window, window.header.rect().bottomLeft())
        self.cover.setGeometry(QRect(below, QPoint(window.width(), window.statusBar().y())))
        self.cover.show()
        self.cover.raise_()

    def _words(self, paths: list[Path]) -> tuple[str, str]:
        """Return the icon, and a sentence on what a drop will do here."""
        page, many = self._window.pages.current_name, len(paths) > 1
        folders = [path for path in paths[:LOOKED_AT] if path.is_dir()]
        if page == "trainingTab":
            return "tokenizers", self.tr("Drop to train on these texts")
        if page == "pricingTab":
            return "cost", self.tr("Drop to compare your prices with this table")
        if page == "requestTab" and not folders:
            return "prompt", self.tr("Drop to open as a request or an image")
        if any(looks_like_tokenizer(path) for path in paths[:LOOKED_AT] if path not in folders):
            return "tokenizers", self.tr("Drop to import this tokenizer")
        if folders:
            return "files", self.tr("Drop to count these folders") if many else self.tr("Drop to count this folder")
        words = self.tr("Drop to open the first as the prompt") if many else self.tr("Drop to open as the prompt")
        return "prompt", words


class Cover(QWidget):
    """Cover over the page with an icon, a sentence, and the names of the files."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._icons = theme, icons
        self._icon = self.title = self.names = ""
        self.setObjectName("dropOverlay")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def say(self, icon: str, title: str, names: str) -> None:
        """Set the icon and texts."""
        self._icon, self.title, self.names = icon, title, shown(names)
        self.setAccessibleName(f"{title}: {self.names}")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ground = QColor(self._theme.colour("information_base"))
            ground.setAlphaF(OPACITY)
            painter.setBrush(ground)
            painter.setPen(QPen(self._theme.colour("accent"), 2, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN), 12, 12)
            middle = self.rect().center()
            side = ICON_SIDE
            place = QRect(middle.x() - side // 2, middle.y() - side - 24, side, side)
            self._icons.draw(painter, self._icon, place, "information")
            title, small = QFont(self.font()), QFont(self.font())
            title.setPixelSize(TITLE_PIXELS)
            set_weight(title)
            line = QRect(MARGIN * 2, middle.y() - 8, self.width() - 4 * MARGIN, 32)
            for font, words, role in ((title, self.title, "window_text"), (small, self.names, "stale")):
                painter.setFont(font)
                painter.setPen(self._theme.colour(role))
                cut = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, line.width())
                painter.drawText(line, Qt.AlignmentFlag.AlignCenter, cut)
                line.translate(0, 30)
