"""The engine answers late and in one go for several edits, as a busy worker does; in the end every token is right."""

from __future__ import annotations

import random

import pytest

from engine import EditedText
from engine.library import bundled_encodings
from tests.gui.editor.sessions import Session
from tests.thoroughness import mostly_deep


@pytest.mark.parametrize("seed", mostly_deep([*range(12), 539], 6))
def test_tokens_agree_with_a_fresh_encoding(qapp, seed: int) -> None:
    # Of its own: whether another test had it use the kernels, whose patches are narrower, decides nothing here.
    encoding = bundled_encodings.Catalog(bundled_encodings.DATA_DIR).get("cl100k_base")
    if seed % 2:
        encoding.use_kernels()
    session = Session(seed)
    editor = session.editor
    worker = EditedText(encoding)
    waiting: list[tuple[int, tuple]] = []
    editor.apply_patch(editor.revision, worker.reset(editor.toPlainText()))
    editor.edited.connect(lambda revision, edits: waiting.append((revision, edits)))

    def answer(count: int) -> None:
        batch = waiting[:count]
        del waiting[:count]
        if batch:
            editor.apply_patch(batch[-1][0], worker.apply([edit for _, edits in batch for edit in edits]))

    rnd = random.Random(seed)
    for _ in range(60):
        session.step()
        if rnd.random() < 0.5:
            answer(rnd.randint(1, max(1, len(waiting))))
    answer(len(waiting))
    assert not editor.tokens_stale
    view = editor._tracker.spans.slice(0, len(editor._tracker.spans))
    fresh = EditedText(encoding).reset(editor.toPlainText())
    assert view.ids.tolist() == fresh.ids.tolist()
    assert view.ends.tolist() == fresh.utf16_ends.tolist()
    assert (view.flags.astype(bool)).tolist() == fresh.continues.tolist()
    assert not (view.colours[1:] == view.colours[:-1]).any()
    session.close()
