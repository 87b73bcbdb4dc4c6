"""The declarative table model: what columns say reaches views, screen readers, editors and exports."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from gui.widgets.table_model import LEFT, RIGHT, Column, TableModel, TableRole, exact_table, readable_table

Role = Qt.ItemDataRole
ROWS = ({"name": "b", "n": 2}, {"name": "<i>", "n": None}, {"name": "a", "n": 1})
COLUMNS = (
    Column(
        "name",
        "Name",
        "What it is called",
        lambda row, view: row["name"] + view,
        exported=(("name", lambda row, _view: row["name"]),),
        tip=lambda row, _view: row["name"],
        edit=lambda row, _view: row["name"] if row["n"] else None,
    ),
    Column(
        "n",
        "Number",
        "",
        lambda row, _view: str(row["n"]),
        lambda row, _view: row["n"],
        (("n", lambda row, _view: row["n"]),),
        numeric=True,
        spoken=lambda row, _view: f"number {row['n']}",
        tone=lambda row, _view: "" if row["n"] else "error",
        check=lambda row, _view: None if row["n"] is None else row["n"] > 1,
        roles={Role.DecorationRole: lambda row, _view: f"icon {row['n']}"},
    ),
)


@pytest.fixture
def model(qapp: object) -> TableModel:
    made = TableModel(COLUMNS, "!")
    made.show(ROWS)
    return made


def texts(model: TableModel, column: int) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_cells_answer_by_their_column(model: TableModel):
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert texts(model, 0) == ["b!", "<i>!", "a!"]
    name, number = model.index(1, 0), model.index(1, 1)
    assert (name.data(Role.TextAlignmentRole), number.data(Role.TextAlignmentRole)) == (LEFT, RIGHT)
    assert name.data(Role.ToolTipRole) == "<p style='white-space:pre-wrap'>&lt;i&gt;</p>", "never taken for HTML"
    assert number.data(Role.ToolTipRole) is None
    assert number.data(Role.AccessibleTextRole) == "number None"
    assert (number.data(TableRole.TONE), number.data(TableRole.ROW)) == ("error", ROWS[1])
    assert number.data(Role.DecorationRole) == "icon None"
    header = [model.headerData(column, Qt.Orientation.Horizontal) for column in (0, 1)]
    assert header == ["Name", "Number"]
    assert model.headerData(0, Qt.Orientation.Horizontal, Role.ToolTipRole) == "What it is called"


def test_sorting_keeps_cells_and_puts_the_unknown_last(model: TableModel):
    kept = QPersistentModelIndex(model.index(0, 0))
    model.sort(1)
    assert texts(model, 1) == ["1", "2", "None"]
    assert kept.row() == 1
    model.sort(1, Qt.SortOrder.DescendingOrder)
    assert texts(model, 1) == ["2", "1", "None"]
    model.sort(0)
    assert texts(model, 1) == ["2", "1", "None"], "nothing to sort by"


def test_edits_and_ticks_are_told_and_not_made(qtbot, model: TableModel):
    assert not model.flags(model.index(1, 0)) & Qt.ItemFlag.ItemIsEditable
    with qtbot.assertNotEmitted(model.edited):
        assert not model.setData(model.index(0, 0), " b ")
    with qtbot.waitSignal(model.edited) as told:
        model.setData(model.index(0, 0), " c ")
    assert told.args == [ROWS[0], "name", "c"]
    assert model.index(0, 1).data(Role.CheckStateRole) == Qt.CheckState.Checked
    assert model.index(1, 1).data(Role.CheckStateRole) is None
    with qtbot.waitSignal(model.check_changed) as told:
        assert model.setData(model.index(0, 1), Qt.CheckState.Unchecked, Role.CheckStateRole)
    assert told.args == [ROWS[0], "n", False]


def test_invisible_characters_are_shown_unless_the_text_is_ours(qapp: object):
    hidden = ({"name": "a\u202e", "n": 1},)
    shown = {visible: TableModel(COLUMNS, "", visible=visible) for visible in (True, False)}
    for table in shown.values():
        table.show(hidden)
    assert shown[True].index(0, 0).data() == shown[True].shown(0, 0) == "a⟨RLO⟩"
    assert shown[False].index(0, 0).data() == "a\u202e"


def test_exports_are_exact_or_as_shown():
    exact = exact_table(COLUMNS, ROWS[:1], "!")
    assert (exact.columns, exact.rows) == (("name", "n"), (("b", 2),))
    readable = readable_table(COLUMNS, ("Name", "Number"), ROWS[:1], "!")
    assert (readable.columns, readable.rows, readable.numeric) == (("Name", "Number"), (("b!", "2"),), {"Number"})
