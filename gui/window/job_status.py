"""Background jobs in the status bar: name, progress, and a stop button."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from gui.look.icons import Icons
from gui.look.plain_text import PlainLabel
from gui.widgets.progress import ProgressBar

if TYPE_CHECKING:
    from gui.runtime.jobs import JobRunner, Lane

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
            # imported late: the first paint of the window does not need it
            from gui.core.token_text import visible_line

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
