"""Files are written in one way, and the exceptions are known."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("commands", "engine", "gui", "pricing")
WRITES = re.compile(
    r"\.write_(text|bytes)\(|sqlite3\.connect|QLockFile\(|QSaveFile|QSettings\(|NamedTemporaryFile|mkstemp|O_WRONLY"
    r"|\bos\.(rename|replace)\(|\.rename\([^,()]*\)|\bopen\([^)]*\"[wax]b?\+?\""
)
"""What writes a file, or gives it another name. A method of two arguments that is called ``rename`` is no path's."""
NOWHERE = "os.devnull"

THE_WAY = {"engine/runtime/atomic_files.py"}
IN_ITS_FOLDER = {"engine/library/formats/opening.py", "engine/library/formats/kept_tokenizer.py"}
"""What writes several files into the folder that ``atomic_file.replacing`` gives them."""
EXCEPTIONS = {
    "engine/kernels/cache_folder.py",
    "engine/corpus/count_cache.py",
    "engine/library/user_encodings.py",
    "gui/state/session_slot.py",
}


def test_nothing_else_writes_a_file():
    found = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            lines = path.read_text(encoding="utf-8").splitlines()
            if any(WRITES.search(line) and NOWHERE not in line for line in lines):
                found.add(path.relative_to(ROOT).as_posix())
    assert found == THE_WAY | IN_ITS_FOLDER | EXCEPTIONS


def test_the_exceptions_are_told_where_somebody_looks_for_them():
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    module = (ROOT / "engine" / "runtime" / "atomic_files.py").read_text(encoding="utf-8")
    for path in EXCEPTIONS:
        assert f"`{path}`" in contributing
        assert f"``{path.removesuffix('.py').replace('/', '.')}``" in module
