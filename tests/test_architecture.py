"""Rules of the house that no other tool checks: a test a rule, which lists everything that breaks it."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator, Set
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("engine", "pricing", "gui", "commands")
MAX_LINES_OF_A_FILE = 900
MAX_LINES_OF_A_FUNCTION = 60
THREAD_NAMES = {"QThread", "QThreadPool", "QRunnable", "QtConcurrent", "Thread", "ThreadPoolExecutor"}
FORBIDDEN_FILE_NAMES = {"utils", "util", "helpers", "helper", "manager", "misc", "common"}


def sources() -> Iterator[Path]:
    yield ROOT / "main.py"
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def sources_of_tests() -> Iterator[Path]:
    yield from sorted((ROOT / "tests").rglob("*.py"))


@pytest.fixture(autouse=True, scope="module")
def trees_are_dropped() -> Iterator[None]:
    """Millions of small objects, which the collector would go through after every later test."""
    yield
    nodes.cache_clear()


@functools.cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return what a file is made of, in no order that means anything."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def place(path: Path, node: ast.AST, what: str) -> str:
    return f"{path.relative_to(ROOT).as_posix()}:{getattr(node, 'lineno', 0)}: {what}"


def assert_none(offenders: Iterable[str]) -> None:
    """Fail with all of them: what breaks a rule in ten files is mended in one go."""
    found = list(offenders)
    assert not found, "\n" + "\n".join(found)


def test_the_rules_look_at_every_package():
    assert {path.relative_to(ROOT).parts[0] for path in sources()} == {"main.py", *PACKAGES}
    assert Path(__file__) in set(sources_of_tests())


def test_files_are_short():
    lengths = ((path, path.read_text(encoding="utf-8").count("\n")) for path in sources())
    assert_none(f"{path.relative_to(ROOT)}: {count} lines" for path, count in lengths if count > MAX_LINES_OF_A_FILE)


def test_functions_are_short():
    assert_none(
        place(path, node, f"{node.name} is long")
        for path in sources()
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno is None or node.end_lineno - node.lineno >= MAX_LINES_OF_A_FUNCTION)
    )


def test_names_say_what_a_file_is_for():
    assert_none(str(path.relative_to(ROOT)) for path in sources() if path.stem in FORBIDDEN_FILE_NAMES)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_import_each_other_in_a_circle(package: str):
    """Imports inside functions count as well; those for type checkers alone do not."""
    modules = {module_of(path): path for path in sources() if path.is_relative_to(ROOT / package)}
    sorter = TopologicalSorter({name: imported_by(path, modules.keys()) for name, path in modules.items()})
    try:
        sorter.prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported_by(path: Path, modules: Set[str]) -> set[str]:
    """Return which of these modules a file imports when it runs, at its top or in a function."""
    for_types = {
        id(inner)
        for node in nodes(path)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and id(node) not in for_types:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            found.update(name if name in modules else node.module or "" for name in names)
        elif isinstance(node, ast.Import) and id(node) not in for_types:
            found.update(alias.name for alias in node.names)
    return found & modules


def test_threads_are_made_in_one_place():
    """In the window. The engine's batch calls have a ``num_threads``, as tiktoken's do."""
    assert_none(
        place(path, node, "threads live in gui/runtime/jobs.py")
        for path in sources()
        if path.is_relative_to(ROOT / "gui") and path != ROOT / "gui" / "runtime" / "jobs.py"
        for node in nodes(path)
        if (isinstance(node, ast.Name) and node.id in THREAD_NAMES)
        or (isinstance(node, ast.Attribute) and node.attr in THREAD_NAMES)
    )


def test_nothing_waits_inside_the_event_loop():
    assert_none(
        place(path, node, node.func.attr)
        for path in sources()
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"processEvents", "sleep"}
    )


def test_no_exception_is_swallowed():
    assert_none(
        place(path, node, "bare except" if node.type is None else "swallows everything")
        for path in sources()
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler) and (node.type is None or _swallows_everything(node))
    )


def _swallows_everything(handler: ast.ExceptHandler) -> bool:
    broad = isinstance(handler.type, ast.Name) and handler.type.id in {"Exception", "BaseException"}
    return broad and all(isinstance(statement, ast.Pass) for statement in handler.body)


def test_packages_do_not_print():
    assert_none(
        place(path, node, "prints")
        for path in sources()
        if path.name != "main.py"
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    )


def test_tests_wait_for_conditions_and_never_for_time():
    """Limits of waiting come from ``tests.patience``: a number that does on one machine is too small on another."""
    assert_none(
        place(path, node, why)
        for path in sources_of_tests()
        for node in nodes(path)
        if isinstance(node, ast.Call) and (why := _why_by_the_clock(node))
    )


def _why_by_the_clock(call: ast.Call) -> str:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name in {"sleep", "qWait", "qSleep", "msleep"}:
        return "waits for time"
    limits = [keyword.value for keyword in call.keywords if keyword.arg == "timeout"]
    if name in {"wait", "join", "result"}:
        limits += call.args
    return "gives up by a clock of its own" if any(map(_is_long, limits)) else ""


def test_properties_inside_of_tests_are_marked():
    """As Hypothesis marks the others, so that the deep run finds them."""
    assert_none(
        place(path, test, f"{test.name} is not marked with hypothesis")
        for path in sources_of_tests()
        for test in nodes(path)
        if isinstance(test, ast.FunctionDef)
        and any(isinstance(node, ast.FunctionDef) and "given" in _decorators(node) for node in _inside(test))
        and "pytest.mark.hypothesis" not in _decorators(test)
    )


def _inside(function: ast.FunctionDef) -> Iterator[ast.AST]:
    for statement in function.body:
        yield from ast.walk(statement)


def _decorators(function: ast.FunctionDef) -> set[str]:
    called = (node.func if isinstance(node, ast.Call) else node for node in function.decorator_list)
    return {ast.unparse(node) for node in called}


def _is_long(limit: ast.expr) -> bool:
    """Whether a limit is a number of its own; a small one is a pause within a loop."""
    return isinstance(limit, ast.Constant) and isinstance(limit.value, int | float) and limit.value >= 1


def test_nothing_names_a_machine_or_an_index():
    """No committed text names a folder of some machine or the host of a package index."""
    needles = ("/" + "work/", "/" + "root/", "/" + "tmp/tl", "pypi" + ".org", "files.python" + "hosted")
    found: list[str] = []
    suffixes = {".py", ".md", ".toml", ".yaml", ".yml", ".json", ".txt", ".cfg", ""}
    for folder in (".ci", "benchmarks", "docs", "packaging", "tests", *PACKAGES):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts:
                text = path.read_text(encoding="utf-8", errors="replace")
                found += [f"{path.relative_to(ROOT)} names {needle}" for needle in needles if needle in text]
    assert_none(found)


PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "pricing/data/README.md", "engine/data/NOTICE.md")


def test_what_the_pages_link_to_exists():
    assert_none(
        f"{page} links to {target}"
        for page in PAGES
        for target in re.findall(r"\]\(([^)#]+)", (ROOT / page).read_text(encoding="utf-8"))
        if "://" not in target and not (ROOT / page).parent.joinpath(target).exists()
    )


@pytest.mark.parametrize(
    ("page", "heading"),
    [
        ("CONTRIBUTING.md", "## How a keystroke becomes a price"),
        ("docs/architecture.md", "## From a folder to a vocabulary"),
    ],
)
def test_a_journey_leads_through_few_files(page: str, heading: str):
    section = (ROOT / page).read_text(encoding="utf-8").partition(heading)[2].partition("\n## ")[0]
    listed = re.findall(r"^\d+\. `([^`]+)`: \S", section, re.MULTILINE)
    assert 0 < len(listed) <= 15
    assert_none(f"{file} does not exist" for file in listed if not (ROOT / file).is_file())


TRANSLATING = {"tr", "_tr", "translate", "translated", "QT_TRANSLATE_NOOP"}
# Words that the window says in another way: "whitespace", "in use", "error", "in the meantime", "settings", ...
BANNED_WORDS = re.compile(
    r"\b(white space|normalis\w+|in force|per cent|mistakes?|meanwhile|anew|nobody|somebody|whoever|mend(ed)?|commonest"
    r"|held back|put back|takes? (it |that )?back|taken back|brings? (it |that )?back|preferences?|propos\w+|left out"
    r"|leave out|forget|let go|go(es)? on|ticked|untick|a month|a call)\b(?!})",
    re.IGNORECASE,
)


def test_the_window_uses_the_words_of_the_glossary():
    assert_none(
        place(path, text, f"{found.group()!r} in {text.value!r}")
        for path in sources()
        if path.relative_to(ROOT).parts[0] == "gui"
        for call in nodes(path)
        if isinstance(call, ast.Call)
        and (getattr(call.func, "attr", None) or getattr(call.func, "id", "")) in TRANSLATING
        for argument in call.args
        for text in ast.walk(argument)
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and (found := BANNED_WORDS.search(text.value))
    )


LOOKS = {"QDialog": "Dialog", "QSpinBox": "SpinBox", "QDoubleSpinBox": "DoubleSpinBox"}
"""Classes of Qt to which the style sheet cannot give the look of the window, and ours that have it."""


def test_dialogs_and_spin_boxes_have_the_look_of_the_window():
    assert_none(
        place(path, node, f"use {LOOKS[name.id]} of gui.widgets.forms")
        for path in sources()
        if path.relative_to(ROOT).parts[0] == "gui" and path.name != "forms.py"
        for node in nodes(path)
        for name in (node.bases if isinstance(node, ast.ClassDef) else [getattr(node, "func", None)])
        if isinstance(name, ast.Name) and name.id in LOOKS
    )
