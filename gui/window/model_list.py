"""List of the model picker: a search field, favourites, then the models of each provider with their prices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gui.core.figures import NO_MODEL, Run
from gui.costs.columns import Priced
from gui.costs.cost_table import dot_colour, draw_dot, star
from gui.look.fonts import set_weight
from gui.look.theme import Theme
from gui.widgets.delegates import SINGLE_LINE
from gui.widgets.forms import Popover
from gui.widgets.labels import PlainLabel

WIDTH, HEIGHT, GAP = 420, 424, 6
ROW = 28
STAR_ROOM, DOT_ROOM, PADDING = 34, 18, 10
HEADING_PIXELS, DETAIL_PIXELS = 11, 12
MAX_AT_ONCE = 8
"""Number of rows that Page Up and Page Down move."""
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Choice:
    """A model in the list."""

    key: str
    name: str
    provider: str
    tokenizer: str
    priced: Priced

    def fits(self, words: Sequence[str]) -> bool:
        """Return True if each word occurs in its name, ID, provider or tokenizer."""
        text = f"{self.name} {self.key} {self.provider} {self.tokenizer}".casefold()
        return all(word in text for word in words)


class ModelListModel(QAbstractListModel):
    """Headings, each followed by its models that match the search."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._choices: tuple[Choice, ...] = ()
        self.rows: list[str | Choice] = []

    def fill(self, choices: Sequence[Choice], typed: str) -> None:
        """Set the available models."""
        self._choices = tuple(choices)
        self.search(typed)

    def search(self, typed: str) -> None:
        """Show the matching models: favourites first, then by provider."""
        words = typed.casefold().split()
        found = [choice for choice in self._choices if choice.fits(words)]
        groups: dict[str, list[Choice]] = {}
        for choice in sorted((one for one in found if not one.priced.favourite), key=lambda one: one.provider.lower()):
            groups.setdefault(choice.provider, []).append(choice)
        favourites = [choice for choice in found if choice.priced.favourite]
        self.beginResetModel()
        self.rows = [self.tr("Favourites"), *favourites] if favourites else []
        for provider, choices in groups.items():
            self.rows += [provider, *choices]
        self.endResetModel()

    def choice(self, row: int) -> Choice | None:
        """Return the model at a row; None for a heading or an invalid row."""
        found = self.rows[row] if 0 <= row < len(self.rows) else None
        return found if isinstance(found, Choice) else None

    def row_of(self, key: str) -> int:
        """Return the row of a model; otherwise the first row with a model, or -1."""
        keys = [row.key if isinstance(row, Choice) else None for row in self.rows]
        return keys.index(key) if key in keys else next((n for n, found in enumerate(keys) if found), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        choice = self.choice(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            return self.rows[index.row()] if choice is None else choice.name
        if choice is not None and role == Qt.ItemDataRole.ToolTipRole:
            return choice.priced.spoken or None
        if choice is not None and role == Qt.ItemDataRole.AccessibleTextRole:
            return self.spoken(choice)
        return None

    def spoken(self, choice: Choice) -> str:
        """Return the text that a screen reader speaks for a model."""
        star = self.tr("favourite") if choice.priced.favourite else ""
        price = "".join(run.text for run in choice.priced.price)
        call = self.tr("{price} per call").format(price=price) if price else ""
        parts = (choice.name, choice.provider, choice.tokenizer, call, choice.priced.spoken, star)
        return ", ".join(part for part in parts if part)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.choice(index.row()) is None:
            return Qt.ItemFlag.ItemNeverHasChildren
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren


class ModelPopover(Popover):
    """Popover below the picker. Typing searches; arrows select, Enter chooses, Esc closes.

    Signals: ``chosen(str)`` with an ID or ``NO_MODEL``; ``star_clicked(str)``; ``add_asked()``.
    """

    chosen = Signal(str)
    star_clicked = Signal(str)
    add_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, parent)
        self.setObjectName("modelPopover")
        self.setWindowTitle(self.tr("Model"))
        self.setAccessibleName(self.tr("Choose a model"))
        self.current = ""
        self.model = ModelListModel(self)
        self.field = QLineEdit(self, objectName="modelSearch")
        self.field.setPlaceholderText(self.tr("Find a model, vendor or encoding"))
        self.field.setAccessibleName(self.field.placeholderText())
        self.list = QListView(self, objectName="modelList")
        self.list.setAccessibleName(self.tr("Models"))
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setProperty("kind", "plain")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setItemDelegate(_Rows(theme, self))
        self._none = PlainLabel(self.tr("No model matches. Try fewer letters."), self, role="quiet")
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.no_model = self._link("modelNone", self.tr("Encoding only…"))
        self.no_model.setToolTip(self.tr("Count with the editor's encoding, without prices or context window"))
        self.add = self._link("modelAdd", self.tr("Add a model…"))
        self.add.setToolTip(self.tr("Add a model on the Prices page"))
        self._lay_out()
        self.field.installEventFilter(self)
        self.list.viewport().installEventFilter(self)
        self.no_model.installEventFilter(self)
        self.field.textChanged.connect(self._search)
        self.field.returnPressed.connect(self._take)
        self.no_model.clicked.connect(self._take_none)
        self.add.clicked.connect(self._on_add)

    def _link(self, name: str, text: str) -> QPushButton:
        button = QPushButton(text, self, objectName=name)
        button.setProperty("kind", "link")
        button.setAutoDefault(False)
        return button

    def _lay_out(self) -> None:
        heads = QHBoxLayout()
        heads.setContentsMargins(STAR_ROOM, 4, PADDING + DOT_ROOM + 8, 0)
        for words in (self.tr("Model"), self.tr("One call")):
            head = PlainLabel(words, self, role="overline")
            heads.addWidget(head)
            if heads.count() == 1:
                heads.addStretch(1)
        line = QFrame(self)
        line.setProperty("kind", "line")
        foot = QHBoxLayout()
        foot.setContentsMargins(4, 4, 4, 0)
        foot.addWidget(self.no_model)
        foot.addStretch(1)
        foot.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 10)
        column.setSpacing(6)
        column.addWidget(self.field)
        column.addLayout(heads)
        column.addWidget(self.list, 1)
        column.addWidget(self._none, 1)
        column.addWidget(line)
        column.addLayout(foot)
        self._none.hide()

    def open_at(self, picker: QWidget, choices: Sequence[Choice], current: str, typed: str) -> None:
        """Open below the picker, with the current model selected."""
        self.current = current
        self.field.setText(typed)
        self.model.fill(choices, typed)
        screen = picker.screen().availableGeometry()
        corner = picker.mapToGlobal(QPoint(0, picker.height() + GAP))
        height = min(HEIGHT, max(200, screen.bottom() - corner.y() - GAP))
        self.resize(min(WIDTH, screen.width()), height)
        self.move(max(screen.left(), min(corner.x(), screen.right() - self.width())), corner.y())
        self.show()
        self.raise_()
        self.activateWindow()
        self._after_search()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def refill(self, choices: Sequence[Choice]) -> None:
        """Update prices and stars without scrolling the list."""
        scrolled, row = self.list.verticalScrollBar().value(), self.list.currentIndex().row()
        key = getattr(self.model.choice(row), "key", self.current)
        self.model.fill(choices, self.field.text())
        self._select(self.model.row_of(key), scroll=False)
        self.list.verticalScrollBar().setValue(scrolled)

    @Slot(str)
    def _search(self, typed: str) -> None:
        self.model.search(typed)
        self._after_search()

    def _after_search(self) -> None:
        self.list.setVisible(bool(self.model.rows))
        self._none.setVisible(not self.model.rows)
        self.list.scrollToTop()
        self._select(self.model.row_of(self.current if not self.field.text().strip() else ""))

    def _select(self, row: int, *, scroll: bool = True) -> None:
        index = self.model.index(row)
        self.list.setCurrentIndex(index)
        choice = self.model.choice(row)
        words = self.model.spoken(choice) if choice is not None else self._none.text()
        if words == self.field.accessibleDescription():
            return
        # The field keeps the focus, so screen readers learn of the list's row only by an announcement.
        self.field.setAccessibleDescription(words)
        if self.isVisible() and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.field, words))
        if scroll:
            above = row - 1 if row > 0 and self.model.choice(row - 1) is None else row
            self.list.scrollTo(self.model.index(above))
            self.list.scrollTo(index)

    def _move(self, step: int) -> None:
        rows = [row for row in range(self.model.rowCount()) if self.model.choice(row) is not None]
        current = self.list.currentIndex().row()
        index = rows.index(current) + step if current in rows else 0
        if step == 1 and index == len(rows):
            self.no_model.setFocus(Qt.FocusReason.TabFocusReason)
        elif rows:
            self._select(rows[max(0, min(len(rows) - 1, index))])

    @Slot()
    def _take(self) -> None:
        choice = self.model.choice(self.list.currentIndex().row())
        if choice is not None:
            self.accept()
            self.chosen.emit(choice.key)

    @Slot()
    def _take_none(self) -> None:
        self.accept()
        self.chosen.emit(NO_MODEL)

    @Slot()
    def _on_add(self) -> None:
        self.accept()
        self.add_asked.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = Qt.Key(event.key())
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
            steps |= {Qt.Key.Key_PageDown: MAX_AT_ONCE, Qt.Key.Key_PageUp: -MAX_AT_ONCE}
            if watched is self.field and key in steps:
                self._move(steps[key])
                return True
            if watched is self.no_model and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take_none()
                return True
            if watched is self.no_model and key == Qt.Key.Key_Up:
                self.field.setFocus(Qt.FocusReason.BacktabFocusReason)
                return True
        if watched is self.list.viewport() and isinstance(event, QMouseEvent):
            self._on_mouse(event)
        return super().eventFilter(watched, event)

    def _on_mouse(self, event: QMouseEvent) -> None:
        """Select the row under the pointer; its star is a separate click target."""
        index = self.list.indexAt(event.position().toPoint())
        choice = self.model.choice(index.row())
        if choice is None:
            return
        if event.type() == QEvent.Type.MouseMove:
            self._select(index.row(), scroll=False)
        elif event.type() == QEvent.Type.MouseButtonRelease and event.button() == Qt.MouseButton.LeftButton:
            if _at_star(self.list, event.position().x()):
                self.star_clicked.emit(choice.key)
            else:
                self._select(index.row(), scroll=False)
                self._take()


def _at_star(view: QWidget, x: float) -> bool:
    return (view.width() - x if view.isRightToLeft() else x) < STAR_ROOM


class _Rows(QStyledItemDelegate):
    """Delegate that draws headings, and rows with star, name, detail, price and quality dot."""

    def __init__(self, theme: Theme, popover: ModelPopover) -> None:
        super().__init__(popover)
        self._theme, self._popover = theme, popover

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(WIDTH - 60, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        choice, area = self._popover.model.choice(index.row()), QRectF(option.rect)
        if choice is None:
            heading = QFont(option.font)
            heading.setPixelSize(HEADING_PIXELS)
            set_weight(heading)
            painter.setFont(heading)
            painter.setPen(self._theme.colour("quiet"))
            painter.drawText(
                area.adjusted(PADDING, 4, -PADDING, 0), SINGLE_LINE, str(self._popover.model.rows[index.row()])
            )
        else:
            if option.state & QStyle.StateFlag.State_Selected:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self._theme.colour("selection"))
                painter.drawRoundedRect(area, 6, 6)
            self._draw(painter, option, area, choice)
        painter.restore()

    def _draw(self, painter: QPainter, option: QStyleOptionViewItem, area: QRectF, choice: Choice) -> None:
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft

        def at(start: float, width: float) -> QRectF:
            left = area.right() - start - width if mirrored else area.left() + start
            return QRectF(left, area.top(), width, area.height())

        current = choice.key == self._popover.current
        if current:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("accent"))
            painter.drawRoundedRect(at(0, 3).adjusted(0, 6, 0, -6), 1.5, 1.5)
        colour = self._theme.colour("star" if choice.priced.favourite else "quiet")
        painter.setPen(QPen(colour, 1.1))
        painter.setBrush(colour if choice.priced.favourite else Qt.BrushStyle.NoBrush)
        painter.drawPolygon(star(at(8, 20).center() + QPointF(0, 0.5), 6))
        end = area.width() - PADDING
        if choice.priced.quality:
            dot = dot_colour(self._theme, choice.priced.quality)
            draw_dot(painter, at(end - 9, 9).center() + QPointF(0, 0.5), choice.priced.quality, dot)
        end = self._draw_price(painter, option, at, end - DOT_ROOM, choice.priced.price)
        weight = QFont.Weight.DemiBold if current else QFont.Weight.Medium
        start = self._draw_text(painter, option, at, (STAR_ROOM, end - 12), choice.name, weight)
        detail = choice.provider if choice.priced.favourite else choice.tokenizer
        if end - 12 - start > 40:
            self._draw_text(painter, option, at, (start + 8, end - 12), detail, QFont.Weight.Normal)

    def _draw_price(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        at: Callable[[float, float], QRectF],
        end: float,
        runs: Sequence[Run],
    ) -> float:
        for run in reversed(runs):
            font = QFont(option.font)
            set_weight(font, QFont.Weight.DemiBold if run.strong else QFont.Weight.Normal)
            width = QFontMetricsF(font).horizontalAdvance(run.text)
            painter.setFont(font)
            painter.setPen(self._theme.colour("text" if run.strong else "quiet"))
            painter.drawText(at(end - width, width + 1), SINGLE_LINE, run.text)
            end -= width
        return end

    def _draw_text(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        at: Callable[[float, float], QRectF],
        ends: tuple[float, float],
        text: str,
        weight: QFont.Weight,
    ) -> float:
        font = QFont(option.font)
        set_weight(font, weight)
        quiet = weight == QFont.Weight.Normal
        if quiet:
            font.setPixelSize(DETAIL_PIXELS)
        metrics = QFontMetricsF(font)
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(ends[1] - ends[0], 0.0))
        width = metrics.horizontalAdvance(text)
        painter.setFont(font)
        painter.setPen(self._theme.colour("quiet" if quiet else "text"))
        painter.drawText(at(ends[0], width + 1), SINGLE_LINE, text)
        return ends[0] + width


def choices_of(models: Mapping[str, tuple[str, str, str]], priced: Mapping[str, Priced]) -> list[Choice]:
    """Return the choices for models by ID (name, provider, tokenizer), with their prices."""
    return [Choice(key, *facts, priced.get(key, Priced())) for key, facts in models.items()]
