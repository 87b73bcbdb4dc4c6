"""Checks of a profile after its windows died: nothing lost, no partial writes, no leftover files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fault_acts import (
    DOCUMENT,
    EXPORT,
    PRICES,
    encoding_of,
    number_of_price_file,
    numbers,
)
from benchmarks.fault_training import faults_of_kept, faults_of_training

MAX_UNSAVED_SECONDS = 5.0


class Life(NamedTuple):
    """The journal of a child process, the time of its death, and its exit status."""

    lines: tuple[dict[str, Any], ...]
    ended: float
    status: int

    def of(self, what: str) -> list[dict[str, Any]]:
        """Return all lines of a kind."""
        return [line for line in self.lines if line["what"] == what]

    def has(self, what: str) -> bool:
        """Return True if there is a line of this kind."""
        return any(line["what"] == what for line in self.lines)

    def session(self, profile: Path) -> Path:
        """Return the folder of its session."""
        return profile / "data" / "sessions" / str(self.of("slot")[0]["number"])


def faults_of(profile: Path, texts: Path, lives: Sequence[Life]) -> Iterator[str]:
    """Yield a sentence for each fault."""
    for life in lives:
        yield from _faults_of_life(life)
    begun = [life for life in lives if life.has("slot")]  # the others died before they had a window
    if len({life.session(profile) for life in begun}) < len(begun):
        yield "two windows had the same session"
    for life in begun:
        yield from _faults_of_text(profile, life)
        yield from faults_of_training(life.session(profile), texts, life.lines)
        yield from faults_of_kept(profile / "data" / "encodings", texts, life.lines)
    yield from _faults_of_document(profile, begun)
    yield from _faults_of_shared_files(profile, begun)
    yield from _faults_of_prices(profile, begun)
    yield from _faults_of_exports(profile, begun)
    yield from _faults_of_versions(profile, begun)
    yield from _faults_of_tokenizers(profile, begun)
    yield from _litter(profile)


def _faults_of_life(life: Life) -> Iterator[str]:
    for line in life.of("exception"):
        yield f"an exception came through: {line['text']}"
    if life.has("session failed") and not life.has("said"):
        yield "the session could not be saved, and no message reported it"
    if life.has("stayed open"):
        yield "the window did not close although the disk works again"
    if not life.has("closed") and life.status == 0:
        yield "the window ended by itself"


def _faults_of_text(profile: Path, life: Life) -> Iterator[str]:
    from gui.state.session import read_session

    typed = life.of("typed")
    most = len(typed)
    restored = read_session(life.session(profile), 2**30)
    yield from restored.problems
    until = life.ended - MAX_UNSAVED_SECONDS
    least = most if life.has("closed") else sum(line["at"] < until for line in typed)
    text = restored.text or ""
    if _count_of(text) is None and typed:
        if least:
            yield f"the session's text is none that was typed: {text[:60]!r}"
    elif not least <= (_count_of(text) or 0) <= most and (text or not _is_in_document(life)):
        yield f"of {most} words the session has {_count_of(text)}, not {least} at least"


def _is_in_document(life: Life) -> bool:
    """True if the window closed with its whole text saved in the document; its session then keeps no text."""
    typed = life.of("typed")[-1]["at"]
    return life.has("closed") and any(line["whole"] and line["at"] > typed for line in life.of("document done"))


def _count_of(text: str) -> int | None:
    """Return the count of numbers in a text, None if it is incomplete."""
    count = len(text.split())
    return count if text == numbers(count) else None


def _faults_of_document(profile: Path, lives: Sequence[Life]) -> Iterator[str]:
    document = profile / DOCUMENT
    if document.exists() and _count_of(document.read_text()) is None:
        yield "the document is half written"
    if any(life.has("document done") for life in lives) and not document.exists():
        yield "the document is gone"


def _faults_of_shared_files(profile: Path, lives: Sequence[Life]) -> Iterator[str]:
    """Check files that windows write concurrently: the last change of each closed window must be there."""
    from gui.state.settings import Settings
    from pricing.calibration import samples_of

    found: dict[str, dict[str, Any]] = {"setting": {}, "scenario": {}, "sample": {}}
    for name in ("settings.json", "scenarios.json", "calibration.json"):
        path = profile / name
        try:
            document = json.loads(path.read_bytes()) if path.exists() else {"version": 1}
        except ValueError as error:
            yield f"{name} is damaged: {error}"
            continue
        if document["version"] != 1:
            yield f"{name} is of another version"
        if name == "settings.json":
            found["setting"] = asdict(Settings()) | document
        elif name == "scenarios.json":
            found["scenario"] = {key: one["calls"] for key, one in document.get("scenarios", {}).items()}
        elif path.exists():
            found["sample"] = {str(one.billed - 1000): one.billed for one in samples_of(document)}
    for life in lives:
        for kind, there in found.items():
            wanted = {line["name"]: line["value"] for line in life.of(kind)}
            lost = {name for name, value in wanted.items() if there.get(name) != value}
            if lost and life.has("closed"):
                yield f"of window {life.of('slot')[0]['number']} is lost: {kind} {sorted(lost)}"


class Written(NamedTuple):
    """One write of a window: its start and end, and its outcome, which is unknown if the window was killed."""

    number: int
    began: float
    ended: float
    outcome: str
    over: int


def _writes(life: Life, what: str) -> dict[int, Written]:
    ends = {line["number"]: line for line in life.lines if line["what"].removeprefix(f"{what} ") in _ENDS}
    found = {}
    for line in life.of(f"{what} begun"):
        end = ends.get(line["number"], {"at": life.ended, "what": f"{what} killed"})
        outcome = end["what"].removeprefix(f"{what} ")
        found[line["number"]] = Written(line["number"], line["at"], end["at"], outcome, end.get("over", -1))
    return found


_ENDS = ("done", "failed", "refused")


def _faults_of_number(what: str, path: Path, writes: dict[int, Written], read: Callable[[], int]) -> Iterator[str]:
    """Check that a file is the last one written, or one whose write was not finished then."""
    done = [one for one in writes.values() if one.outcome == "done"]
    if not path.exists():
        if done:
            yield f"{what}: the file is gone"
        return
    try:
        number = read()
    except ValueError as error:
        yield f"{what}: the file is damaged: {error}"
        return
    there = writes.get(number)
    if there is None:
        yield f"{what}: the file is number {number}, which no window wrote"
    elif any(one.began > there.ended for one in done):
        yield f"{what}: the file is number {number}, others were written after it"


def _faults_of_prices(profile: Path, lives: Sequence[Life]) -> Iterator[str]:
    from pricing import load_catalog

    path = profile / PRICES
    writes: dict[int, Written] = {}
    for life in lives:
        writes |= _writes(life, "prices")
    over = [one.over for one in writes.values() if one.outcome == "done"]
    if len(set(over)) < len(over):
        yield "prices: two windows wrote over the same file, so what one of them wrote is lost"
    yield from _faults_of_number("prices", path, writes, lambda: number_of_price_file(path.read_text()))
    if path.exists():
        load_catalog(path, ())


def _faults_of_exports(profile: Path, lives: Sequence[Life]) -> Iterator[str]:
    from engine.library.formats.opening import load

    empty = encoding_of(0).n_vocab
    for life in lives:
        path = profile / f"{life.of('slot')[0]['window']}-{EXPORT}"
        writes = _writes(life, "export")
        yield from _faults_of_number("export", path, writes, lambda path=path: load(path).n_vocab - empty)


def _faults_of_versions(profile: Path, lives: Sequence[Life]) -> Iterator[str]:
    from gui.core import version_store as store

    there = store.saved_versions(profile / "data" / "versions")
    yield from there.problems
    for version in there.versions:
        if store.text_of(profile / "data" / "versions", version).text() != numbers(99):
            yield f"version {version.name} is another text"
    done = {str(line["number"]) for life in lives for line in life.of("version done")}
    missing = done - {one.name for one in there.versions}
    if missing:
        yield f"versions are gone: {sorted(missing)}"


def _faults_of_tokenizers(profile: Path, lives: Sequence[Life]) -> Iterator[str]:
    from engine.errors import EngineError
    from engine.library.user_encodings import UserEncodings

    own = UserEncodings(frozenset())
    yield from own.add_folder(profile / "data" / "encodings", trusted=True)
    sizes = {}
    for entry in own.entries():
        if entry.path.suffix == ".json":  # no action exports here: it is the companion file of a tokenizer
            yield f"a file that is no tokenizer is listed: {entry.path.name}"
            continue
        try:
            sizes[entry.name] = own.get(entry.name).n_vocab
        except EngineError as error:
            yield f"a tokenizer is damaged: {error}"
    for life in lives:
        for line in life.of("tokenizer done"):
            if sizes.get(line["name"]) != line["tokens"]:
                yield f"the tokenizer {line['name']} is gone, or another one"


def _litter(profile: Path) -> Iterator[str]:
    """Clear each folder, as its next write would do, and report files that would then remain forever."""
    from engine.runtime.atomic_files import LOCK_NAME, clear_half_written

    for folder in (path for path in list(profile.rglob("*")) if path.is_dir() and path.exists()):
        clear_half_written(folder)
    clear_half_written(profile)
    for path in profile.rglob("*"):
        if ".tokenloupe-" in path.name and path.name != LOCK_NAME:
            yield f"left lying: {path.relative_to(profile)}"
    versions = profile / "data" / "versions"
    if versions.is_dir():
        from gui.core import version_store as store
        from gui.core.text_chunks import chunked

        store.save(versions, "clears up", chunked(["x"]), "none", {})
        texts = {path.stem for path in versions.glob("*.txt")}
        if texts - {path.stem for path in versions.glob("*.json")}:
            yield "left lying: a text of no version"
