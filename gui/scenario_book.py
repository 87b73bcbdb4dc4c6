"""Scenarios under names, in a file of the profile that the windows share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from gui.models.scenario_choices import LONGEST_NAME, ScenarioChoices, choices_of
from gui.services.file_writing import set_aside
from gui.storage import Storage

VERSION = 1


class ScenarioBook(QObject):
    """What is saved under which name; every change is written at once.

    A damaged file is set aside and costs nothing else. What another window saved meanwhile stays: only names that were
    touched here are written over.

    Signals: ``changed()`` when the names or what they stand for are others; ``failed(str)`` with a sentence.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, path: Path, storage: Storage, parent: QObject | None = None) -> None:
        """``storage`` belongs to the book alone."""
        super().__init__(parent)
        self.problem = ""
        self._path, self._storage = path, storage
        self._touched: dict[str, ScenarioChoices | None] = {}
        self._known: dict[str, ScenarioChoices] = self._read_first()
        storage.failed.connect(self._on_failed)

    def names(self) -> list[str]:
        """Every name, as a person would order them."""
        return sorted(self._known, key=lambda name: (name.casefold(), name))

    def get(self, name: str) -> ScenarioChoices | None:
        """What was saved under a name."""
        return self._known.get(name)

    def save(self, name: str, choices: ScenarioChoices) -> None:
        """Keep this under a name, in place of what was kept there."""
        self._touch({name: choices})

    def rename(self, before: str, after: str) -> None:
        """Give a saved scenario another name; what was kept under that is gone. Raises KeyError for an unknown one."""
        self._touch({before: None, after: self._known[before]})

    def delete(self, name: str) -> None:
        """Keep nothing under this name any more."""
        self._touch({name: None})

    def _touch(self, changes: dict[str, ScenarioChoices | None]) -> None:
        self._touched |= changes
        kept = {**self._read_again(), **self._touched}
        self._known = {name: choices for name, choices in kept.items() if choices is not None}
        saved = {name: self._known[name].plain() for name in self.names()}
        text = json.dumps({"version": VERSION, "scenarios": saved}, indent=1, ensure_ascii=False) + "\n"
        self._storage.write(self._path, text.encode())
        self.changed.emit()

    def _read_first(self) -> dict[str, ScenarioChoices]:
        try:
            return self._read()
        except FileNotFoundError:
            return {}
        except OSError as error:
            self.problem = self.tr("The saved scenarios could not be read: {why}.").format(why=error.strerror or error)
        except ValueError:
            self.problem = self._set_aside()
        return {}

    def _read_again(self) -> dict[str, ScenarioChoices]:
        """The file as it is now; what cannot be read has been told of, or is of the moment between two writes."""
        try:
            return self._read()
        except (OSError, ValueError):
            return dict(self._known)

    def _read(self) -> dict[str, ScenarioChoices]:
        document: Any = json.loads(self._path.read_bytes())
        saved = document.get("scenarios") if isinstance(document, dict) else None
        if not isinstance(saved, dict) or not all(isinstance(one, dict) for one in saved.values()):
            raise ValueError("this is no file of saved scenarios")
        return {name[:LONGEST_NAME]: choices_of(plain) for name, plain in saved.items() if name.strip()}

    def _set_aside(self) -> str:
        try:
            kept = set_aside(self._path)
        except OSError as error:
            return self.tr("The saved scenarios are damaged and could not be set aside: {why}.").format(why=error)
        return self.tr("The file of saved scenarios was damaged. It is kept as {name}.").format(name=kept)

    @Slot(object, str)
    def _on_failed(self, _path: Path, why: str) -> None:
        self.failed.emit(self.tr("The scenarios could not be saved: {why}.").format(why=why))
