"""Fuzz everything that reads, with damaged and unusual input.

    python -m benchmarks.fuzz --what prices --minutes 5 --seed 1
    python -m benchmarks.fuzz                     # all of them, a minute each

Each fuzzer runs in its own process, to detect crashes and to measure only the memory of its reader. Each case must
return a result or the reader's own error, within two seconds of processor time and 500 MB. Anything else is reported
with the number of the case, and its input is saved; ``--case NUMBER`` with the same seed repeats that case.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtWidgets import QApplication

from tests.fuzzing.fuzzers import FUZZERS, chosen
from tests.fuzzing.judging import cases_of

HANGS_SECONDS = 60
"""Time limit of a case; the process is ended after it."""

MAX_FINDINGS = 5


def fuzz(name: str, seed: int, first: int, seconds: float, most: int, kept: Path) -> int:
    """Run one fuzzer and report. Return the number of findings."""
    refused = findings = number = 0
    longest, growth = 0.0, 0
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        for case in cases_of(FUZZERS[name], Path(folder), seed, first):
            faulthandler.dump_traceback_later(HANGS_SECONDS, exit=True)
            number = case.number + 1 - first
            refused += case.refused
            longest, growth = max(longest, case.seconds), max(growth, case.growth)
            if case.finding:
                findings += 1
                path = kept / f"{name.replace(', ', '-').replace(' ', '-')}-{seed}-{case.number}"
                path.write_bytes(case.content)
                print(f"{name}: seed {seed}, case {case.number}: {case.finding} ({path})", flush=True)
            if number >= most or findings >= MAX_FINDINGS or time.monotonic() > until:
                break
    faulthandler.cancel_dump_traceback_later()
    print(f"{name:<30} {number:>8,} {refused:>8,} {longest:>8.2f} {growth / 1e6:>8.0f}  {findings}", flush=True)
    return findings


def main() -> int:
    """Run the fuzzers. Return 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--what", default="", help="one of: " + ", ".join(sorted({n.partition(",")[0] for n in FUZZERS}))
    )
    parser.add_argument("--minutes", type=float, default=1.0, help="for each fuzzer")
    parser.add_argument("--cases", type=int, default=sys.maxsize, help="for each fuzzer, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="only this one")
    parser.add_argument("--kept", type=Path, default=Path(tempfile.gettempdir()), help="where findings are kept")
    wanted = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    names = chosen(wanted.what)
    if not names:
        parser.error(f"there is no fuzzer {wanted.what!r}")
    if len(names) == 1:
        _application = QApplication(["fuzz"])  # readers of files of the profile have timers
        first, most = (0, wanted.cases) if wanted.case is None else (wanted.case, 1)
        return int(fuzz(*names, wanted.seed, first, wanted.minutes * 60, most, wanted.kept) > 0)
    print(f"{'fuzzer':<30} {'cases':>8} {'refused':>8} {'longest':>8} {'MB':>8}  findings", flush=True)
    options = ["--minutes", str(wanted.minutes), "--cases", str(wanted.cases), "--seed", str(wanted.seed)]
    command = [sys.executable, "-m", "benchmarks.fuzz", *options, "--kept", str(wanted.kept)]
    ends = [subprocess.run([*command, "--what", name], check=False).returncode for name in names]
    return int(any(ends))


if __name__ == "__main__":
    sys.exit(main())
