"""Starting, pausing and stopping a run, and how far it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gui.look.quantities import TrainingText, overall_fraction
from gui.look.theme import Theme
from gui.tokenizers.train.run_service import IDLE, KEEPING, PAUSED, PAUSING, RUNNING, STOPPING
from gui.widgets.form_rows import Remark
from gui.widgets.labels import StatusLine
from gui.widgets.progress import ReachableProgressBar

if TYPE_CHECKING:
    from engine.training_types import TrainingProgress

STEPS = 1000


class TrainingRunBar(QWidget):
    """The buttons of a run, its progress bar, and a line of words.

    Signals: ``start_asked()``, ``pause_asked()``, ``resume_asked()``, ``stop_asked()``.
    """

    start_asked = Signal()
    pause_asked = Signal()
    resume_asked = Signal()
    stop_asked = Signal()

    def __init__(self, theme: Theme, text: TrainingText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._state = IDLE
        self._waiting = False
        self._ready = False
        self._lacking = ""
        self._blocked = ""
        self._make(theme)
        self._place()
        self.start.clicked.connect(self.start_asked)
        self.pause.clicked.connect(self._on_pause)
        self.cancel.clicked.connect(self.stop_asked)
        self.show_state(IDLE)

    def show_state(self, state: str) -> None:
        """Offer what can be done in this state of the run."""
        self._state = state
        going = state in (RUNNING, PAUSED)
        self.pause.setEnabled(going)
        self.cancel.setEnabled(going)
        paused = state in (PAUSED, PAUSING)
        self.pause.setText(self.tr("&Resume") if paused else self.tr("&Pause"))
        self.pause.setToolTip(self.tr("Go on with the run") if paused else self.tr("Rest; the run can go on later"))
        if state == PAUSED:
            self.say(self.tr("Paused. {words}").format(words=self._words).rstrip())
        elif state == STOPPING:
            self.say(self.tr("Stopping, and keeping what was learned…"))
        elif state == KEEPING:
            self.say(self.tr("{stage}…").format(stage=self._text.stage("keeping")))
        self._enable_start()

    def set_waiting(self, waiting: bool) -> None:
        """A start is asked for and waits for the folder to be looked through."""
        self._waiting = waiting
        self._enable_start()

    def set_ready(self, ready: bool, lacking: str = "") -> None:
        """Whether there are texts to train on, or will be. ``lacking`` asks for them, while nothing else is said."""
        if self.words.text() == self._lacking:
            self.say(lacking)
        self._ready, self._lacking = ready, lacking
        self._enable_start()

    def set_failed(self, why: str) -> None:
        """A run ended by a failure. Stays until something is changed or started."""
        self.problem.say(why, "error")

    def set_blocked(self, why: str) -> None:
        """Nothing can be started, for this reason; empty where something can."""
        self._blocked = why
        self.problem.say(why, "error")
        self._enable_start()

    def set_progress(self, progress: TrainingProgress, seconds: float) -> None:
        """Show how far a run is."""
        self.bar.setRange(0, STEPS)
        self.bar.setValue(round(overall_fraction(progress) * STEPS))
        self._words = self._describe(progress, seconds)
        if self._state in (RUNNING, PAUSING):
            self.say(self._words)

    def set_busy(self, words: str) -> None:
        """Something runs that cannot say how far it is."""
        self.bar.setRange(0, 0)
        self.say(words)

    def rest(self, words: str) -> None:
        """Nothing runs; say what came of it."""
        if self.bar.maximum() == 0:
            self.bar.setRange(0, STEPS)
            self.bar.setValue(0)
        self.say(words)

    def clear(self) -> None:
        """Another run begins."""
        self.bar.setRange(0, STEPS)
        self.bar.setValue(0)
        self.bar.setTextVisible(True)
        self._words = ""
        self.problem.say("")
        self.say("")

    def say(self, words: str) -> None:
        """Show a line of words."""
        self.words.set_text(words)
        self.bar.setAccessibleDescription(words)

    def _describe(self, progress: TrainingProgress, seconds: float) -> str:
        """Stage, how far, how fast, how long still."""
        write = self._text
        parts = [write.stage(progress.stage)]
        if progress.stage == "counting":
            of = self.tr("{read} of {total}")
            parts.append(of.format(read=write.size(progress.bytes_read), total=write.size(progress.bytes_total)))
            if progress.rate > 0:
                parts.append(self.tr("{rate} a second").format(rate=write.size(progress.rate)))
        elif progress.stage == "merging":
            of = self.tr("{merges} of {wanted} merges")
            numbers = write.number(progress.merges), write.number(progress.merges_wanted)
            parts.append(of.format(merges=numbers[0], wanted=numbers[1]))
            if progress.rate > 0:
                parts.append(self.tr("{rate} a second").format(rate=write.about(progress.rate)))
        if progress.bytes_per_token > 0:
            density = write.decimal(progress.bytes_per_token)
            parts.append(self.tr("{number} bytes per token").format(number=density))
        if progress.eta_seconds is not None and progress.stage != "done" and seconds >= 3:
            parts.append(write.left(progress.eta_seconds))
        return " · ".join(parts)

    def _enable_start(self) -> None:
        free = self._state == IDLE and not self._waiting
        self.start.setEnabled(free and self._ready and not self._blocked)
        what = self.tr("Learn a vocabulary from the texts of the folder")
        self.start.setToolTip(self._blocked or self._lacking or what)

    @Slot()
    def _on_pause(self) -> None:
        if self._state == PAUSED:
            self.resume_asked.emit()
        else:
            self.pause_asked.emit()

    def _make(self, theme: Theme) -> None:
        self._words = ""
        self.start = QPushButton(self.tr("&Start training"), objectName="trainStart")
        self.pause = QPushButton(self.tr("&Pause"), objectName="trainPause")
        self.cancel = QPushButton(self.tr("Stop and &keep"), objectName="trainCancel")
        self.cancel.setToolTip(self.tr("End the run here. What it has learned is a smaller vocabulary, ready for use."))
        for button, spoken in (
            (self.start, self.tr("Start training")),
            (self.pause, self.tr("Pause or resume the training")),
            (self.cancel, self.tr("Stop the training and keep what was learned")),
        ):
            button.setAutoDefault(False)
            button.setAccessibleName(spoken)
        self.bar = ReachableProgressBar()
        self.bar.setObjectName("trainProgress")
        self.bar.setAccessibleName(self.tr("Progress of the training"))
        self.bar.setRange(0, STEPS)
        self.bar.setValue(0)
        self.bar.setFormat("%p%")
        self.bar.setTextVisible(False)  # nothing is under way yet, and no per cent of it done
        self.words = StatusLine("trainWords")
        self.problem = Remark(theme)
        self.problem.setObjectName("trainProblem")

    def _place(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.start, self.pause, self.cancel):
            row.addWidget(button)
        row.addWidget(self.bar, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.problem)
        column.addLayout(row)
        column.addWidget(self.words)
