from __future__ import annotations

import json
import os
import threading
from dataclasses import fields
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from engine.runtime.atomic_files import change_atomic
from gui.runtime.jobs import JobRunner
from gui.state import storage
from gui.state.settings import Settings, SettingsStore, accepted, describe, names
from gui.state.storage import SharedFile, Storage


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


def test_what_is_set_is_there_at_the_next_start(qtbot: QtBot, path: Path):
    store = SettingsStore(path)
    with qtbot.waitSignal(store.changed) as changed:
        store.set("font_size", 14)
    assert changed.args == ["font_size"]
    store.set("recent", ("/a", "/b"))
    store.close()
    again = SettingsStore(path)
    assert again.values.font_size == 14
    assert again.values.recent == ("/a", "/b")
    assert again.problem == ""


def test_setting_the_same_value_changes_nothing(qtbot: QtBot, path: Path):
    store = SettingsStore(path)
    with qtbot.assertNotEmitted(store.changed):
        store.set("theme", "system")
    store.close()
    assert not path.exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [("font_size", 5), ("font_size", 49), ("font_size", True), ("theme", "pink"), ("word_wrap", 1), ("recent", [1])],
)
def test_impossible_values_are_refused(qtbot: QtBot, path: Path, name: str, value: object):
    assert not accepted(name, value)
    store = SettingsStore(path)
    with pytest.raises(ValueError, match=name):
        store.set(name, value)


def test_a_bad_value_costs_only_itself(qtbot: QtBot, path: Path):
    path.parent.mkdir()
    path.write_text(json.dumps({"font_size": 999, "theme": "dark", "of_the_future": {"a": 1}}))
    store = SettingsStore(path)
    assert store.values == Settings(theme="dark")
    assert "font_size" in store.problem
    store.set("word_wrap", False)
    store.close()
    written = json.loads(path.read_text())
    assert written["of_the_future"] == {"a": 1}
    assert written["theme"] == "dark"
    assert written["font_size"] == Settings().font_size
    assert written["version"] == 1


def test_a_file_name_that_is_no_text_does_not_keep_settings_from_being_saved(qtbot: QtBot, path: Path):
    name = os.fsdecode(b"/a/\xff")
    store = SettingsStore(path)
    store.set("recent", (name,))
    store.close()
    assert SettingsStore(path).values.recent == (name,)


@pytest.mark.parametrize("damage", [b"{", b"[1]", b"\xff", b"", b"[" * 100_000])
def test_a_damaged_file_is_kept_and_told(qtbot: QtBot, path: Path, damage: bytes):
    path.parent.mkdir()
    path.write_bytes(damage)
    store = SettingsStore(path)
    assert store.values == Settings()
    assert "settings.json.damaged" in store.problem
    assert path.with_name("settings.json.damaged").read_bytes() == damage


def test_a_file_that_cannot_be_read_is_told(qtbot: QtBot, path: Path):
    path.mkdir(parents=True)
    assert "Could not read the settings (" in SettingsStore(path).problem
    assert "Errno" not in SettingsStore(path).problem


def test_writing_happens_in_a_lane_once_services_run(qtbot: QtBot, path: Path):
    runner = JobRunner()
    storage = Storage(runner, "Saving")
    store = SettingsStore(path)
    store.use_storage(storage)
    with qtbot.waitSignal(storage.written):
        store.set("theme", "light")
        store.set("theme", "dark")
    runner.shutdown()
    assert json.loads(path.read_text())["theme"] == "dark"


def test_a_failed_write_is_told(qtbot: QtBot, tmp_path: Path):
    (tmp_path / "blocked").write_text("a file where a folder is wanted")
    store = SettingsStore(tmp_path / "blocked" / "settings.json")
    store.set("theme", "dark")
    with qtbot.waitSignal(store.failed) as failed:
        store.close()
    assert "Could not save" in failed.args[0]


def test_a_failed_write_in_a_lane_is_told(qtbot: QtBot, tmp_path: Path):
    (tmp_path / "blocked").write_text("a file where a folder is wanted")
    runner = JobRunner()
    store = SettingsStore(tmp_path / "blocked" / "settings.json")
    store.use_storage(Storage(runner, "Saving"))
    with qtbot.waitSignal(store.failed) as failed:
        store.set("theme", "dark")
    runner.shutdown()
    assert "Could not save" in failed.args[0]


def test_what_could_not_be_written_is_tried_once_more_when_the_window_closes(qtbot: QtBot, tmp_path: Path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder is wanted")
    runner = JobRunner()
    file = SharedFile(blocked / "shared.json", 1)
    file.use_storage(Storage(runner, "Saving"))
    with qtbot.waitSignal(file.failed):
        file.change(lambda document: document.update(first=1))
    blocked.unlink()
    file.finish()
    runner.shutdown()
    assert json.loads(file.path.read_text()) == {"first": 1, "version": 1}


def test_a_choice_made_while_the_last_is_being_written_is_not_lost(
    qtbot: QtBot, path: Path, monkeypatch: pytest.MonkeyPatch
):
    gate = threading.Event()

    def slow(*args: object, **options: object) -> bytes:
        gate.wait()
        return change_atomic(*args, **options)

    monkeypatch.setattr(storage, "change_atomic", slow)
    runner = JobRunner()
    store = SettingsStore(path)
    store.use_storage(Storage(runner, "Saving"))
    store.set("theme", "light")
    qtbot.waitUntil(lambda: runner.busy)
    store.set("theme", "dark")
    store.close()
    gate.set()
    runner.shutdown()
    assert json.loads(path.read_text())["theme"] == "dark"


def test_two_windows_do_not_undo_each_others_choices(qtbot: QtBot, path: Path):
    first, second = SettingsStore(path), SettingsStore(path)
    first.set("theme", "dark")
    first.close()
    second.set("font_size", 20)
    second.close()
    again = SettingsStore(path)
    assert (again.values.theme, again.values.font_size) == ("dark", 20)
    second.set("theme", "light")
    second.close()
    first.set("word_wrap", False)
    first.close()
    again = SettingsStore(path)
    assert (again.values.theme, again.values.word_wrap) == ("light", False), "an older choice came back"


def test_settings_of_a_newer_version_are_used_and_left_as_they_are(qtbot: QtBot, path: Path):
    content = json.dumps({"version": 2, "theme": "dark", "font_size": "larger", "of_the_future": 1})
    path.parent.mkdir()
    path.write_text(content)
    store = SettingsStore(path)
    assert store.values == Settings(theme="dark")
    assert "newer version" in store.problem
    with qtbot.waitSignal(store.failed) as told:
        store.set("theme", "light")
        store.close()
    assert "newer version" in told.args[0]
    assert store.values.theme == "light"
    assert path.read_text() == content


def test_choices_that_could_not_be_saved_are_saved_with_the_next(
    qtbot: QtBot, path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object) -> bytes:
        raise OSError(28, "No space left on device")

    store = SettingsStore(path)
    with monkeypatch.context() as broken:
        broken.setattr(storage, "change_atomic", full)
        store.set("theme", "dark")
        store.close()
    store.set("font_size", 20)
    store.close()
    again = SettingsStore(path)
    assert (again.values.theme, again.values.font_size) == ("dark", 20)


def test_reset_of_one_page(qtbot: QtBot, path: Path):
    store = SettingsStore(path)
    store.set("theme", "dark")
    store.set("font_size", 20)
    option = describe("theme")
    assert option is not None
    store.reset(option.page)
    assert store.values == Settings(font_size=20)
    store.reset()
    assert store.values == Settings()
    store.close()


def test_every_setting_describes_itself():
    assert names() == [field.name for field in fields(Settings)]
    for name in names():
        option = describe(name)
        if option is None:
            continue
        assert option.title, name
        assert option.help.endswith("."), name
        assert accepted(name, getattr(Settings(), name)), name
    with pytest.raises(KeyError):
        describe("colour_of_the_cat")
