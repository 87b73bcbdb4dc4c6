"""A whole window on a profile of which one file is damaged: it opens, every tab can be looked at, and it closes."""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

from PySide6.QtCore import QEventLoop

from engine.encoding import encoder_choice
from gui.app import create_window
from gui.runtime import kernel_build
from gui.runtime.notify import Notice
from gui.window.application import Application
from tests.engine.library.formats.damage import worse_bytes
from tests.fuzzing.damage import worse_json, worse_lines
from tests.fuzzing.judging import Fuzzer
from tests.gui.test_other_versions import KINDS

NEVER_MS = 2**30


def profiles(folder: Path) -> Sequence[bytes]:
    """The name of a file in the profile, and below it what is in it; one for each file there is."""
    profile = folder / "good"
    for kind in KINDS.values():
        if not list(profile.glob(kind.path)):
            profile.mkdir(exist_ok=True)
            _write_beside(kind.write, profile, folder)
    found = [path for path in profile.rglob("*") if path.is_file() and not path.name.startswith(".")]
    return [str(path.relative_to(profile)).encode() + b"\n" + path.read_bytes() for path in sorted(found)]


def _write_beside(write: object, profile: Path, folder: Path) -> None:
    """Each kind is written into a profile of its own, and put to the others."""
    alone = folder / "alone"
    alone.mkdir()
    write(alone)  # type: ignore[operator]
    shutil.copytree(alone, profile, dirs_exist_ok=True)
    shutil.rmtree(alone)


def worse_file(chance: random.Random, content: bytes) -> bytes:
    """Damage to what is in the file, by its kind."""
    name, _, inside = content.partition(b"\n")
    way = worse_json if name.endswith(b".json") else worse_lines if name.endswith((b".yaml", b".txt")) else worse_bytes
    try:
        return name + b"\n" + chance.choice((way, way, worse_bytes))(chance, inside)
    except (ValueError, RecursionError):
        return name + b"\n" + worse_bytes(chance, inside)


def feed_profile(content: bytes, folder: Path) -> Iterator[str]:
    name, _, inside = content.partition(b"\n")
    profile = folder / "profile"
    shutil.rmtree(profile, ignore_errors=True)
    shutil.copytree(folder / "good", profile)
    (profile / name.decode()).write_bytes(inside)
    faults: list[BaseException] = []
    said: list[str] = []
    with (
        patch.object(sys, "excepthook", lambda _kind, error, _trace: faults.append(error)),
        patch.object(kernel_build, "PATIENCE_MS", NEVER_MS),
        patch.object(encoder_choice, "is_compiled", lambda *_: False),
    ):
        window = create_window(profile)
        bench = window.findChild(Application)
        assert bench is not None
        bench.notifier.posted.connect(lambda notice: said.append(_words(notice)))
        loop = QEventLoop()
        bench.started.connect(loop.quit)
        window.show()
        loop.exec()
        for place in range(window.pages.count()):
            window.pages.setCurrentIndex(place)
        window.destroyed.connect(loop.quit)
        if not window.close():
            bench.closing._close_without_saving()
        loop.exec()
    if faults:
        raise faults[0]
    yield from said


def _words(notice: Notice) -> str:
    return notice.text


FUZZERS = {"profiles": Fuzzer(profiles, (worse_file,), feed_profile)}
