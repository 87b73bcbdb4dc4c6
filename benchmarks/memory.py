"""Measure the memory of the whole window with a large text: at rest, and at its peak.

``python -m benchmarks.memory [--megabytes 10] [--parts]``

Runs the real program in a real window (which needs an X display; without one, Xvfb is started if it is installed), with
our kernels counting in every encoding of the cost table. The text is pasted from the clipboard of another process, so
that the clipboard's copy is not counted; edited in its middle; saved with the session; shown in another encoding; and
saved once more by closing the window.

For each step: resident memory after all its work has ended (*at rest*), and the peak since the previous step (*peak*:
``VmHWM`` of ``/proc/self/status``, reset by writing to ``/proc/self/clear_refs``; Linux only). ``mapped`` is the part
of the resident memory that belongs to files: libraries, and the tables of the vocabularies. ``--parts`` lists them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.editor_text import mixed_text
from benchmarks.x_display import display

LIMIT_MB = 500
KEYS = 60
OFFER_CLIPBOARD = """
from PySide6.QtWidgets import QApplication
from benchmarks.editor_text import mixed_text
import sys
app = QApplication([])
app.clipboard().setText(mixed_text(int(sys.argv[1])))
print(flush=True)
app.exec()
"""


@contextmanager
def clipboard(size: int) -> Iterator[None]:
    """Run another process that offers a text of ``size`` bytes."""
    with subprocess.Popen([sys.executable, "-c", OFFER_CLIPBOARD, str(size)], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        try:
            yield
        finally:
            owner.terminate()


def status_mb(name: str) -> float:
    """Return a figure of /proc/self/status in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith(name + ":"))


def forget_peak() -> None:
    """Reset ``VmHWM`` to the current resident memory."""
    Path("/proc/self/clear_refs").write_text("5")


def mapped_parts() -> Counter[str]:
    """Return the resident memory by owner, in MB."""
    parts: Counter[str] = Counter()
    name = ""
    for line in Path("/proc/self/smaps").read_text().splitlines():
        words = line.split()
        if not words[0].endswith(":"):
            name = Path(words[5]).name if len(words) > 5 else "anonymous"
            name = "tables of vocabularies" if name.endswith(".tables") else name
        elif words[0] == "Rss:":
            parts[name] += int(words[1]) * 1024 / 1e6
    return parts


class Steps:
    """Printer of the memory of each step."""

    def __init__(self, parts: bool) -> None:
        self._parts = parts
        self.highest = self.at_rest = 0.0

    def print(self, what: str) -> None:
        """Print the figures since the last call."""
        peak, now = status_mb("VmHWM"), status_mb("VmRSS")
        print(f"{what:<28} at rest {now:5.0f} MB   peak {peak:5.0f} MB   mapped {status_mb('RssFile'):4.0f} MB")
        if self._parts:
            print("    " + ", ".join(f"{name} {size:.0f}" for name, size in mapped_parts().most_common(12)))
        sys.stdout.flush()
        self.highest, self.at_rest = max(peak, self.highest), now
        forget_peak()


def run(size: int, way: str, parts: bool) -> None:
    """Run the steps in this process."""
    from PySide6.QtWidgets import QApplication

    from benchmarks.window import Bench, to_middle, use_compiled_kernels

    use_compiled_kernels()
    with tempfile.TemporaryDirectory() as name:
        steps = Steps(parts)
        bench = Bench(Path(name))
        work, keeper, editor = bench.bench, bench.bench.keeper, bench.editor
        bench.until(lambda: work.kernels.use.active and bench.counted, seconds=600)
        bench.wait(9)
        steps.print("an empty window")
        if way == "paste":
            with clipboard(size):
                bench.until(lambda: len(QApplication.clipboard().mimeData().formats()) > 0)
                editor.selectAll()
                editor.paste()
                bench.until(lambda: editor.document().characterCount() > size // 2 and bench.counted)
        else:
            path = Path(name, "text.txt")
            path.write_bytes(mixed_text(size).encode().replace(b"\n", b"\r\n" if way == "crlf" else b"\n"))
            forget_peak()
            work.files.open_path(path)
            bench.until(lambda: editor.document().characterCount() > size // 2 and bench.counted)
        steps.print({"paste": "pasted, counted"}.get(way, "opened, counted"))
        saves = _counter(keeper.saved)
        bench.until(lambda: saves() and bench.counted, seconds=60)
        bench.wait(9)
        steps.print("session saved")
        to_middle(editor)
        saves = _counter(keeper.saved)
        bench.type_keys(KEYS)
        bench.until(lambda: saves() and bench.counted, seconds=60)
        bench.wait(9)
        steps.print("edited, saved")
        work.prompt.set_encoding("cl100k_base")
        bench.until(lambda: bench.counted)
        bench.wait(9)
        steps.print("in another encoding")
        bench.type_keys(1)
        bench.close()
        steps.print("saved by closing")
        print(f"highest {steps.highest:.0f} MB; limit {LIMIT_MB} MB")


def _counter(signal: object) -> Callable[[], int]:
    seen: list[None] = []
    signal.connect(lambda: seen.append(None))  # type: ignore[attr-defined]
    return lambda: len(seen)


def main() -> None:
    """Run the steps on a display."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=10)
    parser.add_argument("--way", choices=("paste", "open", "crlf"), default="paste", help="how the text comes")
    parser.add_argument("--parts", action="store_true", help="list the owners of mapped memory")
    given = parser.parse_args()
    if sys.platform != "linux":
        sys.exit("only Linux reports the figures needed here")
    with display():
        run(int(given.megabytes * 1e6), given.way, given.parts)


if __name__ == "__main__":
    main()
