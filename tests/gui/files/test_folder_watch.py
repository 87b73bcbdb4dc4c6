"""What is watched of a folder, under which name, and what becomes of what the system refuses to watch."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from gui.files import folder_service
from gui.files.file_tree import FileTree, tree_of
from gui.files.folder_service import FolderWatch

COMPOSED = unicodedata.normalize("NFC", "caf\N{LATIN SMALL LETTER E WITH ACUTE}.txt")
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)


class ComposingWatcher(QObject):
    """Keeps names as Qt does on macOS (addPaths of qfilesystemwatcher_fsevents.mm): composed."""

    directoryChanged = Signal(str)  # noqa: N815 - as Qt names it
    fileChanged = Signal(str)  # noqa: N815 - as Qt names it

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.kept: list[str] = []

    def directories(self) -> list[str]:
        return []

    def files(self) -> list[str]:
        return list(self.kept)

    def addPaths(self, paths: Sequence[str]) -> list[str]:
        refused = []
        for path in paths:
            composed = unicodedata.normalize("NFC", path)
            (refused if composed in self.kept else self.kept).append(composed)
        return refused

    def removePaths(self, paths: Sequence[str]) -> list[str]:
        for path in paths:
            self.kept.remove(path)
        return []


def tree_with(folder: Path, names: Sequence[str]) -> FileTree:
    ones = np.ones(len(names), dtype=np.int64)
    return tree_of((folder,), ("o200k_base",), [str(folder / name) for name in names], ones, ones[None])


def asks_for_another_look(qtbot: QtBot, watch: FolderWatch, tree: FileTree) -> bool:
    """Watch a tree; whether it is to be counted once more because of that."""
    with qtbot.waitSignal(watch.watching):
        watch.watch(tree)
    asks = watch._settle.isActive()
    watch._settle.stop()
    return asks


def test_names_that_qt_composes_are_looked_at_once_more_only_once(qtbot, monkeypatch):
    monkeypatch.setattr(folder_service, "QFileSystemWatcher", ComposingWatcher)
    watch, folder = FolderWatch(), Path("/folder")
    both, one = tree_with(folder, [DECOMPOSED, "b.txt"]), tree_with(folder, ["b.txt"])
    assert [asks_for_another_look(qtbot, watch, both) for _ in range(3)] == [True, False, False]
    assert str(folder / DECOMPOSED) in watch._watched()
    assert not asks_for_another_look(qtbot, watch, one)
    assert COMPOSED not in "".join(watch._watcher.kept), "it is gone from the tree"
    assert asks_for_another_look(qtbot, watch, both)


def test_two_spellings_of_a_name_are_told_apart(qtbot, tmp_path):
    for name in (COMPOSED, DECOMPOSED):
        (tmp_path / name).write_text("text")
    if len(list(tmp_path.iterdir())) < 2:
        pytest.skip("this file system takes both spellings for one name")
    watch, tree = FolderWatch(), tree_with(tmp_path, [COMPOSED, DECOMPOSED])
    asks_for_another_look(qtbot, watch, tree)
    assert not watch.unwatched
    (tmp_path / DECOMPOSED).unlink()
    qtbot.waitUntil(lambda: str(tmp_path / DECOMPOSED) not in watch._watched())
    asks_for_another_look(qtbot, watch, tree)
    assert watch.unwatched == 1
    (tmp_path / DECOMPOSED).write_text("another text")
    asks_for_another_look(qtbot, watch, tree)
    assert not watch.unwatched
    asks_for_another_look(qtbot, watch, tree_with(tmp_path, [DECOMPOSED]))
    assert watch._watcher.files() == [str(tmp_path / DECOMPOSED)]


@pytest.mark.deep
def test_a_file_that_was_absent_for_a_moment_is_watched_at_the_next_look(qtbot, tmp_path):
    (tmp_path / "there.txt").write_text("text")
    watch, tree = FolderWatch(), tree_with(tmp_path, ["absent.txt", "there.txt"])
    asks_for_another_look(qtbot, watch, tree)
    assert watch.unwatched == 1
    path = tmp_path / "absent.txt"
    with qtbot.waitSignal(watch.changed):
        path.write_text("here again")
    assert asks_for_another_look(qtbot, watch, tree), "it may have been written to meanwhile"
    assert not watch.unwatched
    with qtbot.waitSignal(watch.changed):
        path.write_text("and written to where it stands")


def test_what_is_refused_each_time_does_not_ask_for_another_look(qtbot, tmp_path):
    """A name that is no UTF-8: Qt gives it back as another one."""
    (tmp_path / "there.txt").write_text("text")
    watch, tree = FolderWatch(), tree_with(tmp_path, ["caf\udce9.txt", "there.txt"])
    assert [asks_for_another_look(qtbot, watch, tree) for _ in range(3)] == [True, False, False]
    assert watch.unwatched == 1
