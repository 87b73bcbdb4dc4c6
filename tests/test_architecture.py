"""Rules of the house that no other tool checks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("engine", "pricing", "gui", "commands")
MOST_LINES_OF_A_FILE = 500
MOST_LINES_OF_A_FUNCTION = 60
THREAD_NAMES = {"QThread", "QThreadPool", "QRunnable", "QtConcurrent", "Thread", "ThreadPoolExecutor"}
FORBIDDEN_FILE_NAMES = {"utils", "util", "helpers", "helper", "manager", "misc", "common"}


def sources() -> Iterator[Path]:
    yield ROOT / "main.py"
    for package in PACKAGES:
        yield from (ROOT / package).rglob("*.py")


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


every_source = pytest.mark.parametrize("path", sorted(sources()), ids=lambda path: str(path.relative_to(ROOT)))


@every_source
def test_files_and_functions_are_short(path: Path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= MOST_LINES_OF_A_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < MOST_LINES_OF_A_FUNCTION, f"{node.name} is long"


@every_source
def test_names_say_what_a_file_is_for(path: Path):
    assert path.stem not in FORBIDDEN_FILE_NAMES


@every_source
def test_threads_are_made_in_one_place(path: Path):
    """In the window. The engine's batch calls have a ``num_threads``, as tiktoken's do."""
    if path.parts[len(ROOT.parts)] != "gui" or path == ROOT / "gui" / "jobs.py":
        return
    for node in ast.walk(parsed(path)):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        assert name not in THREAD_NAMES, f"line {node.lineno}: threads live in gui/jobs.py"


@every_source
def test_nothing_waits_inside_the_event_loop(path: Path):
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            assert node.func.attr not in {"processEvents", "sleep"}, f"line {node.lineno}"


@every_source
def test_no_exception_is_swallowed(path: Path):
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, f"line {node.lineno}: bare except"
            broad = isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"}
            only_pass = all(isinstance(statement, ast.Pass) for statement in node.body)
            assert not (broad and only_pass), f"line {node.lineno}: swallows everything"


@every_source
def test_packages_do_not_print(path: Path):
    if path.name == "main.py":
        return
    for node in ast.walk(parsed(path)):
        is_print = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        assert not is_print, f"line {getattr(node, 'lineno', 0)}"


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_tests_wait_for_conditions_and_never_for_time(path: Path):
    """Limits of waiting come from ``tests.patience``: a number that does on one machine is too small on another."""
    for node in ast.walk(parsed(path)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        assert name not in {"sleep", "qWait", "qSleep", "msleep"}, f"line {node.lineno}: waits for time"
        limits = [keyword.value for keyword in node.keywords if keyword.arg == "timeout"]
        if name in {"wait", "join", "result"}:
            limits += node.args
        for limit in limits:
            assert not _is_long(limit), f"line {node.lineno}: gives up by a clock of its own"


def _is_long(limit: ast.expr) -> bool:
    """Whether a limit is a number of its own; a small one is a pause within a loop."""
    return isinstance(limit, ast.Constant) and isinstance(limit.value, int | float) and limit.value >= 1


def test_nothing_names_a_machine_or_an_index():
    """No committed text names a folder of some machine or the host of a package index."""
    needles = ("/" + "work/", "/" + "root/", "/" + "tmp/tl", "pypi" + ".org", "files.python" + "hosted")
    suffixes = {".py", ".md", ".toml", ".yaml", ".yml", ".json", ".txt", ".cfg", ""}
    for folder in (".ci", "benchmarks", "docs", "packaging", "tests", *PACKAGES):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts:
                text = path.read_text(encoding="utf-8", errors="replace")
                found = [needle for needle in needles if needle in text]
                assert not found, f"{path.relative_to(ROOT)} names {found}"


PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "pricing/data/README.md", "engine/data/NOTICE.md")


@pytest.mark.parametrize("page", PAGES)
def test_what_the_pages_link_to_exists(page: str):
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{page} links to {target}"
