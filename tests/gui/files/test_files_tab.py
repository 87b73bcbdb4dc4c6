"""The tab for files in a real window: a folder with everything that goes wrong, and what a person does with it."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QLabel, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from commands.program import program
from gui.files import folder_service
from gui.files.file_tree import MODELS, NAME, TOKENS, TOP
from gui.files.files_page import FilesPage
from gui.window.application import Application
from tests.engine.folder_trees import add_troubles, make_tree
from tests.gui.conftest import OpenWindow
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.pages("filesTab")

FILES = 150


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    make_tree(root, FILES)
    return root


@pytest.fixture
def bench(qtbot: QtBot, open_window: OpenWindow) -> Application:
    bench = open_window()
    bench.window.actions_by_name["focus_files"].trigger()
    qtbot.waitUntil(lambda: bool(bench.costs.panel.model.shown_rows()))
    return bench


@pytest.fixture
def panel(bench: Application) -> FilesPage:
    assert bench.pages.folders is not None
    return bench.pages.folders.build()


def scan(qtbot: QtBot, bench: Application, root: Path) -> None:
    flow = bench.pages.folders
    before = flow.shown
    bench.pages.folders.build().set_paths([root])
    qtbot.waitUntil(lambda: flow.shown is not before and not flow.busy)


def propose(qtbot: QtBot, bench: Application, panel: FilesPage, tree: Path) -> None:
    """Count a folder and have shown what would have to go for a third of it."""
    scan(qtbot, bench, tree)
    panel.fit.limit.setValue(panel.model.choice.sums().tokens[0] // 3)
    panel.fit.propose.click()
    qtbot.waitUntil(lambda: panel.fit.proposal is not None)


def total(panel: FilesPage) -> str:
    return panel.total.text()


def counted_by_command(root: Path) -> dict:
    return json.loads(CliRunner().invoke(program, ["count", str(root), "--json"]).stdout)


def test_the_names_of_the_contract(bench, panel):
    for kind, name in ((QWidget, "filesTab"), (QTreeView, "filesTree"), (QLabel, "filesTotal")):
        widget = bench.window.findChild(kind, name)
        assert widget is not None, name
        assert widget.accessibleName(), name


@pytest.mark.deep
def test_totals_are_those_of_count_and_everything_left_out_is_listed(qtbot, bench, panel, tree):
    troubles = add_troubles(tree)
    scan(qtbot, bench, tree)
    document = counted_by_command(tree)
    assert f"{document['tokens']:,} tokens in o200k_base" in total(panel)
    shown = panel.model.tree
    assert list(map(str, shown.paths)) == [file["path"] for file in document["files"]]
    assert shown.tokens[0].tolist() == [file["tokens"] for file in document["files"]]
    left_out = bench.pages.folders.shown.left_out
    assert {str(file.path.relative_to(tree)) for file in left_out.skipped} == set(troubles)
    assert panel.sides.tabText(1) == f"Skipped: {len(troubles)}"


@pytest.mark.deep
def test_a_folder_with_other_figures_than_its_parts_would_be_noticed(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    model = panel.model

    def check(parent):
        below = [model.index(row, NAME, parent) for row in range(model.rowCount(parent))]
        for index in below:
            check(index)
        if below and parent.isValid():
            parts = sum(int(model.tree.node_tokens[0, model.node(index)]) for index in below)
            assert parts == int(model.tree.node_tokens[0, model.node(parent)])

    check(model.index_of(TOP))


def test_check_boxes_change_the_total_at_once(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    model = panel.model
    root = model.index(0, NAME)
    folder = model.index(0, NAME, root)
    file = model.index(0, NAME, model.index(0, NAME, folder))
    whole = model.choice.sums().tokens[0]
    assert model.setData(file, Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    states = [model.data(index, Qt.ItemDataRole.CheckStateRole) for index in (root, folder, file)]
    assert states == [Qt.CheckState.PartiallyChecked, Qt.CheckState.PartiallyChecked, Qt.CheckState.Unchecked]
    assert f"{whole - int(model.tree.node_tokens[0, model.node(file)]):,} tokens" in total(panel)
    assert f"{FILES - 1} of {FILES} files" in total(panel)
    model.setData(root, Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert "Checked: 0 of 150 files" in total(panel)
    model.setData(root, Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    assert f"{whole:,} tokens" in total(panel)


def test_space_checks_the_row_that_the_keyboard_is_at(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    panel.tree.setFocus()
    assert panel.model.node(panel.tree.currentIndex()) == 1
    qtbot.keyClick(panel.tree, Qt.Key.Key_Space)
    assert "Checked: 0 of" in total(panel)


@pytest.mark.deep
def test_models_stand_side_by_side_with_their_dollars(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    model = panel.model
    assert model.columnCount() == MODELS + 2 * len(model.prices.models)
    root = model.index(0, NAME)
    for column in range(MODELS, model.columnCount(), 2):
        price = model.price(model.node(root), column)
        assert price.tokens
        words = model.data(root.siblingAtColumn(column + 1))
        assert words == ("n/a" if price.usd is None else words)
        assert ("$" in words) == (price.usd is not None)
        assert model.prices.models[(column - MODELS) // 2].name in total(panel)


@pytest.mark.deep
def test_favourites_of_the_cost_table_are_the_models(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    row = next(row for row in bench.costs.panel.model.shown_rows() if row.model.count.tokenizer == "deepseek")
    bench.costs.panel.model.change(favourites=frozenset({row.model_id}))
    chosen = bench.costs.reference_model().id
    qtbot.waitUntil(lambda: [model.id for model in panel.model.prices.models] == [chosen, row.model_id])
    qtbot.waitUntil(lambda: "deepseek" in panel.model.tree.encodings)
    assert panel.model.price(1, MODELS + 2).tokens


@pytest.mark.deep
def test_another_encoding_counts_anew(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    bench.prompt.set_encoding("r50k_base")
    qtbot.waitUntil(lambda: "tokens in r50k_base" in total(panel))


@pytest.mark.deep
def test_columns_sort_within_folders(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    model = panel.model
    panel.tree.sortByColumn(TOKENS, Qt.SortOrder.DescendingOrder)
    root = model.index(0, NAME)
    tokens = [int(model.tree.node_tokens[0, model.node(model.index(row, NAME, root))]) for row in range(7)]
    assert tokens == sorted(tokens, reverse=True)
    panel.tree.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
    assert [model.data(model.index(row, NAME, root)) for row in range(7)] == [f"part{n}" for n in range(7)]


def test_the_tree_begins_with_the_most_tokens_and_figures_are_of_what_is_checked(qtbot, bench, panel, tree):
    assert panel.empty.isVisible()
    assert not panel.fit.isVisible()
    scan(qtbot, bench, tree)
    assert panel.fit.isVisible()
    model = panel.model
    root = model.index(0, NAME)
    shown = [int(model.tree.node_tokens[0, model.node(model.index(row, NAME, root))]) for row in range(7)]
    assert shown == sorted(shown, reverse=True)
    # The cost at the current model, which follows the counts.
    qtbot.waitUntil(lambda: panel.tree.header().visualIndex(MODELS + 1) == 3)
    assert panel.tree.isColumnHidden(MODELS), "its tokens are those of the column Tokens"
    model.check((int(model.tree.file_nodes[0]),), False)
    tokens, cost, context = (figure.value.text() for figure in panel.figures.figures)
    assert tokens == f"{model.choice.sums().tokens[0]:,}"
    assert "$" in cost
    assert context.endswith("%")
    panel.fit.limit.setValue(model.choice.sums().tokens[0] - 3)
    assert panel.fit.over.text() == "3 over"


@pytest.mark.deep
def test_small_files_are_hidden_and_still_counted(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    before = total(panel)
    panel.least.setValue(10)
    assert panel.model.hidden_files
    assert total(panel) == f"{before}  ·  {panel.model.hidden_files} small files not shown"
    panel.least.setValue(10**7)
    assert panel.model.rowCount() == 0
    panel.least.setValue(0)
    assert total(panel) == before


@pytest.mark.deep
@pytest.mark.parametrize("way", ["files", "folders"])
def test_a_proposal_is_followed_only_when_it_is_confirmed(qtbot, bench, panel, tree, way):
    scan(qtbot, bench, tree)
    whole = panel.model.choice.sums().tokens[0]
    panel.fit.limit.setValue(whole // 3)
    panel.fit.way.setCurrentIndex(panel.fit.way.findData(way))
    qtbot.mouseClick(panel.fit.propose, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(panel.fit.words.isVisible)
    qtbot.mouseClick(panel.fit.leave, Qt.MouseButton.LeftButton)
    assert panel.model.choice.sums().tokens[0] == whole
    qtbot.mouseClick(panel.fit.propose, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.fit.proposal is not None)  # one that is visible may be outdated
    assert panel.fit.list.count()
    nodes = panel.fit.proposal.nodes
    files = sum(map(panel.model.tree.is_file, nodes))
    said = panel.fit.words.text()
    assert (f"{files} files" in said or "1 file " in said) == (files > 0)
    assert ("folder" in said) == (files < len(nodes)) == (way == "folders")
    qtbot.mouseClick(panel.fit.take, Qt.MouseButton.LeftButton)
    assert 0 < panel.model.choice.sums().tokens[0] <= whole // 3
    assert not panel.fit.words.isVisible()


@pytest.mark.deep
def test_a_proposal_is_for_what_is_checked_when_it_comes(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    model = panel.model
    panel.fit.limit.setValue(model.choice.sums().tokens[0] // 3)
    panel.fit.propose.click()
    model.check((int(model.tree.file_nodes[0]),), False)  # before the answer can have come
    qtbot.waitUntil(lambda: panel.fit.proposal is not None)  # one that is visible may be outdated
    proposal = panel.fit.proposal
    assert proposal.left + proposal.dropped == model.choice.sums().tokens[0]
    assert int(model.tree.file_nodes[0]) not in proposal.nodes
    assert panel.fit.take.hasFocus()
    panel.tree.setFocus()
    model.check((int(model.tree.file_nodes[0]),), True)
    panel.fit.take.click()
    assert panel.fit.words.isVisible(), "it was made for other files: it is not followed"
    qtbot.waitUntil(lambda: panel.fit.proposal is not None)
    proposal = panel.fit.proposal
    assert proposal.left + proposal.dropped == model.choice.sums().tokens[0]
    assert panel.tree.hasFocus(), "nobody asked for this one"


@pytest.mark.deep
def test_proposals_that_nobody_asked_for_never_take_the_focus(qtbot, bench, panel, tree):
    propose(qtbot, bench, panel, tree)
    panel.tree.setFocus()
    for checked in (False, True, False):  # each before the answer to the one before can have come
        panel.model.check((int(panel.model.tree.file_nodes[0]),), checked)
    qtbot.waitUntil(lambda: panel.fit.proposal is not None)
    assert panel.tree.hasFocus()


@pytest.mark.deep
def test_a_proposal_that_is_left_does_not_come_back(qtbot, bench, panel, tree):
    propose(qtbot, bench, panel, tree)
    panel.model.check((int(panel.model.tree.file_nodes[0]),), False)
    lane = next(lane for lane in bench.runner.busy_lanes if lane.name == "Calculating what fits")
    with qtbot.waitSignal(lane.busy_changed):
        panel.fit.leave.click()  # before the other one can have come
    assert not panel.fit.there
    assert not panel.remark.text(), "nothing to be said of"


@pytest.mark.deep
def test_a_proposal_is_made_anew_when_the_folder_changes(qtbot, bench, panel, tree):
    propose(qtbot, bench, panel, tree)
    earlier = panel.fit.proposal
    Path(panel.model.tree.paths[0]).write_text("so many other words than before " * 50)
    qtbot.waitUntil(lambda: panel.fit.proposal not in (None, earlier))
    proposal = panel.fit.proposal
    assert proposal.left + proposal.dropped == panel.model.choice.sums().tokens[0]


@pytest.mark.deep
def test_a_proposal_that_is_stopped_is_said(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    panel.fit.limit.setValue(1)
    panel.fit.propose.click()
    lane = next(lane for lane in bench.runner.busy_lanes if lane.name == "Calculating what fits")
    fit = bench.pages.folders._fit
    with qtbot.waitSignal(lane.busy_changed):
        fit._on_cancelled(fit._pending)  # as a job tells that was stopped
    assert "Stopped. Nothing was suggested." in panel.remark.text()
    assert not panel.fit.words.isVisible()


def test_enter_opens_a_file_in_the_editor(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    node = int(panel.model.tree.file_nodes[3])
    panel.tree.setCurrentIndex(panel.model.index_of(node))
    with qtbot.waitSignal(bench.files.shown):
        qtbot.keyClick(panel.tree, Qt.Key.Key_Return)
    assert bench.window.pages.currentWidget() is bench.panel
    assert str(bench.prompt.origin.path) == panel.model.tree.paths[3]


@pytest.mark.deep
def test_a_changed_file_is_counted_again_and_marks_stay(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    model = panel.model
    unchecked = int(model.tree.file_nodes[-1])
    model.check((unchecked,), False)
    path = Path(model.tree.paths[0])
    before = bench.pages.folders.shown
    path.write_text("so many other words than before " * 50)
    qtbot.waitUntil(lambda: bench.pages.folders.shown is not before)
    assert model.tree.paths[0] == str(path)
    assert int(model.tree.file_bytes[0]) == path.stat().st_size
    assert f"{FILES - 1} of {FILES} files" in total(panel)


@pytest.mark.deep
def test_a_new_file_and_one_that_goes_are_noticed(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    (tree / "part0" / "new.txt").write_text("new")
    qtbot.waitUntil(lambda: f"of {FILES + 1} files" in total(panel))
    (tree / "part0" / "new.txt").unlink()
    qtbot.waitUntil(lambda: f"of {FILES} files" in total(panel))


@pytest.mark.deep
def test_open_folders_stay_open(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    model = panel.model
    folder = model.index(2, NAME, model.index(0, NAME))
    panel.tree.expand(folder)
    (tree / "part0" / "new.txt").write_text("new")
    qtbot.waitUntil(lambda: f"of {FILES + 1} files" in total(panel))
    assert panel.tree.isExpanded(model.index(2, NAME, model.index(0, NAME)))
    assert not panel.tree.isExpanded(model.index(3, NAME, model.index(0, NAME)))


@pytest.mark.parametrize("suffix", mostly_deep([".csv", ".json", ".md"], 1))
def test_the_manifest_has_every_file(qtbot, bench, panel, tree, tmp_path, suffix):
    (tree / "=HYPERLINK(1).txt").write_text("evil")
    troubles = add_troubles(tree)
    scan(qtbot, bench, tree)
    panel.model.check((int(panel.model.tree.file_nodes[0]),), False)
    target = tmp_path / f"list{suffix}"
    bench.pages.folders.write_list(target)
    qtbot.waitUntil(target.exists)
    text = target.read_text()
    count = len(panel.model.tree.paths)
    if suffix == ".md":
        assert text.count("\n") == 2 + count + len(troubles)
        return
    rows = json.loads(text)["rows"] if suffix == ".json" else list(csv.DictReader(text.splitlines()))
    assert len(rows) == count + len(troubles)
    assert sum(int(row["tokens o200k_base"] or 0) for row in rows) == int(panel.model.tree.tokens[0].sum())
    assert rows[0]["included"] in (False, "false")
    assert {row["path"] for row in rows if row["skipped because"]} == {str(tree / name) for name in troubles}


@pytest.mark.deep
def test_a_path_that_begins_like_a_formula_is_no_formula(qtbot, bench, panel, tree, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from gui.core.exports import to_csv
    from gui.files.folder_service import ManifestRequest, manifest_table

    scan(qtbot, bench, tree)
    shown = panel.model.tree
    from dataclasses import replace

    evil = replace(shown, paths=("=1+1", *shown.paths[1:]))
    request = ManifestRequest(tmp_path, evil, panel.model.choice.checked, (), (), None)
    ticket = type("Ticket", (), {"progress": lambda *_: None})()
    assert "\n'=1+1," in to_csv(manifest_table(request, ticket))


def test_a_path_that_leads_nowhere_is_said(qtbot, bench, panel, tmp_path):
    panel.set_paths([tmp_path / "missing"])
    qtbot.waitUntil(lambda: "No such file or folder" in panel.remark.text())


def test_results_of_another_folder_cannot_be_used(qtbot, bench, panel, tree, tmp_path):
    propose(qtbot, bench, panel, tree)
    results = (panel.tree, panel.map, panel.total, panel.fit, panel.fit.propose, panel.export)
    assert panel.counted.text() == f"Results for {tree}"
    panel.folder.field.setText(str(tmp_path / "missing"))
    assert f"The results below are for {tree}. Click Count" in panel.counted.text()
    qtbot.keyClick(panel.folder.field, Qt.Key.Key_Return)
    assert f"The results below are for {tree} until this count is complete." in panel.counted.text()
    qtbot.waitUntil(lambda: "No such file or folder" in panel.remark.text() and not bench.pages.folders.busy)
    assert f"The results below are for {tree}. Click Count" in panel.counted.text()
    assert not any(widget.isEnabled() for widget in results)

    panel.folder.field.setText(f"{tree}/")
    assert panel.counted.text() == f"Results for {tree}"
    assert all(widget.isEnabled() for widget in results)


@pytest.mark.deep
def test_results_of_a_folder_that_is_gone_cannot_be_used(qtbot, bench, panel, tree, monkeypatch):
    monkeypatch.setattr(bench.pages.folders, "_count_again", lambda: None)
    scan(qtbot, bench, tree)
    tree.rename(tree.with_name("elsewhere"))
    panel.scan.click()
    qtbot.waitUntil(lambda: "The last count failed" in panel.counted.text())
    assert not panel.tree.isEnabled()
    tree.with_name("elsewhere").rename(tree)
    panel.scan.click()
    qtbot.waitUntil(panel.tree.isEnabled)


@pytest.mark.deep
def test_another_encoding_recounts_what_is_shown_and_not_what_is_typed(
    qtbot, bench, panel, tree, tmp_path, monkeypatch
):
    scan(qtbot, bench, tree)
    asked, submit = [], bench.pages.folders._scan.scan
    monkeypatch.setattr(
        bench.pages.folders._scan, "scan", lambda request: (asked.append(request.roots), submit(request))
    )
    panel.folder.field.setText(str(tmp_path / "half a na"))
    bench.prompt.set_encoding("gpt2")
    qtbot.waitUntil(lambda: bench.pages.folders.shown.tree.encodings[0] == "gpt2")
    assert set(asked) == {(tree,)}


def test_nothing_named_and_nothing_there(qtbot, bench, panel, tmp_path):
    qtbot.mouseClick(panel.scan, Qt.MouseButton.LeftButton)
    assert "Choose a folder first" in panel.remark.text()
    (tmp_path / "empty").mkdir()
    scan(qtbot, bench, tmp_path / "empty")
    assert "The folder is empty" in panel.remark.text()
    assert not panel.fit.propose.isEnabled()


@pytest.mark.deep
def test_the_map_is_driven_by_the_keyboard(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    picture, model = panel.map, panel.model
    assert picture.folder == 1
    picture.setFocus()
    assert "tokens" in picture.accessibleDescription()
    before = picture.accessibleDescription()
    qtbot.keyClick(picture, Qt.Key.Key_Right)
    assert picture.accessibleDescription() != before
    node = picture.current
    qtbot.keyClick(picture, Qt.Key.Key_Space)
    assert model.choice.checked_files(node) == 0
    assert "not checked" in picture.accessibleDescription()
    qtbot.keyClick(picture, Qt.Key.Key_Return)
    assert picture.folder == node
    qtbot.keyClick(picture, Qt.Key.Key_Backspace)
    assert picture.folder == 1
    assert picture.current == node
    while not model.tree.is_file(picture.current):
        qtbot.keyClick(picture, Qt.Key.Key_Return)
    with qtbot.waitSignal(bench.files.shown):
        qtbot.keyClick(picture, Qt.Key.Key_Return)


def test_the_map_shows_two_levels_and_opens_the_inner_one(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    picture, model = panel.map, panel.model
    assert panel.legend.entries() == [".txt 100%"]
    assert panel.up.text() == tree.name
    assert not panel.up.isEnabled(), "nothing above it was counted"
    picture.resize(600, 500)
    cell = picture.cells(0)[0]
    assert int(model.tree.parents[cell.node]) == picture.nodes[0]
    assert picture.tile(0).contains(cell.area)
    qtbot.mouseDClick(picture, Qt.MouseButton.LeftButton, pos=cell.area.center().toPoint())
    assert picture.folder == cell.node
    assert panel.up.text() == model.tree.names[cell.node]
    panel.up.click()
    assert picture.folder == int(model.tree.parents[cell.node])


def test_the_map_follows_the_tree(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    model = panel.model
    node = int(model.tree.file_nodes[10])
    panel.tree.selectionModel().setCurrentIndex(model.index_of(node), QItemSelectionModel.SelectionFlag.ClearAndSelect)
    assert panel.map.folder == int(model.tree.parents[node])


def test_a_folder_dropped_on_the_window_is_counted(qtbot, bench, tree):
    bench.panel.editor.files_dropped.emit([str(tree)])
    qtbot.waitUntil(lambda: bench.pages.folders.shown is not None)
    assert bench.pages.page("filesTab").is_in_front()


@pytest.mark.deep
def test_choices_are_remembered(qtbot, bench, panel, tree, open_window, tmp_path):
    panel.folder.set_paths([str(tree)])
    panel.gitignore.setChecked(False)
    panel.fit.limit.setValue(1234)
    panel.fit.way.setCurrentIndex(1)
    state = json.loads(json.dumps(bench.pages.folders.state()))
    panel.restore_state({})
    assert panel.gitignore.isChecked()
    panel.restore_state(state)
    assert bench.pages.folders.state() == state
    panel.restore_state({"least": -4, "limit": "many", "way": 3, "folder": 7})
    assert panel.fit.way.currentData() == "files"


@pytest.mark.deep
def test_what_changes_before_it_is_watched_is_noticed(qtbot, bench, panel, tree, monkeypatch):
    """Between the scan and the moment when it is watched nobody tells of a change."""
    path = tree / "part0" / "group0" / "text0.txt"
    watch = folder_service.FolderWatch.watch

    def later(self, shown):
        path.write_text("changed before it was watched " * 40)
        (tree / "part0" / "late.txt").write_text("new before its folder was watched")
        monkeypatch.setattr(folder_service.FolderWatch, "watch", watch)
        watch(self, shown)

    monkeypatch.setattr(folder_service.FolderWatch, "watch", later)
    bench.pages.folders.build().set_paths([tree])
    qtbot.waitUntil(lambda: f"of {FILES + 1} files" in total(panel))
    index = panel.model.tree.paths.index(str(path))
    assert int(panel.model.tree.file_bytes[index]) == path.stat().st_size


@pytest.mark.deep
def test_a_change_during_a_scan_is_noticed(qtbot, bench, panel, tree):
    scan(qtbot, bench, tree)
    flow = bench.pages.folders
    flow.count()
    assert flow.busy
    flow._count_again()  # as the watch asks for it when it was told of a change
    before = flow.shown
    qtbot.waitUntil(lambda: flow.shown is not before)
    assert flow.busy, "it is looked at once more"
    qtbot.waitUntil(lambda: not flow.busy)


@pytest.mark.deep
def test_a_look_that_finds_nothing_new_changes_nothing(qtbot, bench, panel, tree, monkeypatch):
    flow, model = bench.pages.folders, panel.model
    monkeypatch.setattr(flow, "_other_encodings", list)  # whatever the cost table comes to show meanwhile
    scan(qtbot, bench, tree)
    before, choice = flow.shown, model.choice
    for _ in range(2):
        flow._count_again()
        with qtbot.waitSignal(flow._scan.busy_changed):
            pass
    assert flow.shown is before
    assert model.choice is choice


@pytest.mark.deep
def test_a_file_that_another_one_replaced_is_watched(qtbot, bench, panel, tree):
    """Editors write beside a file and put that in its place."""
    scan(qtbot, bench, tree)
    path = Path(panel.model.tree.paths[0])
    for words in (40, 80):
        (tree.parent / "beside").write_text("word " * words)
        (tree.parent / "beside").replace(path)
        qtbot.waitUntil(lambda: int(panel.model.tree.file_bytes[0]) == path.stat().st_size)
    qtbot.waitUntil(lambda: str(path) in bench.pages.folders._watch._watched())
    path.write_text("written to where it stands")
    qtbot.waitUntil(lambda: int(panel.model.tree.file_bytes[0]) == path.stat().st_size)


@pytest.mark.deep
def test_what_is_not_watched_is_said_and_looked_at_again(qtbot, bench, panel, tree, monkeypatch):
    monkeypatch.setattr(folder_service, "MAX_FILES", 1)
    monkeypatch.setattr(folder_service, "MAX_FOLDERS", 1)
    scan(qtbot, bench, tree)
    qtbot.waitUntil(lambda: "Too many files to watch" in panel.watching.text())
    path = min(map(Path, panel.model.tree.paths), key=lambda path: path.stat().st_size)
    path.write_text("changed where nobody watches")
    os.utime(path, (1, 1))

    def shown_bytes() -> int:
        tree = panel.model.tree
        return int(tree.file_bytes[tree.paths.index(str(path))])

    assert shown_bytes() != path.stat().st_size
    bench.pages.folders._on_application_state(Qt.ApplicationState.ApplicationActive)
    # A scan that began before it changed may be shown first.
    qtbot.waitUntil(lambda: shown_bytes() == path.stat().st_size)
