"""A tokenizer for tests: any bytes, cut anywhere, also inside characters."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QApplication

from engine.types import TokenPatch
from gui.editor.token_editor import TokenEditor
from gui.look import fonts


def patch_of(text: str, byte_sizes: list[int] | None = None, *, start: int = 0) -> TokenPatch:
    """Cut the UTF-8 bytes of ``text`` into tokens of these sizes in turn (default: 3), and say so as the engine does.

    A token that ends inside a character ends behind it in UTF-16; its successor continues the character.
    """
    data = text.encode()
    sizes = byte_sizes or [3]
    ends: list[int] = []
    ids: list[int] = []
    continues: list[bool] = []
    at = turn = 0
    while at < len(data):
        end = min(len(data), at + sizes[turn % len(sizes)])
        turn += 1
        whole = end
        while whole < len(data) and data[whole] & 0xC0 == 0x80:
            whole += 1
        ends.append(start + len(data[:whole].decode().encode("utf-16-le")) // 2)
        ids.append(sum(data[at:end]) % 1000)
        continues.append(data[at] & 0xC0 == 0x80)
        at = end
    stop = ends[-1] if ends else start
    arrays = np.array(ids, np.int32), np.array(ends, np.int32), np.array(continues, np.bool_)
    for array in arrays:
        array.flags.writeable = False
    return TokenPatch(start, stop, stop, *arrays)


def show(editor: TokenEditor, text: str, sizes: list[int]) -> None:
    """Have an editor show a text in columns, with tokens of these sizes."""
    font = fonts.fixed_font()
    font.setPointSize(11)
    editor.setFont(font)
    editor.setPlainText(text)
    editor.apply_patch(editor.revision, patch_of(text, sizes))
    QApplication.processEvents()
