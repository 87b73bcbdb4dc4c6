"""Nothing that the program is made of goes without its licence."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from gui.licences import DISTRIBUTIONS, components, declared_licence, overview

ROOT = Path(__file__).resolve().parents[2]


def test_every_dependency_is_named() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    names = {re.split(r"[<>=!~;\[ ]", requirement)[0] for requirement in declared}
    assert names <= set(DISTRIBUTIONS)


def test_each_says_its_licence_in_a_line() -> None:
    found = {component.name: component for component in components()}
    assert {"Tokenloupe", "Vocabularies"} < found.keys()
    assert found["numba"].version == metadata.version("numba")
    for component in found.values():
        assert component.licence
        assert "\n" not in component.licence


def test_the_texts_are_there() -> None:
    text = overview()
    assert text.splitlines()[0].startswith("Tokenloupe ")
    assert "Copyright (c) 2022 OpenAI" in text  # tiktoken's, and the vocabularies'
    assert "Qwen" in text
    assert "THE SOFTWARE IS PROVIDED" in next(components()).text


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ("License-Expression: BSD-3-Clause", "BSD-3-Clause"),
        ("License: MIT License\n        Copyright", "MIT License"),
        ("License: " + "x" * 80 + "\nClassifier: License :: OSI Approved :: BSD License", "BSD License"),
        ("Classifier: License :: OSI Approved :: Apache Software License", "Apache Software License"),
        ("Summary: nothing said", "see its text"),
    ],
)
def test_what_a_package_declares(tmp_path: Path, fields: str, licence: str) -> None:
    folder = tmp_path / "some-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: some\nVersion: 1.0\n{fields}\n", encoding="utf-8")
    assert declared_licence(metadata.PathDistribution(folder)) == licence
