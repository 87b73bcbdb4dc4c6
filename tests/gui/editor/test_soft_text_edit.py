"""What the editor does with texts, as a person and a program see it."""

from __future__ import annotations

import weakref

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QImage, QTextCursor
from PySide6.QtTest import QTest

from engine.types import TextEdit
from gui.editor import soft_text_edit, text_transfer, undo_steps
from gui.editor.soft_breaks import SOFT_LIMIT
from gui.editor.soft_document import SoftDocument
from tests.gui.editor.sessions import Mirror

ODD = [
    "",
    "plain",
    "\ufeffa byte order mark first",
    "\ufffeswapped",
    "\ufeff",
    "nbsp\u00a0and line separator\u2028and nul\0 and object \ufffc",
    "😀👩\u200d👩\u200d👧 e\u0301 שלום",
    "\n\n",
    "trailing\n",
    "x" * 10_000,
    ("word " * 3000 + "\n") * 2,
    "\ufeff" * 6000,
    "😀" * 6000,
]


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_texts_come_back_as_they_went_in(editor, text: str) -> None:
    editor.setPlainText(text)
    assert editor.toPlainText() == text
    editor.setPlainText("before after")
    editor.replace_range(7, 7, text)
    assert editor.toPlainText() == f"before {text}after"
    editor.selectAll()
    assert editor.createMimeDataFromSelection().text() == f"before {text}after"


@pytest.mark.parametrize(
    ("given", "held"),
    [("a\r\nb\rc", "a\nb\nc"), ("\ud83dx", "\ufffdx"), ("\ufdd0\u2029", "\ufffd\n")],
)
def test_what_qt_cannot_hold_is_replaced_beforehand(editor, given: str, held: str) -> None:
    heard: list[str] = []
    editor.text_replaced.connect(lambda _revision, text: heard.append(text))
    editor.setPlainText(given)
    assert editor.toPlainText() == held
    assert heard == [held]
    editor.insertPlainText(given)
    assert editor.toPlainText() == held + held


def test_the_signals_say_what_happened(editor) -> None:
    editor.setPlainText("one two")
    heard: list[tuple] = []
    editor.edited.connect(lambda revision, edits: heard.append((revision, edits)))
    first = editor.revision
    editor.select_range(3, 3)
    QTest.keyClicks(editor, "!")
    editor.replace_range(0, 3, "ONE\n😀")
    editor.undo()
    assert heard == [
        (first + 1, (TextEdit(3, 0, "!"),)),
        (first + 2, (TextEdit(0, 3, "ONE\n😀"),)),
        (first + 3, (TextEdit(0, 6, "one"),)),
    ]


def test_replacing_says_only_what_differs(editor) -> None:
    editor.setPlainText("one two three")
    heard: list[object] = []
    editor.edited.connect(lambda _revision, edits: heard.append(edits))
    editor.replace_range(0, 13, "one 2 three")
    assert heard == [(TextEdit(4, 3, "2"),)]
    editor.replace_range(0, 3, "one")
    assert len(heard) == 1


def test_long_lines_are_cut_and_nobody_notices(editor) -> None:
    line = "0123456789" * 5000
    editor.setPlainText(line + "\nnext")
    document = editor.document()
    assert document.blockCount() > 10
    assert all(document.findBlockByNumber(n).length() <= SOFT_LIMIT + 1 for n in range(document.blockCount()))
    assert editor.line_count == 2
    assert editor.text_length == len(line) + 5
    editor.go_to_line(2)
    assert editor.caret_offset() == len(line) + 1
    assert editor.caret_line == 2
    editor.go_to_line(1)
    assert editor.caret_offset() == 0
    editor.select_range(4090, 4110)
    assert editor.selected_range() == (4090, 4110)
    assert editor.selected_text() == line[4090:4110]
    assert editor.text_between(2040, 2060) == line[2040:2060]


def test_typing_makes_a_long_line_into_pieces(editor) -> None:
    editor.setPlainText("y" * (SOFT_LIMIT - 2))
    editor.select_range(100, 100)
    QTest.keyClicks(editor, "abcd")
    assert editor.document().blockCount() > 1
    assert editor.toPlainText() == "y" * 100 + "abcd" + "y" * (SOFT_LIMIT - 102)
    while editor.document().isUndoAvailable():
        before = editor.toPlainText()
        editor.undo()
        assert editor.toPlainText() != before, "a step that changes nothing"
    assert editor.toPlainText() == "y" * (SOFT_LIMIT - 2)
    while editor.document().isRedoAvailable():
        editor.redo()
    assert "abcd" in editor.toPlainText()


def test_the_caret_needs_one_key_to_pass_a_break(make_editor) -> None:
    editor = make_editor("a" * 100, soft_limit=32)
    for offset in range(1, 101):
        QTest.keyClick(editor, Qt.Key.Key_Right)
        assert editor.caret_offset() == offset
    for offset in range(99, -1, -1):
        QTest.keyClick(editor, Qt.Key.Key_Left)
        assert editor.caret_offset() == offset
    for _ in range(100):
        QTest.keyClick(editor, Qt.Key.Key_Delete)
    assert editor.toPlainText() == ""


def test_a_word_across_breaks_is_one_word(make_editor) -> None:
    editor = make_editor("first " + "w" * 100 + " last", soft_limit=32)
    editor.select_range(6, 6)
    QTest.keyClick(editor, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert editor.caret_offset() == 107
    QTest.keyClick(editor, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert editor.caret_offset() == 6
    point = editor.cursorRect().center() + QPoint(30, 0)
    QTest.mouseDClick(editor.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert editor.selected_range() == (6, 106)


def test_three_clicks_select_the_line(make_editor) -> None:
    editor = make_editor("above\n" + "w" * 100 + "\nbelow", soft_limit=32)
    editor.select_range(40, 40)
    point = editor.cursorRect().center() + QPoint(10, 0)
    QTest.mouseDClick(editor.viewport(), Qt.MouseButton.LeftButton, pos=point)
    QTest.mousePress(editor.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert editor.selected_text().strip("\n") == "w" * 100
    QTest.mouseRelease(editor.viewport(), Qt.MouseButton.LeftButton, pos=point)


def test_shift_enter_is_a_newline(editor) -> None:
    QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert editor.toPlainText() == "\n"


def test_pieces_are_written_in_the_direction_of_their_line(make_editor) -> None:
    editor = make_editor("latin first " + "שלום עולם " * 10, soft_limit=32)
    document = editor.document()
    directions = {document.findBlockByNumber(n).textDirection() for n in range(document.blockCount())}
    assert directions == {Qt.LayoutDirection.LeftToRight}
    editor.replace_range(0, 0, "שלום ")
    directions = {document.findBlockByNumber(n).textDirection() for n in range(document.blockCount())}
    assert directions == {Qt.LayoutDirection.RightToLeft}


def test_a_line_joined_to_one_of_another_direction_takes_that_of_the_first(make_editor) -> None:
    editor = make_editor("latin first\n" + "שלום עולם " * 20, soft_limit=32)
    assert editor.document().blockCount() > 5
    at = len("latin first")
    editor.replace_range(at, at + 1, "")
    document = editor.document()
    directions = {document.findBlockByNumber(n).textDirection() for n in range(document.blockCount())}
    assert directions == {Qt.LayoutDirection.LeftToRight}


def test_a_key_in_a_long_line_looks_at_few_of_its_pieces(make_editor, monkeypatch) -> None:
    editor = make_editor("word " * 4000, soft_limit=32)
    assert editor.document().blockCount() > 500
    editor.select_range(9000, 9000)
    looked_at: list[int] = []
    original = SoftDocument.number_of

    def counted(self, block) -> int:
        looked_at.append(block.position())
        return original(self, block)

    monkeypatch.setattr(SoftDocument, "number_of", counted)
    before = editor.document().blockCount()
    QTest.keyClicks(editor, "a" * 40)  # enough to have a piece cut
    assert editor.document().blockCount() > before
    assert len(looked_at) < 40 * 25


def test_a_key_is_told_before_anything_is_done_for_it(editor) -> None:
    heard: list[str] = []
    editor.typing.connect(lambda: heard.append(f"typing in {editor.toPlainText()!r}"))
    editor.edited.connect(lambda *_: heard.append("edited"))
    QTest.keyClicks(editor, "ab")
    assert heard == ["typing in ''", "edited", "typing in 'a'", "edited"]


def test_a_read_only_editor_takes_no_text(editor) -> None:
    editor.setPlainText("fixed")
    editor.setReadOnly(True)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.keyClicks(editor, "x")
    QGuiApplication.clipboard().setText("pasted")
    editor.paste()
    assert editor.toPlainText() == "fixed"


def drop(editor, data: QMimeData) -> None:
    action = Qt.DropAction.CopyAction
    event = QDropEvent(QPointF(5, 5), action, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    editor.dropEvent(event)
    assert event.isAccepted()


def test_dropped_files_are_announced_and_not_written_into_the_text(editor, tmp_path) -> None:
    path = tmp_path / "a prompt.txt"
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    data.setText(str(path))
    heard: list[list[str]] = []
    editor.files_dropped.connect(heard.append)
    drop(editor, data)
    editor.insertFromMimeData(data)
    assert heard == [[str(path)], [str(path)]]
    assert editor.toPlainText() == ""


def test_a_dropped_address_is_text(editor) -> None:
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/")])
    data.setText("https://example.org/")
    drop(editor, data)
    assert editor.toPlainText() == "https://example.org/"


def test_moving_a_selection_is_one_step(editor) -> None:
    editor.setPlainText("one two three")
    editor.select_range(0, 4)
    editor.move_selection(8)
    assert editor.toPlainText() == "two one three"
    assert editor.selected_text() == "one "
    editor.undo()
    assert editor.toPlainText() == "one two three"


@pytest.mark.parametrize("kind", ["text/plain", "text/plain;charset=utf-8"])
@pytest.mark.parametrize("text", ["", "plain", "é\r\n😀"])
def test_bytes_that_are_offered_are_text(editor, kind: str, text: str) -> None:
    data = QMimeData()
    data.setData(kind, text.encode())
    editor.insertFromMimeData(data)
    assert editor.toPlainText() == text.replace("\r\n", "\n") == data.text().replace("\r\n", "\n")


def test_a_picture_takes_no_place_of_text(editor) -> None:
    editor.setPlainText("one two")
    editor.selectAll()
    data = QMimeData()
    data.setImageData(QImage(2, 2, QImage.Format.Format_RGB32))
    editor.insertFromMimeData(data)
    assert editor.toPlainText() == "one two"


class TestBigTexts:
    @pytest.fixture(autouse=True)
    def small_slices(self, monkeypatch) -> None:
        monkeypatch.setattr(soft_text_edit, "FEED_ABOVE", 1000)
        monkeypatch.setattr(text_transfer, "FIRST_SLICE", 500)
        monkeypatch.setattr(text_transfer, "_SMALLEST", 300)
        monkeypatch.setattr(text_transfer, "_LARGEST", 700)
        monkeypatch.setattr(text_transfer, "CHUNK", 2000)

    TEXT = "\ufeffline of text 😀\r\n" * 300 + "é" * 9000 + "\ufffe end"
    HELD = TEXT.replace("\r\n", "\n")

    def test_loading(self, editor, qtbot) -> None:
        mirror = Mirror(editor)
        progress: list[tuple[int, int]] = []
        editor.load_progress.connect(lambda done, of: progress.append((done, of)))
        with qtbot.waitSignal(editor.load_finished) as finished:
            editor.load_text(self.TEXT)
            assert editor.is_loading
            assert mirror.text == self.HELD == editor.toPlainText(), "announced at once"
            assert editor.isReadOnly()
            editor.select_range(len(self.HELD), len(self.HELD) + 400)
        assert finished.args == [editor.revision]
        assert mirror.text == self.HELD == editor.toPlainText()
        assert not editor.isReadOnly()
        assert not editor.document().isUndoAvailable()
        assert editor.document().isUndoRedoEnabled()
        assert progress == sorted(progress)
        assert progress[-1][0] == progress[-1][1] == len(self.HELD)
        assert editor.caret_offset() == editor.text_length

    def test_a_pasted_text_is_let_go_of_on_the_way(self, editor, qtbot) -> None:
        class Text(str):
            """A string that tells when it goes."""

        text = Text(self.TEXT)
        gone = weakref.ref(text)
        editor.insertPlainText(text)
        del text
        qtbot.waitUntil(lambda: gone() is None or not editor.is_loading)
        assert editor.is_loading, "the string went before its end was in"
        qtbot.waitUntil(lambda: not editor.is_loading)
        assert editor.toPlainText() == self.HELD

    def test_pieces_make_up_the_text_at_any_time(self, editor, qtbot, monkeypatch) -> None:
        monkeypatch.setattr(soft_text_edit, "_CHUNK_UNITS", 100)
        editor.load_text(self.TEXT)
        seen = 0
        while editor.is_loading:
            assert "".join(editor.text_chunks()) == self.HELD
            seen += 1
            with qtbot.waitSignal(editor.load_progress):
                pass
        assert seen > 5
        pieces = list(editor.text_chunks())
        assert "".join(pieces) == self.HELD
        assert max(map(len, pieces)) <= 101

    def test_esc_asks_for_the_text_before_and_leaves_no_half_of_this(self, editor, qtbot) -> None:
        mirror = Mirror(editor)
        editor.load_text(self.TEXT)
        for _ in range(2):
            with qtbot.waitSignal(editor.stop_asked):
                QTest.keyClick(editor, Qt.Key.Key_Escape)
            assert editor.is_loading, "nobody showed another"
        qtbot.waitUntil(lambda: not editor.is_loading)
        assert editor.toPlainText() == self.HELD == mirror.text
        assert not editor.modified

    def test_the_layout_speaks_for_many_slices_at_once(self, editor, qtbot, monkeypatch) -> None:
        monkeypatch.setattr(text_transfer, "_SHOWN_EVERY_MS", 3_600_000)
        editor.setPlainText("")
        editor.show()
        sizes: list[object] = []
        slices: list[object] = []
        editor.document().documentLayout().documentSizeChanged.connect(sizes.append)
        editor.load_progress.connect(lambda done, of: slices.append(done))
        editor.insertPlainText("line\n" * 2000)
        qtbot.waitUntil(lambda: bool(slices))
        assert len(sizes) == 1, "the first slice is seen as soon as it is in"
        qtbot.waitUntil(lambda: not editor.is_loading)
        assert len(slices) > 5
        assert len(sizes) == 2, "and all the others at the end"
        bar = editor.verticalScrollBar()
        assert bar.maximum() + bar.pageStep() >= editor.document().blockCount() > 100

    def test_another_text_takes_over(self, editor) -> None:
        mirror = Mirror(editor)
        editor.load_text(self.TEXT)
        editor.setPlainText("short")
        assert not editor.is_loading
        assert not editor.isReadOnly()
        assert mirror.text == "short" == editor.toPlainText()

    def test_pasting_is_one_step(self, editor, qtbot) -> None:
        editor.setPlainText("before after")
        mirror = Mirror(editor)
        editor.select_range(7, 7)
        with qtbot.waitSignal(editor.load_finished):
            data = QMimeData()
            data.setText("x" + self.TEXT)
            editor.insertFromMimeData(data)
            assert editor.is_loading
            assert not editor.replace_range(0, 1, "no")
            assert mirror.text == editor.toPlainText()
        assert editor.toPlainText() == f"before x{self.HELD}after" == mirror.text
        editor.undo()
        qtbot.waitUntil(lambda: not editor.is_loading)
        assert editor.toPlainText() == "before after" == mirror.text
        assert not editor.document().isUndoAvailable()
        editor.redo()
        qtbot.waitUntil(lambda: not editor.is_loading)
        assert editor.toPlainText() == f"before x{self.HELD}after" == mirror.text

    def test_a_big_offer_is_never_one_string(self, editor, qtbot, monkeypatch) -> None:
        data = QMimeData()
        data.setText("x" + self.TEXT)
        monkeypatch.setattr(data, "text", None)
        with qtbot.waitSignal(editor.load_finished):
            editor.insertFromMimeData(data)
            assert editor.is_loading
        assert editor.toPlainText() == f"x{self.HELD}"
        editor.undo()
        editor.steps.finish()
        assert editor.toPlainText() == ""

    def test_esc_takes_a_paste_back_and_leaves_the_steps_before_it(self, editor, qtbot) -> None:
        editor.setPlainText("saved")
        editor.insertPlainText("typed ")
        editor.undo()
        editor.redo()
        editor.select_range(11, 6)
        mirror, data = Mirror(editor), QMimeData()
        data.setText("x" + self.TEXT)
        with qtbot.waitSignal(editor.load_progress, check_params_cb=lambda done, of: 1500 < done < of):
            editor.insertFromMimeData(data)
        with qtbot.waitSignal(editor.paste_cancelled):
            QTest.keyClick(editor, Qt.Key.Key_Escape)
        assert editor.toPlainText() == "typed saved" == mirror.text
        assert editor.selected_text() == "saved"
        assert not editor.isReadOnly()
        assert not editor.document().isRedoAvailable(), "half a paste cannot come back"
        editor.redo()
        editor.undo()
        assert editor.toPlainText() == "saved" == mirror.text
        assert not editor.modified

    def test_old_steps_are_forgotten_when_they_take_too_much_memory(self, editor, monkeypatch) -> None:
        monkeypatch.setattr(undo_steps, "UNDO_BYTES", 3000)
        for letter in "abc":
            editor.insertPlainText(letter * 700)
        while editor.document().isUndoAvailable():
            editor.undo()
        assert editor.toPlainText() == "a" * 700 + "b" * 700, "the last step can still be undone"

    @pytest.mark.parametrize(("line", "left"), [("a" * 8, ""), ("a\n" * 4, "a\n" * 4 * 50)])
    def test_lines_take_memory_too(self, editor, monkeypatch, line: str, left: str) -> None:
        monkeypatch.setattr(undo_steps, "UNDO_BYTES", 3000)
        editor.insertPlainText(line * 50)
        editor.insertPlainText("b")
        while editor.document().isUndoAvailable():
            editor.undo()
        assert editor.toPlainText() == left

    def test_a_step_of_many_pieces_is_undone_whole_or_not_at_all(self, editor, monkeypatch) -> None:
        editor.setPlainText("old")
        monkeypatch.setattr(undo_steps, "UNDO_BYTES", 3000)
        for piece in range(10):
            editor.replace_range(0, 0, "a" * 400, join=piece > 0)
        editor.undo()
        assert editor.toPlainText() == "old"
        assert not editor.document().isUndoAvailable()


def test_pieces_stay_within_three_times_the_limit(make_editor) -> None:
    editor = make_editor("x" * 500, soft_limit=32)
    for offset in range(0, 400, 7):
        editor.replace_range(offset, offset + 3, "y" * 11)
    cursor = QTextCursor(editor.document())
    cursor.insertText("z" * 400)
    editor._soft.settle()
    document = editor.document()
    assert max(document.findBlockByNumber(n).length() for n in range(document.blockCount())) <= 3 * 32
