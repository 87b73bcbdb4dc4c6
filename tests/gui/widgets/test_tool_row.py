"""The words of a row of tools step back where there is less room: those of buttons first, then those of choices."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gui.widgets.tool_row import QuietChoice, ToolRow


def test_words_step_back_in_two_steps(qtbot: QtBot):
    row = ToolRow("tools", "Tools")
    qtbot.addWidget(row)
    choice = QuietChoice(QIcon(), "Colours: {choice}", row)
    choice.addItem("Alternate")
    row.add_caption("Colours", choice)
    row.add(choice)
    button = row.add_button(QPushButton("Special tokens", row), QIcon())
    row.show()
    whole = row.sizeHint().width()
    row.resize(whole, row.height())
    assert button.text() == "Special tokens"
    assert choice.width() == choice.width_with(words=True)
    row.resize(whole - 1, row.height())
    assert (button.text(), row.tight) == ("", False)
    assert button.accessibleName() == "Special tokens", "it is named all the same"
    assert choice.width() == choice.width_with(words=True), "what is chosen is still read"
    row.resize(row.minimumSizeHint().width(), row.height())
    assert row.tight
    assert choice.width() == choice.width_with(words=False)
    row.resize(whole + 100, row.height())
    assert button.text() == "Special tokens"
    assert choice.width() == choice.width_with(words=True), "room that is left is left empty"
