"""An X display for benchmarks of real windows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def display() -> Iterator[None]:
    """Use the current display, or a temporary Xvfb. Exits the program if there is neither. Linux only."""
    if os.environ.get("DISPLAY"):
        yield
        return
    if shutil.which("Xvfb") is None:
        sys.exit("there is no X display, and no Xvfb to make one")
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1200x24"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as number:
        os.environ["DISPLAY"] = ":" + number.readline().strip()
    os.environ["QT_QPA_PLATFORM"] = "xcb"
    try:
        yield
    finally:
        server.terminate()
        server.wait()
