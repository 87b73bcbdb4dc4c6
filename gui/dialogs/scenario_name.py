"""Asks for the name of a scenario; for one that exists it asks once more."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from gui.dialogs.buttons import button_row
from gui.look.plain_label import PlainLabel
from gui.models.scenario_choices import LONGEST_NAME


class ScenarioName(QDialog):
    """``take`` is called with the name. A name of ``taken`` has to be confirmed: its scenario would be gone."""

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
        label = PlainLabel(self.tr("&Name of the scenario:"))
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
            self.remark.setText(self.tr("⚠ There is a scenario of this name. Replace it, or choose another name."))
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
