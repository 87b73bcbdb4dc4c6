"""Compiled kernels serve the window, the commands and programs that import ``engine`` from one folder a user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import encodings
from commands.encodings import EncoderChoice
from commands.entry import run
from engine.encoding import compiling, encoder_choice
from engine.encoding.encoding import Encoding
from engine.kernels import cache_folder
from engine.kernels._jit import COMPILED
from engine.library import bundled_encodings, catalog
from gui.core.profile_files import profile_paths

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def compiled(monkeypatch):
    """The folders and families that are compiled; a compiler that takes no time adds to them."""
    done: set[tuple[Path | None, str]] = set()

    def compile_in_child(folder, families, cancel_check):
        cancel_check()
        done.update((folder, family) for family in families)

    monkeypatch.delenv(cache_folder.VARIABLE, raising=False)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.setattr(compiling, "is_compiled", lambda folder, family: (folder, family) in done)
    monkeypatch.setattr(compiling, "compile_in_child", compile_in_child)
    return done


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_window_and_engine_share_a_folder_of_the_user(platform, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for variable, value in (("XDG_CACHE_HOME", ""), ("XDG_CACHE_HOME", str(tmp_path / "x")), ("LOCALAPPDATA", "here")):
        monkeypatch.setenv(variable, value)
        assert cache_folder.user_folder() == profile_paths().compiled
        assert tmp_path in cache_folder.user_folder().parents


def test_warm_up_compiles_every_family_once(compiled, tmp_path, capsys):
    assert run(["--profile", str(tmp_path), "warm-up", "--json"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["compiled"] == list(compiling.FAMILIES)
    assert Path(document["folder"]).parent == profile_paths(tmp_path).compiled
    assert err == "compiling the encoder\ncompiling the trainer\n"
    assert compiled == {(profile_paths(tmp_path).compiled, family) for family in compiling.FAMILIES}
    assert run(["--profile", str(tmp_path), "warm-up"]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == (f"already compiled: {document['folder']}\n", "")


def test_warm_up_says_why_it_cannot(compiled, tmp_path, capsys, monkeypatch):
    def failing(*_):
        raise compiling.CompilingFailedError("the disk is full")

    monkeypatch.setattr(compiling, "compile_in_child", failing)
    assert run(["--profile", str(tmp_path), "warm-up"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "tokenloupe: the encoder cannot be compiled: the disk is full"
    monkeypatch.setenv(cache_folder.VARIABLE, "")
    assert run(["--profile", str(tmp_path), "warm-up"]) == 2
    assert capsys.readouterr().err == f"tokenloupe: compiled code is switched off by {cache_folder.VARIABLE}\n"


def test_a_profile_without_kernels_uses_those_of_the_user(compiled, tmp_path):
    assert compiling.folder_with(compiling.ENCODE, tmp_path) == tmp_path
    compiled.add((None, compiling.ENCODE))
    assert compiling.folder_with(compiling.ENCODE, tmp_path) is None
    compiled.add((tmp_path, compiling.ENCODE))
    assert compiling.folder_with(compiling.ENCODE, tmp_path) == tmp_path


def test_a_long_command_says_once_that_compiling_would_pay(compiled, tmp_path, capsys, monkeypatch):
    encoding = catalog.get_encoding("gpt2")
    with EncoderChoice(tmp_path) as choice:
        choice.expect(encodings.LONG_BYTES - 1)
        choice.make_for(encoding)
        assert capsys.readouterr().err == ""
        for _ in range(3):
            choice.expect(1)
            choice.make_for(encoding)
        assert capsys.readouterr().err == f"tokenloupe: {encodings.WARM_UP}\n"
    monkeypatch.setenv(cache_folder.VARIABLE, "")
    with EncoderChoice(tmp_path) as choice:
        choice.expect(encodings.LONG_BYTES)
        choice.make_for(encoding)
    assert capsys.readouterr().err == ""


def test_an_encoding_takes_compiled_kernels_at_its_first_text(monkeypatch):
    asked: list[str] = []

    def use_kernels(self, folder=None, *, compiled_only=False):
        assert (folder, compiled_only) == (None, True)
        asked.append(self.name)
        raise ImportError("no such library here")

    monkeypatch.setattr(Encoding, "use_kernels", use_kernels)
    monkeypatch.setattr(encoder_choice, "automatic", True)
    monkeypatch.setattr(encoder_choice, "is_compiled", lambda _folder, _family: True)
    found = bundled_encodings.Catalog(bundled_encodings.DATA_DIR)
    counts = []
    for name in ("gpt2", "kimi", "gemma3"):
        encoding = found.get(name)
        assert asked == []
        counts += [encoding.count("a text"), len(encoding.encode("a text")), len(encoding.encode_ordinary("a text"))]
        assert asked == [name]
        asked.clear()
    assert counts == [2] * 9
    monkeypatch.setattr(encoder_choice, "automatic", False)
    assert bundled_encodings.Catalog(bundled_encodings.DATA_DIR).get("gpt2").count("a text") == 2
    assert asked == []


IMPORTED = """
import engine
encoding = engine.get_encoding("gemma3")
print(encoding.uses_kernels, encoding.count("Hello, world" * 3), encoding.uses_kernels)
"""


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
@pytest.mark.parametrize("kept", [True, False])
def test_a_program_that_imports_engine_finds_them(tmp_path, kept):
    """In the folder that all tests share, where they are compiled already."""
    if not compiling.is_compiled(None, compiling.ENCODE):
        pytest.skip("nothing is compiled yet")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    if not kept:
        environment[cache_folder.VARIABLE] = str(tmp_path)
    answer = subprocess.run(
        [sys.executable, "-c", IMPORTED], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    before, count, after = answer.stdout.split()
    assert (before, after) == ("False", str(kept))
    assert count == str(catalog.get_encoding("gemma3").count("Hello, world" * 3))
    assert list(tmp_path.iterdir()) == []
