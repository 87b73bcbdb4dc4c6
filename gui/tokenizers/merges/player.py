"""Steps through the merges of a pretoken: buttons, a number, and playing at three speeds."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSpinBox, QToolButton, QWidget

from gui.look.icons import Icons
from gui.look.plain_label import PlainLabel

SPEEDS_MS = (1500, 700, 200)


class MergePlayer(QWidget):
    """Signals: ``step_asked(int)``: so many merges are to be shown as done; ``speed_changed()``."""

    step_asked = Signal(int)
    speed_changed = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._last = 0
        self.step = QSpinBox(self)
        self.step.setObjectName("mergeStep")
        self.step.setAccessibleName(self.tr("Merges done"))
        self.step.setToolTip(self.tr("How many merges are done"))
        self.step.setKeyboardTracking(False)
        self.step.setGroupSeparatorShown(True)
        self.total = PlainLabel(self)
        self.start = self._button("to_start", self.tr("To the start: single bytes"), "mergeStart")
        self.back = self._button("step_back", self.tr("One merge back"), "mergeBack")
        self.play = self._button("play", self.tr("Play the merges one after the other"), "mergePlay")
        self.play.setCheckable(True)
        self.forward = self._button("step_forward", self.tr("One merge forward"), "mergeForward")
        self.end = self._button("to_end", self.tr("To the end: the tokens"), "mergeEnd")
        self.speed = QComboBox(self)
        self.speed.setObjectName("mergeSpeed")
        self.speed.setAccessibleName(self.tr("Speed of playing"))
        for words, pause in zip((self.tr("slow"), self.tr("medium"), self.tr("fast")), SPEEDS_MS, strict=True):
            self.speed.addItem(words, pause)
        self.speed.setCurrentIndex(1)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_tick)
        self._place()
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
        """Whether merges are being played."""
        return self._timer.isActive()

    def show_step(self, done: int, last: int) -> None:
        """So many merges are done, of so many."""
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
        """Play no more."""
        self.play.setChecked(False)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.stop()

    def _place(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(3)
        for button in (self.start, self.back, self.play, self.forward, self.end):
            row.addWidget(button)
        row.addSpacing(8)
        label = PlainLabel(self.tr("&Merges done:"), self)
        label.setBuddy(self.step)
        row.addWidget(label)
        row.addWidget(self.step)
        row.addWidget(self.total)
        row.addSpacing(8)
        row.addWidget(self.speed)
        row.addStretch(1)

    def _button(self, icon: str, tip: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(name)
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
