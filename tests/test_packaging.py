"""The files that go with a built program."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LINUX = Path(__file__).resolve().parents[1] / "packaging" / "linux"

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktop entries are of Linux")


@pytest.mark.parametrize("name", ["plain", "Programme äöü 試験", 'a "quoted" & 100% $HOME `x` \\ back|slash'])
def test_the_menu_entry_names_this_folder_and_goes_again(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    shutil.copytree(LINUX, folder)
    data = tmp_path / "data"
    environment = os.environ | {"XDG_DATA_HOME": str(data)}
    subprocess.run([str(folder / "add-to-menu.sh")], env=environment, check=True, capture_output=True)
    entry = configparser.RawConfigParser(strict=True)
    entry.optionxform = str  # type: ignore[assignment, method-assign]
    entry.read(data / "applications" / "tokenloupe.desktop", encoding="utf-8")
    values = entry["Desktop Entry"]
    assert _unquoted(values["Exec"]) == str(folder / "tokenloupe")
    assert values["Icon"].replace("\\\\", "\\") == str(folder / "tokenloupe.svg")
    assert values["Terminal"] == "false"
    subprocess.run([str(folder / "add-to-menu.sh"), "--remove"], env=environment, check=True, capture_output=True)
    assert not list((data / "applications").iterdir())


def _unquoted(command: str) -> str:
    """The program of an ``Exec`` key as a desktop reads it: the escapes of a string, then those within quotes, then the
    field codes (Desktop Entry Specification, "The Exec key")."""
    command = command.replace("\\\\", "\\")
    assert command.startswith('"')
    program, rest, escaped = "", "", False
    for place, letter in enumerate(command[1:], start=1):
        if not escaped and letter == "\\":
            escaped = True
        elif not escaped and letter == '"':
            rest = command[place + 1 :]
            break
        else:
            program, escaped = program + letter, False
    assert rest == " %F"
    return program.replace("%%", "%")
