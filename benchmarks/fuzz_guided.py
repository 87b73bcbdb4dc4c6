"""Fuzzers of ``benchmarks.fuzz`` guided by code coverage of the readers, with Google's atheris.

    pip install atheris
    python -m benchmarks.fuzz_guided --what "bodies, Gemini" --minutes 5 --seed 1

Starts with the same valid inputs, changes their bytes, and continues with those that reach new code. For readers in
Python; libraries and kernels are not instrumented. Each finding is reported once per code location.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

import atheris

SEEN = ("engine", "pricing", "gui", "commands")
NOT_SEEN = ("engine.kernels",)
"""Compiled by numba, so instrumentation does not see it."""

with atheris.instrument_imports(include=list(SEEN), exclude=list(NOT_SEEN)):
    from tests.fuzzing.fuzzers import FUZZERS
    from tests.fuzzing.judging import tried


def main() -> int:
    """Run one fuzzer. Never returns: atheris ends the process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--what", choices=sorted(FUZZERS), required=True)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kept", type=Path, default=Path(tempfile.gettempdir()), help="where findings are kept")
    wanted = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    fuzzer, folder, corpus = FUZZERS[wanted.what], Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())
    for number, content in enumerate(fuzzer.good(folder)):
        (corpus / str(number)).write_bytes(content)
    told: set[str] = set()
    number = 0

    def read(content: bytes) -> None:
        nonlocal number
        number += 1
        finding = tried(fuzzer, content, folder, number, at_rest=0).finding
        place = re.sub(r"\d+|'.*'", "", finding)
        if finding and place not in told:
            told.add(place)
            path = wanted.kept / f"guided-{len(told)}-{os.getpid()}"
            path.write_bytes(content)
            print(f"{wanted.what}: {finding} ({path})", flush=True)

    atheris.Setup(
        [sys.argv[0], str(corpus), f"-max_total_time={int(wanted.minutes * 60)}", f"-seed={wanted.seed}"], read
    )
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
