"""A report as a newcomer writes it: from the File menu, past a warning, to a file."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog
from pytestqt.qtbot import QtBot

from gui.core.reports import COST, PRICES
from gui.costs import report_controller
from gui.costs.report_controller import ReportDialog
from gui.editor.offsets import document_text
from gui.window.application import Application
from tests.gui.conftest import OpenWindow
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.pages()

KEY = "AI" + "za" + "x" * 35


def asked(qtbot: QtBot, bench: Application, text: str) -> ReportDialog:
    """The dialog that the menu brings up for a text."""
    bench.prompt.replace_all(text)
    bench.window.actions_by_name["report"].trigger()
    qtbot.waitUntil(lambda: bench.report.dialog is not None)
    return bench.report.dialog


def written(qtbot: QtBot, bench: Application, dialog: ReportDialog, path: Path) -> str:
    """What is in the file that was chosen."""
    dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save).click()
    chooser = bench.window.findChild(QFileDialog, "reportFileDialog")
    with qtbot.waitSignal(chooser.destroyed):
        chooser.fileSelected.emit(str(path))
        chooser.reject()
    qtbot.waitUntil(path.exists)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", mostly_deep(["html", "md"], 1))
def test_a_report_tells_what_the_window_shows(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, ending: str):
    bench = open_window()
    text = "Hello <b>world</b>, *hello*.\n"
    dialog = asked(qtbot, bench, text)
    assert dialog.warning.isHidden()
    assert not dialog.text.isChecked()
    report = written(qtbot, bench, dialog, tmp_path / f"report.{ending}")
    assert hashlib.sha256(text.encode()).hexdigest() in report
    shown = bench.costs.panel.model.shown_rows()
    for row in shown:
        assert row.model.name.replace("(", "").split()[0] in report
        assert row.estimate.source in report.replace("&amp;", "&")
    assert "Tokenloupe 0.1" in report
    assert "2026" in report or bench.costs.service.today.isoformat()[:4] in report
    assert "world" not in report


def test_what_a_report_says_is_made_by_the_worker(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
):
    """To look up the versions alone takes as long as a picture of the window."""
    made_by: list[threading.Thread] = []

    def looked_up() -> list[str]:
        made_by.append(threading.current_thread())
        return ["Tokenloupe 0"]

    monkeypatch.setattr(report_controller, "version_lines", looked_up)
    asked(qtbot, open_window(), "text").reject()
    assert made_by
    assert threading.main_thread() not in made_by


def test_the_text_goes_in_when_that_is_wanted(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    dialog = asked(qtbot, bench, "Hello <b>world</b>\n")
    qtbot.mouseClick(dialog.text, Qt.MouseButton.LeftButton, pos=dialog.text.rect().center() / 2)
    dialog.text.setChecked(True)
    assert "Hello &lt;b&gt;world&lt;/b&gt;" in written(qtbot, bench, dialog, tmp_path / "report.html")


def test_a_report_has_the_format_and_the_contents_that_are_chosen(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path
):
    bench = open_window()
    dialog = asked(qtbot, bench, "Hello\n")
    models = len(bench.costs.panel.model.shown_rows())
    assert dialog.sections[COST].text() == f"Cost &table, {models} models"
    assert all(box.isChecked() for box in dialog.sections.values())
    assert "(6 characters)" in dialog.about.text()
    dialog.format.setFocus()
    qtbot.keyClick(dialog.format, Qt.Key.Key_Right)
    dialog.sections[PRICES].click()
    dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save).click()
    chooser = bench.window.findChild(QFileDialog, "reportFileDialog")
    assert chooser.defaultSuffix() == "md"
    with qtbot.waitSignal(chooser.destroyed):
        chooser.fileSelected.emit(str(tmp_path / "report"))
        chooser.reject()
    qtbot.waitUntil((tmp_path / "report").exists)
    report = (tmp_path / "report").read_text(encoding="utf-8")
    assert [line for line in report.splitlines() if line.startswith("#")] == [
        "# Cost of the prompt",
        "## Text",
        "## Tokens",
        "## Scenario",
        "## Cost",
        "## Program",
    ]


def test_what_looks_like_a_key_is_pointed_out_first(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    dialog = asked(qtbot, bench, f"one\ntwo {KEY}\n")
    assert dialog.warning.isVisible()
    assert "Google (line 2)" in dialog.warning.text()
    assert KEY not in dialog.warning.text()
    dialog.reject()


def test_a_text_that_is_too_long_for_a_page_is_left_out(
    qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(report_controller, "MAX_CHARACTERS", 10)
    dialog = asked(qtbot, open_window(), "eleven signs")
    assert not dialog.text.isEnabled()
    assert "longer than 10 characters" in dialog.text.text()
    dialog.reject()


def test_a_stored_text_is_hashed_as_stored(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    bench.prompt.show_text("a\r\nb")
    bench.window.actions_by_name["report"].trigger()
    qtbot.waitUntil(lambda: bench.report.dialog is not None)
    report = written(qtbot, bench, bench.report.dialog, tmp_path / "r.html")
    assert hashlib.sha256(b"a\r\nb").hexdigest() in report
    assert document_text("a\r\nb") == "a\nb"


def test_a_file_that_cannot_be_written_is_told(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    dialog = asked(qtbot, bench, "text")
    dialog.reject()
    (tmp_path / "taken").write_text("a file")
    bench.report.write(tmp_path / "taken" / "report.html")
    qtbot.waitUntil(
        lambda: any("Could not export the report" in notice.text for notice in bench.window.messages.notices)
    )


def test_a_report_that_waited_comes_when_the_prices_are_no_longer_old(qtbot: QtBot, open_window: OpenWindow):
    bench = open_window()
    service = bench.costs.service
    qtbot.waitUntil(lambda: bool(service.rows) and not service.stale and bench.prompt.counts.complete)
    service.stale = True
    bench.window.actions_by_name["report"].trigger()
    service.estimated.emit(service.rows)
    assert bench.report.dialog is None
    service._watch_age()
    qtbot.waitUntil(lambda: bench.report.dialog is not None)
    bench.report.dialog.reject()
