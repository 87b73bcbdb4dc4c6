"""The first start, with nothing compiled: the window's own process compiles nothing, so its event loop never waits.

The window runs in a process of its own, in which no other test has loaded or compiled kernels. Its compiler is a
program that brings what the tests share compiled, but only when the event loop has come round some hundred times.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.encoding import compiling
from engine.kernels import cache_folder
from tests.patience import PATIENCE_SECONDS

TURNS = 500
"""How often the event loop has to come round while the compiler is at work."""

WINDOW = """
import json, os, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import gui.app
from gui.runtime import kernel_build
from gui.window.application import Application

profile, kept, turns = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
turned = profile.with_name("turned")
kernel_build.PATIENCE_MS = 0
compilations, said = [], {"turns": 0}

COMPILER = '''
import shutil, sys, time
from pathlib import Path
kept, made, turned = map(Path, sys.argv[1:])
while not turned.exists():
    time.sleep(0.01)
shutil.copytree(kept, made)
'''

def compiler_command(folder, families):
    from engine.kernels import cache_folder
    from numba.core import event
    class Listener(event.Listener):
        def on_start(self, event):
            compilations.append(str(event.data["dispatcher"]))
        def on_end(self, event):
            pass
    event.register("numba:compile", Listener())
    with cache_folder.kept_in(folder):
        made = cache_folder.current_folder()
    said["was empty"] = not made.exists()
    said["turns before"] = said["turns"]
    return [sys.executable, "-c", COMPILER, kept, str(made), str(turned)], dict(os.environ)

def turn():
    said["turns"] += 1
    if "turns before" in said and said["turns"] == said["turns before"] + turns:
        turned.touch()

def counted(counts):
    if "numba at the first count" not in said:
        said["numba at the first count"] = "numba" in sys.modules
        said["compiler at the first count"] = "turns before" in said

def taken_over():
    import numba
    said["compiled"] = list(compilations)
    numba.njit(lambda number: number + 1)(1)
    said["compiled by hand"] = len(compilations) - len(said["compiled"])
    print(json.dumps(said), flush=True)
    os._exit(0)

def failed(why, details):
    sys.exit(f"{why} {details}")

app = QApplication([sys.argv[0]])
from engine.encoding import compiling
compiling.compiler_command = compiler_command
window = gui.app.create_window(profile)
bench = window.findChild(Application)
timer = QTimer()
timer.timeout.connect(turn)
timer.start(0)
bench.prompt.counted.connect(counted)
def started():
    bench.kernels.taken_over.connect(taken_over)
    bench.kernels.failed.connect(failed)
bench.started.connect(started)
window.show()
app.exec()
"""


@pytest.fixture(scope="module")
def kept() -> Path:
    """The kernels that all tests share, compiled."""
    with cache_folder.kept_in(None):
        folder = cache_folder.current_folder()
    if folder is None or compiling.keeps_nothing(None):
        pytest.skip("nothing is kept here, or compiled")
    if not compiling.is_compiled(None, compiling.ENCODE):
        compiling.compile_in_child(None, [compiling.ENCODE], lambda: None)
    return folder


@pytest.mark.deep
def test_the_process_of_the_window_compiles_nothing(kept: Path, tmp_path: Path):
    environment = {name: value for name, value in os.environ.items() if name != cache_folder.VARIABLE}
    environment |= {"PYTHONPATH": str(Path(__file__).resolve().parents[2]), "QT_QPA_PLATFORM": "offscreen"}
    environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")  # this user has compiled nothing
    command = [sys.executable, "-c", WINDOW, str(tmp_path / "profile"), str(kept), str(TURNS)]
    done = subprocess.run(
        command, check=False, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said.get("was empty"), "no compiler was started for an empty folder"
    assert not said["numba at the first count"], "the first count waited for what our own kernels need"
    assert not said["compiler at the first count"]
    assert said["turns"] >= said["turns before"] + TURNS, "the event loop stood still"
    assert said["compiled"] == [], "compiled in the process of the window"
    assert said["compiled by hand"] >= 1, "what is compiled here is not noticed"
