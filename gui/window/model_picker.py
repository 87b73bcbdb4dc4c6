"""The one model of the window: every figure of a single model, on whatever page, is that of this one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QComboBox, QSizePolicy, QStyle, QStyleOptionComboBox, QWidget

from gui.look.fonts import set_weight
from gui.look.plain_tip import plain_tip
from gui.look.shown_text import shown
from gui.look.theme import Theme
from gui.models.reference_model import NO_MODEL
from gui.panels.encoding_picker import DESCRIPTION

if TYPE_CHECKING:
    from pricing.types import Model

WIDTH, LEAST_WIDTH, HEIGHT = 216, 150, 42
BADGE = 26
NAME_PIXELS, DETAIL_PIXELS = 13, 11


class ModelPicker(QComboBox):
    """Shows the model with its provider and tokenizer; the list ends with a choice of no model.

    Signals: ``chosen(str)`` with an id, or ``NO_MODEL``, when the user, or a script, picks another.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._encoding = ""
        self._is_open = False
        self.setObjectName("modelPicker")
        self.setProperty("kind", "picker")
        self.setAccessibleName(self.tr("Model"))
        self.setToolTip(self.tr("The model that every figure of a single model is for"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setMaxVisibleItems(20)
        self.setEnabled(False)
        self._filling = False
        self.currentIndexChanged.connect(self._on_index_changed)
        theme.changed.connect(self.update)

    def fill(self, models: Iterable[Model], current: str) -> None:
        """Offer these models, in their order, and behind them no model. ``current``: the id in use, or ``NO_MODEL``."""
        from gui.panels.described_delegate import DescribedDelegate

        if not isinstance(self.view().itemDelegate(), DescribedDelegate):
            self.view().setItemDelegate(DescribedDelegate(self))
        self._filling = True
        self.clear()
        for model in models:
            parts = (model.provider, model.count.tokenizer or self.tr("no known tokenizer"))
            self._add(model.name, model.id, " · ".join(part for part in parts if part), plain_tip(model.id))
        self._add(
            self.tr("Encoding only"),
            NO_MODEL,
            self.tr("tokens without a model"),
            self.tr("Count with the encoding of the editor, without prices and without a context window"),
        )
        self.setCurrentIndex(self.findData(current))
        self.setEnabled(True)
        metrics = self.fontMetrics()
        rows = (f"{self.itemText(row)}    {self.itemData(row, DESCRIPTION)}" for row in range(self.count()))
        self.view().setMinimumWidth(min(max(map(metrics.horizontalAdvance, rows)) + 48, 640))
        self._filling = False

    def _add(self, name: str, key: str, description: str, tip: str) -> None:
        self.addItem(name, key)
        row = self.count() - 1
        self.setItemData(row, description, DESCRIPTION)
        self.setItemData(row, tip, Qt.ItemDataRole.ToolTipRole)
        self.setItemData(row, f"{name}, {description}", Qt.ItemDataRole.AccessibleTextRole)

    def show_current(self, model_id: str) -> None:
        """Show another choice as the one in use."""
        self._filling = True
        self.setCurrentIndex(self.findData(model_id))
        self._filling = False

    @Slot(str)
    def show_encoding(self, encoding: str) -> None:
        """Name the encoding that counts while no model is chosen."""
        self._encoding = encoding
        self.update()

    @Slot(int)
    def _on_index_changed(self, row: int) -> None:
        if not self._filling and row >= 0:
            self.chosen.emit(self.itemData(row))

    def showPopup(self) -> None:
        self._is_open = True
        super().showPopup()
        self.update()

    def hidePopup(self) -> None:
        self._is_open = False
        super().hidePopup()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        hovered = option.state & QStyle.StateFlag.State_MouseOver and self.isEnabled()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.setPen(self._theme.colour("focus" if self._is_open else "outline"))
            painter.setBrush(self._theme.colour("midlight" if hovered else "base"))
            painter.drawRoundedRect(area, 8, 8)
            self._draw_words(painter, area)
            self._draw_arrow(painter, area)

    def _draw_words(self, painter: QPainter, area: QRectF) -> None:
        no_model = self.currentData() == NO_MODEL
        name = (self._encoding if no_model else self.currentText()) or self.tr("Loading models…")
        detail = self.tr("Encoding only") if no_model else str(self.currentData(DESCRIPTION) or "")
        badge = QRectF(area.left() + 8, area.center().y() - BADGE / 2, BADGE, BADGE)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("information_base"))
        painter.drawRoundedRect(badge, 6, 6)
        strong, small = QFont(self.font()), QFont(self.font())
        strong.setPixelSize(NAME_PIXELS)
        set_weight(strong)
        small.setPixelSize(DETAIL_PIXELS)
        painter.setFont(strong)
        painter.setPen(self._theme.colour("information"))
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, "#" if no_model else (detail or name)[:1].upper())
        line = QRectF(badge.right() + 8, area.top() + 3, area.right() - 28 - badge.right() - 8, area.height() / 2 - 2)
        for font, words, role in ((strong, name, "window_text"), (small, detail, "stale")):
            painter.setFont(font)
            painter.setPen(self._theme.colour(role if self.isEnabled() else "disabled_text"))
            cut = QFontMetricsF(font).elidedText(shown(words), Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, cut)
            line.translate(0, area.height() / 2 - 3)

    def _draw_arrow(self, painter: QPainter, area: QRectF) -> None:
        middle = QPointF(area.right() - 16, area.center().y() + 1)
        painter.setPen(QPen(self._theme.colour("stale"), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([middle + QPointF(x, y) for x, y in ((-4, -2.5), (0, 1.5), (4, -2.5))]))
