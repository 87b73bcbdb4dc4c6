"""The header above every page: document, model, three key figures with quality dots, search and theme."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gui.core.figures import QUALITIES, Run, amount_places, amount_runs
from gui.core.token_text import shown
from gui.look.fonts import set_weight
from gui.look.icons import Icons
from gui.look.quantities import figure
from gui.look.style_sheet import give_role
from gui.look.theme import Theme
from gui.widgets.bars import ProgressBar, draw_share
from gui.widgets.labels import PlainLabel, as_written, plain_tip
from gui.window.actions import WindowActions
from gui.window.model_picker import ModelPicker

if TYPE_CHECKING:
    from gui.costs.cost_controller import CostController
    from gui.costs.rows import CostRow
    from gui.prompt.prompt import Prompt


# --- key figures ------------------------------------------------------------------------------------------------------


FIGURE_PIXELS, CAPTION_PIXELS = 23, 11
DOT_ROOM = 18
STEP = 12
"""Widths are rounded up to multiples of this, so that a changing figure rarely moves its neighbours."""


UNKNOWN = (Run("–", strong=False),)


class KeyFigure(QWidget):
    """One figure with its caption. ``trailing``: width that a subclass needs after the number, in pixels."""

    def __init__(self, theme: Theme, name: str, caption: str, parent: QWidget | None = None, trailing: int = 0) -> None:
        """``caption``: text below the number, and its accessible name."""
        super().__init__(parent)
        self._theme = theme
        self._trailing = trailing
        self._runs: Sequence[Run] = UNKNOWN
        self._quality = ""
        self._stale = False
        self._caption = caption
        self._wanted = 0
        self.setObjectName(name)
        self.setAccessibleName(caption)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        self._take_fonts()

    @property
    def text(self) -> str:
        """The displayed number."""
        return "".join(run.text for run in self._runs)

    @property
    def caption(self) -> str:
        """The text below the number."""
        return self._caption

    @property
    def quality(self) -> str:
        """Quality of the figure (see ``gui.core.figures``), or empty."""
        return self._quality

    def show_figure(self, runs: Sequence[Run], quality: str = "", words: str = "") -> None:
        """Show a number. ``words``: meaning of the dot, for the tooltip and screen readers."""
        if not runs:
            runs = UNKNOWN
        if (runs, quality, words) == (self._runs, self._quality, self.accessibleDescription()):
            return
        self._runs, self._quality = runs, quality
        self.setAccessibleName(f"{self.text} {self._caption}")
        self.setAccessibleDescription(words)
        self.setToolTip(as_written(words))
        self._fit()
        self.update()

    def set_caption(self, caption: str) -> None:
        """Set the text below the number."""
        if caption != self._caption:
            self._caption = caption
            self.setAccessibleName(f"{self.text} {caption}")
            self._fit()
            self.update()

    @Slot(bool)
    def set_stale(self, stale: bool) -> None:
        """Dim the figure while it belongs to an earlier text."""
        if stale != self._stale:
            self._stale = stale
            self.update()

    def _take_fonts(self) -> None:
        self._strong, self._quiet, self._small = (QFont(self.font()) for _ in range(3))
        for font, weight in ((self._strong, QFont.Weight.DemiBold), (self._quiet, QFont.Weight.Normal)):
            font.setPixelSize(FIGURE_PIXELS)
            set_weight(font, weight)
        self._small.setPixelSize(CAPTION_PIXELS)
        self._metrics = {font.weight(): QFontMetricsF(font) for font in (self._strong, self._quiet)}
        self._small_metrics = QFontMetricsF(self._small)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == event.Type.FontChange and hasattr(self, "_metrics"):
            self._take_fonts()

    def _widths(self) -> list[float]:
        strong, quiet = (self._metrics[font.weight()] for font in (self._strong, self._quiet))
        return [(strong if run.strong else quiet).horizontalAdvance(run.text) for run in self._runs]

    def end_of_number(self) -> float:
        """Return the right edge of the number and its dot, in pixels."""
        return sum(self._widths()) + (DOT_ROOM if self._quality else 0)

    def start_of(self, offset: float, width: float) -> float:
        """Return the x of an item of this width; ``offset`` is relative to the leading edge."""
        return self.width() - offset - width if self.isRightToLeft() else offset

    def _fit(self) -> None:
        number = self.end_of_number() + self._trailing
        needed = max(number, self._small_metrics.horizontalAdvance(self._caption)) + 2
        width = ceil(needed / STEP) * STEP
        if width > self._wanted or width < self._wanted - 2 * STEP:
            self._wanted = width
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        height = self._metrics[self._strong.weight()].height() + self._small_metrics.height()
        return QSize(self._wanted, ceil(height))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            strong, mirrored = self._metrics[self._strong.weight()], self.isRightToLeft()
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # numbers are left-to-right in every language
            x, end = self.start_of(0, sum(self._widths())), self.end_of_number()
            line = QRectF(0, 0, max(self.width(), end), strong.height())
            painter.save()
            shrunk = min(1.0, self.width() / max(1.0, end))  # a number without its end would be another one
            painter.translate(self.width() * (1 - shrunk) if mirrored else 0, line.center().y() * (1 - shrunk))
            painter.scale(shrunk, shrunk)
            for run, width in zip(self._runs, self._widths(), strict=True):
                painter.setFont(self._strong if run.strong else self._quiet)
                painter.setPen(self._theme.colour("window_text" if run.strong and not self._stale else "stale"))
                painter.drawText(line.translated(x, 0), Qt.AlignmentFlag.AlignVCenter, run.text)
                x += width
            if self._quality:
                from gui.costs.cost_table import dot_colour, draw_dot

                centre_x = self.start_of(sum(self._widths()), DOT_ROOM) + DOT_ROOM / 2 + (-1 if mirrored else 1)
                centre = QPointF(centre_x, line.center().y() + 1)
                draw_dot(painter, centre, self._quality, dot_colour(self._theme, self._quality))
            painter.restore()
            painter.setLayoutDirection(self.layoutDirection())
            painter.setFont(self._small)
            painter.setPen(self._theme.colour("stale"))
            below = QRectF(0, line.height(), self.width(), self._small_metrics.height())
            words = self._small_metrics.elidedText(self._caption, Qt.TextElideMode.ElideRight, below.width())
            painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, words)


# --- share of the context window --------------------------------------------------------------------------------------


LEAST = 0.001
"""Smaller shares are shown as less than this, as in the cost table."""
BAR = QSize(56, 5)
GAP = 10
ROUND = 1000
"""Context windows that are multiples of this, or of its square, are shown as ``272k`` or ``1M``."""


class MeterBar(ProgressBar):
    """The bar, in thousandths of the context window."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._share = 0.0
        self.setObjectName("contextMeter")
        self.setAccessibleName(self.tr("Share of the context window"))
        self.setRange(0, 1000)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_share(self, share: float) -> None:
        """Set the prompt's share of the context window; more than 1 does not fit."""
        self._share = share
        self.setValue(min(1000, round(share * 1000)))
        self.update()

    def sizeHint(self) -> QSize:
        return BAR

    def minimumSizeHint(self) -> QSize:
        return BAR

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            ends = self._share, self._share
            draw_share(painter, QRectF(self.rect()), ends, self._theme.colour, mirrored=self.isRightToLeft())


class ContextMeter(KeyFigure):
    """Share of the context window with a bar; the size of the window is below it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "headerContext", "", parent, trailing=BAR.width() + GAP)
        self._model = ""
        self._window: int | None = None
        self._is_input_limit = False
        self._tokens: int | None = None
        self.bar = MeterBar(theme, self)
        self._show()

    def set_model(self, name: str, context_window: int | None, *, is_input_limit: bool = False) -> None:
        """Set the model to compare with; ``context_window`` is None if unknown. ``is_input_limit``: True if it is
        the model's maximum input, which is below the context window."""
        self._model = name
        self._window, self._is_input_limit = context_window, is_input_limit
        self._show()

    def set_tokens(self, tokens: int | None) -> None:
        """Set the prompt's tokens for that model, None while unknown."""
        if tokens != self._tokens:
            self._tokens = tokens
            self._show()

    def _show(self) -> None:
        share = self._tokens / self._window if self._window and self._tokens is not None else None
        self.bar.set_share(share or 0.0)
        self.bar.setVisible(share is not None)
        runs: tuple[Run, ...] = ()
        if share is not None:
            percent = self.locale().toString(share * 100, "f", 1 if share < 10 else 0)
            if 0 < share < LEAST:
                percent = "<" + self.locale().toString(LEAST * 100, "f", 1)
            runs = (Run(self.tr("{share}%").format(share=percent)),)
        words = self._words(share)
        self.set_caption(self._short_text(share))
        self.show_figure(runs, words=words)
        self.bar.setAccessibleDescription(words)
        self.bar.setToolTip(as_written(words))
        self._position_bar()

    def _words(self, share: float | None) -> str:
        if not self._model:
            return self.tr("No model is chosen, so there is no context window to compare with.")
        if self._window is None:
            return self.tr("Context window of {model}: unknown").format(model=self._model)
        window = self.tr("{window} ({model})").format(window=figure(self.locale(), self._window), model=self._model)
        if share is None or self._tokens is None:
            words = self.tr("Input limit: {window}") if self._is_input_limit else self.tr("Context window: {window}")
            return words.format(window=window)
        if self._is_input_limit:
            window = self.tr("the input limit of {window}").format(window=window)
        if share > 1:
            over = figure(self.locale(), self._tokens - self._window)
            return self.tr("{over} tokens too long for {window}").format(over=over, window=window)
        return self.tr("{tokens} of {window}").format(tokens=figure(self.locale(), self._tokens), window=window)

    def _short_text(self, share: float | None) -> str:
        if self._window is None:
            return self.tr("context")
        window = figure(self.locale(), self._window)
        if self._window % ROUND**2 == 0:
            window = self.tr("{millions}M").format(millions=figure(self.locale(), self._window // ROUND**2))
        elif self._window % ROUND == 0:
            window = self.tr("{thousands}k").format(thousands=figure(self.locale(), self._window // ROUND))
        if share is not None and share > 1:
            return self.tr("too long for {window}").format(window=window)
        words = self.tr("of {window} input limit") if self._is_input_limit else self.tr("of {window} context")
        return words.format(window=window)

    def _position_bar(self) -> None:
        line = self._metrics[self._strong.weight()].height()
        left = round(self.start_of(self.end_of_number() + GAP, BAR.width()))
        self.bar.setGeometry(left, round((line - BAR.height()) / 2) + 1, BAR.width(), BAR.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._position_bar()


# --- the header -------------------------------------------------------------------------------------------------------


WIDE = 1080
"""Width of the header below which the search field has no words."""
SEARCH_WIDTH, SEARCH_ICON_WIDTH = 228, 38
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
        give_role(self._name, "strong")
        self._state.setObjectName("headerState")
        give_role(self._state, "caption")
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
        width = self.width() - 16
        for label, words in ((self._name, name), (self._state, state)):
            cut = label.fontMetrics().elidedText(shown(words), Qt.TextElideMode.ElideMiddle, width)
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
                area = self._name.geometry()
                words = self._name.fontMetrics().horizontalAdvance(self._name.text())
                left = min(area.left() + words + 6, self.width() - 9)
                if self.isRightToLeft():
                    left = max(area.right() - words - 13, 2)
                painter.drawEllipse(left, area.center().y() - 3, 7, 7)


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
        self._show_search(wide=False)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(0)
        row.addWidget(self.document)
        row.addWidget(self.models)
        row.addSpacing(24)
        self._lines: list[QWidget] = []
        for key_figure in (self.tokens, self.cost, self.context):
            if key_figure is not self.tokens:
                line = QFrame(self)
                line.setProperty("kind", "vline")
                line.setFrameShape(QFrame.Shape.VLine)
                line.setFixedHeight(28)
                self._lines.append(line)
                row.addWidget(line)
                row.addSpacing(12)
            row.addWidget(key_figure)
            row.addSpacing(6)
        row.addStretch(1)
        row.addWidget(self.search)
        row.addSpacing(8)
        row.addWidget(self.toggle)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()  # a figure needs more or less room
        return super().event(event)

    def _fit(self) -> None:
        """Give each figure its room: without the words of the search field, the document, then the context figure."""
        row = self.layout()
        items = [row.itemAt(index) for index in range(row.count())]
        spaces = sum(item.minimumSize().width() for item in items if item.spacerItem() is not None)
        widgets = (self.models, self.tokens, self.cost, self.toggle, *self._lines)
        margins, needed = row.contentsMargins(), sum(widget.minimumSizeHint().width() for widget in widgets)
        room = self.width() - margins.left() - margins.right() - spaces - needed - SEARCH_ICON_WIDTH
        context_width = self.context.minimumSizeHint().width()
        for width, *group in ((context_width, self.context, self._lines[-1]), (DOCUMENT_WIDTH, self.document)):
            for widget in group:
                widget.setVisible(room >= width)
            room -= width
        self._show_search(wide=self.width() >= WIDE and room >= SEARCH_WIDTH - SEARCH_ICON_WIDTH)

    def _show_search(self, *, wide: bool) -> None:
        if wide == self._is_wide:
            return
        self._is_wide = wide
        key = self._actions["search"].shortcut().toString()
        self.search.setText(self.tr("Search or run…   {key}").format(key=key) if wide else "")
        self.search.setToolTip(self._actions["search"].toolTip())
        self.search.setFixedWidth(SEARCH_WIDTH if wide else SEARCH_ICON_WIDTH)

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
        label = row.estimate.label if row is not None else "exact"
        text = self._costs.panel.model.view.text
        runs = () if tokens is None else (Run(text.localised(f"{tokens:,}")),)
        self._header.tokens.show_figure(runs, *(self._quality(label) if tokens is not None else ()))

    def _show_cost(self, row: CostRow | None) -> None:
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
        quality = QUALITIES.get(label or "", "")
        return quality, self._costs.panel.model.view.text.label(label) if label else ""
