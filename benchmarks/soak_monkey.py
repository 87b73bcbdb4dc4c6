"""The monkey of the soak: presses controls at random, and runs typical tasks. See ``benchmarks.soak``.

Users look around outside of the event loop. The monkey has to do so inside, in event-loop turns of their own, so that
the time to find a button is not attributed to its action.
"""

from __future__ import annotations

import random
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

from benchmarks.soak_errands import Errands
from benchmarks.soak_files import FRAGMENTS
from gui.runtime.event_loop import in_next_turn
from gui.window.application import Application

STEP_MS = 15
MAX_TRIES = 40
_Control = TypeVar("_Control", bound=QWidget)
LEFT_ALONE = frozenset({"close", "show_profile", "full_screen"})
"""Actions that end the run, or leave the window for another program."""
KEYS = (
    *(Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Up, Qt.Key.Key_Down),
    *(Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown),
    *(Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_F2),
)
MODIFIERS = (
    *(Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier),
    *(Qt.KeyboardModifier.ControlModifier,),
)


class Monkey(QObject):
    """The monkey: performs one action at a time, between two turns of the event loop."""

    def __init__(self, bench: Application, folder: Path, seed: int) -> None:
        super().__init__()
        self.done: Counter[str] = Counter()
        self.faults: list[str] = []
        self._bench, self._folder = bench, folder
        self._random = random.Random(seed)
        self._actions: list[QAction] = [
            action for action in bench.window.every_action() if action.objectName() not in LEFT_ALONE
        ]
        self._errands = Errands(bench, folder, self._random)
        self._timer = QTimer(self, singleShot=True, interval=STEP_MS)
        self._timer.timeout.connect(self._step)
        self._ways: tuple[tuple[int, Callable[[], None]], ...] = (
            (8, self._type),
            (10, self._click),
            (6, self._press),
            (5, self._act),
            (4, self._choose),
            (3, self._turn_to),
            (2, self._paste),
            (2, self._resize),
            (2, self._scroll),
            (1, self._clear),
            (1, self._open_menu),
            (1, self._run_errand),
        )

    def start(self) -> None:
        """Start."""
        self._timer.start()

    def stop(self) -> None:
        """Stop."""
        self._timer.stop()

    @Slot()
    def _step(self) -> None:
        self._timer.start()  # first, since menus and some dialogs run their own event loop
        try:
            popup = QApplication.activePopupWidget()
            if popup is not None:
                QTest.keyClick(popup, self._random.choice((Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Return)))
                if self._random.random() < 0.5 and isValid(popup):  # the key may have closed it
                    popup.close()
                return
            ways, weights = zip(*((way, weight) for weight, way in self._ways), strict=True)
            way = self._random.choices(ways, weights)[0]
            self.done[way.__name__.strip("_")] += 1
            way()
            in_next_turn(self, self._leave_dialog)
        except Exception:  # noqa: BLE001 - any error is a finding
            self.faults.append(traceback.format_exc())

    # --- controls -----------------------------------------------------------------------------------------------------

    def _top(self) -> QWidget:
        return QApplication.activeModalWidget() or self._bench.window

    def _with_control(self, act: Callable[[_Control], None], *kinds: type[_Control]) -> None:
        """Find a random usable control, and act on it in the next turn if it is still usable."""
        control = self._control(*kinds)
        if control is not None:
            in_next_turn(self, partial(self._use, act, control))

    def _use(self, act: Callable[[_Control], None], control: _Control) -> None:
        if QApplication.activePopupWidget() is not None:
            return  # a menu blocks other controls; a second one that Qt closes before it is shown would never return
        if isValid(control) and control.isVisible() and control.isEnabled():
            act(control)

    def _control(self, *kinds: type[_Control]) -> _Control | None:
        """Find a random widget of one kind by descending from the window.

        Choosing from all widgets would wrap two thousand of them in Python, which takes longer than the action.
        """
        kind = self._random.choice(kinds)
        for _ in range(MAX_TRIES):
            widget: QWidget | None = self._top()
            while widget is not None:
                if isinstance(widget, kind):
                    return widget
                inside = [
                    one for one in widget.children() if isinstance(one, QWidget) and one.isVisible() and one.isEnabled()
                ]
                widget = self._random.choice(inside) if inside else None
        return None

    @Slot()
    def _leave_dialog(self) -> None:
        """Fill in dialogs for a while, then end them; choose files only in the folder of the soak."""
        if QApplication.activePopupWidget() is not None:
            return  # users cannot close a dialog under its menu, and the menu might not return either
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QFileDialog):
            name = self._random.choice([path.name for path in self._folder.iterdir()] + ["new.txt", "new.json", ""])
            dialog.setDirectory(str(self._folder))
            dialog.selectFile(name)
            if self._random.random() < 0.5 and name:
                dialog.accept()
            else:
                dialog.reject()
        elif isinstance(dialog, QDialog) and self._random.random() < 0.15:
            self._random.choice((dialog.reject, dialog.reject, dialog.accept))()

    # --- actions ------------------------------------------------------------------------------------------------------

    def _type(self) -> None:
        target = QApplication.focusWidget() or self._top()
        if isinstance(target, QPlainTextEdit) and not target.isReadOnly():
            target.insertPlainText(self._random.choice(FRAGMENTS))
        else:
            QTest.keyClicks(target, self._random.choice(("7", "gpt", "a", " ", "0.5", "the")))

    def _press(self) -> None:
        target = QApplication.focusWidget() or self._top()
        QTest.keyClick(target, self._random.choice(KEYS), self._random.choice(MODIFIERS))

    def _click(self) -> None:
        kinds = (QAbstractButton, QAbstractItemView, QLineEdit, QPlainTextEdit, QAbstractSpinBox)
        self._with_control(self._click_on, *kinds)

    def _click_on(self, widget: QWidget) -> None:
        target = widget.viewport() if isinstance(widget, QAbstractItemView | QPlainTextEdit) else widget
        place = QPoint(self._random.randrange(max(1, target.width())), self._random.randrange(max(1, target.height())))
        QTest.mouseClick(target, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)

    def _act(self) -> None:
        action = self._random.choice(self._actions)
        if QApplication.activeModalWidget() is None and isValid(action) and action.isEnabled():
            action.trigger()

    def _choose(self) -> None:
        self._with_control(self._choose_in, QComboBox)

    def _choose_in(self, box: QComboBox) -> None:
        if box.count():
            box.setCurrentIndex(self._random.randrange(box.count()))
            box.activated.emit(box.currentIndex())

    def _turn_to(self) -> None:
        self._with_control(self._turn_to_one_of, QTabBar)

    def _turn_to_one_of(self, bar: QTabBar) -> None:
        if bar.count():
            bar.setCurrentIndex(self._random.randrange(bar.count()))

    def _paste(self) -> None:
        size = self._random.choice((1, 10, 100, 1000, 20_000))
        text = "".join(self._random.choices(FRAGMENTS, k=max(1, size // 10)))
        QGuiApplication.clipboard().setText(text)
        in_next_turn(self, self._bench.panel.editor.paste)

    def _clear(self) -> None:
        self._bench.panel.editor.selectAll()
        QTest.keyClick(self._bench.panel.editor, Qt.Key.Key_Delete)

    def _resize(self) -> None:
        self._bench.window.resize(self._random.randrange(480, 1700), self._random.randrange(360, 1100))

    def _scroll(self) -> None:
        self._with_control(self._move, QScrollBar)

    def _move(self, bar: QScrollBar) -> None:
        bar.setValue(self._random.randint(bar.minimum(), bar.maximum()))

    def _open_menu(self) -> None:
        self._with_control(self._open_menu_of, QAbstractItemView, QPlainTextEdit)

    def _open_menu_of(self, view: QAbstractItemView | QPlainTextEdit) -> None:
        place = QPoint(5, 5)
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.mapToGlobal(place))
        QApplication.sendEvent(view.viewport() if isinstance(view, QAbstractItemView) else view, event)

    def _run_errand(self) -> None:
        if QApplication.activeModalWidget() is None:
            ways, weights = zip(*((way, weight) for weight, way in self._errands.ways), strict=True)
            way = self._random.choices(ways, weights)[0]
            self.done[way.__name__.strip("_")] += 1
            way()
