"""Picker of the reference model, which every single-model figure on every page refers to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QComboBox, QSizePolicy, QStyle, QStyleOptionComboBox, QWidget

from gui.core.figures import NO_MODEL
from gui.core.token_text import shown
from gui.look.fonts import set_weight
from gui.look.theme import Theme
from gui.widgets.labels import plain_tip
from gui.widgets.tool_row import DESCRIPTION

if TYPE_CHECKING:
    from gui.costs.columns import Priced
    from gui.window.model_list import Choice, ModelPopover
    from pricing.types import Model

WIDTH, MIN_WIDTH, HEIGHT = 216, 150, 42
BADGE = 26
NAME_PIXELS, DETAIL_PIXELS = 13, 11


class ModelPicker(QComboBox):
    """Picker that shows the model with its provider and tokenizer; the last choice is no model.

    Its list is a popover with a search field. Signals: ``chosen(str)`` with an ID, or ``NO_MODEL``, when the user, or a
    script, picks another; ``star_clicked(str)`` with an ID; ``add_asked()``; ``encoding_asked()`` when the user chose
    no model in the list and should now choose the encoding.
    """

    chosen = Signal(str)
    star_clicked = Signal(str)
    add_asked = Signal()
    encoding_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._encoding = ""
        self._models: dict[str, tuple[str, str, str]] = {}
        self.priced: Callable[[], Mapping[str, Priced]] = dict
        """Returns prices and favourites of the models, called when the list opens."""
        self._pressed_shut = False
        self.popover: ModelPopover | None = None
        self.setObjectName("modelPicker")
        self.setProperty("kind", "picker")
        self.setAccessibleName(self.tr("Model"))
        self.setToolTip(self.tr("Current model"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setEnabled(False)
        self._filling = False
        self.currentIndexChanged.connect(self._on_index_changed)
        theme.changed.connect(self.update)

    def fill(self, models: Iterable[Model], current: str) -> None:
        """Offer these models, in order, followed by no model. ``current``: the current ID, or ``NO_MODEL``."""
        self._filling = True
        self.clear()
        self._models.clear()
        for model in models:
            self._models[model.id] = (model.name, model.provider, model.count.tokenizer or "")
            parts = (model.provider, model.count.tokenizer or self.tr("no known tokenizer"))
            self._add(model.name, model.id, " · ".join(part for part in parts if part), plain_tip(model.id))
        self._add(
            self.tr("Encoding only"),
            NO_MODEL,
            self.tr("tokens without a model"),
            self.tr("Count with the editor's encoding, without prices or context window"),
        )
        self.setCurrentIndex(self.findData(current))
        self.setEnabled(True)
        self._filling = False

    def _add(self, name: str, key: str, description: str, tip: str) -> None:
        self.addItem(name, key)
        row = self.count() - 1
        self.setItemData(row, description, DESCRIPTION)
        self.setItemData(row, tip, Qt.ItemDataRole.ToolTipRole)
        self.setItemData(row, f"{name}, {description}", Qt.ItemDataRole.AccessibleTextRole)

    def show_current(self, model_id: str) -> None:
        """Show this model as the current one."""
        self._filling = True
        self.setCurrentIndex(self.findData(model_id))
        self._filling = False

    @Slot(str)
    def show_encoding(self, encoding: str) -> None:
        """Show the encoding that counts while no model is chosen."""
        self._encoding = encoding
        self.update()

    @Slot(int)
    def _on_index_changed(self, row: int) -> None:
        if not self._filling and row >= 0:
            self.chosen.emit(self.itemData(row))

    # --- the list -----------------------------------------------------------------------------------------------------

    def showPopup(self) -> None:
        """Open the list. Also called by scripts and the menu."""
        self.open_list()

    def hidePopup(self) -> None:
        if self.popover is not None:
            self.popover.reject()

    def open_list(self, typed: str = "") -> None:
        """Open the list, searching for ``typed``."""
        if self.popover is None:
            from gui.window.model_list import ModelPopover

            self.popover = popover = ModelPopover(self._theme, self)
            popover.chosen.connect(self._on_chosen)
            popover.star_clicked.connect(self._on_star)
            popover.add_asked.connect(self.add_asked)
            popover.finished.connect(self._on_closed)
        self.popover.open_at(self, self._choices(), str(self.currentData()), typed)
        self.update()

    def _choices(self) -> list[Choice]:
        from gui.window.model_list import choices_of

        return choices_of(self._models, self.priced())

    @Slot(str)
    def _on_chosen(self, key: str) -> None:
        self.setCurrentIndex(self.findData(key))
        if key == NO_MODEL:
            self.encoding_asked.emit()

    @Slot(str)
    def _on_star(self, key: str) -> None:
        self.star_clicked.emit(key)
        if self.popover is not None:
            self.popover.refill(self._choices())

    @Slot()
    def _on_closed(self) -> None:
        # The click on the picker that closed its list must not open it again.
        self._pressed_shut = self.underMouse() and QApplication.mouseButtons() != Qt.MouseButton.NoButton
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        shut, self._pressed_shut = self._pressed_shut, False
        if not shut:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the list with Enter and arrows, and with a letter, which starts a search."""
        typed = event.text().strip() if event.text().isprintable() else ""
        modified = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
        if (typed and not modified) or event.key() in (
            Qt.Key.Key_Return,
            Qt.Key.Key_Enter,
            Qt.Key.Key_Down,
            Qt.Key.Key_Up,
        ):
            self.open_list(typed)
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel: scrolling over the header must not change every figure."""
        event.ignore()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(MIN_WIDTH, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        is_open = self.popover is not None and self.popover.isVisible()
        hovered = option.state & QStyle.StateFlag.State_MouseOver and self.isEnabled()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.setPen(self._theme.colour("focus" if is_open else "outline"))
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
