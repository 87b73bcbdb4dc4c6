"""A text that is being worked on, by several at once, can be edited again when the last of them is done."""

from __future__ import annotations

import pytest

from gui.editor import soft_text_edit, text_transfer
from gui.editor.text_transfer import Piece, PieceWriter
from gui.editor.undo_steps import EditLock


@pytest.mark.parametrize("before", [False, True])
def test_it_is_read_only_until_the_last_is_done(editor, before: bool) -> None:
    editor.setReadOnly(before)
    lock = EditLock(editor)
    lock.take("one")
    lock.take("another")
    lock.take("one")
    lock.give_back("one")
    lock.give_back("one")
    lock.give_back("nobody")
    assert editor.isReadOnly()
    lock.give_back("another")
    assert editor.isReadOnly() is before


def test_another_text_comes_while_pieces_are_written(editor, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_transfer, "WRITE_SECONDS", 0.0)
    monkeypatch.setattr(soft_text_edit, "FEED_ABOVE", 1000)
    monkeypatch.setattr(text_transfer, "FIRST_SLICE", 300)
    monkeypatch.setattr(text_transfer, "_LARGEST", 300)
    editor.setPlainText("word " * 3000)
    writer = PieceWriter(editor)
    ended = []
    writer.finished.connect(lambda whole: ended.append((whole, editor.is_loading, editor.isReadOnly())))
    writer.write(editor.revision, [Piece(5 * at, 5 * at + 4, "thing") for at in range(3000)])
    text = "another text\n" * 3000
    editor.load_text(text)
    qtbot.waitUntil(lambda: bool(ended) and not editor.is_loading)
    assert ended == [(False, True, True)], "the text was on its way, and could not be edited"
    assert not editor.isReadOnly()
    assert editor.toPlainText() == text
    assert editor.replace_range(0, 7, "one")
