"""The controls of a conversation."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QComboBox, QSpinBox, QWidget

from gui.costs.call_plans_service import HOUR, MINUTES
from gui.costs.conversation_choices import MOST_TURNS, ConversationChoices
from gui.panels.flow_layout import FlowLayout
from gui.panels.labelled import labelled, side_by_side
from gui.panels.number_boxes import tokens_box


class ConversationForm(QWidget):
    """Shows and gives ``ConversationChoices``.

    Signals: ``changed()`` at each change of a control.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.turns = _count_box("conversationTurns", self.tr("Turns of the conversation"))
        self.turns.setMinimum(1)
        self.system_is_prompt = QComboBox(objectName="conversationSystemSource")
        self.system_is_prompt.addItem(self.tr("text in the editor"), True)
        self.system_is_prompt.addItem(self.tr("so many tokens:"), False)
        self.system_is_prompt.setAccessibleName(self.tr("Where the system prompt comes from"))
        self.system = tokens_box("conversationSystem", self.tr("Tokens of the system prompt"))
        self.user = tokens_box("conversationUser", self.tr("Tokens that the user says in a turn"))
        self.answer = tokens_box("conversationAnswer", self.tr("Tokens of an answer"))
        self.reasoning = tokens_box("conversationReasoning", self.tr("Reasoning tokens of an answer"))
        self.reasoning.setToolTip(self.tr("Hidden reasoning is billed as output and not sent again."))
        self.caching = QComboBox(objectName="conversationCaching")
        self.caching.addItem(self.tr("none"), "none")
        self.caching.addItem(self.tr("kept {number} minutes").format(number=MINUTES), "minutes")
        self.caching.addItem(self.tr("kept {number} minutes").format(number=HOUR), "hour")
        self.caching.setAccessibleName(self.tr("Prompt cache"))
        self.caching.setToolTip(
            self.tr("The end of each prompt is a breakpoint: the next turn reads up to it and writes the rest.")
        )
        self.pause_every = _count_box(
            "conversationPause", self.tr("A pause that loses the cache before every so many turns")
        )
        self.pause_every.setSpecialValueText(self.tr("never"))
        self.pause_every.setToolTip(
            self.tr("Before every so many turns the user is away for longer than the cache is kept.")
        )
        self.least_cached = tokens_box(
            "conversationLeastCached", self.tr("Tokens of the shortest prompt that is cached")
        )
        self.least_cached.setToolTip(self.tr("Vendors cache only prompts of some length; theirs differ."))
        self._place()
        for box in (
            self.turns,
            self.system,
            self.user,
            self.answer,
            self.reasoning,
            self.pause_every,
            self.least_cached,
        ):
            box.valueChanged.connect(self._on_changed)
        for combo in (self.system_is_prompt, self.caching):
            combo.currentIndexChanged.connect(self._on_changed)
        self.show_choices(ConversationChoices())

    def choices(self) -> ConversationChoices:
        """What the controls say."""
        said: dict[str, Any] = {}
        for field in fields(ConversationChoices):
            control = getattr(self, field.name)
            said[field.name] = control.currentData() if isinstance(control, QComboBox) else control.value()
        return ConversationChoices(**said)

    def show_choices(self, choices: ConversationChoices) -> None:
        """Show these, and say that they changed."""
        for field in fields(ConversationChoices):
            control, value = getattr(self, field.name), getattr(choices, field.name)
            blocker = QSignalBlocker(control)
            if isinstance(control, QComboBox):
                control.setCurrentIndex(control.findData(value))
            else:
                control.setValue(value)
            blocker.unblock()
        self._on_changed()

    def _place(self) -> None:
        flow = FlowLayout(gap=10)
        system = side_by_side(self.system_is_prompt, self.system)
        for text, control, buddy in (
            (self.tr("Tu&rns"), self.turns, self.turns),
            (self.tr("&System prompt"), system, self.system_is_prompt),
            (self.tr("&User, per turn"), self.user, self.user),
            (self.tr("&Answer, per turn"), self.answer, self.answer),
            (self.tr("Reason&ing"), self.reasoning, self.reasoning),
            (self.tr("Prompt &cache"), self.caching, self.caching),
            (self.tr("Lost &before every"), self.pause_every, self.pause_every),
            (self.tr("Shortest cached"), self.least_cached, self.least_cached),
        ):
            flow.addWidget(labelled(text, control, buddy))
        self.setLayout(flow)

    @Slot()
    def _on_changed(self) -> None:
        self.system.setEnabled(not self.system_is_prompt.currentData())
        for box in (self.pause_every, self.least_cached):
            box.setEnabled(self.caching.currentData() != "none")
        self.changed.emit()


def _count_box(name: str, spoken: str) -> QSpinBox:
    box = QSpinBox(objectName=name)
    box.setRange(0, MOST_TURNS)
    box.setAccessibleName(spoken)
    return box
