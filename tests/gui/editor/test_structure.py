"""What the program's start and its long life rely on."""

from __future__ import annotations

import subprocess
import sys

from PySide6.QtWidgets import QLabel

HEAVY = ("numpy", "pyqtgraph", "tiktoken", "numba", "regex", "engine.encoding.encoding", "pricing")


def loaded_by(*modules: str) -> set[str]:
    code = f"import sys\nfor m in {modules!r}: __import__(m)\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_editor_loads_nothing_heavy() -> None:
    loaded = loaded_by("gui.editor.token_editor", "gui.editor.token_card")
    assert "PySide6.QtWidgets" in loaded
    assert not loaded & set(HEAVY)


def test_offsets_and_tokens_load_no_qt() -> None:
    loaded = loaded_by("gui.editor.offsets", "gui.editor.token_spans", "gui.editor.token_tracker")
    assert not [name for name in loaded if name.startswith(("PySide6", "shiboken6"))]


def test_calls_into_qt_do_not_use_up_none(qapp) -> None:
    """A binding that drops a reference to None with each call kills the process after some thousand of them."""
    label = QLabel()
    before = sys.getrefcount(None)
    for _ in range(1000):
        label.setObjectName("x")
    assert abs(sys.getrefcount(None) - before) <= 50


def test_typing_never_reads_the_whole_text(make_editor, qtbot, monkeypatch) -> None:
    from PySide6.QtTest import QTest

    from gui.editor.soft_document import SoftDocument

    editor = make_editor("some text\n" * 2000)
    read: list[int] = []
    original = SoftDocument._read

    def counted(self, start: int, end: int, **options: bool) -> str:
        read.append(end - start)
        return original(self, start, end, **options)

    monkeypatch.setattr(SoftDocument, "_read", counted)
    monkeypatch.setattr(SoftDocument, "text", None)
    QTest.keyClicks(editor, "abc")
    QTest.keyClick(editor, "\b")
    assert read == [1, 1, 1]
