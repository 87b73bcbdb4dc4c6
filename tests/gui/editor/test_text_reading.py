"""A big text is read in slices, and comes out as that of one revision."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from gui.editor import soft_text_edit
from gui.editor.soft_text_edit import SoftTextEdit
from gui.editor.text_transfer import TextReading

TEXT = "naïve 😀 text\n" * 20


@pytest.fixture
def editor(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> SoftTextEdit:
    monkeypatch.setattr(soft_text_edit, "_CHUNK_UNITS", 16)
    editor = SoftTextEdit()
    qtbot.addWidget(editor)
    editor.setPlainText(TEXT)
    return editor


def test_it_is_the_text_and_takes_several_turns(qtbot: QtBot, editor: SoftTextEdit):
    reading = TextReading(editor, editor)
    with qtbot.waitSignal(reading.finished) as finished:
        reading.start()
        assert reading._read == []
    revision, pieces = finished.args
    assert revision == editor.revision
    assert "".join(pieces) == TEXT
    assert len(pieces) > 3


def test_an_edit_meanwhile_has_it_begin_anew(qtbot: QtBot, editor: SoftTextEdit, monkeypatch: pytest.MonkeyPatch):
    reading = TextReading(editor, editor)
    read: list[tuple[int, tuple[str, ...]]] = []
    reading.finished.connect(lambda revision, pieces: read.append((revision, pieces)))
    pieces_of = editor.text_chunks

    def interrupted() -> Iterator[str]:
        for number, piece in enumerate(pieces_of()):
            yield piece
            if number == 4:
                monkeypatch.undo()
                editor.replace_range(0, 5, "late")
                reading.start()

    monkeypatch.setattr(editor, "text_chunks", interrupted)
    reading.start()
    qtbot.waitUntil(lambda: bool(read))
    assert [(revision, "".join(pieces)) for revision, pieces in read] == [(editor.revision, "late" + TEXT[5:])]


@pytest.mark.deep
def test_a_text_that_is_on_its_way_is_waited_for(qtbot: QtBot, editor: SoftTextEdit, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(soft_text_edit, "FEED_ABOVE", 10)
    reading = TextReading(editor, editor)
    editor.load_text(TEXT * 300)
    with qtbot.waitSignal(reading.finished) as finished:
        reading.start()
        assert editor.is_loading
    assert "".join(finished.args[1]) == TEXT * 300
