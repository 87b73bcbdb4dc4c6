"""The page Merges: a text, its pretokens, tables of the merges of one of them, and a player that steps through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject, QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFont, QHideEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QToolButton,
    QWidget,
)

from gui.core.token_text import visible
from gui.editor.token_editor import TokenEditor
from gui.look.fonts import fixed_font, set_weight
from gui.look.icons import Icons
from gui.look.style_sheet import plain_corner
from gui.look.theme import Theme
from gui.runtime.event_loop import WhenShown
from gui.state.settings import SettingsStore
from gui.tokenizers.merges.service import FROM_END, LONGEST, MergeForest, explained
from gui.tokenizers.merges.tree_view import MergeTreePane
from gui.tokenizers.train.feed import MAX_SHOWN_BYTES, Index, shown
from gui.widgets.delegates import PILLS_ROLE, WHOLE, Pill, PillDelegate, pair_pills
from gui.widgets.forms import Remark, SpinBox, column_of, label_of, restore_sizes, row_of, splitter_of
from gui.widgets.labels import PlainLabel
from gui.widgets.table_model import Column, TableModel
from gui.widgets.tables import CELL_PADDING, ROW_PADDING, StretchedTable, set_up_rows
from gui.widgets.tool_row import Chip, EncodingPicker, EncodingTools

if TYPE_CHECKING:
    from engine.analysis.merge_types import MergeState, PretokenTrace
    from gui.editor.offsets import TokenSpan
    from gui.tokenizers.merges.service import MergeReply

NEXT_SIGN = "▶"
CENTRE = Qt.AlignmentFlag.AlignCenter


def tr(text: str) -> str:
    """Translate in the context of the tables."""
    return QCoreApplication.translate("MergeWords", text)


def _pills_column(key: str, title: str, hint: str, pills: Callable[[Any, Any], tuple[Pill, ...]]) -> Column:
    """Return a column of tokens. ``pills``: returns those of a row."""

    def text(row: Any, table: Any) -> str:
        return " ".join(pill.text for pill in pills(row, table))

    return Column(key, title, hint, text, roles={PILLS_ROLE: pills})


class MergeTable(TableModel):
    """Table of merges, formatted when they are painted. The view of its columns is the table itself."""

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(columns, parent=parent, context="MergeWords", visible=False)
        self.content = b""
        self.write: Callable[[bytes], str] = shown

    @property
    def view(self) -> MergeTable:
        """The table itself."""
        return self

    def set_write(self, write: Callable[[bytes], str]) -> None:
        """Set the function that formats tokens."""
        self.write = write
        self.show(self.rows)

    def token(self, start: int, end: int) -> str:
        """Return a token of the pretoken as text. ``start``, ``end``: its byte offsets."""
        return self.write(self.content[start:end])

    def side(self, column: int) -> Qt.AlignmentFlag:
        return super().side(column) if column else CENTRE

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.AccessibleTextRole and index.isValid():
            return f"{self.title(index.column())}: {self.shown(index.row(), index.column()) or tr('no')}"
        return super().data(index, role)


# --- tables -----------------------------------------------------------------------------------------------------------

PAIR_COLUMNS = (
    Column(
        "next",
        QT_TRANSLATE_NOOP("MergeWords", "Next"),
        QT_TRANSLATE_NOOP("MergeWords", "▶: this pair is merged next"),
        lambda pair, table: NEXT_SIGN if table.is_next(pair) else "",
    ),
    _pills_column(
        "pair",
        QT_TRANSLATE_NOOP("MergeWords", "Pair"),
        QT_TRANSLATE_NOOP("MergeWords", "Two adjacent tokens"),
        lambda pair, table: pair_pills(
            table.token(pair.left.byte_start, pair.left.byte_end),
            table.token(pair.right.byte_start, pair.right.byte_end),
        ),
    ),
    Column(
        "id",
        QT_TRANSLATE_NOOP("MergeWords", "Would make"),
        QT_TRANSLATE_NOOP("MergeWords", "ID of the merged token"),
        lambda pair, _table: tr("no token") if pair.token_id is None else str(pair.token_id),
        numeric=True,
    ),
    Column(
        "rank",
        QT_TRANSLATE_NOOP("MergeWords", "Rank"),
        QT_TRANSLATE_NOOP("MergeWords", "The lowest rank merges next; ties go to the leftmost pair"),
        lambda pair, _table: "–" if pair.token_id is None else str(pair.rank),
        numeric=True,
    ),
)


class PairsModel(MergeTable):
    """Adjacent pairs after some merges: the next one to merge first, in bold, those that make no token last."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(PAIR_COLUMNS, parent)
        self._has_next = False

    def show_state(self, content: bytes, state: MergeState | None) -> None:
        """Show these pairs of a pretoken with this content."""
        self.content, self._has_next = content, state is not None and state.chosen is not None
        self.show(state.pairs if state is not None else ())

    def is_next(self, pair: object) -> bool:
        """Return True if a pair is merged next."""
        return self._has_next and pair is self.rows[0]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.FontRole and index.row() == 0 and self._has_next:
            font = QFont()
            set_weight(font)
            return font
        return super().data(index, role)


STEP_COLUMNS = (
    Column(
        "merge",
        QT_TRANSLATE_NOOP("MergeWords", "Merge"),
        QT_TRANSLATE_NOOP("MergeWords", "Merge number"),
        lambda row, _table: f"{row + 1:,}",
    ),
    _pills_column(
        "pair",
        QT_TRANSLATE_NOOP("MergeWords", "Pair"),
        QT_TRANSLATE_NOOP("MergeWords", "Pair"),
        lambda row, table: pair_pills(*(table.token(*span) for span in pairwise(table.spans[row]))),
    ),
    _pills_column(
        "token",
        QT_TRANSLATE_NOOP("MergeWords", "Token"),
        QT_TRANSLATE_NOOP("MergeWords", "Merged token"),
        lambda row, table: (Pill(table.token(table.spans[row][0], table.spans[row][2]), WHOLE),),
    ),
    Column(
        "id",
        QT_TRANSLATE_NOOP("MergeWords", "ID"),
        QT_TRANSLATE_NOOP("MergeWords", "ID of the merged token"),
        lambda row, table: str(table.trace.steps[row].token_id),
        numeric=True,
    ),
)


class StepsModel(MergeTable):
    """One row for each merge. A row is its index."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(STEP_COLUMNS, parent)
        self.trace: PretokenTrace | None = None
        self.spans: Sequence[tuple[int, int, int]] = ()

    def show_trace(self, trace: PretokenTrace | None, spans: Sequence[tuple[int, int, int]]) -> None:
        """Show the merges of a pretoken. ``spans``: byte offsets of each merge's left token, right token, and end."""
        if trace is self.trace:
            return
        self.trace, self.spans = trace, spans
        self.content = trace.content if trace is not None else b""
        self.show(range(len(trace.steps)) if trace is not None else ())


WIDEST = ("Merge ", "", "no token ", "1000000 ")


class MergeTableView(StretchedTable):
    """Table of merges or pairs.

    Signals: ``row_chosen(int)``: the user moved to another row.
    """

    row_chosen = Signal(int)

    def __init__(self, model: MergeTable, name: str, words: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setModel(model)
        self.setItemDelegate(PillDelegate(theme, self))
        self._showing = False
        self.setFont(fixed_font())
        set_up_rows(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(metrics.height() + ROW_PADDING)
        for column, widest in enumerate(WIDEST):
            if widest:
                self.setColumnWidth(column, metrics.horizontalAdvance(widest) + CELL_PADDING)
        self.selectionModel().currentRowChanged.connect(self._on_row)

    def show_row(self, row: int) -> None:
        """Select a row and scroll to it; -1 for none."""
        self._showing = True
        if 0 <= row < self.model().rowCount():
            self.setCurrentIndex(self.model().index(row, 0))
        else:
            self.selectionModel().clear()
            self.scrollToTop()
        self._showing = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())

    @Slot()
    def _on_row(self) -> None:
        if not self._showing and self.currentIndex().isValid():
            self.row_chosen.emit(self.currentIndex().row())


# --- player -----------------------------------------------------------------------------------------------------------

SPEEDS_MS = (1500, 700, 200)


class MergePlayer(QWidget):
    """Buttons that step through merges, and play them.

    Signals: ``step_asked(int)``: show this number of merges as done; ``speed_changed()``.
    """

    step_asked = Signal(int)
    speed_changed = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._last = 0
        self.step = SpinBox(self, objectName="mergeStep", accessibleName=self.tr("Merges applied"))
        self.step.setToolTip(self.tr("Number of merges applied"))
        self.step.setKeyboardTracking(False)
        self.step.setGroupSeparatorShown(True)
        self.total = PlainLabel(self)
        self.start = self._button("to_start", self.tr("Go to the start: single bytes"), "mergeStart")
        self.back = self._button("step_back", self.tr("Previous merge"), "mergeBack")
        self.play = self._button("play", self.tr("Play the merges"), "mergePlay")
        self.play.setCheckable(True)
        self.forward = self._button("step_forward", self.tr("Next merge"), "mergeForward")
        self.end = self._button("to_end", self.tr("Go to the end: the tokens"), "mergeEnd")
        self.speed = QComboBox(self, objectName="mergeSpeed", accessibleName=self.tr("Playback speed"))
        for words, pause in zip((self.tr("slow"), self.tr("medium"), self.tr("fast")), SPEEDS_MS, strict=True):
            self.speed.addItem(words, pause)
        self.speed.setCurrentIndex(1)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_tick)
        self._lay_out()
        self.start.clicked.connect(self._to_start)
        self.back.clicked.connect(self.step.stepDown)
        self.forward.clicked.connect(self.step.stepUp)
        self.end.clicked.connect(self._to_end)
        self.play.toggled.connect(self._on_play)
        self.step.valueChanged.connect(self._on_value)
        self.speed.currentIndexChanged.connect(self._on_speed)
        self.show_step(0, 0)

    @property
    def playing(self) -> bool:
        """True while merges are played."""
        return self._timer.isActive()

    def show_step(self, done: int, last: int) -> None:
        """Show that ``done`` of ``last`` merges are done."""
        self._last = last
        blocker = QSignalBlocker(self.step)
        self.step.setRange(0, last)
        self.step.setValue(done)
        blocker.unblock()
        self.total.setText(self.tr("of {n}").format(n=f"{last:,}"))
        self._enable()
        if done >= last:
            self.stop()

    @Slot()
    def stop(self) -> None:
        """Stop playing."""
        self.play.setChecked(False)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.stop()

    def _lay_out(self) -> None:
        row = row_of(self.start, self.back, self.play, self.forward, self.end, parent=self, spacing=3)
        row.addSpacing(8)
        row.addWidget(label_of(self.step, self.tr("&Merges done")))
        row.addWidget(self.step)
        row.addWidget(self.total)
        row.addSpacing(8)
        row.addWidget(self.speed)
        row.addStretch(1)

    def _button(self, icon: str, tip: str, name: str) -> QToolButton:
        button = QToolButton(self, objectName=name)
        button.setIcon(self._icons.icon(icon))
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        return button

    def _enable(self) -> None:
        done, last = self.step.value(), self._last
        for button in (self.start, self.back):
            button.setEnabled(done > 0)
        for button in (self.forward, self.end):
            button.setEnabled(done < last)
        self.play.setEnabled(last > 0)
        self.step.setEnabled(last > 0)

    @Slot()
    def _to_start(self) -> None:
        self.step.setValue(0)

    @Slot()
    def _to_end(self) -> None:
        self.step.setValue(self._last)

    @Slot(int)
    def _on_value(self, done: int) -> None:
        self._enable()
        self.step_asked.emit(done)

    @Slot(bool)
    def _on_play(self, playing: bool) -> None:
        if not playing:
            self._timer.stop()
            self.play.setIcon(self._icons.icon("play"))
            return
        if self.step.value() >= self._last:
            self.step.setValue(0)
        self.play.setIcon(self._icons.icon("pause"))
        self._timer.start(self.speed.currentData())

    @Slot()
    def _on_speed(self) -> None:
        self._timer.setInterval(self.speed.currentData())
        self.speed_changed.emit()

    @Slot()
    def _on_tick(self) -> None:
        self.step.stepUp()
        if self.step.value() >= self._last:
            self.stop()


# --- the page ---------------------------------------------------------------------------------------------------------

MAX_CHARACTERS = 20_000
"""Maximum length of the text, in characters: a line edit lays out all of it for every key."""
MAX_PARTS = 200
FIRST_TEXT = " strawberry"
STRIP_LINES, WHY_LINES = 2, 3


class MergesPanel(QWidget):
    """Page of the merges of one pretoken.

    Signals: ``asked()``: ``question()`` has changed; ``token_opened(int)``: the ID of a token of the tree;
    ``state_changed()``.
    """

    asked = Signal()
    token_opened = Signal(int)
    state_changed = Signal()

    def __init__(
        self,
        theme: Theme,
        icons: Icons,
        settings: SettingsStore,
        spelled: Callable[[bytes], str],
        parent: QWidget | None = None,
    ) -> None:
        """``spelled``: formats bytes in the byte alphabet of GPT-2."""
        super().__init__(parent)
        self._theme, self._icons, self._settings, self._spelled = theme, icons, settings, spelled
        self._pretoken, self._done = LONGEST, FROM_END
        self._note = ""
        self._reply: MergeReply | None = None
        self._make()
        self._lay_out()
        self.text.textChanged.connect(self._on_text)
        self.picker.chosen.connect(self._on_encoding)
        self.strip.caret_token_changed.connect(self._on_pretoken)
        self.strip.selectionChanged.connect(self.asked)
        self.player.step_asked.connect(self._on_step)
        self.player.speed_changed.connect(self.state_changed)
        self.steps_view.row_chosen.connect(self._on_row)
        self.tree.view.token_activated.connect(self.token_opened)
        theme.changed.connect(WhenShown(self, self._apply_look).ask)
        settings.changed.connect(self._on_setting)
        self._apply_look()

    # --- the request --------------------------------------------------------------------------------------------------

    def question(self) -> tuple[str, str, int, int, tuple[int, int] | None]:
        """Return encoding, text, index of the pretoken, number of merges done, and span to explain (UTF-16 units)."""
        start, end = self.strip.selected_range()
        span = (start, end) if start < end else None
        return self.picker.currentText(), self.text.text(), self._pretoken, self._done, span

    def show_text(self, text: str, note: str = "") -> None:
        """Show another text. ``note``: a remark on its origin."""
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        if len(text) > MAX_CHARACTERS:
            note = f"{note} {self._too_much()}".strip()
        blocker = QSignalBlocker(self.text)
        self.text.setText(text[:MAX_CHARACTERS])
        blocker.unblock()
        self.text.setCursorPosition(0)
        self._begin(note)

    def show_encoding(self, name: str) -> None:
        """Show the text in this encoding."""
        if name != self.picker.currentText():
            self.picker.show_name(name)
            self._begin(self._note)

    def _begin(self, note: str = "") -> None:
        """Request a new text or encoding, starting with its longest pretoken, fully merged."""
        self._pretoken, self._done, self._note = LONGEST, FROM_END, note
        self.player.stop()
        blocker = QSignalBlocker(self.strip)
        self.strip.select_range(0, 0)
        blocker.unblock()
        self.asked.emit()
        self.state_changed.emit()

    @Slot()
    def _on_text(self) -> None:
        self._begin(self._too_much() if len(self.text.text()) == MAX_CHARACTERS else "")

    @Slot(str)
    def _on_encoding(self, _name: str) -> None:
        self._begin(self._note)

    def _too_much(self) -> str:
        return self.tr("Only the first {n} characters are analysed.").format(n=f"{MAX_CHARACTERS:,}")

    @Slot(object)
    def _on_pretoken(self, span: TokenSpan | None) -> None:
        if span is not None and span.token_id != self._pretoken:
            self._pretoken, self._done = span.token_id, FROM_END
            self.player.stop()
            self.asked.emit()

    @Slot(int)
    def _on_step(self, done: int) -> None:
        self._done = done
        self.asked.emit()

    @Slot(int)
    def _on_row(self, row: int) -> None:
        self.player.stop()
        self._on_step(row + 1)

    # --- display ------------------------------------------------------------------------------------------------------

    def show_reply(self, reply: MergeReply) -> None:
        """Show the answer to the newest request."""
        before, self._reply = self._reply, reply
        opens = self._pretoken == LONGEST
        if opens:
            self._pretoken = reply.pretoken
        if before is None or before.text is not reply.text:
            self._show_text(reply)
        if opens and len(reply.text.cut):
            self._mark_pretoken(reply)
        trace, state = reply.trace, reply.state
        if before is None or before.forest is not reply.forest:
            self.tree.show_forest(reply.forest, self._caption(reply), self._hint(reply))
        self.remark.say(reply.problem or self._remark(reply), "error" if reply.problem else "")
        self.steps.show_trace(trace, reply.spans)
        content = trace.content if trace is not None else b""
        self.pairs.show_state(content, state)
        self.pairs_view.setVisible(bool(self.pairs.rowCount()))
        done = state.done if state is not None else 0
        last = len(trace.steps) if trace is not None else 0
        self.player.show_step(done, last)
        self.steps_view.show_row(done - 1)
        self.tree.view.set_step(done if last else None)
        parts = state.parts if state is not None else ()
        write = self._spelled if self.letters.isChecked() else visible
        words = "  ".join(write(content[part.byte_start : part.byte_end]) for part in parts[:MAX_PARTS])
        more = "  …" if len(parts) > MAX_PARTS else ""
        self.sequence.setText(words + more)
        self.sequence.setCursorPosition(0)
        label = self.tr("1 part:") if len(parts) == 1 else self.tr("{n} parts:").format(n=f"{len(parts):,}")
        self.sequence_label.setText(label)
        self.pairs_label.setText(self._pairs_text(reply))
        self.why.setPlainText("\n\n".join(explained(why, reply.tokens) for why in reply.whys))

    @Slot(bool)
    def _on_letters(self, on: bool) -> None:
        """Format tokens in the byte alphabet of GPT-2, or as in the rest of the program."""
        write = self._spelled if on else visible
        self.tree.view.set_write(write)
        for model in (self.pairs, self.steps):
            model.set_write((lambda data: self._spelled(data[:MAX_SHOWN_BYTES])) if on else shown)
        if self._reply is not None:
            self.show_reply(self._reply)
        self.state_changed.emit()

    def show_problem(self, why: str) -> None:
        """Show why the newest request has no answer."""
        self.remark.say(why, "error")

    def _show_text(self, reply: MergeReply) -> None:
        blocker = QSignalBlocker(self.strip)
        self.strip.load_text(reply.text.document, prepared=True)
        self.strip.apply_patch(self.strip.revision, reply.text.patch)
        blocker.unblock()

    def _mark_pretoken(self, reply: MergeReply) -> None:
        """Move the caret into the pretoken shown."""
        start, end = (int(reply.text.offsets[one]) for one in reply.text.cut.char_spans[reply.pretoken])
        inside = min(start + 1, end)
        blocker = QSignalBlocker(self.strip)
        self.strip.select_range(inside, inside)
        blocker.unblock()

    def _remark(self, reply: MergeReply) -> str:
        words = [self._note] if self._note else []
        if reply.text.cut.is_prepared:
            words.append(
                self.tr("This encoding normalizes the text before splitting it. The normalized text is shown.")
            )
        return " ".join(words)

    def _caption(self, reply: MergeReply) -> str:
        if reply.trace is None:
            return ""
        number, pretokens = len(reply.trace.ids), len(reply.text.cut)
        tokens = self.tr("1 token") if number == 1 else self.tr("{n} tokens").format(n=f"{number:,}")
        if pretokens == 1:
            return tokens
        position = self.tr("Pretoken {n} of {all}").format(n=f"{reply.pretoken + 1:,}", all=f"{pretokens:,}")
        return f"{position}: {tokens}"

    def _hint(self, reply: MergeReply) -> str:
        if reply.problem:
            return reply.problem
        if reply.text.cut.text:
            return self.tr("The split pattern drops all of this text: there is nothing to merge.")
        return self.tr("Type a word above to see how it is merged.")

    def _pairs_text(self, reply: MergeReply) -> str:
        state = reply.state
        if state is None or reply.trace is None:
            return self.tr("Competing pairs")
        if reply.trace.is_looked_up:
            return self.tr("A whole token, looked up without merges")
        if state.chosen is None:
            return self.tr("Done: no remaining pair makes a token")
        words = self.tr("Competing pairs for merge {n}").format(n=f"{state.done + 1:,}")
        if state.pairs_left_out:
            words += self.tr(", the first of {n}").format(n=f"{len(state.pairs) + state.pairs_left_out:,}")
        return words

    # --- session ------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the user's choices as JSON data."""
        return {
            "text": self.text.text(),
            "encoding": self.picker.currentText(),
            "letters": self.letters.isChecked(),
            "speed": self.player.speed.currentIndex(),
            "sizes": self.columns.sizes(),
        }

    def restore_state(self, state: dict[str, Any], encoding: str) -> None:
        """Restore the choices from ``state``. ``encoding``: the default."""
        name, text, speed = (state.get(key) for key in ("encoding", "text", "speed"))
        self.picker.show_name(name if isinstance(name, str) and name else encoding)
        self.letters.setChecked(state.get("letters") is True)
        if isinstance(speed, int) and 0 <= speed < self.player.speed.count():
            self.player.speed.setCurrentIndex(speed)
        restore_sizes(self.columns, state.get("sizes"))
        self.show_text(text if isinstance(text, str) else FIRST_TEXT)

    # --- appearance ---------------------------------------------------------------------------------------------------

    def _make(self) -> None:
        fixed = fixed_font()
        self.text = QLineEdit(objectName="mergeText", accessibleName=self.tr("Text to merge"))
        self.text.setPlaceholderText(self.tr("A word or any text"))
        self.text.setMaxLength(MAX_CHARACTERS)
        self.text.setFont(fixed)
        self.picker = EncodingPicker(self)
        self.picker.setObjectName("mergeEncoding")
        self.picker.setAccessibleName(self.tr("Encoding"))
        self.tools = EncodingTools("mergesTools", self.picker)
        self.remark = Remark()
        self.strip = TokenEditor(self)
        self.strip.setObjectName("mergePretokens")
        self.strip.setAccessibleName(self.tr("Pretokens"))
        self.strip.setReadOnly(True)
        self.strip.setCornerWidget(plain_corner(self.strip))
        self.strip.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.strip.setToolTip(
            self.tr("Click a pretoken to see its merges; select part of it to see why it is not one token")
        )
        self.strip.setFont(fixed)
        self.strip.setFixedHeight(self.strip.fontMetrics().lineSpacing() * STRIP_LINES + 18)
        self.player = MergePlayer(self._icons, self)
        self.sequence = QLineEdit(objectName="mergeSequence", readOnly=True)
        self.sequence.setAccessibleName(self.tr("Parts after these merges"))
        self.sequence.setFont(fixed)
        self.sequence_label = PlainLabel()
        self.pairs, self.steps = PairsModel(self), StepsModel(self)
        self.pairs_label = PlainLabel()
        self.pairs_view = MergeTableView(
            self.pairs, "mergePairs", self.tr("Competing pairs for the next merge"), self._theme
        )
        self.steps_view = MergeTableView(self.steps, "mergeSteps", self.tr("Merges, in order"), self._theme)
        self.steps_view.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.tree = MergeTreePane(self._theme, self)
        self.letters = Chip("mergeLetters", self.tr("GPT-&2 style"), self.tr("Show bytes GPT-2 style (Ġ for a space)"))
        self.letters.toggled.connect(self._on_letters)
        self.why = QPlainTextEdit(objectName="mergeWhy", readOnly=True)
        self.why.setAccessibleName(self.tr("Is this one token?"))
        self.why.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.why.setTabChangesFocus(True)
        self.strip.setTabChangesFocus(True)
        self.why.setFixedHeight(self.why.fontMetrics().lineSpacing() * WHY_LINES + 14)

    def _lay_out(self) -> None:
        head = row_of(label_of(self.text, self.tr("Te&xt")), (self.text, 1), self.letters, spacing=8)
        steps = row_of(self.player, self.sequence_label, (self.sequence, 1), spacing=8)
        tables = QWidget()
        column_of(
            self.pairs_label,
            (self.pairs_view, 1),
            PlainLabel(self.tr("All merges"), role="strong"),
            (self.steps_view, 1),
            parent=tables,
            spacing=4,
        )
        row = self.steps_view.verticalHeader().defaultSectionSize()
        self.steps_view.setMinimumHeight(self.steps_view.horizontalHeader().sizeHint().height() + row + 4)
        self.columns = splitter_of("mergeColumns", tables, self.tree, (380, 620))
        self.columns.splitterMoved.connect(self.state_changed)
        column_of(
            head,
            self.remark,
            self.strip,
            steps,
            (self.columns, 1),
            PlainLabel(self.tr("Is this one token?"), role="strong"),
            self.why,
            parent=self,
            margins=(16, 8, 12, 8),
            spacing=6,
        )
        self.tree.show_forest(MergeForest())
        player = self.player
        buttons = (player.start, player.back, player.play, player.forward, player.end)
        order = (self.text, self.letters, self.strip, *buttons, player.step, player.speed, self.sequence)
        for before, after in pairwise((*order, self.pairs_view, self.steps_view, *self.tree.tab_order, self.why)):
            QWidget.setTabOrder(before, after)

    @Slot()
    def _apply_look(self) -> None:
        self.strip.set_palette(self._theme.token_palette(self._settings.values.token_colours))

    @Slot(str)
    def _on_setting(self, name: str) -> None:
        if name == "token_colours":
            self._apply_look()
