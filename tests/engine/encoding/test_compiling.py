"""Compiling ahead, in a child process that may fail, crash or never end."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from engine.encoding import compiling
from engine.encoding.compiling import CompilingFailedError, compile_family, compile_in_child, is_compiled, keeps_nothing
from engine.kernels import cache_folder
from engine.kernels._jit import COMPILED
from tests.patience import PATIENCE_SECONDS

NEVER_ENDS = "import time\nwhile True: time.sleep(3600)"


def cancel_check():
    """Nobody has changed their mind."""


class NotWantedError(Exception):
    """Somebody has."""


@pytest.fixture
def child(monkeypatch):
    """Replaces the compiler by a program."""

    def replace(code):
        monkeypatch.setattr(
            compiling, "compiler_command", lambda *arguments: ([sys.executable, "-c", code], dict(os.environ))
        )

    return replace


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv(cache_folder.VARIABLE, raising=False)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    return tmp_path / "cache"


def test_what_the_child_says_last_is_the_reason(child, cache):
    child("import sys; sys.stderr.write('first\\nlast\\n'); sys.exit(1)")
    with pytest.raises(CompilingFailedError, match=r"^last$") as raised:
        compile_in_child(cache, ["encode"], cancel_check)
    assert raised.value.details == "first\nlast\n"


@pytest.mark.parametrize("code", ["raise SystemExit(7)", "import os; os.abort()"])
def test_a_child_that_says_nothing_has_a_status(child, cache, code):
    child(code)
    with pytest.raises(CompilingFailedError, match="ended with status"):
        compile_in_child(cache, ["encode"], cancel_check)


def test_a_child_that_is_not_wanted_any_more_ends(child, cache, monkeypatch):
    child(NEVER_ENDS)
    started = []
    start = subprocess.Popen

    def noted(*arguments, **options):
        started.append(start(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(compiling.subprocess, "Popen", noted)

    def change_of_mind():
        if started:
            raise NotWantedError

    with pytest.raises(NotWantedError):
        compile_in_child(cache, ["encode"], change_of_mind)
    assert started[0].returncode not in (None, 0)


def test_a_compiler_that_does_not_start_is_said(cache, monkeypatch, tmp_path):
    monkeypatch.setattr(compiling, "compiler_command", lambda *arguments: ([str(tmp_path / "nothing")], {}))
    with pytest.raises(CompilingFailedError, match="could not start"):
        compile_in_child(cache, ["encode"], cancel_check)


def test_a_folder_that_cannot_be_made_is_said_before_anything_is_compiled(cache):
    cache.write_text("in the way")
    with pytest.raises(CompilingFailedError, match=r"could not save to .*cache \(.+\)"):
        compile_in_child(cache, ["encode"], cancel_check)
    assert not is_compiled(cache, "encode")


def test_the_folder_that_cannot_be_made_is_the_one_that_the_environment_names(cache, monkeypatch, tmp_path):
    (tmp_path / "named").write_text("in the way")
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path / "named"))
    with pytest.raises(CompilingFailedError, match=r"could not save to .*named \(.+\)"):
        compile_in_child(cache, ["encode"], cancel_check)


def test_a_compiler_ends_when_whoever_wanted_it_is_no_more(cache):
    command, environment = compiling.compiler_command(cache, ["encode"])
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE) as orphan:
        orphan.stdin.close()
        assert orphan.wait(PATIENCE_SECONDS) == compiling.UNATTENDED
    assert not is_compiled(cache, "encode")


def test_a_frozen_program_calls_itself(monkeypatch, cache):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    command, _ = compiling.compiler_command(cache, ["encode", "train"])
    assert command == [sys.executable, compiling.OPTION, compiling.ATTENDED, str(cache), "encode", "train"]


def test_the_program_compiles_when_it_is_told_to(monkeypatch, cache):
    import main

    told = []
    monkeypatch.setattr(compiling, "main", lambda arguments: told.append(arguments) or 0)
    assert main.main([compiling.OPTION, str(cache), "encode"]) == 0
    assert told == [[str(cache), "encode"]]


def test_the_compiler_is_found_from_anywhere_and_finds_nothing_else_there(tmp_path, monkeypatch, cache):
    (tmp_path / "numpy.py").write_text("raise SystemExit('the wrong numpy')")
    (tmp_path / "engine").mkdir()
    monkeypatch.chdir(tmp_path)
    command, environment = compiling.compiler_command(cache, [])
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE) as child:
        assert child.wait(PATIENCE_SECONDS) == 0
    assert not cache.exists()


def test_where_nothing_is_compiled_nothing_is_compiled_ahead(monkeypatch, cache):
    assert not keeps_nothing(cache)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert keeps_nothing(cache)


def test_where_nothing_is_kept_nothing_is_compiled_ahead(monkeypatch, cache):
    assert not keeps_nothing(cache)
    monkeypatch.setenv(cache_folder.VARIABLE, "")
    assert keeps_nothing(cache)
    assert not is_compiled(cache, "encode")
    with pytest.raises(OSError, match="saving is disabled"):
        compile_family(cache, "encode")


LOAD = """
import json, sys
import engine
from engine.encoding.compiling import is_compiled
from engine.kernels.cache_folder import current_folder
names = engine.list_encoding_names()
assert is_compiled(None, "encode") and "numba" not in sys.modules
NOTE_SUFFIX = ".read"
def kept():
    return sorted(path.name for path in current_folder().iterdir() if path.suffix != NOTE_SUFFIX)
before = kept()
text = "What was compiled ahead is enough: naïve, 你好, 12345\\n\\n" + "a" * 5000
answers = []
for name in names:
    encoding = engine.get_encoding(name)
    own = [encoding.encode(text + special) for special in ("", "<")]
    assert encoding.use_kernels(compiled_only=True)
    assert [encoding.encode(text + special) for special in ("", "<")] == own
    assert encoding.count(text) == len(own[0]) == len(encoding.token_ends(text)) == len(encoding.token_ids(text))
from engine.vocabulary import tables
assert set(before) <= set(kept()) and NOTE_SUFFIX == tables.NOTE_SUFFIX  # others may keep something meanwhile
print(len(names))
"""


@pytest.mark.deep
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_what_a_child_compiled_is_all_that_encodings_need():
    """In the folder that the other tests use: what is compiled here they need not compile."""
    compile_in_child(None, ["encode"], cancel_check)
    done = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) > 5
