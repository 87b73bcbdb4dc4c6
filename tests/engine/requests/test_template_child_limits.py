"""What the process that renders templates could still do if its sandbox broke."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from engine.requests.template_file import _without_secrets
from tests.patience import PATIENCE_SECONDS


def test_the_environment_is_not_inherited():
    assert _without_secrets({"OPENAI_API_KEY": "x", "HOME": "/", "PYTHONPATH": "p"}) == {"PYTHONPATH": "p"}


BREAK_OUT = """
import os, socket, subprocess, sys, threading
from engine.requests import template_child
from engine.requests.template_child import confine
template_child.load_the_rest()
confine()
def write(path):
    with open(path, "w") as file:
        file.write("x")
attempts = {
    "read": lambda: open("/etc/passwd").read(),
    "write": lambda: write(sys.argv[1]),
    "connect": lambda: socket.create_connection(("127.0.0.1", 9), 1),
    "look up": lambda: socket.getaddrinfo("localhost", 80),
    "listen": lambda: socket.socket(),
    "pipe": lambda: os.pipe(),
    "run": lambda: subprocess.run([sys.executable, "-c", ""], check=True),
    "fork": lambda: os.fork(),
    "exec": lambda: os.execv(sys.executable, [sys.executable, "-c", ""]),
    "kill": lambda: os.kill(os.getppid(), 0),
    "remove": lambda: os.remove(sys.argv[1] + ".kept"),
    "list": lambda: os.listdir("/"),
    "stat": lambda: os.stat("/etc/passwd"),
    "change mode": lambda: os.chmod(sys.argv[1] + ".kept", 0),
    "more files": lambda: __import__("resource").setrlimit(7, (99, 99)),
    "late import": lambda: __import__("wave"),
}
for name, attempt in attempts.items():
    try:
        attempt()
    except (OSError, ImportError, ValueError):
        continue
    print(name, flush=True)
thread = threading.Thread(target=int)
thread.start()
thread.join()
print("end", template_child._answer("{{ messages | length }}", [{"messages": [1, 2]}], "2026-01-31T12:00:00"))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing there takes files from a process")
def test_it_has_neither_files_nor_network(tmp_path: Path):
    kept = tmp_path / "out.kept"
    kept.write_text("kept")
    command = [sys.executable, "-c", BREAK_OUT, str(tmp_path / "out")]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)
    done, end = ended.stdout.split("end ")
    assert end.strip() == "{'texts': ['2']}"
    assert list(tmp_path.iterdir()) == [kept]
    assert kept.read_text() == "kept"
    if sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64"):
        assert done.split("\n") == [""]
    else:
        assert not {"read", "write", "connect", "listen", "pipe", "run"} & set(done.split("\n"))
