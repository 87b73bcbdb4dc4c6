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
from gui.editor.token_painter import TokenRows
from gui.look.theme import Theme
from gui.runtime.pyside_workarounds import let_errors_leave_overrides
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


@pytest.mark.deep
def test_whoever_paints_ends_it_whatever_happens() -> None:
    """Qt ends the process when it goes on while a painter is left behind, and an error holds on to one."""
    left_behind = [
        f"{path.relative_to(GUI)}:{line}: with QPainter(...) as painter"
        for path in sorted(GUI.rglob("*.py"))
        for line in unmanaged_painters(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not left_behind, "\n" + "\n".join(left_behind)


def unmanaged_painters(tree: ast.Module) -> list[int]:
    """Return the lines of painters that no ``with`` ends."""
    nodes = list(ast.walk(tree))
    managed = {id(item.context_expr) for node in nodes if isinstance(node, ast.With) for item in node.items}
    calls = (node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
    return [call.lineno for call in calls if call.func.id == "QPainter" and id(call) not in managed]


def test_a_painter_that_nothing_ends_is_found() -> None:
    code = "with QPainter(one) as painter:\n    paint(painter)\nother = QPainter(two)\n"
    assert unmanaged_painters(ast.parse(code)) == [3]
