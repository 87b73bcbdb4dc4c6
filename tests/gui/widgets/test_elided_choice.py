"""Combo boxes that end with dots what they have no room for."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.widgets.tool_row import ElidedChoice


def test_a_long_choice_ends_with_dots_where_there_is_no_room(qtbot: QtBot):
    box = ElidedChoice()
    qtbot.addWidget(box)
    box.addItem("OpenAI chat (formula)")
    width = box.fontMetrics().horizontalAdvance(box.currentText())
    assert box.elided_text(2 * width) == "OpenAI chat (formula)"
    cut = box.elided_text(width // 2)
    assert cut.endswith("…")
    assert cut[:-1].rstrip() in box.currentText()
    box.resize(width // 2, box.sizeHint().height())
    assert not box.grab().isNull()


def test_without_a_choice_its_placeholder_is_shown(qtbot: QtBot):
    box = ElidedChoice()
    qtbot.addWidget(box)
    box.setPlaceholderText("Choose an encoding")
    box.addItem("gpt2")
    box.setCurrentIndex(-1)
    assert box.elided_text(10_000) == "Choose an encoding"
