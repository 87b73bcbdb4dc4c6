"""A control with its label above it, for rows of controls that wrap, or before it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.look.plain_label import PlainLabel


def labelled(text: str, control: QWidget, buddy: QWidget | None) -> QWidget:
    """Both in one box. Without a text an empty line keeps the control level with the others; ``buddy`` takes the focus
    when the label's key is pressed.
    """
    label = PlainLabel(text)
    if buddy is not None:
        label.setBuddy(buddy)
    return stacked(label, control)


def labelled_row(text: str, control: QWidget) -> QHBoxLayout:
    """A line with the label before its control, at the left."""
    label = PlainLabel(text)
    label.setBuddy(control)
    row = QHBoxLayout()
    row.addWidget(label)
    row.addWidget(control)
    row.addStretch(1)
    return row


def stacked(label: QWidget, control: QWidget) -> QWidget:
    """A control with something else than words above it."""
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(2)
    column.addWidget(label)
    column.addWidget(control, alignment=Qt.AlignmentFlag.AlignVCenter)
    return box


def side_by_side(*controls: QWidget) -> QWidget:
    """Controls that go together under one label."""
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(4)
    for control in controls:
        row.addWidget(control)
    return box
