"""Every broken file of the folder gives exactly the problems that stand beside it, with line and column."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

import pricing

FOLDER = Path(__file__).parent / "broken"
FILES = sorted(FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_problems_are_named(path: Path) -> None:
    before = path.read_bytes()
    expected = path.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    found = [str(problem).removeprefix(f"{path.parent}{os.sep}") for problem in pricing.check_file(path)]
    assert found == expected
    assert expected
    assert path.read_bytes() == before


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_broken_file_is_refused_as_a_whole(path: Path) -> None:
    with pytest.raises(pricing.PriceFileError) as refusal:
        pricing.load_catalog(path)
    assert refusal.value.problems == tuple(pricing.check_file(path))
    assert str(refusal.value).startswith(str(path))


def texts() -> dict[str, str]:
    """The files that can be read as text, by name; an empty one is no broken text."""
    found = {}
    for path in FILES:
        with contextlib.suppress(UnicodeDecodeError):
            found[path.stem] = path.read_bytes().decode("utf-8")
    return {name: text for name, text in found.items() if text}


@pytest.mark.deep
@pytest.mark.parametrize(("name", "text"), texts().items())
def test_a_broken_file_is_not_edited(name: str, text: str) -> None:
    with pytest.raises(pricing.PriceFileError) as refusal:
        pricing.set_field(text, "acme/one", "price.input", "2", file_name=f"{name}.yaml")
    assert refusal.value.problems == tuple(pricing.check_text(text, f"{name}.yaml"))


def test_there_is_an_expectation_for_every_file() -> None:
    assert {path.stem for path in FILES} == {path.stem for path in FOLDER.glob("*.txt")}
    assert len(FILES) >= 80


def test_seven_mistakes_are_seven_problems() -> None:
    assert len(pricing.check_file(FOLDER / "seven_mistakes.yaml")) == 7


def test_hints_are_data_too() -> None:
    (problem,) = pricing.check_text("version: 1\nmodles: {}\n", "mine.yaml")
    assert (problem.file, problem.line, problem.column) == ("mine.yaml", 2, 1)
    assert (problem.path, problem.hint) == ("modles", "models")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (problem,) = pricing.check_file(tmp_path / "none.yaml")
    assert str(problem) == f"{tmp_path / 'none.yaml'}: this file cannot be read: No such file or directory"


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    (problem,) = pricing.check_file(tmp_path)
    assert "this file cannot be read" in str(problem)


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    path.write_bytes(b"a" * 4_000_001)
    (problem,) = pricing.check_file(path)
    assert problem.message == "the file is too large for a price file (more than 4,000,000 bytes)"
    (problem,) = pricing.check_text("a" * 1_000_001, "long.yaml")
    assert problem.message == "the file is too large for a price file (1,000,001 characters, at most 1,000,000)"


def test_the_list_of_problems_ends() -> None:
    models = "".join(f"  acme/m{number}: {number}\n" for number in range(300))
    problems = pricing.check_text(f"version: 1\nmodels:\n{models}", "many.yaml")
    assert len(problems) == 201
    assert problems[-1].message == "100 more problems after this one"


def test_the_first_syntax_error_is_the_only_problem() -> None:
    lines = "".join(f"  acme/m{number}: {{price: {{input: @2}}}}\n" for number in range(1_000))
    (problem,) = pricing.check_text("versoin: 1\nmodels:\n" + lines, "many.yaml")
    assert str(problem) == "many.yaml:3:28: a value cannot start with '@': put it in quotes"


def test_anchors_before_a_syntax_error_are_named_as_well() -> None:
    problems = pricing.check_text("version: &one 1\nmodels: @\n", "mine.yaml")
    assert [problem.line for problem in problems] == [1, 2]
