"""The colours of a price file, which come over several turns where there is much to colour."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout
from pytestqt.qtbot import QtBot

from gui.look.theme import Theme
from gui.panels import yaml_highlighter
from gui.panels.yaml_highlighter import YamlHighlighter
from tests.patience import PATIENCE_MS
from tests.thoroughness import mostly_deep

LINES = ("models:", "  acme/one: {price: {input: 1.5}}  # ours", '  "naïve 🚀": ~', "", "plain words", "- 2026-01-01")


@pytest.fixture
def theme(qtbot: QtBot) -> Iterator[Theme]:
    theme = Theme("light")
    yield theme
    theme.release()


@pytest.fixture
def document(theme: Theme, monkeypatch: pytest.MonkeyPatch) -> tuple[QTextDocument, YamlHighlighter]:
    monkeypatch.setattr(yaml_highlighter, "CHARACTERS_A_TURN", 300)
    document = QTextDocument()
    document.setDocumentLayout(QPlainTextDocumentLayout(document))
    return document, YamlHighlighter(document, theme)


def colours(block: QTextBlock) -> list[tuple[int, int, str]]:
    return [(one.start, one.length, one.format.foreground().color().name()) for one in block.layout().formats()]


def blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def alone(text: str, theme: Theme) -> list[tuple[int, int, str]]:
    document = QTextDocument(text)
    document.setDocumentLayout(QPlainTextDocumentLayout(document))
    highlighter = YamlHighlighter(document, theme)
    highlighter.rehighlight()
    return colours(document.begin())


def all_coloured(document: QTextDocument, theme: Theme) -> bool:
    known = {text: alone(text, theme) for text in LINES}
    return all(colours(block) == known[block.text()] for block in blocks(document))


def test_few_lines_are_coloured_at_once(document, theme: Theme):
    text, _ = document
    text.setPlainText("\n".join(LINES))
    assert all_coloured(text, theme)


def test_many_lines_are_coloured_over_several_turns(qtbot: QtBot, document, theme: Theme):
    text, _ = document
    text.setPlainText("\n".join(LINES * 100))
    assert not all_coloured(text, theme)
    qtbot.waitUntil(lambda: all_coloured(text, theme), timeout=PATIENCE_MS)


@pytest.mark.deep
def test_another_theme_comes_over_several_turns(qtbot: QtBot, document, theme: Theme):
    text, _ = document
    text.setPlainText("\n".join(LINES * 100))
    qtbot.waitUntil(lambda: all_coloured(text, theme), timeout=PATIENCE_MS)
    theme.set_mode("dark")
    assert not all_coloured(text, theme)
    qtbot.waitUntil(lambda: all_coloured(text, theme), timeout=PATIENCE_MS)


@pytest.mark.parametrize("seed", mostly_deep(range(8), 2))
def test_nothing_is_left_out_where_lines_change_meanwhile(qtbot: QtBot, document, theme: Theme, seed: int):
    text, highlighter = document
    chance = random.Random(seed)
    text.setPlainText("\n".join(LINES * 60))
    for _ in range(12):
        cursor = QTextCursor(text)
        first = text.findBlockByNumber(chance.randrange(text.blockCount()))
        cursor.setPosition(first.position())
        last = text.findBlockByNumber(min(first.blockNumber() + chance.choice((0, 0, 40)), text.blockCount() - 1))
        cursor.setPosition(last.position(), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText("".join(f"{line}\n" for line in chance.choices(LINES, k=chance.choice((0, 1, 80)))))
        if chance.random() < 0.3:
            theme.set_mode(chance.choice(("light", "dark")))
        if chance.random() < 0.5:
            highlighter._go_on()
    qtbot.waitUntil(lambda: all_coloured(text, theme), timeout=PATIENCE_MS)


def _uncoloured(document: QTextDocument, theme: Theme) -> list[int]:
    known = {text: alone(text, theme) for text in LINES}
    return [block.blockNumber() for block in blocks(document) if colours(block) != known[block.text()]]


def test_lines_below_a_change_keep_their_colours(qtbot: QtBot, document, theme: Theme):
    text, _ = document
    text.setPlainText("\n".join(LINES * 100))
    qtbot.waitUntil(lambda: all_coloured(text, theme), timeout=PATIENCE_MS)
    cursor = QTextCursor(text.findBlockByNumber(100))
    cursor.insertText("\n".join(LINES * 20) + "\n")  # more than is coloured at once
    left = _uncoloured(text, theme)
    assert left
    assert set(left) <= set(range(100, 100 + 20 * len(LINES)))


def test_a_key_while_lines_wait_leaves_what_is_coloured(qtbot: QtBot, document, theme: Theme):
    text, highlighter = document
    text.setPlainText("\n".join(LINES * 100))
    for _ in range(10):
        highlighter._go_on()
    before = _uncoloured(text, theme)
    cursor = QTextCursor(text.begin())
    cursor.insertText("models:\n")
    assert _uncoloured(text, theme) == [number + 1 for number in before]


def test_the_end_of_a_long_line_has_no_colours(document, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(yaml_highlighter, "LONGEST_LINE", 10)
    text, _ = document
    text.setPlainText("a: 1  # and a comment")
    assert max(start + length for start, length, _ in colours(text.begin())) <= 10
