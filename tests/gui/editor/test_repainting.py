"""Only what changed is painted again; together with what stays it must look like a whole picture."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.gui.editor.fake_tokens import patch_of
from tests.thoroughness import mostly_deep

KEYS = "ab ,"
MOVES = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End)
LINES = (
    "plain words that wrap at the edge of the window, again and again, until there are a few lines of them. " * 2,
    "short",
    "",
    "wide 中文 and 😀👩‍👩‍👧 and שלום",
)


def on_the_screen(editor) -> np.ndarray:
    area = editor.viewport().geometry()
    return pixels(editor.screen().grabWindow(editor.winId(), *area.getRect()).toImage())


def pixels(image) -> np.ndarray:
    image = image.convertToFormat(image.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()) & 0xFFFFFF


def settle() -> None:
    for _ in range(3):
        QApplication.processEvents()


def answer(editor, rnd: np.random.Generator) -> None:
    """New tokens for the text, most of them as they were: their bounds follow from the characters."""
    text = editor.toPlainText()
    units = len(text.encode("utf-16-le")) // 2
    whole = patch_of(text, [4, 3, 6]) if rnd.random() < 0.3 else None
    if whole is not None:
        editor.apply_patch(editor.revision, whole)
        return
    caret = editor.caret_offset()
    left, right = editor.token_at(max(0, caret - 3)), editor.token_at(min(caret + 3, units - 1))
    if left is None or right is None or left.utf16_start >= right.utf16_end:
        return
    part = editor.text_between(left.utf16_start, right.utf16_end)
    editor.apply_patch(editor.revision, patch_of(part, [int(rnd.integers(2, 6))], start=left.utf16_start))


@pytest.mark.deep
@pytest.mark.parametrize("seed", mostly_deep(range(4), 2))
def test_partial_repaints_add_up_to_a_whole_picture(make_editor, seed: int) -> None:
    rnd = np.random.default_rng(seed)
    editor = make_editor("\n".join(rnd.choice(LINES, 12)), soft_limit=64 if seed % 2 else 4096)
    editor.clearFocus()  # no caret that blinks
    editor.apply_patch(editor.revision, patch_of(editor.toPlainText(), [4, 3, 6]))
    settle()
    for step in range(120):
        what = rnd.random()
        if what < 0.25:
            QTest.keyClick(editor, MOVES[rnd.integers(len(MOVES))])
        elif what < 0.35:
            QTest.keyClick(editor, Qt.Key.Key_Backspace if what < 0.3 else Qt.Key.Key_Return)
        elif what < 0.38:
            editor.undo()
        else:
            QTest.keyClick(editor, KEYS[rnd.integers(len(KEYS))])
        if rnd.random() < 0.5:
            settle()
        if rnd.random() < 0.8:
            answer(editor, rnd)
        settle()
        if not editor.tokens_stale:  # else the frame waits for the tokens
            same = on_the_screen(editor) == pixels(editor.viewport().grab().toImage())
            assert same.all(), f"step {step}: rows {np.flatnonzero(~same.all(axis=1)).tolist()}"
