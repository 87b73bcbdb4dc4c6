"""Nothing that the program is made of goes without its licence."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from gui.core import about
from gui.core.about import BUILDER, DISTRIBUTIONS, EXTRAS, components, declared_licence, overview

ROOT = Path(__file__).resolve().parents[3]


def test_every_dependency_is_named() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    names = {re.split(r"[<>=!~;\[ ]", requirement)[0] for requirement in declared}
    assert names <= set(DISTRIBUTIONS)


def test_every_extra_that_the_program_uses_is_named() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    names = {re.split(r"[<>=!~;\[ ]", one)[0] for name in ("dask", "claude") for one in extras[name]}
    assert names <= set(EXTRAS)


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


def test_every_part_comes_with_the_text_of_its_licence() -> None:
    texts = {component.name: component.text for component in components()}
    assert [name for name, text in texts.items() if not text.strip()] == []
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in texts["PySide6-Essentials"]
    assert "15. Disclaimer of Warranty." in texts["PySide6-Essentials"]  # the GPL, which the LGPL adds to
    assert "Python Software Foundation" in texts["Python"]
    assert "UNICODE LICENSE V3" in texts["Vocabularies"]


def test_the_texts_that_are_kept_go_along_with_the_package() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    assert "core/licence_texts/*" in declared["package-data"]["gui"]


def test_a_built_program_lists_what_else_is_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(about, "_ROOT", tmp_path)
    assert "Libraries of the system" not in overview()
    (tmp_path / about.LIBRARY_LIST).write_text("libglib-2.0.so.0  libglib2.0-0 2.74.6  GLib\n", encoding="utf-8")
    asked: list[str] = []
    find = metadata.distribution
    monkeypatch.setattr(metadata, "distribution", lambda name: asked.append(name) or find(name))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    text = overview()
    assert "libglib-2.0.so.0  libglib2.0-0 2.74.6  GLib" in text
    assert str(tmp_path / about.LIBRARY_TEXTS) in text
    assert BUILDER in asked


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
