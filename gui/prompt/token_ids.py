"""Token IDs of the prompt: below its tokens, as a list in four formats, converted back to text; actions on tokens."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QFrame,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTabBar,
    QToolButton,
    QWidget,
)

from gui.editor.soft_text_edit import SoftTextEdit
from gui.look.fonts import fixed_font
from gui.look.icons import Icons
from gui.look.quantities import figure
from gui.look.style_sheet import give_kind
from gui.look.theme import Theme
from gui.prompt.prompt import Prompt
from gui.prompt.prompt_panel import BOTH, TEXT
from gui.prompt.token_service import FORMS, Arranging, IdRows, IdsText, RowsRequest, decode_ids, label_of, written
from gui.state.settings import SettingsStore
from gui.widgets.forms import column_of, row_of
from gui.widgets.labels import PlainLabel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gui.editor.offsets import TokenSpan
    from gui.prompt.prompt_panel import PromptPanel
    from gui.runtime.jobs import JobFailure, JobResult
    from gui.widgets.page_controller import AppContext

GAP = 3
MARGIN = 10
RADIUS = 3.0
SMALLER = 2.0
MAX_ROWS = 1 << 24
PREVIEWED = 200
"""Number of IDs written into the field."""
READ_AFTER_MS = 150
MIN_LINES = 4
MENU = ("copy_token_id", "copy_ids", "show_in_vocabulary", "show_merges", "why_not_one_token")
"""Actions that the editor's context menu adds to Qt's own."""
_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class IdsList(QAbstractScrollArea):
    """List of tokens above their IDs (``show_text`` on), or of IDs alone in columns.

    Signals: ``columns_changed(int)``: number of columns that fit into a row; ``token_chosen(int, int)``: start and end
    (exclusive) of the selection, from a click or a key; ``copy_asked()``.
    """

    columns_changed = Signal(int)
    token_chosen = Signal(int, int)
    copy_asked = Signal()

    def __init__(self, prompt: Prompt, theme: Theme, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._prompt, self._theme, self._settings = prompt, theme, settings
        self._ids: NDArray[np.int32] | None = None
        self._rows: IdRows | None = None
        self._show_text = True
        self._columns = 0
        self._digits = 1
        self._anchor, self._at = -1, -1
        self.setObjectName("idsList")
        self.setAccessibleName(self.tr("Token IDs of the prompt"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(self.Shape.NoFrame)
        self._label = lru_cache(4096)(self._make_label)
        theme.changed.connect(self._take_look)
        settings.changed.connect(self._take_look)
        self._take_look()

    # Content

    @property
    def show_text(self) -> bool:
        """True if tokens are shown above their IDs."""
        return self._show_text

    @property
    def columns(self) -> int:
        """Number of columns of the fixed-pitch font that fit into a row."""
        return max(8, int((self.viewport().width() - self._numbers_width() - 2 * MARGIN) / self._column))

    @property
    def row_count(self) -> int:
        """Number of rows."""
        if self._ids is None:
            return 0
        if self._show_text:
            return 0 if self._rows is None else len(self._rows.rows) - 1
        return -(-len(self._ids) // self._per_row())

    def set_show_text(self, on: bool) -> None:
        """Show tokens above their IDs, or the IDs alone."""
        self._show_text = on
        self._fit()

    def set_ids(self, ids: NDArray[np.int32]) -> None:
        """Show these IDs; their tokens appear after ``set_rows``."""
        self._ids, self._rows = ids, None
        self._digits = len(str(int(ids.max()))) if len(ids) else 1
        self._anchor = self._at = -1
        self._label.cache_clear()
        self._fit()

    def set_rows(self, rows: IdRows) -> None:
        """Arrange the IDs shown in these rows."""
        self._rows = rows
        self._fit()
        self._reveal(self._at)

    def select(self, first: int, last: int) -> None:
        """Select the tokens from ``first`` up to, not including, ``last``; one token if both are equal."""
        self._anchor, self._at = first, max(first, last - 1)
        self._describe()
        self._reveal(self._at)
        self.viewport().update()

    @property
    def selection(self) -> tuple[int, int]:
        """Start and end (exclusive) of the selected tokens; both -1 if none is selected."""
        if self._at < 0:
            return -1, -1
        return min(self._anchor, self._at), max(self._anchor, self._at) + 1

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            painter.fillRect(event.rect(), self._palette.base)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self._ids is None or not self.row_count:
                return
            top = self.verticalScrollBar().value()
            first = max(0, (event.rect().top() + top - MARGIN) // self._row_height)
            last = min(self.row_count, (event.rect().bottom() + top - MARGIN) // self._row_height + 1)
            for row in range(first, last):
                y = MARGIN + row * self._row_height - top
                if self._show_text:
                    self._paint_row(painter, row, y)
                else:
                    self._paint_ids(painter, row, y)

    def _paint_row(self, painter: QPainter, row: int, y: int) -> None:
        assert self._rows is not None
        line = int(self._rows.lines[row])
        if line:
            painter.setPen(self._theme.colour("stale"))
            painter.setFont(self._small)
            area = QRectF(0, y, self._numbers_width() - MARGIN, self._row_height - 2 * GAP)
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, str(line))
        for rect, pill in self._pills(row, y):
            self._paint_pill(painter, rect, pill)

    def _pills(self, row: int, y: int) -> list[tuple[QRectF, int]]:
        """Return the rectangle and the index of each pill of a row."""
        assert self._rows is not None
        x, found = float(self._numbers_width()), []
        height = self._row_height - 2 * GAP
        for pill in range(int(self._rows.rows[row]), int(self._rows.rows[row + 1])):
            width = float(self._rows.widths[pill]) * self._column
            found.append((QRectF(x, y, width - GAP, height), pill))
            x += width
        return found

    def _paint_pill(self, painter: QPainter, rect: QRectF, pill: int) -> None:
        assert self._rows is not None
        assert self._ids is not None
        first, last = int(self._rows.pills[pill]), int(self._rows.pills[pill + 1])
        fills = self._palette.fills
        selected = self._selects(first, last)
        painter.setPen(QPen(self._palette.current, 1.5) if selected else QPen(self._palette.boundary, 0.5))
        painter.setBrush(self._palette.base if fills is None else fills[pill % 2])
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        ids = tuple(self._ids[first:last].tolist())
        half = rect.height() / 2
        painter.setPen(self._palette.text)
        painter.setFont(self._font)
        painter.drawText(rect.adjusted(2, 1, -2, -half + 2), _CENTRE, self._label(ids))
        painter.setFont(self._small)
        painter.setPen(self._theme.colour("stale"))
        painter.drawText(rect.adjusted(2, half, -2, -2), _CENTRE, " ".join(map(str, ids)))

    def _paint_ids(self, painter: QPainter, row: int, y: int) -> None:
        assert self._ids is not None
        per_row, width = self._per_row(), self._cell_width()
        first = row * per_row
        fills = self._palette.fills
        painter.setFont(self._small)
        painter.setPen(self._theme.colour("stale"))
        area = QRectF(0, y, self._numbers_width() - MARGIN, self._row_height - GAP)
        painter.drawText(area, _RIGHT, figure(self.locale(), first + 1))
        painter.setFont(self._font)
        for column, token_id in enumerate(self._ids[first : first + per_row].tolist()):
            rect = QRectF(self._numbers_width() + column * width, y, width - GAP, self._row_height - GAP)
            index = first + column
            if self._selects(index, index + 1):
                painter.setPen(QPen(self._palette.current, 1.5))
                painter.setBrush(QColor(Qt.GlobalColor.transparent) if fills is None else fills[index % 2])
                painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
            painter.setPen(self._palette.text)
            painter.drawText(rect.adjusted(0, 0, -4, 0), _RIGHT, str(token_id))

    def _selects(self, first: int, last: int) -> bool:
        low, high = self.selection
        return low >= 0 and first < high and low < last

    def _make_label(self, ids: tuple[int, ...]) -> str:
        entries = [self._prompt.entry(token_id) for token_id in ids]
        return label_of(b"".join(entry.token_bytes for entry in entries if entry is not None))

    # Measures

    @Slot()
    def _take_look(self) -> None:
        values = self._settings.values
        self._palette = self._theme.token_palette(values.token_colours)
        self._font = fixed_font(values.font_size, values.font_family)
        self._small = fixed_font(values.font_size, values.font_family)
        self._small.setPointSizeF(max(6.0, values.font_size - SMALLER))
        self._column = QFontMetricsF(self._font).horizontalAdvance("0" * 100) / 100
        self._fit()

    def _numbers_width(self) -> int:
        rows = 0 if self._rows is None else len(self._rows.rows)
        count = rows if self._show_text else 0 if self._ids is None else len(self._ids)
        return round(self._column * max(3, len(f"{count:,}"))) + 2 * MARGIN

    def _cell_width(self) -> float:
        return self._column * (self._digits + 2)

    def _per_row(self) -> int:
        width = self.viewport().width() - self._numbers_width() - MARGIN
        per_row = max(1, int(width / self._cell_width()))
        return per_row - per_row % 5 if per_row > 10 else per_row

    def _fit(self) -> None:
        line = QFontMetricsF(self._font).height()
        small = QFontMetricsF(self._small).height()
        self._row_height = round(line + small + 2 * GAP + 4) if self._show_text else round(line + 2 * GAP)
        bar = self.verticalScrollBar()
        bar.setSingleStep(self._row_height)
        bar.setPageStep(self.viewport().height())
        height = 2 * MARGIN + min(self.row_count, MAX_ROWS) * self._row_height
        bar.setRange(0, max(0, height - self.viewport().height()))
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        if self.columns != self._columns:
            self._columns = self.columns
            self.columns_changed.emit(self._columns)

    # Selection

    def row_of(self, index: int) -> int:
        """Return the row of a token, or -1 if it is in none."""
        if self._ids is None or not 0 <= index < len(self._ids):
            return -1
        if not self._show_text:
            return index // self._per_row()
        if self._rows is None:
            return -1
        pill = int(self._rows.pills.searchsorted(index, "right")) - 1
        return int(self._rows.rows.searchsorted(pill, "right")) - 1

    def token_under(self, point: QPoint) -> int:
        """Return the token at a point of the viewport, or -1 if there is none."""
        row = (point.y() + self.verticalScrollBar().value() - MARGIN) // self._row_height
        if self._ids is None or not 0 <= row < self.row_count:
            return -1
        if not self._show_text:
            column = int((point.x() - self._numbers_width()) / self._cell_width())
            index = row * self._per_row() + column
            return index if 0 <= column < self._per_row() and index < len(self._ids) else -1
        assert self._rows is not None
        under = (pill for rect, pill in self._pills(row, 0) if rect.left() <= point.x() < rect.right() + GAP)
        return next((int(self._rows.pills[pill]) for pill in under), -1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.token_under(event.position().toPoint())
        if index >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self._go(index, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self.token_under(event.position().toPoint())
        if index >= 0 and event.buttons() & Qt.MouseButton.LeftButton:
            self._go(index, extend=True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        elif event.key() in steps and self._ids is not None and len(self._ids):
            index = min(max(self._at + steps[event.key()], 0), len(self._ids) - 1)
            self._go(index, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)

    def _go(self, index: int, *, extend: bool) -> None:
        self._at = index
        if not extend or self._anchor < 0:
            self._anchor = index
        self._describe()
        self._reveal(index)
        self.viewport().update()
        self.token_chosen.emit(*self.selection)

    def _reveal(self, index: int) -> None:
        row = self.row_of(index)
        if row >= 0:
            top, bar = MARGIN + row * self._row_height, self.verticalScrollBar()
            if top < bar.value():
                bar.setValue(top)
            elif top + self._row_height > bar.value() + self.viewport().height():
                bar.setValue(top + self._row_height - self.viewport().height())

    def _describe(self) -> None:
        if self._ids is None or not 0 <= self._at < len(self._ids):
            self.setAccessibleDescription("")
            return
        token_id = int(self._ids[self._at])
        words = self.tr("Token {n} of {count}: ID {id}, {text}").format(
            n=self._at + 1, count=len(self._ids), id=token_id, text=self._label((token_id,))
        )
        self.setAccessibleDescription(words)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_palette"):
            self._take_look()


class IdsPanel(QWidget):
    """Token IDs of the prompt, with their actions.

    Signals: ``copy_asked()``; ``paste_asked()``: IDs are to be converted to text.
    """

    copy_asked = Signal()
    paste_asked = Signal()

    def __init__(self, prompt: Prompt, theme: Theme, settings: SettingsStore, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._ids: NDArray[np.int32] | None = None
        self._name = ""
        self.setObjectName("idsView")
        self.setAccessibleName(self.tr("Token IDs"))
        self.list = IdsList(prompt, theme, settings, self)
        self.list.setMinimumHeight(self.list.fontMetrics().lineSpacing() * MIN_LINES)
        self._title = PlainLabel(self, objectName="idsTitle", role="strong")
        self.forms = QTabBar(self, objectName="idsForm", accessibleName=self.tr("Form of the IDs"))
        self.forms.setProperty("kind", "segments")
        self.forms.setDrawBase(False)
        titles = {"json": "JSON", "csv": "CSV", "python": "Python", "plain": self.tr("Plain")}
        for form in FORMS:
            self.forms.addTab(titles[form])
        self.preview = QLineEdit(self, objectName="idsPreview", readOnly=True, accessibleName=self.tr("IDs to copy"))
        self.preview.setFont(fixed_font(settings.values.font_size, settings.values.font_family))
        self.copy = QPushButton(icons.icon("copy"), self.tr("&Copy all"), self, objectName="copyIds")
        give_kind(self.copy, "primary")
        self.paste = QPushButton(self.tr("Paste &IDs…"), self, objectName="pasteIds")
        self.paste.setProperty("kind", "quiet")
        self.paste.setToolTip(self.tr("Turn token IDs into text"))
        self._lay_out()
        self.copy.clicked.connect(self.copy_asked)
        self.list.copy_asked.connect(self.copy_asked)
        self.list.token_chosen.connect(self._show_figures)
        self.paste.clicked.connect(self.paste_asked)
        self.forms.currentChanged.connect(self._show_figures)

    def _lay_out(self) -> None:
        above = row_of((self._title, 1), self.forms)
        below = row_of((self.preview, 1), self.copy, self.paste)
        foot = column_of(above, below, margins=(16, 6, 12, 8), spacing=6)
        column_of((self.list, 1), foot, parent=self, spacing=0)

    @property
    def form(self) -> str:
        """Format in which IDs are copied."""
        return FORMS[self.forms.currentIndex()]

    def set_ids(self, ids: NDArray[np.int32], encoding: str) -> None:
        """Show the IDs of the prompt."""
        self._ids, self._name = ids, encoding
        self.list.set_ids(ids)
        self._show_figures()

    def chosen_ids(self) -> NDArray[np.int32] | None:
        """Return the selected IDs if several are selected, else all; None before there are any."""
        first, last = self.list.selection
        if self._ids is None or last - first < 2:
            return self._ids
        return self._ids[first:last]

    @Slot()
    def _show_figures(self) -> None:
        ids = self.chosen_ids()
        if ids is None:
            return
        some = self._ids is not None and len(ids) < len(self._ids)
        words = self.tr("{n} selected IDs of {encoding}") if some else self.tr("{n} IDs of {encoding}")
        self._title.setText(words.format(n=figure(self.locale(), len(ids)), encoding=self._name))
        self.copy.setText(self.tr("&Copy selected") if some else self.tr("&Copy all"))
        text = written(ids[:PREVIEWED], self.form)
        self.preview.setText(text if len(ids) <= PREVIEWED else text.removesuffix("]") + " …")
        self.preview.setCursorPosition(0)


class IdsToText(QFrame):
    """Panel that converts IDs to text: the IDs on one side, their text on the other.

    Signals: ``read_asked(str)``: the IDs in the field have changed; ``insert_asked()``: put ``decoded`` at the caret;
    ``copy_asked()``; ``closed()``.
    """

    read_asked = Signal(str)
    insert_asked = Signal()
    copy_asked = Signal()
    closed = Signal()

    def __init__(self, settings: SettingsStore, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self.decoded = ""
        self.setObjectName("idsToText")
        self.setAccessibleName(self.tr("IDs to text"))
        self.ids, self.text = SoftTextEdit(self), SoftTextEdit(self)
        self.ids.setObjectName("pastedIds")
        self.ids.setAccessibleName(self.tr("Token IDs"))
        self.ids.setPlaceholderText(self.tr("Paste token IDs: JSON, CSV, or separated by spaces"))
        self.text.setObjectName("textOfIds")
        self.text.setAccessibleName(self.tr("Text of the IDs"))
        self.text.setReadOnly(True)
        for field in (self.ids, self.text):
            field.setFont(fixed_font(settings.values.font_size, settings.values.font_family))
            field.setTabChangesFocus(True)
        self.message = PlainLabel(self, objectName="idsMessage", wordWrap=True)
        self.insert = QPushButton(self.tr("Insert in &prompt"), self, objectName="insertIdsText")
        give_kind(self.insert, "primary")
        self.copy = QPushButton(self.tr("Cop&y text"), self, objectName="copyIdsText")
        self.copy.setProperty("kind", "secondary")
        self.close_button = QToolButton(self, objectName="closeIdsToText")
        self.close_button.setProperty("kind", "icon")
        self.close_button.setAutoRaise(True)
        self.close_button.setIcon(icons.icon("close"))
        self.close_button.setAccessibleName(self.tr("Close IDs to text"))
        self.close_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._timer = QTimer(self, singleShot=True, interval=READ_AFTER_MS)
        self._timer.timeout.connect(self._ask)
        self.ids.textChanged.connect(self._timer.start)
        self.insert.clicked.connect(self.insert_asked)
        self.copy.clicked.connect(self.copy_asked)
        self.close_button.clicked.connect(self.closed)
        self._lay_out()
        self._show_state(ready=False)

    def _lay_out(self) -> None:
        title = PlainLabel(self.tr("IDs to text"), self, role="strong")
        above = row_of((title, 1), self.close_button)
        below = row_of((self.message, 1), self.copy, self.insert)
        split = QSplitter(self, childrenCollapsible=False)
        split.addWidget(self.ids)
        split.addWidget(self.text)
        column_of(above, (split, 1), below, parent=self, margins=(16, 6, 12, 8))
        self.setFixedHeight(self.fontMetrics().lineSpacing() * 10)

    @Slot()
    def open(self) -> None:
        """Show the panel and focus the field for IDs."""
        self.show()
        self.ids.setFocus()
        self._timer.start()

    def show_text(self, of: str, found: IdsText) -> None:
        """Show the text of the IDs ``of``, and the invalid IDs."""
        if of != self.ids.toPlainText():
            return
        self.decoded = found.text
        self.text.load_text(found.text)
        number = self.locale().toString
        if found.bad:
            bad = "; ".join(
                self.tr("“{id}”, number {n}").format(id=bad.text, n=number(bad.number)) for bad in found.bad
            )
            more = found.bad_count - len(found.bad)
            words = self.tr("Not IDs of this encoding: {bad}") + (self.tr(" and {n} more") if more else "") + "."
            self.message.setText(words.format(bad=bad, n=number(more)))
        elif found.broken:
            self.message.setText(self.tr("The IDs start or end inside a character, shown as “�”."))
        elif found.count and not found.same_again:
            self.message.setText(self.tr("Encoding this text again gives other IDs."))
        else:
            self.message.setText(self.tr("{n} IDs").format(n=number(found.count)) if found.count else "")
        self._show_state(ready=bool(found.text) and not found.bad)

    def _show_state(self, *, ready: bool) -> None:
        self.insert.setEnabled(ready)
        self.copy.setEnabled(ready)

    @Slot()
    def _ask(self) -> None:
        if self.ids.is_loading:
            self._timer.start()
        elif self.isVisible():
            self.read_asked.emit(self.ids.toPlainText())


class IdsController(QObject):
    """Controller of token IDs on the page Text. IDs are read from the editor only while they are shown."""

    def __init__(self, panel: PromptPanel, context: AppContext) -> None:
        super().__init__(panel)
        self._panel, self._prompt, self._notifier = panel, panel.prompt, context.notifier
        runner, open_encoding = context.jobs, context.encodings.open
        self._arranging = runner.conflated(self.tr("Arranging token IDs"), Arranging(open_encoding).answer)
        self._copying = runner.conflated(
            self.tr("Copying token IDs"), lambda request, ticket: written(*request, ticket)
        )
        self._reading = runner.conflated(self.tr("Reading token IDs"), partial(decode_ids, open_encoding))
        self._shown: tuple[int, str, bool] | None = None
        self._tokens: RowsRequest | None = None
        self.view = IdsPanel(panel.prompt, panel.theme, panel.settings, panel.icons, panel)
        self.to_text = IdsToText(panel.settings, panel.icons, panel)
        panel.add_views(self.view, self.to_text)
        panel.tools.mode_chosen.connect(self._on_mode)
        self._prompt.counted.connect(self._refresh)
        self.view.list.columns_changed.connect(self._arrange)
        self.view.list.token_chosen.connect(self._select)
        self.view.copy_asked.connect(self.copy)
        self.view.paste_asked.connect(self.to_text.open)
        self.to_text.read_asked.connect(self._read)
        self.to_text.insert_asked.connect(self._insert)
        self.to_text.copy_asked.connect(self._copy_text)
        self.to_text.closed.connect(self._close)
        self._arranging.finished.connect(self._on_arranged)
        self._copying.finished.connect(self._on_copied)
        self._reading.finished.connect(self._on_read)
        for lane in (self._arranging, self._copying, self._reading):
            lane.failed.connect(self._on_failed)
        self._on_mode(panel.tools.mode)

    # --- showing IDs -------------------------------------------------------------------------------------------------

    @Slot(str)
    def _on_mode(self, mode: str) -> None:
        self._panel.show_editor(mode == TEXT)
        self.view.setVisible(mode != TEXT)
        if mode != TEXT:
            self.view.list.set_show_text(mode == BOTH)
            self._refresh()
            self.view.list.select(*self._panel.editor.selected_tokens())
            self.view.list.setFocus()

    @Slot()
    def _refresh(self) -> None:
        """Show the IDs of the current text once they are known."""
        counts = self._prompt.counts
        if self._panel.tools.mode == TEXT or counts is None or self._prompt.stale:
            return
        state = (counts.revision, counts.encoding, counts.special_as_tokens)
        tokens = self._panel.editor.token_ids()
        if state == self._shown or tokens is None:
            self._arrange()
            return
        self._shown = state
        self._tokens = RowsRequest(counts.encoding, *tokens, columns=0)
        self.view.set_ids(tokens[0], counts.encoding)
        self._arrange()

    @Slot()
    def _arrange(self) -> None:
        if self._tokens is not None and self._panel.tools.mode == BOTH:
            self._arranging.submit(self._tokens._replace(columns=self.view.list.columns))

    @Slot(object)
    def _on_arranged(self, result: JobResult) -> None:
        if self._tokens is not None and result.request.ids is self._tokens.ids:
            self.view.list.set_rows(result.value)

    @Slot(int, int)
    def _select(self, first: int, last: int) -> None:
        editor = self._panel.editor
        start, end = editor.token(first), editor.token(last - 1)
        if start is not None and end is not None:
            editor.select_range(start.utf16_start, end.utf16_end)

    # --- copying ------------------------------------------------------------------------------------------------------

    @Slot()
    def copy(self) -> None:
        """Copy the IDs that are selected in the list, or all."""
        ids = self.view.chosen_ids()
        if ids is not None:
            self._copying.submit((ids, self.view.form))

    @Slot()
    def copy_selection(self) -> None:
        """Copy the IDs of the editor's selection or, without one, of the whole prompt."""
        tokens = self._panel.editor.token_ids()
        if tokens is None:
            self._notifier.remark(self.tr("Still counting tokens."))
            return
        first, last = self._panel.editor.selected_tokens()
        self._copying.submit((tokens[0][first:last] if last > first else tokens[0], self.view.form))

    @Slot(object)
    def _on_copied(self, result: JobResult) -> None:
        QApplication.clipboard().setText(result.value)
        count = figure(self._panel.locale(), len(result.request[0]))
        self._notifier.remark(self.tr("Copied {n} token IDs").format(n=count))

    # --- IDs to text --------------------------------------------------------------------------------------------------

    @Slot(str)
    def _read(self, pasted: str) -> None:
        self._reading.submit((pasted, self._prompt.encoding))

    @Slot(object)
    def _on_read(self, result: JobResult) -> None:
        self.to_text.show_text(result.request[0], result.value)

    @Slot()
    def _insert(self) -> None:
        self._panel.tools.show_mode(TEXT)
        self._panel.editor.insertPlainText(self.to_text.decoded)
        self._panel.editor.setFocus()

    @Slot()
    def _copy_text(self) -> None:
        QApplication.clipboard().setText(self.to_text.decoded)
        self._notifier.remark(self.tr("Copied the text"))

    @Slot()
    def _close(self) -> None:
        self.to_text.hide()
        (self._panel.editor if self._panel.tools.mode == TEXT else self.view.list).setFocus()

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self._notifier.error(self.tr("Could not show token IDs: {why}.").format(why=failure.why), key="ids")


class TokenActions(QObject):
    """Actions on tokens, also in the editor's context menu."""

    def __init__(self, context: AppContext, ids: IdsController) -> None:
        super().__init__(context.pages)
        self._context = context
        self._actions = act = context.window.actions_by_name
        editor = context.prompt.editor
        act["copy_token_id"].triggered.connect(self._copy_id)
        act["copy_ids"].triggered.connect(ids.copy_selection)
        act["show_in_vocabulary"].triggered.connect(self._show_in_vocabulary)
        act["why_not_one_token"].triggered.connect(self._explain)
        for name in MENU:
            if act[name] not in editor.actions():
                editor.addAction(act[name])
        editor.caret_token_changed.connect(self._on_caret_token)
        self._on_caret_token(self._token())

    def _token(self) -> TokenSpan | None:
        """Return the token at the caret, or the first of the selection."""
        editor = self._context.prompt.editor
        return editor.token_at(editor.selected_range()[0])

    @Slot(object)
    def _on_caret_token(self, span: TokenSpan | None) -> None:
        for name in ("copy_token_id", "show_in_vocabulary", "why_not_one_token"):
            self._actions[name].setEnabled(span is not None)

    @Slot()
    def _copy_id(self) -> None:
        span = self._token()
        if span is not None:
            QApplication.clipboard().setText(str(span.token_id))
            self._context.notifier.remark(self.tr("Copied ID {id}").format(id=span.token_id))

    @Slot()
    def _show_in_vocabulary(self) -> None:
        span, vocabulary = self._token(), self._context.pages.vocabulary
        if span is not None and vocabulary is not None:
            vocabulary.show_token(self._context.prompt.encoding, span.token_id)

    @Slot()
    def _explain(self) -> None:
        """Show the merges of the selection or of the word at the caret, with the focus on the explanation."""
        merges = self._context.pages.merges
        if merges is not None:
            merges.show_selection()
            merges.build().why.setFocus()
