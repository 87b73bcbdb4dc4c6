"""What a built program is made of is found out when it is built."""

from __future__ import annotations

import importlib.util
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from gui.core.about import DISTRIBUTIONS


@pytest.fixture
def collected() -> Iterator[ModuleType]:
    path = Path(__file__).resolve().parents[1] / "packaging" / "collected.py"
    spec = importlib.util.spec_from_file_location("collected", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_a_package_that_nobody_named_is_found(collected: ModuleType) -> None:
    modules = ["json.decoder", "engine.types", "main", "ruamel.yaml.main", "markupsafe", "_pyi_rth_utils.qt"]
    assert collected.strangers(modules, ("engine", "main"), DISTRIBUTIONS) == set()
    others = [*modules, "hypothesis.core", "of_no_package.at_all"]
    assert collected.strangers(others, ("engine", "main"), DISTRIBUTIONS) == {"hypothesis", "of_no_package"}


def test_readline_is_refused(collected: ModuleType) -> None:
    names = ["libreadline.so.8", "python3.11/lib-dynload/readline.cpython-311-x86_64-linux-gnu.so", "libz.so.1"]
    assert collected.refused(names) == sorted(names[:2])


def test_the_libraries_of_the_system_are_told_from_those_of_packages_and_python(
    collected: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answers = {
        ("--search", "/usr/lib/libglib-2.0.so.0"): "libglib2.0-0:amd64: /usr/lib/libglib-2.0.so.0\n",
        ("--show", "--showformat=${Version}\n${binary:Summary}", "libglib2.0-0:amd64"): "2.74.6\nGLib library",
    }
    monkeypatch.setattr(collected, "_ask", lambda *arguments: answers.get(arguments, ""))
    packages, standard = Path(sysconfig.get_path("platlib")), Path(sysconfig.get_path("stdlib"))
    found = collected.system_libraries(
        [
            ("PySide6/QtCore.abi3.so", str(packages / "PySide6" / "QtCore.abi3.so")),
            ("python3.11/lib-dynload/_ssl.so", str(standard / "lib-dynload" / "_ssl.so")),
            ("libpython3.11.so.1.0", str(tmp_path / "libpython3.11.so.1.0")),
            ("libglib-2.0.so.0", "/lib/libglib-2.0.so.0"),  # /lib is a link to /usr/lib
            ("libown.so.1", str(tmp_path / "libown.so.1")),
        ]
    )
    assert [one.name for one in found] == ["libglib-2.0.so.0", "libown.so.1"]
    assert collected.listing(found).splitlines() == [
        "libglib-2.0.so.0 (libglib2.0-0 2.74.6)",
        "    GLib library",
        "libown.so.1",
        "    of a package that is not known",
    ]


def test_the_texts_of_the_libraries_go_along(collected: ModuleType, tmp_path: Path) -> None:
    documents, common, target = (tmp_path / name for name in ("doc", "common", "target"))
    (documents / "libglib2.0-0").mkdir(parents=True)
    common.mkdir()
    (documents / "libglib2.0-0" / "copyright").write_text(f"see {collected.COMMON}/LGPL-2.1.\n", encoding="utf-8")
    (common / "LGPL-2.1").write_text("the whole text\n", encoding="utf-8")
    target.mkdir()
    (target / "of an older build").write_text("", encoding="utf-8")
    libraries = [collected.SystemLibrary("libglib-2.0.so.0", "libglib2.0-0:amd64"), collected.SystemLibrary("libown")]
    collected.write_texts(libraries, target, documents, common)
    assert {path.name for path in target.iterdir()} == {"libglib2.0-0.txt", "LGPL-2.1.txt"}
    assert (target / "LGPL-2.1.txt").read_text(encoding="utf-8") == "the whole text\n"
