"""Test a built program: ``python packaging/try_app.py [FOLDER]``, the folder that ``build_app.py`` created.

It is copied to a path with spaces and letters of three scripts, and started from another folder, with an empty home and
no Python in its environment. On the command line it counts and prices. Its window is then opened twice on the same home
(which needs a display, or Xvfb): the first start must leave compiled kernels, the second must find them all.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAME = "tokenloupe.exe" if sys.platform == "win32" else "tokenloupe"
PLACE = "Programme äöü λόγος 試験"
PROMPT = "Tokenization is the first step in any LLM pipeline."
TOKENS, COST = 12, "0.00503"
"""Tokens of the prompt in cl100k_base; USD at gpt-4o with 500 output tokens, at 2.50 and 10.00 per million."""
FAMILIES = 2
PATIENCE_SECONDS = 300
POLL_SECONDS = 0.2
SECOND_START_SECONDS = 10


class Wrong(Exception):
    """The program does not behave as expected."""


def bare_environment(home: Path) -> dict[str, str]:
    """Return the environment of a program started by a double click, without variables of this checkout."""
    kept = ("PATH", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "LANG", "SYSTEMROOT", "TEMP", "TMP", "QT_QPA_PLATFORM")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    return environment | {"HOME": str(home), "APPDATA": str(home), "LOCALAPPDATA": str(home)}


def ask(program: Path, environment: Mapping[str, str], *arguments: str) -> dict[str, object]:
    """Return the JSON that a command prints about the prompt."""
    done = subprocess.run(
        [str(program), *arguments, "--json"],
        input=PROMPT.encode(),
        env=environment,
        cwd=tempfile.gettempdir(),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise Wrong(f"{arguments[0]} ends with status {done.returncode}: {done.stderr.decode(errors='replace')}")
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def try_commands(program: Path, environment: Mapping[str, str]) -> None:
    """Count and price the prompt on the command line."""
    counted = ask(program, environment, "count", "-", "--encoding", "cl100k_base")["tokens"]
    priced = ask(program, environment, "cost", "-", "--model", "gpt-4o", "--output-tokens", "500")["rows"]
    assert isinstance(priced, list)
    if counted != TOKENS or priced[0]["usd"] != COST:
        raise Wrong(f"{counted} tokens and {priced[0]['usd']} USD, not {TOKENS} and {COST}")
    print(f"command line: {counted} tokens, {priced[0]['usd']} USD")


def compiled(home: Path) -> tuple[set[Path], int]:
    """Return the compiled kernels below a home, and the number of complete families."""
    return set(home.rglob("*.code")), len(set(home.rglob("*.compiled")))


def try_window(program: Path, environment: Mapping[str, str], home: Path) -> None:
    """Open the window twice: first until everything is compiled, then for some seconds."""
    begun = time.monotonic()
    with subprocess.Popen([str(program)], env=environment, cwd=tempfile.gettempdir()) as window:
        try:
            while compiled(home)[1] < FAMILIES:
                if window.poll() is not None:
                    raise Wrong(f"the window ends with status {window.returncode}")
                if time.monotonic() - begun > PATIENCE_SECONDS:
                    raise Wrong(f"no compiled kernels after {PATIENCE_SECONDS} seconds")
                time.sleep(POLL_SECONDS)
        finally:
            window.terminate()
    kept, _ = compiled(home)
    print(f"first start: {len(kept)} kernels are compiled after {time.monotonic() - begun:.0f} seconds")
    with subprocess.Popen([str(program)], env=environment, cwd=tempfile.gettempdir()) as window:
        try:
            time.sleep(SECOND_START_SECONDS)
            if window.poll() is not None:
                raise Wrong(f"the second window ends with status {window.returncode}")
        finally:
            window.terminate()
    added = compiled(home)[0] - kept
    if added:
        raise Wrong(f"the second start compiles {len(added)} kernels again")
    print("second start: every kernel is found")


def main() -> int:
    """Run all tests. Return 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist" / "tokenloupe")
    parser.add_argument("--no-window", action="store_true", help="only the command line")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        home.mkdir()
        program = Path(shutil.copytree(options.folder, Path(folder) / PLACE / "tokenloupe", symlinks=True)) / NAME
        environment = bare_environment(home)
        try:
            try_commands(program, environment)
            if not options.no_window:
                try_window(program, environment, home)
        except Wrong as error:
            sys.stderr.write(f"{error}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
