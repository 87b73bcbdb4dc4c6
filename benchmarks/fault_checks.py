"""What has to be true of a profile after its window died: nothing lost, nothing half written, nothing left lying."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fault_child import CHECKPOINT, DOCUMENT, PRICES, numbers, price_file

MOST_UNSAVED_SECONDS = 5.0


class Life(NamedTuple):
    """What a child wrote into its journal, when it was found dead, and how: its exit status."""

    lines: tuple[dict[str, Any], ...]
    ended: float
    status: int

    def numbers_of(self, what: str) -> list[int]:
        """The numbers of all lines of a kind."""
        return [line["number"] for line in self.lines if line["what"] == what]

    def has(self, what: str) -> bool:
        """Whether there is a line of this kind."""
        return any(line["what"] == what for line in self.lines)


def faults_of(profile: Path, life: Life) -> Iterator[str]:
    """A sentence for everything that is wrong."""
    yield from _faults_of_life(life)
    yield from _faults_of_texts(profile, life)
    yield from _faults_of_shared_files(profile)
    yield from _faults_of_data(profile, life)
    yield from _litter(profile)


def _faults_of_life(life: Life) -> Iterator[str]:
    for line in life.lines:
        if line["what"] == "exception":
            yield f"an exception came through: {line['text']}"
    if life.has("session failed") and not life.has("said"):
        yield "the session could not be saved, and nobody said so"
    if life.has("stayed open"):
        yield "the window did not close although the disk works again"
    if not life.has("closed") and life.status == 0:
        yield "the window ended by itself"


def _faults_of_texts(profile: Path, life: Life) -> Iterator[str]:
    from gui.session import read_session

    typed = [line for line in life.lines if line["what"] == "typed"]
    most = len(typed)
    restored = read_session(profile / "data" / "sessions" / "1", 2**30)
    yield from restored.problems
    until = life.ended - MOST_UNSAVED_SECONDS
    least = most if life.has("closed") else sum(line["at"] < until for line in typed)
    text = restored.text or ""
    if _count_of(text) is None and typed:
        if least:
            yield f"the session's text is none that was typed: {text[:60]!r}"
    elif not least <= (_count_of(text) or 0) <= most:
        yield f"of {most} words the session has {_count_of(text)}, not {least} at least"
    document = profile / DOCUMENT
    if document.exists() and _count_of(document.read_text()) is None:
        yield "the document is half written"
    if life.has("document done") and not document.exists():
        yield "the document is gone"


def _count_of(text: str) -> int | None:
    """How many numbers a text has, None where it is no such text."""
    count = len(text.split())
    return count if text == numbers(count) else None


def _faults_of_shared_files(profile: Path) -> Iterator[str]:
    for name in ("settings.json", "scenarios.json"):
        path = profile / name
        try:
            if path.exists() and json.loads(path.read_bytes())["version"] != 1:
                yield f"{name} is of another version"
        except ValueError as error:
            yield f"{name} is damaged: {error}"


def _faults_of_data(profile: Path, life: Life) -> Iterator[str]:
    import numpy as np

    from engine.errors import EngineError
    from engine.formats.opening import load
    from engine.own_encodings import OwnEncodings
    from engine.training_checkpoint import read_checkpoint
    from gui.services.versions import store
    from pricing import load_catalog

    prices = profile / PRICES
    if prices.exists():
        load_catalog(prices, ())
    yield from _faults_of_number(life, "prices", prices, lambda: _number_of_prices(prices))
    checkpoint = profile / "data" / "sessions" / "1" / CHECKPOINT

    def number_of_checkpoint() -> int:
        facts, arrays = read_checkpoint(checkpoint)
        assert np.array_equal(arrays["a"], np.full(9999, facts["n"]))
        return int(facts["n"])

    yield from _faults_of_number(life, "checkpoint", checkpoint, number_of_checkpoint)
    there = store.kept(profile / "data" / "versions")
    yield from there.problems
    for version in there.versions:
        if store.text_of(profile / "data" / "versions", version).text() != numbers(99):
            yield f"version {version.name} is another text"
    missing = {str(number) for number in life.numbers_of("version done")} - {one.name for one in there.versions}
    if missing:
        yield f"versions are gone: {sorted(missing)}"
    own = OwnEncodings(frozenset())
    folder = profile / "data" / "encodings"
    yield from own.add_folder(folder)
    if life.has("tokenizer done") and not own.entries():
        yield "the tokenizer is gone"
    for entry in own.entries():
        try:
            load(entry.path)
        except (EngineError, OSError) as error:
            yield f"a tokenizer is damaged: {error}"


def _number_of_prices(path: Path) -> int:
    text = path.read_text()
    number = int(text.splitlines()[0].removeprefix("# "))
    assert text == price_file(number)
    return number


def _faults_of_number(life: Life, what: str, path: Path, read: Any) -> Iterator[str]:
    """A file that says which it is has to be the last that was written, or one that was begun after it."""
    done = max(life.numbers_of(f"{what} done"), default=0)
    if not path.exists():
        if done:
            yield f"{what}: the file is gone"
        return
    number = read()
    if number not in [one for one in life.numbers_of(f"{what} begun") if one >= done]:
        yield f"{what}: the file is number {number}, the last that was written is {done}"


def _litter(profile: Path) -> Iterator[str]:
    """The next write to a folder clears up, so that is done here, for each folder; what is left then stays for ever."""
    from engine.half_written import LOCK_NAME, clear_half_written

    for folder in (path for path in list(profile.rglob("*")) if path.is_dir() and path.exists()):
        clear_half_written(folder)
    clear_half_written(profile)
    for path in profile.rglob("*"):
        if ".tokenloupe-" in path.name and path.name != LOCK_NAME:
            yield f"left lying: {path.relative_to(profile)}"
    versions = profile / "data" / "versions"
    if versions.is_dir():
        from gui.held_text import held
        from gui.services.versions import store

        store.save(versions, "clears up", held(["x"]), "none", {})
        texts = {path.stem for path in versions.glob("*.txt")}
        if texts - {path.stem for path in versions.glob("*.json")}:
            yield "left lying: a text of no version"
