"""The system's dialogs that ask for files. They do not wait for an answer: ``fileSelected`` brings it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget


def opening(
    parent: QWidget, name: str, title: str, start: Path | str, filters: Sequence[str], *, several: bool = False
) -> QFileDialog:
    """A dialog that asks for a file that is there, or for several; begins in the folder ``start``."""
    mode = QFileDialog.FileMode.ExistingFiles if several else QFileDialog.FileMode.ExistingFile
    chooser = _chooser(parent, name, title, start, filters)
    chooser.setFileMode(mode)
    return chooser


def saving(parent: QWidget, name: str, title: str, start: Path | str, filters: Sequence[str]) -> QFileDialog:
    """A dialog that asks for a file to write to; proposes ``start``."""
    chooser = _chooser(parent, name, title, start, filters)
    chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    return chooser


def _chooser(parent: QWidget, name: str, title: str, start: Path | str, filters: Sequence[str]) -> QFileDialog:
    chooser = QFileDialog(parent, title, str(start))
    chooser.setObjectName(name)
    chooser.setNameFilters(filters)
    chooser.finished.connect(chooser.deleteLater)
    return chooser
