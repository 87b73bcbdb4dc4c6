"""A text of which an encoding makes no token at all, as some do of white space."""

from __future__ import annotations

import numpy as np

from engine.types import TokenPatch
from gui.editor.token_editor import TokenEditor
from tests.gui.editor.fake_tokens import patch_of


def nothing_for(length: int) -> TokenPatch:
    none = np.empty(0, np.int32)
    return TokenPatch(0, length, length, none, none, np.empty(0, np.bool_))


def test_the_tokens_of_before_go(make_editor) -> None:
    editor: TokenEditor = make_editor()
    editor.setPlainText("      ")
    editor.apply_patch(editor.revision, patch_of("      ", [2]))
    assert editor.token_count == 3
    editor.apply_patch(editor.revision, nothing_for(6))
    assert editor.token_count == 0
    assert editor.token_at(2) is None
    assert not editor.tokens_stale


def test_tokens_come_again_with_the_next_text(make_editor) -> None:
    editor: TokenEditor = make_editor()
    editor.setPlainText("      ")
    editor.apply_patch(editor.revision, nothing_for(6))
    editor.insertPlainText("abc")
    editor.apply_patch(editor.revision, patch_of("abc      ", [3]))
    assert editor.token_count == 3
