"""Scenarios under names, in a file of the profile that the windows share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from gui.costs.scenario_choices import LONGEST_NAME, ScenarioChoices, choices_of
from gui.services.file_writing import set_aside
from gui.shared_file import SharedFile
from gui.storage import Storage
from gui.versioned_document import DamagedFile, Document, is_newer, read_document

VERSION = 1


class ScenarioBook(QObject):
    """What is saved under which name; every change is written at once.

    A damaged file is set aside and costs nothing else. What another window saved meanwhile stays, and is known here
    from the next change on.

    Signals: ``changed()`` when the names or what they stand for are others; ``failed(str)`` with a sentence.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, path: Path, storage: Storage, parent: QObject | None = None) -> None:
        """``storage`` belongs to the book alone."""
        super().__init__(parent)
        self.problem = ""
        self._file = SharedFile(path, VERSION, self)
        self._file.use_storage(storage)
        self._known: Mapping[str, ScenarioChoices] = self._read(path)
        self._file.written.connect(self._on_written)
        self._file.failed.connect(self._on_failed)

    def names(self) -> list[str]:
        """Every name, as a person would order them."""
        return sorted(self._known, key=_order)

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

    def _touch(self, changes: Mapping[str, ScenarioChoices | None]) -> None:
        kept = {**self._known, **changes}
        self._known = {name: choices for name, choices in kept.items() if choices is not None}
        names = tuple(changes)

        def with_ours(document: Document) -> None:
            if document:
                _known(document)
            known, saved = self._known, dict(document.get("scenarios", {}))
            for name in names:
                saved.pop(name, None)
                if name in known:
                    saved[name] = known[name].plain()
            document["scenarios"] = dict(sorted(saved.items(), key=lambda item: _order(item[0])))

        self._file.change(with_ours)
        self.changed.emit()

    def _read(self, path: Path) -> dict[str, ScenarioChoices]:
        try:
            document = read_document(path)
            known = _known(document) if document else {}
        except OSError as error:
            self.problem = self.tr("The saved scenarios could not be read: {why}.").format(why=error.strerror or error)
        except DamagedFile:
            self.problem = self._set_aside(path)
        else:
            if is_newer(document, VERSION):
                self.problem = self.tr(
                    "A newer version of Tokenloupe has written the saved scenarios. They are used as far as they are "
                    "known here; what you change here is not saved."
                )
            return known
        return {}

    def _set_aside(self, path: Path) -> str:
        try:
            kept = set_aside(path)
        except OSError as error:
            return self.tr("The saved scenarios are damaged and could not be set aside: {why}.").format(why=error)
        return self.tr("The file of saved scenarios was damaged. It is kept as {name}.").format(name=kept)

    @Slot(object)
    def _on_written(self, document: Document) -> None:
        """What others have saved meanwhile is known from now on."""
        known = _known(document)
        if known != self._known and not self._file.is_busy:
            self._known = known
            self.changed.emit()

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self.failed.emit(self.tr("The scenarios could not be saved: {why}.").format(why=why))


def _order(name: str) -> tuple[str, str]:
    """As a person would order them."""
    return name.casefold(), name


def _known(document: Document) -> dict[str, ScenarioChoices]:
    """DamagedFile for a document of something else."""
    saved = document.get("scenarios")
    if not isinstance(saved, dict) or not all(isinstance(one, dict) for one in saved.values()):
        raise DamagedFile("this is no file of saved scenarios")
    return {name[:LONGEST_NAME]: choices_of(plain) for name, plain in saved.items() if name.strip()}
