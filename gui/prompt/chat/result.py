"""Counts of requests.

For one request: its parts with their count quality, and the rendered text with one kind of part highlighted. For a file
of requests: totals, the lines with the most tokens, and the invalid lines.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale, QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QPushButton, QSplitter, QTableView, QWidget

from gui.core.token_text import visible_line
from gui.editor.token_editor import TokenView
from gui.look.fonts import set_weight
from gui.look.quantities import figure
from gui.look.style_sheet import give_role
from gui.look.theme import Theme
from gui.state.settings import SettingsStore
from gui.widgets.bars import SQUARE, Part, PartsBar, ProgressBar
from gui.widgets.delegates import part_text_from_figures
from gui.widgets.forms import FlowLayout, Remark, column_of, row_of
from gui.widgets.labels import PlainLabel, wrapped_label
from gui.widgets.table_model import Column, TableModel
from gui.widgets.tables import StretchedTable, set_up_rows
from gui.widgets.tool_row import Chip

if TYPE_CHECKING:
    from engine.requests.lines import LinesReport, LineTokens
    from engine.requests.types import Message, SpecialText, Tally
    from engine.requests.types import Part as RequestPart
    from gui.prompt.chat.service import CountedLines, RequestPiece, RequestReply
    from gui.runtime.jobs import JobProgress

KIND_WORDS = {
    "overhead": QT_TRANSLATE_NOOP("Request", "overhead"),
    "tools": QT_TRANSLATE_NOOP("Request", "tools"),
    "images": QT_TRANSLATE_NOOP("Request", "images"),
    "text": QT_TRANSLATE_NOOP("Request", "text"),
}
GRADE_WORDS = {
    "exact": QT_TRANSLATE_NOOP("Request", "exact"),
    "formula": QT_TRANSLATE_NOOP("Request", "formula"),
    "estimate": QT_TRANSLATE_NOOP("Request", "estimate"),
}
MAX_NAMED = 4
"""Maximum number of paths that are named."""
MAX_KINDS = 12
"""Maximum number of kinds of uncounted parts that are named."""
CHIP_GAP = 6
ROLES = ("rival_2", "rival_1", "star", "bar")
"""Colours of the theme, in the order of the parts."""


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("Request", text)


def kind_word(kind: str) -> str:
    """Return the name of a kind of part."""
    return tr(KIND_WORDS[kind])


def breakdown(parts: Iterable[RequestPart], locale: QLocale) -> str:
    """Return for example "overhead 43 (formula), tools 61 (formula), images 765 (formula), text 512 (exact)"."""
    return ", ".join(
        tr("{kind} {n} ({grade})").format(
            kind=kind_word(part.kind), n=figure(locale, part.tokens), grade=tr(GRADE_WORDS[part.grade])
        )
        for part in parts
    )


def total(tally: Tally, locale: QLocale) -> str:
    """Return for example "1,381 tokens, formula" or "776 tokens (266 to 1,116), estimate"."""
    words = _tokens(tally.tokens, locale)
    if tally.low < tally.high:
        ends = figure(locale, tally.low), figure(locale, tally.high)
        words = tr("{tokens} ({low} to {high})").format(tokens=words, low=ends[0], high=ends[1])
    return tr("{tokens}, {grade}").format(tokens=words, grade=tr(GRADE_WORDS[tally.grade]))


def message_count(tokens: int, grade: str, locale: QLocale) -> str:
    """Like "16 tokens, exact"."""
    return tr("{tokens}, {grade}").format(tokens=_tokens(tokens, locale), grade=tr(GRADE_WORDS[grade]))


def _tokens(tokens: int, locale: QLocale) -> str:
    return tr("1 token") if tokens == 1 else tr("{n} tokens").format(n=figure(locale, tokens))


def origin_text(piece: RequestPiece, messages: Sequence[Message], locale: QLocale) -> str:
    """Describe the part of the request at the caret."""
    words = kind_word(piece.kind)
    if 0 <= piece.message < len(messages):
        words = tr("{kind} of message {n}, {role}").format(
            kind=words, n=figure(locale, piece.message + 1), role=messages[piece.message].role
        )
    if piece.tokens is not None:
        words = tr("{what}: {n} by formula").format(what=words, n=figure(locale, piece.tokens))
    return words


def special_text(found: Sequence[SpecialText]) -> str:
    """Return a warning if user text spells special tokens, else ""."""
    if not found:
        return ""
    named = [
        tr("{text} in message {n}").format(text=one.text, n=one.message + 1)
        if one.message >= 0
        else tr("{text} in the tools").format(text=one.text)
        for one in found[:MAX_NAMED]
    ]
    more = ", …" if len(found) > MAX_NAMED else ""
    return tr("Special-token text: {named}. It is counted as plain text and has no special effect here.").format(
        named=", ".join(named) + more
    )


def unknown_text(not_counted: Sequence[tuple[str, str]]) -> str:
    """Describe the parts of a body that are not counted, by position and kind; "" if all of it is counted."""
    if not not_counted:
        return ""
    paths: dict[str, list[str]] = {}
    for path, what in not_counted:
        paths.setdefault(what, []).append(path)
    named = [_paths_text(what, found) for what, found in list(paths.items())[:MAX_KINDS]]
    more = tr(", and parts of {n} more kinds").format(n=len(paths) - MAX_KINDS) if len(paths) > MAX_KINDS else ""
    return tr("Not counted: {named}.").format(named=", ".join(named) + more)


def _paths_text(what: str, paths: Sequence[str]) -> str:
    if len(paths) == 1:
        return tr("{path} ({what})").format(path=paths[0], what=what)
    named = ", ".join(paths[:MAX_NAMED]) + (", …" if len(paths) > MAX_NAMED else "")
    return tr("{n} × {what} ({paths})").format(n=len(paths), what=what, paths=named)


class PartChips(QWidget):
    """Legend of the bar: a chip for each part, with its colour and tokens. The checked one is highlighted in the text.

    Signals: ``changed()`` when another part, or none, is checked.
    """

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(objectName="requestTint")
        self.setAccessibleName(self.tr("Part marked in the text"))
        self._theme = theme
        self._parts: tuple[str, ...] = ()
        self._label = PlainLabel(self.tr("Mar&k"), role="caption")
        row = FlowLayout(self, CHIP_GAP)
        row.addWidget(self._label)
        self._chips: dict[str, Chip] = {}
        for kind in KIND_WORDS:
            words = self.tr("Mark the tokens of this part: {part}").format(part=kind_word(kind))
            chip = self._chips[kind] = Chip(f"requestMark{kind.capitalize()}", kind_word(kind), words)
            chip.setChecked(kind == "overhead")
            chip.setIconSize(QSize(SQUARE + 2, SQUARE))
            chip.clicked.connect(self._on_clicked)
            row.addWidget(chip)
        self._label.setBuddy(next(iter(self._chips.values())))
        theme.changed.connect(self._show_colours)

    @property
    def kind(self) -> str:
        """The kind of part that is marked, empty for none."""
        return next((kind for kind, chip in self._chips.items() if chip.isChecked()), "")

    def choose(self, kind: str) -> None:
        """Mark this kind of part; an empty one marks nothing."""
        for other, chip in self._chips.items():
            chip.setChecked(other == kind)
        self.changed.emit()

    def show_parts(self, parts: Sequence[tuple[str, int]]) -> None:
        """Show parts, each as (kind, tokens). Those without tokens have no chip."""
        self._parts = tuple(kind for kind, tokens in parts if tokens > 0)
        for kind, tokens in parts:
            self._chips[kind].set_text(f"{kind_word(kind)} {figure(self.locale(), tokens)}")
        for kind, chip in self._chips.items():
            chip.setVisible(kind in self._parts)
        self._show_colours()
        self.setVisible(bool(self._parts))
        self._fit()

    def _fit(self) -> None:
        """Hide the caption if the chips need its room to stay on one line."""
        chips = [chip for chip in self._chips.values() if not chip.isHidden()]
        needed = sum(one.sizeHint().width() + CHIP_GAP for one in (self._label, *chips)) - CHIP_GAP
        self._label.setVisible(needed <= self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @Slot()
    def _show_colours(self) -> None:
        for kind, role in zip(self._parts, ROLES, strict=False):
            square = QPixmap(QSize(SQUARE + 2, SQUARE))
            square.fill(Qt.GlobalColor.transparent)
            with QPainter(square) as painter:
                painter.fillRect(0, 0, SQUARE, SQUARE, self._theme.colour(role))
            self._chips[kind].setIcon(QIcon(square))

    @Slot()
    def _on_clicked(self) -> None:
        chip = self.sender()
        self.choose(next((kind for kind, one in self._chips.items() if one is chip and one.isChecked()), ""))


class RequestResult(QWidget):
    """View of the newest reply."""

    def __init__(self, theme: Theme, settings: SettingsStore) -> None:
        super().__init__()
        self._locale = QLocale()
        self._reply: RequestReply | None = None
        self._shown_text: str | None = None
        self._make(theme, settings)
        self._lay_out()
        self.tint.changed.connect(self._show_tint)
        self.view.cursorPositionChanged.connect(self._show_position)

    @property
    def reply(self) -> RequestReply | None:
        """Reply that is shown."""
        return self._reply

    def show_reply(self, reply: RequestReply) -> None:
        """Show a reply. One with a problem keeps the previous text, without figures."""
        self._reply = reply
        self.problem.say(reply.problem, "error")
        self.notes.say(" ".join(reply.tally.notes) if reply.tally else "")
        self.special.say(special_text(reply.special_texts), "warning")
        if reply.tally is None or reply.patch is None:
            self.total.setText(self.tr("Not counted"))
            self.parts.setText("")
            self._show_bar(())
            self.tint.show_parts(())
            return
        self.total.setText(total(reply.tally, self._locale))
        shown = [part for part in reply.tally.parts if part.tokens or part.kind in ("overhead", "text")]
        self.parts.setText(breakdown(shown, self._locale))
        self._show_bar([(kind_word(part.kind), part.tokens) for part in reply.tally.parts])
        self.tint.show_parts([(part.kind, part.tokens) for part in reply.tally.parts])
        if reply.text != self._shown_text:
            self._shown_text = reply.text
            self.view.load_text(reply.text)
        self.view.apply_patch(self.view.revision, reply.patch)
        self.cut.say(self.tr("Preview truncated. The whole text is counted.") if reply.is_cut else "")
        self._show_tint()
        self._show_position()

    @Slot()
    def _show_tint(self) -> None:
        kind = self.tint.kind
        pieces = [piece for piece in self._reply.pieces if piece.kind == kind] if self._reply else []
        # Join adjacent spans: a header of five special tokens is one unit for the reader.
        starts: list[int] = []
        ends: list[int] = []
        for piece in pieces:
            if ends and ends[-1] == piece.start:
                ends[-1] = piece.end
            else:
                starts.append(piece.start)
                ends.append(piece.end)
        self.view.highlight_matches(starts, ends)

    @Slot()
    def _show_position(self) -> None:
        """Describe the part at the caret."""
        reply = self._reply
        if reply is None or not reply.pieces:
            self.position.setText("")
            return
        at = bisect_right([piece.start for piece in reply.pieces], self.view.caret_offset()) - 1
        self.position.setText(
            self.tr("At the caret: {what}").format(
                what=origin_text(reply.pieces[max(0, at)], reply.draft.messages, self._locale)
            )
        )

    def _show_bar(self, parts: Sequence[tuple[str, int]]) -> None:
        """Show parts, each as (name, tokens), at most one for each of ``ROLES``."""
        found = [part for part in parts if part[1] > 0][: len(ROLES)]
        words = ", ".join(f"{name} {figure(self.locale(), tokens)}" for name, tokens in found)
        shown = [Part(tokens, role) for (_name, tokens), role in zip(found, ROLES, strict=False)]
        self.bar.show_parts(shown, self.tr("Parts of the request: {parts}").format(parts=words))

    def _make(self, theme: Theme, settings: SettingsStore) -> None:
        self.total = PlainLabel(objectName="requestTotal", role="section")
        self.bar = PartsBar(theme, "requestPartsBar")
        self.parts = wrapped_label("requestOverhead")
        self.parts.setAccessibleName(self.tr("Tokens by part"))
        give_role(self.parts, "caption")
        self.parts.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.problem, self.special, self.notes, self.cut = (Remark() for _ in range(4))
        self.problem.setObjectName("requestProblem")
        self.special.setObjectName("requestSpecial")
        self.notes.setObjectName("requestNotes")
        self.tint = PartChips(theme)
        self.view = TokenView(theme, settings, self)
        self.view.setObjectName("requestText")
        self.view.setProperty("kind", "flat")
        self.view.setAccessibleName(self.tr("Request as rendered for the model"))
        self.position = PlainLabel(objectName="requestPlace", role="caption")

    def _lay_out(self) -> None:
        labels = (self.total, self.bar, self.tint, self.parts, self.problem, self.special, self.notes)
        column_of(*labels, (self.view, 1), self.cut, self.position, parent=self, margins=(12, 8, 16, 8), spacing=6)


def _part_tokens(number: int, line: LineTokens, locale: QLocale) -> str:
    return figure(locale, line.parts[number].tokens)


LINE = Column(
    "line", QT_TRANSLATE_NOOP("Request", "Line"), "", lambda line, locale: figure(locale, line.line), numeric=True
)
LINE_COLUMNS = (
    LINE,
    Column(
        "tokens",
        QT_TRANSLATE_NOOP("Request", "Tokens"),
        "",
        lambda line, locale: figure(locale, line.tokens),
        numeric=True,
    ),
    Column("overhead", QT_TRANSLATE_NOOP("Request", "Overhead"), "", partial(_part_tokens, 0), numeric=True),
    Column("tools", QT_TRANSLATE_NOOP("Request", "Tools"), "", partial(_part_tokens, 1), numeric=True),
    Column("images", QT_TRANSLATE_NOOP("Request", "Images"), "", partial(_part_tokens, 2), numeric=True),
    Column("text", QT_TRANSLATE_NOOP("Request", "Text"), "", partial(_part_tokens, 3), numeric=True),
    Column(
        "said",
        QT_TRANSLATE_NOOP("Request", "Last message"),
        "",
        lambda line, _locale: line.said,
        tip=lambda line, _locale: line.said,
    ),
)
"""Columns of the lines with the most tokens; the parts are in the order of ``engine.requests.types.KINDS``."""
INVALID_COLUMNS = (
    LINE,
    Column(
        "why",
        QT_TRANSLATE_NOOP("Request", "Error"),
        "",
        lambda line, _locale: line.why,
        tip=lambda line, _locale: line.why,
    ),
)


class RequestLinesPage(QWidget):
    """Page with the results for a file of requests: totals, the lines with the most tokens, and the invalid lines.

    Signals: ``stop_asked()``, ``export_asked()``, ``back_asked()``.
    """

    stop_asked = Signal()
    export_asked = Signal()
    back_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._locale = QLocale()
        self.worst_model = TableModel(LINE_COLUMNS, self._locale, self, context="Request")
        self.bad_model = TableModel(INVALID_COLUMNS, self._locale, self, context="Request")
        self._make()
        self._lay_out()
        self.stop.clicked.connect(self.stop_asked)
        self.export.clicked.connect(self.export_asked)
        self.back.clicked.connect(self.back_asked)

    def begin(self, path: Path) -> None:
        """Show that this file is being counted."""
        self.title.setText(visible_line(path.name))
        self.summary.setText(self.tr("Counting…"))
        self.progress.setValue(0)
        self._show_running(True)
        self.worst_model.show(())
        self.bad_model.show(())
        self.remark.say("")
        self.stop.setFocus()

    @Slot(object)
    def show_progress(self, progress: JobProgress) -> None:
        """Show the fraction of the file that has been read."""
        self.progress.setValue(round(progress.fraction * 1000))

    def show_counted(self, counted: CountedLines) -> None:
        """Show the result, of the whole file or of the lines read before it was stopped."""
        report = counted.report
        self._show_running(False)
        self.summary.setText(self._summary(report))
        self.worst_model.show(report.worst)
        self.worst_title.setText(self._worst_text(report))
        self.bad_model.show(report.malformed)
        self.bad_title.setText(self._bad_text(report))
        self.bad.setVisible(bool(report.n_malformed))
        words = [] if counted.is_complete else [self.tr("Stopped. Results cover the lines read so far.")]
        if report.unknown:
            named = ", ".join(f"{what} ({figure(self._locale, n)})" for what, n in report.unknown[:MAX_KINDS])
            others = len(report.unknown) - MAX_KINDS
            more = self.tr(", and parts of {n} more kinds").format(n=others) if others > 0 else ""
            words.append(self.tr("Not counted: {named}.").format(named=named + more))
        self.remark.say(" ".join(words), "warning")

    def show_problem(self, why: str) -> None:
        """Show why the file cannot be counted."""
        self._show_running(False)
        self.summary.setText("")
        self.export.setEnabled(False)
        self.remark.say(why, "error")

    def _summary(self, report: LinesReport) -> str:
        mean = round(report.tokens / report.counted) if report.counted else 0
        return self.tr("{tokens} tokens in {requests} requests, {mean} on average: {parts}").format(
            tokens=figure(self._locale, report.tokens),
            requests=figure(self._locale, report.counted),
            mean=figure(self._locale, mean),
            parts=breakdown(report.parts, self._locale),
        )

    def _worst_text(self, report: LinesReport) -> str:
        if report.counted > len(report.worst):
            return self.tr("The {n} largest lines:").format(n=figure(self._locale, len(report.worst)))
        return self.tr("Lines, largest first:") if report.worst else ""

    def _bad_text(self, report: LinesReport) -> str:
        if not report.n_malformed:
            return self.tr("All lines are valid requests.")
        number = figure(self._locale, report.n_malformed)
        if report.n_malformed > len(report.malformed):
            shown = figure(self._locale, len(report.malformed))
            return self.tr("{n} invalid lines; the first {shown}:").format(n=number, shown=shown)
        return self.tr("Invalid lines, not counted: {n}").format(n=number)

    def _show_running(self, running: bool) -> None:
        self.progress.setVisible(running)
        self.stop.setVisible(running)
        self.export.setEnabled(not running)
        for title in (self.worst_title, self.bad_title):
            title.clear()

    def _make(self) -> None:
        self.title = PlainLabel(objectName="requestLinesTitle")
        self.summary = PlainLabel(objectName="requestLinesSummary")
        self.worst_title = PlainLabel(objectName="requestLinesWorstTitle")
        self.bad_title = PlainLabel(objectName="requestLinesBadTitle")
        font = self.title.font()
        set_weight(font)
        self.title.setFont(font)
        for label in (self.title, self.summary, self.worst_title, self.bad_title):
            label.setWordWrap(True)
        self.summary.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.remark = Remark()
        self.progress = ProgressBar(objectName="requestLinesProgress", maximum=1000)
        self.progress.setAccessibleName(self.tr("Reading progress"))
        self.stop = QPushButton(self.tr("&Stop"), objectName="requestLinesStop")
        self.export = QPushButton(self.tr("&Export lines…"), objectName="requestLinesExport")
        self.export.setToolTip(self.tr("Export tokens and errors of each line as CSV or JSON"))
        self.back = QPushButton(self.tr("&Back to the request"), objectName="requestLinesBack")
        self.worst = self._table("requestWorst", self.tr("Lines with most tokens"), self.worst_model)
        self.bad = self._table("requestMalformed", self.tr("Invalid lines"), self.bad_model)

    def _table(self, name: str, words: str, model: TableModel) -> QTableView:
        table = StretchedTable(objectName=name)
        table.setAccessibleName(words)
        table.setModel(model)
        part_text_from_figures(table, model.columnCount() - 1)
        set_up_rows(table)
        table.horizontalHeader().setStretchLastSection(True)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column in range(model.columnCount() - 1):
            table.setColumnWidth(column, self.fontMetrics().averageCharWidth() * 11)
        table.verticalHeader().setDefaultSectionSize(self.fontMetrics().lineSpacing() + 12)
        return table

    def _lay_out(self) -> None:
        head = row_of((self.title, 1), (self.progress, 1), self.stop, self.export, self.back)
        tables = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        tables.addWidget(_titled(self.worst_title, self.worst))
        tables.addWidget(_titled(self.bad_title, self.bad))
        tables.setStretchFactor(0, 2)
        tables.setStretchFactor(1, 1)
        column_of(head, self.summary, self.remark, (tables, 1), parent=self, margins=(8, 8, 8, 8), spacing=6)


def _titled(title: QWidget, table: QWidget) -> QWidget:
    """Return a table below its title, which keeps its position while the table is hidden."""
    pane = QWidget()
    column_of(title, (table, 1), 0, parent=pane, margins=(0, 4, 0, 0))
    return pane
