from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gui.core import profile_files
from gui.core.profile_files import profile_paths


def test_a_profile_keeps_everything_below_one_folder(tmp_path: Path):
    found = profile_paths(tmp_path)
    for place in (found.settings_file, found.prices_file, found.sessions, found.encodings, found.compiled):
        assert place.is_relative_to(tmp_path)


def test_a_relative_profile_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert profile_paths(Path("here")).config == tmp_path / "here"


@pytest.mark.parametrize(
    ("platform", "variables", "config", "cache"),
    [
        ("linux", {"XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}, ".config/tokenloupe", ".cache/tokenloupe"),
        ("darwin", {}, "Library/Application Support/Tokenloupe", "Library/Caches/Tokenloupe"),
        ("win32", {"APPDATA": "", "LOCALAPPDATA": ""}, "AppData/Roaming/Tokenloupe", "AppData/Local/Tokenloupe/cache"),
    ],
)
def test_without_a_profile_the_system_says_where(
    platform: str, variables: dict[str, str], config: str, cache: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(profile_files.sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = profile_paths()
    assert found.config == tmp_path / config
    assert found.cache == tmp_path / cache


def test_xdg_folders_count_only_when_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(profile_files.sys, "platform", "linux")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
    assert profile_paths().config == tmp_path / "elsewhere" / "tokenloupe"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert profile_paths().config == tmp_path / ".config" / "tokenloupe"


def test_asking_creates_nothing(tmp_path: Path):
    profile_paths(tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "module",
    [
        "gui.core.profile_files",
        "gui.state.session",
        "gui.core.token_text",
        "gui.window.fuzzy",
        "gui.core.about",
    ],
)
def test_these_modules_work_without_qt(module: str):
    code = f"import sys, {module}; sys.exit(any(name.startswith('PySide6') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
