"""Scenarios under names: what is kept, and what is not lost."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from PySide6.QtCore import Qt

from gui.costs.scenario_book import ScenarioBook, ScenarioChoices, ScenarioName
from gui.state.storage import Storage

pytestmark = pytest.mark.pages()

SUPPORT = ScenarioChoices(output_tokens=300, output_range=(100, 900), calls=30_000)
NIGHT = ScenarioChoices(batch=True)


@pytest.fixture
def open_book(runner, tmp_path):
    return lambda: ScenarioBook(tmp_path / "scenarios.json", Storage(runner, "Scenarios"))


def written(qtbot, book, act) -> None:
    with qtbot.waitSignal(book._file.written):
        act()


def test_what_is_saved_is_there_at_the_next_start(open_book, qtbot):
    book = open_book()
    assert book.names() == []
    book.save("support", SUPPORT)
    written(qtbot, book, lambda: book.save("Nacht", NIGHT))
    qtbot.waitUntil(lambda: open_book().names() == ["Nacht", "support"])
    again = open_book()
    assert again.get("support") == SUPPORT
    written(qtbot, again, lambda: again.rename("support", "Support"))
    assert open_book().names() == ["Nacht", "Support"]
    written(qtbot, again, lambda: again.delete("Nacht"))
    last = open_book()
    assert last.names() == ["Support"]
    assert last.get("Support") == SUPPORT
    assert last.get("Nacht") is None


def test_windows_do_not_undo_each_other(open_book, qtbot):
    first, second = open_book(), open_book()
    written(qtbot, first, lambda: first.save("mine", SUPPORT))
    written(qtbot, second, lambda: second.save("theirs", NIGHT))
    assert second.names() == ["mine", "theirs"]
    written(qtbot, first, lambda: first.delete("mine"))
    assert open_book().names() == ["theirs"]
    written(qtbot, second, lambda: second.save("more", NIGHT))
    assert open_book().names() == ["more", "theirs"], "what the other window deleted is back"


@pytest.mark.parametrize("damaged", ["", "[]", '{"scenarios": 1}', '{"scenarios": {"a": 1}}', "\x00"])
def test_a_damaged_file_is_kept_beside(open_book, tmp_path, qtbot, damaged):
    (tmp_path / "scenarios.json").write_text(damaged, encoding="utf-8")
    book = open_book()
    assert "damaged" in book.problem
    assert (tmp_path / "scenarios.json.damaged").read_text(encoding="utf-8") == damaged
    written(qtbot, book, lambda: book.save("support", SUPPORT))
    assert open_book().names() == ["support"]


def test_fields_of_a_later_program_are_no_mistake(open_book, tmp_path):
    saved = {"version": 1, "scenarios": {"a": {"colour": 1, "calls": 7}, " ": {}}}
    (tmp_path / "scenarios.json").write_text(json.dumps(saved), encoding="utf-8")
    book = open_book()
    assert not book.problem
    assert book.names() == ["a"]
    assert book.get("a") == ScenarioChoices(calls=7)


def test_a_file_of_a_later_version_is_used_and_left_as_it_is(open_book, tmp_path, qtbot):
    saved = json.dumps({"version": 2, "scenarios": {"a": {"calls": 7}}})
    (tmp_path / "scenarios.json").write_text(saved, encoding="utf-8")
    book = open_book()
    assert "newer version" in book.problem
    assert book.get("a") == ScenarioChoices(calls=7)
    with qtbot.waitSignal(book.failed) as told:
        book.save("b", NIGHT)
    assert "newer version" in told.args[0]
    assert book.get("b") == NIGHT
    assert [path.name for path in tmp_path.iterdir() if path.is_file() and path.suffix] == ["scenarios.json"]
    assert (tmp_path / "scenarios.json").read_text(encoding="utf-8") == saved


def test_a_file_that_cannot_be_written_is_told(runner, tmp_path, qtbot):
    (tmp_path / "in the way").write_text("", encoding="utf-8")
    book = ScenarioBook(tmp_path / "in the way" / "scenarios.json", Storage(runner, "Scenarios"))
    with qtbot.waitSignal(book.failed) as told:
        book.save("support", SUPPORT)
    assert told.args[0].startswith("Could not save the scenarios: ")
    assert book.get("support") == SUPPORT


def test_scenarios_and_the_one_that_is_shown_survive_a_restart(open_window, qtbot):
    bench = open_window()
    panel, actions = bench.costs.panel, {action.objectName(): action for action in bench.window.every_action()}
    panel.scenario.change(output_tokens=77, hit_percent=Decimal(40))
    actions["scenarioSaveAs"].trigger()
    dialog = bench.window.findChild(ScenarioName)
    qtbot.keyClicks(dialog.name, "Support & Co")
    qtbot.keyClick(dialog.name, Qt.Key.Key_Return)
    panel.scenario.change(calls=9)
    profile = bench.paths.config
    with qtbot.waitSignal(bench.window.destroyed):
        bench.window.close()
    again = open_window(profile).costs.panel
    assert again.popover.named.accessibleName() == "Scenario: Support & Co, modified"
    assert again.scenario.choices.calls == 9
    again.names.load("Support & Co")
    assert again.scenario.choices == ScenarioChoices(output_tokens=77, hit_percent=Decimal(40))
    assert again.popover.output.value() == 77
