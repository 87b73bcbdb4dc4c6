from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from gui.editor import text_transfer, undo_steps
from gui.editor.token_editor import TokenEditor
from gui.look.theme import Theme


@pytest.fixture
def make_editor(qtbot) -> Iterator[Callable[..., TokenEditor]]:
    """Editors on the screen, in the light palette."""
    made: list[TokenEditor] = []

    def make(text: str = "", *, palette: str = "standard", **options: object) -> TokenEditor:
        editor = TokenEditor(**options)
        qtbot.addWidget(editor)
        editor.set_palette(Theme("light").token_palette(palette))
        editor.resize(600, 300)
        editor.setPlainText(text)
        with qtbot.waitExposed(editor):
            editor.show()
        made.append(editor)
        return editor

    yield make
    for editor in made:
        editor.close()


@pytest.fixture
def editor(make_editor) -> TokenEditor:
    return make_editor()


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_transfer, "MUCH_UNITS", 100)
    monkeypatch.setattr(text_transfer, "FIRST_PART", 100)
    monkeypatch.setattr(text_transfer, "_LARGEST_PART", 100)
    monkeypatch.setattr(text_transfer, "_SMALLEST_PART", 100)
    monkeypatch.setattr(undo_steps, "_TURN_SECONDS", 0.0)


@pytest.fixture
def feeding(monkeypatch: pytest.MonkeyPatch) -> None:
    from gui.editor import soft_text_edit

    monkeypatch.setattr(soft_text_edit, "FEED_ABOVE", 1000)
    monkeypatch.setattr(text_transfer, "FIRST_SLICE", 300)
    monkeypatch.setattr(text_transfer, "_LARGEST", 300)
