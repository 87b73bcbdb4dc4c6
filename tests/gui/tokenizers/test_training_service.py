"""Runs in their lane: pausing, going on, stopping and crashing lose nothing. The run is one that only counts."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale

from engine.corpus.types import CorpusFile, CorpusRules
from engine.training.types import TrainingSettings
from gui.look.quantities import TrainingText
from gui.runtime.jobs import JobRunner, Ticket
from gui.tokenizers.train import run_service as training_worker
from gui.tokenizers.train.panel import TrainingRunBar
from gui.tokenizers.train.run_service import (
    IDLE,
    KEEPING,
    PAUSED,
    RUNNING,
    STATE,
    STOPPING,
    KeptEncoding,
    RunControl,
    RunRequest,
    TrainingPlan,
    TrainingService,
    drop_checkpoint,
    find_checkpoint,
    save_checkpoint,
)
from tests.gui.tokenizers.training_samples import CountingRun, progress
from tests.patience import PATIENCE_SECONDS

PLAN = TrainingPlan(
    "docs-300",
    (Path("docs"),),
    TrainingSettings(vocab_size=300, special_tokens=("<end>",)),
    CorpusRules(include=("*.md",), sample_bytes=1000),
    held_out=(CorpusFile(Path("docs/b.md"), 10, "utf-8"),),
)


class GatedRun(CountingRun):
    """Waits in each slice until it is let through."""

    def __init__(self, merges: int) -> None:
        super().__init__(merges)
        self.gate = threading.Semaphore(0)
        self.begun = 0

    def advance(self, seconds: float):
        if seconds > 0:
            self.begun += 1
            assert self.gate.acquire(timeout=PATIENCE_SECONDS)
        return super().advance(seconds)

    def let(self, slices: int) -> None:
        self.gate.release(slices)

    def waits_after(self, merges: int) -> bool:
        """Whether so many merges are done and the next slice has begun, which is still to be let through."""
        return self.merged == merges and self.begun == merges + 1


class Heard:
    """What a service said."""

    def __init__(self, service: TrainingService) -> None:
        self.states: list[str] = []
        self.snapshots: list = []
        self.outcomes: list = []
        self.failures: list[str] = []
        service.state_changed.connect(self.states.append)
        service.advanced.connect(self.snapshots.append)
        service.ended.connect(self.outcomes.append)
        service.failed.connect(self.failures.append)

    @property
    def merges(self) -> list[int]:
        return [merge.index for snapshot in self.snapshots for merge in snapshot.merges]


@pytest.fixture(autouse=True)
def every_slice_is_told(monkeypatch):
    monkeypatch.setattr(training_worker, "SNAPSHOT_SECONDS", 0.0)


class OneRun:
    """A trainer that makes one run. ``unkept``: why nothing it learns can be kept."""

    def __init__(self, run: CountingRun, unkept: str = "") -> None:
        self.run, self.unkept = run, unkept
        self.asked: list[tuple[TrainingPlan, str]] = []
        self.is_ready = False

    def prepare(self, cancel_check, compiling) -> None:
        cancel_check()

    @contextlib.contextmanager
    def ready(self):
        self.is_ready = True
        yield
        self.is_ready = False

    def make_run(self, plan, resume_from):
        assert self.is_ready
        if resume_from is not None:
            self.asked.append((plan, resume_from.read_text()))
            self.run.merged = int(resume_from.read_text())
        return self.run

    def keep(self, run, plan) -> KeptEncoding:
        return KeptEncoding(run.encoding(plan.name), plan.name, self.unkept)


def service_for(runner, run, folder=None, unkept: str = "") -> tuple[TrainingService, Heard]:
    service = TrainingService(runner, OneRun(run, unkept), folder)
    return service, Heard(service)


def test_a_run_is_told_merge_by_merge_and_kept_at_its_end(qtbot, runner, tmp_path):
    service, heard = service_for(runner, CountingRun(7), tmp_path)
    with qtbot.waitSignal(service.ended):
        service.start(PLAN)
    assert heard.merges == list(range(7))
    assert heard.states == [RUNNING, KEEPING, IDLE]
    (outcome,) = heard.outcomes
    assert (outcome.ending, outcome.kept) == ("done", KeptEncoding("docs-300 of 7", "docs-300"))
    assert find_checkpoint(tmp_path) is None


def test_a_paused_run_leaves_the_lane_free_and_goes_on_where_it_was(qtbot, runner, tmp_path):
    run = GatedRun(6)
    service, heard = service_for(runner, run, tmp_path)
    service.start(PLAN)
    run.let(2)
    qtbot.waitUntil(lambda: run.waits_after(2))
    service.pause()
    run.let(1)
    qtbot.waitUntil(lambda: service.state == PAUSED)
    assert not runner.busy
    assert run.merged == 3
    checkpoint = find_checkpoint(tmp_path)
    assert (checkpoint.plan, checkpoint.merges) == (PLAN, 3)
    assert checkpoint.state.read_text() == "3"
    run.let(3)
    with qtbot.waitSignal(service.ended):
        service.resume()
    assert heard.merges == list(range(6))
    assert find_checkpoint(tmp_path) is None


def test_stopping_keeps_what_was_learned(qtbot, runner):
    run = GatedRun(100)
    service, heard = service_for(runner, run)
    service.start(PLAN)
    run.let(4)
    qtbot.waitUntil(lambda: run.waits_after(4))
    with qtbot.waitSignal(service.ended):
        service.stop()
        assert service.state == STOPPING
        run.let(1)
    (outcome,) = heard.outcomes
    assert (outcome.ending, outcome.kept.encoding) == ("stopped", "docs-300 of 5")


def test_a_paused_run_can_be_stopped(qtbot, runner):
    run = GatedRun(100)
    service, heard = service_for(runner, run)
    service.start(PLAN)
    run.let(1)
    qtbot.waitUntil(lambda: run.waits_after(1))
    service.pause()
    run.let(1)
    qtbot.waitUntil(lambda: service.state == PAUSED)
    with qtbot.waitSignal(service.ended):
        service.stop()
    assert heard.outcomes[0].kept.encoding == "docs-300 of 2"
    assert service.state == IDLE
    assert service._request.run is None, "a run that has ended takes no memory"
    assert service.plan == PLAN


def test_a_run_that_is_stopped_before_its_first_merge_keeps_nothing(qtbot, runner):
    class Reading(CountingRun):
        def advance(self, seconds: float):
            return progress("counting")

    service, heard = service_for(runner, Reading())
    with qtbot.waitSignal(service.advanced):
        service.start(PLAN)
    with qtbot.waitSignal(service.ended):
        service.stop()
    assert heard.outcomes[0].kept is None


def test_stopping_all_jobs_keeps_what_was_learned_too(qtbot, runner):
    run = GatedRun(100)
    service, heard = service_for(runner, run)
    service.start(PLAN)
    run.let(1)
    qtbot.waitUntil(lambda: run.waits_after(1))
    with qtbot.waitSignal(service.ended):
        for lane in runner.busy_lanes:
            lane.cancel()
        run.let(1)
    assert heard.outcomes[0].ending == "stopped"
    assert heard.outcomes[0].kept.encoding == "docs-300 of 2"


def test_closing_the_window_leaves_a_checkpoint(qtbot, qapp, tmp_path):
    runner = JobRunner()
    run = GatedRun(100)
    service, heard = service_for(runner, run, tmp_path)
    service.start(PLAN)
    run.let(3)
    qtbot.waitUntil(lambda: run.waits_after(3))
    run.let(1)
    runner.shutdown()
    assert not heard.outcomes
    assert find_checkpoint(tmp_path).plan == PLAN


def test_a_checkpoint_is_taken_up_where_it_was(qtbot, runner, tmp_path):
    early = CountingRun(10)
    early.merged = 4
    save_checkpoint(tmp_path, PLAN, early, 4, 12.5)
    trainer = OneRun(CountingRun(10))
    service = TrainingService(runner, trainer, tmp_path)
    heard = Heard(service)
    with qtbot.waitSignal(service.ended):
        service.continue_from(find_checkpoint(tmp_path))
    assert trainer.asked == [(PLAN, "4")]
    assert heard.merges == list(range(10))
    assert heard.snapshots[0].seconds >= 12.5


def test_checkpoints_are_saved_on_the_way(qtbot, runner, tmp_path, monkeypatch):
    monkeypatch.setattr(training_worker, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(training_worker, "CHECKPOINT_SHARE", 1e9)
    run = CountingRun(5)
    service, _heard = service_for(runner, run, tmp_path)
    with qtbot.waitSignal(service.ended):
        service.start(PLAN)
    assert run.saved == [1, 2, 3, 4]


def test_a_full_disk_does_not_end_a_run(qtbot, runner, tmp_path, monkeypatch):
    monkeypatch.setattr(training_worker, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(training_worker, "CHECKPOINT_SHARE", 1e9)
    full = OSError(28, "No space left on device")
    service, heard = service_for(runner, CountingRun(5, full), tmp_path, "No space left")
    with qtbot.waitSignal(service.ended):
        service.start(PLAN)
    assert heard.snapshots[-1].unsaved == "No space left on device"
    (outcome,) = heard.outcomes
    assert (outcome.kept.encoding, outcome.kept.unkept) == ("docs-300 of 5", "No space left")
    assert list(tmp_path.iterdir()) == []


def test_what_could_not_be_kept_can_be_made_again_at_the_next_start(qtbot, runner, tmp_path):
    """The vocabulary is in memory alone: its run waits, as one that was interrupted does."""
    service, heard = service_for(runner, CountingRun(5), tmp_path, "No space left")
    with qtbot.waitSignal(service.ended):
        service.start(PLAN)
    (outcome,) = heard.outcomes
    assert outcome.kept.unkept == "No space left"
    checkpoint = find_checkpoint(tmp_path)
    assert checkpoint.merges == 5
    again, heard = service_for(runner, CountingRun(5), tmp_path)
    with qtbot.waitSignal(again.ended):
        again.continue_from(checkpoint)
    assert heard.outcomes[0].kept.encoding == "docs-300 of 5"
    assert find_checkpoint(tmp_path) is None


def test_a_failure_is_a_sentence_and_leaves_the_service_ready(qtbot, runner):
    class Refuses(OneRun):
        def make_run(self, plan, resume_from):
            raise ValueError("No text to train on.")

    service = TrainingService(runner, Refuses(CountingRun()))
    heard = Heard(service)
    with qtbot.waitSignal(service.failed):
        service.start(PLAN)
    assert heard.failures == ["No text to train on."]
    assert service.state == IDLE


def test_a_window_that_is_busy_gets_fewer_snapshots_and_every_merge(qtbot, runner):
    """While nobody takes snapshots, the worker sends no second one; what it learned meanwhile comes at the end."""
    through = threading.Event()

    class ToldRun(CountingRun):
        def encoding(self, name: str) -> str:
            through.set()
            return super().encoding(name)

    service, heard = service_for(runner, ToldRun(50))
    service.start(PLAN)
    assert through.wait(PATIENCE_SECONDS)  # the GUI thread takes nothing in: it is here
    qtbot.waitUntil(lambda: bool(heard.outcomes))
    assert heard.merges == list(range(50))
    assert [snapshot.keeping for snapshot in heard.snapshots] == [False, True, False]


def test_damaged_checkpoints_are_no_checkpoints(tmp_path):
    assert find_checkpoint(tmp_path) is None
    save_checkpoint(tmp_path, PLAN, CountingRun(3), 0, 0.0)
    assert find_checkpoint(tmp_path) is not None
    lines = tmp_path / "training.json"
    whole = lines.read_text()
    for damaged in ("", "{}", whole[: len(whole) // 2], whole.replace('"vocab_size"', '"size"')):
        lines.write_text(damaged)
        assert find_checkpoint(tmp_path) is None
    lines.write_text(whole)
    (tmp_path / STATE).unlink()
    assert find_checkpoint(tmp_path) is None
    drop_checkpoint(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_that_fails_leaves_the_last_one_whole(tmp_path):
    first = CountingRun(3)
    first.merged = 1
    save_checkpoint(tmp_path, PLAN, first, 1, 0.0)
    with pytest.raises(OSError, match="full"):
        save_checkpoint(tmp_path, PLAN, CountingRun(3, OSError("full")), 2, 0.0)
    assert find_checkpoint(tmp_path).merges == 1
    assert (tmp_path / STATE).read_text() == "1"


def test_stopping_while_it_is_prepared_gives_up(qtbot, runner):
    class Endless(OneRun):
        def prepare(self, cancel_check, compiling):
            compiling()
            while True:
                cancel_check()

    service = TrainingService(runner, Endless(CountingRun()))
    heard = Heard(service)
    with qtbot.waitSignal(service.compiling):
        service.start(PLAN)
    with qtbot.waitSignal(service.abandoned):
        service.stop()
    assert heard.states == [RUNNING, STOPPING, IDLE]
    assert not heard.outcomes


def test_every_bar_of_a_run_shows_the_same_fraction(qapp, qtbot, monkeypatch):
    told, shown = [], []
    ticket = Ticket(lambda *_: None)
    monkeypatch.setattr(ticket, "progress", lambda fraction, _note: told.append(fraction))
    bar = TrainingRunBar(TrainingText(QLocale.c()))
    qtbot.addWidget(bar)
    request = RunRequest(PLAN, RunControl())

    def report(snapshot):
        request.control.taken = True
        bar.set_progress(snapshot.progress, snapshot.seconds)
        shown.append(bar.bar.value() / bar.bar.maximum())

    training_worker.TrainingWorker(OneRun(CountingRun(3)), report, lambda: None).work(request, ticket)
    assert len(shown) > 3
    assert told == pytest.approx(shown, abs=0.001)


def test_being_cancelled_while_reporting_is_no_failure(qapp):
    ticket = Ticket(lambda fraction, note: None)

    class Late(OneRun):
        def prepare(self, cancel_check, compiling):
            pass

    worker = training_worker.TrainingWorker(Late(CountingRun(3)), lambda snapshot: ticket.cancel(), lambda: None)
    outcome = worker.work(RunRequest(PLAN, RunControl()), ticket)
    assert outcome.ending == "closing"
