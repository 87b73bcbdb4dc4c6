"""A package is imported a statement at a time, and whoever imports it meanwhile gets the same one, whole."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from gui.runtime.loading import import_incrementally

NAME = "package_of_pieces"
WHOLE = """
'''A package.'''
from __future__ import annotations
FIRST = __name__
from .inner import SEEN
from . import inner as same
def ask() -> Nothing: return FIRST
LAST = ask()
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / "__init__.py").write_text(WHOLE)
    (folder / "inner.py").write_text("from . import FIRST\nSEEN = FIRST\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    finders = list(sys.meta_path)
    yield folder
    for name in [name for name in sys.modules if name.split(".")[0] == NAME]:
        del sys.modules[name]
    assert sys.meta_path == finders, "no finder is left"


@pytest.mark.usefixtures("package")
def test_it_is_as_if_imported_at_once():
    turns = 0
    for _ in import_incrementally(NAME):
        turns += 1
    taken_apart = importlib.import_module(NAME)
    assert turns == 7
    assert (taken_apart.LAST, taken_apart.SEEN, taken_apart.same) == (NAME, NAME, taken_apart.inner)
    facts = {
        name: getattr(taken_apart, name) for name in ("__name__", "__file__", "__path__", "__package__", "__doc__")
    }
    assert taken_apart.__spec__ is not None
    assert type(taken_apart.__spec__.loader).__name__ == "SourceFileLoader"
    del sys.modules[NAME], sys.modules[f"{NAME}.inner"]
    at_once = importlib.import_module(NAME)
    assert facts == {name: getattr(at_once, name) for name in facts}
    assert list(import_incrementally(NAME)) == [], "it is there"


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("after", [1, 3, 4, 6])
@pytest.mark.parametrize("wanted", [NAME, f"{NAME}.inner"])
def test_who_imports_it_meanwhile_has_all_of_it(after: int, wanted: str):
    pieces = import_incrementally(NAME)
    for _ in range(after):
        next(pieces)
        assert NAME not in sys.modules
    package = __import__(wanted)
    assert package is sys.modules[NAME]
    assert package.LAST == NAME
    assert package.same is sys.modules[f"{NAME}.inner"] is package.inner
    assert type(package.__spec__.loader).__name__ == "SourceFileLoader"
    assert list(pieces) == []
    assert sys.modules[NAME] is package


def test_what_cannot_be_imported_raises_as_ever(package: Path):
    (package / "__init__.py").write_text("FIRST = 1\nimport there_is_no_such_module\nLAST = 1\n")
    pieces = import_incrementally(NAME)
    next(pieces)
    with pytest.raises(ModuleNotFoundError, match="there_is_no_such_module"):
        list(pieces)
    assert NAME not in sys.modules
    with pytest.raises(ModuleNotFoundError, match="there_is_no_such_module"):
        importlib.import_module(NAME)


def test_it_cannot_be_imported_meanwhile_either(package: Path):
    (package / "__init__.py").write_text("FIRST = 1\nimport there_is_no_such_module\nLAST = 1\n")
    pieces = import_incrementally(NAME)
    next(pieces)
    with pytest.raises(ModuleNotFoundError, match="there_is_no_such_module"):
        importlib.import_module(NAME)
    assert list(pieces) == []
    assert NAME not in sys.modules


@pytest.mark.usefixtures("package")
def test_left_in_the_middle_it_can_be_imported_anew():
    pieces = import_incrementally(NAME)
    next(pieces)
    pieces.close()
    assert importlib.import_module(NAME).LAST == NAME


def test_what_is_not_there_is_left_alone():
    assert list(import_incrementally("there_is_no_such_module")) == []
