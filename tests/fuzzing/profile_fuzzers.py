"""Files of the profile, each read by the part of the program whose it is. No window."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import engine
from engine.corpus.count_cache import Additions, CountCache, KnownCounts
from engine.corpus.types import SkippedFile
from engine.corpus.walk import FoundFile
from engine.errors import EngineError
from engine.library.formats.kept_tokenizer import companion_of
from engine.library.formats.opening import open_tokenizer
from engine.library.user_encodings import UserEncodings
from engine.training.run import TrainingRun
from engine.training.types import TrainingSettings
from gui.core import version_store as store
from gui.core.profile_files import DamagedFile
from gui.core.text_chunks import chunked
from gui.costs import calibration_service as calibrations
from gui.costs.scenario_book import ScenarioBook, ScenarioChoices
from gui.runtime.jobs import JobRunner
from gui.state.session import SessionState, read_session, state_bytes
from gui.state.settings import Settings, SettingsStore
from gui.state.storage import Storage
from gui.tokenizers.train.run_service import PLAN, STATE, TrainingPlan, find_checkpoint, save_checkpoint
from pricing.calibration import CalibrationError, Sample, changed_samples
from tests.engine.library.formats.damage import worse_bytes
from tests.engine.library.formats.test_hostile_files import KEPT, kept
from tests.engine.library.formats.trained import trained
from tests.fuzzing.damage import worse_json
from tests.fuzzing.judging import Fuzzer

JSON_WAYS = (worse_json, worse_json, worse_json, worse_bytes)
TEXT = "the cat sat on the mat, the cat sat. "


def sessions(_folder: Path) -> Sequence[bytes]:
    return [state_bytes(SessionState(file="/a/b.txt", scenario={"choices": ScenarioChoices().plain()}))]


def feed_session(content: bytes, folder: Path) -> Iterator[str]:
    session = folder / "1"
    session.mkdir(exist_ok=True)
    (session / "state.json").write_bytes(content)
    (session / "text.txt").write_bytes(content)
    restored = read_session(session, 2**20)
    assert all(type(value) is type(getattr(SessionState(), name)) for name, value in vars_of(restored.state))
    yield from restored.problems
    _clear(session)


def vars_of(state: SessionState) -> list[tuple[str, object]]:
    return [(field.name, getattr(state, field.name)) for field in dataclasses.fields(state)]


def settings(_folder: Path) -> Sequence[bytes]:
    return [json.dumps(dataclasses.asdict(Settings()) | {"version": 1, "recent": ["/a", "/b"]}).encode()]


def feed_settings(content: bytes, folder: Path) -> Iterator[str]:
    """Read, and one of them changed."""
    config = folder / "config"
    config.mkdir(exist_ok=True)
    (config / "settings.json").write_bytes(content)
    store_of = SettingsStore(config / "settings.json")
    failures: list[str] = []
    store_of.failed.connect(failures.append)
    store_of.set("font_size", 20 if store_of.values.font_size != 20 else 21)
    store_of.close()
    yield from (*filter(None, [store_of.problem]), *failures)
    _clear(config)


def scenarios(_folder: Path) -> Sequence[bytes]:
    plain = ScenarioChoices(calls=3, on=date(2026, 1, 2), output_range=(1, 900)).plain()
    return [json.dumps({"version": 1, "scenarios": {"a": plain, "b": plain}}).encode()]


def feed_scenarios(content: bytes, folder: Path) -> Iterator[str]:
    """Read, and one of them saved."""
    config = folder / "config"
    config.mkdir(exist_ok=True)
    (config / "scenarios.json").write_bytes(content)
    runner = JobRunner()
    try:
        book = ScenarioBook(config / "scenarios.json", Storage(runner, "Saving"))
        failures: list[str] = []
        book.failed.connect(failures.append)
        for name in book.names():
            book.get(name).scenario(date(2026, 1, 2))
        book.save("c", ScenarioChoices())
        book._file.finish()
        yield from (*filter(None, [book.problem]), *failures)
    finally:
        runner.shutdown()
        _clear(config)


def samples(_folder: Path) -> Sequence[bytes]:
    document: dict[str, object] = {"version": 1}
    one = Sample("own/model", "english", "o200k_base", 100, 120, date(2026, 1, 2))
    changed_samples(document | {"samples": []}, [], [])
    return [json.dumps(document | {"samples": [dataclasses.asdict(one) | {"day": "2026-01-02"}] * 2}).encode()]


def feed_samples(content: bytes, folder: Path) -> None:
    (folder / "calibration.json").write_bytes(content)
    calibrations.load(folder / "calibration.json")


def versions(folder: Path) -> Sequence[bytes]:
    there = store.save(folder / "good", "first", chunked([TEXT]), "o200k_base", {"o200k_base": 9})
    return [(folder / "good" / f"{there.key}.json").read_bytes()]


def feed_versions(content: bytes, folder: Path) -> Iterator[str]:
    place = folder / "versions"
    place.mkdir(exist_ok=True)
    (place / ("0" * 32 + ".json")).write_bytes(content)
    (place / (next((folder / "good").glob("*.json")).name)).write_bytes(content)
    kept = store.saved_versions(place)
    for version in kept.versions:
        try:
            store.text_of(place, version)
        except OSError:  # whose text is not there
            continue
        except store.VersionError as error:
            yield str(error)
    yield from kept.problems
    _clear(place)


def plans(folder: Path) -> Sequence[bytes]:
    plan = TrainingPlan("x", (folder / "texts",), TrainingSettings(vocab_size=300, special_tokens=("<end>",)))
    save_checkpoint(folder / "good", plan, TrainingRun([TEXT], 300, threads=1), 3, 1.0)
    return [(folder / "good" / PLAN).read_bytes()]


def feed_plan(content: bytes, folder: Path) -> None:
    place = folder / "waiting"
    place.mkdir(exist_ok=True)
    (place / STATE).write_bytes(b"x")
    (place / PLAN).write_bytes(content)
    found = find_checkpoint(place)
    if found is not None:
        assert isinstance(found.plan.name, str)
        assert all(isinstance(path, Path) for path in found.plan.paths)


def checkpoints(folder: Path) -> Sequence[bytes]:
    """One in the middle of counting, one in the middle of merging."""
    found = []
    for slices in (0, 1):
        run = TrainingRun([TEXT * 20, TEXT * 3], 270, threads=1)
        for _ in range(slices):
            while run.progress().stage != "merging" and not run.done:
                run.advance(0.0)
        run.save(folder / "checkpoint")
        found.append((folder / "checkpoint").read_bytes())
        feed_checkpoint(found[-1], folder)  # what goes on with it is compiled here, and not in the time of a case
    return found


def feed_checkpoint(content: bytes, folder: Path) -> None:
    path = folder / "damaged"
    path.write_bytes(content)
    run = TrainingRun.resume(path, threads=1)
    for _ in range(5):
        run.advance(0.01)


def caches(folder: Path) -> Sequence[bytes]:
    cache, known = CountCache(folder / "good.sqlite"), KnownCounts(("o200k_base",), counts=({},))
    for start in range(0, 40, 10):
        files = [FoundFile(f"/some/text {number}", number, number, number) for number in range(start, start + 10)]
        known.add(Additions(time.time_ns(), [(file, file.inode.to_bytes(16), (file.inode,)) for file in files]))
    image = SkippedFile(Path("/some/image"), "binary", "it is no text")
    known.add(Additions(time.time_ns(), skipped=[(FoundFile("/some/image", 5, 6, 7), image)]))
    cache.keep(known)
    assert not known.problem
    return [(folder / "good.sqlite").read_bytes()]


def feed_cache(content: bytes, folder: Path) -> Iterator[str]:
    path = folder / "counts.sqlite"
    path.write_bytes(content)
    known = CountCache(path).known(("o200k_base",))
    assert all(isinstance(tokens, int) for tokens in known.counts[0].values()), "a count that is no number"
    for number in range(40):
        content = known.content(FoundFile(f"/some/text {number}", number, number, number))
        assert content is None or isinstance(content.digest, bytes), "a digest that is none"
    known.add(Additions(time.time_ns(), [(FoundFile("/some/other text", 1, 1, 1), b"x" * 16, (1,))]))
    CountCache(path).keep(known)
    yield from filter(None, [known.problem])
    for one in folder.glob("counts.sqlite*"):
        one.unlink()


def companions(folder: Path) -> Sequence[bytes]:
    engine.save_encoding(trained(), folder / "own.tiktoken")
    return [(folder / "own.tiktoken.json").read_bytes()]


def feed_companion(content: bytes, folder: Path) -> Iterator[str]:
    """What stands beside a vocabulary of the user's own."""
    kept = folder / "encodings"
    kept.mkdir(exist_ok=True)
    (kept / "own.tiktoken").write_bytes((folder / "own.tiktoken").read_bytes())
    (kept / "own.tiktoken.json").write_bytes(content)
    own = UserEncodings(frozenset())
    yield from own.add_folder(kept)
    for entry in own.entries():
        try:
            found = own.get(entry.name)
        except EngineError as error:
            yield str(error)
        else:
            assert found is not None
            found.count(TEXT)


def kept_companions(folder: Path) -> Sequence[bytes]:
    kept("tokenizers")(folder)
    return [companion_of(folder / KEPT).read_bytes()]


def feed_kept_companion(content: bytes, folder: Path) -> Iterator[str]:
    """What stands beside a library's tokenizer that is kept."""
    companion_of(folder / KEPT).write_bytes(content)
    try:
        open_tokenizer(folder / KEPT, trusted=True).encoding.count(TEXT)
    except EngineError as error:
        yield str(error)


def _clear(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


FUZZERS = {
    "session": Fuzzer(sessions, JSON_WAYS, feed_session),
    "settings": Fuzzer(settings, JSON_WAYS, feed_settings),
    "scenarios": Fuzzer(scenarios, JSON_WAYS, feed_scenarios),
    "calibration": Fuzzer(samples, JSON_WAYS, feed_samples, (DamagedFile, CalibrationError)),
    "versions": Fuzzer(versions, JSON_WAYS, feed_versions),
    "plans of runs": Fuzzer(plans, JSON_WAYS, feed_plan),
    "checkpoints": Fuzzer(checkpoints, (worse_bytes,), feed_checkpoint, (EngineError,)),
    "counts": Fuzzer(caches, (worse_bytes,), feed_cache, (sqlite3.Error,)),
    "own encodings": Fuzzer(companions, JSON_WAYS, feed_companion),
    "own encodings, kept": Fuzzer(kept_companions, JSON_WAYS, feed_kept_companion),
}
