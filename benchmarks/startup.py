"""Measure from process start to the first painted window: CPU and wall time, against a bare Qt window.

``python -m benchmarks.startup [--runs 7]`` starts a fresh process for each run, alternating with the peer, a process
that shows a plain QPlainTextEdit in a QMainWindow. As for a user, the profile has been used before, and Python has
cached the compiled modules. ``--uncompiled`` measures a program that is compiled at each start, as it is if
PYTHONDONTWRITEBYTECODE is set or the folder of the sources is read-only.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT_CPU_MS = 250
HEAVY = ("numpy", "numba", "pyqtgraph", "tiktoken", "engine.encoding.encoding", "pricing.catalog", "ruamel")

# process_time includes the start of the interpreter; the wall clock starts when the operating system created the
# process.
WINDOW = """
import main
import gc
gc.disable()
from gui.runtime.display_check import why_no_window
why_no_window()
from pathlib import Path
import gui.app
from PySide6.QtWidgets import QApplication
app = QApplication([sys.argv[0], "-style", "fusion"])
window = gui.app.Application(gui.app.profile_paths(Path(sys.argv[1]))).window
first = {{}}
def painted():
    first.update(cpu_ms=time.process_time() * 1e3, at=time.time(),
                 heavy=[name for name in {heavy!r} if name in sys.modules])
    app.quit()
window.first_painted.connect(painted)
window.show()
app.exec()
import psutil
started = psutil.Process().create_time()
print(json.dumps(dict(cpu_ms=first['cpu_ms'], wall_ms=(first['at'] - started) * 1e3, heavy=first['heavy'])))
sys.stdout.flush()
import os
os._exit(0)
"""

BARE = """
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit
class Window(QMainWindow):
    def event(self, event):
        handled = super().event(event)
        if event.type() == QEvent.Type.UpdateRequest:
            app.quit()
        return handled
app = QApplication(sys.argv[:1])
window = Window()
window.setCentralWidget(QPlainTextEdit("text"))
window.show()
app.exec()
cpu, at = time.process_time() * 1e3, time.time()
import psutil
print(json.dumps(dict(cpu_ms=cpu, wall_ms=(at - psutil.Process().create_time()) * 1e3, heavy=[])))
sys.stdout.flush()
import os
os._exit(0)
"""


def measure(code: str, profile: Path, compiled: Path, *, keep: bool) -> dict[str, float | list[str]]:
    """Measure one run in a fresh process. ``compiled``: cache of compiled modules. ``keep``: add new ones to it."""
    program = "import json, sys, time\n" + code.format(heavy=HEAVY)
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "PYTHONPYCACHEPREFIX": str(compiled),
        "PYTHONDONTWRITEBYTECODE": "" if keep else "1",  # empty is as good as unset
    }
    if not {"DISPLAY", "WAYLAND_DISPLAY"} & set(environment) and sys.platform == "linux":
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    result = subprocess.run(
        [sys.executable, "-c", program, str(profile)], check=True, env=environment, capture_output=True, text=True
    )
    return json.loads(result.stdout)


def main() -> None:
    """Print medians and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--uncompiled", action="store_true", help="compile our modules at each start")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder, "profile")
        compiled = Path(folder, "compiled")
        measure(WINDOW, profile, compiled, keep=True)
        if given.uncompiled:
            shutil.rmtree(compiled / ROOT.relative_to(ROOT.anchor))
        ours = []
        bare = []
        for _ in range(given.runs):
            ours.append(measure(WINDOW, profile, compiled, keep=not given.uncompiled))
            bare.append(measure(BARE.replace("{", "{{").replace("}", "}}"), profile, compiled, keep=True))
    heavy = ours[-1]["heavy"]
    for key, what in (("cpu_ms", "CPU"), ("wall_ms", "wall")):
        mine = statistics.median(run[key] for run in ours)
        peer = statistics.median(run[key] for run in bare)
        print(f"{what:>5}: {mine:6.0f} ms, bare window {peer:6.0f} ms, ratio {mine / peer:.2f}")
    print(f"limit: {LIMIT_CPU_MS} ms of CPU, 1000 ms of wall time; heavy modules loaded by then: {heavy or 'none'}")


if __name__ == "__main__":
    main()
