"""Named scenarios: the menu that loads, saves, renames and deletes them, and the dialog for a name."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QMenu, QPushButton, QVBoxLayout, QWidget

from gui.core.token_text import visible_line
from gui.costs.scenario_book import LONGEST_NAME, ScenarioBook, ScenarioChoices, ScenarioState
from gui.look.plain_text import PlainLabel, plain_tip
from gui.runtime.notify import Notifier, Offer
from gui.widgets.forms import button_row

DELETED = "scenario-deleted"


class ScenarioNames(QObject):
    """Controller of named scenarios. The button shows the name of the current scenario, and whether it has changed.

    Signals: ``name_changed()`` when the current name has changed.
    """

    name_changed = Signal()

    def __init__(self, button: QPushButton, state: ScenarioState, notifier: Notifier) -> None:
        super().__init__(button)
        self._button, self._state, self._notifier = button, state, notifier
        self._book: ScenarioBook | None = None
        self.name = ""
        self._menu = QMenu(button)
        button.setMenu(self._menu)
        self._menu.aboutToShow.connect(self._fill)
        self.save = self._action("scenarioSave", self.tr("&Save changes"), self.save_changes)
        self.save_as = self._action("scenarioSaveAs", self.tr("Save scenario &as…"), self.ask_name)
        self.rename = self._action("scenarioRename", self.tr("Re&name scenario…"), self.ask_other_name)
        self.delete = self._action("scenarioDelete", self.tr("&Delete scenario"), self.delete_shown)
        self.reset = self._action("costResetScenario", self.tr("&Reset scenario"), self._on_reset)
        tips = (
            (self.save, self.tr("Save the changes to this scenario")),
            (self.save_as, self.tr("Save the scenario under a new name")),
            (self.rename, self.tr("Rename this scenario")),
            (self.delete, self.tr("Delete this scenario; its values stay until you change them")),
            (self.reset, self.tr("Restore the default scenario")),
        )
        for action, tip in tips:
            action.setStatusTip(tip)
        state.changed.connect(self._show)
        self._show()

    def start(self, book: ScenarioBook) -> None:
        """Enable saving scenarios."""
        self._book = book
        book.changed.connect(self._show)
        book.failed.connect(self._notifier.warning)
        if book.problem:
            self._notifier.warning(book.problem)
        self._show()

    def actions(self) -> list[QAction]:
        """Return the actions for the menus and the command palette."""
        return [self.save, self.save_as, self.rename, self.delete, self.reset]

    def set_name(self, name: str) -> None:
        """Set the name that the current scenario was loaded from or saved as; "" for none."""
        if name != self.name:
            self.name = name
            self.name_changed.emit()
        self._show()

    @Slot()
    def save_changes(self) -> None:
        """Save the current scenario under its name, or ask for a name."""
        if self._book is not None and self._book.get(self.name) is not None:
            self._save(self.name)
        else:
            self.ask_name()

    @Slot()
    def ask_name(self) -> None:
        """Ask for a name and save the current scenario."""
        self._ask(self.tr("Save scenario"), self._save, frozenset())

    @Slot()
    def ask_other_name(self) -> None:
        """Ask for a new name of the current scenario."""
        self._ask(self.tr("Rename scenario"), self._rename, frozenset({self.name}))

    @Slot()
    def delete_shown(self) -> None:
        """Delete the current scenario, with an offer to undo."""
        assert self._book is not None
        name, choices = self.name, self._book.get(self.name)
        if choices is None:
            return
        self._book.delete(name)
        self.set_name("")
        back = Offer(self.tr("Undo"), partial(self._bring_back, name, choices))
        self._notifier.done(self.tr("Deleted scenario “{name}”.").format(name=name), key=DELETED, offers=(back,))

    def load(self, name: str) -> None:
        """Load the scenario of this name."""
        choices = self._book.get(name) if self._book is not None else None
        if choices is not None:
            self.name = ""  # so that the change is emitted once, when it is loaded
            self._state.set(choices)
            self.set_name(name)

    def _bring_back(self, name: str, choices: ScenarioChoices) -> None:
        assert self._book is not None
        self._notifier.withdraw(DELETED)
        self._book.save(name, choices)
        self.load(name)

    def _save(self, name: str) -> None:
        assert self._book is not None
        self._book.save(name, self._state.choices)
        self.set_name(name)
        self._notifier.remark(self.tr("Saved scenario “{name}”.").format(name=name))

    def _rename(self, name: str) -> None:
        assert self._book is not None
        if name != self.name:
            self._book.rename(self.name, name)
            self.set_name(name)

    def _ask(self, title: str, take: object, free: frozenset[str]) -> None:
        if self._book is not None:
            taken = frozenset(self._book.names()) - free
            ScenarioName(title, self.name, taken, take, self._button.window()).open()  # type: ignore[arg-type]

    def _action(self, name: str, text: str, act: object) -> QAction:
        action = QAction(text, self, objectName=name)
        action.triggered.connect(act)
        return action

    @Slot()
    def _fill(self) -> None:
        self._menu.clear()
        for name in self._book.names() if self._book is not None else ():
            action = self._menu.addAction(visible_line(name).replace("&", "&&"), partial(self.load, name))
            action.setCheckable(True)
            action.setChecked(name == self.name)
        self._menu.addSeparator()
        self._menu.addActions(self.actions())

    @Slot()
    def _on_reset(self) -> None:
        self.set_name("")
        self._state.reset()

    @Slot()
    def _show(self) -> None:
        saved = self._book.get(self.name) if self._book is not None else None
        changed = saved is not None and saved != self._state.choices
        words = visible_line(self.name) if saved is not None else self.tr("not saved")
        shown = words + (" *" if changed else "")
        room = self._button.width() - 32
        text = self._button.fontMetrics().elidedText(shown, Qt.TextElideMode.ElideRight, room)
        self._button.setText(text.replace("&", "&&"))
        spoken = self.tr("Scenario: {name}, modified") if changed else self.tr("Scenario: {name}")
        self._button.setAccessibleName(spoken.format(name=words))
        tip = self.tr("Saved scenarios. *: modified.\n{name}")
        self._button.setToolTip(plain_tip(tip.format(name=words)))
        self.save.setEnabled(changed)
        self.save_as.setEnabled(self._book is not None)
        for action in (self.rename, self.delete):
            action.setEnabled(saved is not None)


class ScenarioName(QDialog):
    """Dialog that calls ``take`` with the name. A name of ``taken`` must be confirmed: it would be replaced."""

    def __init__(
        self, title: str, now: str, taken: Collection[str], take: Callable[[str], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("scenarioNameDialog")
        self.setWindowTitle(title)
        self._taken, self._take, self._asked = taken, take, ""
        self.name = QLineEdit(now, objectName="scenarioName")
        self.name.setMaxLength(LONGEST_NAME)
        self.name.setAccessibleName(self.tr("Name of the scenario"))
        self.name.selectAll()
        label = PlainLabel(self.tr("&Name of the scenario"))
        label.setBuddy(self.name)
        self.remark = QLabel(objectName="scenarioNameRemark")
        self.remark.setTextFormat(Qt.TextFormat.PlainText)
        self.remark.setWordWrap(True)
        kinds = QDialogButtonBox.StandardButton
        buttons = button_row(self, kinds.Save, kinds.Cancel)
        self.save = buttons.button(kinds.Save)
        self._save_text = self.save.text()
        column = QVBoxLayout(self)
        for widget in (label, self.name, self.remark, buttons):
            column.addWidget(widget)
        self.name.textChanged.connect(self._on_typed)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 48)
        self._on_typed()

    def accept(self) -> None:
        name = self.name.text().strip()
        if not name:
            return
        if name in self._taken and self._asked != name:
            self._asked = name
            self.remark.setText(self.tr("⚠ This name is taken. Replace that scenario, or choose another name."))
            self.save.setText(self.tr("&Replace"))
            return
        super().accept()
        self._take(name)

    @Slot()
    def _on_typed(self) -> None:
        self._asked = ""
        self.remark.setText("")
        self.save.setText(self._save_text)
        self.save.setEnabled(bool(self.name.text().strip()))
