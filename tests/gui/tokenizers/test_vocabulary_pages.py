"""The pages about a whole vocabulary, and the export."""

from __future__ import annotations

import csv
import json

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog

from engine.vocabulary.bundle import table_from_ranks
from engine.vocabulary.entries import entry_table
from engine.vocabulary.entry_diagnostics import ANOTHER_ID, ONLY_HERE, ONLY_THERE
from gui.tokenizers.vocabulary.service import lengths_of
from tests.gui.tokenizers.vocabulary_windows import browse, shown_ids

pytestmark = pytest.mark.pages("vocabularyTab")


def test_lengths_are_those_of_what_was_learned():
    table = table_from_ranks({b"a": 0, b"b": 1, b"ab": 2, b"abab": 5})
    lengths = lengths_of(entry_table("small", table, {"<a special one>": 3}, 7))
    assert lengths.counts.tolist() == [0, 2, 1, 0, 1]
    assert (lengths.total, lengths.mean, lengths.median) == (4, 2.0, 1)
    assert lengths.ids.tolist() == [0, 1, 2, 5]
    assert lengths.means.tolist() == lengths.longest.tolist() == [1, 1, 2, 4]


@pytest.mark.deep
def test_lengths_of_a_published_vocabulary(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "r50k_base")
    page = bench.pages.vocabulary.lengths
    assert page.words.text().startswith("The 50,256 learned tokens of r50k_base average 6.")
    assert "longest 128)" in page.words.text()
    assert page.plots is None
    panel.side.setCurrentWidget(page)
    assert page.plots is not None
    heights = list(page.plots.bars.opts["height"])
    assert sum(heights) == 50_256
    assert heights[1] == 256
    bench.settings.set("theme", "dark")
    assert bench.window.pages.show_page("vocabularyTab")
    bench.window.show()
    qtbot.waitUntil(page.plots.isVisible)
    qtbot.waitUntil(lambda: page.plots.bars.opts["brush"] == bench.theme.colour("bar"))
    bench.settings.set("theme", "light")
    qtbot.waitUntil(lambda: page.plots.bars.opts["brush"] == bench.theme.colour("bar"))
    browse(qtbot, bench, "cl100k_base")
    qtbot.waitUntil(lambda: "cl100k_base" in page.words.text())
    assert sum(page.plots.bars.opts["height"]) == 100_256


@pytest.mark.deep
def test_two_vocabularies_side_by_side(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "p50k_base")
    page = bench.pages.vocabulary.compare
    panel.side.setCurrentWidget(page)
    assert page.other.currentText() == ""
    assert page.group.isHidden()
    assert page.table.isHidden(), "there is nothing to list yet"
    page.other.setCurrentText("p50k_edit")
    qtbot.waitUntil(lambda: not page.group.isHidden())
    assert page.words.text() == (
        "50,281 tokens are in both: 50,281 with the same ID, 0 with another. 0 are only in p50k_base, 3 only in "
        "p50k_edit."
    )
    assert page.group.currentIndex() == ONLY_THERE, "it opens on what differs"
    assert page.model.rowCount() == 3
    row = [page.model.index(0, column).data() for column in range(3)]
    assert row[0] == "–"
    assert row[2].startswith("<|fim_")
    page.table.activated.emit(page.model.index(0, 0))  # it is nowhere here: nothing happens
    page.other.setCurrentText("cl100k_base")
    qtbot.waitUntil(lambda: "cl100k_base" in page.words.text())
    assert page.group.currentIndex() == ONLY_HERE
    entries = bench.pages.vocabulary.browser.vocabulary.entries
    ids = [page.model.ids_at(row)[0] for row in range(1000)]
    lengths = [len(entries.token_bytes(one)) for one in ids]
    assert lengths == sorted(lengths, reverse=True), "longest first"
    page.group.setCurrentIndex(ANOTHER_ID)
    here, there = page.model.ids_at(1000)
    assert here != there
    page.table.activated.emit(page.model.index(1000, 0))
    qtbot.waitUntil(lambda: panel.detail.token_id == here)
    page.group.setCurrentIndex(ONLY_HERE)
    counts = page.model.rowCount()
    assert counts > 1000
    browse(qtbot, bench, "r50k_base")
    qtbot.waitUntil(lambda: "only in r50k_base" in page.words.text())


@pytest.mark.deep
def test_what_is_shown_is_exported(qtbot, open_window, tmp_path):
    bench = open_window()
    panel = browse(qtbot, bench, "r50k_base", diagnosed=True)
    panel.filters.mode.setCurrentIndex(2)
    panel.filters.search.setText("^[=+@-]{1,2}[A-Z]?$|magikarp")
    qtbot.waitUntil(lambda: 0 < panel.model.rowCount() < 200)
    saving = bench.pages.vocabulary.saving
    for name in ("a.csv", "a.json"):
        with qtbot.waitSignal(saving.lane.finished):
            saving.write(tmp_path / name)
    document = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert document["about"] == {"encoding": "r50k_base", "entries": panel.model.rowCount()}
    assert [row["id"] for row in document["rows"]] == shown_ids(panel)
    entries = bench.pages.vocabulary.browser.vocabulary.entries
    assert all(bytes.fromhex(row["hex"]) == entries.token_bytes(row["id"]) for row in document["rows"])
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        about, _, titles, *rows = csv.reader(file)
    assert about == ["# encoding", "r50k_base"]
    texts = {row[titles.index("text")] for row in rows}
    assert "'=" in texts
    assert not [text for text in texts if text.startswith(("=", "+", "-", "@"))]


@pytest.mark.deep
def test_a_file_that_cannot_be_written_is_told(qtbot, open_window, tmp_path):
    bench = open_window()
    browse(qtbot, bench, "gpt2")
    (tmp_path / "file").write_text("")
    notices = []
    bench.notifier.posted.connect(notices.append)
    bench.pages.vocabulary.saving.write(tmp_path / "file" / "x.csv")
    qtbot.waitUntil(lambda: bool(notices))
    assert "Could not export the entries to" in notices[0].text


@pytest.mark.deep
def test_the_dialog_of_the_export(qtbot, open_window, tmp_path):
    bench = open_window()
    panel = browse(qtbot, bench, "gpt2")
    panel.filters.go_asked.emit("10-12")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3)
    panel.filters.export.click()
    dialog = bench.window.findChild(QFileDialog, "vocabExportDialog")
    assert dialog.isVisible()
    with qtbot.waitSignal(bench.pages.vocabulary.saving.lane.finished):
        dialog.fileSelected.emit(str(tmp_path / "three"))
    dialog.reject()
    assert (tmp_path / "three.csv").exists()
    assert QApplication.activeModalWidget() is None
