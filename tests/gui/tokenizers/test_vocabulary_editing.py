"""Entries of the user's own encodings, removed and renamed from the page Vocabulary."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QInputDialog, QMessageBox

import engine
from tests.gui.tokenizers.vocabulary_windows import browse

pytestmark = pytest.mark.pages("vocabularyTab")

TEXT = "the weather there, the other leather "


def asked(qtbot, bench) -> QMessageBox:
    def box() -> QMessageBox | None:
        return bench.window.findChild(QMessageBox, "vocabEditDialog")

    qtbot.waitUntil(lambda: box() is not None and box().isVisible())
    return box()


def agree(box: QMessageBox) -> None:
    next(button for button in box.buttons() if box.buttonRole(button) == box.ButtonRole.AcceptRole).click()


def test_an_entry_is_removed_when_its_cost_was_seen(qtbot, open_window, trainer_kernels):
    bench = open_window()
    trained = engine.train(TEXT * 20, 330, "mine", special_tokens=("<end>",))
    bench.user_encodings.keep(trained)
    bench.prompt.replace_all(TEXT)
    panel = browse(qtbot, bench, "mine")
    detail, flow = panel.detail, bench.pages.vocabulary.browser
    the = trained.encode_single_token(" the")
    flow.go_to(the)
    qtbot.waitUntil(lambda: detail.token_id == the and not detail.remove.isHidden())
    assert detail.rename.isHidden()
    detail.remove.click()
    box = asked(qtbot, bench)
    assert box.text() == "Remove “·the” from mine?"
    assert f"Your prompt: {trained.count(TEXT)} → " in box.informativeText()
    assert "saved as mine-2; mine stays" in box.informativeText()
    agree(box)
    qtbot.waitUntil(lambda: flow.vocabulary.name == "mine-2")
    assert the not in flow.vocabulary.encoding.encode(TEXT)
    assert engine.get_encoding("mine").encode(TEXT) == trained.encode(TEXT)

    flow.go_to(trained.n_vocab - 1)
    qtbot.waitUntil(lambda: detail.token_id == trained.n_vocab - 1 and not detail.rename.isHidden())
    detail.rename.click()
    dialog = bench.window.findChild(QInputDialog, "vocabRenameDialog")
    dialog.setTextValue("<stop>")
    dialog.accept()
    qtbot.waitUntil(lambda: asked(qtbot, bench).text() == "Rename “<end>” to “<stop>”?")
    agree(asked(qtbot, bench))
    qtbot.waitUntil(lambda: flow.vocabulary.name not in ("mine", "mine-2"))
    assert flow.vocabulary.encoding.special_tokens_set == {"<stop>"}


def test_a_bundled_vocabulary_is_not_changed(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "gpt2")
    bench.pages.vocabulary.browser.go_to(1000)
    qtbot.waitUntil(lambda: panel.detail.token_id == 1000)
    assert panel.detail.remove.isHidden()
    assert panel.detail.rename.isHidden()
