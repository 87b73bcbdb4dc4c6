"""The dialogs that ask for files and folders."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.dialogs import file_choosers

FILTERS = ["Web page (*.html)", "Markdown (*.md)"]


@pytest.fixture
def window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    return window


def test_a_file_is_asked_for_in_a_folder(window, tmp_path):
    one = file_choosers.opening(window, "one", "Open", tmp_path, FILTERS)
    several = file_choosers.opening(window, "several", "Open", tmp_path, several=True)
    assert (one.objectName(), one.windowTitle(), one.parent()) == ("one", "Open", window)
    assert one.directory().path() == tmp_path.as_posix()
    assert (one.fileMode(), one.nameFilters()) == (QFileDialog.FileMode.ExistingFile, FILTERS)
    assert several.fileMode() == QFileDialog.FileMode.ExistingFiles
    assert several.nameFilters() == QFileDialog().nameFilters()


def test_a_folder_is_asked_for_in_a_folder(window, tmp_path):
    chooser = file_choosers.folder(window, "folder", "Choose", tmp_path)
    assert chooser.directory().path() == tmp_path.as_posix()
    assert chooser.fileMode() == QFileDialog.FileMode.Directory
    assert chooser.testOption(QFileDialog.Option.ShowDirsOnly)


@pytest.mark.parametrize("name", ["is there.html", "is not.html"])
def test_a_name_is_proposed(window, tmp_path, name):
    (tmp_path / "is there.html").touch()
    chooser = file_choosers.saving(window, "save", "Save", tmp_path / name, FILTERS)
    assert chooser.acceptMode() == QFileDialog.AcceptMode.AcceptSave
    assert chooser.selectedFiles() == [(tmp_path / name).as_posix()]
    assert chooser.defaultSuffix() == ""


def test_a_name_without_an_ending_gets_that_of_the_filter(window, tmp_path):
    chooser = file_choosers.saving(window, "save", "Save", tmp_path / "report", FILTERS, ["html", "md"])
    assert chooser.defaultSuffix() == "html"
    for chosen, ending in zip(reversed(FILTERS), ("md", "html"), strict=True):
        chooser.selectNameFilter(chosen)
        chooser.filterSelected.emit(chosen)
        assert chooser.defaultSuffix() == ending


def test_it_is_gone_once_it_was_answered(qtbot, window, tmp_path):
    chooser = file_choosers.opening(window, "open", "Open", tmp_path)
    chooser.open()
    with qtbot.waitSignal(chooser.destroyed):
        chooser.reject()
