"""Memory is given back when a big text has been counted, not at every key."""

from __future__ import annotations

from types import SimpleNamespace

from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from gui import memory_return
from gui.jobs import JobRunner, Ticket
from gui.memory_return import MemoryReturn, return_memory


class Prompt(QObject):
    counted = Signal(object)

    def tell(self, units: int, complete: bool = True) -> None:
        self.counted.emit(SimpleNamespace(complete=complete, statistics=SimpleNamespace(utf16_units=units)))


def test_big_changes_return_memory_once(qtbot: QtBot, monkeypatch):
    returned = []
    monkeypatch.setattr(memory_return, "return_memory", lambda units, ticket: returned.append(units))
    prompt, runner = Prompt(), JobRunner()
    watcher = MemoryReturn(prompt, runner, prompt)
    for units, complete in ((10, True), (5_000_000, False), (5_000_000, True), (5_000_001, True), (20, True)):
        prompt.tell(units, complete)
        qtbot.waitUntil(lambda: not runner.busy)
    assert returned == [5_000_000, 20]
    assert watcher.parent() is prompt
    runner.shutdown()


def test_asking_the_c_library_does_no_harm():
    assert return_memory(None, Ticket(lambda fraction, note: None)) in (True, False)
