"""Field for the folder to train on or to count, with a button that opens a dialog."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLineEdit, QPushButton, QWidget

from gui.look.icons import Icons
from gui.widgets import file_choosers
from gui.widgets.labels import PlainLabel
from gui.widgets.tool_row import BESIDE_WORDS


class FolderBar(QWidget):
    """Field for one path or several, separated by the system's path separator.

    Signals: ``paths_changed()`` at each change of the field; ``chosen()`` when a folder was chosen in the dialog.
    """

    paths_changed = Signal()
    chosen = Signal()

    def __init__(
        self, icons: Icons, parent: QWidget | None = None, *, prefix: str = "train", stacked: bool = False
    ) -> None:
        """``prefix``: prefix of the object names. ``stacked``: place the label above the field."""
        super().__init__(parent)
        self._prefix = prefix
        self.field = QLineEdit(objectName=f"{prefix}Folder")
        self.field.setAccessibleName(self.tr("Training folder"))
        self.field.setPlaceholderText(self.tr("Choose a folder of text, drop one here, or type its path"))
        self.field.setClearButtonEnabled(True)
        self.field.setAcceptDrops(False)  # the page accepts drops anywhere on it
        self.button = QPushButton(self.tr("&Choose folder…"), objectName=f"{prefix}Choose")
        self.button.setIcon(icons.icon("open"))
        self.button.setIconSize(BESIDE_WORDS)
        self.button.setAutoDefault(False)
        self.button.setAccessibleName(self.tr("Choose the training folder"))
        label = PlainLabel(self.tr("Fol&der"))
        label.setBuddy(self.field)
        row = QGridLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(label, 0, 0)
        row.addWidget(self.field, int(stacked), 0 if stacked else 1)
        row.addWidget(self.button, int(stacked), 1 if stacked else 2)
        row.setColumnStretch(0 if stacked else 1, 1)
        self.field.textChanged.connect(self._on_text)
        self.button.clicked.connect(self.choose)

    def paths(self) -> tuple[Path, ...]:
        """Return the paths in the field, in order."""
        text = self.field.text().strip()
        if not text:
            return ()
        # A name may contain the separator: a text that exists as a path is one path.
        is_one = os.pathsep not in text or _exists(_expanded(Path(text)))
        parts = [text] if is_one else [part for part in text.split(os.pathsep) if part.strip()]
        return tuple(_expanded(Path(part.strip())).absolute() for part in parts)

    def set_paths(self, paths: list[str]) -> None:
        """Set the paths."""
        self.field.setText(os.pathsep.join(paths))

    @Slot()
    def choose(self) -> None:
        """Open the folder dialog."""
        chosen = self.paths()
        start = chosen[0] if chosen else Path.home()
        title = self.tr("Choose a folder of text")
        dialog = file_choosers.folder(self.window(), f"{self._prefix}FolderDialog", title, start)
        dialog.fileSelected.connect(self._on_chosen)
        dialog.open()

    @Slot(str)
    def _on_chosen(self, path: str) -> None:
        self.set_paths([path])
        self.chosen.emit()

    @Slot()
    def _on_text(self) -> None:
        self.paths_changed.emit()


def _exists(path: Path) -> bool:
    """Return True if the path exists; False also for invalid paths, such as too long names."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _expanded(path: Path) -> Path:
    """Return ``path`` with ~ expanded, if that user exists."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path
