"""What this program is, which versions it stands on, and where it keeps its things."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from gui.dialogs.buttons import button_row
from gui.paths import ProfilePaths
from gui.versions import version_lines


class AboutDialog(QDialog):
    """Name, licence, versions, folders; all of it can be copied."""

    def __init__(self, paths: ProfilePaths, encoder: str, parent: QWidget | None = None) -> None:
        """``encoder``: which one counts, in words; empty before any does."""
        super().__init__(parent)
        self.setObjectName("aboutDialog")
        self.setWindowTitle(self.tr("About Tokenloupe"))
        title = QLabel("Tokenloupe", self)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.6)
        font.setBold(True)
        title.setFont(font)
        words = QLabel(
            self.tr(
                "See the tokens of a prompt and what they cost. Works without a network: nothing you type leaves this "
                "computer. Free software under the MIT licence. The vocabularies it comes with have licences of their "
                "own, which are listed in engine/data/NOTICE.md."
            ),
            self,
        )
        words.setWordWrap(True)
        words.setTextFormat(Qt.TextFormat.PlainText)
        self._facts = QPlainTextEdit(self)
        self._facts.setReadOnly(True)
        self._facts.setTabChangesFocus(True)
        self._facts.setAccessibleName(self.tr("Versions and folders"))
        folders = [
            self.tr("Settings and prices: {folder}").format(folder=paths.config),
            self.tr("Session: {folder}").format(folder=paths.sessions),
            self.tr("Caches: {folder}").format(folder=paths.cache),
        ]
        counting = [self.tr("Encoder: {encoder}").format(encoder=encoder), ""] if encoder else []
        self._facts.setPlainText("\n".join([*version_lines(), "", *counting, *folders]))
        buttons = button_row(self, QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton(self.tr("&Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._copy)
        column = QVBoxLayout(self)
        column.addWidget(title)
        column.addWidget(words)
        column.addWidget(self._facts, 1)
        column.addWidget(buttons)
        self.resize(560, 420)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._facts.toPlainText())
