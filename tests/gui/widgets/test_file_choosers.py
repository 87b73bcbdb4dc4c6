"""The dialogs that ask for files and folders."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.widgets import file_choosers
from tests.thoroughness import mostly_deep

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


ENDED_WHILE_IT_ASKS = """
import sys
from pathlib import Path
from PySide6.QtCore import QEventLoop, QTimer, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMessageBox, QWidget
from gui.widgets import file_choosers

application = QApplication(["choosing"])
window = QWidget()
window.show()
way, answer, folder = sys.argv[1:]
chooser = file_choosers.saving(window, "save", "Save", Path(folder) / "there.txt")
chosen = []
chooser.fileSelected.connect(chosen.append)
chooser.open()
loop = QEventLoop()
chooser.destroyed.connect(loop.quit)
boxes = []

def end_it():
    box = QApplication.activeModalWidget()
    assert isinstance(box, QMessageBox)
    boxes.append(box)
    if way == "key":
        QTest.keyClick(chooser.findChild(QLineEdit), Qt.Key.Key_Return)
    elif way == "close":
        chooser.close()
    else:
        getattr(chooser, way)()
    QTimer.singleShot(50, lambda: box.button(QMessageBox.StandardButton[answer]).click())

QTimer.singleShot(50, end_it)
chooser.accept()
if answer == "No":
    assert chooser.isVisible()
    chooser.reject()
loop.exec()
print(len(boxes), len(chosen))
"""


@pytest.mark.deep
@pytest.mark.parametrize("way", mostly_deep(["key", "close", "accept", "reject"], 2))
@pytest.mark.parametrize(("answer", "chosen"), [("Yes", 1), ("No", 0)])
def test_it_stays_while_it_asks_whether_to_replace_a_file(tmp_path, way, answer, chosen):
    """The question is in an event loop of its own, in which the dialog could go away."""
    (tmp_path / "there.txt").write_text("before")
    command = [sys.executable, "-c", ENDED_WHILE_IT_ASKS, way, answer, str(tmp_path)]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", str(chosen)]
