"""The prompt editor: plain text with its tokens painted behind it.

After an edit only parts of the screen are repainted, with the current token of that moment. A frame painted earlier may
still be visible elsewhere.

Nothing here imports numpy before the first tokens arrive, when the window is already visible. Tokens are in
``TokenTracker``, drawing in ``TokenPainter``, text and keys in ``SoftTextEdit``; colours and font come from
``EditorLook``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import QWidget

from engine.types import TextEdit, TokenPatch
from gui.editor.offsets import TokenSpan, utf16_length
from gui.editor.soft_breaks import SOFT_LIMIT
from gui.editor.soft_text_edit import SoftTextEdit
from gui.editor.token_tracker import TokenTracker
from gui.editor.visible_lines import LINE_GAP, NumberedLine, VisibleLine, numbered_lines, visible_lines
from gui.look.fonts import fixed_font
from gui.look.style_sheet import keep_font, plain_corner
from gui.look.theme import Theme
from gui.runtime.event_loop import in_next_turn
from gui.state.settings import SettingsStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gui.editor.token_painter import PaintOptions, TokenPainter
    from gui.look.theme import TokenPalette


Bounds = tuple[int, int]
"""Start and end of a token, in UTF-16 units of the logical text."""


class CurrentFrame:
    """Record of the frame that is completely on the screen, and of those painted in part since."""

    def __init__(self) -> None:
        self._whole: Bounds | None = None
        self._parts: list[Bounds] = []

    def paint(self, bounds: Bounds | None) -> None:
        """Record a partial repaint, with the frame around these bounds if it is in that part."""
        if bounds is not None and bounds != self._whole and bounds not in self._parts:
            self._parts.append(bounds)

    def move(self, edits: Sequence[TextEdit]) -> None:
        """Apply edits of the text; bounds move like those of tokens."""
        for edit in edits:
            start, removed, added = edit.utf16_start, edit.utf16_removed, utf16_length(edit.inserted)
            if self._whole is not None:
                self._whole = _moved(self._whole, start, removed, added)
            self._parts = [_moved(bounds, start, removed, added) for bounds in self._parts]

    def settle(self, bounds: Bounds | None) -> list[Bounds]:
        """Set the frame to these bounds. Return the bounds to repaint for that, sorted."""
        outdated = {*self._parts, self._whole, bounds} - {None}
        if self._whole == bounds:
            outdated.discard(bounds)
        self._whole, self._parts = bounds, []
        return sorted(outdated)


def _moved(bounds: Bounds, start: int, removed: int, added: int) -> Bounds:
    low, high = (at if at < start else max(at - removed, start) + added for at in bounds)
    return (0 if bounds[0] == 0 else low), high


_SMALLEST_POINTS, _LARGEST_POINTS = 6.0, 72.0
_TAB_COLUMNS = 4
_DIM_AFTER_MS = 250
_NEAR = 200  # maximum gap between two spans repainted together, in UTF-16 units


class TokenEditor(SoftTextEdit):
    """Text editor that shows its tokens, which arrive from outside through ``apply_patch``."""

    token_hovered = Signal(object, object)
    """Emitted with TokenSpan or None and a global QPoint when the token under the pointer changes."""
    caret_token_changed = Signal(object)
    """Emitted with TokenSpan or None when the token at the caret or its span changes."""
    selection_tokens_changed = Signal(int)
    """Emitted with the number of tokens that the selection touches, -1 without a selection."""
    zoom_changed = Signal(int)
    """Emitted with the zoom in steps of one point, 0 for the original font."""

    def __init__(self, parent: QWidget | None = None, *, soft_limit: int = SOFT_LIMIT) -> None:
        super().__init__(parent, soft_limit=soft_limit)
        self.setObjectName("promptEditor")
        self.setAccessibleName(self.tr("Prompt text"))
        self._tracker = TokenTracker()
        self._token_palette: TokenPalette | None = None
        self._painter: TokenPainter | None = None
        self._options: PaintOptions | None = None  # created with the tokens, as it needs numpy
        self._show_whitespace = False
        self._zoom = 0
        self._wheel = 0
        self._base_font = fixed_font()
        self._fills_background = False
        self._caret_span: TokenSpan | None = None
        self._selected_tokens = -1
        self._hovered = -1
        self._repainted = (0, -1)  # offsets of the span that is going to be repainted anyway
        self._frame = CurrentFrame()
        self._announce_timer = QTimer(self, singleShot=True)
        self._announce_timer.timeout.connect(self._announce)
        self._dim_timer = QTimer(self, singleShot=True, interval=_DIM_AFTER_MS)
        self._dim_timer.timeout.connect(self._dim_stale)
        self._catching_up = QTimer(self, singleShot=True, interval=0)
        self._catching_up.timeout.connect(self._catch_up)
        self.cursorPositionChanged.connect(self._announce_soon)
        self.selectionChanged.connect(self._announce_soon)
        self._apply_zoom()

    # Tokens

    @Slot(int, object)
    def apply_patch(self, revision: int, patch: TokenPatch) -> None:
        """Show the tokens computed for the text of ``revision``, rebased onto later edits."""
        if not self._fills_background:
            # Enabled only when there are tokens. The first call of viewport() is slow: to find its type, PySide loads
            # every kind of scroll area; by now the window is visible.
            viewport = self.viewport()
            viewport.setMouseTracking(True)
            # Otherwise each key would also paint the page and everything else behind the text.
            viewport.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
            self._fills_background = True
        self._show_tokens(self._tracker.apply(revision, patch))

    @Slot()
    def _catch_up(self) -> None:
        self._show_tokens(self._tracker.catch_up())

    def _show_tokens(self, dirty: tuple[int, int] | None) -> None:
        if self._tracker.is_catching_up:
            self._catching_up.start()
        if not self._tracker.stale:
            self._stop_dimming()
        elif self._options is not None and self._options.dim_stale:
            self.viewport().update()
        if dirty is not None:
            self._update_range(*dirty)
        self._announce_soon()

    def clear_tokens(self) -> None:
        """Show the text without tokens."""
        self._tracker.clear()
        self.viewport().update()
        self._announce_soon()

    @property
    def token_count(self) -> int:
        """Number of known tokens; text without tokens yet is not counted."""
        spans = self._tracker.spans
        return 0 if spans is None else spans.token_count

    @property
    def tokens_stale(self) -> bool:
        """True if the text was edited after the shown tokens were computed."""
        return self._tracker.stale

    def token_at(self, utf16_offset: int) -> TokenSpan | None:
        """Return the token of the character after an offset; at the end of the text the last token."""
        spans = self._tracker.spans
        index = -1 if spans is None else spans.index_at(utf16_offset)
        return None if index < 0 or spans is None else spans.span(index)

    def token(self, index: int) -> TokenSpan | None:
        """Return a token by its index, None if there is none."""
        spans = self._tracker.spans
        if spans is None or not 0 <= index < len(spans):
            return None
        span = spans.span(index)
        return span if span.token_id >= 0 else None

    def selected_tokens(self) -> tuple[int, int]:
        """Return the first token that the selection touches and the end of the range; without a selection, both are the
        token at the caret. (-1, -1) if there is none."""
        start, end = self.selected_range()
        spans = self._tracker.spans
        first = -1 if spans is None else spans.index_at(start)
        if first < 0 or spans is None:
            return -1, -1
        return first, first + (spans.touching(start, end) if end > start else 0)

    def token_ids(self) -> tuple[NDArray[np.int32], NDArray[np.bool_]] | None:
        """Return the IDs of all tokens, and whether each begins inside a character; None while some are unknown."""
        spans = self._tracker.spans
        if spans is None or self._tracker.stale:
            return None
        return spans.all_ids()

    def tokens_ending(self, utf16_start: int, utf16_end: int) -> int:
        """Return the number of tokens that end after the first offset and at or before the second, so that lines add up
        to the text. 0 before there are tokens."""
        spans = self._tracker.spans
        return 0 if spans is None else spans.count_ending(utf16_end) - spans.count_ending(utf16_start)

    def numbered_lines(self, clip: QRect) -> list[NumberedLine]:
        """Return the logical lines that begin in ``clip`` of the viewport, for a margin beside it."""
        return numbered_lines(self, self._soft, clip)

    def go_to_token(self, index: int) -> bool:
        """Select a token by its index, from 0, and centre it; False if there is none."""
        span = self.token(index)
        if span is None:
            return False
        start, end = span.utf16_start, span.utf16_end
        if start == end and start:
            start = self._clamp(start - 1)  # a token without width is part of the previous character
        self.select_range(start, end)
        self.centerCursor()
        return True

    def highlight_matches(self, utf16_starts: Sequence[int], utf16_ends: Sequence[int]) -> None:
        """Frame these spans, sorted and not overlapping, until the next edit or call."""
        if not len(utf16_starts) and self._options is None:
            return
        import numpy as np

        options = self._paint_options()
        options.match_starts = np.asarray(utf16_starts, np.int32)
        options.match_ends = np.asarray(utf16_ends, np.int32)
        self.viewport().update()

    # Appearance

    def set_palette(self, palette: TokenPalette) -> None:
        """Set the colours."""
        is_change, self._token_palette = self._token_palette is not None, palette
        self._colour_text(palette)
        if is_change:  # not at the start, where the first call of viewport() would be slow
            # A style sheet leaves the viewport with the previous theme's palette.
            self.viewport().setPalette(self.palette())
        if self._painter is not None:
            self._painter.set_palette(palette)
            self.viewport().update()

    def _colour_text(self, palette: TokenPalette) -> None:
        roles = {
            QPalette.ColorRole.Base: palette.base,
            QPalette.ColorRole.Text: palette.text,
            QPalette.ColorRole.Highlight: palette.selection,
            QPalette.ColorRole.HighlightedText: palette.selected_text,
        }
        colours = QPalette(self.palette())
        for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
            for role, colour in roles.items():
                colours.setColor(group, role, colour)
        self.setPalette(colours)

    def set_show_whitespace(self, shown: bool) -> None:
        """Set whether spaces, tabs and newlines are marked."""
        self._show_whitespace = shown
        if self._options is not None:
            self._options.show_newlines = shown
            self.viewport().update()

    @property
    def zoom(self) -> int:
        """Zoom in steps of one point from the original font."""
        return self._zoom

    @property
    def zoom_percent(self) -> int:
        """Text size, in percent of the original font."""
        points = self._base_font.pointSizeF()
        return round(100 * (points + self._zoom) / points) if points > 0 else 100

    def zoom_by(self, steps: int) -> None:
        """Zoom in by steps of one point; negative steps zoom out."""
        points = QFontInfo(self._base_font).pointSizeF()
        zoomed = min(max(points + self._zoom + steps, _SMALLEST_POINTS), _LARGEST_POINTS)
        zoom = round(zoomed - points)
        if zoom != self._zoom:
            self._zoom = zoom
            self._apply_zoom()
            self.zoom_changed.emit(zoom)

    def zoom_reset(self) -> None:
        """Reset the zoom."""
        self.zoom_by(-self._zoom)

    def setFont(self, font: QFont) -> None:
        """Set the font at zoom 0."""
        self._base_font = QFont(font)
        self._apply_zoom()

    # Events

    def paintEvent(self, event: QPaintEvent) -> None:
        self._repainted = (0, -1)
        if self._fills_background:
            with QPainter(self.viewport()) as painter:
                painter.fillRect(event.rect(), self.palette().base())
        lines: list[VisibleLine] | None = None
        if self._painter is not None:
            self._painter.begin()
        if self._token_palette is not None and (self._tracker.spans is not None or self._has_matches()):
            lines = self._paint_tokens(event.rect())
        super().paintEvent(event)
        if self._show_whitespace and self._painter is not None:
            with QPainter(self.viewport()) as painter:
                self._painter.paint_whitespace(painter, lines or visible_lines(self, self._soft, event.rect()))
        if self._painter is not None and self._painter.is_behind:
            in_next_turn(self, self.viewport().update)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            metrics = QFontMetricsF(self.font())
            self.setTabStopDistance(_TAB_COLUMNS * metrics.horizontalAdvance(" "))
            if self._painter is not None:
                self._painter.set_font_metrics(metrics)
        elif (
            event.type() == QEvent.Type.PaletteChange
            and self._token_palette is not None
            and self.palette().color(QPalette.ColorRole.Highlight) != self._token_palette.selection
        ):
            # The style sheet has restored the palette that the editor had when it was first polished.
            self._colour_text(self._token_palette)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            return
        self._wheel += event.angleDelta().y()
        steps, self._wheel = int(self._wheel / 120), self._wheel - int(self._wheel / 120) * 120
        if steps:
            self.zoom_by(steps)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if self._tracker.spans is not None:
            point = event.position().toPoint()
            index = -1 if event.buttons() else self._token_index_under(point)
            self._hover(index, self.viewport().mapToGlobal(point))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1, QPoint())

    # Inside

    def _follow_text(self, revision: int, length: int | None) -> None:
        self._tracker.replace_text(revision, length)
        self._frame = CurrentFrame()
        self._stop_dimming()
        self._forget_matches()
        self._announce_soon()

    def _follow_length(self, length: int) -> None:
        self._tracker.set_length(length)

    def _expect_units(self, more: int) -> None:
        self._tracker.expect_units(more)

    def _follow_edits(self, revision: int, edits: Sequence[TextEdit]) -> None:
        dirty = self._tracker.edit(revision, edits)
        self._frame.move(edits)
        self._forget_matches()
        if dirty is not None:
            self._expect_repaint(edits)
            self._update_range(*dirty)
            if not self._dim_timer.isActive():
                self._dim_timer.start()
        self._announce_soon()

    def _paint_options(self) -> PaintOptions:
        if self._options is None:
            from gui.editor.token_painter import PaintOptions

            self._options = PaintOptions(show_newlines=self._show_whitespace)
        return self._options

    def _make_painter(self) -> TokenPainter:
        from gui.editor.token_painter import TokenPainter

        assert self._token_palette is not None
        self._painter = TokenPainter(self._token_palette)
        self._painter.set_font_metrics(QFontMetricsF(self.font()))
        self._painter.begin()
        return self._painter

    def _paint_tokens(self, clip: QRect) -> list[VisibleLine]:
        from gui.editor.token_spans import TokenSpans

        token_painter = self._painter or self._make_painter()
        spans = self._tracker.spans or TokenSpans()
        options = self._paint_options()
        options.caret = self.caret_offset()
        if not self._has_matches():
            # Nothing is drawn in the gap below a line, so a line that reaches into the clip only by its gap is skipped.
            clip.setTop(clip.top() + int(LINE_GAP))
        lines = visible_lines(self, self._soft, clip)
        with QPainter(self.viewport()) as painter:
            self._frame.paint(token_painter.paint(painter, lines, spans, options))
        return lines

    def _forget_matches(self) -> None:
        if self._has_matches():
            self.highlight_matches((), ())

    def _has_matches(self) -> bool:
        return self._options is not None and len(self._options.match_starts) > 0

    def _update_range(self, utf16_start: int, utf16_end: int) -> None:
        """Repaint the lines that contain text between two offsets."""
        if self._repainted[0] <= utf16_start and utf16_end <= self._repainted[1]:
            return
        document = self.document()
        length = self._soft.length  # length in the document: a text being loaded is longer
        start = self._soft.to_document(min(utf16_start, length), before_break=True)
        end = self._soft.to_document(min(utf16_end, length))
        first = document.findBlock(start)
        last = first if first.contains(end) else document.findBlock(end)
        height = self.viewport().height()
        above = self.contentOffset().y()
        # Paragraphs above the window have negative y.
        geometry = self.blockBoundingGeometry(first)
        line = first.layout().lineForTextPosition(start - first.position())
        top = above + geometry.top() + (line.y() if line.isValid() else 0)
        if top > height:
            return
        known_from = first.position() + (line.textStart() if line.isValid() else 0)
        if last != first:
            geometry = self.blockBoundingGeometry(last)
        if start != end:
            line = last.layout().lineForTextPosition(end - last.position())
        bottom = above + (geometry.top() + line.y() + line.height() if line.isValid() else geometry.bottom())
        top, bottom = max(0, math.floor(top)), min(height, math.ceil(bottom))
        if bottom > top:
            viewport = self.viewport()
            viewport.update(0, top, viewport.width(), bottom - top)
            known_to = last.position() + (line.textStart() + line.textLength() if line.isValid() else 0)
            self._repainted = (self._soft.to_logical(known_from), self._soft.to_logical(known_to))

    def _expect_repaint(self, edits: Sequence[TextEdit]) -> None:
        """Record that Qt repaints an edited paragraph as a whole, so that it need not be requested again."""
        if len(edits) != 1:
            return
        block = self.document().findBlock(self._soft.to_document(edits[0].utf16_start))
        start = self._soft.to_logical(block.position())
        self._repainted = (start, start + block.length() - 1)

    def _update_frame(self) -> None:
        """Repaint the old and new frames of the current token."""
        span = self._caret_span
        bounds = None if span is None else (span.utf16_start, span.utf16_end)
        spans = self._frame.settle(bounds)
        if len(spans) == 2 and spans[1][0] - spans[0][1] < _NEAR:
            spans = [(spans[0][0], max(spans[0][1], spans[1][1]))]
        for start, end in spans:
            # A token without width is drawn in the previous character.
            self._update_range(max(0, start - 2) if start == end else start, end)

    @Slot()
    def _announce_soon(self) -> None:
        if not self._announce_timer.isActive() and not self._waits_for_tokens():
            self._announce_timer.start()

    def _waits_for_tokens(self) -> bool:
        """Return True if tokens of an edit are expected soon; signals about the old ones would be short-lived."""
        return self._dim_timer.isActive() and self._tracker.stale

    @Slot()
    def _announce(self) -> None:
        """Emit changes of the tokens at the caret and in the selection, once per turn."""
        spans = self._tracker.spans
        start, end = self.selected_range()
        caret = start if start == end else self.caret_offset()
        before, self._caret_span = self._caret_span, self.token_at(caret)
        self._update_frame()
        if self._caret_span != before:
            self.caret_token_changed.emit(self._caret_span)
        selected = -1 if start == end or spans is None else spans.touching(start, end)
        if selected != self._selected_tokens:
            self._selected_tokens = selected
            self.selection_tokens_changed.emit(selected)

    @Slot()
    def _dim_stale(self) -> None:
        if self.is_loading:
            # A loading text always has a part without tokens, mostly out of sight.
            self._dim_timer.start()
        elif self._tracker.stale:
            self._paint_options().dim_stale = True
            self.viewport().update()
        self._announce_soon()

    def _stop_dimming(self) -> None:
        self._dim_timer.stop()
        if self._options is not None and self._options.dim_stale:
            self._options.dim_stale = False
            self.viewport().update()

    def _apply_zoom(self) -> None:
        font = QFont(self._base_font)
        if self._zoom:
            font.setPointSizeF(QFontInfo(self._base_font).pointSizeF() + self._zoom)
        super().setFont(font)
        keep_font(self, font)

    def _offset_under(self, position: QPoint) -> int:
        """Return the start of the token there: Qt's own position may be after it."""
        span = self.token(self._token_index_under(position))
        return super()._offset_under(position) if span is None else span.utf16_start

    def _hover(self, index: int, position: QPoint) -> None:
        if index == self._hovered:
            return
        self._hovered = index
        self.token_hovered.emit(self.token(index) if index >= 0 else None, position)

    def _token_index_under(self, position: QPoint) -> int:
        from gui.editor.token_geometry import token_index_under

        spans = self._tracker.spans
        if spans is None:
            return -1
        newline = self._painter.newline_width if self._painter is not None and self._show_whitespace else 0
        return token_index_under(self, self._soft, spans, position, newline)


class EditorLook(QObject):
    """Appearance of one editor, by settings and theme; shares the lifetime of the editor."""

    def __init__(self, editor: TokenEditor, theme: Theme, settings: SettingsStore, least_lines: int = 0) -> None:
        """``least_lines``: minimum number of visible lines, whatever opens around the editor."""
        super().__init__(editor)
        self._editor, self._theme, self._settings = editor, theme, settings
        self._least_lines = least_lines
        editor.setCornerWidget(plain_corner(editor))
        theme.changed.connect(self._on_theme)
        settings.changed.connect(self._on_setting)
        self._take_colours()
        for name in ("font_family", "word_wrap", "show_whitespace"):
            self._on_setting(name)

    @Slot()
    def _on_theme(self) -> None:
        self._take_colours()
        if fixed_font(self._settings.values.font_size, self._settings.values.font_family) != self._font:
            self._on_setting("font_family")

    @Slot()
    def _take_colours(self) -> None:
        self._editor.set_palette(self._theme.token_palette(self._settings.values.token_colours))

    @Slot(str)
    def _on_setting(self, name: str) -> None:
        values = self._settings.values
        if name == "token_colours":
            self._take_colours()
        elif name in ("font_family", "font_size"):
            self._font = fixed_font(values.font_size, values.font_family)
            self._editor.setFont(self._font)
            if self._least_lines:
                self._editor.setMinimumHeight(self._editor.fontMetrics().lineSpacing() * self._least_lines)
        elif name == "word_wrap":
            self._editor.set_word_wrap(values.word_wrap)
        elif name == "show_whitespace":
            self._editor.set_show_whitespace(values.show_whitespace)


class TokenView(TokenEditor):
    """A read-only text with its tokens, in the look of the prompt editor."""

    def __init__(self, theme: Theme, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        EditorLook(self, theme, settings)
