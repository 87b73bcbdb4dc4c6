"""Every kind of file that the program writes: one of an older version opens, one of a newer version is told of and left
as it is. A file that is of no kind here must be of a form that others have made, or one that can be made again."""

from __future__ import annotations

import fnmatch
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

import pricing
from engine.corpus.count_cache import Additions, CountCache, KnownCounts
from engine.corpus.walk import FoundFile
from engine.errors import EngineError
from engine.library import catalog
from engine.library.user_encodings import UserEncodings
from engine.training.run import TrainingRun, read_checkpoint, write_checkpoint
from engine.training.types import TrainingSettings
from gui.core import version_store as store
from gui.core.text_chunks import chunked
from gui.costs.calibration_service import Calibrations, load
from gui.costs.prices_service import ReadRequest, SaveRequest, read_price_text, save_price_text
from gui.costs.scenario_book import ScenarioBook, ScenarioChoices
from gui.runtime.jobs import JobRunner
from gui.state.session import STATE_FILE, TEXT_FILE, SessionState, read_session, state_bytes
from gui.state.settings import SettingsStore
from gui.state.storage import Storage
from gui.tokenizers.train.run_service import (
    PLAN,
    STATE,
    TrainingPlan,
    find_checkpoints,
    free_folder,
    save_checkpoint,
)
from gui.window.application import Application
from pricing.calibration import CalibrationError, Sample
from pricing.types import PricingError
from tests.engine.library.formats import library_files
from tests.engine.library.formats.trained import trained
from tests.gui.conftest import OpenWindow, close_window

pytestmark = pytest.mark.pages("versionsTab")

Stamp = Callable[[Path, int | None], None]
SAMPLE = Sample("own/model", "english", "o200k_base", 100, 120, date(2026, 1, 2))
TEXT = "the cat sat on the mat"


def stamp_json(path: Path, version: int | None) -> None:
    document = json.loads(path.read_bytes())
    document.pop("version", None)
    path.write_text(json.dumps(document if version is None else document | {"version": version, "tomorrow": [1]}))


def stamp_yaml(path: Path, version: int | None) -> None:
    """Version 0 is the flat form."""
    if version is None:
        path.write_text("version: 0\nmodels:\n  own/model:\n    input: 1\n    output: 2\n")
    else:
        path.write_text(path.read_text().replace("version: 1", f"version: {version}"))


def stamp_checkpoint(path: Path, version: int | None) -> None:
    facts, arrays = read_checkpoint(path)
    write_checkpoint(path, facts | {"version": version}, arrays)


def stamp_database(path: Path, version: int | None) -> None:
    base = sqlite3.connect(path)
    base.execute(f"PRAGMA user_version = {version or 0}")
    base.close()


@dataclass(frozen=True)
class Kind:
    """A kind of file. ``path``: in the profile, as a pattern of names. ``write``: makes one as this version does.
    ``use``: opens it and, if that is its use, changes it; returns what was in it, None for nothing, and what was
    said. ``newer``: a later version. ``older``: whether there was an earlier one whose files this one can use."""

    path: str
    write: Callable[[Path], Any]
    use: Callable[[Path, JobRunner], tuple[Any, list[str]]]
    stamp: Stamp = stamp_json
    newer: int = 2
    older: bool = True


# --- each kind --------------------------------------------------------------------------------------------------------


def write_session(profile: Path) -> None:
    folder = profile / "data" / "sessions" / "1"
    folder.mkdir(parents=True)
    (folder / STATE_FILE).write_bytes(state_bytes(SessionState(file="/a.txt", caret_utf16=3)))
    (folder / TEXT_FILE).write_text(TEXT)


def use_session(profile: Path, runner: JobRunner) -> tuple[Any, list[str]]:
    """The window takes another folder where a newer version wrote this one, and says so: ``test_session_keeper``."""
    from gui.state.session_slot import SessionSlot

    slot = SessionSlot(profile / "data" / "sessions")
    assert slot.folder is not None
    restored = read_session(slot.folder, 2**20)
    slot.folder.mkdir(exist_ok=True)
    (slot.folder / STATE_FILE).write_bytes(state_bytes(replace(restored.state, closed=True)))
    slot.release()
    said = [*restored.problems, *(["a newer version wrote it"] if slot.newer else [])]
    return (restored.text, restored.state.caret_utf16) if restored.text else None, said


def write_settings(profile: Path) -> None:
    store_of = SettingsStore(profile / "settings.json")
    store_of.set("font_size", 17)
    store_of.close()


def use_settings(profile: Path, runner: JobRunner) -> tuple[Any, list[str]]:
    store_of = SettingsStore(profile / "settings.json")
    said = [store_of.problem] if store_of.problem else []
    store_of.failed.connect(said.append)
    found = store_of.values.font_size
    store_of.set("word_wrap", False)
    store_of.close()
    return found, said


def book_in(profile: Path, runner: JobRunner) -> ScenarioBook:
    return ScenarioBook(profile / "scenarios.json", Storage(runner, "Saving"))


def write_scenarios(profile: Path) -> None:
    content = {"version": 1, "scenarios": {"a": ScenarioChoices(calls=7).plain()}}
    (profile / "scenarios.json").write_text(json.dumps(content))


def use_scenarios(profile: Path, runner: JobRunner) -> tuple[Any, list[str]]:
    book = book_in(profile, runner)
    said = [book.problem] if book.problem else []
    book.failed.connect(said.append)
    choices = book.get("a")
    book.save("b", ScenarioChoices())
    book._file.finish()
    return choices and choices.calls, said


def write_calibration(profile: Path) -> None:
    one = {"model_id": "own/model", "kind": "english", "tokenizer": "o200k_base", "counted": 100, "billed": 120}
    samples = [one | {"day": "2026-01-02", "framing": 0}]
    (profile / "calibration.json").write_text(json.dumps({"version": 1, "samples": samples}))


def use_calibration(profile: Path, runner: JobRunner) -> tuple[Any, list[str]]:
    said: list[str] = []
    try:
        found = load(profile / "calibration.json")
    except CalibrationError as error:
        found, said = (), [str(error)]
    calibrations = Calibrations(profile / "calibration.json", runner, Storage(runner, "Saving"))
    calibrations.add(replace(SAMPLE, billed=130))
    calibrations._file.finish()
    return found[:1], said


def write_prices(profile: Path) -> None:
    (profile / "prices.yaml").write_text(
        "version: 1\nmodels:\n  own/model:\n    price:\n      input: 1\n      output: 2\n"
    )


def use_prices(profile: Path, runner: JobRunner) -> tuple[Any, list[str]]:
    path = profile / "prices.yaml"
    try:
        model = pricing.load_catalog(path).find("own/model")
        pricing.set_field(path.read_text(), "own/model", "price.input", "3")
    except PricingError as error:
        if "older version" not in str(error):
            return None, [str(error)]
    file = read_price_text(ReadRequest(path))
    save_price_text(SaveRequest(path, file.text, file.stored, file.digest, 0))
    return str(model.price.input), []


def write_plan(profile: Path) -> None:
    plan = TrainingPlan("x", (profile,), TrainingSettings(vocab_size=270), threads=1)
    save_checkpoint(profile / "data" / "sessions" / "1", plan, TrainingRun([TEXT], 270, threads=1), 0, 1.0)


def use_plan(profile: Path, runner: JobRunner) -> tuple[Any, list[str]]:
    """What the window says of it: ``test_a_run_of_a_newer_version_is_told``."""
    session = profile / "data" / "sessions" / "1"
    found = [checkpoint.plan.name for checkpoint in find_checkpoints(session)]
    place = free_folder(session)
    plan = TrainingPlan("y", (profile,), TrainingSettings(vocab_size=270), threads=1)
    save_checkpoint(place, plan, TrainingRun([TEXT], 270, threads=1), 0, 1.0)
    return found or None, [] if found else ["a newer version wrote it"]


def use_checkpoint(profile: Path, runner: JobRunner) -> tuple[Any, list[str]]:
    try:
        return TrainingRun.resume(profile / "data" / "sessions" / "1" / STATE, threads=1).settings, []
    except EngineError as error:
        return None, [str(error)]


def write_version(profile: Path) -> None:
    store.save(profile / "data" / "versions", "first", chunked([TEXT]), "o200k_base", {})


def use_version(profile: Path, runner: JobRunner) -> tuple[Any, list[str]]:
    folder = profile / "data" / "versions"
    kept = store.saved_versions(folder)
    store.save(folder, "second", chunked([TEXT]), "o200k_base", {})
    return [version.name for version in kept.versions] or None, list(kept.problems)


def write_trained(profile: Path) -> None:
    encoding = trained()
    encoding.name = "mine"
    UserEncodings(frozenset()).keep(encoding, profile / "data" / "encodings", "trained")


def write_library(profile: Path) -> None:
    from engine.library.formats.opening import open_tokenizer

    (profile / "x.json").write_bytes(library_files.word_piece())
    encoding = open_tokenizer(profile / "x.json", name="mine", checked=True).encoding
    UserEncodings(frozenset()).keep(encoding, profile / "data" / "encodings", "imported")


def use_own(profile: Path, runner: JobRunner) -> tuple[Any, list[str]]:
    own = UserEncodings(frozenset())
    said = list(own.add_folder(profile / "data" / "encodings"))
    encoding = trained()
    encoding.name = "another"
    own.keep(encoding, profile / "data" / "encodings", "trained")
    found = own.get("mine")
    return found and found.encode_ordinary(TEXT), said


def write_counts(profile: Path) -> None:
    known = KnownCounts(("gpt2",), counts=({},))
    known.add(Additions(time.time_ns(), [(FoundFile("/some/text", 20, 1, 1), b"x" * 16, (5,))]))
    CountCache(profile / "cache" / "counts.sqlite").keep(known)


def use_counts(profile: Path, runner: JobRunner) -> tuple[Any, list[str]]:
    cache = CountCache(profile / "cache" / "counts.sqlite")
    known = cache.known(("gpt2",))
    known.add(Additions(time.time_ns(), [(FoundFile("/another/text", 20, 1, 1), b"y" * 16, (6,))]))
    cache.keep(known)
    return known.counts[0].get(b"x" * 16), [known.problem] if known.problem else []


KINDS = {
    "session": Kind("data/sessions/1/state.json", write_session, use_session),
    "settings": Kind("settings.json", write_settings, use_settings),
    "scenarios": Kind("scenarios.json", write_scenarios, use_scenarios),
    "calibration": Kind("calibration.json", write_calibration, use_calibration),
    "prices": Kind("prices.yaml", write_prices, use_prices, stamp_yaml, 3),
    "plan of a run": Kind(f"data/sessions/1/{PLAN}", write_plan, use_plan, older=False),
    "state of a run": Kind(f"data/sessions/1/{STATE}", write_plan, use_checkpoint, stamp_checkpoint, 4, older=False),
    "version of a prompt": Kind("data/versions/*.json", write_version, use_version),
    "vocabulary": Kind("data/encodings/mine.tiktoken.json", write_trained, use_own),
    "library's tokenizer": Kind("data/encodings/mine.tokenizer.json", write_library, use_own),
    "counts of files": Kind("cache/counts.sqlite", write_counts, use_counts, stamp_database, 5, older=False),
}
"""Of runs and counts there was no earlier version that anybody has files of, or what it kept is made again."""

WITHOUT_VERSION = (
    *("data/sessions/*/text.txt", "data/sessions/*/earlier.txt", "data/versions/*.txt", "data/sessions/*.lock"),
    *("data/encodings/*.tiktoken", "data/encodings/*.tokenizer", "*.bak", "*.tokenloupe-lock", "*.txt"),
    *("cache/compiled/*", "data/lab/*"),
)
"""Texts as they are, vocabularies in the forms of others, locks; and what is made again where it does not fit."""


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    catalog.own.cache_clear()
    yield
    catalog.own.cache_clear()


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.older])
def test_a_file_of_an_older_version_opens(kind: str, profile: Path, runner: JobRunner):
    one = KINDS[kind]
    one.write(profile)
    (path,) = profile.glob(one.path)
    one.stamp(path, None)
    older = one.use(profile, runner)
    assert older[0] is not None
    assert older[1] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_a_newer_version_is_told_of_and_left_as_it_is(kind: str, profile: Path, runner: JobRunner):
    one = KINDS[kind]
    one.write(profile)
    (path,) = profile.glob(one.path)
    one.stamp(path, one.newer)
    before = path.read_bytes()
    _, said = one.use(profile, runner)
    assert said
    assert any("newer version" in sentence.lower() or "update Tokenloupe" in sentence for sentence in said), said
    assert path.read_bytes() == before
    assert not list(path.parent.glob(f"{path.name}.damaged*"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_this_version_opens(kind: str, profile: Path, runner: JobRunner):
    """Or the two tests above would not be about versions."""
    one = KINDS[kind]
    one.write(profile)
    found, said = one.use(profile, runner)
    assert found is not None
    assert said == []


def test_a_run_of_a_newer_version_is_told(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    write_plan(profile)
    path = profile / "data" / "sessions" / "1" / PLAN
    stamp_json(path, 2)
    before = path.read_bytes()
    bench = open_window(profile, counted=False)
    told = [notice.text for notice in bench.window.messages.notices if "newer version" in notice.text]
    assert told == [
        f"The training run in {path.parent} was saved by a newer version of Tokenloupe. It was not changed."
    ]
    assert path.read_bytes() == before


@pytest.mark.deep
def test_every_file_that_a_window_writes_is_of_a_kind(qtbot: QtBot, open_window: OpenWindow, profile: Path):
    bench: Application = open_window(profile)
    bench.panel.editor.setPlainText(TEXT)
    bench.settings.set("font_size", 14)
    bench.costs.panel.names._book.save("a", ScenarioChoices())
    bench.calibration.calibrations.add(SAMPLE)
    save_price_text(SaveRequest(bench.paths.prices_file, "version: 1\n", "", "", 0))
    save_price_text(SaveRequest(bench.paths.prices_file, "version: 1\n# a\n", "version: 1\n", _digest(profile), 0))
    for kind in ("version of a prompt", "vocabulary", "counts of files"):
        KINDS[kind].write(profile)
    close_window(qtbot, bench)
    written = [str(path.relative_to(profile)) for path in profile.rglob("*") if path.is_file()]
    assert len(written) > 12
    known = (*(kind.path for kind in KINDS.values()), *WITHOUT_VERSION)
    assert [name for name in written if not any(fnmatch.fnmatch(name, pattern) for pattern in known)] == []


def _digest(profile: Path) -> str:
    return read_price_text(ReadRequest(profile / "prices.yaml")).digest
