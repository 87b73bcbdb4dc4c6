"""An error while something is painted is told like any other; it never ends the process."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

GUI = Path(__file__).resolve().parents[2] / "gui"

FAILING = """
import sys
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication
from gui.editor.token_editor import TokenEditor
from gui.editor.token_rows import TokenRows
from gui.look.theme import Theme
from gui.override_errors import let_errors_leave_overrides
from tests.gui.editor.fake_tokens import show

def fail(*_given):
    raise ValueError("nothing is painted")

let_errors_leave_overrides()
application = QApplication(["painting"])
told = []
sys.excepthook = lambda kind, error, trace: told.append(error)
editor = TokenEditor()
editor.set_palette(Theme().token_palette())
TokenRows.draw = fail
editor.show()
show(editor, "a text of some words", [3])
for width in range(300, 340):
    editor.resize(width, width)
    editor.viewport().update()
    loop = QEventLoop()
    QTimer.singleShot(1, loop.quit)
    loop.exec()
print(len(told) > 10)
"""


def test_painting_that_fails_again_and_again_ends_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", FAILING], cwd=GUI.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "True"
    assert "active painter" not in done.stderr


@pytest.mark.parametrize("path", sorted(GUI.rglob("*.py")), ids=lambda path: str(path.relative_to(GUI)))
def test_whoever_paints_ends_it_whatever_happens(path: Path):
    """Qt ends the process when it goes on while a painter is left behind, and an error holds on to one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    managed = {id(item.context_expr) for node in ast.walk(tree) if isinstance(node, ast.With) for item in node.items}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "QPainter":
            assert id(node) in managed, f"line {node.lineno}: with QPainter(...) as painter"
