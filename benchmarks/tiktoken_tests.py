"""Run tiktoken's own tests against our engine, with and without our kernels.

    python -m pip download --no-binary :all: --no-deps --dest FOLDER tiktoken==VERSION
    python -m benchmarks.tiktoken_tests FOLDER/tiktoken-VERSION.tar.gz [PYTEST_OPTION]...

The tests come from tiktoken's source archive, of the installed release; they are not part of this repository. For them,
``import tiktoken`` loads a package whose public names are the engine's. Exits with 1 if a test fails.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]

STAND_IN = '''\
"""tiktoken, as the engine stands in for it. What the engine itself takes from tiktoken is found below this name."""

import functools
import os
from pathlib import Path

__path__ = [{package!r}]

from engine import Encoding, encoding_name_for_model, list_encoding_names
from engine import get_encoding as open_encoding

WITH_KERNELS = {with_kernels!r}


@functools.cache
def get_encoding(name):
    encoding = open_encoding(name)
    if WITH_KERNELS:
        assert encoding.use_kernels(Path(__file__).parent / "tables")
    assert encoding.uses_kernels == WITH_KERNELS
    return encoding


def encoding_for_model(model_name):
    return get_encoding(encoding_name_for_model(model_name))
'''


def unpack_tests(archive: Path, version: str, folder: Path) -> None:
    """Extract the tests of a source archive into ``folder``. Raises SystemExit if it is of another release."""
    top = f"tiktoken-{version}"
    with tarfile.open(archive) as content:
        tests = [member for member in content.getmembers() if member.name.startswith(f"{top}/tests/")]
        if not tests:
            raise SystemExit(
                f"{archive} has no {top}/tests: tiktoken {version} is installed, take the archive of that."
            )
        for member in tests:
            member.name = member.name.removeprefix(f"{top}/")
        content.extractall(folder, tests, filter="data")


def run_tests(folder: Path, with_kernels: bool, options: list[str]) -> int:
    """Return the exit status of pytest."""
    stand_in = folder / ("with" if with_kernels else "without") / "tiktoken"
    stand_in.mkdir(parents=True)
    package = str(importlib.metadata.distribution("tiktoken").locate_file("tiktoken"))
    text = STAND_IN.format(package=package, with_kernels=with_kernels)
    (stand_in / "__init__.py").write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(stand_in.parent), str(PROJECT)])}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "tests"]
    print(f"{'With' if with_kernels else 'Without'} our kernels:", flush=True)
    return subprocess.run([*command, *options], cwd=folder, env=environment, check=False).returncode


def main() -> int:
    """Run the tests twice. Return 0 if all pass."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    options, for_pytest = parser.parse_known_args()
    version = importlib.metadata.version("tiktoken")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unpack_tests(options.archive, version, folder)
        statuses = [run_tests(folder, with_kernels, for_pytest) for with_kernels in (True, False)]
    return int(any(statuses))


if __name__ == "__main__":
    raise SystemExit(main())
