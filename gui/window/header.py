"""The header above every page: document, model, three key figures, search and theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gui.core.token_text import shown
from gui.look.fonts import set_weight
from gui.look.icons import Icons
from gui.look.plain_text import PlainLabel, plain_tip
from gui.look.theme import Theme
from gui.window.actions import WindowActions
from gui.window.key_figure import ContextMeter, KeyFigure
from gui.window.model_picker import ModelPicker

if TYPE_CHECKING:
    from gui.costs.cost_controller import CostController
    from gui.costs.rows import CostRow
    from gui.prompt.prompt import Prompt

WIDE, NARROW, NARROWEST = 1080, 700, 560
"""Widths of the header below which the search field, the document and the context figure shrink or disappear."""
DOCUMENT_WIDTH = 146
DELAY_MS = 60
"""Figures that change faster than this, during typing, are shown together, since each repaints part of the window."""
DIM_AFTER_MS = 250
"""Delay before a figure of an earlier text is dimmed; an immediate mark would only flicker."""


class DocumentName(QWidget):
    """Name of the document, with a dot while it is unsaved, and its state below."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._modified = False
        self._name, self._state = PlainLabel(self), PlainLabel(self)
        self._name.setObjectName("headerDocument")
        self._name.setProperty("role", "strong")
        self._state.setObjectName("headerState")
        self._state.setProperty("role", "caption")
        bold, small = QFont(self.font()), QFont(self.font())
        set_weight(bold)
        small.setPixelSize(11)
        self._name.setFont(bold)
        self._state.setFont(small)
        column = QVBoxLayout(self)
        column.setContentsMargins(*((14, 0, 0, 0) if self.isRightToLeft() else (0, 0, 14, 0)))
        column.setSpacing(2)
        column.addStretch(1)
        column.addWidget(self._name)
        column.addWidget(self._state)
        column.addStretch(1)
        for label in (self._name, self._state):
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            if self.isRightToLeft():  # otherwise a label aligns to the direction of its text
                label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute)
        self.setFixedWidth(DOCUMENT_WIDTH)
        theme.changed.connect(self.update)

    def show_document(self, name: str, state: str, *, modified: bool, tip: str = "") -> None:
        """Show the name of the document and whether it is saved."""
        self._modified = modified
        room = self.width() - 16
        for label, words in ((self._name, name), (self._state, state)):
            cut = label.fontMetrics().elidedText(shown(words), Qt.TextElideMode.ElideMiddle, room)
            label.setText(cut)
            label.setAccessibleName(words)
            label.setToolTip(plain_tip(tip or (words if cut != words else "")))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._modified:
            with QPainter(self) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self._theme.colour("accent"))
                place = self._name.geometry()
                words = self._name.fontMetrics().horizontalAdvance(self._name.text())
                left = min(place.left() + words + 6, self.width() - 9)
                if self.isRightToLeft():
                    left = max(place.right() - words - 13, 2)
                painter.drawEllipse(left, place.center().y() - 3, 7, 7)


class Header(QFrame):
    """Widgets of the header. ``HeaderFigures`` fills in the key figures."""

    def __init__(self, theme: Theme, icons: Icons, actions: WindowActions, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._icons, self._actions = theme, icons, actions
        self.setObjectName("header")
        self.document = DocumentName(theme, self)
        self.models = ModelPicker(theme, self)
        self.tokens = KeyFigure(theme, "headerTokens", self.tr("tokens"), self)
        self.cost = KeyFigure(theme, "headerCost", self.tr("one call"), self)
        self.context = ContextMeter(theme, self)
        self.search = QPushButton(self, objectName="searchField")
        self.search.setProperty("kind", "field")
        self.search.setIcon(icons.icon("search"))
        self.search.setAccessibleName(self.tr("Search or run a command"))
        self.search.clicked.connect(actions["search"].trigger)
        self.toggle = QToolButton(self, objectName="themeToggle")
        self.toggle.setProperty("kind", "icon")
        self.toggle.setAutoRaise(True)
        self.toggle.setIconSize(QSize(18, 18))
        self.toggle.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.toggle.clicked.connect(self._switch_theme)
        self._lay_out()
        self._is_wide: bool | None = None
        theme.changed.connect(self._show_theme)
        self._show_theme()
        self._show_search()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(0)
        row.addWidget(self.document)
        row.addWidget(self.models)
        row.addSpacing(24)
        self._lines: list[QWidget] = []
        for figure in (self.tokens, self.cost, self.context):
            if self._lines or figure is not self.tokens:
                line = QFrame(self)
                line.setProperty("kind", "vline")
                line.setFrameShape(QFrame.Shape.VLine)
                line.setFixedHeight(28)
                self._lines.append(line)
                row.addWidget(line)
                row.addSpacing(12)
            row.addWidget(figure)
            row.addSpacing(6)
        row.addStretch(1)
        row.addWidget(self.search)
        row.addSpacing(8)
        row.addWidget(self.toggle)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_search()
        self.document.setVisible(self.width() >= NARROW)
        self.context.setVisible(self.width() >= NARROWEST)
        self._lines[-1].setVisible(self.width() >= NARROWEST)

    def _show_search(self) -> None:
        wide = self.width() >= WIDE
        if wide == self._is_wide:
            return
        self._is_wide = wide
        key = self._actions["search"].shortcut().toString()
        self.search.setText(self.tr("Search or run…   {key}").format(key=key) if wide else "")
        self.search.setToolTip(self._actions["search"].toolTip())
        self.search.setFixedWidth(228 if wide else 38)

    @Slot()
    def _show_theme(self) -> None:
        self.toggle.setIcon(self._icons.icon("sun" if self._theme.is_dark else "moon"))
        words = self.tr("Use the light theme") if self._theme.is_dark else self.tr("Use the dark theme")
        self.toggle.setAccessibleName(words)
        self.toggle.setToolTip(words)

    @Slot()
    def _switch_theme(self) -> None:
        self._actions["theme_light" if self._theme.is_dark else "theme_dark"].trigger()


class HeaderFigures(QObject):
    """Figures of the reference model, or of the encoding if no model is chosen."""

    def __init__(self, header: Header, prompt: Prompt, costs: CostController) -> None:
        super().__init__(costs)
        self._header, self._prompt, self._costs = header, prompt, costs
        costs.panel.model.arranged.connect(self._show)
        costs.reference_changed.connect(self._show)
        costs.service.stale_changed.connect(self._set_stale)
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay.timeout.connect(self._show_counted)
        self._dim = QTimer(self, singleShot=True, interval=DIM_AFTER_MS)
        self._dim.timeout.connect(self._on_dim)
        prompt.counted.connect(self._on_counted)
        prompt.stale_changed.connect(self._on_stale)
        self._show()

    @Slot()
    def _show(self) -> None:
        row, counts = self._costs.reference_row(), self._prompt.counts
        self._show_tokens(row)
        if counts is not None and counts.revision > self._costs.service.priced_revision:
            self._show_counted()  # prices of an earlier text arrived; its token count must not replace the current one
        self._show_cost(row)
        meter = self._header.context
        if row is None:
            meter.set_model("", None)
            return
        limit, context = row.model.max_input, row.model.context
        meter.set_model(row.model.name, limit or context, is_input_limit=limit is not None and limit != context)
        meter.set_tokens(row.estimate.input_tokens)

    @Slot()
    def _on_counted(self) -> None:
        if not self._delay.isActive():
            self._delay.start()

    @Slot()
    def _show_counted(self) -> None:
        """Show the editor's count at once if the model uses the same encoding, without waiting for prices."""
        row, counts = self._costs.reference_row(), self._prompt.counts
        if counts is None:
            return
        same = row is not None and not row.has_range and row.model.count.tokenizer == counts.encoding
        if row is None or (same and not self._costs.priced.is_of_request):
            self._show_number(counts.tokens, row)

    @Slot(bool)
    def _on_stale(self, stale: bool) -> None:
        if not stale:
            self._dim.stop()
            self._header.tokens.set_stale(False)
        elif not self._dim.isActive():
            self._dim.start()

    @Slot()
    def _on_dim(self) -> None:
        self._header.tokens.set_stale(True)

    @Slot(bool)
    def _set_stale(self, stale: bool) -> None:
        self._header.cost.set_stale(stale)
        self._header.context.set_stale(stale)

    def _show_tokens(self, row: CostRow | None) -> None:
        from gui.core.figures import Run

        if row is None:
            counts = self._prompt.counts
            self._show_number(counts.tokens if counts is not None else None, None)
            return
        estimate = row.estimate
        text = self._costs.panel.model.view.text
        if estimate.input_low != estimate.input_high:
            words = text.tokens(None, estimate.input_tokens, estimate.input_low, estimate.input_high)
            self._header.tokens.show_figure((Run(words),), *self._quality(estimate.label))
        else:
            self._show_number(estimate.input_tokens, row)

    def _show_number(self, tokens: int | None, row: CostRow | None) -> None:
        from gui.core.figures import Run

        label = row.estimate.label if row is not None else "exact"
        text = self._costs.panel.model.view.text
        runs = () if tokens is None else (Run(text.localised(f"{tokens:,}")),)
        self._header.tokens.show_figure(runs, *(self._quality(label) if tokens is not None else ()))

    def _show_cost(self, row: CostRow | None) -> None:
        from gui.core.figures import Run, amount_places, amount_runs

        figure = self._header.cost
        if row is None or row.estimate.usd is None:
            unknown = row is not None and bool(row.estimate.unknown)
            words = self.tr("No known price.") if unknown else ""
            if row is None:
                words = self.tr("No model is chosen, so there is no price.")
            figure.show_figure((Run(self.tr("n/a"), strong=False),) if unknown or row is None else (), "", words)
            return
        estimate, text = row.estimate, self._costs.panel.model.view.text
        ends = estimate.usd_low, estimate.usd_high
        low, high = (text.converted(estimate.usd if end is None else end) for end in ends)
        places = max(amount_places((low,)), amount_places((high,)))
        if low == high and places > 2:
            places += 1  # three digits, as for single amounts elsewhere
        runs = amount_runs(low, high, places, text.currency.sign, text.localised)
        figure.show_figure(runs, *self._quality(estimate.usd_label))

    def _quality(self, label: str | None) -> tuple[str, str]:
        from gui.core.figures import QUALITIES

        quality = QUALITIES.get(label or "", "")
        return quality, self._costs.panel.model.view.text.label(label) if label else ""
