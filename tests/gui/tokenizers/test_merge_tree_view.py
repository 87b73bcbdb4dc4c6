"""The drawn tree: by keyboard and pointer, in words, and at every size."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolButton
from pytestqt.qtbot import QtBot

import engine
from gui.look.theme import Theme
from gui.tokenizers.merges.service import MergeForest, forest_of
from gui.tokenizers.merges.tree_view import AUTOMATIC, TREE, MergeTreePane


@pytest.fixture
def pane(qtbot: QtBot) -> MergeTreePane:
    pane = MergeTreePane(Theme("light", "normal"))
    qtbot.addWidget(pane)
    pane.resize(500, 320)
    pane.show()
    pane.view.set_shape(TREE)
    pane.view.setFocus()
    return pane


def forest(text: str) -> MergeForest:
    encoding = engine.get_encoding("cl100k_base")
    return forest_of([encoding.merge_tree(token_id) for token_id in encoding.encode_ordinary(text)])


def current_text(pane: MergeTreePane) -> bytes:
    return pane.view.forest.nodes[pane.view.current].token_bytes


def press(qtbot: QtBot, pane: MergeTreePane, *keys: Qt.Key) -> None:
    for key in keys:
        qtbot.keyClick(pane.view, key)


def test_arrows_go_through_the_tree(qtbot, pane):
    pane.show_forest(forest("berry"))
    seen = [current_text(pane)]
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Home):
        press(qtbot, pane, key)
        seen.append(current_text(pane))
    assert seen == [b"berry", b"b", b"e", b"er", b"err", b"y", b"b"]
    press(qtbot, pane, Qt.Key.Key_Left, Qt.Key.Key_Down)
    assert current_text(pane) == b"b", "there is nothing further left or below"


def test_enter_and_a_double_click_open_a_token(qtbot, pane):
    opened: list[int] = []
    pane.view.token_activated.connect(opened.append)
    pane.show_forest(forest("berry"))
    press(qtbot, pane, Qt.Key.Key_Return, Qt.Key.Key_Home, Qt.Key.Key_Enter)
    middle = pane.view.viewport().rect().center()
    top = next(QPoint(middle.x(), y) for y in range(middle.y()) if pane.view._node_under(QPointF(middle.x(), y)) == 0)
    qtbot.mouseDClick(pane.view.viewport(), Qt.MouseButton.LeftButton, pos=top + QPoint(0, 3))
    assert opened == [15717, 65, 15717]


def test_a_screen_reader_hears_the_node_and_the_text_has_all_of_them(qtbot, pane):
    pane.show_forest(forest("berry"))
    view = pane.view
    assert view.accessibleDescription() == (
        "berry, token 15717, 5 bytes (62 65 72 72 79), merged from b and erry, merge 4"
    )
    view.set_step(3)
    assert view.accessibleDescription().endswith("merge 4, not applied yet")
    view.set_step(None)
    lines = view.text().split("\n")
    assert lines[1] == "  b, token 65, 1 byte (62)"
    assert lines[2].startswith("  erry, token 5515, 4 bytes")
    assert lines[4].startswith("      er, ")
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == view.text()


def test_zoom_by_keys_buttons_and_wheel(qtbot, pane):
    pane.show_forest(forest("strawberry"))
    view = pane.view
    fitting = view.zoom
    assert fitting < 1
    assert (view.horizontalScrollBar().maximum(), view.verticalScrollBar().maximum()) == (0, 0)
    press(qtbot, pane, Qt.Key.Key_1)
    assert view.zoom == 1
    assert view.horizontalScrollBar().maximum() > 0
    press(qtbot, pane, Qt.Key.Key_Plus)
    larger = view.zoom
    assert larger > 1
    for up in (120, -120):
        event = QWheelEvent(
            QPointF(50, 50), view.viewport().mapToGlobal(QPointF(50, 50)), QPoint(), QPoint(0, up),
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(view.viewport(), event)
        assert (view.zoom > larger) == (up > 0)
    assert view.zoom == larger
    buttons = [one for one in pane.tab_order if isinstance(one, QToolButton)]
    names = [button.accessibleName() for button in buttons]
    assert all(names)
    assert len(names) == 4
    for button in buttons:
        button.click()
    assert view.zoom == fitting, "the last one shows the whole tree"
    pane.resize(300, 200)
    assert view.zoom < fitting, "as long as nobody zooms, the tree fits"


def test_whatever_the_keys_go_to_is_in_sight(qtbot, pane):
    pane.show_forest(forest("antidisestablishmentarianism"))
    pane.view.zoom_in()
    pane.view.zoom_full()
    for key in (Qt.Key.Key_End, Qt.Key.Key_Home, Qt.Key.Key_Up, Qt.Key.Key_End):
        press(qtbot, pane, key)
        left, top, width = pane.view._layout.boxes[pane.view.current]
        middle = pane.view._from_scene(QPointF(left + width / 2, top + 5))
        assert pane.view.viewport().rect().contains(middle.toPoint())


def test_dragging_moves_the_picture(qtbot, pane):
    pane.show_forest(forest("strawberry"))
    view = pane.view
    view.zoom_full()
    view.zoom_in()
    view.zoom_in()
    bar = view.horizontalScrollBar()
    bar.setValue(bar.maximum() // 2)
    before = bar.value()
    free = QPoint(3, 3)
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=free)
    qtbot.mouseMove(view.viewport(), free + QPoint(20, 0))
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=free + QPoint(20, 0))
    assert bar.value() == before - 20


def test_the_menu_of_a_node(qtbot, pane):
    opened: list[int] = []
    pane.view.token_activated.connect(opened.append)
    pane.show_forest(forest("berry"))
    press(qtbot, pane, Qt.Key.Key_End)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(5, 5), QPoint(5, 5))
    QApplication.sendEvent(pane.view.viewport(), event)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    open_it, copy = menu.actions()
    assert open_it.text() == "&Open token 88"
    open_it.trigger()
    copy.trigger()
    assert opened == [88]
    assert QGuiApplication.clipboard().text() == pane.view.text()
    with qtbot.waitSignal(menu.destroyed):
        menu.close()


def test_steps_look_different(qtbot, pane):
    pane.show_forest(forest("berry"))
    pictures = set()
    for step in (None, 0, 1, 4):
        pane.view.set_step(step)
        pictures.add(bytes(pane.view.grab().toImage().constBits()))
    assert len(pictures) == 4


def test_an_empty_forest_says_why(qtbot, pane):
    pane.show_forest(MergeForest(), hint="Type a word above.")
    assert pane.view.accessibleDescription() == "Type a word above."
    press(qtbot, pane, Qt.Key.Key_Up, Qt.Key.Key_Return, Qt.Key.Key_0, Qt.Key.Key_Plus)
    assert pane.view.current == -1
    assert not pane.view.grab().isNull()


def test_a_tree_that_is_cut_says_so(pane):
    encoding = engine.get_encoding("cl100k_base")
    pane.show_forest(forest_of([encoding.merge_tree(15717)], most_nodes=3), "berry")
    assert pane.caption.text().startswith("berry. Too large")
    assert "merged from b and erry" in pane.view.text()
    assert "erry, token 5515, 4 bytes (65 72 72 79), its parts are omitted" in pane.view.text()


@pytest.mark.parametrize("text", ["x" * 4000, " " * 128], ids=["many trees", "one wide tree"])
def test_of_what_no_size_shows_as_a_whole_the_first_root_is_seen_in_full_size(pane, text):
    pane.show_forest(forest(text))
    view = pane.view
    assert view.zoom == 1.0
    assert view.horizontalScrollBar().maximum() > 0
    left, top, width = view._layout.boxes[0]
    middle = view._from_scene(QPointF(left + width / 2, top + 2)).toPoint()
    assert view.viewport().rect().contains(middle)
    pane.show_forest(forest("berry"))
    assert pane.view.horizontalScrollBar().maximum() == 0


def test_a_tree_that_does_not_fit_is_stacked_blocks(qtbot, pane):
    view = pane.view
    view.set_shape(AUTOMATIC)
    pane.show_forest(forest("berry"))
    assert not view.in_blocks
    pane.show_forest(forest(" strawberry and cream"))
    assert view.in_blocks
    assert pane.shapes.currentIndex() == 0
    nodes, boxes = view.forest.nodes, view._layout.boxes
    for node, (left, top, width) in zip(nodes, boxes, strict=True):
        if not node.is_leaf:
            (first, below, _), (_second, _, last) = boxes[node.left], boxes[node.right]
            assert first == left, "a part begins below its token"
            assert below > top
            assert boxes[node.right][0] + last == pytest.approx(left + width), "and the other ends with it"
    press(qtbot, pane, Qt.Key.Key_End)
    assert current_text(pane) == b"m"
    press(qtbot, pane, Qt.Key.Key_Home)
    assert current_text(pane) == b" "
    assert not view.grab().isNull()
    pane.shapes.setCurrentIndex(1)
    assert not view.in_blocks
    pane.show_forest(forest(" strawberry and cream"))
    assert not view.in_blocks, "what was chosen stays"


def test_a_larger_font_makes_larger_boxes(pane):
    pane.show_forest(forest("berry"))
    before = pane.view._layout.box_height
    font = pane.view.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    pane.view.setFont(font)
    assert pane.view._layout.box_height > before


def test_colours_follow_the_theme(pane):
    pane.show_forest(forest("berry"))
    light = pane.view.grab().toImage()
    pane.view._theme.set_mode("dark")
    assert pane.view.grab().toImage() != light
