"""Asks what goes into a report, after saying what the text seems to hold."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from gui.core.reports import TextFacts, key_warning
from gui.look.figures import figure
from gui.look.theme import Theme
from gui.widgets.dialog_buttons import button_row

MOST_CHARACTERS = 2_000_000
"""Longer texts are left out: no browser likes them."""


class ReportDialog(QDialog):
    """``with_text`` says whether the text itself goes in, after the dialog was accepted."""

    def __init__(self, facts: TextFacts, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("reportDialog")
        self.setWindowTitle(self.tr("Write a report"))
        figures = partial(figure, self.locale())
        self.about = _words("reportAbout")
        self.about.setText(
            self.tr(
                "Counts with their labels, the scenario, the cost table as it is shown, where the prices come from, "
                "and versions. The text of {characters} characters is named by its SHA-256."
            ).format(characters=figures(facts.characters))
        )
        self.text = QCheckBox(self.tr("With the &text of the prompt"), objectName="reportText")
        if facts.characters > MOST_CHARACTERS:
            words = self.tr("Without the text of the prompt: it has more than {most} characters")
            self.text.setText(words.format(most=figures(MOST_CHARACTERS)))
            self.text.setEnabled(False)
        self.warning = _words("reportWarning")
        warning = key_warning([facts])
        self.warning.setText(
            "⚠ " + self.tr("{warning} Whoever gets the text gets them.").format(warning=warning) if warning else ""
        )
        palette = self.warning.palette()
        palette.setColor(palette.ColorRole.WindowText, theme.colour("warning"))
        self.warning.setPalette(palette)
        self.warning.setVisible(bool(warning))
        buttons = button_row(self, QDialogButtonBox.StandardButton.Save, QDialogButtonBox.StandardButton.Cancel)
        column = QVBoxLayout(self)
        for widget in (self.about, self.warning, self.text, buttons):
            column.addWidget(widget)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 64)

    @property
    def with_text(self) -> bool:
        """Whether the text goes into the report."""
        return self.text.isChecked()


def _words(name: str) -> QLabel:
    label = QLabel(objectName=name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label
