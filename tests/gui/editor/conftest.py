from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

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
