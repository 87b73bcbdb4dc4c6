"""The status bar: caret, selection, character encoding, line endings and zoom at the left; at the right background
jobs with name, progress and a stop button, and the mark of private mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStatusBar, QToolButton, QWidget

from gui.core.token_text import visible_line
from gui.look.icons import Icons
from gui.look.quantities import figure
from gui.look.style_sheet import TYPE, give_role
from gui.widgets.bars import ProgressBar
from gui.widgets.labels import PlainLabel, StatusLine

if TYPE_CHECKING:
    from gui.prompt.prompt import Prompt
    from gui.runtime.jobs import JobRunner, Lane
    from gui.window.actions import WindowActions


GAP = 8
DELAY_MS = 40
"""Delay of the caret position, which changes with every key."""


class StatusFacts(QObject):
    """Facts of editor and prompt in the status bar."""

    def __init__(self, bar: QStatusBar, prompt: Prompt, actions: WindowActions) -> None:
        super().__init__(bar)
        self._prompt, self._editor = prompt, prompt.editor
        self._selected_tokens = -1
        self._position = self._line(bar, "statusPosition", self.tr("Ln {line}, Col {column}"))
        self._encoding, self._line_ends = PlainLabel(bar), PlainLabel(bar)
        for label, name in ((self._encoding, "statusOrigin"), (self._line_ends, "statusLineEnds")):
            label.setObjectName(name)
            give_role(label, "caption")
            label.setContentsMargins(0, 0, GAP, 0)
            bar.addWidget(label)
        self._zoom = QToolButton(bar, objectName="statusZoom")
        self._zoom.setAutoRaise(True)
        self._zoom.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._zoom.setToolTip(self.tr("Zoom of the editor. Click to reset it."))
        self._zoom.clicked.connect(actions["zoom_reset"].trigger)
        bar.addWidget(self._zoom)
        # last, so that its changing width moves nothing else
        self._selection = self._line(bar, "statusSelection", "")
        self._editor.installEventFilter(self)
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._delay.timeout.connect(self._show_caret)
        editor = self._editor
        editor.cursorPositionChanged.connect(self._touch)
        editor.selectionChanged.connect(self._touch)
        editor.selection_tokens_changed.connect(self._on_selection_tokens)
        editor.zoom_changed.connect(self._show_zoom)
        prompt.origin_changed.connect(self._show_origin)
        self._show_origin()
        self._show_zoom()
        self._show_caret()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Show the facts only beside the editor: another page may have a text and a caret of its own."""
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            shown = event.type() == QEvent.Type.Show
            for widget in (self._position, self._encoding, self._line_ends, self._zoom, self._selection):
                widget.setVisible(shown)
        return False

    @staticmethod
    def _line(bar: QStatusBar, name: str, template: str) -> StatusLine:
        """Add a line of a fixed width for a template, or one that takes the remaining width."""
        line = StatusLine(name, bar)
        give_role(line, "caption")
        small = QFont(bar.font())
        small.setPixelSize(TYPE["caption"])
        if template:
            words = template.format(line="999,999", column="9,999")
            line.setFixedWidth(QFontMetrics(small).horizontalAdvance(words))
            line.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        bar.addWidget(line, 0 if template else 1)
        return line

    @Slot()
    def _touch(self) -> None:
        if not self._delay.isActive():
            self._delay.start()

    @Slot()
    def _show_caret(self) -> None:
        editor, locale = self._editor, self._editor.locale()
        words = self.tr("Ln {line}, Col {column}").format(
            line=figure(locale, editor.caret_line), column=figure(locale, editor.caret_column)
        )
        self._position.set_text(words)
        first, last = editor.selected_range()
        if first == last:
            self._selection.set_text(self.tr("Nothing selected"))
            return
        count = editor.characters_between(first, last)
        words = self.tr("1 character selected") if count == 1 else self.tr("{n} characters selected")
        words = words.format(n=figure(locale, count))
        if self._selected_tokens >= 0:
            tokens = self.tr("1 token") if self._selected_tokens == 1 else self.tr("{n} tokens")
            words = self.tr("{characters}, {tokens}").format(
                characters=words, tokens=tokens.format(n=figure(locale, self._selected_tokens))
            )
        self._selection.set_text(words)

    @Slot(int)
    def _on_selection_tokens(self, tokens: int) -> None:
        self._selected_tokens = tokens
        self._touch()

    @Slot()
    def _show_zoom(self) -> None:
        self._zoom.setText(self.tr("{percent}%").format(percent=self._editor.zoom_percent))
        self._zoom.setAccessibleName(self.tr("Zoom: {percent}%").format(percent=self._editor.zoom_percent))

    @Slot()
    def _show_origin(self) -> None:
        origin = self._prompt.origin
        self._encoding.setText(origin.encoding.upper() if origin is not None else "UTF-8")
        self._line_ends.setText("CRLF" if origin is not None and origin.crlf else "LF")
        self._encoding.setToolTip(self.tr("Character encoding of the file"))
        self._line_ends.setToolTip(self.tr("Line endings of the file"))


def private_label(parent: QWidget) -> PlainLabel:
    """Return the label that is shown while nothing of the window is saved."""
    label = PlainLabel(parent.tr("Private mode"), parent, objectName="statusPrivate")
    label.setToolTip(parent.tr("Nothing is saved: no session, no versions, no recent files"))
    label.hide()
    return label


PATIENCE_MS = 400
"""Minimum duration of a job that is shown; most are shorter."""
REFRESH_MS = 200


class JobStatus(QWidget):
    """Display of the job that has run longest, and of the number of others."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runner: JobRunner | None = None
        self._shown: Lane | None = None
        self.setObjectName("statusJobs")
        self.setAccessibleName(self.tr("Jobs running in the background"))
        height = self.fontMetrics().height() + 4
        self.setFixedHeight(height)  # Also while empty: the status bar must not resize with the jobs.
        self._words = PlainLabel(self)
        self._words.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._bar = ProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(120)
        self._bar.setFixedHeight(height - 6)
        self._stop = QToolButton(self)
        self._stop.setIcon(icons.icon("stop"))
        self._stop.setAutoRaise(True)
        self._stop.setFixedSize(height, height)
        self._stop.clicked.connect(self._cancel_shown)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._words)
        row.addWidget(self._bar)
        row.addWidget(self._stop)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._refresh)
        self._set_shown(False)

    def watch(self, runner: JobRunner) -> None:
        """Show the jobs of this runner."""
        self._runner = runner
        runner.lanes_changed.connect(self._on_lanes_changed)

    @property
    def words(self) -> str:
        """The displayed text; empty if no job runs."""
        return self._words.text()

    @Slot()
    def _on_lanes_changed(self) -> None:
        busy = self._runner.busy_lanes if self._runner else []
        if self._shown is not None and self._shown not in busy:
            self._shown = None
        if not busy:
            self._timer.stop()
            self._set_shown(False)
        elif not self._timer.isActive():
            self._timer.start(PATIENCE_MS)

    @Slot()
    def _refresh(self) -> None:
        busy = self._runner.busy_lanes if self._runner else []
        if not busy:
            return
        self._timer.setInterval(REFRESH_MS)
        if self._shown is None:
            self._shown = busy[0]
        lane = self._shown
        progress = lane.last_progress
        words = lane.name
        if progress is not None and progress.note:
            words = self.tr("{job}: {note}").format(job=words, note=visible_line(progress.note))
        if len(busy) > 1:
            words = self.tr("{job} (and {n} more)").format(job=words, n=len(busy) - 1)
        known = progress is not None and progress.fraction >= 0
        self._bar.setRange(0, 1000 if known else 0)
        if known:
            self._bar.setValue(round(progress.fraction * 1000))
        self._words.setText(words)
        self._bar.setAccessibleName(words)
        self._stop.setAccessibleName(self.tr("Stop: {job}").format(job=lane.name))
        self._stop.setToolTip(self.tr("Stop: {job}").format(job=lane.name))
        self._set_shown(True)

    def _set_shown(self, shown: bool) -> None:
        if not shown:
            self._words.clear()
        for widget in (self._words, self._bar):
            widget.setVisible(shown)
        self._stop.setVisible(shown and self._shown is not None and self._shown.stoppable)

    @Slot()
    def _cancel_shown(self) -> None:
        if self._shown is not None:
            self._shown.cancel()

    @Slot()
    def cancel_all(self) -> None:
        """Cancel all jobs that can be cancelled."""
        for lane in self._runner.busy_lanes if self._runner else []:
            lane.cancel()
