"""A big text is announced before anybody has counted its UTF-16 units; its tokens may come before its end is in."""

from __future__ import annotations

import pytest

from gui.editor import soft_text_edit, text_transfer
from tests.gui.editor.fake_tokens import patch_of

TEXT = "a line of text 😀\n" * 300


@pytest.fixture(autouse=True)
def small_slices(monkeypatch) -> None:
    monkeypatch.setattr(soft_text_edit, "FEED_ABOVE", 1000)
    monkeypatch.setattr(text_transfer, "FIRST_SLICE", 500)
    monkeypatch.setattr(text_transfer, "_SMALLEST", 300)
    monkeypatch.setattr(text_transfer, "_LARGEST", 700)


def until_loaded(editor, qtbot) -> None:
    qtbot.waitUntil(lambda: not editor.is_loading)


def test_a_prepared_text_is_handed_on_as_it_came(editor, qtbot) -> None:
    heard: list[str] = []
    editor.text_replaced.connect(lambda _revision, text: heard.append(text))
    editor.load_text(TEXT, prepared=True)
    assert len(heard) == 1
    assert heard[0] is TEXT
    until_loaded(editor, qtbot)
    assert editor.toPlainText() == TEXT


def test_tokens_that_come_early_stay(editor, qtbot) -> None:
    patch = patch_of(TEXT)
    editor.load_text(TEXT, prepared=True)
    assert editor.token_at(0) is None, "not those of the text before"
    editor.apply_patch(editor.revision, patch)
    assert editor.is_loading
    assert editor.token_count == len(patch.ids)
    until_loaded(editor, qtbot)
    assert editor.token_count == len(patch.ids)
    assert not editor.tokens_stale


def test_tokens_that_come_late_are_checked_against_the_text(editor, qtbot) -> None:
    editor.load_text(TEXT, prepared=True)
    until_loaded(editor, qtbot)
    editor.apply_patch(editor.revision, patch_of(TEXT + "more"))
    assert editor.token_count == 0
    editor.apply_patch(editor.revision, patch_of(TEXT))
    assert editor.token_count == len(patch_of(TEXT).ids)


def test_tokens_of_another_length_go_when_the_length_is_known(editor, qtbot) -> None:
    editor.load_text(TEXT, prepared=True)
    editor.apply_patch(editor.revision, patch_of(TEXT[:-20]))
    assert editor.token_count > 0
    until_loaded(editor, qtbot)
    assert editor.token_count == 0
    editor.apply_patch(editor.revision, patch_of(TEXT))
    assert editor.token_count == len(patch_of(TEXT).ids)


def test_tokens_of_the_text_before_are_not_shown(editor, qtbot) -> None:
    editor.setPlainText("short")
    editor.apply_patch(editor.revision, patch_of("short"))
    editor.load_text(TEXT, prepared=True)
    assert editor.token_count == 0
    editor.clear_tokens()
    until_loaded(editor, qtbot)
    assert editor.token_count == 0
