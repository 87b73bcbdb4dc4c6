"""Tokens of several encodings in rows, aligned by character."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip

from gui.core.token_text import visible, visible_line
from gui.editor.visible_lines import VisibleLine
from gui.look.fonts import fixed_font, strong
from gui.look.quantities import figure
from gui.look.style_sheet import plain_corner
from gui.look.theme import Theme
from gui.runtime.event_loop import WhenShown, in_next_turn
from gui.state.settings import SettingsStore
from gui.widgets.labels import as_written

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gui.editor.token_painter import PaintOptions, TokenPainter
    from gui.editor.token_spans import TokenSpans

_SIGNS = {code: 0x2400 + code for code in range(0x20) if code != 0x09} | {
    0x7F: 0x2421,
    **dict.fromkeys((0x85, 0x2028, 0x2029), 0x23CE),
}


class AlignedRows:
    """Rows of a text. ``units``: uint16[n], the text. ``starts``: int32[rows], the start of each row."""

    def __init__(self, units: NDArray[np.uint16], starts: NDArray[np.int32]) -> None:
        self._units, self._starts = units, starts

    def __len__(self) -> int:
        return len(self._starts)

    def bounds(self, row: int) -> tuple[int, int]:
        """Return the UTF-16 offsets of a row, including a newline at its end."""
        start = int(self._starts[row])
        return start, int(self._starts[row + 1]) if row + 1 < len(self._starts) else len(self._units)

    def ends_line(self, row: int) -> bool:
        """Return True if a row ends with a newline."""
        start, end = self.bounds(row)
        return end > start and int(self._units[end - 1]) == 0x0A

    def shown(self, row: int) -> str:
        """Return the displayed text of a row, without its newline."""
        start, end = self.bounds(row)
        return self.text(start, end - self.ends_line(row)).translate(_SIGNS)

    def text(self, utf16_start: int, utf16_end: int) -> str:
        """Return the text between two UTF-16 offsets."""
        return self._units[utf16_start:utf16_end].tobytes().decode("utf-16-le", "replace")

    def row_at(self, utf16_offset: int) -> int:
        """Return the row that contains an offset."""
        return max(0, int(self._starts.searchsorted(utf16_offset, "right")) - 1)


GAP = 8
"""Gap between two rows of the text, in pixels."""
MARGIN = 6
TAB_COLUMNS = 4
MAX_NAME_COLUMNS = 16
WIDEST_LINE = 1e6
MAX_SHOWN_CHARACTERS = 80
FRAME = 2
"""Width of the focus frame with a margin for any device pixel ratio, in pixels."""
LARGEST_SCROLL = 2**31 - 1
ENOUGH_ROWS_ABOVE = 2
"""Number of rows kept above a span that is scrolled to."""


class AlignedTokens(QAbstractScrollArea):
    """View of aligned tokens; only visible rows are laid out and painted. The text is split into rows elsewhere, once
    for all encodings.

    Keys: arrows, Page Up and Page Down, Home and End scroll.

    Signals: ``columns_changed()`` when ``columns`` changed, so that the text should be split again.
    """

    columns_changed = Signal()

    def __init__(self, theme: Theme, settings: SettingsStore, name: str, spoken: str) -> None:
        """``name``: object name; ``spoken``: accessible name."""
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(spoken)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setCornerWidget(plain_corner(self))
        self.setProperty("kind", "flat")
        self._theme, self._settings = theme, settings
        self._names: tuple[str, ...] = ()
        self._spans: tuple[TokenSpans, ...] = ()
        self._rows: AlignedRows | None = None
        self._marked: tuple[int, int] | None = None
        self._layouts: dict[int, QTextLayout] = {}
        self._painter: TokenPainter | None = None
        self._hint = ""
        self._columns = self._base = 0
        theme.changed.connect(WhenShown(self, self._take_look).ask)
        settings.changed.connect(self._on_setting)
        self._take_font()

    # --- what is shown ------------------------------------------------------------------------------------------------

    @property
    def columns(self) -> int:
        """Number of character columns that fit in a row."""
        width = self.viewport().width() - self._gutter - 2 * MARGIN
        return max(1, int(width / self._column_width))

    @property
    def rows(self) -> AlignedRows | None:
        """The displayed text."""
        return self._rows

    def show_hint(self, words: str) -> None:
        """Show only this text."""
        self._spans, self._rows, self._hint, self._marked = (), None, words, None
        self._layouts.clear()
        self._set_bar()
        self.viewport().update()

    def show_tokens(self, names: tuple[str, ...], spans: tuple[TokenSpans, ...], rows: AlignedRows) -> None:
        """Show these tokens, one ``spans`` per encoding. If the text is the same, the scroll position is kept."""
        first = self._first_offset()
        if spans != self._spans:
            self._marked = None
        self._names, self._spans, self._rows = names, spans, rows
        self._base = min(self._base, len(names) - 1)
        self._layouts.clear()
        self._make_painter()
        self._measure_gutter()
        self._set_bar()
        self._scroll_to(self._rows.row_at(first))  # names that need space cause a new split before
        self.viewport().update()

    def set_base(self, number: int) -> None:
        """Set the baseline encoding: token counts above its count are bold."""
        if number != self._base:
            self._base = number
            self.viewport().update()

    def show_span(self, utf16_start: int, utf16_end: int) -> None:
        """Frame a span of the text and scroll to it."""
        if self._rows is None:
            return
        self._marked = utf16_start, utf16_end
        row = self._rows.row_at(utf16_start)
        top = row * self._row_height - self.verticalScrollBar().value()
        if top < 0 or top + self._row_height > self.viewport().height():
            self._scroll_to(max(0, row - ENOUGH_ROWS_ABOVE))
        counts = ", ".join(
            f"{name}: {spans.touching(utf16_start, utf16_end)}"
            for name, spans in zip(self._names, self._spans, strict=True)
        )
        text = visible(self._rows.text(utf16_start, min(utf16_end, utf16_start + MAX_SHOWN_CHARACTERS)).encode())
        self.setAccessibleDescription(f"{text} – {counts}")
        self.viewport().update()

    # --- measures -----------------------------------------------------------------------------------------------------

    @property
    def _row_height(self) -> int:
        return self._line_height * max(1, len(self._names)) + GAP

    def _take_font(self) -> None:
        values = self._settings.values
        # Not set on the viewport, where the style sheet would replace it by the interface font.
        self._font = font = fixed_font(values.font_size, values.font_family)
        self._strong = strong(font)
        self._metrics = QFontMetricsF(font)
        self._line_height = round(self._metrics.lineSpacing()) + 2
        self._column_width = self._metrics.horizontalAdvance("0" * 100) / 100
        self._layouts.clear()
        if self._painter is not None:
            self._painter.set_font_metrics(self._metrics)
        self._measure_gutter()
        self._set_bar()

    def _measure_gutter(self) -> None:
        names = max((len(name) for name in self._names), default=0)
        self._gutter = round((min(names, MAX_NAME_COLUMNS) + 6) * self._column_width) + MARGIN
        self._notify_columns()

    def _notify_columns(self) -> None:
        if self.columns != self._columns:
            self._columns = self.columns
            self.columns_changed.emit()

    def _set_bar(self) -> None:
        bar = self.verticalScrollBar()
        height = len(self._rows) * self._row_height + MARGIN if self._rows is not None else 0
        bar.setRange(0, min(LARGEST_SCROLL, max(0, height - self.viewport().height())))
        bar.setSingleStep(self._line_height)
        bar.setPageStep(max(1, self.viewport().height() - self._line_height))

    def _first_offset(self) -> int:
        if self._rows is None:
            return 0
        row = min(self.verticalScrollBar().value() // self._row_height, len(self._rows) - 1)
        return self._rows.bounds(row)[0]

    def _scroll_to(self, row: int) -> None:
        self.verticalScrollBar().setValue(min(LARGEST_SCROLL, row * self._row_height))

    # --- look ---------------------------------------------------------------------------------------------------------

    def _make_painter(self) -> None:
        """Create one painter for all encodings: where they split a row alike, it is measured once."""
        if self._painter is None:
            from gui.editor.token_painter import TokenPainter

            self._painter = TokenPainter(self._theme.token_palette(self._settings.values.token_colours))
            self._painter.set_font_metrics(self._metrics)

    @Slot()
    def _take_look(self) -> None:
        if self._painter is not None:
            self._painter.set_palette(self._theme.token_palette(self._settings.values.token_colours))
        self.viewport().update()

    @Slot(str)
    def _on_setting(self, name: str) -> None:
        if name in ("font_family", "font_size"):
            self._take_font()
        elif name == "token_colours":
            self._take_look()
        elif name == "show_whitespace":
            self._layouts.clear()
        self.viewport().update()

    # --- painting -----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            palette = self._theme.token_palette(self._settings.values.token_colours)
            painter.fillRect(event.rect(), palette.base)
            if self._rows is None:
                painter.setPen(self._theme.colour("text"))
                area = self.viewport().rect().adjusted(12, 12, -12, -12)
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._hint)
            else:
                assert self._painter is not None
                self._painter.begin()
                shown = self._rows_under(event.region())
                for number in range(len(self._names) if shown else 0):
                    self._paint_encoding(painter, shown, number)
                self._paint_separators(painter, shown)
                if self._painter.is_behind:
                    in_next_turn(self, self.viewport().update)
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(self._theme.colour("focus"), 1))
                painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))

    def _rows_in(self, top: int, bottom: int) -> range:
        assert self._rows is not None
        scrolled = self.verticalScrollBar().value() - MARGIN
        first = max(0, (scrolled + top) // self._row_height)
        return range(first, min(len(self._rows), (scrolled + bottom) // self._row_height + 1))

    def _rows_under(self, region: QRegion) -> list[int]:
        """Return the rows visible in a region: in a narrow strip at the right edge, only long rows are."""
        found: set[int] = set()
        for rect in region:
            if rect.right() >= MARGIN:
                rows = self._rows_in(rect.top(), rect.bottom())
                found.update(row for row in rows if row not in found and rect.left() <= self._right_of(row))
        return sorted(found)

    def _right_of(self, row: int) -> float:
        """Return the right edge of a row, including its newline symbol and its separator."""
        from gui.editor.visible_lines import THIN

        assert self._rows is not None
        assert self._painter is not None
        behind = self._painter.newline_width if self._rows.ends_line(row) else 0.0
        text_end = self._gutter + MARGIN + self._layout_of(row).lineAt(0).naturalTextRect().right()
        return max(self.viewport().width() - MARGIN, text_end + max(behind, THIN))

    def _top_of(self, row: int, number: int) -> int:
        return MARGIN + row * self._row_height - self.verticalScrollBar().value() + number * self._line_height

    def _paint_encoding(self, painter: QPainter, shown: list[int], number: int) -> None:
        assert self._rows is not None
        assert self._painter is not None
        spans, lines = self._spans[number], [self._line(row, number) for row in shown]
        self._painter.paint(painter, lines, spans, self._options())
        ink, quiet = self._theme.colour("text"), self._theme.colour("stale")
        name = self._metrics.elidedText(
            visible_line(self._names[number]), Qt.TextElideMode.ElideMiddle, MAX_NAME_COLUMNS * self._column_width
        )
        for row, line in zip(shown, lines, strict=True):
            painter.setFont(self._font)
            painter.setPen(ink)
            # Draw on one baseline, whichever fonts the characters come from.
            line.layout.draw(painter, QPointF(line.left, line.top + self._metrics.ascent() + 1 - line.line.ascent()))
            start, end = self._rows.bounds(row)
            area = QRectF(MARGIN, line.top, self._gutter - 2 * MARGIN, self._line_height)
            is_base, tokens = number == self._base, _tokens_in(spans, start, end)
            painter.setFont(self._strong if is_base else self._font)
            painter.setPen(ink if is_base else quiet)
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
            more = not is_base and tokens > _tokens_in(self._spans[self._base], start, end)
            painter.setFont(self._strong if more else self._font)
            painter.setPen(ink if more else quiet)
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(tokens))

    def _paint_separators(self, painter: QPainter, shown: list[int]) -> None:
        painter.setPen(QPen(self._theme.colour("border"), 1))
        for row in shown:
            y = self._top_of(row + 1, 0) - GAP // 2
            painter.drawLine(MARGIN, y, self.viewport().width() - MARGIN, y)

    def _options(self) -> PaintOptions:
        import numpy as np

        from gui.editor.token_painter import PaintOptions

        options = PaintOptions(show_newlines=True)
        if self._marked is not None:
            options.match_starts, options.match_ends = (np.array([offset], np.int32) for offset in self._marked)
        return options

    def _line(self, row: int, number: int) -> VisibleLine:
        assert self._rows is not None
        layout = self._layout_of(row)
        line, text = layout.lineAt(0), layout.text()
        top = float(self._top_of(row, number))
        start, ends_line = self._rows.bounds(row)[0], self._rows.ends_line(row)
        length = self._rows.bounds(row)[1] - start - ends_line
        left = float(self._gutter + MARGIN)
        return VisibleLine(line, layout, text, start, 0, length, left, top, float(self._line_height), ends_line, 0)

    def _layout_of(self, row: int) -> QTextLayout:
        """Return the layout of a row, shared by all encodings. Recently visible ones are cached."""
        layout = self._layouts.get(row)
        if layout is None:
            assert self._rows is not None
            if len(self._layouts) > 4 * self.viewport().height() // self._row_height + 16:
                self._layouts.clear()
            layout = self._layouts[row] = QTextLayout(self._rows.shown(row), self._font)
            option = QTextOption()
            option.setTextDirection(Qt.LayoutDirection.LeftToRight)
            option.setWrapMode(QTextOption.WrapMode.NoWrap)
            option.setTabStopDistance(TAB_COLUMNS * self._column_width)
            if self._settings.values.show_whitespace:
                option.setFlags(QTextOption.Flag.ShowTabsAndSpaces)
            layout.setTextOption(option)
            layout.beginLayout()
            layout.createLine().setLineWidth(WIDEST_LINE)
            layout.endLayout()
        return layout

    # --- events -------------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_bar()
        self._notify_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        if event.key() == Qt.Key.Key_Home:
            bar.setValue(bar.minimum())
        elif event.key() == Qt.Key.Key_End:
            bar.setValue(bar.maximum())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._update_frame()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._update_frame()

    def _update_frame(self) -> None:
        area = self.viewport().rect()
        self.viewport().update(QRegion(area) - QRegion(area.adjusted(FRAME, FRAME, -FRAME, -FRAME)))

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.words_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), as_written(words), self)
            return True
        return super().viewportEvent(event)

    def words_at(self, point: QPointF) -> str:
        """Return the tooltip of the token at a viewport position; empty if there is none."""
        if self._rows is None or not self._names:
            return ""
        row, below = divmod(int(point.y()) + self.verticalScrollBar().value() - MARGIN, self._row_height)
        number = below // self._line_height
        if not 0 <= row < len(self._rows) or not 0 <= number < len(self._names):
            return ""
        line = self._line(row, number)
        x = point.x() - line.left
        if x < 0 or x > line.line.naturalTextWidth():
            return ""
        column = line.line.xToCursor(x, line.line.CursorPosition.CursorOnCharacter)
        index = self._spans[number].index_at(line.offset + column)
        if index < 0:
            return ""
        span = self._spans[number].span(index)
        stop = min(span.utf16_end, span.utf16_start + MAX_SHOWN_CHARACTERS)
        return self.tr("{encoding}, token {number}: id {id}, {text}").format(
            encoding=visible_line(self._names[number]),
            number=figure(self.locale(), index + 1),
            id=span.token_id,
            text=visible(self._rows.text(span.utf16_start, stop).encode()),
        )


def _tokens_in(spans: TokenSpans, start: int, end: int) -> int:
    """Return the number of tokens that end in a row."""
    return spans.count_ending(end) - (spans.count_ending(start) if start else 0)
