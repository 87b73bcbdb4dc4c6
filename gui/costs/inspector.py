"""The inspector: the token at the caret, and the bill of the selected model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gui.core.token_text import hexadecimal, visible, visible_line
from gui.costs.bill import BillLine, bill_lines, explanation, provider_line, remarks, why_not_exact
from gui.costs.columns import CostView
from gui.costs.money_text import age_tone
from gui.costs.prices_service import OWN_VENDOR
from gui.costs.rows import CostRow
from gui.costs.runs_label import RunsLabel
from gui.look.fonts import fixed_font
from gui.look.plain_text import PlainLabel, plain_tip
from gui.look.quantities import figure
from gui.look.theme import Theme
from gui.widgets.forms import button_of_kind
from gui.widgets.labels import RemarkLabel

if TYPE_CHECKING:
    from engine.types import TokenInfo
    from gui.editor.offsets import TokenSpan

WIDTH, MIN_WIDTH = 324, 300
MAX_BYTES, MAX_TEXT = 24, 64
MARGIN = 16
BAR_HEIGHT = 7.0
COUNT_NOTE = "Count: "
"""Start of the remark of ``pricing`` on how a count was measured."""
EDGE = 0.45
"""Opacity of the outline of a token."""


class TokenPart(QFrame):
    """Card of the token at the caret.

    Signals: ``merges_asked(int, int)`` with its UTF-16 offsets; ``entry_asked(int)`` with its ID.
    """

    merges_asked = Signal(int, int)
    entry_asked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="inspectorToken")
        self.setAccessibleName(self.tr("Token at the caret"))
        self._theme = theme
        self._span: TokenSpan | None = None
        self.title = _label("overline", "inspectorTokenTitle")
        self.place = _label("caption")
        self.place.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.place.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.pill = _Pill()
        font = fixed_font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        self.pill.setFont(font)
        self.pill.setContentsMargins(8, 4, 8, 4)
        self.pill.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.facts: dict[str, QLabel] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for number, (key, words) in enumerate(
            (
                ("id", self.tr("ID")),
                ("rank", self.tr("Rank")),
                ("bytes", self.tr("Bytes")),
                ("length", self.tr("Length")),
                ("shares", self.tr("Shares")),
            )
        ):
            value = self.facts[key] = _label("table")
            value.setWordWrap(True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(_said("tableQuiet", words), number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, number, 1)
        self.facts["bytes"].setFont(fixed_font())
        self._grid = grid
        self.copy = button_of_kind("inspectorCopyId", self.tr("Copy ID"), "secondary")
        self.merges = button_of_kind("inspectorMerges", self.tr("Merges"), "quiet")
        self.entry = button_of_kind("inspectorEntry", self.tr("Vocabulary"), "quiet")
        head, buttons = QHBoxLayout(), QHBoxLayout()
        head.addWidget(self.title)
        head.addWidget(self.place, 1)
        for button in (self.copy, self.merges, self.entry):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 12, MARGIN, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.pill)
        column.addLayout(grid)
        column.addLayout(buttons)
        self.copy.clicked.connect(self._on_copy)
        self.merges.clicked.connect(self._on_merges)
        self.entry.clicked.connect(self._on_entry)
        theme.changed.connect(self._colour)
        self.show_token(None, None, 0)

    def show_token(self, span: TokenSpan | None, info: TokenInfo | None, total: int, place: str = "") -> None:
        """Show a token; ``total``: tokens of the text; ``place``: position of the caret as text."""
        self._span = span
        known = span is not None
        for widget in (self.pill, self.copy, self.merges, self.entry):
            widget.setVisible(known)
        self.place.setText(place)
        if span is None:
            self.title.setText(self.tr("No token at the caret"))
            self._show_facts({})
            return
        number = self._number
        self.title.setText(self.tr("Token {n} of {total}").format(n=number(span.index + 1), total=number(total)))
        facts = {"id": str(span.token_id)}
        if span.partners:
            others = ", ".join(number(index + 1) for index, _id in span.partners)
            facts["shares"] = self.tr("a character with token {others}").format(others=others)
        if info is not None:
            data = info.token_bytes
            self.pill.setText(visible(data[:MAX_TEXT]) + ("…" if len(data) > MAX_TEXT else ""))
            facts["bytes"] = hexadecimal(data, MAX_BYTES)
            facts["length"] = self._length(data)
            facts["rank"] = self.tr("special token") if info.kind == "special" else str(info.rank or "")
            if info.rank == 0:
                facts["rank"] = "0"
        self._show_facts(facts)
        self._colour()

    def _length(self, data: bytes) -> str:
        size = self.tr("1 byte") if len(data) == 1 else self.tr("{n} bytes").format(n=self._number(len(data)))
        try:
            characters = len(data.decode())
        except UnicodeDecodeError:
            return self.tr("{bytes}, part of a character").format(bytes=size)
        one = self.tr("1 character")
        many = self.tr("{n} characters").format(n=self._number(characters))
        return f"{size}, {one if characters == 1 else many}"

    def _number(self, number: int) -> str:
        return figure(self.locale(), number)

    def _show_facts(self, facts: dict[str, str]) -> None:
        for row, (key, label) in enumerate(self.facts.items()):
            text = facts.get(key, "")
            label.setText(text)
            name = self._grid.itemAtPosition(row, 0).widget()
            for widget in (label, name):
                widget.setVisible(bool(text))

    @Slot()
    def _colour(self) -> None:
        if self._span is None:
            return
        tokens = self._theme.token_palette()
        fills, edge = tokens.fills or (tokens.base,), QColor(tokens.boundary)
        edge.setAlphaF(EDGE)
        self.pill.show_colours(fills[self._span.index % min(len(fills), 2)], edge, tokens.text)

    @Slot()
    def _on_copy(self) -> None:
        if self._span is not None:
            QGuiApplication.clipboard().setText(str(self._span.token_id))

    @Slot()
    def _on_merges(self) -> None:
        if self._span is not None:
            self.merges_asked.emit(self._span.utf16_start, self._span.utf16_end)

    @Slot()
    def _on_entry(self) -> None:
        if self._span is not None:
            self.entry_asked.emit(self._span.token_id)


class _Pill(PlainLabel):
    """Text of a token on its colour in the editor."""

    def __init__(self) -> None:
        super().__init__(objectName="inspectorTokenText")
        self._fill = self._edge = QColor()

    def show_colours(self, fill: QColor, edge: QColor, text: QColor) -> None:
        """Set the colours."""
        self._fill, self._edge = fill, edge
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.WindowText, text)
        self.setPalette(palette)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(self._edge)
            painter.setBrush(self._fill)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        super().paintEvent(event)


class RangeBar(QWidget):
    """Bar of the range of a token count, on a scale from zero to slightly above the high end."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(objectName="inspectorRange")
        self._theme = theme
        self._low = self._high = 0
        self._words = ("", "")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_range(self, low: int, high: int, words: tuple[str, str]) -> None:
        """Show this range; ``words``: its ends as text."""
        self._low, self._high, self._words = low, high, words
        self.setAccessibleName(self.tr("{low} to {high} tokens").format(low=words[0], high=words[1]))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, int(BAR_HEIGHT) + self.fontMetrics().height() + 8)

    def paintEvent(self, _event: QPaintEvent) -> None:
        scale = self.width() / (self._high * 1.12 or 1)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            soft = self._theme.colour("meter")
            soft.setAlphaF(0.42)
            ends = (self.width(), self._high * scale, self._low * scale)
            for width, colour in zip(
                ends, (self._theme.colour("meter_track"), soft, self._theme.colour("meter")), strict=True
            ):
                painter.setBrush(colour)
                left = self.width() - width if self.isRightToLeft() else 0.0
                painter.drawRoundedRect(QRectF(left, 2, width, BAR_HEIGHT), 3, 3)
            painter.setPen(self._theme.colour("text"))
            places = [(self._low * scale, self._words[0]), (self._high * scale, self._words[1])]
            metrics, free = painter.fontMetrics(), 0.0
            for x, text in places:
                width = metrics.horizontalAdvance(text)
                left = max(min(x - width / 2, self.width() - width), free)
                free = left + width + 6
                place = self.width() - left - width if self.isRightToLeft() else left
                painter.drawText(QRectF(place, BAR_HEIGHT + 4, width + 2, metrics.height()), text)


class BillPart(QFrame):
    """Bill of one call with a model, line by line, with the reason for a range.

    Signals: ``use_asked(str)`` to make this model the reference model; ``prices_asked(str)`` to edit its prices;
    ``calibrate_asked()``.
    """

    use_asked = Signal(str)
    prices_asked = Signal(str)
    calibrate_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="inspectorBill")
        self.setAccessibleName(self.tr("Bill"))
        self._theme = theme
        self._row: CostRow | None = None
        self._shown: object = None
        self._tone = ""
        self.use = button_of_kind("inspectorUse", self.tr("Use as model"), "link")
        self.name = _label("section", "inspectorModel")
        self.provider = _label("caption", "priceAge")
        self.lines = QGridLayout()
        self.lines.setHorizontalSpacing(8)
        self.lines.setVerticalSpacing(5)
        self.lines.setColumnStretch(1, 1)
        self.range_title = _said("caption", self.tr("Input tokens"))
        self.range = RangeBar(theme)
        self.why_title = _label("strong", "inspectorWhyTitle")
        self.why = _label("table", "inspectorWhy")
        self.measured = _label("caption", "inspectorMeasured")
        self.measured.setText(_how_measured(self))
        self.remarks = _label("caption", "inspectorRemarks")
        self.source = RemarkLabel("inspectorSource")
        self.source.setProperty("role", "caption")
        for label in (self.name, self.provider, self.why, self.measured, self.remarks):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.how = button_of_kind("inspectorHow", self.tr("How it is counted"), "link")
        self.how.setCheckable(True)
        self.calibrate = button_of_kind("inspectorCalibrate", self.tr("Calibrate…"), "link")
        self.edit = button_of_kind("inspectorEditPrice", self.tr("Edit price"), "link")
        self.copy = button_of_kind("inspectorCopyBill", self.tr("Copy bill"), "link")
        self._place()
        self.how.toggled.connect(self.measured.setVisible)
        self.use.clicked.connect(self._on_use)
        self.edit.clicked.connect(self._on_edit)
        self.copy.clicked.connect(self._on_copy)
        self.calibrate.clicked.connect(self.calibrate_asked)
        theme.changed.connect(self._colour)
        self.show_row(None, None)

    def text(self) -> str:
        """Return the bill as text, with exact amounts."""
        return self._text

    def show_row(self, row: CostRow | None, view: CostView | None) -> None:
        """Show the bill of a row, or a hint if there is none."""
        if (row, view) == self._shown:
            return
        self._row, self._shown = row, (row, view)
        known = row is not None and view is not None
        for widget in (self.provider, self.how, self.copy, self.edit, self.calibrate, self.use, self.why_title):
            widget.setVisible(known)
        self.measured.setVisible(known and self.how.isChecked())
        if row is None or view is None:
            self._text = self.tr("Select a model to see what one call costs.")
            self.name.setText("")
            self.why.setText(self._text)
            for widget in (self.range, self.range_title, self.remarks, self.source):
                widget.hide()
            self._show_lines([])
            return
        self._text = "\n".join(explanation(row, view))
        self.setAccessibleDescription(self._text)
        self.name.setText(visible_line(row.model.name))
        self.provider.setText(provider_line(row, view))
        self._tone = age_tone(row.estimate.price_checked, view.today)
        self.use.setVisible(row.model_id != view.current)
        yours = row.model.vendor == OWN_VENDOR
        self.edit.setVisible(not yours)
        self.calibrate.setVisible((row.estimate.label or row.model.count.label) not in ("exact", "counted"))
        self._show_lines(bill_lines(row, view))
        self._show_range(row, view)
        title, sentence = why_not_exact(row, view)
        self.why_title.setText(title)
        self.why.setText(sentence)
        self._show_remarks(row, view)
        self._colour()

    def _show_range(self, row: CostRow, view: CostView) -> None:
        low, high = row.estimate.input_low, row.estimate.input_high
        ranged = low is not None and high is not None and low != high
        self.range.setVisible(ranged)
        self.range_title.setVisible(ranged)
        if ranged:
            assert low is not None
            assert high is not None
            words = (view.text.localised(f"{low:,}"), view.text.localised(f"{high:,}"))
            self.range.set_range(low, high, words)

    def _show_remarks(self, row: CostRow, view: CostView) -> None:
        lines = remarks(row, view)
        counted = [line for line in lines if line.startswith(COUNT_NOTE)]
        lines = [line for line in lines if line not in counted]
        self.measured.setText("\n".join([_how_measured(self), *counted]))
        self.remarks.setText("\n".join(lines))
        self.remarks.setVisible(bool(lines))
        self.source.setText(
            self.tr("Source: {source}").format(source=row.estimate.source) if row.estimate.source else ""
        )
        self.source.setToolTip(plain_tip(row.estimate.source))
        self.source.setVisible(bool(row.estimate.source))

    def _show_lines(self, lines: list[BillLine]) -> None:
        """Show the lines. Labels are reused, since figures change several times a second while the user types."""
        for number, line in enumerate(lines):
            if self.lines.itemAtPosition(number, 0) is None:
                self._add_line(number)
            name, detail, amount = (self.lines.itemAtPosition(number, column).widget() for column in range(3))
            assert isinstance(name, QLabel)
            assert isinstance(detail, QLabel)
            assert isinstance(amount, RunsLabel)
            name.setText(line.name)
            name.setWordWrap(not line.detail and not line.amount)
            font = name.font()
            font.setBold(line.total)
            name.setFont(font)
            detail.setText(line.detail)
            amount.set_runs(line.amount)
            for widget in (name, detail, amount):
                widget.show()
        for number in range(len(lines), self.lines.rowCount()):
            for column in range(3):
                item = self.lines.itemAtPosition(number, column)
                if item is not None:
                    item.widget().hide()

    def _add_line(self, number: int) -> None:
        self.lines.addWidget(_label("table"), number, 0)
        detail = RemarkLabel(f"billDetail{number}")
        detail.setProperty("role", "tableQuiet")
        self.lines.addWidget(detail, number, 1)
        amount = RunsLabel(f"billAmount{number}", self._theme)
        amount.setProperty("role", "table")
        self.lines.addWidget(amount, number, 2, Qt.AlignmentFlag.AlignRight)

    def _place(self) -> None:
        head, links = QHBoxLayout(), QGridLayout()
        head.addWidget(_said("overline", self.tr("Bill")))
        head.addStretch(1)
        head.addWidget(self.use)
        links.setHorizontalSpacing(14)
        links.setColumnStretch(2, 1)
        for number, link in enumerate((self.how, self.calibrate, self.edit, self.copy)):
            links.addWidget(link, number // 2, number % 2, Qt.AlignmentFlag.AlignLeft)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 12, MARGIN, 12)
        column.setSpacing(7)
        column.addLayout(head)
        column.addWidget(self.name)
        column.addWidget(self.provider)
        column.addLayout(self.lines)
        for widget in (self.range_title, self.range, self.why_title, self.why, self.measured, self.remarks):
            column.addWidget(widget)
        column.addLayout(links)
        column.addWidget(self.source)

    @Slot()
    def _colour(self) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.colour(self._tone or "stale"))
        self.provider.setPalette(palette)
        quiet = QPalette(self.palette())
        quiet.setColor(QPalette.ColorRole.WindowText, self._theme.colour("stale"))
        for label in (self.source, self.remarks, self.measured):
            label.setPalette(quiet)

    @Slot()
    def _on_use(self) -> None:
        if self._row is not None:
            self.use_asked.emit(self._row.model_id)

    @Slot()
    def _on_edit(self) -> None:
        if self._row is not None:
            self.prices_asked.emit(self._row.model_id)

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)


class Inspector(QScrollArea):
    """Token card above the bill. Nothing is computed while it is hidden.

    Signals: ``seen()`` when it is shown and needs current data.
    """

    seen = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self.setAccessibleName(self.tr("Inspector"))
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget(self.viewport(), objectName="plain")
        self.token = TokenPart(theme, page)
        self.bill = BillPart(theme, page)
        line = QFrame()
        line.setProperty("kind", "line")
        line.setFrameShape(QFrame.Shape.HLine)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.token, line, self.bill):
            column.addWidget(widget)
        column.addStretch(1)
        self.setWidget(page)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 480)

    def minimumSizeHint(self) -> QSize:
        return QSize(MIN_WIDTH, 120)

    def showEvent(self, event: QEvent) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self.seen.emit()


def _how_measured(part: QWidget) -> str:
    return part.tr(
        "● exact: the vendor's own tokenizer. ◐ estimated: a measured ratio to another tokenizer, with its range, or "
        "a tested reconstruction. ○ assumed: the tokenizer that reliable sources name, or a published formula."
    )


def _label(role: str, name: str = "") -> PlainLabel:
    label = PlainLabel(objectName=name)
    label.setProperty("role", role)
    return label


def _said(role: str, words: str) -> PlainLabel:
    label = _label(role)
    label.setText(words)
    return label
