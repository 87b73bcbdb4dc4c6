"""What is done with a folder that was counted: which of it is shown, what fits, export."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QPushButton, QWidget

from gui.widgets.layouts import FlowLayout, labelled, tokens_box

FIT = 200_000
"""Tokens to fit into at a first start: the context window of many models."""


class FilesTools(QWidget):
    """One flow of controls under the name of the folder.

    Signals: ``rules_changed()``: other files are wanted; ``least_changed(int)`` in tokens; ``fit_asked()``;
    ``export_asked()``; ``changed()`` at each change of a control.
    """

    rules_changed = Signal()
    least_changed = Signal(int)
    fit_asked = Signal()
    export_asked = Signal()
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.gitignore = QCheckBox(self.tr("Leave out what .&gitignore names"), objectName="filesGitignore")
        self.gitignore.setChecked(True)
        self.least = tokens_box("filesLeast", self.tr("Show only what has at least so many tokens"))
        self.least.setToolTip(self.tr("Smaller files and folders are hidden; they stay in every sum."))
        self.limit = tokens_box("filesLimit", self.tr("Tokens to fit into"))
        self.limit.setValue(FIT)
        self.way = QComboBox(objectName="filesWay")
        self.way.setAccessibleName(self.tr("What to drop"))
        self.way.addItem(self.tr("dropping files"), "files")
        self.way.addItem(self.tr("dropping folders"), "folders")
        self.way.setToolTip(
            self.tr(
                "While there is too much, the smallest one goes that is enough by itself, else the largest. "
                "Nothing goes before you have seen and confirmed it."
            )
        )
        self.propose = QPushButton(self.tr("&Propose"), objectName="filesPropose")
        self.propose.setAccessibleName(self.tr("Propose what to drop"))
        self.export = QPushButton(self.tr("E&xport…"), objectName="filesExport")
        self.export.setAccessibleName(self.tr("Export the list of files"))
        self.set_there(False)
        flow = FlowLayout(gap=10)
        flow.addWidget(self.gitignore)
        flow.addWidget(labelled(self.tr("Hide &below (tokens)"), self.least, self.least))
        flow.addWidget(labelled(self.tr("Fit &into (tokens)"), self.limit, self.limit))
        for widget in (self.way, self.propose, self.export):
            flow.addWidget(widget)
        self.setLayout(flow)
        self.gitignore.toggled.connect(self._on_rules)
        self.least.valueChanged.connect(self._on_least)
        self.limit.valueChanged.connect(self.changed)
        self.way.currentIndexChanged.connect(self.changed)
        self.propose.clicked.connect(self.fit_asked)
        self.export.clicked.connect(self.export_asked)

    def set_there(self, there: bool) -> None:
        """Whether there is a folder to work on."""
        for button in (self.propose, self.export):
            button.setEnabled(there)

    def state(self) -> dict[str, Any]:
        """What the controls say, as JSON holds it."""
        return {
            "gitignore": self.gitignore.isChecked(),
            "least": self.least.value(),
            "limit": self.limit.value(),
            "way": self.way.currentData(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Take back what ``state`` gave; what is missing or of no use is as at the first start."""
        self.gitignore.setChecked(state.get("gitignore") is not False)
        for box, name in ((self.least, "least"), (self.limit, "limit")):
            value = state.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                box.setValue(min(value, box.maximum()))
        self.way.setCurrentIndex(max(0, self.way.findData(state.get("way"))))

    @Slot()
    def _on_rules(self) -> None:
        self.changed.emit()
        self.rules_changed.emit()

    @Slot(int)
    def _on_least(self, tokens: int) -> None:
        self.changed.emit()
        self.least_changed.emit(tokens)
