"""Commands count with the encoder that is sooner done, and compile only where there is very much to count."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading

import pytest

from commands import encodings
from commands.encodings import EncoderChoice
from engine.encoding import compiling
from engine.kernels import cache_folder
from engine.kernels._jit import COMPILED
from tests.patience import PATIENCE_SECONDS


class AnyEncoding:
    """Takes the place of an encoding: what it was asked."""

    def __init__(self, name="one", works=True):
        self.name = name
        self.works = works
        self.asked = 0

    def use_kernels(self, folder, *, compiled_only):
        assert compiled_only
        self.asked += 1
        if not self.works:
            raise ImportError("no such library here")


@pytest.fixture
def choice(tmp_path):
    with EncoderChoice(tmp_path) as choice:
        yield choice


@pytest.fixture
def compiled(monkeypatch):
    """Says whether there are compiled kernels."""

    def say(answer):
        monkeypatch.setattr(compiling, "is_compiled", lambda folder, family: answer)

    return say


@pytest.fixture
def compilers(monkeypatch):
    """The requests to compile; each goes on until nobody wants it."""
    requests = queue.Queue()
    monkeypatch.delenv(cache_folder.VARIABLE, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    def compile_in_child(folder, families, cancel_check):
        requests.put((folder, families))
        while True:
            cancel_check()
            threading.Event().wait(0.001)

    monkeypatch.setattr(compiling, "compile_in_child", compile_in_child)
    monkeypatch.setattr(compiling, "keeps_nothing", lambda folder: False)
    return requests


def test_little_text_is_left_to_tiktoken(choice, compiled):
    compiled(True)
    encoding = AnyEncoding()
    choice.expect(1_000, encodings=1)
    choice.make_for(encoding)
    assert encoding.asked == 0


def test_much_text_is_counted_by_kernels_from_where_it_becomes_much(choice, compiled):
    compiled(True)
    encoding = AnyEncoding()
    choice.expect(0, encodings=1)
    asked = []
    for _ in range(10):
        choice.expect(1_000_000)
        choice.make_for(encoding)
        asked.append(encoding.asked)
    assert asked == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1]


def test_several_encodings_are_worth_the_kernels_by_themselves(choice, compiled):
    compiled(True)
    encodings = [AnyEncoding(name) for name in "abcde"]
    choice.expect(5_000, encodings=len(encodings))
    for encoding in encodings:
        choice.make_for(encoding)
    assert [encoding.asked for encoding in encodings] == [1] * 5


def test_kernels_that_cannot_be_loaded_are_tried_once(choice, compiled):
    compiled(True)
    encoding = AnyEncoding(works=False)
    for _ in range(3):
        choice.expect(10_000_000, encodings=1)
        choice.make_for(encoding)
    assert encoding.asked == 1


def test_without_compiled_kernels_much_text_compiles_nothing(choice, compiled, compilers):
    compiled(False)
    encoding = AnyEncoding()
    choice.expect(encodings.COMPILING_BYTES // 2, encodings=1)
    choice.make_for(encoding)
    assert encoding.asked == 0
    assert choice._thread is None


def test_with_very_much_text_they_are_compiled_meanwhile(tmp_path, compiled, compilers):
    compiled(False)
    encoding = AnyEncoding()
    with EncoderChoice(tmp_path) as choice:
        for _ in range(3):
            choice.expect(encodings.COMPILING_BYTES)
            choice.make_for(encoding)
        assert compilers.get(timeout=PATIENCE_SECONDS) == (tmp_path / "cache" / "compiled", [compiling.ENCODE])
        assert encoding.asked == 0
        compiled(True)  # the child has come to its end
        choice.make_for(encoding)
        assert encoding.asked == 1
    assert compilers.empty()


def test_on_one_processor_nothing_is_compiled_meanwhile(choice, compiled, compilers, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    compiled(False)
    choice.expect(encodings.COMPILING_BYTES)
    choice.make_for(AnyEncoding())
    assert choice._thread is None


@pytest.mark.deep
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_command_gives_the_same_with_kernels(tmp_path, monkeypatch):
    """In the folder that all tests share, where they are compiled already."""
    with cache_folder.kept_in(None):
        folder = cache_folder.current_folder()
    if folder is None:
        pytest.skip("nothing is kept here")
    monkeypatch.setenv(cache_folder.VARIABLE, str(folder.parent))
    if not compiling.is_compiled(None, compiling.ENCODE):
        compiling.compile_in_child(None, [compiling.ENCODE], lambda: None)
    text = "Several words, naïve 你好, 12345 numbers.\n" * 90_000
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    (tmp_path / "short.txt").write_text("one two", encoding="utf-8")
    answers = []
    for kept_in in ("", str(folder.parent)):
        environment = os.environ | {cache_folder.VARIABLE: kept_in, "PYTHONPATH": os.pathsep.join(sys.path)}
        for words in (["count"], ["count", "--encoding", "gpt2"], ["cost", "--model", "gpt-4o"]):
            code = "import sys, main; status = main.main(sys.argv[1:]); print('numba' in sys.modules, status)"
            done = subprocess.run(
                [sys.executable, "-c", code, *words, "--json", "text.txt", "short.txt"],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=True,
                timeout=PATIENCE_SECONDS,
            )
            answers.append(done.stdout.splitlines())
    without, with_kernels = answers[:3], answers[3:]
    assert [lines[0] for lines in without] == [lines[0] for lines in with_kernels]
    assert {lines[1] for lines in without} == {"False 0"}
    assert {lines[1] for lines in with_kernels} == {"True 0"}
