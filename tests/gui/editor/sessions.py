"""Random editing sessions, checked after every step.

The editor under test has a tiny soft limit, so that most of what happens, happens at soft breaks. Beside it a bare
``QPlainTextEdit`` holds the same text without any: wherever the two must agree, it is the oracle for text, caret and
selection. A mirror kept from the editor's signals must equal its text at all times.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt
from PySide6.QtGui import QDropEvent, QInputMethodEvent, QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from gui.editor.offsets import document_text
from gui.editor.soft_document import for_qt
from gui.editor.token_editor import TokenEditor

LIMIT = 32
KEEP = QTextCursor.MoveMode.KeepAnchor
NO, SHIFT, CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
TYPED = ["x", "a b", "é", "😀", "שלום", "中文", "e\u0301", "👩\u200d👩\u200d👧", "🇩🇪", "\u00a0", "\u2028", "한글", " "]
PASTED = [
    "foo",
    "a\nb",
    "one\r\ntwo\rthree\n",
    "long word " * 12,
    "z" * 90,
    "😀" * 40,
    "é" * 3 + "\n" + "ü" * 50 + "\n" + "ö",
    "\ufeffbom",
    "\ufffeswapped",
    "x\ud83dy",
    "a\u2029b\ufdd0c",
    "שלום עולם " * 6,
    "e\u0301" * 40,
    "👩\u200d👩\u200d👧" * 8,
    "\n\n",
    "",
    "end\ud800",
]
START = (
    "short\n" + "The quick brown fox jumps over the lazy dog. " * 4 + "\n" + "😀é中" * 30 + "\n" + "q" * 100 + "\nlast"
)


def units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def utf16(text: str) -> int:
    return len(units(text)) // 2


def spliced(text: str, start: int, removed: int, inserted: str) -> str:
    raw = units(text)
    return (raw[: 2 * start] + units(inserted) + raw[2 * (start + removed) :]).decode("utf-16-le")


class Mirror:
    """What somebody knows who only listens to the editor's signals."""

    def __init__(self, editor: TokenEditor) -> None:
        self.text = editor.toPlainText()
        self.revision = editor.revision
        self.emissions = 0
        editor.edited.connect(self.edit)
        editor.text_replaced.connect(self.replace)

    def edit(self, revision: int, edits: object) -> None:
        assert revision == self.revision + 1
        assert isinstance(edits, tuple)
        assert edits
        self.revision = revision
        self.emissions += 1
        for edit in edits:
            assert edit.utf16_removed or edit.inserted
            self.text = spliced(self.text, edit.utf16_start, edit.utf16_removed, edit.inserted)

    def replace(self, revision: int, text: str) -> None:
        assert revision == self.revision + 1
        self.revision = revision
        self.emissions += 1
        self.text = text


@dataclass
class Session:
    """One editor, its mirror and its oracle."""

    seed: int
    limit: int = LIMIT
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.idle_steps = 0
        self.editor = TokenEditor(soft_limit=self.limit)
        self.bare = QPlainTextEdit()
        for widget in (self.editor, self.bare):
            widget.resize(400, 300)
        self.editor.setPlainText(START)
        self.mirror = Mirror(self.editor)
        self.follow()

    def close(self) -> None:
        self.editor.deleteLater()
        self.bare.deleteLater()

    # --- the oracle

    def follow(self) -> None:
        """Give the oracle the editor's text and selection."""
        self.bare.setPlainText(for_qt(self.editor.toPlainText()))
        self.follow_selection()

    def follow_selection(self) -> None:
        cursor = self.editor.textCursor()
        other = self.bare.textCursor()
        logical = self.editor._soft.to_logical
        other.setPosition(logical(cursor.anchor()))
        other.setPosition(logical(cursor.position()), KEEP)
        self.bare.setTextCursor(other)

    def bare_text(self) -> str:
        return self.bare.document().toRawText().replace("\u2029", "\n")

    def key(self, key: int, modifiers: Qt.KeyboardModifier = NO, text: str = "") -> None:
        for widget in (self.editor, self.bare):
            QApplication.sendEvent(widget, QKeyEvent(QEvent.Type.KeyPress, key, modifiers, text))

    # --- steps; each returns whether the oracle did the same

    def step(self) -> None:
        names = [name for name in dir(self) if name.startswith("do_")]
        name = self.random.choice(names)
        self.log.append(name)
        self.place()
        text, steps = self.editor.toPlainText(), self.editor.document().availableUndoSteps()
        compare = getattr(self, name)()
        self.editor.steps.finish()
        self.editor._soft.settle()
        if name not in ("do_undo", "do_redo"):
            self.check_directions()
        if text == self.editor.toPlainText() and steps < self.editor.document().availableUndoSteps():
            self.idle_steps += 1  # something was replaced by its like, or a format changed
        if name in ("do_foreign_cursor", "do_half_a_character"):
            self.idle_steps += 3  # Qt lets nothing join what others do, so that settling is a step of its own
        self.check(compare is not False)

    def place(self) -> None:
        """Put the caret or a selection somewhere, often at a soft break."""
        rnd, length = self.random, self.editor.text_length
        if rnd.random() < 0.3:
            return
        breaks = [self.editor._soft.to_logical(at) for at in self.editor._soft._breaks.between(0, 1 << 30)]
        start = rnd.choice(breaks) if breaks and rnd.random() < 0.6 else rnd.randint(0, length)
        end = start
        if rnd.random() < 0.35:
            end = rnd.choice(breaks) if breaks and rnd.random() < 0.3 else start + rnd.choice([1, 2, 5, -1, -3, 40, 90])
        self.editor.select_range(start, end)
        self.log.append(f"  at {self.editor.selected_range()}")
        if rnd.random() < 0.5 and start == end:
            # The same place on the other side of the break.
            cursor = self.editor.textCursor()
            if self.editor._soft.is_break(cursor.position() - 1):
                cursor.setPosition(cursor.position() - 1)
                self.editor.setTextCursor(cursor)
        self.follow_selection()

    def do_type(self) -> None:
        for character in self.random.choice(TYPED):
            self.key(0, NO, character)

    def do_enter(self) -> None:
        self.key(Qt.Key.Key_Return, NO, "\r")

    def do_shift_enter(self) -> None:
        QApplication.sendEvent(self.editor, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, SHIFT, "\r"))
        self.bare.textCursor().insertText("\n")

    def do_backspace(self) -> None:
        for _ in range(self.random.choice([1, 1, 3])):
            self.key(Qt.Key.Key_Backspace)

    def do_delete(self) -> None:
        for _ in range(self.random.choice([1, 1, 3])):
            self.key(Qt.Key.Key_Delete)

    def do_delete_word(self) -> None:
        self.key(self.random.choice([Qt.Key.Key_Backspace, Qt.Key.Key_Delete]), CTRL)

    def do_move(self) -> None:
        key = self.random.choice([Qt.Key.Key_Left, Qt.Key.Key_Right])
        modifiers = self.random.choice([NO, SHIFT])
        for _ in range(self.random.choice([1, 2, 6])):
            self.key(key, modifiers)

    def do_move_word(self) -> bool:
        """Words are Qt's in one piece; across breaks inside them only the text is compared."""
        key = self.random.choice([Qt.Key.Key_Left, Qt.Key.Key_Right])
        self.key(key, self.random.choice([CTRL, CTRL | SHIFT]))
        self.follow_selection()
        return True

    def do_document_ends(self) -> None:
        self.key(self.random.choice([Qt.Key.Key_Home, Qt.Key.Key_End]), self.random.choice([CTRL, CTRL | SHIFT]))

    def do_line_ends(self) -> bool:
        key = self.random.choice([Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Up, Qt.Key.Key_Down])
        event = QKeyEvent(QEvent.Type.KeyPress, key, self.random.choice([NO, SHIFT]))
        QApplication.sendEvent(self.editor, event)  # by lines of the screen: the oracle's are others
        self.follow_selection()
        return True

    def do_paste(self) -> None:
        text = self.random.choice(PASTED)
        data = QMimeData()
        data.setText(for_qt(text))
        # A lone surrogate does not survive the clipboard; give the text itself where there is one.
        if utf16(data.text()) == utf16(text):
            self.editor.insertFromMimeData(data)
        else:
            self.editor.insertPlainText(text)
        self.bare.textCursor().insertText(for_qt(document_text(text)))

    def do_cut(self) -> None:
        start, end = self.editor.selected_range()
        if start != end and self.random.random() < 0.4:
            selected = self.editor.selected_text()
            assert self.editor.createMimeDataFromSelection().text() == selected
            QApplication.sendEvent(self.editor, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_X, CTRL))
            self.bare.textCursor().removeSelectedText()
            assert QApplication.clipboard().text() == selected, (QApplication.clipboard().text(), selected)

    def do_copy(self) -> None:
        start, end = self.editor.selected_range()
        if start != end:
            self.editor.copy()
            assert units(QApplication.clipboard().text()) == units(self.editor.toPlainText())[2 * start : 2 * end]

    def do_compose(self) -> None:
        before = self.mirror.emissions
        had_selection = self.editor.textCursor().hasSelection()
        for preedit in ("n", "ni", "nih"):
            for widget in (self.editor, self.bare):
                QApplication.sendEvent(widget, QInputMethodEvent(preedit, []))
        if not had_selection:
            assert self.mirror.emissions == before, "composing is not editing"
        commit = self.random.choice(["你", "", "好😀", "日本"])
        for widget in (self.editor, self.bare):
            event = QInputMethodEvent("", [])
            event.setCommitString(commit)
            QApplication.sendEvent(widget, event)

    def do_drop_copy(self) -> None:
        data = QMimeData()
        data.setText("dropped text")
        point = QPointF(self.random.randint(0, 300), self.random.randint(0, 250))
        at = self.editor._soft.to_logical(self.editor.cursorForPosition(point.toPoint()).position())
        event = QDropEvent(point, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, NO)
        self.editor.dropEvent(event)
        cursor = self.bare.textCursor()
        cursor.setPosition(at)
        cursor.insertText("dropped text")
        self.bare.setTextCursor(cursor)

    def do_drag(self) -> bool:
        start, end = self.editor.selected_range()
        if start == end:
            return True
        to = self.random.randint(0, self.editor.text_length)
        to = self.editor._clamp(to)
        text = self.editor.toPlainText()
        expected = text
        if not start <= to <= end:
            moved = units(text)[2 * start : 2 * end].decode("utf-16-le")
            expected = spliced(text, start, end - start, "")
            expected = spliced(expected, to if to < start else to - (end - start), 0, moved)
        self.editor.move_selection(to)
        assert self.editor.toPlainText() == expected
        self.follow()
        return True

    def do_replace(self) -> bool:
        rnd = self.random
        start, end = self.editor.selected_range()
        text = rnd.choice(["", "r", "new\ntext", "w" * 70])
        expected = spliced(self.editor.toPlainText(), start, end - start, text)
        self.editor.replace_range(start, end, text)
        self.editor.steps.finish()
        assert self.editor.toPlainText() == expected
        self.follow()
        return True

    def do_undo(self) -> bool:
        return self.history(Qt.Key.Key_Z)

    def do_redo(self) -> bool:
        return self.history(Qt.Key.Key_Y)

    def history(self, key: Qt.Key) -> bool:
        for _ in range(self.random.choice([1, 1, 2, 5])):
            if self.random.random() < 0.7:
                QApplication.sendEvent(self.editor, QKeyEvent(QEvent.Type.KeyPress, key, CTRL))
            elif key == Qt.Key.Key_Z:
                self.editor.document().undo()
            else:
                self.editor.document().redo()
            self.editor.steps.finish()
        self.follow()
        return True

    def do_foreign_cursor(self) -> None:
        """Somebody edits through a cursor of his own, as assistive tools do."""
        cursor = self.editor.textCursor()
        text = self.random.choice(["", "f", "x\ny\nz"])
        cursor.insertText(text) if text else cursor.removeSelectedText()
        other = self.bare.textCursor()
        other.insertText(text) if text else other.removeSelectedText()

    def do_format(self) -> None:
        """A change of format is not an edit."""
        before = self.mirror.emissions
        cursor = QTextCursor(self.editor.document())
        cursor.select(QTextCursor.SelectionType.Document)
        shape = QTextCharFormat()
        shape.setFontItalic(self.random.random() < 0.5)
        cursor.mergeCharFormat(shape)
        assert self.mirror.emissions == before

    def do_half_a_character(self) -> bool:
        """Somebody deletes half of a surrogate pair."""
        document = self.editor.document()
        halves = [at for at in range(document.characterCount() - 1) if "\ud800" <= document.characterAt(at) <= "\udfff"]
        if halves:
            at = self.random.choice(halves)
            cursor = QTextCursor(document)
            cursor.setPosition(at)
            cursor.setPosition(at + 1, KEEP)
            cursor.removeSelectedText()
            # Qt may report a halved pair as text once more before the rest of it is replaced.
        return False

    # --- what must hold after every step, and in the end

    def rewind(self) -> None:
        """Undoing everything leads to the text of the beginning, redoing everything back to that of the end."""
        document = self.editor.document()
        while document.isRedoAvailable():
            document.redo()
        end = self.editor.toPlainText()
        while document.isUndoAvailable():
            before = self.editor.toPlainText()
            document.undo()
            self.check(False)
            self.idle_steps -= self.editor.toPlainText() == before
        assert self.idle_steps >= 0, "there were steps to undo that changed nothing"
        assert self.editor.toPlainText() == START
        while document.isRedoAvailable():
            document.redo()
        self.check(False)
        assert self.editor.toPlainText() == end

    def check(self, compare: bool) -> None:
        editor = self.editor
        editor._soft.settle()
        text = editor.toPlainText()
        assert self.mirror.text == text
        assert self.mirror.revision == editor.revision
        assert editor._soft._mirror.text() == text
        assert editor.text_length == utf16(text)
        self.check_breaks()
        if not compare:
            self.follow()
            return
        assert text == self.bare_text()
        cursor, other = editor.textCursor(), self.bare.textCursor()
        logical = editor._soft.to_logical
        here = logical(cursor.anchor()), logical(cursor.position())
        assert here == (other.anchor(), other.position()), (here, other.anchor(), other.position())

    def check_breaks(self) -> None:
        soft = self.editor._soft
        block = self.editor.document().begin()
        marked: list[int] = []
        while block.isValid():
            assert block.length() - 1 <= 3 * self.limit
            if soft.number_of(block) and block.position():
                marked.append(block.position() - 1)
            block = block.next()
        assert marked == soft._breaks.between(0, 1 << 30)

    def check_directions(self) -> None:
        """The pieces of a line are written in the direction of its first."""
        soft = self.editor._soft
        block = self.editor.document().begin()
        while block.isValid():
            behind = block.next()
            if soft.number_of(behind):
                assert block.textDirection() == behind.textDirection(), (block.text(), behind.text())
            block = behind


def run(seed: int, steps: int, limit: int = LIMIT) -> None:
    """One session; on failure the steps that led there are in the error."""
    session = Session(seed, limit)
    try:
        for _ in range(steps):
            session.step()
        session.rewind()
    except AssertionError as error:
        raise AssertionError(f"seed {seed}, step {len(session.log)}: {session.log[-6:]}: {error}") from error
    finally:
        session.close()
